/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/ledger/schema-text.c: the schema, its fields taken from the list.
 *
 * Order does not count anywhere, as for the reader. Elements and attributes of other namespaces may stand
 * everywhere; those of a newer version of ours are not valid by this one, though the reader keeps them. */
#include "schema-text.h"

#include "assay-field.h"
#include "assay-series-private.h"

static const char schema_head[]
    = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<!-- SPDX-License-Identifier: GPL-3.0-or-later\n"
      "     A ledger of Assay, format 1.0. Made from ledger/fields.def: after a change there, run the "
      "build's make-schema\n"
      "     program and put its output here. -->\n"
      "<grammar xmlns=\"http://relaxng.org/ns/structure/1.0\" ns=\"urn:assay:ledger:1\"\n"
      "         datatypeLibrary=\"http://www.w3.org/2001/XMLSchema-datatypes\">\n"
      "  <start><ref name=\"ledger\"/></start>\n\n"
      "  <define name=\"ledger\">\n"
      "    <element name=\"ledger\">\n"
      "      <attribute name=\"version\" ns=\"\"><data type=\"string\"><param "
      "name=\"pattern\">1\\.[0-9]+</param></data></attribute>\n"
      "      <attribute name=\"id\" ns=\"\"/>\n"
      "      <attribute name=\"title\" ns=\"\"/>\n"
      "      <attribute name=\"task\" "
      "ns=\"\"><choice><value>language</value><value>image</value><value>mask</value></choice></attribute>\n"
      "      <ref name=\"common\"/>\n"
      "      <ref name=\"checksum\"/>\n"
      "      <zeroOrMore>\n"
      "        <choice><ref name=\"criteria\"/><ref name=\"questions\"/><ref name=\"removed\"/><ref "
      "name=\"run\"/><ref name=\"foreign\"/></choice>\n"
      "      </zeroOrMore>\n"
      "    </element>\n"
      "  </define>\n\n"
      "  <define name=\"criteria\">\n"
      "    <element name=\"criteria\">\n"
      "      <ref name=\"common\"/>\n"
      "      <optional><attribute name=\"changed\" ns=\"\"/></optional>\n"
      "      <optional><attribute name=\"changed_from\" ns=\"\"/></optional>\n"
      "      <zeroOrMore>\n"
      "        <choice><ref name=\"feasibility\"/><ref name=\"quality\"/><ref name=\"operation\"/><ref "
      "name=\"foreign\"/></choice>\n"
      "      </zeroOrMore>\n"
      "    </element>\n"
      "  </define>\n"
      "  <define name=\"feasibility\">\n"
      "    <element name=\"feasibility\">\n"
      "      <ref name=\"common\"/>\n"
      "      <optional><attribute name=\"vram_budget\" ns=\"\"><ref name=\"count\"/></attribute></optional>\n"
      "      <optional><attribute name=\"time_limit_seconds\" ns=\"\"><ref "
      "name=\"real\"/></attribute></optional>\n"
      "    </element>\n"
      "  </define>\n"
      "  <define name=\"quality\">\n"
      "    <element name=\"quality\">\n"
      "      <ref name=\"common\"/>\n"
      "      <zeroOrMore><choice><ref name=\"criterion\"/><ref name=\"foreign\"/></choice></zeroOrMore>\n"
      "    </element>\n"
      "  </define>\n"
      "  <define name=\"criterion\">\n"
      "    <element name=\"criterion\">\n"
      "      <ref name=\"common\"/>\n"
      "      <attribute name=\"id\" ns=\"\"/>\n"
      "      <attribute name=\"kind\" "
      "ns=\"\"><choice><value>scale</value><value>yes_no</value><value>free</value></choice></attribute>\n"
      "      <optional><attribute name=\"label\" ns=\"\"/></optional>\n"
      "      <optional><attribute name=\"low\" ns=\"\"/></optional>\n"
      "      <optional><attribute name=\"high\" ns=\"\"/></optional>\n"
      "      <optional><attribute name=\"pass\" ns=\"\"><data type=\"string\"><param "
      "name=\"pattern\">[0-5]</param></data></attribute></optional>\n"
      "      <optional><attribute name=\"per_question\" ns=\"\"><ref name=\"flag\"/></attribute></optional>\n"
      "      <optional><attribute name=\"required\" ns=\"\"><ref name=\"flag\"/></attribute></optional>\n"
      "    </element>\n"
      "  </define>\n"
      "  <define name=\"operation\">\n"
      "    <element name=\"operation\">\n"
      "      <ref name=\"common\"/>\n"
      "      <optional><attribute name=\"mean_latency_seconds\" ns=\"\"><ref "
      "name=\"real\"/></attribute></optional>\n"
      "      <optional><attribute name=\"max_retry_rate\" ns=\"\"><ref "
      "name=\"real\"/></attribute></optional>\n"
      "      <optional><attribute name=\"min_tokens_per_second\" ns=\"\"><ref "
      "name=\"real\"/></attribute></optional>\n"
      "      <optional><attribute name=\"max_ram\" ns=\"\"><ref name=\"count\"/></attribute></optional>\n"
      "    </element>\n"
      "  </define>\n\n"
      "  <define name=\"removed\">\n"
      "    <element name=\"removed\">\n"
      "      <ref name=\"common\"/>\n"
      "      <attribute name=\"run\" ns=\"\"/>\n"
      "      <optional><attribute name=\"review\" ns=\"\"/></optional>\n"
      "      <optional><attribute name=\"at\" ns=\"\"/></optional>\n"
      "      <zeroOrMore><ref name=\"foreign\"/></zeroOrMore>\n"
      "    </element>\n"
      "  </define>\n"
      "  <define name=\"questions\">\n"
      "    <element name=\"questions\">\n"
      "      <ref name=\"common\"/>\n"
      "      <optional><attribute name=\"set\" ns=\"\"/></optional>\n"
      "      <zeroOrMore><choice><ref name=\"question\"/><ref name=\"foreign\"/></choice></zeroOrMore>\n"
      "    </element>\n"
      "  </define>\n"
      "  <define name=\"question\">\n"
      "    <element name=\"question\">\n"
      "      <ref name=\"common\"/>\n"
      "      <attribute name=\"id\" ns=\"\"/>\n"
      "      <optional><attribute name=\"language\" ns=\"\"/></optional>\n"
      "      <zeroOrMore>\n"
      "        <choice>\n"
      "          <element name=\"text\"><ref name=\"common\"/><text/></element>\n"
      "          <element name=\"expected\"><ref name=\"common\"/><text/></element>\n"
      "          <element name=\"hint\"><ref name=\"common\"/><text/></element>\n"
      "          <ref name=\"foreign\"/>\n"
      "        </choice>\n"
      "      </zeroOrMore>\n"
      "    </element>\n"
      "  </define>\n\n"
      "  <define name=\"run\">\n"
      "    <element name=\"run\">\n"
      "      <ref name=\"common\"/>\n"
      "      <attribute name=\"id\" ns=\"\"><data type=\"string\"><param "
      "name=\"minLength\">1</param></data></attribute>\n"
      "      <optional><attribute name=\"parent\" ns=\"\"/></optional>\n"
      "      <optional><attribute name=\"changed\" ns=\"\"/></optional>\n"
      "      <optional><attribute name=\"duplicate_of\" ns=\"\"/></optional>\n"
      "      <ref name=\"checksum\"/>\n"
      "      <zeroOrMore>\n"
      "        <choice>\n"
      "          <ref name=\"conditions\"/><ref name=\"effective\"/><ref name=\"burden\"/><ref "
      "name=\"outcome\"/>\n"
      "          <ref name=\"review\"/><ref name=\"next_trial\"/><ref name=\"foreign\"/>\n"
      "        </choice>\n"
      "      </zeroOrMore>\n"
      "    </element>\n"
      "  </define>\n\n"
      "  <define name=\"conditions\">\n"
      "    <element name=\"conditions\">\n"
      "      <ref name=\"common\"/>\n"
      "      <zeroOrMore><choice><ref name=\"condition\"/><ref name=\"foreign\"/></choice></zeroOrMore>\n"
      "    </element>\n"
      "  </define>\n"
      "  <define name=\"effective\">\n"
      "    <element name=\"effective\">\n"
      "      <ref name=\"common\"/>\n"
      "      <zeroOrMore><choice><ref name=\"condition\"/><ref name=\"foreign\"/></choice></zeroOrMore>\n"
      "    </element>\n"
      "  </define>\n"
      "  <define name=\"burden\">\n"
      "    <element name=\"burden\">\n"
      "      <ref name=\"common\"/>\n"
      "      <zeroOrMore>\n"
      "        <choice>\n"
      "          <ref name=\"burden_field\"/><ref name=\"phase\"/><ref name=\"mark\"/><ref "
      "name=\"samples\"/><ref name=\"foreign\"/>\n"
      "          <element name=\"holders\"><ref name=\"common\"/><text/></element>\n"
      "        </choice>\n"
      "      </zeroOrMore>\n"
      "    </element>\n"
      "  </define>\n"
      "  <define name=\"outcome\">\n"
      "    <element name=\"outcome\">\n"
      "      <ref name=\"common\"/>\n"
      "      <zeroOrMore><choice><ref name=\"outcome_field\"/><ref name=\"output\"/><ref "
      "name=\"foreign\"/></choice></zeroOrMore>\n"
      "    </element>\n"
      "  </define>\n\n"
      "  <define name=\"phase\">\n"
      "    <element name=\"phase\">\n"
      "      <ref name=\"common\"/>\n"
      "      <attribute name=\"name\" ns=\"\"/>\n"
      "      <optional><attribute name=\"start_ns\" ns=\"\"><ref name=\"count\"/></attribute></optional>\n"
      "      <optional><attribute name=\"duration_ns\" ns=\"\"><ref name=\"count\"/></attribute></optional>\n"
      "      <optional><attribute name=\"peak_allocated\" ns=\"\"><ref "
      "name=\"count\"/></attribute></optional>\n"
      "      <optional><attribute name=\"peak_ram\" ns=\"\"><ref name=\"count\"/></attribute></optional>\n"
      "    </element>\n"
      "  </define>\n"
      "  <define name=\"mark\">\n"
      "    <element name=\"mark\">\n"
      "      <ref name=\"common\"/>\n"
      "      <optional><attribute name=\"t_ns\" ns=\"\"><ref name=\"count\"/></attribute></optional>\n"
      "      <optional><attribute name=\"kind\" ns=\"\"/></optional>\n"
      "      <text/>\n"
      "    </element>\n"
      "  </define>\n"
      "  <define name=\"samples\">\n"
      "    <element name=\"samples\">\n"
      "      <ref name=\"common\"/>\n"
      "      <attribute name=\"count\" ns=\"\"><ref name=\"count\"/></attribute>\n"
      "      <optional><attribute name=\"measured\" ns=\"\"><ref name=\"count\"/></attribute></optional>\n"
      "      <optional><attribute name=\"interval_ns\" ns=\"\"><ref name=\"count\"/></attribute></optional>\n"
      "      <zeroOrMore><choice><ref name=\"column\"/><ref name=\"foreign\"/></choice></zeroOrMore>\n"
      "    </element>\n"
      "  </define>\n";

