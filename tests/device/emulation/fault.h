/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/fault.h: broken rules of CUDA, kept for the test to ask. */
#pragma once

namespace emulation
{

/* The first since the start is kept; all are written to standard error as TAP comments. */
void fault_tell (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

}
