/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-axes-implied.c: differences that a person could not have left alone.
 *
 * A difference that another one brings with it, or that cannot have had an effect, is reported but does not
 * count, or else no quantization could ever be compared (its content hash differs by nature). What is not
 * certain to follow counts: a false 'confounded' costs one more run, a false effect costs the finding. */
#include "assay-axes-private.h"

#define BIT(axis) ASSAY_AXES_BIT (ASSAY_AXIS_##axis)

/* Which differences bring this one with them. */
static guint64
axis_causes (AssayAxis axis)
{
  switch (axis)
    {
    /* Another model, or the same one quantized, is another file, and often in another container. */
    case ASSAY_AXIS_WEIGHT_FORMAT:
      return BIT (MODEL) | BIT (QUANTIZATION);
    case ASSAY_AXIS_MODEL_CONTENT:
      return BIT (MODEL) | BIT (WEIGHT_FORMAT);
    case ASSAY_AXIS_ATTACHED_CONTENT: /* other parts, not the same ones replaced */
      return BIT (ATTACHED_COMPONENTS);
    /* A product or attention kernel is chosen from the formats it multiplies, the shapes of the model and
     * what the device can do. Offload moves weights, it chooses no kernel: there a change is an axis of its
     * own. */
    case ASSAY_AXIS_KERNEL:
      return BIT (MODEL) | BIT (DTYPE) | BIT (QUANTIZATION) | BIT (KV_CACHE_TYPE) | BIT (V_CACHE_TYPE)
             | BIT (RUNTIME) | BIT (DEVICE) | BIT (RUNTIME_BUILD) | BIT (DEVICE_NAME);
    case ASSAY_AXIS_RUNTIME_BUILD:
      return BIT (RUNTIME);
    case ASSAY_AXIS_DRIVER:
    case ASSAY_AXIS_DEVICE_NAME:
      return BIT (DEVICE);
    /* The size of a group, and whether there is room to copy ahead, are chosen anew with the mode. */
    case ASSAY_AXIS_OFFLOAD_GRANULARITY:
    case ASSAY_AXIS_PREFETCH:
      return BIT (OFFLOAD_MODE);
    /* Never implied, though runtimes move it along with offload: noise from another generator is other noise,
     * so that the picture changes for a second reason. */
    case ASSAY_AXIS_GENERATOR_DEVICE:
    default:
      return 0;
    }
}

static gboolean
side_is_unquantized (const AssayAxesSide *side)
{
  const char *type = axes_side_get_text (side, ASSAY_FIELD_QUANTIZATION);
  return type == NULL || g_str_equal (type, "none");
}

/* Another format of the weights is another file, unless it was made while loading: then the file is the same
 * one, and other content in it means that somebody replaced it. */
static gboolean
content_follows_format (const AssayAxesMoves *moves, const AssayAxesSide *a, const AssayAxesSide *b)
{
  const char *path = axes_side_get_text (a, ASSAY_FIELD_MODEL_PATH);
  if (path != NULL && g_strcmp0 (path, axes_side_get_text (b, ASSAY_FIELD_MODEL_PATH)) == 0)
    return FALSE;
  return (moves->axes & BIT (QUANTIZATION))
         || ((moves->axes & BIT (DTYPE)) && moves->first[ASSAY_AXIS_DTYPE] == ASSAY_FIELD_DTYPE
             && side_is_unquantized (a) && side_is_unquantized (b));
}

/* Values took the type of the keys in both trials: one choice moved both. */
static gboolean
values_follow_keys (const AssayAxesSide *a, const AssayAxesSide *b)
{
  return g_strcmp0 (axes_side_get_text (a, ASSAY_FIELD_V_CACHE_TYPE),
                    axes_side_get_text (a, ASSAY_FIELD_KV_CACHE_TYPE))
             == 0
         && g_strcmp0 (axes_side_get_text (b, ASSAY_FIELD_V_CACHE_TYPE),
                       axes_side_get_text (b, ASSAY_FIELD_KV_CACHE_TYPE))
                == 0;
}

/* The list of calls grows by `attach` with a component and by `device_map` with a map: the choice is made
 * there. */
static gboolean
calls_follow (const AssayAxesMoves *moves, const AssayAxesSide *a, const AssayAxesSide *b)
{
  return moves->first[ASSAY_AXIS_OFFLOAD_MODE] == ASSAY_FIELD_OFFLOAD_API
         && axes_are_same (a, b, ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA)
         && (moves->axes & (BIT (ATTACHED_COMPONENTS) | BIT (DEVICE_MAP) | BIT (DEVICE) | BIT (RUNTIME)));
}

/* Weights that are converted, or that lie on another device, cannot be used from the file: nobody asked for
 * that. */
