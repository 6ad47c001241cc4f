/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/gguf-split.c: the parts of a split model, found from any one of them.
 *
 * The metadata decides whether a file is a part; only then does its name (PREFIX-00002-of-00003.gguf, from 1)
 * lead to the others. Parts of different models are never mixed. */
#include "gguf-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

enum { PARTS_MAX = 4096, NAMED_MISSING = 5 };

gboolean
assay_gguf_is_split (ModelPart *part)
{
  guint64 count;
  return assay_gguf_part_get_uint (part, assay_gguf_part_find (part, "split.count"), &count) && count > 1;
}

static guint64
gguf_split_uint (ModelPart *part, const char *key, guint64 fallback)
{
  guint64 value = fallback;
  assay_gguf_part_get_uint (part, assay_gguf_part_find (part, key), &value);
  return value;
}

G_GNUC_PRINTF (4, 5) static gboolean
gguf_split_fail (ModelPart *part, const char *reason, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (_(format), args);
  va_end (args);
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, reason, part->path, NULL, -1, "%s", message);
  return FALSE;
}

/* What stands before "-00002-of-00003.gguf" in the path, when that is how it ends. (transfer full) or NULL */
static char *
gguf_split_dup_prefix (ModelPart *part, guint64 number, guint64 count)
{
  g_autofree char *suffix
      = g_strdup_printf ("-%05" PRIu64 "-of-%05" PRIu64 ".gguf", number, count);
  return g_str_has_suffix (part->path, suffix) ? g_strndup (part->path, strlen (part->path) - strlen (suffix))
                                               : NULL;
}

static char *
gguf_split_dup_path (const char *prefix, guint64 i, guint64 count)
{
  return g_strdup_printf ("%s-%05" PRIu64 "-of-%05" PRIu64 ".gguf", prefix, i + 1, count);
}

/* All parts are looked for before any is read, so that the message names every one that is missing. */
static gboolean
gguf_split_check_present (ModelPart *part, const char *prefix, guint64 count, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  guint64 n_missing = 0;
  for (guint64 i = 0; i < count; i++)
    {
      g_autofree char *path = gguf_split_dup_path (prefix, i, count);
      if (g_file_test (path, G_FILE_TEST_EXISTS) || n_missing++ >= NAMED_MISSING)
        continue;
      g_autofree char *name = g_filename_display_basename (path);
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", name);
    }
  if (n_missing == 0)
    return TRUE;
  return gguf_split_fail (part, "gguf-split-missing", error,
                          "incomplete %" PRIu64 "/%" PRIu64
                          ": missing %s%s; fetch the missing parts "
                          "into the same folder",
                          count - n_missing, count, names->str, n_missing > NAMED_MISSING ? _(" and more") : "");
}

/* A key that two parts share must have the same value: else they come from different models or
 * quantizations. */
static gboolean
gguf_split_check_same_values (ModelPart *first, ModelPart *part, GError **error)
{
  for (guint i = 0; i < part->values->len; i++)
    {
      const GgufValue *b = &g_array_index (part->values, GgufValue, i);
      const AssayBytes key = assay_gguf_part_get_key (part, b);
      const gint64 found = assay_name_table_find (first->keys, key.data, key.length);
      if (found < 0 || (key.length == 8 && memcmp (key.data, "split.no", 8) == 0)
          || (key.length == 17 && memcmp (key.data, "general.alignment", 17) == 0))
        continue;
      const GgufValue *a = &g_array_index (first->values, GgufValue, found);
      const gsize length = a->entry_end - a->value_at;
      if (a->type == b->type && length == b->entry_end - b->value_at
          && memcmp (first->metadata + a->value_at, part->metadata + b->value_at, length) == 0)
        continue;
      g_autofree char *shown = assay_engine_escape (key.data, key.length);
      return gguf_split_fail (part, "gguf-split-mismatch", error,
                              "its '%s' differs from the first part's: the parts belong to different models",
                              shown);
    }
  return TRUE;
}

/* Bit per matrix format; enough: the numbers end at 42. */
static guint64
gguf_split_formats (ModelPart *part, guint *n)
{
  guint64 formats = 0;
  for (guint i = 0; i < part->tensors->len; i++)
    {
      const AssayTensorInfo *tensor = &g_array_index (part->tensors, AssayTensorInfo, i);
      if (tensor->n_dims < 2)
        continue;
      formats |= G_GUINT64_CONSTANT (1) << tensor->dtype;
      (*n)++;
    }
  return formats;
}

