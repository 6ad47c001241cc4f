/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-mode.c: which page the panel shows, and the way through a blind review.
 *
 * Blind is the way that is offered first as soon as there are two runs to tell apart. It begins with a button and not
 * with a glance at the panel: the order is the reviewer's own, so the name comes first, and the window hides its runs.
 * Which run it was is told on a page of its own, between two runs, so that nothing of it stands beside the next one. */
#include "assay-review-view-private.h"

#include <glib/gi18n-lib.h>

#include "assay-blind.h"
#include "assay-display-text.h"
#include "assay-review-gaps.h"
#include "assay-review-next.h"
#include "assay-review-words.h"

gboolean
assay_review_view_is_blind (AssayReviewView *self)
{
  g_return_val_if_fail (ASSAY_IS_REVIEW_VIEW (self), FALSE);
  return self->mode == REVIEW_BLIND || self->mode == REVIEW_REVEAL || self->mode == REVIEW_PAIRS;
}

static gboolean
view_has_choice (AssayReviewView *self)
{
  return self->ledger != NULL && assay_review_count_reviewable (self->ledger, 2) > 1;
}

static gboolean
view_is_by_name (AssayReviewView *self)
{
  return self->mode == REVIEW_BY_NAME || (self->mode == REVIEW_START && !view_has_choice (self));
}

gboolean
review_view_is_form (AssayReviewView *self)
{
  return (self->mode == REVIEW_BLIND || view_is_by_name (self)) && review_view_may_review (self);
}

static guint64
view_find_seed (AssayReviewView *self)
{
  guint64 seed = assay_blind_find_seed (self->ledger, self->reviewer_name);

  if (seed == 0 && g_strcmp0 (self->seed_reviewer, self->reviewer_name) == 0)
    seed = self->seed; /* drawn, and no review has kept it yet */
  if (seed == 0)
    seed = assay_blind_new_seed ();
  g_free (self->seed_reviewer);
  self->seed_reviewer = g_strdup (self->reviewer_name);
  self->seed = seed;
  return seed;
}

static AssayRecord *
view_find_next_blind (AssayReviewView *self)
{
  return assay_review_find_next_blind (self->ledger, self->reviewer_name, view_find_seed (self));
}

/* What the mode shows of the ledger's runs; NULL: none. */
static AssayRecord *
view_pick_record (AssayReviewView *self)
{
  if (self->mode == REVIEW_BLIND)
    return view_find_next_blind (self);
  return view_is_by_name (self) ? self->chosen : NULL;
}

/* What is left behind is emptied: a page that is not shown is still there to be read. */
static void
view_leave_pages (AssayReviewView *self)
{
  if (self->mode != REVIEW_REVEAL)
    assay_review_reveal_clear (self->reveal);
  if (self->mode != REVIEW_REVEAL && self->mode != REVIEW_BLIND)
    g_clear_pointer (&self->untold_run, g_free);
  if (self->mode != REVIEW_PAIRS)
    assay_review_pairs_stop (self->pairs);
  if (self->mode != REVIEW_AGREEMENT)
    assay_review_agreement_show (self->agreement, NULL);
}

void
review_view_set_mode (AssayReviewView *self, ReviewMode mode)
{
  review_view_stash_draft (self);
  self->mode = mode;
  view_leave_pages (self);
  review_view_set_shown (self, view_pick_record (self));
  review_view_notify_blind (self);
}

static void
view_focus_first_gap (AssayReviewView *self)
{
  if (self->draft == NULL)
    return;
  g_autoptr(AssayReviewGaps) gaps = assay_review_gaps_new (self->draft, assay_ledger_get_criteria (self->ledger),
                                                           assay_record_get_outputs (self->record));
  if (gaps->n_unrated > 0 && gaps->n_unrated < gaps->n_answers && gaps->first->per_question)
    assay_answer_view_go_to (self->answers, gaps->first_question);
  review_view_begin_answer (self);
}

/* Without a name there is no order. */
static gboolean
view_take_name (AssayReviewView *self)
{
  g_autofree char *name = g_strstrip (g_strdup (self->reviewer_name));

  if (*name == '\0')
    {
      assay_review_lobby_ask_name (self->lobby);
      return FALSE;
    }
  assay_review_view_set_reviewer (self, name);
  return TRUE;
}

static void
on_begin_blind (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (widget);

  if (self->ledger == NULL || !view_take_name (self) || view_find_next_blind (self) == NULL)
    return;
  review_view_set_mode (self, REVIEW_BLIND);
  view_focus_first_gap (self);
}

static void
on_begin_pairs (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (widget);

  if (self->ledger == NULL || !view_take_name (self))
    return;
  review_view_set_mode (self, REVIEW_PAIRS);
  if (assay_review_pairs_begin (self->pairs, self->ledger, self->reviewer_name, view_find_seed (self)))
    return;
  review_view_set_mode (self, REVIEW_START);
  assay_review_lobby_say (self->lobby, _("There is nothing to compare: no two runs answered the same question differently, "
                                         "or you have judged all there is."));
}

