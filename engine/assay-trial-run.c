/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-trial-run.c: the worker: phases from first to last, and one exit for every failure.
 *
 * What can be refused is refused before the weights are read: conditions, then what the metadata says, then
 * the lengths of all prompts. The worker owns the device; it is gone when the record is handed over. */
#include "assay-trial-private.h"

#include "assay-device-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

gint64
assay_trial_now_ns (void)
{
  return g_get_monotonic_time () * 1000;
}

/* --- phases --- */

/* Where a phase's time is added up; NULL for one that has no figure of its own. */
static gint64 *
run_sum_of_phase (TrialRun *run, const char *name)
{
  if (g_str_equal (name, "load") || g_str_equal (name, "attach"))
    return &run->load_ns;
  if (g_str_equal (name, "convert"))
    return &run->convert_ns;
  if (g_str_equal (name, "prompt"))
    return &run->prompt_ns;
  return g_str_equal (name, "generate") ? &run->generate_ns : NULL;
}

void
trial_run_begin_phase (TrialRun *run, const char *name)
{
  run->phase = name;
  run->phase_start_ns = assay_trial_now_ns ();
  run->told_phase_peak = -1; /* what was told before is of the phase before */
  if (run->rig.device != NULL)
    assay_device_mark_phase (run->rig.device);
  assay_series_begin_phase (run->trial->series, name, run->phase_start_ns - run->start_ns);
  assay_trial_post_phase (run->trial, name);
}

gint64
trial_run_end_phase (TrialRun *run)
{
  AssayDeviceFigures figures = { 0 };
  if (run->rig.device != NULL)
    assay_device_get_figures (run->rig.device, &figures);
  const gint64 now_ns = assay_trial_now_ns (), spent_ns = now_ns - run->phase_start_ns;
  gint64 *sum = run_sum_of_phase (run, run->phase);
  assay_series_end_phase (run->trial->series, now_ns - run->start_ns,
                          run->told != NULL ? run->told_phase_peak : (gint64) figures.phase_peak_allocated);
  if (sum != NULL)
    *sum += spent_ns;
  run->phase = NULL;
  return spent_ns;
}

/* --- ending early --- */

static void
run_set_time_limit (TrialRun *run, GError **error)
{
  g_autofree char *limit = assay_format_seconds ((run->deadline_ns - run->start_ns) / 1e9);
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_TIME_LIMIT, "time-limit", NULL, "time_limit_seconds", -1,
                          _("the time limit of %s passed; what was made until then is kept"), limit);
}

gboolean
trial_run_check_stop (TrialRun *run, GError **error)
{
  if (run->deadline_ns > 0 && assay_trial_now_ns () >= run->deadline_ns)
    assay_trial_stop (run->trial, ASSAY_STOP_TIME_LIMIT);
  switch (g_atomic_int_get (&run->trial->stop_reason))
    {
    case ASSAY_STOP_NONE:
      return TRUE;
    case ASSAY_STOP_TIME_LIMIT:
      run_set_time_limit (run, error);
      return FALSE;
    default:
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                           _("cancelled; what was made until then is kept"));
      return FALSE;
    }
}

