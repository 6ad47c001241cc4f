/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-queue-row.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "assay-accessible.h"

struct _AssayQueueRow
{
  GtkListBoxRow parent_instance;
  AssaySession *session; /* owned */
  AssayRecord *planned;  /* owned */
  GtkWidget *state;      /* within the row */
};

G_DEFINE_FINAL_TYPE (AssayQueueRow, assay_queue_row, GTK_TYPE_LIST_BOX_ROW)

static void
row_move (AssayQueueRow *self, gint by)
{
  assay_session_move_planned (self->session, assay_record_get_id (self->planned), by);
}

static void
on_up (AssayQueueRow *self)
{
  row_move (self, -1);
}

static void
on_down (AssayQueueRow *self)
{
  row_move (self, 1);
}

static void
on_remove (AssayQueueRow *self)
{
  assay_session_unplan (self->session, assay_record_get_id (self->planned));
}

static gboolean
on_key (AssayQueueRow *self, guint keyval, guint keycode, GdkModifierType state)
{
  const gboolean alt = (state & gtk_accelerator_get_default_mod_mask ()) == GDK_ALT_MASK;
  if (alt && (keyval == GDK_KEY_Up || keyval == GDK_KEY_KP_Up))
    on_up (self);
  else if (alt && (keyval == GDK_KEY_Down || keyval == GDK_KEY_KP_Down))
    on_down (self);
  else if (keyval == GDK_KEY_Delete || keyval == GDK_KEY_KP_Delete)
    on_remove (self);
  else
    return GDK_EVENT_PROPAGATE;
  return GDK_EVENT_STOP;
}

/* Takes the name, which tells the button from those of other rows. */
static GtkWidget *
row_add_button (AssayQueueRow *self, GtkWidget *box, const char *icon, const char *tooltip, char *name,
                GCallback on_clicked)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);
  g_autofree char *taken = name;
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, tooltip);
  assay_accessible_name (button, taken);
  g_signal_connect_object (button, "clicked", on_clicked, self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (box), button);
  return button;
}

static GtkWidget *
row_make_label (const char *text, const char *css_class)
{
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "label", text, "xalign", 0.0f, "wrap", TRUE, "wrap-mode",
                                   PANGO_WRAP_WORD_CHAR, "lines", 3, "ellipsize", PANGO_ELLIPSIZE_END, "width-chars", 12, NULL);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

static void
row_fill (AssayQueueRow *self, guint number, guint n)
{
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  g_autofree char *change = assay_planned_dup_change (ledger, self->planned);
  g_autofree char *place = g_strdup_printf ("%u", number);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8), *words = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  gtk_widget_add_css_class (box, "field-row");
  gtk_box_append (GTK_BOX (box), row_make_label (place, "dim-label"));
  gtk_label_set_width_chars (GTK_LABEL (gtk_widget_get_first_child (box)), 2);
  gtk_box_append (GTK_BOX (words), row_make_label (change, NULL));
  self->state = row_make_label ("", "dim-label");
  gtk_widget_add_css_class (self->state, "caption");
  gtk_box_append (GTK_BOX (words), self->state);
  gtk_widget_set_hexpand (words, TRUE);
  gtk_box_append (GTK_BOX (box), words);
  GtkWidget *up = row_add_button (self, box, "go-up-symbolic", _("Run it earlier (Alt+Up)"),
                                  /* Translators: %s says what a planned trial changes */
                                  g_strdup_printf (_("Run earlier: %s"), change), G_CALLBACK (on_up));
  GtkWidget *down = row_add_button (self, box, "go-down-symbolic", _("Run it later (Alt+Down)"),
                                    g_strdup_printf (_("Run later: %s"), change), G_CALLBACK (on_down));
  row_add_button (self, box, "user-trash-symbolic", _("Take it off the queue (Delete)"),
                  g_strdup_printf (_("Take off: %s"), change), G_CALLBACK (on_remove));
  gtk_widget_set_sensitive (up, number > 1);
  gtk_widget_set_sensitive (down, number < n);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (self), box);
}

void
assay_queue_row_show (AssayQueueRow *self, const char *words, gboolean current)
{
  g_return_if_fail (ASSAY_IS_QUEUE_ROW (self));
  g_autofree char *first = words != NULL ? g_strndup (words, strcspn (words, "\n")) : NULL;
  const char *shown = current ? _("It is its turn now") : first != NULL ? first : "";
  g_autofree char *change = assay_planned_dup_change (assay_session_get_ledger (self->session), self->planned);
  g_autofree char *name = *shown != '\0' ? g_strdup_printf ("%s. %s", change, shown) : g_strdup (change);
  gtk_label_set_text (GTK_LABEL (self->state), shown);
  gtk_widget_set_visible (self->state, *shown != '\0');
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), words);
  assay_accessible_name (GTK_WIDGET (self), name);
}

AssayRecord *
assay_queue_row_get_planned (AssayQueueRow *self)
{
  return self->planned;
}

static void
assay_queue_row_dispose (GObject *object)
{
  g_clear_object (&ASSAY_QUEUE_ROW (object)->session);
  g_clear_object (&ASSAY_QUEUE_ROW (object)->planned);
  G_OBJECT_CLASS (assay_queue_row_parent_class)->dispose (object);
}

static void
assay_queue_row_class_init (AssayQueueRowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_queue_row_dispose;
}

static void
assay_queue_row_init (AssayQueueRow *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (on_key), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
}

GtkWidget *
assay_queue_row_new (AssaySession *session, AssayRecord *planned, guint number, guint n)
{
  AssayQueueRow *self = g_object_new (ASSAY_TYPE_QUEUE_ROW, "activatable", FALSE, NULL);
  self->session = g_object_ref (session);
  self->planned = g_object_ref (planned);
  row_fill (self, number, n);
  assay_queue_row_show (self, NULL, FALSE);
  return GTK_WIDGET (self);
}
