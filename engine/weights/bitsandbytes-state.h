/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/bitsandbytes-state.h: the text that says what a matrix of 4-bit codes is. Any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

enum { BITS_STATE_MAX = 65536 }; /* bytes of the text */

typedef struct
{
  gboolean is_nf4;   /* in: what the tensor's name says */
  gint64 shape[2];   /* rows, elements of a row */
  gboolean nested;   /* absmax is quantized itself */
  float offset;      /* of nested */
} BitsState;

/* Returns: (transfer full) what is wrong with it, for people, with *reason (static) "bitsandbytes-state" or,
 * what may well be but is not computed here, "bitsandbytes-variant". NULL: *self is filled in. */
char *assay_bits_state_read (BitsState *self, GBytes *text, const char **reason);

G_END_DECLS
