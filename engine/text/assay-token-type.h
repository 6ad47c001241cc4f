/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-token-type.h: what a model's metadata says of one token. */
#pragma once

typedef enum /* as stored in tokenizer.ggml.token_type */
{
  ASSAY_TOKEN_NORMAL = 1,
  ASSAY_TOKEN_UNKNOWN = 2,
  ASSAY_TOKEN_CONTROL = 3,
  ASSAY_TOKEN_USER_DEFINED = 4,
  ASSAY_TOKEN_UNUSED = 5,
  ASSAY_TOKEN_BYTE = 6,
} AssayTokenType;

/* How a token that was added to a vocabulary is found in a text; as stored in assay.tokenizer.added_flags. */
enum
{
  ASSAY_ADDED_TAKES_LEFT = 1, /* with the blanks before it */
  ASSAY_ADDED_TAKES_RIGHT = 2,
  ASSAY_ADDED_WHOLE_WORD = 4,
  ASSAY_ADDED_NORMALIZED = 8, /* looked for in the normalized text, in its own normalized form */
};
