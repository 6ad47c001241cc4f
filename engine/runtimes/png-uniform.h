/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/runtimes/png-uniform.h: whether a picture is a picture. Any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PNG_BROKEN,    /* no PNG, or cut off */
  PNG_UNIFORM,   /* every pixel is the same */
  PNG_VARIED,
  PNG_UNJUDGED,  /* of a kind that is not looked into: interlaced, or of fewer than eight bits a sample */
} PngVerdict;

PngVerdict png_uniform_judge (GBytes *png, guint32 *width, guint32 *height);

G_END_DECLS
