/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/assay-model.h: a decoder that can be run.
 *
 * A model describes itself as components → groups → modules, so that placement needs no knowledge of it. Its
 * graph is direct C calls on the kernel table, one file a family where the code differs.
 *
 * Life, in this order, as the subject's rules ask: new() describes and allocates nothing; attach() adds
 * adapters; place() converts the weights, puts them where the assembly says and makes the KV cache; then
 * reserve(), prompt(), decode(). Over a device of the plan backend the same calls count instead of compute,
 * and the file need not be mapped: that is the planner. One engine thread. */
#pragma once

#include "assay-adapter.h"
#include "assay-config.h"
#include "assay-device.h"
#include "placement/assay-placement.h"

G_BEGIN_DECLS

typedef struct _AssayModel AssayModel;

/* What becomes of the stored weights. */
typedef struct
{
  AssayDtype float_dtype;    /* of matrices that are not quantized: F32, F16 or BF16; or AS_STORED */
  AssayDtype quantized;      /* of chosen modules; AS_STORED; or F32 …: dequantize to float_dtype */
  /* Borrowed; NULL or "default": the customary choice; else names and patterns, ',' between, matched with module
   * ("attn_q"), with group and module ("blk.3.attn_q"), and with the file's own name. */
  const char *modules;
  /* INT8 weights that are streamed wait, move and compute as float32, as Transformers does. */
  gboolean fp32_on_host;
} AssayWeightFormat;
#define ASSAY_DTYPE_AS_STORED ((AssayDtype) 0xffff)

typedef struct
{
  guint context_length;      /* capacity of the KV cache, for each sequence */
  guint n_sequences;         /* answers worked on at once; 0: 1 */
  AssayDtype k_dtype, v_dtype; /* F32, F16, Q8_0 */
  guint chunk;               /* prompt tokens worked on at once; 0: 128 */
  AssayWeightFormat format;  /* all zeros would be float32: set AS_STORED where nothing is to change */
  gboolean read_weights; /* weights used as stored are read into host memory instead of being used in place */
} AssayModelOptions;

/* Called before each unit is computed: FALSE stops the forward pass (cancelled, time limit). */
typedef gboolean (*AssayUnitFunc) (const AssayModelUnit *unit, gpointer data, GError **error);

/* Describes: nothing is read or allocated on a device. The file is referenced; it must be mapped before
 * place(), but for a plan. device and host are borrowed; they are one and the same where the device computes
 * in host memory. UNSUPPORTED, or RULE where a format cannot be had (a row that is no whole blocks: the
 * message names the module). */
AssayModel *assay_model_new (AssayModelFile *file, const AssayModelConfig *config, AssayDevice *device,
                             AssayDevice *host, const AssayModelOptions *options, GError **error);
void assay_model_free (AssayModel *self);
const AssayModelConfig *assay_model_get_config (AssayModel *self);
guint assay_model_get_n_units (AssayModel *self);
const AssayModelUnit *assay_model_get_unit (AssayModel *self, guint i);
/* Whether place() changes the format of some weights, so that there is a phase `convert`. */
gboolean assay_model_needs_conversion (AssayModel *self);
/* "Q4_K: ffn_down; Q5_0: attn_q attn_k …" where rows of some modules are no whole blocks of the format that was chosen for
 * all; NULL where none fell back. (transfer full) */
char *assay_model_dup_fallen_back (AssayModel *self);

/* Low-rank parts beside the linears it names; referenced. FORMAT or RULE when it does not fit this model. */
gboolean assay_model_attach (AssayModel *self, AssayAdapter *adapter, float scale, GError **error);

/* link: borrowed; NULL where device and host are the same. progress may be NULL. */
gboolean assay_model_place (AssayModel *self, const AssayAssembly *assembly, AssayLink *link,
                            void (*progress) (guint64 done, guint64 total, gpointer data), gpointer data,
                            GCancellable *cancellable, GError **error);
AssayPlacement *assay_model_get_placement (AssayModel *self); /* NULL before place() */
/* What place() is at, or was when it failed: "load", "convert" (weights change their format), "attach"
 * (adapters' parts), "cache". Static; "" before it. */
const char *assay_model_get_step (AssayModel *self);
/* Bytes of weights that are used, or wait, where the file is mapped. */
guint64 assay_model_get_mapped_bytes (AssayModel *self);

/* Activations, workspace and logits for passes of up to n_tokens tokens and n_logits rows; what is there
 * already and large enough stays, else it is freed first. Peaks of prompt and generate differ by this.
 * prompt() and decode() call it themselves. */
gboolean assay_model_reserve (AssayModel *self, guint n_tokens, guint n_logits, GError **error);

/* Runs tokens through the decoder at the sequence's position, chunk by chunk, and leaves the last one's
 * logits in the row of the sequence's number. CONTEXT when they do not fit. */
gboolean assay_model_prompt (AssayModel *self, guint sequence, const gint32 *tokens, guint n,
                             AssayUnitFunc unit, gpointer data, GError **error);
/* One token for each of n sequences, in one pass; logits row i is sequence sequences[i]'s. */
gboolean assay_model_decode (AssayModel *self, const guint *sequences, const gint32 *tokens, guint n,
                             AssayUnitFunc unit, gpointer data, GError **error);
/* [n_vocab], on the device; until the next pass */
const float *assay_model_get_logits (AssayModel *self, guint row);
guint assay_model_get_chunk (AssayModel *self);                     /* prompt tokens worked on at once */
guint assay_model_get_position (AssayModel *self, guint sequence);
void assay_model_reset (AssayModel *self, guint sequence);         /* position 0; nothing is freed */
/* OUTPUT on NaN */
gboolean assay_model_sample (AssayModel *self, guint row, const AssaySampling *sampling, gint32 *token,
                             GError **error);
const char *assay_model_get_attention_kernel (AssayModel *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayModel, assay_model_free)

G_END_DECLS