static const char schema_tail[]
    = "  <define name=\"output\">\n"
      "    <element name=\"output\">\n"
      "      <ref name=\"common\"/>\n"
      "      <optional><attribute name=\"question\" ns=\"\"/></optional>\n"
      "      <optional><attribute name=\"input_tokens\" ns=\"\"><ref "
      "name=\"count\"/></attribute></optional>\n"
      "      <optional><attribute name=\"tokens\" ns=\"\"><ref name=\"count\"/></attribute></optional>\n"
      "      <optional><attribute name=\"prompt_ns\" ns=\"\"><ref name=\"count\"/></attribute></optional>\n"
      "      <optional><attribute name=\"generate_ns\" ns=\"\"><ref name=\"count\"/></attribute></optional>\n"
      "      <optional><attribute name=\"finish\" ns=\"\"/></optional>\n"
      "      <optional><attribute name=\"partial\" ns=\"\"><ref name=\"flag\"/></attribute></optional>\n"
      "      <optional>\n"
      "        <attribute name=\"asset\" ns=\"\">\n"
      "          <data type=\"string\"><param "
      "name=\"pattern\">sha256-[0-9a-f]{64}(\\.[0-9a-z]{1,8})?</param></data>\n"
      "        </attribute>\n"
      "      </optional>\n"
      "      <text/>\n"
      "    </element>\n"
      "  </define>\n\n"
      "  <define name=\"review\">\n"
      "    <element name=\"review\">\n"
      "      <ref name=\"common\"/>\n"
      "      <attribute name=\"id\" ns=\"\"/>\n"
      "      <attribute name=\"reviewer\" ns=\"\"/>\n"
      "      <attribute name=\"at\" ns=\"\"/>\n"
      "      <optional><attribute name=\"blind\" ns=\"\"><ref name=\"flag\"/></attribute></optional>\n"
      "      <optional><attribute name=\"supersedes\" ns=\"\"/></optional>\n"
      "      <zeroOrMore>\n"
      "        <choice>\n"
      "          <ref name=\"score\"/><ref name=\"words\"/><ref name=\"quality_note\"/><ref name=\"foreign\"/>\n"
      "          <element name=\"verdict\">\n"
      "            <ref name=\"common\"/>\n"
      "            <choice><value>pass</value><value>fail</value><value>not judged</value></choice>\n"
      "          </element>\n"
      "        </choice>\n"
      "      </zeroOrMore>\n"
      "    </element>\n"
      "  </define>\n"
      "  <define name=\"score\">\n"
      "    <element name=\"score\">\n"
      "      <ref name=\"common\"/>\n"
      "      <attribute name=\"criterion\" ns=\"\"/>\n"
      "      <optional><attribute name=\"question\" ns=\"\"/></optional>\n"
      "      <data type=\"string\"><param name=\"pattern\">[0-5]</param></data>\n"
      "    </element>\n"
      "  </define>\n"
      "  <define name=\"words\">\n"
      "    <element name=\"words\">\n"
      "      <ref name=\"common\"/>\n"
      "      <attribute name=\"criterion\" ns=\"\"/>\n"
      "      <optional><attribute name=\"question\" ns=\"\"/></optional>\n"
      "      <text/>\n"
      "    </element>\n"
      "  </define>\n"
      "  <define name=\"quality_note\">\n"
      "    <element name=\"quality_note\"><ref name=\"common\"/><text/></element>\n"
      "  </define>\n\n"
      "  <define name=\"next_trial\">\n"
      "    <element name=\"next_trial\">\n"
      "      <ref name=\"common\"/>\n"
      "      <attribute name=\"signal\" ns=\"\"/>\n"
      "      <attribute name=\"axis\" ns=\"\"/>\n"
      "      <optional><attribute name=\"from\" ns=\"\"/></optional>\n"
      "      <optional><attribute name=\"to\" ns=\"\"/></optional>\n"
      "      <zeroOrMore>\n"
      "        <choice>\n"
      "          <element name=\"held\"><ref name=\"common\"/><text/></element>\n"
      "          <element name=\"note\"><ref name=\"common\"/><text/></element>\n"
      "          <ref name=\"foreign\"/>\n"
      "        </choice>\n"
      "      </zeroOrMore>\n"
      "    </element>\n"
      "  </define>\n\n"
      "  <!-- Escaped: which of an element's parts are in the escaped form, by attribute name or 'text'. "
      "-->\n"
      "  <define name=\"common\">\n"
      "    <optional><attribute name=\"escaped\" ns=\"\"/></optional>\n"
      "    <zeroOrMore>\n"
      "      <attribute><anyName><except><nsName ns=\"\"/><nsName "
      "ns=\"urn:assay:ledger:1\"/></except></anyName></attribute>\n"
      "    </zeroOrMore>\n"
      "  </define>\n"
      "      <optional><attribute name=\"predicted_peak_vram\" ns=\"\"><ref name=\"count\"/></attribute></optional>\n"
      "      <optional><attribute name=\"predicted_peak_ram\" ns=\"\"><ref name=\"count\"/></attribute></optional>\n"
      "      <optional><attribute name=\"predicted_ns\" ns=\"\"><ref name=\"count\"/></attribute></optional>\n"
      "  <define name=\"checksum\">\n"
      "    <optional><attribute name=\"checksum\" ns=\"\"/></optional>\n"
      "  </define>\n"
      "  <define name=\"measure\">\n"
      "    <ref name=\"common\"/>\n"
      "    <optional><attribute name=\"kind\" ns=\"\"/></optional>\n"
      "    <optional><attribute name=\"source\" ns=\"\"/></optional>\n"
      "    <optional><attribute name=\"interval_ns\" ns=\"\"><ref name=\"count\"/></attribute></optional>\n"
      "    <optional><attribute name=\"samples\" ns=\"\"><ref name=\"count\"/></attribute></optional>\n"
      "  </define>\n"
      "  <define name=\"count\"><data type=\"string\"><param "
      "name=\"pattern\">0|[1-9][0-9]*</param></data></define>\n"
      "  <define name=\"integer\"><data type=\"string\"><param "
      "name=\"pattern\">-?(0|[1-9][0-9]*)</param></data></define>\n"
      "  <define name=\"real\"><data type=\"string\"><param "
      "name=\"pattern\">-?(0|[1-9][0-9]*)(\\.[0-9]+)?</param></data></define>\n"
      "  <define name=\"seconds\"><data type=\"string\"><param "
      "name=\"pattern\">(0|[1-9][0-9]*)(\\.[0-9]{1,9})?</param></data></define>\n"
      "  <define name=\"flag\"><choice><value type=\"string\">true</value><value "
      "type=\"string\">false</value></choice></define>\n"
      "  <define name=\"foreign\">\n"
      "    <element>\n"
      "      <anyName><except><nsName/></except></anyName>\n"
      "      <ref name=\"anything\"/>\n"
      "    </element>\n"
      "  </define>\n"
      "  <define name=\"anything\">\n"
      "    <zeroOrMore>\n"
      "      <choice>\n"
      "        <attribute><anyName/></attribute>\n"
      "        <text/>\n"
      "        <element><anyName/><ref name=\"anything\"/></element>\n"
      "      </choice>\n"
      "    </zeroOrMore>\n"
      "  </define>\n"
      "</grammar>\n";