static gboolean
access_follows (const AssayAxesMoves *moves, const AssayAxesSide *a, const AssayAxesSide *b)
{
  if (a->record == NULL || b->record == NULL
      || !(moves->axes & (BIT (DEVICE) | BIT (QUANTIZATION) | BIT (DTYPE) | BIT (OFFLOAD_MODE))))
    return FALSE;
  const AssayAxesSide asked_a = { .values = assay_record_get_conditions (a->record) };
  const AssayAxesSide asked_b = { .values = assay_record_get_conditions (b->record) };
  return axes_are_same (&asked_a, &asked_b, ASSAY_FIELD_WEIGHT_ACCESS);
}

static gboolean
side_completed (const AssayAxesSide *side)
{
  return side->record != NULL && assay_record_get_status (side->record) == ASSAY_STATUS_COMPLETED;
}

static gboolean
side_has_other_mode_than_group (const AssayAxesSide *side)
{
  const char *mode = axes_side_get_text (side, ASSAY_FIELD_OFFLOAD_MODE);
  return mode != NULL && !g_str_equal (mode, "group");
}

/* A difference that no figure and no text of the two runs can stem from. */
static gboolean
axis_without_effect (AssayAxis axis, const AssayAxesMoves *moves, const AssayAxesSide *a,
                     const AssayAxesSide *b)
{
  switch (axis)
    {
    case ASSAY_AXIS_SEED: /* where the likeliest token is always taken, nothing is drawn */
      return axes_side_is_greedy (a) && axes_side_is_greedy (b);
    case ASSAY_AXIS_SAMPLING: /* fields come in order: max_tokens and temperature are equal when top_k is the
                                 first */
      return moves->first[axis] > ASSAY_FIELD_TEMPERATURE && axes_side_is_greedy (a)
             && axes_side_is_greedy (b);
    case ASSAY_AXIS_TIME_LIMIT: /* a limit that neither run met */
      return side_completed (a) && side_completed (b);
    case ASSAY_AXIS_OFFLOAD_GRANULARITY: /* groups exist under group offload only */
      return side_has_other_mode_than_group (a) && side_has_other_mode_than_group (b)
             && !(moves->axes & BIT (OFFLOAD_MODE));
    case ASSAY_AXIS_PREFETCH:
      return axes_side_streams_nothing (a) && axes_side_streams_nothing (b);
    default:
      return FALSE;
    }
}

gboolean
axes_is_implied (AssayAxis axis, const AssayAxesMoves *moves, const AssayAxesSide *a, const AssayAxesSide *b)
{
  if (moves->axes & axis_causes (axis))
    return TRUE;
  switch (axis)
    {
    case ASSAY_AXIS_MODEL_CONTENT:
      return content_follows_format (moves, a, b);
    case ASSAY_AXIS_V_CACHE_TYPE:
      return (moves->axes & BIT (KV_CACHE_TYPE)) && values_follow_keys (a, b);
    case ASSAY_AXIS_OFFLOAD_MODE:
      return calls_follow (moves, a, b);
    case ASSAY_AXIS_WEIGHT_ACCESS:
      return access_follows (moves, a, b);
    default:
      return axis_without_effect (axis, moves, a, b);
    }
}

/* Of what is implied on conditions, or left out of keys on conditions: more than may follow is fine, less is not. */
static guint64
axis_conditional_followers (AssayAxis axis)
{
  switch (axis)
    {
    case ASSAY_AXIS_QUANTIZATION:
    case ASSAY_AXIS_DTYPE:
      return BIT (MODEL_CONTENT) | BIT (WEIGHT_ACCESS);
    case ASSAY_AXIS_KV_CACHE_TYPE:
      return BIT (V_CACHE_TYPE);
    case ASSAY_AXIS_DEVICE:
      return BIT (OFFLOAD_MODE) | BIT (WEIGHT_ACCESS);
    case ASSAY_AXIS_RUNTIME:
    case ASSAY_AXIS_ATTACHED_COMPONENTS:
      return BIT (OFFLOAD_MODE);
    case ASSAY_AXIS_DEVICE_MAP:
      return BIT (OFFLOAD_MODE) | BIT (PREFETCH);
    case ASSAY_AXIS_OFFLOAD_MODE:
      return BIT (WEIGHT_ACCESS);
    case ASSAY_AXIS_SAMPLING:
      return BIT (SEED);
    default:
      return 0;
    }
}

guint64
axes_get_followers (AssayAxis moved)
{
  guint64 all = ASSAY_AXES_BIT (moved), before;
  do
    {
      before = all;
      for (AssayAxis axis = 0; axis < ASSAY_N_AXES; axis++)
        {
          if (all & ASSAY_AXES_BIT (axis))
            all |= axis_conditional_followers (axis);
          if (axis_causes (axis) & all)
            all |= ASSAY_AXES_BIT (axis);
        }
    }
  while (all != before);
  return all;
}
