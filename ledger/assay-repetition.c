/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-repetition.c: see assay-repetition.h. */
#include "assay-repetition.h"

#include <string.h>

#define LONGEST_PATTERN 16u
#define LEAST_BYTES 64u
#define LEAST_TIMES 8u
#define MOST_BYTES (1u << 20) /* looked at, from the beginning */
#define SUSPICIOUS 0.8

/* The longest stretch in which every byte is the one `period` before it; the first pattern counts. */
static gsize
stretch_of (const char *text, gsize length, gsize period)
{
  gsize longest = 0, run = 0;
  for (gsize i = period; i < length; i++)
    {
      run = text[i] == text[i - period] ? run + 1 : 0;
      longest = MAX (longest, run);
    }
  return longest + period >= period * LEAST_TIMES ? longest + period : 0;
}

double
assay_repetition_measure (const char *text, gsize length)
{
  gsize longest = 0;
  while (length > 0 && strchr (" \t\r\n", text[length - 1]) != NULL && text[length - 1] != '\0')
    length--;
  if (length < LEAST_BYTES)
    return 0;
  length = MIN (length, MOST_BYTES);
  for (gsize period = 1; period <= LONGEST_PATTERN; period++)
    longest = MAX (longest, stretch_of (text, length, period));
  return longest >= LEAST_BYTES ? (double) longest / (double) length : 0;
}

char *
assay_repetition_dup_note (AssayRecord *record)
{
  GPtrArray *outputs = assay_record_get_outputs (record);
  g_autoptr (GString) names = g_string_new (NULL);
  double worst = 0;
  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayOutput *output = g_ptr_array_index (outputs, i);
      const double share = output->text != NULL ? assay_repetition_measure (output->text, output->text_length) : 0;
      if (share < SUSPICIOUS)
        continue;
      worst = MAX (worst, share);
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", output->question);
    }
  if (worst == 0)
    return NULL;
  return names->len > 0 ? g_strdup_printf ("suspicious: repetition %.0f %% (%s)", worst * 100, names->str)
                        : g_strdup_printf ("suspicious: repetition %.0f %%", worst * 100);
}

gboolean
assay_repetition_is_suspicious (AssayRecord *record)
{
  g_autofree char *note = assay_repetition_dup_note (record);
  return note != NULL;
}
