/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/assay-model-private.h: what a family's graph fills in and computes with.
 *
 *   assay-model.c     life, sequences, passes
 *   model-weights.c   units and weights, declared by build()
 *   model-format.c    which format each weight is computed with
 *   model-place.c     weights laid out, converted and brought where they wait
 *   model-convert.c   one weight from the file into another format
 *   model-attach.c    adapters
 *   model-memory.c    KV cache, activations, workspace, logits
 *   graph-ops.c       the steps that families share
 *   decoder.c         the graph of every family */
#pragma once

#include "assay-model.h"
#include "assay-module-list.h"

G_BEGIN_DECLS

/* A low-rank part beside a linear: y += scale * b (a x). */
typedef struct { AssayTensor a, b; float scale; } AssayLowRank;

/* `data` of every tensor here is set when its unit is entered, and only valid until another one is. */
typedef struct
{
  AssayTensor w;
  AssayTensor bias;         /* F32 {n_out}; shape[0] 0: none */
  GArray *low_rank;         /* AssayLowRank, or NULL */
  guint unit;
} AssayLinear;

typedef struct
{
  AssayTensor w, bias;      /* F32 {n}; bias only of layer norms; shape[0] 0: there is none */
  guint unit;
} AssayNorm;

typedef struct
{
  AssayNorm attn_norm, ffn_norm, post_attn_norm, post_ffn_norm, q_norm, k_norm; /* those the family has */
  AssayLinear q, k, v, output, gate, up, down;
  const AssayRope *rope;    /* of this layer, NULL: none */
  guint window;             /* 0: none */
} AssayLayer;

/* One pass's intermediate tensors, parts of one buffer. */
typedef struct
{
  float *x;                 /* [n, n_embd]: the residual stream */
  float *h;                 /* [n, n_embd]: normed, and what a block adds */
  float *scratch;           /* the family's: q, k, v, attended; or gate, up */
  float *low_rank;          /* with adapters: [n, greatest rank], then [n, greatest output] */
} AssayActivations;

/* n neighbouring tokens of a pass that belong to one sequence, from position first on. */
typedef struct { guint sequence, n, first; } AssaySpan;

typedef struct
{
  const gint32 *tokens;
  guint n_tokens;
  const AssaySpan *spans;
  guint n_spans;
  guint n_logits;           /* 0: the head is not computed; else one row a span, of its last token */
  gboolean followed;        /* by another pass, at once */
} AssayPass;

typedef struct _AssayGraph AssayGraph;

struct _AssayGraph
{
  /* Declares every unit in the order of a pass; nothing is read. */
  gboolean (*build) (AssayModel *self, GError **error);
  guint64 (*scratch_floats) (const AssayModelConfig *config, guint n_tokens);
  gboolean (*forward) (AssayModel *self, const AssayPass *pass, GError **error);
};
extern const AssayGraph assay_decoder_graph;

/* A tensor of a unit: where its bytes come from, what they become, where they wait. */
typedef struct
{
  AssayModelFile *file;     /* borrowed */
  const AssayTensorInfo *info;
  guint64 first_row, n_rows; /* of the file's matrix; a vector is one row */
  gint64 n;                 /* elements of a row */
  guint unit;
  gboolean vector;
  AssayDtype dtype;         /* as computed with */
  guint64 bytes;            /* in that format */
  guint turn_dim;           /* rows of heads of so many are reordered for rotation; 0: no */
  gboolean turn_adjacent;   /* into neighbouring pairs; else out of them */

  AssayTensor *tensor;      /* whose data is set; NULL: a low-rank part's */
  AssayLinear *linear;      /* of a low-rank part */
  guint part;
  gboolean is_b;

  /* place() */
  gint twin;                /* an earlier weight with the same bytes; -1: none */
  gboolean mapped;          /* used, or copied, from where the file is mapped */
  guint64 offset;           /* in its unit's part of a block, or among the adapters' parts */
  void *memory; /* where it waits: host memory of a streamed one, device memory of a resident one */
} AssayWeight;

/* The rows of a matrix that one linear takes. */
typedef struct { AssayLinear *linear; guint64 first_row; } AssayLinearRows;

struct _AssayModel
{
  AssayModelFile *file;
  AssayModelConfig config;
  AssayDevice *device, *host; /* borrowed; one and the same where the device computes in host memory */
  const AssayGraph *graph;
  guint context, n_sequences, chunk;
  AssayDtype k_dtype, v_dtype;
  AssayWeightFormat format;
  AssayModuleList *modules; /* of format.modules; NULL: the customary choice */
  gboolean read_weights;

  GArray *units;            /* AssayModelUnit, in the order of a pass */
  GArray *weights;          /* AssayWeight, by unit once placed */
  GPtrArray *linears;       /* AssayLinear, borrowed: every product of a pass */
  GHashTable *names;        /* "blk.3.attn_q" → GArray of AssayLinearRows */
  GPtrArray *adapters;      /* AssayAdapter */
  GError *build_error;      /* the first; the calls of build() that declare cannot fail */

  AssayLinear embedding, positions, head;
  AssayLayer *layers;
  AssayNorm output_norm;
  AssayRope ropes[2];       /* global, local */
  const char *step;         /* of place(): load, convert, attach */
  guint64 mapped_bytes;

