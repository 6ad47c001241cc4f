/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-copy.c: see the header. Side files come first, so that no copy is ever seen without what it cites; the
 * ledger itself takes its name by a hard link, which fails where the name is taken. */
#include "assay-copy.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "assay-durable.h"
#include "assay-ledger-private.h"
#include "assay-store.h"
#include "assay-xml-guard.h"

#define COPY_MAX_NAMES 1000u

static gboolean
copy_is_free (const char *path)
{
  g_autofree char *assets = assay_store_dup_assets_path (path);
  return !g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK)
         && !g_file_test (assets, G_FILE_TEST_EXISTS);
}

char *
assay_copy_dup_free_path (const char *folder, const char *base)
{
  g_autofree char *stem = g_str_has_suffix (base, ASSAY_LEDGER_SUFFIX)
                            ? g_strndup (base, strlen (base) - strlen (ASSAY_LEDGER_SUFFIX)) : g_strdup (base);
  for (guint n = 1; n < COPY_MAX_NAMES; n++)
    {
      g_autofree char *number = n > 1 ? g_strdup_printf (" %u", n) : g_strdup ("");
      g_autofree char *name = g_strconcat (stem, number, ASSAY_LEDGER_SUFFIX, NULL);
      g_autofree char *path = g_build_filename (folder, name, NULL);
      if (copy_is_free (path))
        return g_steal_pointer (&path);
    }
  g_autofree char *uuid = g_uuid_string_random ();
  g_autofree char *name = g_strconcat (stem, " ", uuid, ASSAY_LEDGER_SUFFIX, NULL);
  return g_build_filename (folder, name, NULL);
}

static gboolean
copy_refuse (const char *path, int saved_errno, GError **error)
{
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved_errno), _("%s cannot be written: %s"), path,
               g_strerror (saved_errno));
  return FALSE;
}

static gboolean
copy_side_file (const char *from, const char *to, const char *name, GError **error)
{
  g_autoptr(GFile) source = g_file_new_build_filename (from, name, NULL);
  g_autoptr(GFile) target = g_file_new_build_filename (to, name, NULL);
  if (g_file_query_file_type (source, G_FILE_QUERY_INFO_NOFOLLOW_SYMLINKS, NULL) != G_FILE_TYPE_REGULAR)
    return TRUE; /* none of ours: links and pipes are left where they are */
  return g_file_copy (source, target, G_FILE_COPY_NOFOLLOW_SYMLINKS, NULL, NULL, NULL, error);
}

static gboolean
copy_assets (const char *from, const char *to, GError **error)
{
  g_autofree char *source = assay_store_dup_assets_path (from);
  g_autofree char *target = assay_store_dup_assets_path (to);
  g_autoptr(GDir) folder = g_dir_open (source, 0, NULL);
  if (folder == NULL)
    return TRUE;
  if (g_mkdir (target, 0700) != 0)
    return copy_refuse (target, errno, error);
  for (const char *name; (name = g_dir_read_name (folder)) != NULL;)
    if (!copy_side_file (source, target, name, error))
      return FALSE;
  return assay_durable_flush_folder (target) || copy_refuse (target, errno, error);
}

/* Under a name of its own first, then by link, which takes no name that is there. */
static gboolean
copy_place (const char *path, GBytes *bytes, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *uuid = g_uuid_string_random ();
  g_autofree char *hidden = g_strdup_printf ("%s/.%s.tmp", folder, uuid);
  if (!assay_durable_replace (hidden, bytes, NULL, error))
    return FALSE;
  gboolean done = link (hidden, path) == 0;
  if (!done && (errno == EPERM || errno == ENOTSUP || errno == ENOSYS) && copy_is_free (path))
    done = g_rename (hidden, path) == 0; /* a file system without links */
  const int saved_errno = errno;
  g_unlink (hidden);
  return done ? assay_durable_flush_folder (folder) || copy_refuse (folder, errno, error)
              : copy_refuse (path, saved_errno, error);
}

static gboolean
copy_lies_in (const char *path, const char *folder)
{
  g_autofree char *parent = g_path_get_dirname (path);
  g_autofree char *a = assay_durable_dup_target (parent), *b = assay_durable_dup_target (folder);
  return g_strcmp0 (a, b) == 0;
}

char *
assay_copy_import (const char *from, const char *folder, GError **error)
{
  g_return_val_if_fail (from != NULL && folder != NULL, NULL);
  if (copy_lies_in (from, folder))
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_SAVE, _("%s is in the library already"), from);
      return NULL;
    }
  g_autoptr(AssayLedger) readable = assay_store_load (from, error);
  g_autoptr(GBytes) bytes =
    readable != NULL ? assay_durable_read (from, ASSAY_XML_MAX_BYTES, FALSE, NULL, error) : NULL;
  if (bytes == NULL)
    return NULL;
  if (g_mkdir_with_parents (folder, 0700) != 0)
    {
      copy_refuse (folder, errno, error);
      return NULL;
    }
  g_autofree char *base = g_path_get_basename (from);
  g_autofree char *path = assay_copy_dup_free_path (folder, base);
  if (!copy_assets (from, path, error) || !copy_place (path, bytes, error))
    return NULL;
  return g_steal_pointer (&path);
}

char *
assay_copy_duplicate (const char *from, const char *title, GError **error)
{
  g_return_val_if_fail (from != NULL && title != NULL, NULL);
  g_autoptr(AssayLedger) read = assay_store_load (from, error);
  if (read == NULL)
    return NULL;
  g_autoptr(AssayLedger) ledger = assay_ledger_snapshot (read);
  g_autofree char *folder = g_path_get_dirname (from);
  g_autofree char *base = g_path_get_basename (from);
  g_autofree char *path = assay_copy_dup_free_path (folder, base);
  g_free (ledger->id);
  ledger->id = g_uuid_string_random ();
  assay_ledger_set_title (ledger, title);
  if (!copy_assets (from, path, error))
    return NULL;
  g_autoptr(GBytes) bytes = assay_store_serialize (ledger, error);
  if (bytes == NULL || !copy_place (path, bytes, error))
    return NULL;
  return g_steal_pointer (&path);
}
