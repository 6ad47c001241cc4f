/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-advice-held.c: what stays as it was while one axis moves, and what to check it against. */
#include "assay-advice-private.h"

static void
held_add_set (GStrvBuilder *held, AssayRecord *record, const AssayFieldId *fields, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (assay_values_get_state (assay_record_get_values_for (record, fields[i]), fields[i])
        == ASSAY_VALUE_SET)
      g_strv_builder_add (held, assay_field_get_info (fields[i])->name);
}

static void
held_add_input (GStrvBuilder *held, AssayRecord *record)
{
  static const AssayFieldId fields[] = {
    ASSAY_FIELD_PROMPT,           ASSAY_FIELD_QUESTION_SET,     ASSAY_FIELD_SYSTEM_PROMPT,
    ASSAY_FIELD_REFERENCE_INPUTS, ASSAY_FIELD_CONDITION_INPUTS, ASSAY_FIELD_PROMPT_STRUCTURE,
    ASSAY_FIELD_INPUT_SIZE,       ASSAY_FIELD_CONTEXT_LENGTH,   ASSAY_FIELD_WIDTH,
    ASSAY_FIELD_HEIGHT,           ASSAY_FIELD_BATCH_SIZE,
  };
  held_add_set (held, record, fields, G_N_ELEMENTS (fields));
}

/* Nothing is wrong, so everything that could explain a difference stays as it was. */
static void
held_add_everything (GStrvBuilder *held, AssayRecord *record)
{
  static const AssayFieldId fields[] = {
    ASSAY_FIELD_MODEL_ID,     ASSAY_FIELD_QUANTIZATION,        ASSAY_FIELD_DTYPE,
    ASSAY_FIELD_COMPUTE_DTYPE, ASSAY_FIELD_RUNTIME,            ASSAY_FIELD_DEVICE,
    ASSAY_FIELD_VRAM_BUDGET,  ASSAY_FIELD_RAM_BUDGET,          ASSAY_FIELD_LINK_BANDWIDTH,
    ASSAY_FIELD_OFFLOAD_MODE, ASSAY_FIELD_OFFLOAD_GRANULARITY, ASSAY_FIELD_PREFETCH,
    ASSAY_FIELD_DEVICE_MAP,   ASSAY_FIELD_ATTACHED_COMPONENTS, ASSAY_FIELD_WEIGHT_ACCESS,
    ASSAY_FIELD_THREADS,      ASSAY_FIELD_KV_CACHE_TYPE,       ASSAY_FIELD_V_CACHE_TYPE,
    ASSAY_FIELD_STEPS,        ASSAY_FIELD_MAX_TOKENS,          ASSAY_FIELD_TEMPERATURE,
    ASSAY_FIELD_SEED,
  };
  held_add_set (held, record, fields, G_N_ELEMENTS (fields));
  held_add_input (held, record);
  g_strv_builder_add (held, assay_axis_get_name (ASSAY_AXIS_EVALUATION_CRITERION));
}

static char **
advice_dup_held (AssaySignal signal, AssayRecord *record)
{
  static const AssayFieldId devices[]
      = { ASSAY_FIELD_DEVICE, ASSAY_FIELD_DEVICE_NAME, ASSAY_FIELD_VRAM_BUDGET, ASSAY_FIELD_RAM_BUDGET,
          ASSAY_FIELD_LINK_BANDWIDTH, ASSAY_FIELD_LINK_LATENCY_SECONDS };
  static const AssayFieldId placement[]
      = { ASSAY_FIELD_DEVICE,       ASSAY_FIELD_VRAM_BUDGET,         ASSAY_FIELD_RAM_BUDGET,
          ASSAY_FIELD_OFFLOAD_MODE, ASSAY_FIELD_OFFLOAD_GRANULARITY, ASSAY_FIELD_PREFETCH,
          ASSAY_FIELD_DEVICE_MAP,   ASSAY_FIELD_ATTACHED_COMPONENTS, ASSAY_FIELD_QUANTIZATION };
  const char *criterion = assay_axis_get_name (ASSAY_AXIS_EVALUATION_CRITERION);
  g_autoptr(GStrvBuilder) held = g_strv_builder_new ();
  if (signal == ASSAY_SIGNAL_OOM_DEVICE)
    g_strv_builder_add_many (held, "model_id", criterion, "elapsed_seconds", NULL);
  else if (signal == ASSAY_SIGNAL_OOM_HOST)
    {
      g_strv_builder_add (held, "model_id");
      held_add_input (held, record);
      g_strv_builder_add (held, criterion);
    }
  else if (signal == ASSAY_SIGNAL_TOO_SLOW)
    {
      g_strv_builder_add (held, "quality_note");
      held_add_set (held, record, devices, G_N_ELEMENTS (devices));
      held_add_input (held, record);
    }
  else if (signal == ASSAY_SIGNAL_QUALITY_MISS)
    {
      held_add_set (held, record, placement, G_N_ELEMENTS (placement));
      g_strv_builder_add (held, "status");
    }
  else if (assay_record_get_status (record) == ASSAY_STATUS_COMPLETED)
    held_add_everything (held, record);
  return g_strv_builder_end (held);
}

static gboolean
advice_moves (const AssayAdvice *self, const char *name)
{
  for (guint i = 0; i < self->candidates->len; i++)
    if (((const AssayCandidate *) g_ptr_array_index (self->candidates, i))->axis == assay_axis_from_name (name))
      return TRUE;
  return FALSE;
}

static char **
advice_dup_held_always (const AssayAdvice *self)
{
  g_autoptr(GStrvBuilder) held = g_strv_builder_new ();
  for (char **name = self->held_with_candidates; *name != NULL; name++)
    if (!advice_moves (self, *name))
      g_strv_builder_add (held, *name);
  return g_strv_builder_end (held);
}

void
advice_hold (AssayAdvice *self, AssayRecord *record)
{
  self->held_with_candidates = advice_dup_held (self->signal, record);
  self->held = advice_dup_held_always (self);
}

void
advice_hold_again (AssayAdvice *self)
{
  g_strfreev (self->held);
  self->held = advice_dup_held_always (self);
}
