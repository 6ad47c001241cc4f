/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-axes.c: what differs between two trials, as axes.
 *
 * Two passes. The first marks every axis of which a field differs. The second decides which of them a person
 * could have left alone: a difference that another one brings with it, or that cannot have had an effect, is
 * reported but does not count, or else no quantization could ever be compared (its content hash differs by
 * nature). What is not certain to follow counts: a false 'confounded' costs one more run, a false effect
 * costs the finding.
 *
 * The operation gate looks for the repeats of a run among thousands, so the passes allocate nothing, and a
 * sealed record keeps a hash of its conditions that tells most pairs apart at once. */
#include "assay-axes.h"

#include <string.h>

#include <glib/gi18n-lib.h>

G_STATIC_ASSERT (ASSAY_N_AXES <= 64); /* sets of axes are bits */

#define BIT(axis) (G_GUINT64_CONSTANT (1) << ASSAY_AXIS_##axis)
#define SHOWN_CHARS 40

typedef struct
{
  AssayRecord *record;       /* or NULL: only requested conditions are known */
  const AssayValues *values;
} Side;

typedef struct
{
  guint64 axes;                       /* those that moved */
  AssayFieldId first[ASSAY_N_AXES];   /* the first field of each that differs */
} Moves;

static const AssayValues *
side_values (const Side *side, AssayFieldId field)
{
  return side->record != NULL ? assay_record_get_values_for (side->record, field) : side->values;
}

static gboolean
axes_same_value (const AssayValues *a, const AssayValues *b, AssayFieldId field)
{
  const gboolean a_set = assay_values_get_state (a, field) == ASSAY_VALUE_SET;
  const gboolean b_set = assay_values_get_state (b, field) == ASSAY_VALUE_SET;
  if (!a_set || !b_set)
    return a_set == b_set;
  gint64 i = 0, j = 0;
  double x = 0, y = 0;
  gboolean p = FALSE, q = FALSE;
  switch (assay_field_get_info (field)->type)
    {
    case ASSAY_VALUE_TYPE_INTEGER:
      return assay_values_get_integer (a, field, &i) && assay_values_get_integer (b, field, &j) && i == j;
    case ASSAY_VALUE_TYPE_REAL:
      return assay_values_get_real (a, field, &x) && assay_values_get_real (b, field, &y) && x == y;
    case ASSAY_VALUE_TYPE_BOOLEAN:
      return assay_values_get_boolean (a, field, &p) && assay_values_get_boolean (b, field, &q) && !p == !q;
    case ASSAY_VALUE_TYPE_TEXT:
    case ASSAY_VALUE_TYPE_CHOICE:
    default:
      return g_strcmp0 (assay_values_get_text (a, field), assay_values_get_text (b, field)) == 0;
    }
}

static void
moves_find (Moves *moves, const Side *a, const Side *b)
{
  moves->axes = 0;
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      const AssayFieldInfo *info = assay_field_get_info (field);
      if (info->group != ASSAY_GROUP_CONDITIONS || info->axis == ASSAY_AXIS_NONE)
        continue;
      if (moves->axes & (G_GUINT64_CONSTANT (1) << info->axis))
        continue;
      if (axes_same_value (side_values (a, field), side_values (b, field), field))
        continue;
      moves->axes |= G_GUINT64_CONSTANT (1) << info->axis;
      moves->first[info->axis] = field;
    }
}

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
      return BIT (MODEL) | BIT (QUANTIZATION) | BIT (WEIGHT_FORMAT);
    /* A product or attention kernel is chosen from the formats it multiplies, the shapes of the model and
     * what the device can do. Offload moves weights, it chooses no kernel: there a change is an axis of its
     * own. */
    case ASSAY_AXIS_KERNEL:
      return BIT (MODEL) | BIT (DTYPE) | BIT (QUANTIZATION) | BIT (KV_CACHE_TYPE) | BIT (RUNTIME)
             | BIT (DEVICE) | BIT (RUNTIME_BUILD) | BIT (DEVICE_NAME);
    case ASSAY_AXIS_RUNTIME_BUILD:
      return BIT (RUNTIME);
    case ASSAY_AXIS_DRIVER:
    case ASSAY_AXIS_DEVICE_NAME:
      return BIT (DEVICE);
    /* The size of a group is chosen anew with the mode. */
    case ASSAY_AXIS_OFFLOAD_GRANULARITY:
      return BIT (OFFLOAD_MODE);
    /* Never implied, though runtimes move it along with offload: noise from another generator is other noise,
     * so that the picture changes for a second reason. */
    case ASSAY_AXIS_GENERATOR_DEVICE:
    default:
      return 0;
    }
}

static gboolean
both_hold (const Side *a, const Side *b, AssayFieldId field, const char *text)
{
  return g_strcmp0 (assay_values_get_text (side_values (a, field), field), text) == 0
         && g_strcmp0 (assay_values_get_text (side_values (b, field), field), text) == 0;
}

