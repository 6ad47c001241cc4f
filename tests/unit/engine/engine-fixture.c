/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine-fixture.h"

#include <math.h>

static char *data_home;

void
engine_fixture_init (int *argc, char ***argv)
{
  data_home = g_strdup (g_get_user_data_dir ());
  g_test_init (argc, argv, NULL);
}

char *
engine_fixture_dup_path (const char *area, const char *name)
{
  return g_build_filename (g_getenv ("ASSAY_TEST_DATA"), area, name, NULL);
}

JsonNode *
engine_fixture_load_json (const char *area, const char *name)
{
  g_autofree char *path = engine_fixture_dup_path (area, name);
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GError) error = NULL;
  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  return json_parser_steal_root (parser);
}

double
engine_fixture_relative_error (const float *ours, JsonArray *theirs, JsonArray *subset)
{
  double difference = 0, norm = 0;
  for (guint i = 0; i < json_array_get_length (theirs); i++)
    {
      const guint at = subset != NULL ? (guint) json_array_get_int_element (subset, i) : i;
      const double expected = json_array_get_double_element (theirs, i);
      difference += (ours[at] - expected) * (ours[at] - expected);
      norm += expected * expected;
    }
  return sqrt (difference / norm);
}

GArray *
engine_fixture_dup_ids (JsonArray *ids)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (gint32));
  for (guint i = 0; i < json_array_get_length (ids); i++)
    {
      const gint32 id = (gint32) json_array_get_int_element (ids, i);
      g_array_append_val (out, id);
    }
  return out;
}

char *
engine_fixture_dup_default_model (void)
{
  const char *chosen = g_getenv ("ASSAY_DEFAULT_MODEL");
  g_autofree char *path = chosen != NULL ? g_strdup (chosen)
                                         : g_build_filename (data_home, "assay", "models",
                                                             "SmolLM2-135M-Instruct.Q4_1.gguf", NULL);
  if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return g_steal_pointer (&path);
  g_autofree char *reason = g_strdup_printf ("the default model is not at %s", path);
  g_test_skip (reason);
  return NULL;
}

/* --- a backend that fails --- */

typedef struct
{
  AssayBackend base;
  AssayBackend *real;
  FaultPlan *plan;
  AssayKernels ops;
} FaultBackend;

#define REAL(b) (((FaultBackend *) (b))->real)

static gboolean
fault_is_due (AssayBackend *b)
{
  FaultPlan *plan = ((FaultBackend *) b)->plan;
  if (++plan->n_calls == plan->hook_at)
    plan->hook (plan->hook_data);
  if (plan->n_calls != plan->fail_at)
    return FALSE;
  plan->failed = TRUE;
  g_snprintf (b->fault, sizeof b->fault, "planted at call %u", plan->n_calls);
  return TRUE;
}

static AssayStatus
fault_pass (AssayBackend *b, AssayStatus status)
{
  if (status != ASSAY_OK)
    g_strlcpy (b->fault, REAL (b)->fault, sizeof b->fault);
  return status;
}

/* Each operation of the table: either the planted failure or the real backend's answer. */
#define WRAP(op, parameters, arguments) \
  static AssayStatus fault_##op parameters \
  { \
    if (fault_is_due (b)) \
      return ((FaultBackend *) b)->plan->failure; \
    return fault_pass (b, REAL (b)->ops->op arguments); \
  }

WRAP (embed, (AssayBackend *b, float *y, const AssayTensor *table, const int32_t *ids, size_t n, float scale),
      (REAL (b), y, table, ids, n, scale))
WRAP (rmsnorm, (AssayBackend *b, float *y, const float *x, const float *w, size_t rows, size_t n, float eps),
      (REAL (b), y, x, w, rows, n, eps))
WRAP (rope, (AssayBackend *b, float *x, const AssayRope *rope, size_t n, size_t heads, size_t dim, uint32_t first),
      (REAL (b), x, rope, n, heads, dim, first))
WRAP (matmul, (AssayBackend *b, float *y, const AssayTensor *w, const float *x, size_t n, const float *bias, void *workspace),
      (REAL (b), y, w, x, n, bias, workspace))
WRAP (kv_store, (AssayBackend *b, const AssayTensor *cache, const float *x, size_t n, uint32_t first),
      (REAL (b), cache, x, n, first))
WRAP (attention, (AssayBackend *b, float *y, const float *q, const AssayAttention *a, void *workspace),
      (REAL (b), y, q, a, workspace))
WRAP (gated, (AssayBackend *b, float *y, const float *gate, const float *up, size_t n, AssayActivation activation),
      (REAL (b), y, gate, up, n, activation))
WRAP (activate, (AssayBackend *b, float *y, const float *x, size_t n, AssayActivation activation),
      (REAL (b), y, x, n, activation))
WRAP (add, (AssayBackend *b, float *y, const float *x, size_t n, float scale), (REAL (b), y, x, n, scale))
WRAP (dequantize, (AssayBackend *b, float *y, const AssayTensor *w, size_t first, size_t n), (REAL (b), y, w, first, n))
WRAP (quantize, (AssayBackend *b, const AssayTensor *w, const float *x, size_t first, size_t n, void *scratch),
      (REAL (b), w, x, first, n, scratch))
