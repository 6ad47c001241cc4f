/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-notice.h"

struct _AssayNotice
{
  GObject parent_instance;
  char *id, *message;
  gboolean is_error;
  GArray *actions; /* owned: AssayNoticeAction */
};

G_DEFINE_FINAL_TYPE (AssayNotice, assay_notice, G_TYPE_OBJECT)

static void
notice_clear_action (gpointer data)
{
  AssayNoticeAction *action = data;
  g_free (action->label);
  g_free (action->action);
}

static void
assay_notice_finalize (GObject *object)
{
  AssayNotice *self = ASSAY_NOTICE (object);
  g_free (self->id);
  g_free (self->message);
  g_array_unref (self->actions);
  G_OBJECT_CLASS (assay_notice_parent_class)->finalize (object);
}

static void
assay_notice_class_init (AssayNoticeClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_notice_finalize;
}

static void
assay_notice_init (AssayNotice *self)
{
  self->actions = g_array_new (FALSE, FALSE, sizeof (AssayNoticeAction));
  g_array_set_clear_func (self->actions, notice_clear_action);
}

AssayNotice *
assay_notice_new (const char *id, gboolean is_error, const char *message)
{
  AssayNotice *self = g_object_new (ASSAY_TYPE_NOTICE, NULL);
  self->id = g_strdup (id);
  self->message = g_utf8_make_valid (message, -1);
  self->is_error = is_error;
  return self;
}

AssayNotice *
assay_notice_with_action (AssayNotice *self, const char *label, const char *action, const char *target)
{
  GVariant *argument = target != NULL ? g_variant_new_bytestring (target) : NULL;
  AssayNoticeAction entry = { g_strdup (label), g_action_print_detailed_name (action, argument) };
  if (argument != NULL)
    g_variant_unref (g_variant_ref_sink (argument));
  g_array_append_val (self->actions, entry);
  return self;
}

const char *
assay_notice_get_id (AssayNotice *self)
{
  return self->id;
}

gboolean
assay_notice_is_error (AssayNotice *self)
{
  return self->is_error;
}

const char *
assay_notice_get_message (AssayNotice *self)
{
  return self->message;
}

guint
assay_notice_get_n_actions (AssayNotice *self)
{
  return self->actions->len;
}

const AssayNoticeAction *
assay_notice_get_action (AssayNotice *self, guint i)
{
  return &g_array_index (self->actions, AssayNoticeAction, i);
}

void
assay_notices_dismiss (GListStore *notices, const char *id)
{
  for (guint i = g_list_model_get_n_items (G_LIST_MODEL (notices)); i-- > 0;)
    {
      g_autoptr(AssayNotice) notice = g_list_model_get_item (G_LIST_MODEL (notices), i);
      if (g_strcmp0 (notice->id, id) == 0)
        g_list_store_remove (notices, i);
    }
}

void
assay_notices_post (GListStore *notices, AssayNotice *notice)
{
  assay_notices_dismiss (notices, notice->id);
  g_list_store_append (notices, notice);
  g_object_unref (notice);
}
