/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/shared/int8.h: the numbers of LLM.int8(), as bitsandbytes spells them. */
#pragma once

#include "kernels.h"

#define INT8_UNIT 7.874015718698502e-3f         /* 1 / 127 */
#define INT8_UNIT_SQUARED 6.200012400024800e-5f /* 1 / 127^2 */

/* Below 6 by half a step of float16: from here on rounding gives 6, ties going to even. */
#define INT8_OUTLIER_LIMIT (ASSAY_INT8_THRESHOLD - 0x1p-9f)
