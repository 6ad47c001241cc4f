/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/bitsandbytes.c: which tensors are parts of one matrix, and that they fit together. */
#include "bitsandbytes.h"

#include "bitsandbytes-state.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

typedef enum
{
  PART_WEIGHT,
  PART_ABSMAX,
  PART_MAP,
  PART_NESTED,
  PART_NESTED_MAP,
  PART_NF4_STATE,
  PART_FP4_STATE,
  PART_SCALE,
  PART_FORMAT,
  N_PARTS,
} BitsPart;

static const char *const suffixes[N_PARTS] = {
  [PART_ABSMAX] = ".absmax",
  [PART_MAP] = ".quant_map",
  [PART_NESTED] = ".nested_absmax",
  [PART_NESTED_MAP] = ".nested_quant_map",
  [PART_NF4_STATE] = ".quant_state.bitsandbytes__nf4",
  [PART_FP4_STATE] = ".quant_state.bitsandbytes__fp4",
  [PART_SCALE] = ".SCB",
  [PART_FORMAT] = ".weight_format",
};

typedef struct { gint at[N_PARTS]; /* in the set; -1: absent */ } BitsMatrix;

typedef struct
{
  AssayModelFile *file;
  SafetensorsSet *set;
  GHashTable *matrices; /* char * → BitsMatrix */
} Bits;

static const AssayHfTensor *
bits_tensor (const Bits *self, gint i)
{
  return &g_array_index (self->set->tensors, AssayHfTensor, i);
}

static const TensorPlace *
bits_place (const Bits *self, gint i)
{
  return &g_array_index (self->set->places, TensorPlace, i);
}

G_GNUC_PRINTF (6, 7) static gboolean
bits_fail (const Bits *self, gint i, AssayEngineError code, const char *reason, GError **error,
           const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (_(format), args);
  va_end (args);
  const AssayBytes name = bits_tensor (self, i)->name;
  g_autofree char *shown = assay_engine_escape (name.data, name.length);
  g_autofree char *field = g_strdup_printf ("tensor '%s'", shown);
  const char *path = assay_model_file_get_part_path (self->file, bits_place (self, i)->part);
  assay_engine_error_set (error, code, reason, path, field, (gint64) bits_place (self, i)->offset, "%s",
                          message);
  return FALSE;
}

/* --- which belong together --- */

/* The name of the matrix that this is a part of; NULL: it is none. (transfer full) */
static char *
bits_dup_owner (const AssayHfTensor *tensor, BitsPart *part)
{
  g_autofree char *name = g_strndup (tensor->name.data, tensor->name.length);
  for (guint i = PART_WEIGHT + 1; i < N_PARTS; i++)
    if (g_str_has_suffix (name, suffixes[i]))
      {
        *part = i;
        name[strlen (name) - strlen (suffixes[i])] = '\0';
        return i >= PART_SCALE ? g_strconcat (name, ".weight", NULL) : g_steal_pointer (&name);
      }
  return NULL;
}

static void
bits_note (Bits *self, gint i)
{
  BitsPart part;
  char *owner = bits_dup_owner (bits_tensor (self, i), &part);
  if (owner == NULL)
    return;
  BitsMatrix *matrix = g_hash_table_lookup (self->matrices, owner);
  if (matrix == NULL)
    {
      matrix = g_new (BitsMatrix, 1);
      for (guint k = 0; k < N_PARTS; k++)
        matrix->at[k] = -1;
      g_hash_table_insert (self->matrices, g_strdup (owner), matrix);
    }
  matrix->at[part] = i;
  g_free (owner);
}

static BitsMatrix *
bits_find (const Bits *self, gint i)
{
  const AssayBytes name = bits_tensor (self, i)->name;
  g_autofree char *text = g_strndup (name.data, name.length);
  return g_hash_table_lookup (self->matrices, text);
}

static void
bits_collect (Bits *self)
{
  for (gint i = 0; i < (gint) self->set->tensors->len; i++)
    bits_note (self, i);
  for (gint i = 0; i < (gint) self->set->tensors->len && g_hash_table_size (self->matrices) > 0; i++)
    {
      BitsMatrix *matrix = bits_find (self, i);
      if (matrix != NULL)
        matrix->at[PART_WEIGHT] = i;
    }
}

