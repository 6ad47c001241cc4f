/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/engine/card-work.h: a model on the devices that settings name, as a trial would have it, for programs and
 * tests that look closer than a trial does. One thread. */
#pragma once

#include "assay-rig.h"

G_BEGIN_DECLS

typedef struct
{
  AssayInspection *inspection;
  AssayValues *conditions;
  AssayRig rig;
} CardWork;

/* settings: "field=value" in the record's words, NULL-terminated; besides, "chunk=N" is prompt tokens at once. plan: over
 * devices that count. FALSE with error; close in either case. */
gboolean card_work_open (CardWork *self, const char *path, const char *const *settings, gboolean plan, GError **error);
void card_work_close (CardWork *self);

/* n ids that any tokenizer has, the same ones everywhere. free: g_free */
gint32 *card_work_dup_tokens (const CardWork *self, guint n);
/* Puts the prompt through and draws n_out tokens, likeliest first. NULL with error. (element-type gint32) */
GArray *card_work_generate (CardWork *self, const gint32 *prompt, guint n, guint n_out, GError **error);
/* [n_vocab] after the last pass; NULL with error. free: g_free */
float *card_work_dup_logits (CardWork *self, GError **error);

G_END_DECLS
