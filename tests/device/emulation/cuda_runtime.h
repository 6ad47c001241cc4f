/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/cuda_runtime.h: the emulated runtime and the language, as nvcc has both at hand. */
#pragma once

#include "cuda_runtime_api.h"
#include "device-language.h"
#include "device-math.h"
#include "vector-types.h"
