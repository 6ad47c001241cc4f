/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-advice-values.c: one step along an axis, as a value for the next trial. */
#include "assay-advice-private.h"

#include <string.h>

#define CONTEXT_FLOOR 64
#define CONTEXT_STEP 64
#define PIXELS_FLOOR 256
#define PIXELS_STEP 64

char *
advice_dup_value (AssayRecord *record, AssayFieldId field)
{
  return assay_values_dup_text (assay_record_get_values_for (record, field), field);
}

const char *
advice_get_text (AssayRecord *record, AssayFieldId field)
{
  return assay_values_get_text (assay_record_get_values_for (record, field), field);
}

gboolean
advice_get_integer (AssayRecord *record, AssayFieldId field, gint64 *out)
{
  return assay_values_get_integer (assay_record_get_values_for (record, field), field, out);
}

gboolean
advice_is_prefetch (AssayRecord *record, gboolean on)
{
  const AssayValues *values = assay_record_get_values_for (record, ASSAY_FIELD_PREFETCH);
  gboolean value;
  return assay_values_get_boolean (values, ASSAY_FIELD_PREFETCH, &value) && !value == !on;
}

/* Quantization */

typedef struct
{
  const char *name;
  double bits; /* a weight, scales included */
} Rung;

/* What the engine makes while loading, biggest first; it reads smaller types and makes none. Types of as many bits in
 * other blocks come by advice_get_small_blocks(). */
static const Rung native_ladder[] = {
  { "Q8_0", 8.5 }, { "Q6_K", 6.5625 }, { "Q5_K", 5.5 }, { "Q4_1", 5 }, { "Q4_K", 4.5 },
};
/* The mixes that most GGUF files come in: a step down this ladder is a file that can be had. */
static const Rung gguf_ladder[] = {
  { "Q8_0", 8.5 },    { "Q6_K", 6.5625 }, { "Q5_K_M", 5.7 },
  { "Q4_K_M", 4.85 }, { "Q3_K_M", 3.9 },  { "Q2_K", 2.9 },
};
static const Rung bitsandbytes_ladder[] = { { "int8", 8.0 }, { "nf4", 4.5 } };

/* Only to place what a record names on a ladder; longer names before their beginnings. */
static const Rung known_types[] = {
  { "none", 16 },    { "F32", 32 },      { "F16", 16 },      { "BF16", 16 },   { "Q8_K", 9.125 },
  { "Q8", 8.5 },     { "Q6_K", 6.5625 }, { "Q5_K_S", 5.55 }, { "Q5_K_M", 5.7 }, { "Q5_K", 5.5 },
  { "Q5_1", 6 },     { "Q5_0", 5.5 },    { "Q4_K_S", 4.6 },  { "Q4_K_M", 4.85 }, { "Q4_K", 4.5 },
  { "Q4_1", 5 },     { "Q4_0", 4.5 },    { "IQ4_NL", 4.5 },  { "IQ4_XS", 4.25 }, { "MXFP4", 4.25 },
  { "NVFP4", 4.5 },  { "Q3_K_L", 4.3 },  { "Q3_K_M", 3.9 },  { "Q3_K_S", 3.5 }, { "Q3_K", 3.4375 },
  { "IQ3", 3.5 },    { "Q2_K", 2.625 },  { "IQ2", 2.4 },     { "IQ1", 1.8 },    { "TQ2", 2.06 },
  { "TQ1", 1.69 },   { "int8", 8 },      { "fp8", 8 },       { "float8", 8 },   { "nf4", 4.5 },
  { "fp4", 4.5 },    { "int4", 4.5 },    { "8bit", 8 },      { "4bit", 4.5 },
};

double
advice_get_bits (const char *type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (known_types); i++)
    if (g_ascii_strncasecmp (type, known_types[i].name, strlen (known_types[i].name)) == 0)
      return known_types[i].bits;
  return 0;
}

const char *
advice_get_small_blocks (const char *type)
{
  static const char *const pairs[][2] = { { "Q6_K", "Q5_1" }, { "Q5_K", "Q5_0" }, { "Q4_K", "Q4_0" } };
  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    if (g_str_equal (type, pairs[i][0]))
      return pairs[i][1];
  return NULL;
}

static gboolean
quantization_is_gguf (AssayRecord *record)
{
  const char *format = advice_get_text (record, ASSAY_FIELD_WEIGHT_FORMAT);
  return format != NULL && g_str_has_prefix (format, "gguf");
}

static gboolean
record_is_of_process (AssayRecord *record)
{
  return g_strcmp0 (advice_get_text (record, ASSAY_FIELD_RUNTIME), "process") == 0;
}

/* Runtimes of GGUF other than this engine take the weights as the file holds them: another format is another file, and
 * which files there are only the person knows. */
gboolean
advice_has_stored_format (AssayRecord *record)
{
  return record_is_of_process (record) && quantization_is_gguf (record);
}

static const Rung *
quantization_get_ladder (AssayRecord *record, const char *type, gsize *n)
{
  const char *method = advice_get_text (record, ASSAY_FIELD_QUANTIZATION_METHOD);
  gboolean of_bitsandbytes = method != NULL && g_str_has_prefix (method, "bitsandbytes");
  for (gsize i = 0; i < G_N_ELEMENTS (bitsandbytes_ladder); i++)
    of_bitsandbytes |= g_strcmp0 (type, bitsandbytes_ladder[i].name) == 0;
  if (advice_has_stored_format (record))
    {
      *n = G_N_ELEMENTS (gguf_ladder);
      return gguf_ladder;
    }
  if (of_bitsandbytes || record_is_of_process (record))
    {
      *n = G_N_ELEMENTS (bitsandbytes_ladder);
      return bitsandbytes_ladder;
    }
  *n = G_N_ELEMENTS (native_ladder);
  return native_ladder;
}

