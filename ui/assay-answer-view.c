/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-answer-view.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "assay-display-text.h"
#include "assay-fold-layout.h"
#include "assay-hint-words.h"
#include "assay-save-dialog.h"

#define QUESTION_LIMIT 6000
#define LONG_QUESTION 700 /* bytes */

struct _AssayAnswerView
{
  GtkWidget parent_instance;

  /* owned */
  AssayLedger *ledger;
  AssayRecord *record;
  guint index;
  gboolean hints_shown, blind;
  GPtrArray *hints;      /* owned: AssayHintWords of the run, or NULL while they may not be seen or are looked for */
  GCancellable *looking; /* owned */

  /* template children: dispose_template takes away those that are bound, so each direct child is */
  GtkWidget *navigation, *previous, *next, *question_heading, *frame, *remark_box, *save_whole, *expected;
  GtkLabel *position, *question, *answer_heading, *remark, *expected_text, *hint;
  AdwBin *question_whole;
  GtkScrolledWindow *question_scroll;
  GtkTextView *answer;
};

enum { QUESTION_CHANGED, PROBLEM, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayAnswerView, assay_answer_view, GTK_TYPE_WIDGET)

static const AssayOutput *
view_get_output (AssayAnswerView *self)
{
  GPtrArray *outputs = self->record != NULL ? assay_record_get_outputs (self->record) : NULL;

  return outputs != NULL && self->index < outputs->len ? g_ptr_array_index (outputs, self->index) : NULL;
}

static const AssayQuestion *
view_find_question (AssayAnswerView *self)
{
  const AssayOutput *output = view_get_output (self);

  return output != NULL && self->ledger != NULL ? assay_ledger_find_question (self->ledger, output->question)
                                                : NULL;
}

static void
view_show_hint (AssayAnswerView *self)
{
  const AssayOutput *output = view_get_output (self);
  const char *said = NULL;

  for (guint i = 0; output != NULL && self->hints != NULL && i < self->hints->len; i++)
    {
      const AssayHintWords *words = g_ptr_array_index (self->hints, i);
      if (g_str_equal (words->question, output->question))
        said = words->said;
    }
  /* Translators: sentences about an answer, a line each. */
  g_autofree char *words = said != NULL ? g_strdup_printf (_("Hints, not scores:\n%s"), said) : g_strdup ("");
  gtk_label_set_text (self->hint, words);
  gtk_widget_set_visible (GTK_WIDGET (self->hint), said != NULL);
}

static void
found_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssayAnswerView) self = data;
  g_autoptr(GPtrArray) hints = assay_hint_words_find_finish (result, NULL);

  if (hints == NULL) /* another run is shown by now */
    return;
  self->hints = g_steal_pointer (&hints);
  view_show_hint (self);
}

/* What a program noticed, of the run in sight; nothing while that may not be seen. */
static void
view_look_for_hints (AssayAnswerView *self)
{
  g_cancellable_cancel (self->looking);
  g_clear_object (&self->looking);
  g_clear_pointer (&self->hints, g_ptr_array_unref);
  view_show_hint (self);
  if (!self->hints_shown || self->record == NULL || self->ledger == NULL)
    return;
  self->looking = g_cancellable_new ();
  assay_hint_words_find_async (self->ledger, assay_record_get_id (self->record), TRUE, self->looking,
                               found_cb, g_object_ref (self));
}

/* How it ended tells runs of different limits apart. */
static const char *
output_get_remark (const AssayOutput *output, gboolean cut, gboolean blind)
{
  if (output->asset_missing)
    return _("The file that held this answer is missing or was changed: this is not what the model said.");
  if (output->partial && !blind)
    return _("The run ended before this answer did.");
  if (cut)
    return _("Cut for display; the record keeps the whole answer.");
  if (!blind && g_strcmp0 (output->finish, "length") == 0)
    return _("The answer reached the greatest length and was ended there.");
  return NULL;
}

static void
view_show_answer (AssayAnswerView *self, const AssayOutput *output)
{
  gboolean cut = FALSE;
  g_autofree char *text
      = output != NULL && output->text != NULL
            ? assay_display_text (output->text, output->text_length, ASSAY_DISPLAY_LIMIT, &cut)
            : g_strdup ("");
  const char *remark = output != NULL ? output_get_remark (output, cut, self->blind) : NULL;

  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->answer), text, -1);
  gtk_label_set_text (self->remark, remark != NULL ? remark : "");
  gtk_widget_set_visible (self->remark_box, remark != NULL);
  gtk_widget_set_visible (self->save_whole, cut);
}

