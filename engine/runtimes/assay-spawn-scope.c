/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/runtimes/assay-spawn-scope.c: see assay-spawn-scope.h.
 *
 * Both versions of control groups: in the second a group that holds processes cannot pass memory control on, so the new
 * folder is made beside our own; in the first below it. The kills of a systemd scope are counted in the group above it,
 * which counts those of all below and is still there when the scope is gone. */
#include "assay-spawn-scope.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

struct _AssaySpawnScope
{
  char *name, *problem;
  char *folder;             /* made by us, to be removed; or NULL */
  char *events;             /* file with a line "oom_kill N", or NULL */
  char **before;            /* words before the command, or NULL */
  gint64 kills_before;
  gint file;
};

/* --- where groups are --- */

/* The place of this or another process in a hierarchy: "4:memory:/a/b" or "0::/a/b". (transfer full) or NULL */
static char *
group_dup_place (const char *text, const char *controller)
{
  g_autofree char *middle = g_strdup_printf (":%s:", controller);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      const char *first = strchr (*line, ':');
      if (first != NULL && g_str_has_prefix (first, middle))
        return g_strdup (first + strlen (middle));
    }
  return NULL;
}

/* Where a hierarchy is mounted: of the kind cgroup2, or cgroup with that option. (transfer full) or NULL */
static char *
group_dup_mount (const char *kind, const char *option)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents ("/proc/self/mounts", &text, NULL, NULL))
    return NULL;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      g_auto (GStrv) words = g_strsplit (*line, " ", 5);
      if (g_strv_length (words) < 4 || !g_str_equal (words[2], kind))
        continue;
      g_auto (GStrv) options = g_strsplit (words[3], ",", -1);
      if (option == NULL || g_strv_contains ((const char *const *) options, option))
        return g_strdup (words[1]);
    }
  return NULL;
}

/* The folder of a process's group with memory control. (transfer full) or NULL */
static char *
group_dup_folder (const char *pid, gboolean *unified)
{
  g_autofree char *file = g_strdup_printf ("/proc/%s/cgroup", pid), *text = NULL;
  if (!g_file_get_contents (file, &text, NULL, NULL))
    return NULL;
  for (gint second = 0; second < 2; second++)
    {
      g_autofree char *place = group_dup_place (text, second ? "" : "memory");
      g_autofree char *mount = second ? group_dup_mount ("cgroup2", NULL) : group_dup_mount ("cgroup", "memory");
      *unified = second;
      if (place != NULL && mount != NULL)
        return g_build_filename (mount, place, NULL);
    }
  return NULL;
}

/* --- a folder of our own --- */

static gboolean
scope_write (AssaySpawnScope *self, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  const gint file = open (path, O_WRONLY | O_CLOEXEC);
  const gboolean ok = file >= 0 && write (file, text, strlen (text)) == (gssize) strlen (text);
  if (file >= 0)
    close (file);
  return ok;
}

static void
scope_limit (AssaySpawnScope *self, guint64 limit_bytes, gboolean unified)
{
  g_autofree char *text = g_strdup_printf ("%" PRIu64, limit_bytes);
  if (limit_bytes == 0)
    return;
  if (!scope_write (self, unified ? "memory.max" : "memory.limit_in_bytes", text))
    self->problem = g_strdup_printf (_("the memory limit of the run's scope could not be set: %s"), g_strerror (errno));
  /* without it what is over the limit would go to swap: both count against the same bound where they can */
  scope_write (self, unified ? "memory.swap.max" : "memory.memsw.limit_in_bytes", unified ? "0" : text);
}

static gboolean
scope_make_folder (AssaySpawnScope *self, const char *above, const char *name, gboolean unified)
{
  g_autofree char *folder = g_build_filename (above, name, NULL);
  g_autofree char *procs = g_build_filename (folder, "cgroup.procs", NULL);
  g_autofree char *probe = g_build_filename (folder, unified ? "memory.max" : "memory.limit_in_bytes", NULL);
  if (g_mkdir (folder, 0755) != 0)
    return FALSE;
  self->file = g_access (probe, W_OK) == 0 ? open (procs, O_WRONLY | O_CLOEXEC) : -1;
  if (self->file < 0)
    {
      g_rmdir (folder);
      return FALSE;
    }
  self->folder = g_steal_pointer (&folder);
  return TRUE;
}

static gboolean
scope_try_folder (AssaySpawnScope *self, const char *name, guint64 limit_bytes)
{
  gboolean unified = FALSE;
  g_autofree char *own = group_dup_folder ("self", &unified);
  if (own == NULL)
    return FALSE;
  g_autofree char *beside = g_path_get_dirname (own);
  if (!scope_make_folder (self, unified ? beside : own, name, unified)
      && !scope_make_folder (self, unified ? own : beside, name, unified))
    return FALSE;
  self->events = g_build_filename (self->folder, unified ? "memory.events" : "memory.oom_control", NULL);
  self->name = g_strdup_printf ("control group %s", self->folder);
  scope_limit (self, limit_bytes, unified);
  return TRUE;
}

