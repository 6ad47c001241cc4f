/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-trial-conditions.c: what a trial is when nobody says, and what it may not be.
 *
 * Every rule is a row with the field to show it beside; a message says which rule, what was asked for and
 * what to choose. Rules that need the model file are apart: they are checked when it is open. */
#include "assay-trial-private.h"
#include "cuda-module.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#define DEFAULT_CONTEXT 4096u
#define MOST_SEQUENCES 64

/* --- defaults --- */

/* In the file form. The seed is a fixed one: runs without one of their own stay comparable; -1 draws one. */
static const struct
{
  AssayFieldId field;
  const char *value;
} defaults[] = {
  { ASSAY_FIELD_RUNTIME, "native" },
  { ASSAY_FIELD_DEVICE, "cpu" },
  { ASSAY_FIELD_OFFLOAD_MODE, "none" },
  { ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, "false" },
  { ASSAY_FIELD_DEVICE_MAP, "none" },
  { ASSAY_FIELD_ATTACHED_COMPONENTS, "none" },
  { ASSAY_FIELD_BATCH_SIZE, "1" },
  { ASSAY_FIELD_KV_CACHE_TYPE, "float16" },
  { ASSAY_FIELD_CHAT_FORMAT, "auto" },
  { ASSAY_FIELD_MAX_TOKENS, "256" },
  { ASSAY_FIELD_TEMPERATURE, "0" },
  { ASSAY_FIELD_TOP_K, "0" },
  { ASSAY_FIELD_TOP_P, "1" },
  { ASSAY_FIELD_SEED, "0" },
  { ASSAY_FIELD_REPEATS, "1" },
  { ASSAY_FIELD_TIME_LIMIT_SECONDS, "0" },
  { ASSAY_FIELD_SAMPLE_INTERVAL_MS, "50" },
};

static gboolean
is_unset (const AssayValues *values, AssayFieldId field)
{
  return assay_values_get_state (values, field) != ASSAY_VALUE_SET;
}

static const char *
get_text (const AssayValues *c, AssayFieldId field)
{
  const char *text = assay_values_get_text (c, field);
  return text != NULL ? text : "";
}

static gboolean
is_named (const AssayValues *c, AssayFieldId field)
{
  const char *text = get_text (c, field);
  return *text != '\0' && !g_str_equal (text, "none");
}

static void
fill_compute_dtype (AssayValues *conditions)
{
  const char *quantization = assay_values_get_text (conditions, ASSAY_FIELD_QUANTIZATION);
  const gboolean on_card = assay_cuda_parse_ordinal (get_text (conditions, ASSAY_FIELD_DEVICE)) >= 0;
  if (quantization != NULL && is_unset (conditions, ASSAY_FIELD_COMPUTE_DTYPE))
    assay_values_set_text (conditions, ASSAY_FIELD_COMPUTE_DTYPE,
                           on_card ? "float16" : g_str_equal (quantization, "none") ? "float32" : "int8");
}

/* One spelling of a type, so that two of them are no change: "Q4_1", "nf4", "none". */
static void
spell_quantization (AssayValues *conditions)
{
  AssayDtype dtype;
  const char *text = assay_values_get_text (conditions, ASSAY_FIELD_QUANTIZATION);
  if (text == NULL)
    return;
  if (g_ascii_strcasecmp (text, "none") == 0)
    assay_values_set_text (conditions, ASSAY_FIELD_QUANTIZATION, "none");
  else if (assay_dtype_from_name (text, &dtype) && assay_dtype_info (dtype)->quantized)
    assay_values_set_text (conditions, ASSAY_FIELD_QUANTIZATION, assay_dtype_info (dtype)->name);
}

/* Who makes the blocks, and of what, goes with their type where nobody says; and what a file said of its own blocks no
 * longer holds when others are made. */
static void
follow_quantization (AssayValues *conditions)
{
  spell_quantization (conditions);
  const char *quantization = assay_values_get_text (conditions, ASSAY_FIELD_QUANTIZATION);
  const char *modules = get_text (conditions, ASSAY_FIELD_QUANTIZED_MODULES);
  const char *maker = assay_rig_get_method (quantization);
  if (quantization == NULL || maker == NULL)
    return;
  if (is_unset (conditions, ASSAY_FIELD_QUANTIZATION_METHOD))
    assay_values_set_text (conditions, ASSAY_FIELD_QUANTIZATION_METHOD, maker);
  g_autofree char *list = g_strconcat (quantization, ":", NULL);
  const gboolean is_none = g_str_equal (quantization, "none");
  const gboolean stale = strchr (modules, ':') != NULL && strstr (modules, list) == NULL;
  if (stale || *modules == '\0' || (g_str_equal (modules, "none") && !is_none))
    assay_values_set_text (conditions, ASSAY_FIELD_QUANTIZED_MODULES, is_none ? "none" : "default");
}