/* File work only knows that it was cancelled; the trial knows why. */
static void
run_name_reason (TrialRun *run, GError **error)
{
  if (!g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_clear_error (error);
  trial_run_check_stop (run, error);
}

/* --- load --- */

static void
run_load_progress (guint64 done, guint64 total, gpointer data)
{
  TrialRun *run = data;
  const double part = total > 0 ? (double) done / total : 1;
  trial_run_check_stop (run, NULL); /* the time limit cancels the reading */
  assay_trial_post_fraction (run->trial, 0.2 * part, -1);
}

/* The seed that is used, and where it comes from. */
static void
run_draw_seed (TrialRun *run)
{
  gint64 seed = 0;
  const char *source = assay_values_get_text (run->actual, ASSAY_FIELD_SEED_SOURCE);
  if (!assay_values_get_integer (run->actual, ASSAY_FIELD_SEED, &seed) || seed >= 0)
    {
      const gboolean is_default = g_strcmp0 (source, "default") == 0 && seed == 0;
      assay_values_set_text (run->actual, ASSAY_FIELD_SEED_SOURCE, is_default ? "default" : "asked");
      return;
    }
  const guint64 drawn = ((guint64) g_random_int () << 32 | g_random_int ()) & G_MAXINT64;
  assay_values_set_integer (run->actual, ASSAY_FIELD_SEED, (gint64) drawn);
  assay_values_set_text (run->actual, ASSAY_FIELD_SEED_SOURCE, "random");
}

/* One thing is asked, and the record says which: a set's name beside a prompt names questions that nobody
 * put. */
static gboolean
run_check_input (TrialRun *run, GError **error)
{
  const char *prompt = assay_values_get_text (run->actual, ASSAY_FIELD_PROMPT);
  const char *set = assay_values_get_text (run->actual, ASSAY_FIELD_QUESTION_SET);
  if (prompt == NULL || *prompt == '\0')
    return TRUE;
  if (run->trial->questions != NULL)
    {
      assay_values_set_text (run->actual, ASSAY_FIELD_PROMPT, "");
      return TRUE;
    }
  if (set == NULL || *set == '\0')
    return TRUE;
  g_autofree char *shown = assay_engine_escape (prompt, strlen (prompt));
  g_autofree char *message = g_strdup_printf (_("question_set is '%s', but the prompt '%s' is given too, "
                                                 "and one of them can be asked: leave the other "
                                                 "empty"),
                                              set, shown);
  return assay_trial_set_rule (error, "two-inputs", ASSAY_FIELD_QUESTION_SET, message);
}

static gboolean
run_check_conditions (TrialRun *run, GError **error)
{
  assay_trial_fill_defaults (run->actual);
  assay_trial_fill_consequences (run->actual);
  run_draw_seed (run);
  return assay_trial_check (run->actual, run->trial->questions != NULL, error)
         && run_check_input (run, error);
}

/* The metadata, and all that can be refused because of it. A tokenizer that does not name its rules is taken
 * only when the conditions say so. */
static gboolean
run_inspect (TrialRun *run, GError **error)
{
  const char *path = assay_values_get_text (run->actual, ASSAY_FIELD_MODEL_PATH);
  const gboolean unverified
      = g_strcmp0 (assay_values_get_text (run->actual, ASSAY_FIELD_TOKENIZER_NOTE), "unverified") == 0;
  run->inspection = assay_inspect (path, unverified, run->trial->stop, error);
  if (run->inspection == NULL || !assay_trial_check_model (run->actual, run->inspection, error))
    return FALSE;
  trial_run_write_environment (run);
  assay_trial_fill_model_defaults (run->actual, run->inspection);
  return trial_run_tokenize (run, error);
}

static const char *
page_cache_name (double share)
{
  return share < 0.1 ? "cold" : share < 0.9 ? "partly" : "warm";
}

static void
run_note_page_cache (TrialRun *run)
{
  const double share = assay_model_file_get_cached_share (run->inspection->file);
  if (share >= 0)
    assay_values_set_text (run->actual, ASSAY_FIELD_PAGE_CACHE, page_cache_name (share));
  else
    assay_values_set_unknown (run->actual, ASSAY_FIELD_PAGE_CACHE, "the system does not tell");
}

static gboolean
run_read_weights (TrialRun *run, GError **error)
{
  AssayModelFile *file = run->inspection->file;
  if (!trial_run_check_stop (run, error) || !assay_model_file_map (file, error))
    return FALSE;
  run_note_page_cache (run);
  run->mapped_bytes = assay_model_file_get_mapped_bytes (file);
  assay_meter_set_mapped_weights (run->meter, run->mapped_bytes);
  g_autofree char *hash
      = assay_model_file_hash_content (file, TRUE, run_load_progress, run, run->trial->stop, error);
  if (hash == NULL)
    return FALSE;
  assay_values_set_text (run->actual, ASSAY_FIELD_MODEL_CONTENT_HASH, hash);
  return TRUE;
}

/* What the planner says goes into the record before anything is measured. */
static gboolean
run_foretell (TrialRun *run, GError **error)
{
  g_autoptr (AssayForecast) forecast
      = assay_forecast_new (run->actual, run->inspection, run->trial->questions, error);
  if (forecast == NULL)
    return FALSE;
  assay_forecast_write (forecast, assay_record_get_burden (run->record));
  assay_trial_post_foretold (run->trial, forecast->on_cpu ? forecast->peak_host : forecast->peak_device);
  return TRUE;
}

/* A child of another run holds everything fixed but one axis; that is seen where the model was read, and again where
 * the adapters were. What the device chooses in between is no change of anybody's: only their hash is added. */
/* What a child process made of what it was asked is not known before it runs: the two are compared by what was asked.
 * (transfer full) */
static AssayRecord *
run_dup_parent (TrialRun *run)
{
  AssayRecord *parent = assay_record_copy (run->trial->parent);
  for (AssayFieldId field = 0; run->told != NULL && field < ASSAY_N_FIELDS; field++)
    if (assay_values_get_state (assay_record_get_conditions (parent), field) == ASSAY_VALUE_SET)
      assay_values_unset (assay_record_get_effective (parent), field);
  return parent;
}

gboolean
trial_run_check_parent (TrialRun *run, GError **error)
{
  if (run->trial->parent == NULL)
    return TRUE;
  if (run->so_far == NULL)
    {
      run->so_far = assay_record_copy (run->record);
      trial_run_write_effective (run, run->so_far);
    }
  assay_values_copy_field (assay_record_get_effective (run->so_far), run->actual,
                           ASSAY_FIELD_ATTACHED_CONTENT_HASH);
  g_autoptr (AssayRecord) parent = run_dup_parent (run);
  g_autofree char *moved = assay_child_check (parent, run->so_far);
  if (moved == NULL)
    return TRUE;
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_RULE, "not-one-axis", NULL, NULL, -1, "%s", moved);
  return FALSE;
}

