/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/config-private.h: the parts of reading a config.
 *
 *   config-reader.c   one number by its key, with type and range
 *   config-family.c   what each architecture is, and the keys it knows
 *   config-rope.c     rotation
 *   config-tensors.c  the tensors against the numbers */
#pragma once

#include "assay-config.h"

G_BEGIN_DECLS

/* Families as bits, for tables that say whom a line is for. */
enum
{
  LLAMA = 1 << 0, QWEN2 = 1 << 1, QWEN3 = 1 << 2, GEMMA2 = 1 << 3, GEMMA3 = 1 << 4, GPT2 = 1 << 5,
  PHI3 = 1 << 6,
  GEMMA = GEMMA2 | GEMMA3, QWEN = QWEN2 | QWEN3, ALL_FAMILIES = (1 << 7) - 1,
};

typedef struct
{
  const char *name;             /* general.architecture */
  guint bit;
  gboolean adjacent_pairs;      /* GGUF holds rows of q and k for rotation of neighbours */
  AssayActivation activation;
  /* where the file does not say: */
  guint window;
  guint window_period;          /* layer i slides when i % period < period - 1; 0: all do */
  guint wide_layers;            /* a model of so many layers scales scores by 1/sqrt(n_embd / n_heads) */
  float attention_soft_cap, output_soft_cap;
} ConfigFamily;

typedef struct
{
  AssayModelFile *file;
  const ConfigFamily *family;
  char key[96];
} ConfigReader;

/* --- config-reader.c --- */
/* A complaint about a key ("llama.block_count"), at the place of its value. Always FALSE. */
gboolean assay_config_fail (AssayModelFile *file, AssayEngineError code, const char *reason, const char *key,
                            GError **error, const char *format, ...) G_GNUC_PRINTF (6, 7);
/* "block_count" of the architecture; names that begin with "assay." are whole keys. Lent until the next
 * call. */
const char *assay_config_key (ConfigReader *r, const char *name);
gboolean assay_config_has (ConfigReader *r, const char *name);
gboolean assay_config_set_missing (ConfigReader *r, const char *key, GError **error);
gboolean assay_config_set_type (ConfigReader *r, const char *key, const char *wanted, GError **error);
gboolean assay_config_mismatch (ConfigReader *r, const char *name, GError **error, const char *what,
                                guint64 a, const char *relation, guint64 b);
/* n_layers: more than 0 where one number a layer is allowed. fallback: 0 makes the key required. */
gboolean assay_config_read_uint (ConfigReader *r, const char *name, guint64 least, guint64 most,
                                 guint fallback, guint n_layers, guint *out, GError **error);
/* above 0, up to most. fallback: NaN makes the key required. */
gboolean assay_config_read_real (ConfigReader *r, const char *name, double most, double fallback, double *out,
                                 GError **error);
gboolean assay_config_read_float (ConfigReader *r, const char *name, double most, double fallback, float *out,
                                  GError **error);
/* The same, and 0 stands for none. */
gboolean assay_config_read_cap (ConfigReader *r, const char *name, double most, double fallback, float *out,
                                GError **error);
gboolean assay_config_read_flag (ConfigReader *r, const char *name, gboolean fallback, gboolean *out,
                                 GError **error);
/* A flag that must be as usual. */
gboolean assay_config_check_flag (ConfigReader *r, const char *name, gboolean usual, GError **error);

/* --- the others --- */
gboolean assay_config_find_family (ConfigReader *r, GError **error);
/* Features that follow from the family alone, and the layers' windows. */
gboolean assay_config_apply_family (ConfigReader *r, AssayModelConfig *c, GError **error);
gboolean assay_config_check_known (ConfigReader *r, GError **error);
gboolean assay_config_read_rope (ConfigReader *r, AssayModelConfig *c, GError **error);
/* Once the tensors were looked at. */
gboolean assay_config_finish_rope (AssayModelConfig *c, AssayModelFile *file, GError **error);
gboolean assay_config_check_tensors (AssayModelConfig *config, const ConfigFamily *family,
                                     AssayModelFile *file, GError **error);

G_END_DECLS