/* How units move is a condition only where some do. */
static void
fill_placement (AssayValues *conditions)
{
  const char *mode = get_text (conditions, ASSAY_FIELD_OFFLOAD_MODE);
  const gboolean streams = g_str_equal (mode, "group") || g_str_equal (mode, "sequential");
  if (g_str_equal (mode, "group") && is_unset (conditions, ASSAY_FIELD_OFFLOAD_GRANULARITY))
    assay_values_set_integer (conditions, ASSAY_FIELD_OFFLOAD_GRANULARITY, 1);
  if ((streams || is_named (conditions, ASSAY_FIELD_DEVICE_MAP))
      && is_unset (conditions, ASSAY_FIELD_PREFETCH))
    assay_values_set_boolean (conditions, ASSAY_FIELD_PREFETCH, TRUE);
}

void
assay_trial_fill_defaults (AssayValues *conditions)
{
  if (is_unset (conditions, ASSAY_FIELD_SEED))
    assay_values_set_text (conditions, ASSAY_FIELD_SEED_SOURCE, "default");
  for (guint i = 0; i < G_N_ELEMENTS (defaults); i++)
    if (is_unset (conditions, defaults[i].field))
      assay_values_parse (conditions, defaults[i].field, defaults[i].value, NULL);
  fill_placement (conditions);
  follow_quantization (conditions);
  if (is_unset (conditions, ASSAY_FIELD_THREADS))
    assay_values_set_integer (conditions, ASSAY_FIELD_THREADS, g_get_num_processors ());
  fill_compute_dtype (conditions);
}

/* None of them among the defaults, which a form shows and a person goes on to edit: these would then stay
 * behind. */
void
assay_trial_fill_consequences (AssayValues *conditions)
{
  if (assay_trial_is_process (conditions)) /* what follows is told by the child */
    return;
  if (is_unset (conditions, ASSAY_FIELD_V_CACHE_TYPE))
    assay_values_set_text (conditions, ASSAY_FIELD_V_CACHE_TYPE,
                           get_text (conditions, ASSAY_FIELD_KV_CACHE_TYPE));
  if (is_unset (conditions, ASSAY_FIELD_WEIGHT_ACCESS))
    assay_values_set_text (conditions, ASSAY_FIELD_WEIGHT_ACCESS, "mapped");
  if (is_named (conditions, ASSAY_FIELD_OFFLOAD_API))
    return;
  g_autofree char *calls = assay_assembly_dup_calls (conditions);
  assay_values_set_text (conditions, ASSAY_FIELD_OFFLOAD_API, *calls != '\0' ? calls : "none");
}

void
assay_trial_fill_model_defaults (AssayValues *conditions, const AssayInspection *inspection)
{
  if (is_unset (conditions, ASSAY_FIELD_CONTEXT_LENGTH))
    assay_values_set_integer (conditions, ASSAY_FIELD_CONTEXT_LENGTH,
                              MIN (inspection->config.context_length, DEFAULT_CONTEXT));
  fill_compute_dtype (conditions);
}

/* --- rules that need no model --- */

typedef char *(*ConditionRule) (const AssayValues *c);

static char *
rule_model_path (const AssayValues *c)
{
  return *get_text (c, ASSAY_FIELD_MODEL_PATH) != '\0'
             ? NULL
             : g_strdup (_("model_path is empty: choose a model file"));
}

gboolean
assay_trial_is_process (const AssayValues *c)
{
  return g_str_equal (get_text (c, ASSAY_FIELD_RUNTIME), "process");
}

gboolean
assay_trial_is_on_cpu (const AssayValues *c)
{
  const char *device = get_text (c, ASSAY_FIELD_DEVICE);
  return *device == '\0' || g_str_equal (device, "cpu");
}

static gboolean
is_virtual (const AssayValues *c)
{
  return g_str_equal (get_text (c, ASSAY_FIELD_DEVICE), "virtual");
}

