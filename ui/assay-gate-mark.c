/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-gate-mark.c: see the header. Lists hold thousands of these: the popover is made when it is first opened. */
#include "assay-gate-mark.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "assay-accessible.h"
#include "assay-display-text.h"
#include "assay-tooltip.h"

#define MOST_CHARS 4000

struct _AssayGateMark
{
  GtkWidget parent_instance;
  GtkWidget *button; /* child, once there is evidence to show; a list of ledgers has none */
  GtkWidget *label;  /* child, or borrowed from the button */
  char *heading, *evidence; /* owned */
  AssayGate gate;
};

G_DEFINE_FINAL_TYPE (AssayGateMark, assay_gate_mark, GTK_TYPE_WIDGET)

static GtkWidget *
text_label_new (const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 48);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

/* A figure a line: what a gate stands on is read, not skimmed. */
static char *
evidence_dup_lines (const char *evidence)
{
  g_auto(GStrv) parts = g_strsplit (evidence, " · ", -1);
  g_autofree char *lines = g_strjoinv ("\n", parts);

  return assay_display_text (lines, strlen (lines), MOST_CHARS, NULL);
}

/* What the verdict stands on, and what would make one where there is none. */
static GtkWidget *
thresholds_button_new (AssayGate gate, GtkPopover *popover)
{
  GtkWidget *button = gtk_button_new_with_label (_("Edit the Thresholds…"));

  gtk_widget_set_halign (button, GTK_ALIGN_START);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.edit-thresholds");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", assay_gate_get_name (gate));
  g_signal_connect_object (button, "clicked", G_CALLBACK (gtk_popover_popdown), popover, G_CONNECT_SWAPPED);
  return button;
}

static void
on_popup (GtkMenuButton *button, gpointer data)
{
  AssayGateMark *self = data;
  GtkWidget *popover = gtk_popover_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  g_autofree char *lines = evidence_dup_lines (self->evidence);
  GtkWidget *text = text_label_new (lines, NULL);

  gtk_label_set_selectable (GTK_LABEL (text), TRUE);
  gtk_widget_set_can_focus (text, FALSE); /* else it opens all selected */
  gtk_box_append (GTK_BOX (box), text_label_new (self->heading, "heading"));
  gtk_box_append (GTK_BOX (box), text);
  if (self->gate != ASSAY_GATE_QUALITY) /* which persons judge */
    gtk_box_append (GTK_BOX (box), thresholds_button_new (self->gate, GTK_POPOVER (popover)));
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_menu_button_set_popover (button, popover);
}

static void
mark_show_verdict (AssayGateMark *self, AssayVerdict verdict)
{
  const char *classes[] = { "gate-mark", "dim-label", NULL };

  if (verdict == ASSAY_VERDICT_PASS)
    classes[1] = "gate-pass";
  else if (verdict == ASSAY_VERDICT_FAIL)
    classes[1] = "gate-fail";
  gtk_widget_set_css_classes (self->label, classes);
}

static void
mark_make_button (AssayGateMark *self)
{
  g_autoptr(GtkWidget) label = g_object_ref (self->label);

  gtk_widget_unparent (label);
  self->button = gtk_menu_button_new ();
  gtk_menu_button_set_child (GTK_MENU_BUTTON (self->button), label);
  gtk_menu_button_set_has_frame (GTK_MENU_BUTTON (self->button), FALSE);
  gtk_widget_add_css_class (self->button, "gate-button");
  gtk_widget_set_halign (self->button, GTK_ALIGN_START);
  gtk_widget_set_parent (self->button, GTK_WIDGET (self));
}

static void
mark_show_evidence (AssayGateMark *self)
{
  if (self->button == NULL && self->evidence != NULL)
    mark_make_button (self);
  if (self->button == NULL)
    return;
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (self->button), NULL);
  gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (self->button), self->evidence != NULL ? on_popup : NULL, self, NULL);
  gtk_widget_set_sensitive (self->button, self->evidence != NULL);
}

void
assay_gate_mark_describe (AssayGateMark *self, const char *words)
{
  g_return_if_fail (ASSAY_IS_GATE_MARK (self) && words != NULL);
  char *kept = g_strdup (words);

  g_free (self->heading);
  self->heading = kept;
  assay_tooltip_set (GTK_WIDGET (self), words);
  assay_accessible_name (self->button != NULL ? self->button : self->label, words);
}

void
assay_gate_mark_set (AssayGateMark *self, AssayGate gate, AssayVerdict verdict, const char *words, const char *evidence)
{
  g_return_if_fail (ASSAY_IS_GATE_MARK (self));
  g_autofree char *text
    = words == NULL ? g_strdup_printf ("%s %s", assay_gate_get_word (gate), assay_verdict_get_mark (verdict)) : NULL;

  self->gate = gate;
  g_free (self->heading);
  g_free (self->evidence);
  /* Translators: a gate and its verdict: “good: not judged”. */
  self->heading = g_strdup_printf (C_ ("gate", "%s: %s"), assay_gate_get_word (gate), assay_verdict_get_word (verdict));
  self->evidence = g_strdup (evidence);
  gtk_label_set_text (GTK_LABEL (self->label), words != NULL ? words : text);
  mark_show_verdict (self, verdict);
  mark_show_evidence (self);
  /* What a button is made of takes its name from it. */
  assay_accessible_name (self->button != NULL ? self->button : self->label, self->heading);
}

static void
assay_gate_mark_dispose (GObject *object)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (assay_gate_mark_parent_class)->dispose (object);
}

static void
assay_gate_mark_finalize (GObject *object)
{
  g_free (ASSAY_GATE_MARK (object)->heading);
  g_free (ASSAY_GATE_MARK (object)->evidence);
  G_OBJECT_CLASS (assay_gate_mark_parent_class)->finalize (object);
}

static void
assay_gate_mark_class_init (AssayGateMarkClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_gate_mark_dispose;
  G_OBJECT_CLASS (klass)->finalize = assay_gate_mark_finalize;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
assay_gate_mark_init (AssayGateMark *self)
{
  self->label = gtk_label_new (NULL);
  gtk_widget_set_parent (self->label, GTK_WIDGET (self));
}

GtkWidget *
assay_gate_mark_new (void)
{
  return g_object_new (ASSAY_TYPE_GATE_MARK, NULL);
}
