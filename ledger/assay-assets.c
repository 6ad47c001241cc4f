/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-assets.c: side files. What is read is hashed, always: a changed file is a missing one. */
#include "assay-assets.h"

#include <string.h>

#include "assay-durable.h"

#define ASSET_PREFIX "sha256-"
#define ASSET_HEX 64u

gboolean
assay_asset_is_name (const char *name)
{
  const gsize fixed = strlen (ASSET_PREFIX) + ASSET_HEX;

  if (strlen (name) < fixed || strlen (name) > fixed + 9 || !g_str_has_prefix (name, ASSET_PREFIX))
    return FALSE;
  for (gsize i = strlen (ASSET_PREFIX); i < fixed; i++)
    if (!g_ascii_isdigit (name[i]) && (name[i] < 'a' || name[i] > 'f'))
      return FALSE;
  if (name[fixed] == '\0')
    return TRUE;
  if (name[fixed] != '.' || name[fixed + 1] == '\0')
    return FALSE;
  for (const char *p = name + fixed + 1; *p != '\0'; p++)
    if (!g_ascii_isdigit (*p) && !g_ascii_islower (*p))
      return FALSE;
  return TRUE;
}

char *
assay_asset_dup_name (const char *bytes, gsize length, const char *suffix)
{
  g_autofree char *hash = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) bytes, length);
  return g_strconcat (ASSET_PREFIX, hash, suffix, NULL);
}

char *
assay_output_dup_asset (const AssayOutput *output)
{
  if (output->text != NULL && output->text_length > ASSAY_ASSET_INLINE_MAX)
    return assay_asset_dup_name (output->text, output->text_length, ".txt");
  return output->text == NULL ? g_strdup (output->asset) : NULL;
}

GBytes *
assay_asset_read (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr(GBytes) bytes = assay_durable_read (path, ASSAY_ASSET_MAX_BYTES, TRUE, NULL, NULL);

  if (bytes == NULL)
    return NULL;
  g_autofree char *hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  return strncmp (hash, name + strlen (ASSET_PREFIX), ASSET_HEX) == 0 ? g_steal_pointer (&bytes) : NULL;
}

gboolean
assay_asset_write (const char *folder, const char *name, const char *bytes, gsize length, GError **error)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr(GBytes) present = assay_asset_read (folder, name);
  g_autoptr(GBytes) wanted = g_bytes_new_static (bytes, length);

  if (present != NULL)
    return TRUE;
  return assay_durable_make_folder (folder, error) && assay_durable_replace (path, wanted, NULL, error);
}