static gboolean
side_is_greedy (const Side *side)
{
  double temperature = 1;
  return assay_values_get_real (side_values (side, ASSAY_FIELD_TEMPERATURE), ASSAY_FIELD_TEMPERATURE,
                                &temperature)
         && temperature == 0;
}

static gboolean
side_is_unquantized (const Side *side)
{
  const char *type
      = assay_values_get_text (side_values (side, ASSAY_FIELD_QUANTIZATION), ASSAY_FIELD_QUANTIZATION);
  return type == NULL || g_str_equal (type, "none");
}

static gboolean
side_completed (const Side *side)
{
  return side->record != NULL && assay_record_get_status (side->record) == ASSAY_STATUS_COMPLETED;
}

/* A difference that no figure and no text of the two runs can stem from. */
static gboolean
axis_without_effect (AssayAxis axis, const Moves *moves, const Side *a, const Side *b)
{
  const char *mode;
  switch (axis)
    {
    case ASSAY_AXIS_SEED: /* where the likeliest token is always taken, nothing is drawn */
      return side_is_greedy (a) && side_is_greedy (b);
    case ASSAY_AXIS_SAMPLING: /* fields come in order: max_tokens and temperature are equal when top_k is the
                                 first */
      return moves->first[axis] > ASSAY_FIELD_TEMPERATURE && side_is_greedy (a) && side_is_greedy (b);
    case ASSAY_AXIS_TIME_LIMIT: /* a limit that neither run met */
      return side_completed (a) && side_completed (b);
    case ASSAY_AXIS_OFFLOAD_GRANULARITY: /* groups exist under group offload only */
      mode = assay_values_get_text (side_values (a, ASSAY_FIELD_OFFLOAD_MODE), ASSAY_FIELD_OFFLOAD_MODE);
      return mode != NULL && !g_str_equal (mode, "group") && both_hold (a, b, ASSAY_FIELD_OFFLOAD_MODE, mode);
    default:
      return FALSE;
    }
}

static gboolean
axis_is_implied (AssayAxis axis, const Moves *moves, const Side *a, const Side *b)
{
  if (moves->axes & axis_causes (axis))
    return TRUE;
  /* The dtype of weights that are not quantized is how they are stored: another one is another file. */
  if (axis == ASSAY_AXIS_MODEL_CONTENT && (moves->axes & BIT (DTYPE)))
    return side_is_unquantized (a) && side_is_unquantized (b);
  return axis_without_effect (axis, moves, a, b);
}

void
assay_difference_free (AssayDifference *self)
{
  if (self == NULL)
    return;
  g_free (self->from);
  g_free (self->to);
  g_free (self);
}

static AssayDifference *
difference_new (AssayAxis axis, const Moves *moves, const Side *a, const Side *b)
{
  AssayDifference *difference = g_new0 (AssayDifference, 1);
  const AssayFieldId field = moves->first[axis];
  difference->axis = axis;
  difference->field = field;
  difference->from = assay_values_dup_text (side_values (a, field), field);
  difference->to = assay_values_dup_text (side_values (b, field), field);
  difference->implied = axis_is_implied (axis, moves, a, b);
  return difference;
}

static GPtrArray *
axes_diff (const Side *a, const Side *b, gboolean with_hidden)
{
  GPtrArray *differences = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_difference_free);
  Moves moves;
  moves_find (&moves, a, b);
  for (int hidden = 0; hidden <= (with_hidden ? 1 : 0); hidden++)
    for (AssayAxis axis = 0; axis < ASSAY_N_AXES; axis++)
      if ((moves.axes & (G_GUINT64_CONSTANT (1) << axis)) && !assay_axis_is_hidden (axis) == !hidden)
        g_ptr_array_add (differences, difference_new (axis, &moves, a, b));
  return differences;
}

GPtrArray *
assay_axes_diff (AssayRecord *a, AssayRecord *b)
{
  g_return_val_if_fail (ASSAY_IS_RECORD (a) && ASSAY_IS_RECORD (b), NULL);
  return axes_diff (&(Side){ .record = a }, &(Side){ .record = b }, TRUE);
}

GPtrArray *
assay_axes_diff_conditions (const AssayValues *a, const AssayValues *b)
{
  g_return_val_if_fail (a != NULL && b != NULL, NULL);
  return axes_diff (&(Side){ .values = a }, &(Side){ .values = b }, FALSE);
}

/* Repeats have equal keys: the hash leaves out what axis_without_effect() may let pass. */

static G_DEFINE_QUARK (assay-axes-key, axes_key)

static guint64
key_add (guint64 key, gconstpointer data, gsize length)
{
  for (const guint8 *p = data, *end = p + length; p < end; p++) /* FNV-1a */
    key = (key ^ *p) * G_GUINT64_CONSTANT (1099511628211);
  return key;
}

