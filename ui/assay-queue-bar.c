/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-queue-bar.c: see the header. Forecasts are made for the list alone, one after another and off the window's
 * thread; a trial never changes, so that each is asked about once. */
#include "assay-queue-bar.h"

#include <glib/gi18n-lib.h>

#include "assay-queue-row.h"

struct _AssayQueueBar
{
  GtkWidget parent_instance;
  AssaySession *session;  /* owned */
  GHashTable *foretold;   /* owned: AssayRecord (owned) → char* (owned): what was foretold, "" for nothing */
  GCancellable *foretelling; /* owned: the one under way, or NULL */
  gboolean blind;
  guint refresh_due;      /* source id */

  /* template children */
  GtkToggleButton *toggle;
  GtkLabel *status;
  GtkWidget *run_button, *discard_button, *pause_button; /* in the line */
  GtkWidget *choices;                                    /* below it, while the queue waits */
  GtkListBox *list;
  GtkCheckButton *stops;
};

G_DEFINE_FINAL_TYPE (AssayQueueBar, assay_queue_bar, GTK_TYPE_WIDGET)

/* --- forecasts --- */

static void bar_foretell_next (AssayQueueBar *self);

typedef struct
{
  AssayRecord *planned;
  GPtrArray *questions;
} Foretelling;

static void
foretelling_free (gpointer data)
{
  Foretelling *asked = data;
  g_object_unref (asked->planned);
  g_clear_pointer (&asked->questions, g_ptr_array_unref);
  g_free (asked);
}

static void
foretell_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Foretelling *asked = data;
  g_autoptr(AssayReadiness) readiness
    = assay_readiness_new (assay_record_get_conditions (asked->planned), asked->questions);
  g_task_return_pointer (task, g_strdup (readiness->words != NULL ? readiness->words : ""), g_free);
}

static void
foretold_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssayQueueBar *self = ASSAY_QUEUE_BAR (source);
  const Foretelling *asked = g_task_get_task_data (G_TASK (result));
  g_autofree char *words = g_task_propagate_pointer (G_TASK (result), NULL);
  g_clear_object (&self->foretelling);
  if (words == NULL || self->session == NULL)
    return;
  g_hash_table_insert (self->foretold, g_object_ref (asked->planned), g_steal_pointer (&words));
  bar_foretell_next (self);
}

static gboolean
bar_is_current (AssayQueueBar *self, AssayRecord *planned)
{
  AssayQueue *queue = assay_session_get_queue (self->session);
  return queue != NULL && assay_queue_get_current (queue) == planned
         && assay_queue_get_state (queue) != ASSAY_QUEUE_PAUSED;
}

static void
bar_foretell (AssayQueueBar *self, AssayRecord *planned)
{
  Foretelling *asked = g_new0 (Foretelling, 1);
  GPtrArray *questions = assay_queue_get_questions (assay_session_get_ledger (self->session), planned);
  asked->planned = g_object_ref (planned);
  asked->questions = questions != NULL ? g_ptr_array_ref (questions) : NULL;
  self->foretelling = g_cancellable_new ();
  g_autoptr(GTask) task = g_task_new (self, self->foretelling, foretold_cb, NULL);
  g_task_set_task_data (task, asked, foretelling_free);
  g_task_run_in_thread (task, foretell_thread);
}

/* Shows what is known, and asks for the first that is not. Nothing is asked while a trial runs: it would share its
 * processor. */
static void
bar_foretell_next (AssayQueueBar *self)
{
  gboolean asks = self->foretelling == NULL && gtk_toggle_button_get_active (self->toggle)
                  && !assay_session_is_running (self->session);
  GtkListBoxRow *row;
  for (gint i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL; i++)
    {
      AssayRecord *planned = assay_queue_row_get_planned (ASSAY_QUEUE_ROW (row));
      const char *words = g_hash_table_lookup (self->foretold, planned);
      assay_queue_row_show (ASSAY_QUEUE_ROW (row), words, bar_is_current (self, planned));
      if (words == NULL && asks)
        {
          bar_foretell (self, planned);
          asks = FALSE;
        }
    }
}

