/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-tooltip.h"

static G_DEFINE_QUARK (assay-tooltip, tooltip)

static gboolean
on_query (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip, gpointer data)
{
  const char *text = g_object_get_qdata (G_OBJECT (widget), tooltip_quark ());

  gtk_tooltip_set_text (tooltip, text);
  return text != NULL;
}

void
assay_tooltip_set (GtkWidget *widget, const char *text)
{
  g_return_if_fail (GTK_IS_WIDGET (widget));
  if (!gtk_widget_get_has_tooltip (widget) && text != NULL)
    {
      g_signal_handlers_disconnect_by_func (widget, on_query, NULL);
      g_signal_connect (widget, "query-tooltip", G_CALLBACK (on_query), NULL);
    }
  g_object_set_qdata_full (G_OBJECT (widget), tooltip_quark (), g_strdup (text), g_free);
  gtk_widget_set_has_tooltip (widget, text != NULL);
}

const char *
assay_tooltip_get (GtkWidget *widget)
{
  const char *text = g_object_get_qdata (G_OBJECT (widget), tooltip_quark ());

  return text != NULL ? text : gtk_widget_get_tooltip_text (widget);
}
