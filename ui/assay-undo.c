/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-undo.c: two stacks of steps. Taking a step back edits the ledger, and the ledger tells of that edit like of any
 * other: so what is told during an undo is the redo, and the other way round. */
#include "assay-undo.h"

#include <glib/gi18n-lib.h>

#include "assay-edit.h"

#define UNDO_MAX_STEPS 200u

typedef enum { UNDO_IDLE, UNDO_TAKING_BACK, UNDO_DOING_AGAIN } UndoMode;

struct _AssayUndo
{
  GObject parent_instance;
  AssayLedger *ledger;   /* owned */
  GPtrArray *undo, *redo; /* owned: steps, each a GPtrArray of AssayEdit, newest last */
  GPtrArray *step;       /* owned: the one being gathered, or NULL */
  gboolean grouping;
  UndoMode mode;
};

G_DEFINE_FINAL_TYPE (AssayUndo, assay_undo, G_TYPE_OBJECT)

enum { PROP_0, PROP_UNDO_LABEL, PROP_REDO_LABEL, N_PROPS };
static GParamSpec *properties[N_PROPS];

/* By AssayEditKind; whole phrases, since they are not put together alike in every language. */
static const char *const undo_labels[] = {
  N_("Undo Import"), N_("Undo Delete Run"), N_("Undo Review"),  N_("Undo Delete Review"),
  N_("Undo Plan"),   N_("Undo Change of Run"), N_("Undo Rename"), N_("Undo Change of Criteria"),
  [ASSAY_EDIT_ADD_PREFERENCE] = N_("Undo Choice"),
  [ASSAY_EDIT_REMOVE_PREFERENCE] = N_("Undo Delete Choice"),
  [ASSAY_EDIT_QUEUE] = N_("Undo Change of Queue"),
};
static const char *const redo_labels[] = {
  N_("Redo Import"), N_("Redo Delete Run"), N_("Redo Review"),  N_("Redo Delete Review"),
  N_("Redo Plan"),   N_("Redo Change of Run"), N_("Redo Rename"), N_("Redo Change of Criteria"),
  [ASSAY_EDIT_ADD_PREFERENCE] = N_("Redo Choice"),
  [ASSAY_EDIT_REMOVE_PREFERENCE] = N_("Redo Delete Choice"),
  [ASSAY_EDIT_QUEUE] = N_("Redo Change of Queue"),
};

static GPtrArray *
step_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) assay_edit_free);
}

static GPtrArray *
stack_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
}

static void
undo_notify (AssayUndo *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_UNDO_LABEL]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_REDO_LABEL]);
}

static GPtrArray *
undo_pick_stack (AssayUndo *self)
{
  return self->mode == UNDO_TAKING_BACK ? self->redo : self->undo;
}

static void
undo_push_step (AssayUndo *self)
{
  g_autoptr(GPtrArray) step = g_steal_pointer (&self->step);
  if (step == NULL || step->len == 0)
    return;
  if (self->mode == UNDO_IDLE)
    g_ptr_array_set_size (self->redo, 0);
  GPtrArray *stack = undo_pick_stack (self);
  g_ptr_array_add (stack, g_steal_pointer (&step));
  if (stack->len > UNDO_MAX_STEPS)
    g_ptr_array_remove_index (stack, 0);
}

static void
undo_on_edited (AssayUndo *self, const AssayEdit *edit)
{
  if (self->mode == UNDO_IDLE && !self->grouping && assay_edit_get_kind (edit) == ASSAY_EDIT_ADD_RUN)
    return;
  if (self->step == NULL)
    self->step = step_new ();
  g_ptr_array_add (self->step, assay_edit_copy (edit));
  if (self->grouping || self->mode != UNDO_IDLE)
    return;
  undo_push_step (self);
  undo_notify (self);
}

/* Backwards, as far as it goes: what did not go stays in the step. */
static gboolean
undo_revert_step (AssayUndo *self, GPtrArray *step, GError **error)
{
  while (step->len > 0)
    {
      if (!assay_ledger_revert (self->ledger, g_ptr_array_index (step, step->len - 1), error))
        return FALSE;
      g_ptr_array_set_size (step, (gint) step->len - 1);
    }
  return TRUE;
}