/* A part without its matrix is refused, and a part that is a matrix of parts itself: folding that one would
 * change the size that the other counts on. */
static gboolean
bits_check_owners (const Bits *self, GError **error)
{
  for (gint i = 0; i < (gint) self->set->tensors->len; i++)
    {
      BitsPart part;
      g_autofree char *owner = bits_dup_owner (bits_tensor (self, i), &part);
      const BitsMatrix *matrix = owner != NULL ? g_hash_table_lookup (self->matrices, owner) : NULL;
      if (matrix != NULL && matrix->at[PART_WEIGHT] < 0)
        return bits_fail (self, i, ASSAY_ENGINE_ERROR_FORMAT, "bitsandbytes-parts", error,
                          "belongs to a quantized matrix that is not there; fetch the model again");
      if (matrix != NULL && bits_find (self, i) != NULL)
        return bits_fail (self, i, ASSAY_ENGINE_ERROR_FORMAT, "bitsandbytes-parts", error,
                          "is part of a quantized matrix, and one with parts itself; the file was written "
                          "wrongly");
    }
  return TRUE;
}

/* Bit n of `wanted`: part n must be there; the order of codes may. Others must not. */
static gboolean
bits_check_parts (const Bits *self, const BitsMatrix *matrix, guint wanted, GError **error)
{
  const gint weight = matrix->at[PART_WEIGHT];
  for (guint i = PART_WEIGHT + 1; i < N_PARTS; i++)
    {
      const gboolean is_wanted = (wanted >> i & 1) != 0;
      if ((matrix->at[i] >= 0) == is_wanted || (i == PART_FORMAT && is_wanted))
        continue;
      return bits_fail (self, weight, ASSAY_ENGINE_ERROR_FORMAT, "bitsandbytes-parts", error,
                        is_wanted ? "its part '%s' is missing; fetch the model again"
                                  : "has a part '%s' that is of another form of quantization; the file was "
                                    "written wrongly",
                        suffixes[i]);
    }
  return TRUE;
}

/* --- whether they fit --- */

static gboolean
bits_check_size (const Bits *self, gint i, const char *dtype, guint64 bytes, GError **error)
{
  const AssayHfTensor *tensor = bits_tensor (self, i);
  if (strcmp (tensor->dtype_name, dtype) == 0 && bits_place (self, i)->bytes == bytes)
    return TRUE;
  return bits_fail (self, i, ASSAY_ENGINE_ERROR_FORMAT, "bitsandbytes-size", error,
                    "%" PRIu64 " bytes of %s; the matrix needs %" PRIu64
                    " of %s. The file was written wrongly",
                    bits_place (self, i)->bytes, tensor->dtype_name, bytes, dtype);
}

static gboolean
bits_check_map (const Bits *self, gint i, const float *ours, guint n, GError **error)
{
  if (!bits_check_size (self, i, "F32", n * sizeof (float), error))
    return FALSE;
  const guint8 *theirs = assay_model_file_get_place (self->file, bits_place (self, i));
  for (guint k = 0; k < n; k++)
    {
      float value; /* may lie at any byte */
      memcpy (&value, theirs + k * sizeof value, sizeof value);
      if (value != ours[k])
        return bits_fail (self, i, ASSAY_ENGINE_ERROR_UNSUPPORTED, "bitsandbytes-map", error,
                          "code %u stands for %.9g, for which %.9g is computed with here; choose another "
                          "version of the model",
                          k, (double) value, (double) ours[k]);
    }
  return TRUE;
}

static gboolean
bits_read_state (const Bits *self, gint i, BitsState *state, GError **error)
{
  const TensorPlace *place = bits_place (self, i);
  const char *reason;
  if (place->bytes > BITS_STATE_MAX)
    return bits_fail (self, i, ASSAY_ENGINE_ERROR_FORMAT, "bitsandbytes-state", error,
                      "%" PRIu64 " bytes of text, at most %d are read", place->bytes,
                      BITS_STATE_MAX);
  g_autoptr (GBytes) text = g_bytes_new (assay_model_file_get_place (self->file, place), place->bytes);
  g_autofree char *problem = assay_bits_state_read (state, text, &reason);
  if (problem == NULL)
    return TRUE;
  const gboolean other = strcmp (reason, "bitsandbytes-variant") == 0;
  return bits_fail (self, i, other ? ASSAY_ENGINE_ERROR_UNSUPPORTED : ASSAY_ENGINE_ERROR_FORMAT, reason,
                    error, "%s", problem);
}

