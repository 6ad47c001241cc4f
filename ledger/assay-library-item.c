/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-library-item.c: a ledger as one line of the library.
 *
 * The ledger is read whole, since its runs give the marks, and let go at once: what stays is a few words. A ledger is
 * not its newest run: one that a person stopped says nothing of what the others have shown. */
#include "assay-library-private.h"

#include <string.h>
#include <sys/stat.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "assay-store.h"

struct _AssayLibraryItem
{
  GObject parent_instance;
  char *path, *title, *problem, *group; /* owned */
  const char *task;             /* static; "" unknown */
  guint n_runs;
  guint n_passed[ASSAY_N_GATES], n_judged[ASSAY_N_GATES];
  LibraryStamp stamp;
};
G_DEFINE_FINAL_TYPE (AssayLibraryItem, assay_library_item, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_PATH,
  PROP_TITLE,
  PROP_TASK,
  PROP_N_RUNS,
  PROP_PROBLEM,
  PROP_GROUP,
  PROP_FEASIBILITY,
  PROP_QUALITY,
  PROP_OPERATION,
  N_PROPS
};
static GParamSpec *properties[N_PROPS];

static void
assay_library_item_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayLibraryItem *self = ASSAY_LIBRARY_ITEM (object);
  switch (id)
    {
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_TITLE:
      g_value_set_string (value, self->title);
      break;
    case PROP_TASK:
      g_value_set_string (value, self->task);
      break;
    case PROP_N_RUNS:
      g_value_set_uint (value, self->n_runs);
      break;
    case PROP_PROBLEM:
      g_value_set_string (value, self->problem);
      break;
    case PROP_GROUP:
      g_value_set_string (value, self->group);
      break;
    case PROP_FEASIBILITY:
    case PROP_QUALITY:
    case PROP_OPERATION:
      g_value_set_uint (value, assay_library_item_get_verdict (self, (AssayGate) (id - PROP_FEASIBILITY)));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_library_item_finalize (GObject *object)
{
  AssayLibraryItem *self = ASSAY_LIBRARY_ITEM (object);
  g_free (self->path);
  g_free (self->title);
  g_free (self->problem);
  g_free (self->group);
  G_OBJECT_CLASS (assay_library_item_parent_class)->finalize (object);
}

static void
assay_library_item_class_init (AssayLibraryItemClass *klass)
{
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  G_OBJECT_CLASS (klass)->get_property = assay_library_item_get_property;
  G_OBJECT_CLASS (klass)->finalize = assay_library_item_finalize;
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, flags);
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  properties[PROP_TASK] = g_param_spec_string ("task", NULL, NULL, NULL, flags);
  properties[PROP_N_RUNS] = g_param_spec_uint ("n-runs", NULL, NULL, 0, G_MAXUINT, 0, flags);
  properties[PROP_PROBLEM] = g_param_spec_string ("problem", NULL, NULL, NULL, flags);
  properties[PROP_GROUP] = g_param_spec_string ("group", NULL, NULL, NULL, flags);
  properties[PROP_FEASIBILITY] = g_param_spec_uint ("feasibility", NULL, NULL, 0, 2, 0, flags);
  properties[PROP_QUALITY] = g_param_spec_uint ("quality", NULL, NULL, 0, 2, 0, flags);
  properties[PROP_OPERATION] = g_param_spec_uint ("operation", NULL, NULL, 0, 2, 0, flags);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, properties);
}

static void
assay_library_item_init (AssayLibraryItem *self)
{
  self->task = "";
}

const char *
assay_library_item_get_path (AssayLibraryItem *self)
{
  g_return_val_if_fail (ASSAY_IS_LIBRARY_ITEM (self), NULL);
  return self->path;
}

const char *
assay_library_item_get_title (AssayLibraryItem *self)
{
  g_return_val_if_fail (ASSAY_IS_LIBRARY_ITEM (self), NULL);
  return self->title;
}

const char *
assay_library_item_get_task_name (AssayLibraryItem *self)
{
  g_return_val_if_fail (ASSAY_IS_LIBRARY_ITEM (self), NULL);
  return self->task;
}

guint
assay_library_item_get_n_runs (AssayLibraryItem *self)
{
  g_return_val_if_fail (ASSAY_IS_LIBRARY_ITEM (self), 0);
  return self->n_runs;
}

AssayVerdict
assay_library_item_get_verdict (AssayLibraryItem *self, AssayGate gate)
{
  g_return_val_if_fail (ASSAY_IS_LIBRARY_ITEM (self) && gate < ASSAY_N_GATES, ASSAY_VERDICT_NOT_JUDGED);
  return self->n_passed[gate] > 0   ? ASSAY_VERDICT_PASS
         : self->n_judged[gate] > 0 ? ASSAY_VERDICT_FAIL
                                    : ASSAY_VERDICT_NOT_JUDGED;
}

