/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process-fixture.h"

static char *python, *script;

void
process_fixture_init (void)
{
  python = g_find_program_in_path ("python3");
  script = g_test_build_filename (G_TEST_DIST, "unit", "engine", "fakechild.py", NULL);
}

AssayValues *
process_conditions (const char *scenario)
{
  AssayValues *values = trial_fixture_conditions ("tiny-f32.gguf");
  assay_values_set_text (values, ASSAY_FIELD_RUNTIME, "process");
  assay_values_set_text (values, ASSAY_FIELD_PROGRAM, python);
  assay_values_set_text (values, ASSAY_FIELD_RECIPE, script);
  if (scenario != NULL)
    assay_values_set_text (values, ASSAY_FIELD_PROMPT, scenario);
  else
    assay_values_unset (values, ASSAY_FIELD_PROMPT);
  return values;
}

GPtrArray *
process_questions (const char *first, ...)
{
  GPtrArray *questions = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_question_free);
  va_list texts;
  va_start (texts, first);
  for (const char *text = first; text != NULL; text = va_arg (texts, const char *))
    {
      g_autofree char *id = g_strdup_printf ("q%u", questions->len);
      g_ptr_array_add (questions, assay_question_new (id, text));
    }
  va_end (texts);
  return questions;
}
