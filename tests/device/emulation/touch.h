/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/touch.h: addresses that must not be touched.
 *
 * The host that dereferences a device pointer ends with a report. A kernel's thread that touches what it
 * cannot ends its grid with cudaErrorIllegalAddress, as on a card. */
#pragma once

namespace emulation
{

void touch_watch (); /* once; signals that are not ours go where they went before */
/* Before a grid runs on this thread: its threads may use up their stacks, and the signal needs one. */
void touch_prepare_thread ();

}
