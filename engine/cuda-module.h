/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/cuda-module.h: the CUDA kernels, in a module that is looked for at run time, so that the app starts
 * where there is no driver and no toolkit. Opened once, never closed: CUDA's own threads may outlive a run. Any
 * thread. */
#pragma once

#include <glib.h>

#include "cuda/assay-cuda.h"

G_BEGIN_DECLS

/* NULL, and why in *problem (lent for good; may be NULL), where there is none that can be used. That there is
 * one says nothing about a card: ask its probe(). */
const AssayCudaModule *assay_cuda_module_get (const char **problem);
/* For tests: this one instead, from now on; NULL: the real one again. */
void assay_cuda_module_set (const AssayCudaModule *module);

/* Which card "cuda:N" names; -1: it names none. */
gint assay_cuda_parse_ordinal (const char *device);

G_END_DECLS
