/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-record-words.h"

#include <glib/gi18n-lib.h>

static const char *const statuses[] = {
  NC_("run status", "completed"),
  NC_("run status", "oom_device"),
  NC_("run status", "oom_host"),
  NC_("run status", "time_limit"),
  NC_("run status", "cancelled"),
  NC_("run status", "load_failed"),
  NC_("run status", "failed"),
  NC_("run status", "killed"),
  NC_("run status", "interrupted"),
  NC_("run status", "invalid"),
  NC_("run status", "invalid_output"),
};

static const char *const phases[] = {
  NC_("phase of a run", "load"),   NC_("phase of a run", "attach"),   NC_("phase of a run", "convert"),
  NC_("phase of a run", "prompt"), NC_("phase of a run", "generate"),
};

static const char *const measures[] = {
  NC_("measure", "allocated"),
  NC_("measure", "mapped and allocated"),
  NC_("measure", "reserved"),
  NC_("measure", "process"),
  NC_("measure", "device"),
  NC_("measure", "pinned"),
  NC_("measure", "system"),
  NC_("measure", "anonymous and pinned, process tree"),
  NC_("measure", "file-backed, process tree"),
  NC_("measure", "allocator"),
  NC_("measure", "engine"),
};

static const char *
translate_known (const char *const *known, guint n, const char *context, const char *word)
{
  for (guint i = 0; i < n; i++)
    if (g_strcmp0 (known[i], word) == 0)
      return g_dpgettext2 (GETTEXT_PACKAGE, context, word);
  return word;
}

const char *
assay_record_words_status (AssayRunStatus status)
{
  return translate_known (statuses, G_N_ELEMENTS (statuses), "run status", assay_run_status_get_name (status));
}

const char *
assay_record_words_phase (const char *phase)
{
  return translate_known (phases, G_N_ELEMENTS (phases), "phase of a run", phase);
}

const char *
assay_record_words_measure (const char *word)
{
  return translate_known (measures, G_N_ELEMENTS (measures), "measure", word);
}
