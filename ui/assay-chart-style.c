/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-chart-style.h"

#include <adwaita.h>
#include <math.h>

#define SMALL_TEXT 0.82 /* of the widget's own */

AssayChartStyle *
assay_chart_style_new (gboolean dark, gboolean high_contrast, const char *font_family, double font_px)
{
  AssayChartStyle *self = g_new0 (AssayChartStyle, 1);

  self->dark = dark;
  self->high_contrast = high_contrast;
  self->font_family = g_strdup (font_family);
  self->font_px = font_px;
  return self;
}

AssayChartStyle *
assay_chart_style_new_paper (void)
{
  return assay_chart_style_new (FALSE, FALSE, "Sans", 11.0);
}

AssayChartStyle *
assay_chart_style_new_for (GtkWidget *widget)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  PangoContext *context = gtk_widget_get_pango_context (widget);
  const PangoFontDescription *font = pango_context_get_font_description (context);
  const double dpi = pango_cairo_context_get_resolution (context);
  double px = (double) pango_font_description_get_size (font) / PANGO_SCALE;

  if (!pango_font_description_get_size_is_absolute (font))
    px *= (dpi > 0.0 ? dpi : 96.0) / 72.0;
  return assay_chart_style_new (adw_style_manager_get_dark (manager), adw_style_manager_get_high_contrast (manager),
                                pango_font_description_get_family (font), px * SMALL_TEXT);
}

void
assay_chart_style_free (AssayChartStyle *self)
{
  if (self == NULL)
    return;
  g_free (self->font_family);
  g_free (self);
}

static void
rgb (guint32 value, double alpha, GdkRGBA *out)
{
  out->red = ((value >> 16) & 0xff) / 255.0;
  out->green = ((value >> 8) & 0xff) / 255.0;
  out->blue = (value & 0xff) / 255.0;
  out->alpha = alpha;
}

void
assay_chart_style_get_ink (const AssayChartStyle *self, AssayInk ink, GdkRGBA *out)
{
  static const struct { guint32 light, dark, light_contrast, dark_contrast;
  } inks[] = {
    [ASSAY_INK_TEXT] = { 0x242424, 0xf2f2f2, 0x000000, 0xffffff },
    [ASSAY_INK_DIM] = { 0x5e5e5e, 0xb4b4b4, 0x000000, 0xffffff },
    [ASSAY_INK_GRID] = { 0xcfcfcf, 0x4c4c4c, 0x707070, 0xa0a0a0 },
    [ASSAY_INK_BAND] = { 0xe2e2e2, 0x3a3a3a, 0xdadada, 0x3a3a3a },
    [ASSAY_INK_PLOT] = { 0xf0f0f0, 0x2c2c2c, 0xffffff, 0x101010 },
    [ASSAY_INK_PAPER] = { 0xfafafa, 0x242424, 0xffffff, 0x000000 },
    [ASSAY_INK_BUDGET] = { 0xc01c28, 0xff7b63, 0xa00010, 0xff9a88 },
    [ASSAY_INK_FORETOLD] = { 0x613583, 0xdc8add, 0x3d1a5a, 0xf0b8f0 },
    [ASSAY_INK_READOUT] = { 0xffffff, 0x1e1e1e, 0xffffff, 0x000000 },
    [ASSAY_INK_PASS] = { 0x1b7f4b, 0x5fd39a, 0x00401c, 0x9ff0c4 },
    [ASSAY_INK_FAIL] = { 0xb01c28, 0xff8f7d, 0x800010, 0xffb0a4 },
    [ASSAY_INK_CHOSEN] = { 0x1c71d8, 0x78aeed, 0x00308a, 0xa8d0ff },
  };
  const guint32 plain = self->dark ? inks[ink].dark : inks[ink].light;
  const guint32 contrast = self->dark ? inks[ink].dark_contrast : inks[ink].light_contrast;

  rgb (self->high_contrast ? contrast : plain, 1.0, out);
}

