/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/bitsandbytes.h: matrices that bitsandbytes quantized, as safetensors files hold them.
 *
 * A matrix P.weight is several tensors there. 4 bits: P.weight (codes), P.weight.absmax, .quant_map,
 * .quant_state.bitsandbytes__nf4 or __fp4 (a JSON text, whose shape is the matrix's), and where absmax is
 * quantized itself .nested_absmax and .nested_quant_map. 8 bits: P.weight (codes), P.SCB, P.weight_format.
 * Folded, each such matrix is one tensor of a whole format, whose parts are put together when it is read. */
#pragma once

#include "safetensors-private.h"

G_BEGIN_DECLS

/* Maps the files for a moment, when there is something to fold. file: has the set's parts already.
 * Returns: FALSE with FORMAT or UNSUPPORTED and a reason bitsandbytes-…, see assay-model-file.h; or the error
 * of mapping. */
gboolean assay_bitsandbytes_fold (AssayModelFile *file, SafetensorsSet *set, GError **error);

G_END_DECLS
