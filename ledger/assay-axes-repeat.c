/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-axes-repeat.c: whether two trials are repeats of one another, quickly.
 *
 * A sealed record keeps a hash of its conditions that tells most pairs apart at once. Repeats have equal keys: the hash
 * leaves out what a difference may let pass as without effect. */
#include "assay-axes-private.h"

#include <string.h>

static G_DEFINE_QUARK (assay-axes-key, axes_key)

static guint64
key_add (guint64 key, gconstpointer data, gsize length)
{
  for (const guint8 *p = data, *end = p + length; p < end; p++) /* FNV-1a */
    key = (key ^ *p) * G_GUINT64_CONSTANT (1099511628211);
  return key;
}

static guint64
key_add_value (guint64 key, const AssayAxesSide *side, AssayFieldId field)
{
  gint64 integer;
  double real;
  gboolean boolean;
  const char *text;
  key = key_add (key, &field, sizeof field);
  const AssayValues *values = axes_side_get_values (side, &field);
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
key_leaves_out (const AssayAxesSide *side, AssayFieldId field)
{
  const char *mode;
  switch (field)
    {
    case ASSAY_FIELD_SEED:
    case ASSAY_FIELD_TOP_K:
    case ASSAY_FIELD_TOP_P:
      return axes_side_is_greedy (side);
    case ASSAY_FIELD_OFFLOAD_GRANULARITY:
      mode = axes_side_get_text (side, ASSAY_FIELD_OFFLOAD_MODE);
      return mode != NULL && !g_str_equal (mode, "group");
    case ASSAY_FIELD_PREFETCH:
      return axes_side_streams_nothing (side);
    case ASSAY_FIELD_TIME_LIMIT_SECONDS:
      return TRUE;
    default:
      return FALSE;
    }
}

/* A well mixed word of each axis, so that their sum without some of them still tells settings apart. */
static guint64
key_mix (guint64 key)
{
  key ^= key >> 32;
  key *= G_GUINT64_CONSTANT (0xd6e8feb86659fd93);
  key ^= key >> 32;
  return key;
}

void
axes_fill_keys (AssayRecord *record, guint64 keys[ASSAY_N_AXES])
{
  const AssayAxesSide side = { .record = record };
  for (AssayAxis axis = 0; axis < ASSAY_N_AXES; axis++)
    keys[axis] = G_GUINT64_CONSTANT (14695981039346656037) + axis;
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      const AssayFieldInfo *info = assay_field_get_info (field);
      if (info->group == ASSAY_GROUP_CONDITIONS && info->axis != ASSAY_AXIS_NONE
          && !key_leaves_out (&side, field))
        keys[info->axis] = key_add_value (keys[info->axis], &side, field);
    }
  for (AssayAxis axis = 0; axis < ASSAY_N_AXES; axis++)
    keys[axis] = key_mix (keys[axis]);
}

guint64
axes_get_key (AssayRecord *record)
{
  const GQuark quark = axes_key_quark ();
  const guint64 *kept = g_object_get_qdata (G_OBJECT (record), quark);
  if (kept != NULL)
    return *kept;
  guint64 keys[ASSAY_N_AXES], key = 0;
  axes_fill_keys (record, keys);
  for (AssayAxis axis = 0; axis < ASSAY_N_AXES; axis++)
    key += keys[axis];
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
  if (axes_get_key (a) != axes_get_key (b))
    return FALSE;
  if (assay_values_equal (assay_record_get_conditions (a), assay_record_get_conditions (b))
      && assay_values_equal (assay_record_get_effective (a), assay_record_get_effective (b)))
    return TRUE;
  const AssayAxesSide left = { .record = a }, right = { .record = b };
  AssayAxesMoves moves;
  axes_find_moves (&moves, &left, &right);
  for (AssayAxis axis = 0; axis < ASSAY_N_AXES; axis++)
    if ((moves.axes & ASSAY_AXES_BIT (axis)) && !axes_is_implied (axis, &moves, &left, &right))
      return FALSE;
  return TRUE;
}
