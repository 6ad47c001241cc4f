/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "card-work.h"

#include <stdlib.h>
#include <string.h>

#include "assay-trial.h"

static gboolean
work_set (CardWork *self, const char *setting, GError **error)
{
  const char *equals = strchr (setting, '=');
  g_autofree char *name = g_strndup (setting, equals != NULL ? (gsize) (equals - setting) : strlen (setting));
  const AssayFieldId field = assay_field_from_name (name);
  if (equals != NULL && g_str_equal (name, "chunk"))
    {
      self->rig.options.chunk = (guint) atoi (equals + 1);
      return TRUE;
    }
  if (equals != NULL && field != ASSAY_FIELD_INVALID)
    return assay_values_parse (self->conditions, field, equals + 1, error);
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "'%s' is no field=value", setting);
  return FALSE;
}

static gboolean
work_read (CardWork *self, const char *path, const char *const *settings, GError **error)
{
  self->conditions = assay_values_new ();
  self->inspection = assay_inspect (path, FALSE, NULL, error);
  if (self->inspection == NULL)
    return FALSE;
  assay_values_set_text (self->conditions, ASSAY_FIELD_MODEL_PATH, path);
  for (; settings != NULL && *settings != NULL; settings++)
    if (!work_set (self, *settings, error))
      return FALSE;
  assay_trial_fill_defaults (self->conditions);
  assay_trial_fill_model_defaults (self->conditions, self->inspection);
  return assay_rig_read (&self->rig, self->conditions, self->inspection, error);
}

gboolean
card_work_open (CardWork *self, const char *path, const char *const *settings, gboolean plan, GError **error)
{
  *self = (CardWork){ 0 };
  if (!work_read (self, path, settings, error))
    return FALSE;
  if (!plan && !assay_model_file_map (self->inspection->file, error))
    return FALSE;
  const gboolean open = plan ? assay_rig_open_plan (&self->rig, self->conditions, error)
                             : assay_rig_open (&self->rig, self->conditions, error);
  return open && assay_rig_make_model (&self->rig, self->inspection, error)
         && assay_rig_place (&self->rig, NULL, NULL, NULL, error);
}

void
card_work_close (CardWork *self)
{
  assay_rig_clear (&self->rig);
  g_clear_pointer (&self->inspection, assay_inspection_free);
  g_clear_pointer (&self->conditions, assay_values_unref);
}

gint32 *
card_work_dup_tokens (const CardWork *self, guint n)
{
  gint32 *tokens = g_new (gint32, n + 1);
  const guint n_vocab = self->inspection->config.n_vocab, first = n_vocab > 2000 ? 1000 : 3;
  for (guint i = 0; i < n; i++)
    tokens[i] = (gint32) (first + i * 7919u % (n_vocab - first));
  return tokens;
}

GArray *
card_work_generate (CardWork *self, const gint32 *prompt, guint n, guint n_out, GError **error)
{
  const AssaySampling greedy = { .temperature = 0 };
  const guint sequence = 0;
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (gint32));
  AssayModel *model = self->rig.model;
  assay_model_reset (model, sequence);
  if (!assay_model_prompt (model, sequence, prompt, n, NULL, NULL, error))
    return NULL;
  while (out->len < n_out)
    {
      gint32 token;
      if (!assay_model_sample (model, 0, &greedy, &token, error))
        return NULL;
      g_array_append_val (out, token);
      if (out->len < n_out && !assay_model_decode (model, &sequence, &token, 1, NULL, NULL, error))
        return NULL;
    }
  return g_steal_pointer (&out);
}

float *
card_work_dup_logits (CardWork *self, GError **error)
{
  AssayBackend *b = assay_device_get_backend (self->rig.device);
  const gsize n = self->inspection->config.n_vocab;
  g_autofree float *logits = g_new (float, n);
  const AssayStatus status
    = b->ops->download (b, logits, assay_model_get_logits (self->rig.model, 0), n * sizeof *logits);
  return assay_device_check (self->rig.device, status, "download", error) ? g_steal_pointer (&logits) : NULL;
}