void
assay_chart_style_get_layer (const AssayChartStyle *self, guint layer, GdkRGBA *out)
{
  static const struct { guint32 light, dark; } layers[ASSAY_N_LAYERS] = {
    [ASSAY_MEMORY_WEIGHTS] = { 0x3584e4, 0x3276c8 },
    [ASSAY_MEMORY_KV_CACHE] = { 0x3ab385, 0x31a077 },
    [ASSAY_MEMORY_ACTIVATIONS] = { 0xe8962a, 0xc98222 },
    [ASSAY_MEMORY_WORKSPACE] = { 0x9a62bd, 0x8656a6 },
    [ASSAY_MEMORY_STAGING] = { 0x9a9996, 0x8d8c89 },
    [ASSAY_MEMORY_OUTPUT] = { 0xb5577a, 0xa34c6c },
    [ASSAY_LAYER_MAPPED_WEIGHTS] = { 0x99c1f1, 0x4f76a3 },
    [ASSAY_LAYER_OTHER] = { 0xb9c0cc, 0x5d6573 },
  };

  rgb (self->dark ? layers[layer].dark : layers[layer].light, 1.0, out);
}

void
assay_chart_style_get_line (const AssayChartStyle *self, AssayChartLine line, GdkRGBA *out)
{
  static const struct { guint32 light, dark;
  } lines[ASSAY_N_LINES] = {
    [ASSAY_LINE_ANONYMOUS] = { 0x1a5fb4, 0x78aeed }, [ASSAY_LINE_MAPPED] = { 0x26734d, 0x6fd3a6 },
    [ASSAY_LINE_SYSTEM] = { 0x6b6b6b, 0xb0b0b0 },    [ASSAY_LINE_DRIVER] = { 0x242424, 0xf2f2f2 },
    [ASSAY_LINE_RESERVED] = { 0x242424, 0xf2f2f2 },  [ASSAY_LINE_LINK] = { 0x0f7b8a, 0x4fb8c9 },
  };

  if (self->high_contrast)
    rgb (self->dark ? 0xffffff : 0x000000, 1.0, out);
  else
    rgb (self->dark ? lines[line].dark : lines[line].light, 1.0, out);
}

gboolean
assay_chart_style_get_hatch (const AssayChartStyle *self, guint layer, double *angle, double *spacing)
{
  static const struct { double angle, spacing; } hatches[ASSAY_N_LAYERS] = {
    [ASSAY_MEMORY_WEIGHTS] = { 0.0, 0.0 },
    [ASSAY_MEMORY_KV_CACHE] = { -G_PI_4, 7.0 },
    [ASSAY_MEMORY_ACTIVATIONS] = { G_PI_2, 6.0 },
    [ASSAY_MEMORY_WORKSPACE] = { 0.0, 5.0 },
    [ASSAY_MEMORY_STAGING] = { G_PI_4, 3.5 },
    [ASSAY_MEMORY_OUTPUT] = { -G_PI_4, 3.5 },
    [ASSAY_LAYER_MAPPED_WEIGHTS] = { G_PI_4, 7.0 },
    [ASSAY_LAYER_OTHER] = { G_PI_2, 12.0 },
  };

  if (hatches[layer].spacing == 0.0 || (!self->high_contrast && layer != ASSAY_LAYER_MAPPED_WEIGHTS))
    return FALSE;
  *angle = hatches[layer].angle;
  *spacing = hatches[layer].spacing;
  return TRUE;
}

void
assay_chart_style_ink_hatch (const AssayChartStyle *self, cairo_t *cr)
{
  cairo_set_source_rgba (cr, 0.0, 0.0, 0.0, self->high_contrast ? 0.75 : 0.22);
}

const double *
assay_chart_style_get_dash (AssayChartLine line, int *n_dashes)
{
  static const double mapped[] = { 6.0, 3.0 }, system[] = { 1.5, 3.0 };
  const double *dashes = line == ASSAY_LINE_MAPPED                                ? mapped
                         : line == ASSAY_LINE_SYSTEM || line == ASSAY_LINE_DRIVER ? system
                                                                                  : NULL;

  *n_dashes = dashes != NULL ? 2 : 0;
  return dashes;
}
