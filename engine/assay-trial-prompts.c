/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-trial-prompts.c: what is asked, as tokens; before anything is loaded. */
#include "assay-trial-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

static gboolean
prompts_choose_format (const AssayValues *conditions,
                       const AssayInspection *inspection,
                       AssayChatFormat *format,
                       GError **error)
{
  const char *name = assay_values_get_text (conditions, ASSAY_FIELD_CHAT_FORMAT);
  *format = ASSAY_CHAT_AUTO;
  if (name != NULL && !assay_chat_format_from_name (name, format))
    g_return_val_if_reached (FALSE); /* a choice of the field */
  return *format != ASSAY_CHAT_AUTO
         || assay_chat_format_recognise (inspection->file, inspection->tokenizer, format, error);
}

static gboolean
prompts_check (const AssayValues *conditions,
               const AssayQuestion *question,
               const GArray *ids,
               GError **error)
{
  gint64 context = 0;
  const char *of = question != NULL ? _(" of ") : "", *id = question != NULL ? question->id : "";
  assay_values_get_integer (conditions, ASSAY_FIELD_CONTEXT_LENGTH, &context);
  if (ids->len > 0 && ids->len <= context)
    return TRUE;
  if (ids->len == 0)
    assay_engine_error_set (error, ASSAY_ENGINE_ERROR_CONTEXT, "prompt-empty", NULL, NULL, -1,
                            _("the prompt%s%s has no tokens: write one"), of, id);
  else
    assay_engine_error_set (error, ASSAY_ENGINE_ERROR_CONTEXT, "prompt-too-long", NULL, NULL, -1,
                            _("the prompt%s%s has %u tokens, the context holds %" PRId64
                               ": shorten it or raise context_length; nothing was cut and nothing was run"),
                            of, id, ids->len, context);
  if (error != NULL)
    assay_engine_error_set_field (*error, "prompt"); /* the sentences say it */
  return FALSE;
}

GPtrArray *
assay_trial_encode_prompts (const AssayValues *conditions,
                            const AssayInspection *inspection,
                            GPtrArray *questions,
                            AssayChatFormat *format,
                            GCancellable *cancellable,
                            GError **error)
{
  g_autoptr (GPtrArray) prompts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  const char *system = assay_values_get_text (conditions, ASSAY_FIELD_SYSTEM_PROMPT);
  const char *prompt = assay_values_get_text (conditions, ASSAY_FIELD_PROMPT);
  if (!prompts_choose_format (conditions, inspection, format, error))
    return NULL;
  for (guint i = 0; i < (questions != NULL ? questions->len : 1); i++)
    {
      const AssayQuestion *question = questions != NULL ? g_ptr_array_index (questions, i) : NULL;
      const char *text = question != NULL ? question->text : prompt;
      GArray *ids = assay_chat_encode (*format, inspection->tokenizer, system, text != NULL ? text : "",
                                       cancellable, error);
      if (ids == NULL)
        return NULL;
      g_ptr_array_add (prompts, ids);
      if (!prompts_check (conditions, question, ids, error))
        return NULL;
    }
  return g_steal_pointer (&prompts);
}
