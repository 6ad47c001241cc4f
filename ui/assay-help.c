/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-help.h"

#include <glib/gi18n-lib.h>

#include "assay-accessible.h"
#include "assay-field.h"
#include "assay-help-pages.h"

struct _AssayHelp
{
  AdwWindow parent_instance;
  GtkStack *pages; /* template children */
  GtkWidget *sidebar;
};

G_DEFINE_FINAL_TYPE (AssayHelp, assay_help, ADW_TYPE_WINDOW)

static GtkWidget *
help_add_text (GtkBox *page, const char *text, const char *style)
{
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "label", text, "wrap", TRUE, "wrap-mode", PANGO_WRAP_WORD_CHAR,
                                   "natural-wrap-mode", GTK_NATURAL_WRAP_NONE, "xalign", 0.0f, NULL);
  if (style != NULL)
    gtk_widget_add_css_class (label, style);
  gtk_box_append (page, label);
  return label;
}

static void
help_add_point (GtkBox *page, const char *text)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *mark = gtk_label_new ("•");
  gtk_widget_set_valign (mark, GTK_ALIGN_START);
  gtk_box_append (GTK_BOX (row), mark);
  gtk_widget_set_hexpand (help_add_text (GTK_BOX (row), text, NULL), TRUE);
  gtk_box_append (page, row);
}

static void
help_add_part (GtkBox *page, const HelpPart *part)
{
  GtkWidget *code;
  switch (part->kind)
    {
    case HELP_HEADING: help_add_text (page, _(part->text), "heading"); break;
    case HELP_POINT: help_add_point (page, _(part->text)); break;
    case HELP_CODE:
      code = help_add_text (page, part->text, "help-code");
      gtk_label_set_selectable (GTK_LABEL (code), TRUE);
      gtk_accessible_update_property (GTK_ACCESSIBLE (code), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Example"), -1);
      break;
    case HELP_PARAGRAPH:
    case HELP_END:
    default: help_add_text (page, _(part->text), NULL); break;
    }
}

static void
help_add_field (GtkBox *page, const AssayFieldInfo *info)
{
  const char *unit = assay_unit_get_name (info->unit);
  g_autoptr(GString) facts = g_string_new (info->name);
  if (*unit != '\0')
    g_string_append_printf (facts, " · %s", unit);
  if (*info->domain != '\0')
    g_string_append_printf (facts, " · %s", info->domain);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  help_add_text (GTK_BOX (box), _(info->label), "heading");
  help_add_text (GTK_BOX (box), facts->str, "record-name");
  help_add_text (GTK_BOX (box), _(info->help), NULL);
  gtk_box_append (page, box);
}

/* The list of fields knows itself: what the form, the files and the command line call them. */
static void
help_add_fields (GtkBox *page)
{
  static const struct { AssayGroup group; const char *title; } groups[] = {
    { ASSAY_GROUP_CONDITIONS, N_("Conditions: what was asked for") },
    { ASSAY_GROUP_BURDEN, N_("Burden: what it took") },
    { ASSAY_GROUP_OUTCOME, N_("Outcome: how it ended") },
    { ASSAY_GROUP_QUALITY, N_("Quality: what a person judged") },
    { ASSAY_GROUP_PLAN, N_("Plan: what comes next") },
  };
  help_add_text (page, _("These names are the same in ledgers, on the command line and in every language."), NULL);
  for (guint g = 0; g < G_N_ELEMENTS (groups); g++)
    {
      help_add_text (page, _(groups[g].title), "title-3");
      for (guint f = 0; f < ASSAY_N_FIELDS; f++)
        if (assay_field_get_info (f)->group == groups[g].group)
          help_add_field (page, assay_field_get_info (f));
    }
}

static GtkWidget *
help_make_page (const HelpTopic *topic)
{
  GtkWidget *page = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  g_object_set (page, "margin-top", 24, "margin-bottom", 24, "margin-start", 24, "margin-end", 24, NULL);
  help_add_text (GTK_BOX (page), _(topic->title), "title-1");
  for (const HelpPart *part = topic->parts; part != NULL && part->kind != HELP_END; part++)
    help_add_part (GTK_BOX (page), part);
  if (topic->parts == NULL)
    help_add_fields (GTK_BOX (page));
  GtkWidget *clamp = g_object_new (ADW_TYPE_CLAMP, "maximum-size", 640, "child", page, NULL);
  GtkWidget *scroller = g_object_new (GTK_TYPE_SCROLLED_WINDOW, "hscrollbar-policy", GTK_POLICY_NEVER, "child", clamp,
                                      "hexpand", TRUE, "vexpand", TRUE, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (scroller), GTK_ACCESSIBLE_PROPERTY_LABEL, _(topic->title), -1);
  return scroller;
}

void
assay_help_show_topic (AssayHelp *self, const char *name)
{
  g_return_if_fail (ASSAY_IS_HELP (self) && name != NULL);
  if (gtk_stack_get_child_by_name (self->pages, name) != NULL)
    gtk_stack_set_visible_child_name (self->pages, name);
}

static void
assay_help_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), ASSAY_TYPE_HELP);
  G_OBJECT_CLASS (assay_help_parent_class)->dispose (object);
}

static void
assay_help_class_init (AssayHelpClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = assay_help_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-help.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayHelp, pages);
  gtk_widget_class_bind_template_child (widget_class, AssayHelp, sidebar);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_w, GDK_CONTROL_MASK, "window.close", NULL);
}

/* GTK's rows of topics know their type only. */
static void
help_name_rows (GtkWidget *widget, const HelpTopic *topics)
{
  if (GTK_IS_LIST_BOX_ROW (widget))
    assay_accessible_name (widget, _(topics[gtk_list_box_row_get_index (GTK_LIST_BOX_ROW (widget))].title));
  else
    for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
         child = gtk_widget_get_next_sibling (child))
      help_name_rows (child, topics);
}

static void
assay_help_init (AssayHelp *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  guint n;
  const HelpTopic *topics = assay_help_get_topics (&n);
  for (guint i = 0; i < n; i++)
    gtk_stack_add_titled (self->pages, help_make_page (&topics[i]), topics[i].name, _(topics[i].title));
  help_name_rows (self->sidebar, topics);
}

GtkWidget *
assay_help_new (void)
{
  return g_object_new (ASSAY_TYPE_HELP, NULL);
}
