/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The schema is in step with the fields, and says yes and no where it should. */
#include <glib/gstdio.h>
#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <string.h>

#include "assay-series-private.h"
#include "assay-values-private.h"
#include "assay-preference.h"
#include "assay-removed.h"
#include "ledger-fixture.h"
#include "schema-text.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (xmlDoc, xmlFreeDoc)

static void
collect_error (void *data, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_string_append_vprintf (data, format, args);
  va_end (args);
}

static gboolean
is_valid (const char *xml, GString *messages)
{
  g_autofree char *schema_text = schema_dup_text ();
  xmlRelaxNGParserCtxtPtr parser = xmlRelaxNGNewMemParserCtxt (schema_text, (int) strlen (schema_text));
  xmlRelaxNGSetParserErrors (parser, collect_error, collect_error, messages);
  xmlRelaxNGPtr schema = xmlRelaxNGParse (parser);
  if (schema == NULL)
    g_error ("%s", messages->str);
  g_autoptr(xmlDoc) doc = xmlReadMemory (xml, (int) strlen (xml), "x", NULL, XML_PARSE_NONET);
  xmlRelaxNGValidCtxtPtr context = xmlRelaxNGNewValidCtxt (schema);

  g_assert_nonnull (doc);
  xmlRelaxNGSetValidErrors (context, collect_error, collect_error, messages);
  const gboolean valid = xmlRelaxNGValidateDoc (context, doc) == 0;
  xmlRelaxNGFreeValidCtxt (context);
  xmlRelaxNGFree (schema);
  xmlRelaxNGFreeParserCtxt (parser);
  return valid;
}

static void
assert_valid (const char *xml)
{
  g_autoptr(GString) messages = g_string_new (NULL);
  if (!is_valid (xml, messages))
    g_error ("%s\n%s", messages->str, xml);
}

static void
assert_run_is_not_valid (const char *run)
{
  g_autoptr(GString) messages = g_string_new (NULL);
  g_autofree char *xml = g_strconcat (FIXTURE_HEAD, run, FIXTURE_TAIL, NULL);
  if (is_valid (xml, messages))
    g_error ("valid: %s", run);
}

static void
test_is_in_step_with_the_fields (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("ASSAY_SOURCE_ROOT"), "data", "ledger.rng", NULL);
  g_autofree char *kept = fixture_read (path, NULL);
  g_autofree char *wanted = schema_dup_text ();
  if (g_strcmp0 (kept, wanted) != 0)
    g_error ("data/ledger.rng is not what fields.def asks for: run tests/unit/ledger/make-schema > "
             "data/ledger.rng");
}

static void
set_some_value (AssayValues *values, AssayFieldId field)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  const char *text = info->type == ASSAY_VALUE_TYPE_CHOICE    ? assay_field_get_choices (field)[0]
                     : info->type == ASSAY_VALUE_TYPE_BOOLEAN ? "true"
                     : g_str_has_suffix (info->name, "_at")   ? "2026-11-30T07:14:00Z"
                                                              : "1";
  g_autoptr(GError) error = NULL;
  assay_values_parse (values, field, text, &error);
  g_assert_no_error (error);
}

/* A run with every field there is, set; and one with every field unknown. */
static AssayLedger *
ledger_of_all_fields (gboolean unknown)
{
  AssayLedger *ledger = fixture_ledger (1);
  g_autoptr(AssayRecord) record = assay_record_copy (assay_ledger_get_run (ledger, 0));

  assay_record_set_id (record, "all \x1b");
  assay_record_set_parent (record, "run-0", "dtype");
  for (guint i = 0; i < ASSAY_N_FIELDS; i++)
    {
      const AssayGroup group = assay_field_get_info ((AssayFieldId) i)->group;
      AssayValues *values = group == ASSAY_GROUP_CONDITIONS ? assay_record_get_conditions (record)
                            : group == ASSAY_GROUP_BURDEN   ? assay_record_get_burden (record)
                            : group == ASSAY_GROUP_OUTCOME  ? assay_record_get_outcome (record)
                                                            : NULL;
      if (values != NULL && unknown)
        assay_values_set_unknown (values, (AssayFieldId) i, "why");
      else if (values != NULL)
        set_some_value (values, (AssayFieldId) i);
    }
  assay_record_take_next_trial (record, NULL);
  assay_record_seal (record);
  assay_ledger_add_run (ledger, record);
  AssayPreference *made = assay_preference_new ("Ada \x1b", "q1", "run-0", "elsewhere", ASSAY_CHOICE_BOTH_BAD);
  made->order_seed = 4711;
  made->position = 2;
  made->supersedes = g_strdup ("earlier");
  g_ptr_array_add (ledger->preferences, made);
  assay_ledger_note_removed_preference (ledger, "taken-back");
  return ledger;
}