static void
schema_append_value (GString *out, const AssayFieldInfo *info)
{
  const char *const *choices;
  const gboolean from_zero = g_str_has_prefix (info->domain, "0..") || g_str_has_prefix (info->domain, "1..");

  switch (info->type)
    {
    case ASSAY_VALUE_TYPE_INTEGER:
      g_string_append (out, from_zero ? "<ref name=\"count\"/>" : "<ref name=\"integer\"/>");
      break;
    case ASSAY_VALUE_TYPE_REAL:
      g_string_append (out,
                       info->unit == ASSAY_UNIT_SECONDS ? "<ref name=\"seconds\"/>" : "<ref name=\"real\"/>");
      break;
    case ASSAY_VALUE_TYPE_BOOLEAN: g_string_append (out, "<ref name=\"flag\"/>"); break;
    case ASSAY_VALUE_TYPE_CHOICE:
      for (choices = assay_field_get_choices (info->id); *choices != NULL; choices++)
        g_string_append_printf (out, "<value type=\"string\">%s</value>", *choices);
      break;
    case ASSAY_VALUE_TYPE_TEXT:
    default: g_string_append (out, "<text/>"); break;
    }
}

static void
schema_append_field (GString *out, const AssayFieldInfo *info)
{
  g_string_append_printf (out, "      <element name=\"%s\">\n        <ref name=\"measure\"/>\n", info->name);
  if (info->unit != ASSAY_UNIT_NONE)
    g_string_append_printf (
        out, "        <optional><attribute name=\"unit\" ns=\"\"><value>%s</value></attribute></optional>\n",
        assay_unit_get_name (info->unit));
  g_string_append (out, "        <choice><group><attribute name=\"unknown\" ns=\"\"/><empty/></group>");
  schema_append_value (out, info);
  g_string_append (out, "</choice>\n      </element>\n");
}