static char *
rule_device (const AssayValues *c)
{
  const char *device = get_text (c, ASSAY_FIELD_DEVICE);
  if (assay_trial_is_on_cpu (c) || is_virtual (c) || assay_cuda_parse_ordinal (device) >= 0)
    return NULL; /* whether there is such a card is seen where it is opened */
  return g_strdup_printf (
      _("device is '%s', which is none of cpu, virtual, cuda:N: choose 'cpu' or 'virtual'"), device);
}

static char *
rule_offload_mode (const AssayValues *c)
{
  if (!is_named (c, ASSAY_FIELD_OFFLOAD_MODE) || !assay_trial_is_on_cpu (c))
    return NULL;
  return g_strdup_printf (
      _("offload_mode is '%s', but on the cpu device there is nowhere to offload to: it must be "
         "'none', or the device 'virtual'"),
      get_text (c, ASSAY_FIELD_OFFLOAD_MODE));
}

static char *
rule_moved (const AssayValues *c)
{
  gboolean moved = FALSE;
  if (!assay_trial_is_on_cpu (c) || !assay_values_get_boolean (c, ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, &moved)
      || !moved)
    return NULL;
  return g_strdup (
      _("pipeline_moved_to_cuda is true, but the cpu device has no memory of its own to move to: it must be "
         "false"));
}

static char *
rule_device_map (const AssayValues *c)
{
  const char *map = get_text (c, ASSAY_FIELD_DEVICE_MAP);
  if (!assay_trial_is_on_cpu (c) || !is_named (c, ASSAY_FIELD_DEVICE_MAP))
    return NULL;
  return g_strdup_printf (_("device_map is '%s', but everything lies on the cpu device: it must be 'none'"),
                          map);
}

static char *
rule_needs_virtual (const AssayValues *c, AssayFieldId field)
{
  if (is_unset (c, field) || is_virtual (c))
    return NULL;
  return g_strdup_printf (
      _("%s belongs to the link of the virtual device: leave it empty, or choose the device 'virtual'"),
      assay_field_get_info (field)->name);
}

static char *
rule_link_bandwidth (const AssayValues *c)
{
  return rule_needs_virtual (c, ASSAY_FIELD_LINK_BANDWIDTH);
}

static char *
rule_link_latency (const AssayValues *c)
{
  return rule_needs_virtual (c, ASSAY_FIELD_LINK_LATENCY_SECONDS);
}

static char *
rule_ram_budget (const AssayValues *c)
{
  gint64 budget = 0;
  if (!assay_trial_is_on_cpu (c) || !assay_values_get_integer (c, ASSAY_FIELD_RAM_BUDGET, &budget)
      || budget == 0)
    return NULL;
  return g_strdup (
      _("ram_budget bounds host memory beside a device of its own; on the cpu device vram_budget is that "
         "bound: use it instead"));
}

static char *
rule_batch_size (const AssayValues *c)
{
  gint64 size = 1;
  if (!assay_values_get_integer (c, ASSAY_FIELD_BATCH_SIZE, &size) || size <= MOST_SEQUENCES)
    return NULL;
  return g_strdup_printf (
      _("batch_size is %" PRId64 ", but this engine answers at most %d questions at once"), size,
      MOST_SEQUENCES);
}

/* Nothing is searched for: which program runs is the person's own word. */
static char *
rule_program (const AssayValues *c)
{
  const char *program = get_text (c, ASSAY_FIELD_PROGRAM);
  if (*program == '\0')
    return g_strdup (_("program is empty: the runtime 'process' needs the path of an interpreter or program"));
  if (!g_path_is_absolute (program))
    return g_strdup_printf (_("program is '%s': give its whole path, beginning with /"), program);
  return NULL;
}

static char *
rule_model_named (const AssayValues *c)
{
  return *get_text (c, ASSAY_FIELD_MODEL_ID) != '\0' ? NULL : rule_model_path (c);
}

static char *
rule_moved_or_offloaded (const AssayValues *c)
{
  gboolean moved = FALSE;
  if (!is_named (c, ASSAY_FIELD_OFFLOAD_MODE)
      || !assay_values_get_boolean (c, ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, &moved) || !moved)
    return NULL;
  return g_strdup_printf (_("pipeline_moved_to_cuda is true and offload_mode is '%s': a pipeline that is moved whole "
                            "stays resident; choose one of them"),
                          get_text (c, ASSAY_FIELD_OFFLOAD_MODE));
}

