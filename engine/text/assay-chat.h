/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-chat.h: how a question is wrapped for the model.
 *
 * A chat template is a program from an untrusted file: it is never run. The known families are recognised by
 * what their templates contain and written here; anything else is refused as a chat format, and the raw
 * prompt still works. */
#pragma once

#include "assay-tokenizer.h"

G_BEGIN_DECLS

typedef enum
{
  ASSAY_CHAT_AUTO,    /* recognise; only for requests */
  ASSAY_CHAT_RAW,     /* the prompt as it is */
  ASSAY_CHAT_CHATML,
  ASSAY_CHAT_LLAMA2,
  ASSAY_CHAT_LLAMA3,
  ASSAY_CHAT_MISTRAL,
  ASSAY_CHAT_GEMMA,
  ASSAY_CHAT_PHI,
  ASSAY_CHAT_ZEPHYR,
} AssayChatFormat;

const char *assay_chat_format_get_name (AssayChatFormat format);  /* the field chat_format's value */
gboolean assay_chat_format_from_name (const char *name, AssayChatFormat *format);

/* The family of the model's own template. Returns: FALSE with UNSUPPORTED ("chat-template-unknown") when it
 * has one that is not recognised or needs tokens the vocabulary lacks; TRUE and RAW when it has none. */
gboolean assay_chat_format_recognise (AssayModelFile *file, AssayTokenizer *tokenizer,
                                      AssayChatFormat *format, GError **error);

/* The token ids of one user turn, ready for the answer: specials as such, the person's text never parsed for
 * specials, exactly one bos where the model wants one. system: NULL for the family's own default, "" for
 * none. Returns: (element-type gint32) (transfer full); NULL with RULE ("chat-format-tokens") when a chosen format
 * needs tokens that the vocabulary lacks. */
GArray *assay_chat_encode (AssayChatFormat format, AssayTokenizer *tokenizer, const char *system,
                           const char *user, GCancellable *cancellable, GError **error);

G_END_DECLS