WRAP (quantize_finish, (AssayBackend *b, const AssayTensor *w, void *scratch), (REAL (b), w, scratch))
WRAP (sync, (AssayBackend *b), (REAL (b)))

/* Counted apart: a link's thread copies while the engine's computes. */
static AssayStatus
fault_upload (AssayBackend *b, void *device, const void *host, size_t bytes)
{
  FaultPlan *plan = ((FaultBackend *) b)->plan;
  if (g_atomic_int_add (&plan->n_uploads, 1) + 1 != plan->upload_fail_at)
    return fault_pass (b, REAL (b)->ops->upload (REAL (b), device, host, bytes));
  plan->failed = TRUE;
  g_snprintf (b->fault, sizeof b->fault, "planted at upload %d", plan->upload_fail_at);
  return ASSAY_DEVICE_FAULT;
}

static AssayStatus
fault_sample (AssayBackend *b, int32_t *token, const float *logits, size_t n, const AssaySampling *s,
              void *workspace)
{
  FaultPlan *plan = ((FaultBackend *) b)->plan;
  if (fault_is_due (b))
    return plan->failure;
  plan->n_samples++;
  if (plan->poison_logits)
    ((float *) logits)[n / 2] = NAN;
  if (plan->forced_token > 0 && (plan->n_forced == 0 || plan->n_samples <= plan->n_forced))
    {
      *token = plan->forced_token;
      return ASSAY_OK;
    }
  return fault_pass (b, REAL (b)->ops->sample (REAL (b), token, logits, n, s, workspace));
}

static size_t
fault_matmul_workspace (AssayBackend *b, const AssayTensor *w, size_t n)
{
  return REAL (b)->ops->matmul_workspace (REAL (b), w, n);
}

static size_t
fault_attention_workspace (AssayBackend *b, const AssayAttention *a)
{
  return REAL (b)->ops->attention_workspace (REAL (b), a);
}

static size_t
fault_quantize_scratch (AssayBackend *b, const AssayTensor *w)
{
  return REAL (b)->ops->quantize_scratch (REAL (b), w);
}

static size_t
fault_sample_workspace (AssayBackend *b, size_t n)
{
  return REAL (b)->ops->sample_workspace (REAL (b), n);
}

static AssayStatus
fault_alloc (AssayBackend *b, size_t bytes, void **out)
{
  FaultPlan *plan = ((FaultBackend *) b)->plan;
  if (fault_is_due (b))
    return ASSAY_NO_MEMORY;
  const AssayStatus status = REAL (b)->ops->alloc (REAL (b), bytes, out);
  if (status == ASSAY_OK)
    {
      plan->bytes_held += (gint64) bytes;
      plan->n_blocks++;
    }
  return fault_pass (b, status);
}

static void
fault_free (AssayBackend *b, void *memory, size_t bytes)
{
  FaultPlan *plan = ((FaultBackend *) b)->plan;
  if (memory != NULL)
    {
      plan->bytes_held -= (gint64) MAX (bytes, 1);
      plan->n_blocks--;
    }
  REAL (b)->ops->free (REAL (b), memory, bytes);
}

static void
fault_destroy (AssayBackend *b)
{
  REAL (b)->ops->destroy (REAL (b));
  g_free (b);
}

AssayBackend *
engine_fixture_backend_new (FaultPlan *plan, gboolean exact)
{
  const AssayCpuOptions options = { .n_threads = 1, .isa = ASSAY_CPU_SCALAR, .compute = exact ? ASSAY_COMPUTE_F32 : ASSAY_COMPUTE_INT8 };
  FaultBackend *self = g_new0 (FaultBackend, 1);
  self->real = assay_cpu_backend_new (&options);
  g_assert_nonnull (self->real);
  self->plan = plan;
  self->ops = *self->real->ops; /* what the engine does not use stays the real one's, and is never called */
  self->ops.name = "faulty";
  self->ops.destroy = fault_destroy;
  self->ops.alloc = fault_alloc;
  self->ops.free = fault_free;
  self->ops.upload = fault_upload;
  self->ops.embed = fault_embed;
  self->ops.rmsnorm = fault_rmsnorm;
  self->ops.rope = fault_rope;
  self->ops.matmul = fault_matmul;
  self->ops.matmul_workspace = fault_matmul_workspace;
  self->ops.kv_store = fault_kv_store;
  self->ops.attention = fault_attention;
  self->ops.attention_workspace = fault_attention_workspace;
  self->ops.gated = fault_gated;
  self->ops.activate = fault_activate;
  self->ops.add = fault_add;
  self->ops.sample = fault_sample;
  self->ops.sample_workspace = fault_sample_workspace;
  self->ops.dequantize = fault_dequantize;
  self->ops.quantize = fault_quantize;
  self->ops.quantize_finish = fault_quantize_finish;
  self->ops.quantize_scratch = fault_quantize_scratch;
  self->ops.sync = fault_sync;
  self->base.ops = &self->ops;
  return &self->base;
}