static char *
rule_needs_process (const AssayValues *c, AssayFieldId field)
{
  if (!is_named (c, field))
    return NULL;
  return g_strdup_printf (_("%s belongs to the runtime 'process': leave it empty, or choose that runtime"),
                          assay_field_get_info (field)->name);
}

static char *
rule_no_program (const AssayValues *c)
{
  return rule_needs_process (c, ASSAY_FIELD_PROGRAM);
}

static char *
rule_no_recipe (const AssayValues *c)
{
  return rule_needs_process (c, ASSAY_FIELD_RECIPE);
}

static char *
rule_prompt (const AssayValues *c)
{
  if (*get_text (c, ASSAY_FIELD_PROMPT) != '\0' || *get_text (c, ASSAY_FIELD_QUESTION_SET) != '\0')
    return NULL;
  return g_strdup (_("nothing is asked: give a prompt or a question set"));
}

typedef struct
{
  AssayFieldId field;
  ConditionRule rule;
} FieldRule;

static const FieldRule native_rules[] = {
  { ASSAY_FIELD_MODEL_PATH, rule_model_path },
  { ASSAY_FIELD_PROGRAM, rule_no_program },
  { ASSAY_FIELD_RECIPE, rule_no_recipe },
  { ASSAY_FIELD_DEVICE, rule_device },
  { ASSAY_FIELD_OFFLOAD_MODE, rule_offload_mode },
  { ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, rule_moved },
  { ASSAY_FIELD_DEVICE_MAP, rule_device_map },
  { ASSAY_FIELD_LINK_BANDWIDTH, rule_link_bandwidth },
  { ASSAY_FIELD_LINK_LATENCY_SECONDS, rule_link_latency },
  { ASSAY_FIELD_RAM_BUDGET, rule_ram_budget },
  { ASSAY_FIELD_BATCH_SIZE, rule_batch_size },
};

/* What a child process may be asked is its own affair; it tells what came of it. */
static const FieldRule process_rules[] = {
  { ASSAY_FIELD_MODEL_PATH, rule_model_named },
  { ASSAY_FIELD_PROGRAM, rule_program },
  { ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, rule_moved_or_offloaded },
};

/* A condition of another kind of task is a misunderstanding, not a wish to be passed over in silence. */
static char *
check_task (const AssayValues *c, AssayFieldId *field)
{
  for (AssayFieldId id = 0; id < ASSAY_N_FIELDS; id++)
    {
      const AssayFieldInfo *info = assay_field_get_info (id);
      if (info->group != ASSAY_GROUP_CONDITIONS || (info->tasks & ASSAY_TASK_LANGUAGE) != 0
          || is_unset (c, id))
        continue;
      *field = id;
      return g_strdup_printf (
          _("%s is no condition of a language model, the only task of this engine: leave it empty"),
          info->name);
    }
  return NULL;
}

static char *
check_assembly (const AssayValues *c, AssayFieldId *field)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayAssembly) assembly = assay_assembly_new (c, field, &error);
  return assembly != NULL ? NULL : g_strdup (error->message);
}

void
assay_broken_rule_free (AssayBrokenRule *self)
{
  g_free (self->words);
  g_free (self);
}

/* words: taken; NULL: nothing is broken. */
static void
broken_add (GPtrArray *all, AssayFieldId field, char *words)
{
  if (words == NULL)
    return;
  AssayBrokenRule *broken = g_new (AssayBrokenRule, 1);
  *broken = (AssayBrokenRule) { field, words };
  g_ptr_array_add (all, broken);
}

static void
broken_add_rules (GPtrArray *all, const AssayValues *c, const FieldRule *rules, gsize n)
{
  for (gsize i = 0; i < n; i++)
    broken_add (all, rules[i].field, rules[i].rule (c));
}

/* What only this engine must know beforehand. An assembly of conditions that are wrong each by itself says nothing new. */
static void
broken_add_native (GPtrArray *all, const AssayValues *c)
{
  AssayFieldId field = ASSAY_FIELD_INVALID;
  char *words = check_task (c, &field);
  broken_add (all, field, words);
  broken_add_rules (all, c, native_rules, G_N_ELEMENTS (native_rules));
  words = all->len == 0 ? check_assembly (c, &field) : NULL;
  broken_add (all, field, words);
}