/* --- the list --- */

static gboolean
bar_shows (AssayQueueBar *self, GPtrArray *left)
{
  guint i = 0;
  GtkListBoxRow *row;
  for (; (row = gtk_list_box_get_row_at_index (self->list, (gint) i)) != NULL; i++)
    if (i >= left->len || assay_queue_row_get_planned (ASSAY_QUEUE_ROW (row)) != left->pdata[i])
      return FALSE;
  return i == left->len;
}

/* Which of the list's trials has the focus; NULL: none. (transfer full) */
static AssayRecord *
bar_dup_focused (AssayQueueBar *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  GtkWidget *row = focus != NULL ? gtk_widget_get_ancestor (focus, ASSAY_TYPE_QUEUE_ROW) : NULL;
  return row != NULL ? g_object_ref (assay_queue_row_get_planned (ASSAY_QUEUE_ROW (row))) : NULL;
}

static void
bar_fill_list (AssayQueueBar *self, GPtrArray *left)
{
  if (bar_shows (self, left))
    return;
  g_autoptr(AssayRecord) focused = bar_dup_focused (self);
  GtkListBoxRow *row;
  while ((row = gtk_list_box_get_row_at_index (self->list, 0)) != NULL)
    gtk_list_box_remove (self->list, GTK_WIDGET (row));
  for (guint i = 0; i < left->len; i++)
    {
      GtkWidget *made = assay_queue_row_new (self->session, left->pdata[i], i + 1, left->len);
      gtk_list_box_append (self->list, made);
      if (left->pdata[i] == focused) /* it was moved: the keys go on moving it */
        gtk_widget_grab_focus (made);
    }
}

/* --- what is said --- */

/* Before a button that was pressed goes away: else the focus would go to whatever comes first in the window, and the
 * next click be lost. */
static void
bar_keep_focus (AssayQueueBar *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  if (focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self))
      && !gtk_widget_is_ancestor (focus, GTK_WIDGET (self->list)))
    gtk_widget_grab_focus (GTK_WIDGET (self->toggle));
}

static void
bar_show_buttons (AssayQueueBar *self, gboolean idle, gboolean paused)
{
  if (idle != gtk_widget_get_visible (self->run_button) || paused != gtk_widget_get_visible (self->choices))
    bar_keep_focus (self);
  gtk_widget_set_visible (self->run_button, idle);
  gtk_widget_set_visible (self->discard_button, idle);
  gtk_widget_set_visible (self->pause_button, !idle && !paused);
  gtk_widget_set_visible (self->choices, paused);
}

static char *
bar_dup_status (AssayQueueBar *self, AssayQueue *queue, guint left)
{
  AssayRecord *current = queue != NULL ? assay_queue_get_current (queue) : NULL;
  if (queue == NULL || current == NULL)
    return g_strdup_printf (ngettext ("%u planned trial is left", "%u planned trials are left", left), left);
  g_autofree char *change = assay_planned_dup_change (assay_session_get_ledger (self->session), current);
  const guint others = left > 0 ? left - 1 : 0;
  if (assay_queue_get_state (queue) == ASSAY_QUEUE_PAUSED)
    /* Translators: what the next trial changes, and why it cannot be run now */
    return g_strdup_printf (_("The queue waits before “%s”. %s"), change, assay_queue_get_readiness (queue)->words);
  if (assay_queue_is_stopping (queue))
    return g_strdup_printf (_("The queue pauses after “%s”"), change);
  return g_strdup_printf (ngettext ("The queue runs “%s”; %u more is planned", "The queue runs “%s”; %u more are planned", others),
                          change, others);
}