static void
on_by_name (GtkWidget *widget, const char *action, GVariant *parameter)
{
  review_view_set_mode (ASSAY_REVIEW_VIEW (widget), REVIEW_BY_NAME);
  review_view_begin_answer (ASSAY_REVIEW_VIEW (widget));
}

static void
on_agreement (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (widget);

  review_view_set_mode (self, REVIEW_AGREEMENT);
  assay_review_agreement_show (self->agreement, self->ledger);
}

static void
on_start (GtkWidget *widget, const char *action, GVariant *parameter)
{
  review_view_set_mode (ASSAY_REVIEW_VIEW (widget), REVIEW_START);
  assay_review_lobby_focus (ASSAY_REVIEW_VIEW (widget)->lobby);
}

/* The pairs that were judged are told when they are left: then no side can be guessed any more. */
void
assay_review_view_leave_blind (AssayReviewView *self)
{
  g_return_if_fail (ASSAY_IS_REVIEW_VIEW (self));

  if (!assay_review_view_is_blind (self))
    return;
  if (self->mode == REVIEW_PAIRS && assay_review_pairs_get_n_chosen (self->pairs) > 0)
    on_agreement (GTK_WIDGET (self), NULL, NULL);
  else
    on_start (GTK_WIDGET (self), NULL, NULL);
}

static void
on_pairs_finished (AssayReviewView *self)
{
  assay_review_view_leave_blind (self);
}

/* From one nameless run to the next; from the last to where all are told. */
static void
on_continue (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (widget);

  if (self->mode != REVIEW_REVEAL)
    return;
  if (view_find_next_blind (self) == NULL)
    {
      assay_review_view_leave_blind (self);
      return;
    }
  review_view_set_mode (self, REVIEW_BLIND);
  view_focus_first_gap (self);
}

void
review_view_reveal (AssayReviewView *self, const AssayReview *review)
{
  g_autoptr(AssayRecord) judged = g_object_ref (self->record);
  g_autoptr(AssayReview) told = assay_review_copy (review);

  review_view_set_mode (self, REVIEW_REVEAL);
  AssayRecord *now = assay_ledger_find_run (self->ledger, assay_record_get_id (judged));
  AssayRecord *before = self->untold_run != NULL ? assay_ledger_find_run (self->ledger, self->untold_run) : NULL;
  const AssayReviewProgress progress = assay_review_count_progress (self->ledger, self->reviewer_name);
  const guint n_left = progress.n_runs - progress.n_judged;
  const gboolean is_told = assay_review_reveal_is_told (n_left);
  assay_review_reveal_show (self->reveal, self->ledger, now != NULL ? now : judged, told, n_left, is_told ? before : NULL);
  g_free (self->untold_run);
  self->untold_run = is_told ? NULL : g_strdup (assay_record_get_id (judged));
}

static void
on_open_output (AssayReviewView *self, const char *run_id, const char *question)
{
  AssayRecord *run = self->ledger != NULL ? assay_ledger_find_run (self->ledger, run_id) : NULL;
  g_autofree char *about = g_strdup (question); /* of the row, which goes away */

  if (run == NULL)
    return;
  review_view_set_mode (self, REVIEW_BY_NAME);
  g_signal_emit_by_name (self, "next-run", run);
  if (about != NULL)
    assay_answer_view_go_to (self->answers, about);
  review_view_begin_answer (self);
}

/* The page */

static void
view_show_lobby (AssayReviewView *self)
{
  AssayReviewProgress progress = assay_review_count_progress (self->ledger, self->reviewer_name);

  assay_review_lobby_show (self->lobby, &progress, self->reviewer_name, !assay_ledger_is_read_only (self->ledger));
}

static const char *
view_pick_page (AssayReviewView *self)
{
  switch (self->mode)
    {
    case REVIEW_REVEAL:
      return "reveal";
    case REVIEW_PAIRS:
      return "pairs";
    case REVIEW_AGREEMENT:
      return "agreement";
    case REVIEW_START:
    case REVIEW_BY_NAME:
    case REVIEW_BLIND:
    default:
      return review_view_is_form (self) ? "review" : view_is_by_name (self) ? "empty" : "lobby";
    }
}

static void
view_show_empty (AssayReviewView *self)
{
  g_autofree char *reason = assay_review_words_dup_empty (self->ledger, self->record);
  g_autofree char *escaped = g_markup_escape_text (reason, -1);

  adw_status_page_set_description (self->empty, escaped);
}

static void
view_enable_saving (AssayReviewView *self)
{
  const gboolean form = review_view_is_form (self);
  const gboolean writable = form && !assay_ledger_is_read_only (self->ledger);

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "review.save", writable);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "review.save-next", writable);
  if (form && !writable)
    review_view_say (self, assay_ledger_get_read_only_reason (self->ledger), TRUE);
}

