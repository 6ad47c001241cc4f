/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-chain.c: the chain of trials that leads to a run, for people and for scripts. */
#include "cli.h"

#include "assay-chain.h"

static void
chain_add_gates (JsonBuilder *b, const AssayGates *gates)
{
  for (AssayGate gate = 0; gate < ASSAY_N_GATES; gate++)
    cli_json_text (b, assay_gate_get_name (gate),
                   gates != NULL ? assay_verdict_get_name (gates->verdict[gate]) : NULL);
}

static void
chain_add_branches (JsonBuilder *b, char **branches)
{
  json_builder_set_member_name (b, "branches");
  json_builder_begin_array (b);
  for (char **id = branches; id != NULL && *id != NULL; id++)
    json_builder_add_string_value (b, *id);
  json_builder_end_array (b);
}

static void
chain_add_step (JsonBuilder *b, const AssayChainStep *step)
{
  json_builder_begin_object (b);
  cli_json_text (b, "run_id", step->record != NULL ? assay_record_get_id (step->record) : NULL);
  cli_json_text (b, "status",
                 step->record != NULL ? assay_run_status_get_name (assay_record_get_status (step->record)) : NULL);
  cli_json_text (b, "signal", step->signal);
  cli_json_boolean (b, "planned", step->planned);
  cli_json_text (b, "axis", step->axis);
  cli_json_text (b, "from", step->from);
  cli_json_text (b, "to", step->to);
  cli_json_text (b, "change", step->change);
  cli_json_text (b, "predicted", step->predicted);
  cli_json_text (b, "note", step->note);
  cli_json_text (b, "measured", step->measured);
  chain_add_gates (b, step->gates);
  chain_add_branches (b, step->branches);
  json_builder_end_object (b);
}

static void
chain_print_json (AssayChain *chain)
{
  const guint n = assay_chain_get_length (chain) + (assay_chain_has_plan (chain) ? 1 : 0);
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  cli_json_text (b, "problem", assay_chain_get_problem (chain));
  json_builder_set_member_name (b, "steps");
  json_builder_begin_array (b);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (AssayChainStep) step = assay_chain_dup_step (chain, i);
      chain_add_step (b, step);
    }
  json_builder_end_array (b);
  json_builder_end_object (b);
  cli_print_json (json_builder_get_root (b));
}

void
cli_print_chain (AssayLedger *ledger, AssayRecord *record, gboolean json)
{
  g_autoptr (AssayChain) chain = assay_chain_new (ledger, assay_record_get_id (record));
  g_autofree char *text = json ? NULL : assay_chain_dup_text (chain);
  if (json)
    chain_print_json (chain);
  else
    g_print ("%s", text);
}