static guint64
key_add_value (guint64 key, const AssayValues *values, AssayFieldId field)
{
  gint64 integer;
  double real;
  gboolean boolean;
  const char *text;
  key = key_add (key, &field, sizeof field);
  switch (assay_field_get_info (field)->type)
    {
    case ASSAY_VALUE_TYPE_INTEGER:
      return assay_values_get_integer (values, field, &integer) ? key_add (key, &integer, sizeof integer)
                                                                : key;
    case ASSAY_VALUE_TYPE_REAL:
      if (!assay_values_get_real (values, field, &real))
        return key;
      real = real == 0 ? 0 : real; /* −0 equals 0 */
      return key_add (key, &real, sizeof real);
    case ASSAY_VALUE_TYPE_BOOLEAN:
      if (!assay_values_get_boolean (values, field, &boolean))
        return key;
      return key_add (key, boolean ? "1" : "0", 1);
    case ASSAY_VALUE_TYPE_TEXT:
    case ASSAY_VALUE_TYPE_CHOICE:
    default:
      text = assay_values_get_text (values, field);
      return text != NULL ? key_add (key, text, strlen (text) + 1) : key;
    }
}

static gboolean
key_leaves_out (const Side *side, AssayFieldId field)
{
  const char *mode;
  switch (field)
    {
    case ASSAY_FIELD_SEED:
    case ASSAY_FIELD_TOP_K:
    case ASSAY_FIELD_TOP_P:
      return side_is_greedy (side);
    case ASSAY_FIELD_OFFLOAD_GRANULARITY:
      mode = assay_values_get_text (side_values (side, ASSAY_FIELD_OFFLOAD_MODE), ASSAY_FIELD_OFFLOAD_MODE);
      return mode != NULL && !g_str_equal (mode, "group");
    case ASSAY_FIELD_TIME_LIMIT_SECONDS:
      return TRUE;
    default:
      return FALSE;
    }
}

static guint64
record_get_key (AssayRecord *record)
{
  const GQuark quark = axes_key_quark ();
  const guint64 *kept = g_object_get_qdata (G_OBJECT (record), quark);
  if (kept != NULL)
    return *kept;
  const Side side = { .record = record };
  guint64 key = G_GUINT64_CONSTANT (14695981039346656037);
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      const AssayFieldInfo *info = assay_field_get_info (field);
      if (info->group == ASSAY_GROUP_CONDITIONS && info->axis != ASSAY_AXIS_NONE
          && !key_leaves_out (&side, field))
        key = key_add_value (key, side_values (&side, field), field);
    }
  if (assay_record_is_sealed (record))
    {
      /* Two threads may come here at once: the first one's copy stays, and nobody's is freed under a reader.
       */
      guint64 *copy = g_memdup2 (&key, sizeof key);
      if (!g_object_replace_qdata (G_OBJECT (record), quark, NULL, copy, g_free, NULL))
        g_free (copy);
    }
  return key;
}

gboolean
assay_axes_is_repeat (AssayRecord *a, AssayRecord *b)
{
  g_return_val_if_fail (ASSAY_IS_RECORD (a) && ASSAY_IS_RECORD (b), FALSE);
  if (a == b)
    return TRUE;
  if (record_get_key (a) != record_get_key (b))
    return FALSE;
  const Side left = { .record = a }, right = { .record = b };
  Moves moves;
  moves_find (&moves, &left, &right);
  for (AssayAxis axis = 0; axis < ASSAY_N_AXES; axis++)
    if ((moves.axes & (G_GUINT64_CONSTANT (1) << axis)) && !axis_is_implied (axis, &moves, &left, &right))
      return FALSE;
  return TRUE;
}

guint
assay_axes_count (GPtrArray *differences)
{
  guint n = 0;
  for (guint i = 0; differences != NULL && i < differences->len; i++)
    n += !((AssayDifference *) g_ptr_array_index (differences, i))->implied;
  return n;
}

static char *
difference_dup_shown (const char *value)
{
  if (value == NULL)
    return g_strdup (_("not set"));
  g_autofree char *valid = g_utf8_make_valid (value, -1);
  g_strdelimit (valid, "\n\r\t", ' ');
  if (g_utf8_strlen (valid, -1) <= SHOWN_CHARS)
    return g_steal_pointer (&valid);
  g_autofree char *head = g_utf8_substring (valid, 0, SHOWN_CHARS - 1);
  return g_strconcat (head, "…", NULL);
}

char *
assay_axes_describe (GPtrArray *differences)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; differences != NULL && i < differences->len; i++)
    {
      const AssayDifference *difference = g_ptr_array_index (differences, i);
      if (difference->implied)
        continue;
      g_autofree char *from = difference_dup_shown (difference->from);
      g_autofree char *to = difference_dup_shown (difference->to);
      if (text->len > 0)
        g_string_append (text, ", ");
      g_string_append_printf (text, "%s: %s → %s", assay_field_get_info (difference->field)->name, from, to);
    }
  return g_string_free (text, FALSE);
}