static void
run_on_trim (guint64 bytes, gpointer data)
{
  TrialRun *run = data;
  g_autofree char *size = assay_format_bytes (bytes);
  assay_series_add_mark (run->trial->series, assay_trial_now_ns () - run->start_ns, "trim", size);
}

/* While the worker waits for a copy. */
static gboolean
run_is_ending (gpointer data)
{
  return !trial_run_check_stop (data, NULL);
}

static gboolean
run_open_devices (TrialRun *run, GError **error)
{
  AssayRig *rig = &run->rig;
  if (!assay_rig_read (rig, run->actual, run->inspection, error))
    return FALSE;
  trial_run_watch_card (run);
  const gboolean ok = run->trial->rig_func != NULL
                          ? run->trial->rig_func (rig, run->actual, run->trial->rig_data, error)
                          : assay_rig_open (rig, run->actual, error);
  if (!ok)
    return FALSE;
  assay_device_set_trim_func (rig->device, run_on_trim, run);
  if (rig->link != NULL)
    assay_link_set_stop_func (rig->link, run_is_ending, run);
  assay_meter_set_device (run->meter, rig->device, rig->link);
  if (run->nvml != NULL)
    assay_meter_set_card (run->meter, run->nvml, rig->host);
  return TRUE;
}

static void
run_place_progress (guint64 done, guint64 total, gpointer data)
{
  TrialRun *run = data;
  trial_run_check_stop (run, NULL);
  assay_trial_post_fraction (run->trial, 0.1 + 0.1 * (total > 0 ? (double) done / total : 1), -1);
}

static void
run_next_phase (TrialRun *run, const char *name)
{
  trial_run_end_phase (run);
  trial_run_begin_phase (run, name);
}

static gboolean
run_attach (TrialRun *run, GError **error)
{
  g_autofree char *hash = NULL;
  if (!assay_rig_attach (&run->rig, run->actual, &hash, run->trial->stop, error))
    return FALSE;
  if (hash == NULL)
    return TRUE;
  assay_values_set_text (run->actual, ASSAY_FIELD_ATTACHED_CONTENT_HASH, hash);
  return trial_run_check_parent (run, error);
}

static gboolean
run_make_model (TrialRun *run, GError **error)
{
  const char *attached = assay_values_get_text (run->actual, ASSAY_FIELD_ATTACHED_COMPONENTS);
  const gboolean attaches = attached != NULL && *attached != '\0' && !g_str_equal (attached, "none");
  if (!assay_rig_make_model (&run->rig, run->inspection, error))
    return FALSE;
  if (attaches)
    run_next_phase (run, "attach");
  if (!run_attach (run, error))
    return FALSE;
  if (assay_model_needs_conversion (run->rig.model))
    run_next_phase (run, "convert");
  else if (attaches)
    run_next_phase (run, "load");
  if (!trial_run_check_stop (run, error))
    return FALSE;
  const gboolean placed = assay_rig_place (&run->rig, run_place_progress, run, run->trial->stop, error);
  if (!placed
      && g_str_equal (assay_model_get_step (run->rig.model),
                      "attach")) /* the adapters' parts are the last straw */
    run_next_phase (run, "attach");
  return placed;
}

/* Every pass moves the same blocks: two of them, a prompt's and the next, tell the rest. */
static void
run_on_block (AssayPlacement *placement, guint64 bytes, gpointer data)
{
  TrialRun *run = data;
  g_autofree char *block = assay_placement_dup_resident (placement), *size = assay_format_bytes (bytes);
  g_autofree char *text = g_strdup_printf ("%s · %s", block, size);
  assay_series_add_mark (run->trial->series, assay_trial_now_ns () - run->start_ns, "resident", text);
  if (--run->n_blocks_to_mark == 0)
    assay_placement_set_block_func (placement, NULL, NULL);
}

static void
run_watch_blocks (TrialRun *run)
{
  AssayPlacement *placement = assay_model_get_placement (run->rig.model);
  AssayPlacementFigures figures;
  assay_placement_get_figures (placement, &figures);
  run->n_blocks_to_mark = 2 * figures.n_streamed;
  if (figures.n_streamed > 0)
    assay_placement_set_block_func (placement, run_on_block, run);
}