void
review_view_show_page (AssayReviewView *self)
{
  const char *page = view_pick_page (self);
  const gboolean blind = self->mode == REVIEW_BLIND;

  assay_answer_view_set_blind (self->answers, blind);
  gtk_widget_set_visible (self->blind_bar, blind);
  gtk_widget_set_visible (self->name_bar, self->mode == REVIEW_BY_NAME && view_has_choice (self));
  gtk_widget_set_visible (self->save, !blind);
  gtk_widget_set_visible (self->edit_criteria, !blind);
  gtk_widget_set_visible (GTK_WIDGET (self->reviewer), !blind);
  gtk_stack_set_visible_child_name (self->stack, page);
  view_enable_saving (self);
  review_view_show_progress (self);
  if (g_str_equal (page, "lobby"))
    view_show_lobby (self);
  else if (g_str_equal (page, "empty"))
    view_show_empty (self);
}

static void
view_show_position (AssayReviewView *self)
{
  guint at, n;

  assay_review_count_outputs (self->ledger, self->reviewer_name, self->seed, self->record,
                              assay_answer_view_get_index (self->answers), &at, &n);
  g_autofree char *name = assay_display_line (self->reviewer_name, 60);
  g_autofree char *words = g_strdup_printf (
      /* Translators: beside the words “Blind Review”: number and count of outputs, and a person's name. */
      C_ ("blind review", "output %u of %u · reviewer %s · which run made it appears after saving"), at, n, name);
  gtk_label_set_text (self->blind_words, words);
  gtk_progress_bar_set_fraction (self->blind_progress, n > 0 ? (double) (at - 1) / n : 0.0);
}

/* Next answer, or save: the word on the button is what the key does. */
void
review_view_show_progress (AssayReviewView *self)
{
  const gboolean last = assay_answer_view_is_last (self->answers);

  gtk_label_set_text_with_mnemonic (self->advance_label, last ? _("Save and _Next") : _("_Next Answer"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->advance), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  last ? _("Save and Next") : _("Next Answer"), -1);
  gtk_widget_set_tooltip_text (self->advance, last ? _("Save and go to the next run (Ctrl+Enter)")
                                                   : _("Go to the next answer of this run (Ctrl+Enter)"));
  if (self->mode == REVIEW_BLIND && self->record != NULL)
    view_show_position (self);
}

static void
on_advance (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (widget);

  if (self->mode == REVIEW_REVEAL)
    on_continue (widget, action, parameter);
  else if (!review_view_is_form (self))
    return;
  else if (assay_answer_view_is_last (self->answers))
    gtk_widget_activate_action (widget, "review.save-next", NULL);
  else
    {
      assay_answer_view_step (self->answers, 1);
      review_view_begin_answer (self);
    }
}

/* The keys may be at the header, or in the sidebar. */
static gboolean
advance_anywhere_cb (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  return gtk_widget_get_mapped (widget) && gtk_widget_activate_action (widget, "review.advance", NULL);
}

void
review_view_listen_anywhere (AssayReviewView *self)
{
  GtkEventController *keys = gtk_shortcut_controller_new ();

  gtk_shortcut_controller_set_scope (GTK_SHORTCUT_CONTROLLER (keys), GTK_SHORTCUT_SCOPE_GLOBAL);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys),
      gtk_shortcut_new (gtk_shortcut_trigger_parse_string ("<Control>Return|<Control>KP_Enter"),
                        gtk_callback_action_new (advance_anywhere_cb, NULL, NULL)));
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
}

void
review_view_follow_ledger (AssayReviewView *self)
{
  AssayRecord *now
      = self->record != NULL ? assay_ledger_find_run (self->ledger, assay_record_get_id (self->record)) : NULL;

  if (self->mode == REVIEW_START && view_has_choice (self)) /* a second run came: the one that is being judged stays */
    review_view_set_mode (self, self->draft != NULL && self->draft->dirty ? REVIEW_BY_NAME : REVIEW_START);
  else if (self->record != NULL && now != NULL)
    review_view_set_shown (self, now);
  else if (self->mode == REVIEW_BLIND) /* it was deleted meanwhile */
    review_view_set_mode (self, view_find_next_blind (self) != NULL ? REVIEW_BLIND : REVIEW_START);
  else if (self->mode == REVIEW_START)
    review_view_set_mode (self, REVIEW_START);
}

void
review_view_bind_modes (GtkWidgetClass *widget_class)
{
  const struct { const char *name; GtkWidgetActionActivateFunc activate; } actions[] = {
    { "review.blind", on_begin_blind }, { "review.pairs", on_begin_pairs }, { "review.by-name", on_by_name },
    { "review.agreement", on_agreement }, { "review.start", on_start }, { "review.continue", on_continue },
    { "review.advance", on_advance },
  };

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget_class, actions[i].name, NULL, actions[i].activate);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, stack);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, empty);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, lobby);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, reveal);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, pairs);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, agreement);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, blind_bar);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, blind_words);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, blind_progress);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, name_bar);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, save);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, advance);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, advance_label);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewView, edit_criteria);
  gtk_widget_class_bind_template_callback (widget_class, on_pairs_finished);
  gtk_widget_class_bind_template_callback (widget_class, on_open_output);
}
