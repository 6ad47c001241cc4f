/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-plot-name.c: names beside marks, where there is room for them: none lies over a mark or another name. First
 * come those that a person selected, then those on the frontiers; what finds no place is named by the readout. */
#include "assay-plot-draw-private.h"

#include <math.h>

#define MOST_NAMES 24u
#define MOST_CHARS 30

typedef struct
{
  AssayPlotPen *plot;
  GArray *found;        /* (element-type AssayPlotName) */
  GArray *taken;        /* (element-type AssayChartRect) */
  GHashTable *asked;    /* marks that were given a chance */
} Names;

static gboolean
names_are_free (const Names *names, const AssayChartRect *place)
{
  const AssayChartRect *plot = &names->plot->layout->plot;

  if (place->x < plot->x || place->y < plot->y || place->x + place->width > plot->x + plot->width
      || place->y + place->height > plot->y + plot->height)
    return FALSE;
  for (guint i = 0; i < names->taken->len; i++)
    if (assay_chart_rects_touch (place, &g_array_index (names->taken, AssayChartRect, i)))
      return FALSE;
  return TRUE;
}

/* Right, left, above, below. */
static gboolean
names_try (Names *names, double x, double y, const char *words)
{
  const double width = ceil (assay_chart_text_measure (names->plot->pen.text, words, FALSE)) + 4.0;
  const double height = names->plot->layout->line_height, off = names->plot->layout->mark_radius * 1.9;
  const AssayChartRect places[] = { { x + off, y - height / 2.0, width, height },
                                    { x - off - width, y - height / 2.0, width, height },
                                    { x - width / 2.0, y - off - height, width, height },
                                    { x - width / 2.0, y + off, width, height } };

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    if (names_are_free (names, &places[i]))
      {
        const AssayPlotName name = { places[i], g_strdup (words) };
        g_array_append_val (names->found, name);
        g_array_append_val (names->taken, places[i]);
        return TRUE;
      }
  return FALSE;
}

static void
names_add (Names *names, guint index)
{
  const AssayPlotMark *mark = assay_plot_data_get_mark (names->plot->data, index);
  double x, y;

  if (g_hash_table_size (names->asked) >= MOST_NAMES || !g_hash_table_add (names->asked, GUINT_TO_POINTER (index + 1)))
    return;
  assay_plot_layout_get_place (names->plot->layout, mark, &x, &y);
  const char *title = assay_plot_data_get_title (names->plot->data, index);
  g_autofree char *whole = g_strdup_printf ("%s · %s", mark->name, title);
  if (g_utf8_strlen (whole, -1) > MOST_CHARS || !names_try (names, x, y, whole))
    names_try (names, x, y, mark->name);
}

/* A mark's sign and its whiskers. */
static void
names_take_mark (Names *names, const AssayPlotMark *mark)
{
  const AssayPlotLayout *layout = names->plot->layout;
  const double radius = layout->mark_radius * 1.2;
  double x, y, x0, y0, x1, y1;

  assay_plot_layout_get_place (layout, mark, &x, &y);
  assay_plot_layout_get_whiskers (layout, mark, &x0, &y0, &x1, &y1);
  const AssayChartRect places[] = { { x - radius, y - radius, 2.0 * radius, 2.0 * radius },
                                    { x0, y - 3.0, x1 - x0, 6.0 },
                                    { x - 3.0, y1, 6.0, y0 - y1 } };
  g_array_append_vals (names->taken, places, G_N_ELEMENTS (places));
}

static void
names_take_marks (Names *names)
{
  const AssayPlotPen *plot = names->plot;

  for (guint i = 0; i < plot->drawn->len; i++)
    names_take_mark (names, assay_plot_data_get_mark (plot->data, g_array_index (plot->drawn, guint, i)));
}

static void
name_clear (gpointer data)
{
  g_free (((AssayPlotName *) data)->words);
}

GArray *
assay_plot_place_names (AssayPlotPen *self)
{
  g_autoptr(GArray) taken = g_array_new (FALSE, FALSE, sizeof (AssayChartRect));
  g_autoptr(GHashTable) asked = g_hash_table_new (NULL, NULL);
  Names names = { self, g_array_new (FALSE, FALSE, sizeof (AssayPlotName)), taken, asked };
  const guint8 *selected = self->picture->selected;

  g_array_set_clear_func (names.found, name_clear);
  names_take_marks (&names);
  for (guint i = 0; selected != NULL && i < self->data->marks->len; i++)
    if (selected[i] != 0)
      names_add (&names, i);
  for (guint i = 0; i < self->data->passed->len; i++)
    names_add (&names, g_array_index (self->data->passed, guint, i));
  for (guint i = 0; i < self->data->ran->len; i++)
    names_add (&names, g_array_index (self->data->ran, guint, i));
  for (guint i = 0; i < self->drawn->len && self->data->marks->len <= MOST_NAMES; i++)
    names_add (&names, g_array_index (self->drawn, guint, i));
  return names.found;
}

void
assay_plot_draw_names (AssayPlotPen *self)
{
  g_autoptr(GArray) names = assay_plot_place_names (self);
  AssayChartPen *pen = &self->pen;
  GdkRGBA ground;

  assay_chart_style_get_ink (pen->style, ASSAY_INK_PLOT, &ground);
  ground.alpha = pen->style->high_contrast ? 1.0 : 0.8; /* a line may pass beneath */
  for (guint i = 0; i < names->len; i++)
    {
      const AssayPlotName *name = &g_array_index (names, AssayPlotName, i);
      assay_chart_pen_color (pen, &ground);
      assay_chart_pen_rectangle (pen, name->place.x, name->place.y, name->place.width, name->place.height);
      assay_chart_pen_text (pen, name->place.x + 2.0, name->place.y, ASSAY_TEXT_LEFT, ASSAY_INK_TEXT, FALSE,
                            name->words);
    }
}