static gboolean
bits_check_shape (const Bits *self, gint weight, const BitsState *state, AssayDtype dtype,
                  AssayWholeLayout *layout, GError **error)
{
  const guint64 bytes = bits_place (self, weight)->bytes;
  if (assay_whole_layout (dtype, state->shape[1], state->shape[0], layout)
      && bytes == layout->n_elements / 2 + layout->n_elements % 2)
    return TRUE;
  return bits_fail (self, weight, ASSAY_ENGINE_ERROR_FORMAT, "bitsandbytes-shape", error,
                    "%" PRIu64 " bytes of codes, two a byte, are no matrix of %" PRId64
                    " × %" PRId64 ", which its quant_state says it is",
                    bytes, state->shape[0], state->shape[1]);
}

/* The tensor becomes the matrix; its other parts go when all are done. */
static void
bits_take (Bits *self, gint weight, AssayDtype dtype, const gint64 shape[2], const ModelWhole *whole)
{
  AssayHfTensor *tensor = &g_array_index (self->set->tensors, AssayHfTensor, weight);
  TensorPlace *place = &g_array_index (self->set->places, TensorPlace, weight);
  const AssayHfTensor matrix = { .name = tensor->name,
                                 .dtype = dtype,
                                 .readable = TRUE,
                                 .dtype_name = assay_dtype_info (dtype)->name,
                                 .n_dims = 2,
                                 .shape = { shape[0], shape[1], 1, 1, 1, 1, 1, 1 } };
  *tensor = matrix;
  g_array_append_val (self->file->wholes, *whole);
  place->bytes = whole->layout.bytes;
  place->whole = self->file->wholes->len;
}

static gboolean
bits_check_statistics (const Bits *self, const BitsMatrix *matrix, AssayDtype dtype, ModelWhole *whole,
                       GError **error)
{
  const gint *at = matrix->at;
  const gboolean nested = assay_whole_is_double (dtype);
  if (!bits_check_map (self, at[PART_MAP], assay_whole_values (dtype), 16, error)
      || !bits_check_size (self, at[PART_ABSMAX], nested ? "U8" : "F32",
                           (guint64) whole->layout.n_blocks * (nested ? 1 : sizeof (float)), error))
    return FALSE;
  whole->absmax = *bits_place (self, at[PART_ABSMAX]);
  if (!nested)
    return TRUE;
  if (!bits_check_map (self, at[PART_NESTED_MAP], assay_dynamic_values, 256, error)
      || !bits_check_size (self, at[PART_NESTED], "F32", (guint64) whole->layout.n_nested * sizeof (float),
                           error))
    return FALSE;
  whole->nested = *bits_place (self, at[PART_NESTED]);
  return TRUE;
}

static gboolean
bits_fold_four_bit (Bits *self, const BitsMatrix *matrix, GError **error)
{
  const gint weight = matrix->at[PART_WEIGHT];
  const gboolean is_nf4 = matrix->at[PART_NF4_STATE] >= 0;
  const BitsPart state_part = is_nf4 ? PART_NF4_STATE : PART_FP4_STATE;
  ModelWhole whole = { .codes = *bits_place (self, weight) };
  BitsState state = { .is_nf4 = is_nf4 };
  guint wanted = 1u << PART_ABSMAX | 1u << PART_MAP | 1u << state_part;
  if (matrix->at[state_part] < 0)
    return bits_fail (self, weight, ASSAY_ENGINE_ERROR_FORMAT, "bitsandbytes-parts", error,
                      "its part '.quant_state' is missing; fetch the model again");
  if (!bits_read_state (self, matrix->at[state_part], &state, error))
    return FALSE;
  const AssayDtype dtype = state.nested ? is_nf4 ? ASSAY_DTYPE_NF4_DOUBLE : ASSAY_DTYPE_FP4_DOUBLE
                           : is_nf4     ? ASSAY_DTYPE_NF4
                                        : ASSAY_DTYPE_FP4;
  wanted |= state.nested ? 1u << PART_NESTED | 1u << PART_NESTED_MAP : 0;
  whole.offset = state.offset;
  if (!bits_check_parts (self, matrix, wanted, error)
      || !bits_check_shape (self, weight, &state, dtype, &whole.layout, error)
      || !bits_check_statistics (self, matrix, dtype, &whole, error))
    return FALSE;
  bits_take (self, weight, dtype, state.shape, &whole);
  return TRUE;
}