/* A free prompt has no question of the ledger: the prompt itself stands in its place. */
static char *
view_dup_question_text (AssayAnswerView *self, const AssayOutput *output)
{
  const AssayQuestion *question = view_find_question (self);
  const char *text = question != NULL ? question->text : NULL;

  if (text == NULL && output != NULL && *output->question == '\0')
    text = assay_values_get_text (assay_record_get_conditions (self->record), ASSAY_FIELD_PROMPT);
  if (text != NULL)
    return assay_display_text (text, strlen (text), QUESTION_LIMIT, NULL);
  return output != NULL ? assay_display_line (output->question, 200) : g_strdup ("");
}

static void
view_show_expected (AssayAnswerView *self)
{
  const AssayQuestion *question = view_find_question (self);
  const char *expected = question != NULL ? question->expected : NULL;
  g_autofree char *text
      = expected != NULL ? assay_display_text (expected, strlen (expected), QUESTION_LIMIT, NULL) : NULL;

  gtk_expander_set_expanded (GTK_EXPANDER (self->expected), FALSE);
  gtk_widget_set_visible (self->expected, text != NULL && *text != '\0');
  gtk_label_set_text (self->expected_text, text != NULL ? text : "");
}

/* A question of ordinary length takes the room it needs; a long one is scrolled, so that the answer keeps
 * some. */
static void
view_fit_question (AssayAnswerView *self, const char *question)
{
  const gboolean is_long = strlen (question) > LONG_QUESTION;

  if (is_long != (gtk_scrolled_window_get_child (self->question_scroll) != NULL))
    {
      g_autoptr(GtkWidget) label = g_object_ref (GTK_WIDGET (self->question));
      adw_bin_set_child (self->question_whole, NULL);
      gtk_scrolled_window_set_child (self->question_scroll, NULL);
      if (is_long)
        gtk_scrolled_window_set_child (self->question_scroll, label);
      else
        adw_bin_set_child (self->question_whole, label);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->question_whole), *question != '\0' && !is_long);
  gtk_widget_set_visible (GTK_WIDGET (self->question_scroll), is_long);
}

static void
view_update (AssayAnswerView *self)
{
  const guint n = self->record != NULL ? assay_record_get_outputs (self->record)->len : 0;
  const AssayOutput *output = view_get_output (self);
  g_autofree char *position = g_strdup_printf (_("Answer %u of %u"), self->index + 1, n);
  g_autofree char *question = view_dup_question_text (self, output);

  gtk_label_set_text (self->position, position);
  gtk_widget_set_visible (self->navigation, n > 1);
  gtk_widget_set_sensitive (self->previous, self->index > 0);
  gtk_widget_set_sensitive (self->next, self->index + 1 < n);
  gtk_label_set_text (self->question, question);
  gtk_widget_set_visible (self->question_heading, *question != '\0');
  view_fit_question (self, question);
  view_show_answer (self, output);
  view_show_expected (self);
  view_show_hint (self);
}

void
assay_answer_view_show (AssayAnswerView *self, AssayLedger *ledger, AssayRecord *record)
{
  g_return_if_fail (ASSAY_IS_ANSWER_VIEW (self));

  const gboolean same_run = self->record != NULL && record != NULL
                            && g_str_equal (assay_record_get_id (self->record), assay_record_get_id (record));
  const guint n = record != NULL ? assay_record_get_outputs (record)->len : 0;
  if (!same_run || self->index >= n)
    self->index = 0;
  g_set_object (&self->ledger, ledger);
  g_set_object (&self->record, record);
  if (!same_run)
    {
      view_look_for_hints (self);
      view_update (self);
    }
}

void
assay_answer_view_set_hints_shown (AssayAnswerView *self, gboolean shown)
{
  g_return_if_fail (ASSAY_IS_ANSWER_VIEW (self));
  if (shown == self->hints_shown)
    return;
  self->hints_shown = shown;
  view_look_for_hints (self);
}

void
assay_answer_view_set_blind (AssayAnswerView *self, gboolean blind)
{
  g_return_if_fail (ASSAY_IS_ANSWER_VIEW (self));
  if (blind == self->blind)
    return;
  self->blind = blind;
  view_update (self);
}