static void
test_what_is_written_is_valid (void)
{
  g_autoptr(AssayLedger) empty = assay_ledger_new (ASSAY_TASK_MASK, "");
  g_autoptr(AssayLedger) some = fixture_ledger (2), all = ledger_of_all_fields (FALSE),
                         unknown = ledger_of_all_fields (TRUE);
  AssayLedger *ledgers[] = { empty, some, all, unknown };

  for (guint i = 0; i < G_N_ELEMENTS (ledgers); i++)
    {
      g_autofree char *xml = fixture_serialize (ledgers[i]);
      g_autoptr(AssayLedger) again = fixture_parse (xml);
      fixture_same_ledgers (ledgers[i], again);
      assert_valid (xml);
    }
}

static void
test_every_field_has_its_element (void)
{
  for (guint i = 0; i < ASSAY_N_FIELDS; i++)
    {
      const AssayFieldInfo *info = assay_field_get_info ((AssayFieldId) i);
      if (info->group > ASSAY_GROUP_OUTCOME || info->group == ASSAY_GROUP_IDENTITY)
        continue;
      g_autofree char *xml = g_strdup_printf (
          FIXTURE_HEAD "<run id='a'><%s><%s unknown='x'/></%s></run>" FIXTURE_TAIL,
          assay_group_get_name (info->group), info->name, assay_group_get_name (info->group));
      assert_valid (xml);
    }
}

static void
test_what_is_wrong_is_not_valid (void)
{
  assert_run_is_not_valid ("<run/>");
  assert_run_is_not_valid ("<run id='a'><burden><peak_vram>1,5</peak_vram></burden></run>");
  assert_run_is_not_valid ("<run id='a'><burden><peak_vram>-1</peak_vram></burden></run>");
  assert_run_is_not_valid ("<run id='a'><burden><peak_vram unit='MiB'>1</peak_vram></burden></run>");
  assert_run_is_not_valid ("<run id='a'><burden><elapsed_seconds>1e3</elapsed_seconds></burden></run>");
  assert_run_is_not_valid ("<run id='a'><conditions><dtype>float64</dtype></conditions></run>");
  assert_run_is_not_valid ("<run id='a'><conditions><peak_vram>1</peak_vram></conditions></run>");
  assert_run_is_not_valid ("<run id='a'><conditions><novelty>1</novelty></conditions></run>");
  assert_run_is_not_valid ("<run id='a'><review id='1' reviewer='A'/></run>");
  assert_run_is_not_valid ("<run id='a'><outcome><output asset='../x'/></outcome></run>");
  assert_run_is_not_valid ("<run id='a'><review id='1' reviewer='A' at='x' order_seed='-1'/></run>");
  assert_run_is_not_valid ("<preference id='1' reviewer='A' at='x' left='a' right='b'/>");
  assert_run_is_not_valid ("<preference id='1' reviewer='A' at='x' left='a' right='b' choice='up'/>");
  assert_run_is_not_valid ("<preference id='1' reviewer='A' at='x' left='a' choice='left'/>");
  assert_run_is_not_valid ("<removed preference=''/>");
  assert_run_is_not_valid ("<removed run='a' preference='p'/>");
}

static void
test_xmllint_agrees (void)
{
  g_autofree char *program = g_find_program_in_path ("xmllint");
  g_autofree char *folder = fixture_dup_folder ();
  g_autofree char *path = g_build_filename (folder, "x.ledger.xml", NULL);
  g_autofree char *schema = g_build_filename (g_getenv ("ASSAY_SOURCE_ROOT"), "data", "ledger.rng", NULL);
  g_autoptr(AssayLedger) ledger = ledger_of_all_fields (FALSE);
  g_autofree char *xml = fixture_serialize (ledger);
  g_autofree char *messages = NULL;
  const char *argv[] = { program, "--nonet", "--noout", "--relaxng", schema, path, NULL };
  g_autoptr(GError) error = NULL;
  int status = -1;

  if (program == NULL)
    {
      g_test_skip ("xmllint is not installed");
      fixture_remove_folder (folder);
      return;
    }
  fixture_write (path, xml, -1);
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &messages, &status, &error);
  g_assert_no_error (error);
  if (status != 0)
    g_error ("%s", messages);
  fixture_remove_folder (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ledger/schema/is-in-step-with-the-fields", test_is_in_step_with_the_fields);
  g_test_add_func ("/ledger/schema/what-is-written-is-valid", test_what_is_written_is_valid);
  g_test_add_func ("/ledger/schema/every-field-has-its-element", test_every_field_has_its_element);
  g_test_add_func ("/ledger/schema/what-is-wrong-is-not-valid", test_what_is_wrong_is_not_valid);
  g_test_add_func ("/ledger/schema/xmllint-agrees", test_xmllint_agrees);
  return g_test_run ();
}
