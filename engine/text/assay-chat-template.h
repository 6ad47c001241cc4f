/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-chat-template.h: what can be told of a chat template by looking, never by running it. */
#pragma once

#include "assay-chat.h"

G_BEGIN_DECLS

typedef struct
{
  AssayChatFormat format;       /* RAW: the model has no template */
  gboolean bos;                 /* writes the begin token */
  gboolean trims;               /* takes blanks off both ends of what a person wrote */
  gboolean role_line;           /* PHI: a line end after <|user|> */
  gboolean space_before_inst;   /* MISTRAL: " [INST]" */
  gboolean space_in_inst;       /* MISTRAL: "[INST] " */
  gboolean space_in_inst_end;   /* MISTRAL: " [/INST]" */
  gboolean opens_thought;       /* CHATML: the answer begins with <think> */
  const char *turn_end;         /* ZEPHYR: the token's text; NULL: eos */
  GString *default_system;      /* owned; CHATML; NULL: none */
} AssayChatTemplate;

/* What holds for a family where the model's template does not say otherwise. */
void assay_chat_template_init (AssayChatTemplate *self, AssayChatFormat format);
/* Returns: FALSE, format RAW, when the model has a template of no known family. Clear in both cases. */
gboolean assay_chat_template_read (AssayChatTemplate *self, AssayModelFile *file, AssayTokenizer *tokenizer);
void assay_chat_template_clear (AssayChatTemplate *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayChatTemplate, assay_chat_template_clear)

G_END_DECLS
