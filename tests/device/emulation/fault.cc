/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/fault.cc: see fault.h. */
#include "fault.h"

#include <cstdarg>
#include <cstdio>

#include "call.h"
#include "emulation.h"

static char fault_text[512];

void
emulation::fault_tell (const char *format, ...)
{
  char text[sizeof fault_text];
  va_list args;
  va_start (args, format);
  vsnprintf (text, sizeof text, format, args);
  va_end (args);
  fprintf (stderr, "# emulated device: %s\n", text);
  if (fault_text[0] == '\0')
    snprintf (fault_text, sizeof fault_text, "%s", text);
}

extern "C" const char *
assay_emulation_get_fault (void)
{
  return fault_text[0] != '\0' ? fault_text : nullptr;
}

extern "C" void
assay_emulation_clear_fault (void)
{
  fault_text[0] = '\0';
}