/* Codes in the order of the rows; others were tiled for one kind of GPU. */
static gboolean
bits_check_order (const Bits *self, gint i, GError **error)
{
  if (i < 0)
    return TRUE;
  const TensorPlace *place = bits_place (self, i);
  const guint8 *order = assay_model_file_get_place (self->file, place);
  if (place->bytes == 1 && *order == 0)
    return TRUE;
  return bits_fail (self, i, ASSAY_ENGINE_ERROR_UNSUPPORTED, "bitsandbytes-variant", error,
                    "the codes are in an order other than 0, that of the rows, which alone is read; save "
                    "the model again with a newer bitsandbytes");
}

static gboolean
bits_fold_int8 (Bits *self, const BitsMatrix *matrix, GError **error)
{
  const gint weight = matrix->at[PART_WEIGHT];
  const AssayHfTensor *tensor = bits_tensor (self, weight);
  const gint64 shape[] = { tensor->shape[0], tensor->shape[1] };
  ModelWhole whole = { .codes = *bits_place (self, weight) };
  if (!bits_check_parts (self, matrix, 1u << PART_SCALE | 1u << PART_FORMAT, error)
      || !bits_check_order (self, matrix->at[PART_FORMAT], error))
    return FALSE;
  if (strcmp (tensor->dtype_name, "I8") != 0 || tensor->n_dims != 2
      || !assay_whole_layout (ASSAY_DTYPE_INT8, shape[1], shape[0], &whole.layout))
    return bits_fail (self, weight, ASSAY_ENGINE_ERROR_FORMAT, "bitsandbytes-shape", error,
                      "%u dimensions of %s; codes with scales are a matrix of I8", tensor->n_dims,
                      tensor->dtype_name);
  if (!bits_check_size (self, matrix->at[PART_SCALE], "F32", (guint64) shape[0] * sizeof (float), error))
    return FALSE;
  whole.scale = *bits_place (self, matrix->at[PART_SCALE]);
  bits_take (self, weight, ASSAY_DTYPE_INT8, shape, &whole);
  return TRUE;
}

static gboolean
bits_fold_all (Bits *self, GError **error)
{
  if (!bits_check_owners (self, error))
    return FALSE;
  for (gint i = 0; i < (gint) self->set->tensors->len; i++)
    {
      const BitsMatrix *matrix = bits_find (self, i);
      if (matrix == NULL)
        continue;
      const gboolean int8 = matrix->at[PART_SCALE] >= 0 || matrix->at[PART_FORMAT] >= 0;
      if (int8 ? !bits_fold_int8 (self, matrix, error) : !bits_fold_four_bit (self, matrix, error))
        return FALSE;
    }
  return TRUE;
}

static void
bits_drop_parts (Bits *self)
{
  guint kept = 0;
  for (gint i = 0; i < (gint) self->set->tensors->len; i++)
    {
      BitsPart part;
      g_autofree char *owner = bits_dup_owner (bits_tensor (self, i), &part);
      if (owner != NULL)
        continue;
      g_array_index (self->set->tensors, AssayHfTensor, kept) = *bits_tensor (self, i);
      g_array_index (self->set->places, TensorPlace, kept++) = *bits_place (self, i);
    }
  g_array_set_size (self->set->tensors, kept);
  g_array_set_size (self->set->places, kept);
}

gboolean
assay_bitsandbytes_fold (AssayModelFile *file, SafetensorsSet *set, GError **error)
{
  g_autoptr (GHashTable) matrices = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Bits self = { file, set, matrices };
  bits_collect (&self);
  if (g_hash_table_size (matrices) == 0)
    return TRUE;
  if (!assay_model_file_map (file, error))
    return FALSE;
  file->wholes = g_array_new (FALSE, FALSE, sizeof (ModelWhole));
  const gboolean ok = bits_fold_all (&self, error);
  assay_model_file_unmap (file);
  if (ok)
    bits_drop_parts (&self);
  return ok;
}