static gboolean
run_load (TrialRun *run, GError **error)
{
  trial_run_begin_phase (run, "load");
  if (!run_inspect (run, error) || !run_foretell (run, error) || !run_read_weights (run, error)
      || !trial_run_check_parent (run, error) || !run_open_devices (run, error) || !run_make_model (run, error))
    return FALSE;
  run->placed = TRUE;
  run_watch_blocks (run);
  trial_run_end_phase (run);
  return TRUE;
}

/* --- the whole --- */

static gboolean
run_all (TrialRun *run, GError **error)
{
  if (!trial_run_check_stop (run, error) || !run_check_conditions (run, error))
    return FALSE;
  if (run->told != NULL)
    return trial_run_process (run, error);
  if (!run_load (run, error))
    return FALSE;
  const guint n = assay_trial_get_n_questions (run->trial), batch = run->rig.options.n_sequences;
  for (guint i = 0; i < n; i += batch)
    if (!trial_run_answer (run, i, MIN (batch, n - i), error))
      return FALSE;
  /* One empty answer among others is an answer, for a person to judge; nothing at all is no output. */
  if (run->n_empty < assay_trial_get_n_questions (run->trial))
    return TRUE;
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_OUTPUT, "output-empty", NULL, NULL, -1, "%s",
                          _("the model answered nothing at all"));
  return FALSE;
}

static char *
run_dup_wall_clock (void)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  return g_date_time_format (now, "%Y-%m-%dT%H:%M:%S%:z");
}

static void
run_init (TrialRun *run, AssayTrial *trial)
{
  gint64 mapped, pinned, system;
  double limit_s = 0;
  *run = (TrialRun){ .trial = trial, .step = -1, .told_allocated = -1, .told_reserved = -1, .told_phase_peak = -1 };
  run->start_ns = assay_trial_now_ns ();
  assay_values_get_real (trial->conditions, ASSAY_FIELD_TIME_LIMIT_SECONDS, &limit_s);
  run->deadline_ns = limit_s > 0 ? run->start_ns + (gint64) (limit_s * 1e9) : 0;
  run->record = assay_record_copy (trial->started);
  assay_record_take_series (run->record, assay_series_ref (trial->series));
  run->actual = assay_values_copy (trial->conditions);
  assay_meter_read_ram (&run->ram_baseline, &mapped, &pinned, &system);
  run->meter = assay_meter_new (trial->series, assay_series_get_interval_ns (trial->series), run->start_ns);
  if (assay_trial_is_process (run->actual))
    {
      run->told = assay_values_new ();
      run->ram_baseline = 0; /* of the child: it is not there yet */
      assay_meter_set_family (run->meter, -1);
    }
  g_autofree char *started_at = run_dup_wall_clock ();
  assay_values_set_text (assay_record_get_burden (run->record), ASSAY_FIELD_STARTED_AT, started_at);
}

static void
run_write (TrialRun *run, const GError *error)
{
  g_autofree char *finished_at = run_dup_wall_clock ();
  assay_values_set_text (assay_record_get_burden (run->record), ASSAY_FIELD_FINISHED_AT, finished_at);
  trial_run_write_outcome (run, error);
  if (run->phase != NULL)
    trial_run_end_phase (run);
  assay_meter_stop (run->meter);
  if (run->rig.device != NULL) /* what is given back from here on is the end, and no event of the run */
    assay_device_set_trim_func (run->rig.device, NULL, NULL);
  trial_run_write_burden (run);
  trial_run_write_effective (run, run->record);
  assay_record_seal (run->record);
}

static void
run_clear (TrialRun *run)
{
  g_clear_pointer (&run->meter, assay_meter_free); /* reads the devices */
  g_clear_pointer (&run->nvml, assay_nvml_free);
  assay_rig_clear (&run->rig);
  g_clear_pointer (&run->inspection, assay_inspection_free);
  g_clear_pointer (&run->prompts, g_ptr_array_unref);
  g_clear_pointer (&run->actual, assay_values_unref);
  g_clear_pointer (&run->told, assay_values_unref);
  g_clear_object (&run->so_far);
}

gpointer
assay_trial_thread (gpointer data)
{
  g_autoptr (AssayTrial) trial = data;
  g_autoptr (GError) error = NULL;
  TrialRun run;
  run_init (&run, trial);
  assay_meter_start (run.meter);
  if (run_all (&run, &error))
    assay_trial_post_fraction (trial, 1, 0);
  else
    run_name_reason (&run, &error);
  run_write (&run, error);
  AssayRecord *record = g_steal_pointer (&run.record);
  run_clear (&run);
  assay_trial_post_finished (trial, record);
  return NULL;
}
