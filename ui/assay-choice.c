/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-choice.h"

#include "assay-accessible.h"

struct _AssayChoice
{
  GObject parent_instance;
  char *value, *label, *problem; /* owned */
};

G_DEFINE_FINAL_TYPE (AssayChoice, assay_choice, G_TYPE_OBJECT)

enum { PROP_0, PROP_LABEL, PROP_PROBLEM, N_PROPS };
static GParamSpec *properties[N_PROPS];

AssayChoice *
assay_choice_new (const char *value, const char *label)
{
  AssayChoice *self = g_object_new (ASSAY_TYPE_CHOICE, NULL);
  self->value = g_strdup (value);
  self->label = g_strdup (label);
  return self;
}

const char *
assay_choice_get_value (AssayChoice *self)
{
  return self->value;
}

const char *
assay_choice_get_label (AssayChoice *self)
{
  return self->label;
}

const char *
assay_choice_get_problem (AssayChoice *self)
{
  return self->problem;
}

void
assay_choice_set_problem (AssayChoice *self, const char *problem)
{
  if (g_strcmp0 (self->problem, problem) == 0)
    return;
  g_free (self->problem);
  self->problem = g_strdup (problem);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROBLEM]);
}

static void
assay_choice_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayChoice *self = ASSAY_CHOICE (object);
  switch (id)
    {
    case PROP_LABEL: g_value_set_string (value, self->label); break;
    case PROP_PROBLEM: g_value_set_string (value, self->problem); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_choice_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_PROBLEM)
    assay_choice_set_problem (ASSAY_CHOICE (object), g_value_get_string (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_choice_finalize (GObject *object)
{
  AssayChoice *self = ASSAY_CHOICE (object);
  g_free (self->value);
  g_free (self->label);
  g_free (self->problem);
  G_OBJECT_CLASS (assay_choice_parent_class)->finalize (object);
}

static void
assay_choice_class_init (AssayChoiceClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = assay_choice_get_property;
  object_class->set_property = assay_choice_set_property;
  object_class->finalize = assay_choice_finalize;
  properties[PROP_LABEL] =
    g_param_spec_string ("label", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_PROBLEM] = g_param_spec_string ("problem", NULL, NULL, NULL,
                                                  G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_choice_init (AssayChoice *self)
{
}

/* A row: the words at the left, whether it is the one taken at the right. */

static void
choice_row_refresh (GtkListItem *item)
{
  AssayChoice *self = gtk_list_item_get_item (item);
  GtkWidget *name = gtk_widget_get_first_child (gtk_widget_get_first_child (gtk_list_item_get_child (item)));
  GtkWidget *why = gtk_widget_get_next_sibling (name);
  gtk_label_set_text (GTK_LABEL (name), self->label);
  assay_accessible_name_item (item, self->label);
  gtk_label_set_text (GTK_LABEL (why), self->problem != NULL ? self->problem : "");
  gtk_widget_set_visible (why, self->problem != NULL);
  gtk_widget_set_sensitive (name, self->problem == NULL);
  gtk_list_item_set_activatable (item, self->problem == NULL);
  gtk_list_item_set_selectable (item, self->problem == NULL);
}

static void
choice_row_show_taken (GtkListItem *item, GParamSpec *pspec, GtkDropDown *drop_down)
{
  GtkWidget *check = gtk_widget_get_last_child (gtk_list_item_get_child (item));
  const gboolean taken = gtk_drop_down_get_selected_item (drop_down) == gtk_list_item_get_item (item);
  gtk_widget_set_opacity (check, taken ? 1.0 : 0.0); /* its place stays */
}

static void
on_list_setup (GtkListItemFactory *factory, GtkListItem *item, GtkDropDown *drop_down)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *name = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0f, NULL);
  GtkWidget *why = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0f, "wrap", TRUE, "width-chars", 34, "max-width-chars", 44,
                                 NULL);
  gtk_widget_add_css_class (why, "caption");
  gtk_widget_add_css_class (why, "dim-label");
  gtk_widget_set_hexpand (box, TRUE);
  gtk_box_append (GTK_BOX (box), name);
  gtk_box_append (GTK_BOX (box), why);
  gtk_box_append (GTK_BOX (row), box);
  gtk_box_append (GTK_BOX (row), g_object_new (GTK_TYPE_IMAGE, "icon-name", "object-select-symbolic", "accessible-role",
                                               GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL));
  gtk_list_item_set_child (item, row);
}

static void
on_list_bind (GtkListItemFactory *factory, GtkListItem *item, GtkDropDown *drop_down)
{
  g_signal_connect_swapped (gtk_list_item_get_item (item), "notify::problem", G_CALLBACK (choice_row_refresh), item);
  g_signal_connect_swapped (drop_down, "notify::selected-item", G_CALLBACK (choice_row_show_taken), item);
  choice_row_refresh (item);
  choice_row_show_taken (item, NULL, drop_down);
}

static void
on_list_unbind (GtkListItemFactory *factory, GtkListItem *item, GtkDropDown *drop_down)
{
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (item), choice_row_refresh, item);
  g_signal_handlers_disconnect_by_func (drop_down, choice_row_show_taken, item);
}

static void
on_button_setup (GtkListItemFactory *factory, GtkListItem *item)
{
  gtk_list_item_set_child (item, g_object_new (GTK_TYPE_LABEL, "xalign", 0.0f, "ellipsize", PANGO_ELLIPSIZE_END, NULL));
}

static void
on_button_bind (GtkListItemFactory *factory, GtkListItem *item)
{
  AssayChoice *self = gtk_list_item_get_item (item);
  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)), self->label);
}

/* The factories are the drop-down's own, and go with it. */
void
assay_choice_set_up_drop_down (GtkDropDown *drop_down)
{
  g_autoptr(GtkListItemFactory) list = gtk_signal_list_item_factory_new ();
  g_autoptr(GtkListItemFactory) button = gtk_signal_list_item_factory_new ();
  g_autoptr(GtkExpression) label = gtk_property_expression_new (ASSAY_TYPE_CHOICE, NULL, "label");
  g_signal_connect (list, "setup", G_CALLBACK (on_list_setup), drop_down);
  g_signal_connect (list, "bind", G_CALLBACK (on_list_bind), drop_down);
  g_signal_connect (list, "unbind", G_CALLBACK (on_list_unbind), drop_down);
  g_signal_connect (button, "setup", G_CALLBACK (on_button_setup), NULL);
  g_signal_connect (button, "bind", G_CALLBACK (on_button_bind), NULL);
  gtk_drop_down_set_factory (drop_down, button);
  gtk_drop_down_set_list_factory (drop_down, list);
  gtk_drop_down_set_expression (drop_down, label); /* what a search looks through */
}
