/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/config-private.h: the two halves of reading a config: numbers, and tensors against them. */
#pragma once

#include "assay-config.h"

G_BEGIN_DECLS

/* A complaint about a key ("llama.block_count"), at the place of its value. Always FALSE. */
gboolean assay_config_fail (AssayModelFile *file, AssayEngineError code, const char *reason, const char *key,
                            GError **error, const char *format, ...) G_GNUC_PRINTF (6, 7);
gboolean assay_config_check_tensors (AssayModelConfig *config, AssayModelFile *file, GError **error);

G_END_DECLS