  AssayPlacement *placement; /* NULL before place() */
  AssayLink *link;          /* borrowed; NULL: none is needed */
  GPtrArray *buffers;       /* AssayBuffer: weights, on either side */
  AssayBuffer *window, *kv, *activations, *workspace, *logits;
  AssayActivations a;
  guint n_reserved, n_logits_reserved; /* tokens and rows that memory is there for */
  guint first_logit;        /* row of logits that this pass begins with */

  guint *position;          /* [n_sequences] */
  guint current_unit;       /* during a pass */
  AssayUnitFunc unit_func;
  gpointer unit_data;
};

/* --- for build(): names are canonical (GGUF's); tensors were checked when the config was read --- */
/* of the component "embedding" */
void assay_model_add_embedding (AssayModel *self, const char *module, AssayLinear *out);
/* "blk.GROUP.MODULE.weight", and ".bias" where the file has it; group -1: "MODULE.weight" */
void assay_model_add_linear (AssayModel *self, const char *component, gint group, const char *module,
                             AssayLinear *out);
/* Rows [first, first + n_rows) of a fused matrix and its bias; neighbouring calls for one matrix make one
 * unit. `as`: the module's own name, for adapters and `quantized_modules` ("attn_q" of "attn_qkv"). */
void assay_model_add_linear_part (AssayModel *self, const char *component, gint group, const char *module,
                                  const char *as, guint64 first, guint64 n_rows, AssayLinear *out);
void assay_model_add_norm (AssayModel *self, const char *component, gint group, const char *module,
                           AssayNorm *out);

/* --- for forward() --- */
/* Before each unit: cancels, waits for the unit's weights, starts the next block's copy. */
gboolean assay_model_enter (AssayModel *self, guint unit, GError **error);
/* The layer's cache of one sequence. */
void assay_model_get_cache (AssayModel *self, guint layer, guint sequence, AssayTensor *k, AssayTensor *v);
float *assay_model_get_logit_rows (AssayModel *self);

/* --- graph-ops.c: each enters its unit --- */
gboolean assay_graph_embed (AssayModel *self, float *y, const AssayLinear *table, const gint32 *ids, guint n,
                            float scale, GError **error);
gboolean assay_graph_linear (AssayModel *self, float *y, const AssayLinear *linear, const float *x, guint n,
                             GError **error);
/* rms norm, or layer norm where it has a bias; y may be x */
gboolean assay_graph_norm (AssayModel *self, float *y, const AssayNorm *norm, const float *x, guint n_rows,
                           guint n, GError **error);
/* q and k are turned, k and v stored, y = attention (q); for every span of the pass. scale: of the scores */
gboolean assay_graph_attend (AssayModel *self, const AssayPass *pass, guint layer, float *y, float *q,
                             float *k, const float *v, float scale, float soft_cap, GError **error);
/* The last row of every span, gathered: y [n_spans, n_embd], apart from x */
gboolean assay_graph_take_last (AssayModel *self, const AssayPass *pass, float *y, const float *x,
                                GError **error);
/* Of the greatest product, attention or draw. */
guint64 assay_graph_workspace_bytes (AssayModel *self, guint n_tokens);

/* Runs one kernel; names itself in the error. Needs `self`, `b`, `error`. */
#define ASSAY_TRY(op, ...) \
  G_STMT_START { \
    const AssayStatus status_ = b->ops->op (b, __VA_ARGS__); \
    if (G_UNLIKELY (status_ != ASSAY_OK)) \
      return assay_device_check (self->device, status_, #op, error); \
  } G_STMT_END

/* --- between the model's own files --- */

/* model-weights.c */
void assay_model_init_weights (AssayModel *self);
void assay_model_clear_weights (AssayModel *self);
AssayTensor assay_weight_get_tensor (const AssayWeight *weight); /* in its format, without data */
AssayTensor *assay_weight_get_target (const AssayWeight *weight);
void assay_model_set_unit_bytes (AssayModel *self);
AssayWeight *assay_model_get_weight (AssayModel *self, guint i);

/* model-format.c */
void assay_format_init (AssayModel *self, const AssayWeightFormat *format);
gboolean assay_format_check (AssayModel *self, GError **error); /* once all units are declared */
/* What a matrix becomes. module: its own name within the unit. */
AssayDtype assay_format_choose (AssayModel *self, const AssayModelUnit *unit, const char *module,
                                const AssayTensorInfo *stored);
gboolean assay_weight_is_changed (const AssayWeight *weight); /* it is not what the file has */
/* Its bytes lie somewhere in the file as they are computed with. */
gboolean assay_weight_is_in_file (const AssayWeight *weight);

/* model-place.c. A failed placing is undone by unplace. */
gboolean assay_model_place_weights (AssayModel *self, const AssayAssembly *assembly, AssayLink *link,
                                    void (*progress) (guint64 done, guint64 total, gpointer data),
                                    gpointer data, GCancellable *cancellable, GError **error);
void assay_model_unplace_weights (AssayModel *self);

/* model-memory.c */
gboolean assay_model_check_cache (AssayModel *self, GError **error);
gboolean assay_model_allocate_cache (AssayModel *self, GError **error);
void assay_model_free_memory (AssayModel *self);

G_END_DECLS