static void
schema_append_group (GString *out, const char *name, AssayGroup group)
{
  g_string_append_printf (out, "  <define name=\"%s\">\n    <choice>\n", name);
  for (guint i = 0; i < ASSAY_N_FIELDS; i++)
    if (assay_field_get_info ((AssayFieldId) i)->group == group)
      schema_append_field (out, assay_field_get_info ((AssayFieldId) i));
  g_string_append (out, "    </choice>\n  </define>\n\n");
}

char *
schema_dup_text (void)
{
  GString *out = g_string_new (schema_head);

  g_string_append (out,
                   "  <define name=\"column\">\n    <element name=\"column\">\n      <ref name=\"common\"/>\n"
                   "      <attribute name=\"name\" ns=\"\">\n        <choice>\n");
  for (guint i = 0; i < ASSAY_SAMPLE_N_COLUMNS; i++)
    g_string_append_printf (out, "          <value>%s</value>\n", assay_sample_get_column_name (i));
  g_string_append (out,
                   "        </choice>\n      </attribute>\n      <text/>\n    </element>\n  </define>\n\n");
  schema_append_group (out, "condition", ASSAY_GROUP_CONDITIONS);
  schema_append_group (out, "burden_field", ASSAY_GROUP_BURDEN);
  schema_append_group (out, "outcome_field", ASSAY_GROUP_OUTCOME);
  g_string_append (out, schema_tail);
  return g_string_free (out, FALSE);
}