static void
bar_refresh (AssayQueueBar *self)
{
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  AssayQueue *queue = assay_session_get_queue (self->session);
  g_autoptr(GPtrArray) left = ledger != NULL ? assay_ledger_dup_left (ledger) : g_ptr_array_new ();
  const gboolean shown = !self->blind && ledger != NULL && (left->len > 0 || queue != NULL);
  const gboolean paused = queue != NULL && assay_queue_get_state (queue) == ASSAY_QUEUE_PAUSED;
  gtk_widget_set_visible (GTK_WIDGET (self), shown);
  if (!shown)
    g_ptr_array_set_size (left, 0); /* nor can a screen reader find it */
  g_autofree char *status = shown ? bar_dup_status (self, queue, left->len) : g_strdup ("");
  gtk_label_set_text (self->status, status);
  bar_show_buttons (self, queue == NULL, paused);
  gtk_widget_set_sensitive (self->run_button, assay_session_can_run_queue (self->session));
  bar_fill_list (self, left);
  bar_foretell_next (self);
}

static gboolean
bar_on_due (gpointer bar)
{
  AssayQueueBar *self = bar;
  self->refresh_due = 0;
  bar_refresh (self);
  return G_SOURCE_REMOVE;
}

/* Changes come in swarms; and a button that was pressed must not go away within its own click. */
static void
bar_refresh_soon (AssayQueueBar *self)
{
  if (self->refresh_due == 0)
    self->refresh_due = g_idle_add (bar_on_due, self);
}

void
assay_queue_bar_set_blind (AssayQueueBar *self, gboolean blind)
{
  g_return_if_fail (ASSAY_IS_QUEUE_BAR (self));
  self->blind = blind;
  bar_refresh (self);
}

void
assay_queue_bar_set_session (AssayQueueBar *self, AssaySession *session)
{
  g_return_if_fail (ASSAY_IS_QUEUE_BAR (self) && self->session == NULL);
  self->session = g_object_ref (session);
  g_signal_connect_object (session, "queue-changed", G_CALLBACK (bar_refresh_soon), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::running", G_CALLBACK (bar_refresh_soon), self, G_CONNECT_SWAPPED);
  g_object_bind_property (assay_session_get_settings (session), "queue-stops-at-failure", self->stops, "active",
                          G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL);
  bar_refresh (self);
}

static void
assay_queue_bar_dispose (GObject *object)
{
  AssayQueueBar *self = ASSAY_QUEUE_BAR (object);
  if (self->foretelling != NULL)
    g_cancellable_cancel (self->foretelling);
  g_clear_object (&self->foretelling);
  g_clear_handle_id (&self->refresh_due, g_source_remove);
  g_clear_object (&self->session);
  g_clear_pointer (&self->foretold, g_hash_table_unref);
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL) /* the template drops those it binds only */
    gtk_widget_unparent (child);
  gtk_widget_dispose_template (GTK_WIDGET (object), ASSAY_TYPE_QUEUE_BAR);
  G_OBJECT_CLASS (assay_queue_bar_parent_class)->dispose (object);
}

static void
assay_queue_bar_class_init (AssayQueueBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = assay_queue_bar_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-queue-bar.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, AssayQueueBar, name)
  CHILD (toggle);
  CHILD (status);
  CHILD (run_button);
  CHILD (discard_button);
  CHILD (pause_button);
  CHILD (choices);
  CHILD (list);
  CHILD (stops);
#undef CHILD
}

static void
assay_queue_bar_init (AssayQueueBar *self)
{
  self->foretold = g_hash_table_new_full (NULL, NULL, g_object_unref, g_free);
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_orientable_set_orientation (GTK_ORIENTABLE (gtk_widget_get_layout_manager (GTK_WIDGET (self))),
                                  GTK_ORIENTATION_VERTICAL);
  g_signal_connect_object (self->toggle, "notify::active", G_CALLBACK (bar_foretell_next), self, G_CONNECT_SWAPPED);
}