static gboolean
undo_move (AssayUndo *self, GPtrArray *from, UndoMode mode, GError **error)
{
  if (from->len == 0 || self->grouping)
    return TRUE;
  self->mode = mode;
  const gboolean done = undo_revert_step (self, g_ptr_array_index (from, from->len - 1), error);
  undo_push_step (self);
  self->mode = UNDO_IDLE;
  if (done)
    g_ptr_array_set_size (from, (gint) from->len - 1);
  undo_notify (self);
  return done;
}

gboolean
assay_undo_undo (AssayUndo *self, GError **error)
{
  g_return_val_if_fail (ASSAY_IS_UNDO (self), FALSE);
  return undo_move (self, self->undo, UNDO_TAKING_BACK, error);
}

gboolean
assay_undo_redo (AssayUndo *self, GError **error)
{
  g_return_val_if_fail (ASSAY_IS_UNDO (self), FALSE);
  return undo_move (self, self->redo, UNDO_DOING_AGAIN, error);
}

void
assay_undo_begin (AssayUndo *self)
{
  g_return_if_fail (ASSAY_IS_UNDO (self) && !self->grouping);
  self->grouping = TRUE;
}

void
assay_undo_end (AssayUndo *self)
{
  g_return_if_fail (ASSAY_IS_UNDO (self) && self->grouping);
  self->grouping = FALSE;
  undo_push_step (self);
  undo_notify (self);
}

/* What the step did when it was first done: an entry of the redo stack holds the way back from that. */
static AssayEditKind
step_get_kind (GPtrArray *step, gboolean is_redo)
{
  const AssayEditKind kind = assay_edit_get_kind (g_ptr_array_index (step, 0));
  if (!is_redo)
    return kind;
  switch (kind)
    {
    case ASSAY_EDIT_ADD_RUN: return ASSAY_EDIT_REMOVE_RUN;
    case ASSAY_EDIT_REMOVE_RUN: return ASSAY_EDIT_ADD_RUN;
    case ASSAY_EDIT_ADD_REVIEW: return ASSAY_EDIT_REMOVE_REVIEW;
    case ASSAY_EDIT_REMOVE_REVIEW: return ASSAY_EDIT_ADD_REVIEW;
    case ASSAY_EDIT_ADD_PREFERENCE: return ASSAY_EDIT_REMOVE_PREFERENCE;
    case ASSAY_EDIT_REMOVE_PREFERENCE: return ASSAY_EDIT_ADD_PREFERENCE;
    default: return kind;
    }
}

const char *
assay_undo_get_undo_label (AssayUndo *self)
{
  g_return_val_if_fail (ASSAY_IS_UNDO (self), NULL);
  if (self->undo->len == 0)
    return NULL;
  return _(undo_labels[step_get_kind (g_ptr_array_index (self->undo, self->undo->len - 1), FALSE)]);
}

const char *
assay_undo_get_redo_label (AssayUndo *self)
{
  g_return_val_if_fail (ASSAY_IS_UNDO (self), NULL);
  if (self->redo->len == 0)
    return NULL;
  return _(redo_labels[step_get_kind (g_ptr_array_index (self->redo, self->redo->len - 1), TRUE)]);
}

static void
assay_undo_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayUndo *self = ASSAY_UNDO (object);
  if (id == PROP_UNDO_LABEL)
    g_value_set_string (value, assay_undo_get_undo_label (self));
  else
    g_value_set_string (value, assay_undo_get_redo_label (self));
}

static void
assay_undo_finalize (GObject *object)
{
  AssayUndo *self = ASSAY_UNDO (object);
  g_object_unref (self->ledger);
  g_ptr_array_unref (self->undo);
  g_ptr_array_unref (self->redo);
  g_clear_pointer (&self->step, g_ptr_array_unref);
  G_OBJECT_CLASS (assay_undo_parent_class)->finalize (object);
}

static void
assay_undo_class_init (AssayUndoClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = assay_undo_get_property;
  object_class->finalize = assay_undo_finalize;
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  properties[PROP_UNDO_LABEL] = g_param_spec_string ("undo-label", NULL, NULL, NULL, flags);
  properties[PROP_REDO_LABEL] = g_param_spec_string ("redo-label", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_undo_init (AssayUndo *self)
{
  self->undo = stack_new ();
  self->redo = stack_new ();
}

AssayUndo *
assay_undo_new (AssayLedger *ledger)
{
  AssayUndo *self = g_object_new (ASSAY_TYPE_UNDO, NULL);
  self->ledger = g_object_ref (ledger);
  g_signal_connect_object (ledger, "edited", G_CALLBACK (undo_on_edited), self, G_CONNECT_SWAPPED);
  return self;
}
