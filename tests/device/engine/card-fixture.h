/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/engine/card-fixture.h: the engine over the emulated card. */
#pragma once

#include <glib.h>

#include "emulation.h"

G_BEGIN_DECLS

/* A fresh card, and the engine's module is the one compiled against it. NULL: the defaults. */
void card_fixture_start (const AssayEmulationOptions *options);
/* Nothing is left on the card and no rule of CUDA was broken; ends the test otherwise. */
void card_fixture_assert_clean (void);

G_END_DECLS