/* Later parts carry no general.file_type, so another quantization shows only in the tensors: a mix shares
 * some format between any two parts that hold a few matrices. */
static gboolean
gguf_split_check_same_formats (ModelPart *first, ModelPart *part, GError **error)
{
  enum { ENOUGH = 3 };
  guint n_first = 0, n_part = 0;
  const guint64 a = gguf_split_formats (first, &n_first), b = gguf_split_formats (part, &n_part);
  if (n_first < ENOUGH || n_part < ENOUGH || (a & b) != 0)
    return TRUE;
  return gguf_split_fail (
      part, "gguf-split-mismatch", error,
      "its matrices share no format with the first part's: the parts belong to different quantizations");
}

static gboolean
gguf_split_check_part (ModelPart *first, ModelPart *part, guint64 i, guint64 count, GError **error)
{
  const guint64 its_count = gguf_split_uint (part, "split.count", 0);
  const guint64 its_number = gguf_split_uint (part, "split.no", G_MAXUINT64);
  if (its_count != count)
    return gguf_split_fail (part, "gguf-split-mismatch", error,
                            "says it is of %" PRIu64 " parts, the others are of %" PRIu64,
                            its_count, count);
  if (its_number != i)
    return gguf_split_fail (part, "gguf-split-mismatch", error,
                            "its split.no says part %" PRIu64
                            ", its name says part %" PRIu64
                            "; two parts clash or a file was renamed",
                            its_number + 1, i + 1);
  if (part->trailing > part->alignment)
    return gguf_split_fail (
        part, "gguf-split-joined", error,
        "%" PRIu64
        " bytes follow this part's last tensor: parts joined byte by byte; fetch the part again",
        part->trailing);
  return gguf_split_check_same_values (first, part, error)
         && gguf_split_check_same_formats (first, part, error);
}

static gboolean
gguf_split_check_total (GPtrArray *parts, GError **error)
{
  ModelPart *first = g_ptr_array_index (parts, 0);
  guint64 n = 0;
  for (guint i = 0; i < parts->len; i++)
    n += ((ModelPart *) g_ptr_array_index (parts, i))->tensors->len;
  const guint64 wanted = gguf_split_uint (first, "split.tensors.count", G_MAXUINT64);
  if (wanted == n)
    return TRUE;
  if (wanted == G_MAXUINT64)
    return gguf_split_fail (first, "gguf-split-mismatch", error, "split.tensors.count is missing");
  return gguf_split_fail (
      first, "gguf-split-mismatch", error,
      "the parts hold %" PRIu64 " tensors, split.tensors.count says %" PRIu64, n, wanted);
}

gboolean
assay_gguf_open_parts (GPtrArray *parts, GCancellable *cancellable, GError **error)
{
  g_autoptr (ModelPart) opened = g_ptr_array_steal_index (parts, 0);
  const guint64 count = gguf_split_uint (opened, "split.count", 0);
  const guint64 number = gguf_split_uint (opened, "split.no", G_MAXUINT64);
  if (count > PARTS_MAX || number >= count)
    return gguf_split_fail (opened, "gguf-split-mismatch", error,
                            "split.no is %" PRIu64 " of split.count %" PRIu64
                            "; at most %d parts are read",
                            number, count, PARTS_MAX);
  g_autofree char *prefix = opened->lent ? NULL : gguf_split_dup_prefix (opened, number + 1, count);
  if (prefix == NULL)
    return gguf_split_fail (opened, "gguf-split-joined", error,
                            "this is part %" PRIu64 " of %" PRIu64
                            ", or parts joined byte by byte; keep the parts "
                            "apart, named …-%05" PRIu64 "-of-%05" PRIu64
                            ".gguf, or join them with llama-gguf-split --merge",
                            number + 1, count, number + 1, count);
  if (!gguf_split_check_present (opened, prefix, count, error))
    return FALSE;
  for (guint64 i = 0; i < count; i++)
    {
      g_autofree char *path = gguf_split_dup_path (prefix, i, count);
      g_autoptr (ModelPart) part
          = i == number ? g_steal_pointer (&opened) : assay_gguf_part_open (path, cancellable, error);
      if (part == NULL)
        return FALSE;
      ModelPart *first = i == 0 ? part : g_ptr_array_index (parts, 0);
      if (!gguf_split_check_part (first, part, i, count, error))
        return FALSE;
      g_ptr_array_add (parts, g_steal_pointer (&part));
    }
  return gguf_split_check_total (parts, error);
}
