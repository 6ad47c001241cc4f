/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-help-pages.h: the words of the help, as topics of headings, paragraphs, points and lines of code. Constant. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum { HELP_END, HELP_HEADING, HELP_PARAGRAPH, HELP_POINT, HELP_CODE } HelpKind;

typedef struct
{
  HelpKind kind;
  const char *text; /* msgid; of HELP_CODE: as it is */
} HelpPart;

typedef struct
{
  const char *name;       /* "first-trial" */
  const char *title;      /* msgid */
  const HelpPart *parts;  /* ends in HELP_END; NULL: the fields of the record, which know themselves */
} HelpTopic;

const HelpTopic *assay_help_get_topics (guint *n);

G_END_DECLS