void
assay_library_item_count (AssayLibraryItem *self, AssayGate gate, guint *n_passed, guint *n_judged)
{
  g_return_if_fail (ASSAY_IS_LIBRARY_ITEM (self) && gate < ASSAY_N_GATES);
  *n_passed = self->n_passed[gate];
  *n_judged = self->n_judged[gate];
}

const char *
assay_library_item_get_group (AssayLibraryItem *self)
{
  g_return_val_if_fail (ASSAY_IS_LIBRARY_ITEM (self), NULL);
  return self->group;
}

const char *
assay_library_item_get_problem (AssayLibraryItem *self)
{
  g_return_val_if_fail (ASSAY_IS_LIBRARY_ITEM (self), NULL);
  return self->problem;
}

static void
stamp_set (LibraryStamp *stamp, const struct stat *info)
{
  stamp->device = info->st_dev;
  stamp->inode = info->st_ino;
  stamp->size = (guint64) info->st_size;
  stamp->mtime_ns = (gint64) info->st_mtim.tv_sec * G_GINT64_CONSTANT (1000000000) + info->st_mtim.tv_nsec;
  stamp->ctime_ns = (gint64) info->st_ctim.tv_sec * G_GINT64_CONSTANT (1000000000) + info->st_ctim.tv_nsec;
}

static gboolean
stamp_equal (const LibraryStamp *a, const LibraryStamp *b)
{
  return a->device == b->device && a->inode == b->inode && a->size == b->size && a->mtime_ns == b->mtime_ns
         && a->ctime_ns == b->ctime_ns;
}

gboolean
library_item_is_current (AssayLibraryItem *self)
{
  struct stat info;
  LibraryStamp now;
  if (stat (self->path, &info) != 0)
    return FALSE;
  stamp_set (&now, &info);
  return stamp_equal (&now, &self->stamp);
}

static char *
item_dup_file_title (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  if (g_str_has_suffix (name, ASSAY_LEDGER_SUFFIX))
    name[strlen (name) - strlen (ASSAY_LEDGER_SUFFIX)] = '\0';
  return g_filename_display_name (name);
}

static void
item_count_run (AssayLibraryItem *self, AssayLedger *ledger, AssayRecord *record)
{
  g_autoptr(AssayGates) gates = assay_gates_judge (ledger, record);
  for (AssayGate gate = 0; gate < ASSAY_N_GATES; gate++)
    {
      self->n_passed[gate] += gates->verdict[gate] == ASSAY_VERDICT_PASS;
      self->n_judged[gate] += gates->verdict[gate] != ASSAY_VERDICT_NOT_JUDGED;
    }
}

static void
item_fill (AssayLibraryItem *self, AssayLedger *ledger)
{
  const char *title = assay_ledger_get_title (ledger);
  self->title = title != NULL && *title != '\0' ? g_strdup (title) : item_dup_file_title (self->path);
  self->task = assay_task_get_name (assay_ledger_get_task (ledger));
  self->n_runs = assay_ledger_get_n_runs (ledger);
  for (guint i = 0; i < self->n_runs; i++)
    item_count_run (self, ledger, assay_ledger_get_run (ledger, i));
}

/* Only a regular file is opened: a pipe would wait for ever, a device may do anything. */
static AssayLedger *
item_load (AssayLibraryItem *self)
{
  struct stat info;
  g_autoptr(GError) error = NULL;
  const gboolean there = stat (self->path, &info) == 0;
  if (there)
    stamp_set (&self->stamp, &info);
  if (there && !S_ISREG (info.st_mode))
    {
      self->problem = g_strdup (_("no plain file, so it is not opened; move it out of this folder"));
      return NULL;
    }
  AssayLedger *ledger = assay_store_load (self->path, &error);
  if (ledger == NULL)
    self->problem = g_strdup (error->message);
  return ledger;
}

AssayLibraryItem *
library_item_read (const char *path, const char *group)
{
  AssayLibraryItem *self = g_object_new (ASSAY_TYPE_LIBRARY_ITEM, NULL);
  self->path = g_strdup (path);
  self->group = g_strdup (group);
  g_autoptr(AssayLedger) ledger = item_load (self);
  if (ledger != NULL)
    item_fill (self, ledger);
  else
    self->title = item_dup_file_title (path);
  return self;
}

static int
item_get_rank (const AssayLibraryItem *self)
{
  AssayTask task;
  return assay_task_from_name (self->task, &task) ? (int) task : G_MAXINT;
}

int
library_item_compare (gconstpointer a, gconstpointer b)
{
  const AssayLibraryItem *x = *(AssayLibraryItem *const *) a, *y = *(AssayLibraryItem *const *) b;
  const int rank_x = item_get_rank (x), rank_y = item_get_rank (y);
  if (rank_x != rank_y)
    return rank_x < rank_y ? -1 : 1;
  const int by_group = g_utf8_collate (x->group, y->group);
  if (by_group != 0)
    return by_group;
  const int by_title = g_utf8_collate (x->title, y->title);
  return by_title != 0 ? by_title : strcmp (x->path, y->path);
}
