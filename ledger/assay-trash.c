/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-trash.c: see the header. The layout is that of the freedesktop trash specification: files/NAME beside
 * info/NAME.trashinfo, which has the path it came from, percent-encoded and, outside the home trash, relative to the top
 * of its file system. */
#include "assay-trash.h"

#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay-ledger-error.h"
#include "assay-store.h"

#define TRASH_GROUP "Trash Info"
#define TRASH_SUFFIX ".trashinfo"

/* The ledger's files: itself first, then what it can be without. (transfer full) */
static char **
trash_list_paths (const char *path)
{
  g_autoptr(GStrvBuilder) paths = g_strv_builder_new ();
  g_autofree char *backup = g_strconcat (path, ".bak", NULL);
  g_autofree char *assets = assay_store_dup_assets_path (path);
  g_strv_builder_add_many (paths, path, backup, assets, NULL);
  return g_strv_builder_end (paths);
}

gboolean
assay_trash_ledger (const char *path, GError **error)
{
  g_auto(GStrv) paths = trash_list_paths (path);
  for (guint i = 0; paths[i] != NULL; i++)
    {
      g_autoptr(GFile) file = g_file_new_for_path (paths[i]);
      if (i > 0 && !g_file_test (paths[i], G_FILE_TEST_EXISTS))
        continue;
      if (g_file_trash (file, NULL, error))
        continue;
      g_prefix_error (error, _("Nothing was deleted; %s cannot go to the trash: "), paths[i]);
      if (i > 0)
        assay_trash_restore_ledger (path, NULL);
      return FALSE;
    }
  return TRUE;
}

/* The top of the file system that holds `path`. (transfer full) */
static char *
trash_dup_top (const char *path)
{
  g_autofree char *here = g_path_get_dirname (path);
  struct stat own, up;
  while (!g_str_equal (here, "/") && g_stat (here, &own) == 0)
    {
      g_autofree char *parent = g_path_get_dirname (here);
      if (g_stat (parent, &up) != 0 || up.st_dev != own.st_dev)
        break;
      g_free (here);
      here = g_steal_pointer (&parent);
    }
  return g_steal_pointer (&here);
}

typedef struct
{
  const char *wanted; /* absolute path */
  char *file, *info;  /* owned: the newest found */
  char *date;         /* owned: when that was put there */
} Search;

static void
search_clear (Search *self)
{
  g_free (self->file);
  g_free (self->info);
  g_free (self->date);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static void
search_take (Search *self, const char *folder, const char *name, char *info_taken, char *date_taken)
{
  g_autofree char *stem = g_strndup (name, strlen (name) - strlen (TRASH_SUFFIX));
  search_clear (self);
  self->file = g_build_filename (folder, "files", stem, NULL);
  self->info = info_taken;
  self->date = date_taken;
}

/* top: what relative paths begin at */
static void
search_info (Search *self, const char *folder, const char *top, const char *name)
{
  g_autoptr(GKeyFile) keys = g_key_file_new ();
  g_autofree char *info = g_build_filename (folder, "info", name, NULL);
  if (!g_str_has_suffix (name, TRASH_SUFFIX) || !g_key_file_load_from_file (keys, info, G_KEY_FILE_NONE, NULL))
    return;
  g_autofree char *escaped = g_key_file_get_value (keys, TRASH_GROUP, "Path", NULL);
  g_autofree char *given = escaped != NULL ? g_uri_unescape_string (escaped, NULL) : NULL;
  g_autofree char *path = given != NULL ? g_canonicalize_filename (given, top) : NULL;
  g_autofree char *date = g_key_file_get_value (keys, TRASH_GROUP, "DeletionDate", NULL);
  if (g_strcmp0 (path, self->wanted) == 0 && g_strcmp0 (date, self->date) >= 0)
    search_take (self, folder, name, g_steal_pointer (&info), g_steal_pointer (&date));
}

static void
search_folder (Search *self, const char *folder, const char *top)
{
  g_autofree char *infos = g_build_filename (folder, "info", NULL);
  g_autoptr(GDir) entries = g_dir_open (infos, 0, NULL);
  for (const char *name; entries != NULL && (name = g_dir_read_name (entries)) != NULL;)
    search_info (self, folder, top, name);
}

static void
search_everywhere (Search *self)
{
  g_autofree char *home = g_build_filename (g_get_user_data_dir (), "Trash", NULL);
  g_autofree char *top = trash_dup_top (self->wanted);
  g_autofree char *uid = g_strdup_printf ("%u", (guint) getuid ());
  g_autofree char *shared = g_build_filename (top, ".Trash", uid, NULL);
  g_autofree char *name = g_strconcat (".Trash-", uid, NULL);
  g_autofree char *own = g_build_filename (top, name, NULL);
  search_folder (self, home, "/");
  search_folder (self, shared, top);
  search_folder (self, own, top);
}

static gboolean
trash_move_back (const Search *found, GError **error)
{
  g_autoptr(GFile) from = g_file_new_for_path (found->file);
  g_autoptr(GFile) to = g_file_new_for_path (found->wanted);
  if (!g_file_move (from, to, G_FILE_COPY_NOFOLLOW_SYMLINKS, NULL, NULL, NULL, error))
    return FALSE;
  g_unlink (found->info);
  return TRUE;
}

/* What belongs to the ledger and went with it or just after: an older one's backup is none of its. */
static gboolean
trash_restore_beside (const char *path, const char *since, GError **error)
{
  g_auto(Search) search = { .wanted = path };
  search_everywhere (&search);
  return search.file == NULL || g_strcmp0 (search.date, since) < 0 || trash_move_back (&search, error);
}

gboolean
assay_trash_restore_ledger (const char *path, GError **error)
{
  g_autofree char *wanted = g_canonicalize_filename (path, NULL);
  g_auto(GStrv) paths = trash_list_paths (wanted);
  g_auto(Search) search = { .wanted = wanted };
  search_everywhere (&search);
  if (search.file == NULL)
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_NO_SUCH, _("%s is no longer in the trash"), path);
      return FALSE;
    }
  for (guint i = 1; paths[i] != NULL; i++) /* the ledger last: it is never there without what it cites */
    if (!trash_restore_beside (paths[i], search.date, error))
      return FALSE;
  return trash_move_back (&search, error);
}
