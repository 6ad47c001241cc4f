/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-keeper.h"

#include "assay-recovery.h"
#include "assay-store.h"

struct _AssayKeeper
{
  GObject parent_instance;
  AssayLedger *ledger;    /* owned */
  AssayUndo *undo;        /* owned */
  gboolean saving;
  guint due;              /* source id */
  char *error;            /* owned */
  GPtrArray *journalled;  /* owned: run ids not yet in a saved file */
  GPtrArray *in_flight;   /* owned: those of the save under way; NULL when none */
};

G_DEFINE_FINAL_TYPE (AssayKeeper, assay_keeper, G_TYPE_OBJECT)

enum { PROP_0, PROP_LEDGER, PROP_BUSY, PROP_ERROR, N_PROPS };
static GParamSpec *properties[N_PROPS];

static void
keeper_set_error (AssayKeeper *self, const char *error)
{
  if (g_strcmp0 (self->error, error) == 0 && error == NULL)
    return;
  g_free (self->error);
  self->error = g_strdup (error);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ERROR]);
}

static void
keeper_return_journalled (AssayKeeper *self)
{
  g_ptr_array_extend_and_steal (self->journalled, g_steal_pointer (&self->in_flight));
}

static void
keeper_clear_journal (AssayKeeper *self)
{
  for (guint i = 0; i < self->in_flight->len; i++)
    assay_recovery_remove (g_ptr_array_index (self->in_flight, i));
  g_clear_pointer (&self->in_flight, g_ptr_array_unref);
}

static void
save_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssayKeeper) self = data;
  g_autoptr(GError) error = NULL;
  const gboolean saved = assay_store_save_finish (self->ledger, result, &error);
  self->saving = FALSE;
  if (saved)
    keeper_clear_journal (self);
  else
    keeper_return_journalled (self);
  keeper_set_error (self, saved ? NULL : error->message);
  if (saved && assay_ledger_is_unsaved (self->ledger))
    assay_keeper_save (self);
  else
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
}

static void
keeper_start (AssayKeeper *self, const char *path)
{
  g_clear_handle_id (&self->due, g_source_remove);
  self->saving = TRUE;
  self->in_flight = g_steal_pointer (&self->journalled);
  self->journalled = g_ptr_array_new_with_free_func (g_free);
  assay_store_save_async (self->ledger, path, NULL, save_cb, g_object_ref (self));
}

static gboolean
keeper_on_due (gpointer data)
{
  AssayKeeper *self = data;
  self->due = 0;
  if (!self->saving)
    keeper_start (self, NULL);
  return G_SOURCE_REMOVE;
}

/* An idle source joins the signals of one edit into one save. */
static void
keeper_schedule (AssayKeeper *self)
{
  if (self->due != 0 || self->saving)
    return;
  self->due = g_idle_add (keeper_on_due, self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
}

static void
keeper_on_changed (AssayKeeper *self)
{
  if (assay_ledger_is_unsaved (self->ledger) && assay_ledger_get_path (self->ledger) != NULL &&
      !assay_ledger_is_read_only (self->ledger))
    keeper_schedule (self);
}

void
assay_keeper_save (AssayKeeper *self)
{
  g_return_if_fail (ASSAY_IS_KEEPER (self));
  keeper_schedule (self);
}

void
assay_keeper_save_as (AssayKeeper *self, const char *path)
{
  g_return_if_fail (ASSAY_IS_KEEPER (self) && path != NULL);
  if (!self->saving)
    keeper_start (self, path);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
}

void
assay_keeper_add_journalled (AssayKeeper *self, const char *run_id)
{
  g_return_if_fail (ASSAY_IS_KEEPER (self));
  g_ptr_array_add (self->journalled, g_strdup (run_id));
}

AssayLedger *
assay_keeper_get_ledger (AssayKeeper *self)
{
  return self->ledger;
}

AssayUndo *
assay_keeper_get_undo (AssayKeeper *self)
{
  return self->undo;
}

gboolean
assay_keeper_is_busy (AssayKeeper *self)
{
  return self->saving || self->due != 0;
}

const char *
assay_keeper_get_error (AssayKeeper *self)
{
  return self->error;
}

static void
assay_keeper_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayKeeper *self = ASSAY_KEEPER (object);
  switch (id)
    {
    case PROP_LEDGER: g_value_set_object (value, self->ledger); break;
    case PROP_BUSY: g_value_set_boolean (value, assay_keeper_is_busy (self)); break;
    case PROP_ERROR: g_value_set_string (value, self->error); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_keeper_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  AssayKeeper *self = ASSAY_KEEPER (object);
  if (id == PROP_LEDGER)
    self->ledger = g_value_dup_object (value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_keeper_constructed (GObject *object)
{
  AssayKeeper *self = ASSAY_KEEPER (object);
  G_OBJECT_CLASS (assay_keeper_parent_class)->constructed (object);
  self->undo = assay_undo_new (self->ledger);
  g_signal_connect_object (self->ledger, "items-changed", G_CALLBACK (keeper_on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->ledger, "notify::unsaved", G_CALLBACK (keeper_on_changed), self, G_CONNECT_SWAPPED);
}

static void
assay_keeper_dispose (GObject *object)
{
  AssayKeeper *self = ASSAY_KEEPER (object);
  g_clear_handle_id (&self->due, g_source_remove);
  g_clear_object (&self->undo);
  g_clear_object (&self->ledger);
  g_clear_pointer (&self->journalled, g_ptr_array_unref);
  g_clear_pointer (&self->in_flight, g_ptr_array_unref);
  g_clear_pointer (&self->error, g_free);
  G_OBJECT_CLASS (assay_keeper_parent_class)->dispose (object);
}

static void
assay_keeper_class_init (AssayKeeperClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = assay_keeper_get_property;
  object_class->set_property = assay_keeper_set_property;
  object_class->constructed = assay_keeper_constructed;
  object_class->dispose = assay_keeper_dispose;
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  properties[PROP_LEDGER] = g_param_spec_object ("ledger", NULL, NULL, ASSAY_TYPE_LEDGER,
                                                 G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  properties[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE, flags);
  properties[PROP_ERROR] = g_param_spec_string ("error", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_keeper_init (AssayKeeper *self)
{
  self->journalled = g_ptr_array_new_with_free_func (g_free);
}

AssayKeeper *
assay_keeper_new (AssayLedger *ledger)
{
  return g_object_new (ASSAY_TYPE_KEEPER, "ledger", ledger, NULL);
}