/* --- a scope of the user's systemd --- */

static gboolean
scope_try_systemd (AssaySpawnScope *self, const char *name, guint64 limit_bytes)
{
  g_autofree char *program = g_find_program_in_path ("systemd-run");
  g_autofree char *bus = g_build_filename (g_get_user_runtime_dir (), "systemd", "private", NULL);
  if (program == NULL || !g_file_test (bus, G_FILE_TEST_EXISTS))
    return FALSE;
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_autofree char *unit = g_strdup_printf ("--unit=%s.scope", name);
  g_strv_builder_add_many (words, program, "--user", "--scope", "--quiet", "--collect", unit, NULL);
  if (limit_bytes > 0)
    {
      g_autofree char *limit = g_strdup_printf ("--property=MemoryMax=%" PRIu64, limit_bytes);
      g_strv_builder_add_many (words, limit, "--property=MemorySwapMax=0", NULL);
    }
  g_strv_builder_add (words, "--");
  self->before = g_strv_builder_end (words);
  self->name = g_strdup_printf ("systemd scope %s.scope", name);
  return TRUE;
}

/* --- the whole --- */

AssaySpawnScope *
assay_spawn_scope_new (const char *run_id, guint64 limit_bytes)
{
  AssaySpawnScope *self = g_new0 (AssaySpawnScope, 1);
  g_autofree char *name = g_strdup_printf ("assay-%s", run_id);
  self->file = -1;
  if (scope_try_systemd (self, name, limit_bytes) || scope_try_folder (self, name, limit_bytes))
    return self;
  self->problem = g_strdup (
      limit_bytes > 0
          ? _("no scope of the child's own could be made: neither systemd's user manager nor the control group file "
              "system allows one; the memory limit does not hold")
          : _("no scope of the child's own could be made: neither systemd's user manager nor the control group file "
              "system allows one"));
  return self;
}

/* A moment passes until the last of a group is gone from it. */
static void
scope_remove_folder (AssaySpawnScope *self)
{
  for (guint i = 0; i < 50 && g_rmdir (self->folder) != 0 && errno == EBUSY; i++)
    g_usleep (10000);
}

void
assay_spawn_scope_free (AssaySpawnScope *self)
{
  if (self == NULL)
    return;
  if (self->file >= 0)
    close (self->file);
  if (self->folder != NULL)
    scope_remove_folder (self);
  g_free (self->name);
  g_free (self->problem);
  g_free (self->folder);
  g_free (self->events);
  g_strfreev (self->before);
  g_free (self);
}

const char *
assay_spawn_scope_get_name (AssaySpawnScope *self)
{
  return self->name;
}

const char *
assay_spawn_scope_get_problem (AssaySpawnScope *self)
{
  return self->problem;
}

char **
assay_spawn_scope_dup_command (AssaySpawnScope *self, const char *const *argv)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  if (self->before != NULL)
    g_strv_builder_addv (words, (const char **) self->before);
  g_strv_builder_addv (words, (const char **) argv);
  return g_strv_builder_end (words);
}

gint
assay_spawn_scope_get_file (AssaySpawnScope *self)
{
  return self->file;
}

static gint64
scope_read_kills (AssaySpawnScope *self)
{
  g_autofree char *text = NULL;
  if (self->events == NULL || !g_file_get_contents (self->events, &text, NULL, NULL))
    return -1;
  const char *count = strstr (text, "oom_kill "); /* and not oom_kill_disable */
  return count != NULL ? g_ascii_strtoll (count + strlen ("oom_kill "), NULL, 10) : -1;
}

void
assay_spawn_scope_note_child (AssaySpawnScope *self, gint pid)
{
  gboolean unified = FALSE;
  if (self->before == NULL || self->events != NULL)
    return;
  g_autofree char *number = g_strdup_printf ("%d", pid);
  g_autofree char *folder = group_dup_folder (number, &unified);
  if (folder == NULL || !g_str_has_suffix (folder, ".scope"))
    return; /* still on its way into it */
  g_autofree char *above = g_path_get_dirname (folder);
  self->events = g_build_filename (above, unified ? "memory.events" : "memory.oom_control", NULL);
  self->kills_before = MAX (scope_read_kills (self), 0);
}

gint64
assay_spawn_scope_count_kills (AssaySpawnScope *self)
{
  const gint64 now = scope_read_kills (self);
  return now < 0 ? -1 : now - self->kills_before;
}