char **
advice_dup_smaller_quantizations (AssayRecord *record, gboolean *at_floor)
{
  const char *type = advice_get_text (record, ASSAY_FIELD_QUANTIZATION);
  const double bits = type != NULL ? advice_get_bits (type) : 0;
  g_autoptr(GStrvBuilder) types = g_strv_builder_new ();
  gsize n;
  const Rung *ladder = quantization_get_ladder (record, type, &n);
  guint found = 0;
  /* steps that are worth a run: a tenth less, then about half of what there is, or of eight bits (scales take a part
   * that does not shrink), or else the smallest there is */
  const double most[]
      = { bits * 0.9, MAX (MIN (bits, ladder[0].bits) * 0.57, ladder[n - 1].bits) };
  for (gsize i = 0; i < n && found < G_N_ELEMENTS (most); i++)
    if (ladder[i].bits <= most[found] + 1e-9)
      {
        g_strv_builder_add (types, ladder[i].name);
        found++;
      }
  *at_floor = bits > 0 && found == 0;
  return g_strv_builder_end (types);
}

/* Offload */

static const char *const offload_modes[] = { "none", "model", "group", "sequential" };

char **
advice_dup_offload_modes (const char *mode, int direction)
{
  g_autoptr(GStrvBuilder) modes = g_strv_builder_new ();
  const int n = G_N_ELEMENTS (offload_modes);
  int at = 0;
  while (at < n && !g_str_equal (offload_modes[at], mode != NULL ? mode : "none"))
    at++;
  if (at < n)
    for (at += direction; at >= 0 && at < n; at += direction)
      g_strv_builder_add (modes, offload_modes[at]);
  return g_strv_builder_end (modes);
}

gboolean
advice_is_offloaded (AssayRecord *record)
{
  const char *mode = advice_get_text (record, ASSAY_FIELD_OFFLOAD_MODE);
  return mode != NULL && !g_str_equal (mode, "none");
}

/* Input scale */

/* The longest question with its answer, as far as it came: a context below that makes it another task. */
static gint64
input_get_needed_tokens (AssayRecord *record)
{
  GPtrArray *outputs = assay_record_get_outputs (record);
  gint64 needed = 0;
  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayOutput *output = g_ptr_array_index (outputs, i);
      needed = MAX (needed, MAX (output->input_tokens, 0) + MAX (output->output_tokens, 0));
    }
  return needed;
}

static char *
input_smaller_context (AssayRecord *record, gint64 context)
{
  const gint64 needed = MIN (input_get_needed_tokens (record), context);
  const gint64 rounded = (needed + CONTEXT_STEP - 1) / CONTEXT_STEP * CONTEXT_STEP;
  const gint64 smaller = MAX (MAX (context / 2, rounded), CONTEXT_FLOOR);
  return smaller < context ? g_strdup_printf ("%" G_GINT64_FORMAT, smaller) : NULL;
}

static char *
input_smaller_pixels (gint64 pixels)
{
  const gint64 smaller = MAX (pixels * 3 / 4 / PIXELS_STEP * PIXELS_STEP, PIXELS_FLOOR);
  return smaller < pixels ? g_strdup_printf ("%" G_GINT64_FORMAT, smaller) : NULL;
}

AssayFieldId
advice_smaller_input (AssayTask task, AssayRecord *record, char **to)
{
  gint64 value;
  *to = NULL;
  /* Fewer at once leaves each of them the task it was. */
  if (advice_get_integer (record, ASSAY_FIELD_BATCH_SIZE, &value) && value > 1)
    {
      *to = g_strdup_printf ("%" G_GINT64_FORMAT, value / 2);
      return ASSAY_FIELD_BATCH_SIZE;
    }
  if (task == ASSAY_TASK_LANGUAGE)
    {
      if (advice_get_integer (record, ASSAY_FIELD_CONTEXT_LENGTH, &value))
        *to = input_smaller_context (record, value);
      return ASSAY_FIELD_CONTEXT_LENGTH;
    }
  if (advice_get_integer (record, ASSAY_FIELD_WIDTH, &value))
    {
      *to = input_smaller_pixels (value);
      return ASSAY_FIELD_WIDTH;
    }
  return ASSAY_FIELD_INPUT_SIZE;
}

static char *
choice_dup_next (AssayFieldId field, const char *value)
{
  const char *const *choices = assay_field_get_choices (field); /* biggest first */
  for (guint i = 0; choices[i] != NULL; i++)
    if (g_str_equal (choices[i], value))
      return g_strdup (choices[i + 1]);
  return NULL;
}

char *
advice_dup_further (AssayRecord *record, AssayFieldId field, const char *to)
{
  const gint64 value = g_ascii_strtoll (to, NULL, 10);
  if (field == ASSAY_FIELD_CONTEXT_LENGTH)
    return input_smaller_context (record, value);
  if (field == ASSAY_FIELD_WIDTH)
    return input_smaller_pixels (value);
  if (field == ASSAY_FIELD_KV_CACHE_TYPE || field == ASSAY_FIELD_V_CACHE_TYPE)
    return choice_dup_next (field, to);
  const gint64 least = field == ASSAY_FIELD_BATCH_SIZE ? 1 : 0;
  const gboolean halves = field == ASSAY_FIELD_BATCH_SIZE || field == ASSAY_FIELD_OFFLOAD_GRANULARITY;
  return halves && value > least ? g_strdup_printf ("%" G_GINT64_FORMAT, value / 2) : NULL;
}