void
assay_answer_view_go_to (AssayAnswerView *self, const char *question)
{
  g_return_if_fail (ASSAY_IS_ANSWER_VIEW (self));

  GPtrArray *outputs = self->record != NULL ? assay_record_get_outputs (self->record) : NULL;
  for (guint i = 0; outputs != NULL && i < outputs->len; i++)
    if (g_strcmp0 (((const AssayOutput *) g_ptr_array_index (outputs, i))->question, question) == 0)
      {
        assay_answer_view_step (self, (int) i - (int) self->index);
        return;
      }
}

void
assay_answer_view_step (AssayAnswerView *self, int by)
{
  g_return_if_fail (ASSAY_IS_ANSWER_VIEW (self));

  const int n = self->record != NULL ? (int) assay_record_get_outputs (self->record)->len : 0;
  const int index = CLAMP ((int) self->index + by, 0, MAX (n - 1, 0));
  if (index == (int) self->index)
    return;
  self->index = index;
  view_update (self);
  g_signal_emit (self, signals[QUESTION_CHANGED], 0);
}

guint
assay_answer_view_get_index (AssayAnswerView *self)
{
  g_return_val_if_fail (ASSAY_IS_ANSWER_VIEW (self), 0);
  return self->index;
}

gboolean
assay_answer_view_is_last (AssayAnswerView *self)
{
  g_return_val_if_fail (ASSAY_IS_ANSWER_VIEW (self), TRUE);
  return self->record == NULL || self->index + 1 >= assay_record_get_outputs (self->record)->len;
}

const char *
assay_answer_view_get_question (AssayAnswerView *self)
{
  g_return_val_if_fail (ASSAY_IS_ANSWER_VIEW (self), NULL);

  const AssayOutput *output = view_get_output (self);
  return output != NULL && *output->question != '\0' ? output->question : NULL;
}

static void
on_previous (AssayAnswerView *self)
{
  assay_answer_view_step (self, -1);
}

static void
on_next (AssayAnswerView *self)
{
  assay_answer_view_step (self, 1);
}

static void
on_save_whole (AssayAnswerView *self)
{
  const AssayOutput *output = view_get_output (self);

  if (output == NULL || output->text == NULL)
    return;
  g_autoptr(GBytes) bytes = g_bytes_new (output->text, output->text_length);
  assay_save_dialog_run (GTK_WIDGET (self), _("Save the Answer"), _("answer.txt"), bytes);
}

static void
assay_answer_view_dispose (GObject *object)
{
  AssayAnswerView *self = ASSAY_ANSWER_VIEW (object);

  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_ANSWER_VIEW);
  g_cancellable_cancel (self->looking);
  g_clear_object (&self->looking);
  g_clear_pointer (&self->hints, g_ptr_array_unref);
  g_clear_object (&self->ledger);
  g_clear_object (&self->record);
  G_OBJECT_CLASS (assay_answer_view_parent_class)->dispose (object);
}

static void
class_bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, navigation);
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, previous);
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, next);
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, question_heading);
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, question_whole);
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, question_scroll);
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, frame);
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, answer_heading);
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, remark_box);
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, save_whole);
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, expected);
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, position);
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, question);
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, remark);
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, expected_text);
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, hint);
  gtk_widget_class_bind_template_child (widget_class, AssayAnswerView, answer);
}

static void
assay_answer_view_class_init (AssayAnswerViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_answer_view_dispose;
  signals[QUESTION_CHANGED] = g_signal_new ("question-changed", ASSAY_TYPE_ANSWER_VIEW, G_SIGNAL_RUN_LAST, 0,
                                            NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[PROBLEM] = g_signal_new ("problem", ASSAY_TYPE_ANSWER_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_STRING);
  g_type_ensure (ASSAY_TYPE_FOLD_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/assay/Assay/ui/assay-answer-view.ui");
  class_bind_children (widget_class);
  gtk_widget_class_bind_template_callback (widget_class, on_previous);
  gtk_widget_class_bind_template_callback (widget_class, on_next);
  gtk_widget_class_bind_template_callback (widget_class, on_save_whole);
}

static void
assay_answer_view_init (AssayAnswerView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_text_buffer_set_enable_undo (gtk_text_view_get_buffer (self->answer), FALSE);
  view_update (self);
}