GPtrArray *
assay_trial_list_broken (const AssayValues *conditions)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_broken_rule_free);
  if (assay_trial_is_process (conditions))
    broken_add_rules (all, conditions, process_rules, G_N_ELEMENTS (process_rules));
  else
    broken_add_native (all, conditions);
  broken_add (all, ASSAY_FIELD_PROMPT, rule_prompt (conditions)); /* last: given questions, a trial passes over it */
  return all;
}

char *
assay_trial_check_conditions (const AssayValues *conditions, AssayFieldId *field)
{
  g_autoptr(GPtrArray) all = assay_trial_list_broken (conditions);
  const AssayBrokenRule *first = all->len > 0 ? g_ptr_array_index (all, 0) : NULL;
  if (field != NULL)
    *field = first != NULL ? first->field : ASSAY_FIELD_INVALID;
  return first != NULL ? g_strdup (first->words) : NULL;
}

gboolean
assay_trial_check (const AssayValues *conditions, gboolean has_questions, GError **error)
{
  AssayFieldId field;
  g_autoptr (GError) order = NULL;
  g_autofree char *broken = assay_trial_check_conditions (conditions, &field);
  if (broken == NULL || (field == ASSAY_FIELD_PROMPT && has_questions))
    return TRUE;
  g_autoptr (AssayAssembly) assembly = assay_assembly_new (conditions, NULL, &order);
  if (order == NULL || !g_str_equal (order->message, broken))
    return assay_trial_set_rule (error, "condition-refused", field, broken);
  g_propagate_error (error, g_steal_pointer (&order)); /* the subject's rules have names of their own */
  return FALSE;
}

/* --- rules that need the model --- */

gboolean
assay_trial_set_rule (GError **error, const char *reason, AssayFieldId field, const char *message)
{
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_RULE, reason, NULL, NULL, -1, "%s", message);
  if (error != NULL)
    assay_engine_error_set_field (*error, assay_field_get_info (field)->name);
  return FALSE;
}

/* "gguf" leaves open how many files it lies in; "gguf, 2 files" does not. */
static gboolean
model_is_stored_as (AssayFieldId field, const char *asked, const char *is)
{
  const gboolean open = field == ASSAY_FIELD_WEIGHT_FORMAT && strchr (asked, ',') == NULL;
  const gsize length = open ? strcspn (is, ",") : strlen (is);
  return strlen (asked) == length && g_ascii_strncasecmp (asked, is, length) == 0;
}

/* What no conversion changes; asking for another is another file. */
static gboolean
model_check_stored (const AssayValues *conditions,
                    const AssayValues *stored,
                    AssayFieldId field,
                    GError **error)
{
  const char *asked = assay_values_get_text (conditions, field), *is = assay_values_get_text (stored, field);
  if (asked == NULL || is == NULL || model_is_stored_as (field, asked, is))
    return TRUE;
  const char *way = field == ASSAY_FIELD_ARCHITECTURE
                        ? _("choose a model of that family, or leave the field empty")
                        : _("choose a file in that format; assay quantize writes GGUF files");
  g_autofree char *message = g_strdup_printf (_("%s asks for '%s', the file holds '%s': %s"),
                                              assay_field_get_info (field)->name, asked, is, way);
  return assay_trial_set_rule (error, "format-not-stored", field, message);
}

gboolean
assay_trial_check_model (const AssayValues *conditions, const AssayInspection *inspection, GError **error)
{
  g_autoptr (AssayValues) stored = assay_values_new ();
  assay_inspection_fill_conditions (inspection, stored);
  static const AssayFieldId fixed[] = { ASSAY_FIELD_ARCHITECTURE, ASSAY_FIELD_WEIGHT_FORMAT };
  for (guint i = 0; i < G_N_ELEMENTS (fixed); i++)
    if (!model_check_stored (conditions, stored, fixed[i], error))
      return FALSE;
  gint64 context = 0;
  if (!assay_values_get_integer (conditions, ASSAY_FIELD_CONTEXT_LENGTH, &context)
      || context <= (gint64) inspection->config.context_length)
    return TRUE;
  g_autofree char *message
      = g_strdup_printf (_("context_length asks for %" PRId64 " tokens, the model was "
                            "trained for %u: choose at most that"),
                         context, inspection->config.context_length);
  return assay_trial_set_rule (error, "context-beyond-training", ASSAY_FIELD_CONTEXT_LENGTH, message);
}
