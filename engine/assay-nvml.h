/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-nvml.h: what the driver says of a card's memory, by way of NVML, which is opened at run time.
 *
 * A thread of its own asks, and nobody waits for it: a driver that hangs holds up neither the meter nor the end of a
 * run. What the driver keeps for itself (`reserved`) is no use of anybody's and left out. Bytes; -1 where NVML does
 * not say. Any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _AssayNvml AssayNvml;

typedef struct
{
  gint64 total, free, device, process; /* now: the card's, free and in use on it, in use by this process */
  gint64 peak_device, peak_process;
  guint64 n_samples;
} AssayNvmlFigures;

/* uuid: "GPU-…". Asks every interval_ns until it is freed. */
AssayNvml *assay_nvml_new (const char *uuid, gint64 interval_ns);
void assay_nvml_free (AssayNvml *self);       /* NULL is fine */
/* One for the whole program, asking twice a second: what is free before a run. (lent for good) */
AssayNvml *assay_nvml_get_shared (const char *uuid);
/* FALSE before there was an answer, and where there will be none. */
gboolean assay_nvml_get (AssayNvml *self, AssayNvmlFigures *out);
/* Waits for a first answer. FALSE, with why in *problem (transfer full), where there is none by then. */
gboolean assay_nvml_wait (AssayNvml *self, gint64 most_ns, char **problem);
/* Who holds memory on the card now, this process left out: "python3 (812): 2.10 GiB, …"; "" for nobody.
 * (transfer full) */
char *assay_nvml_dup_holders (AssayNvml *self);

/* For tests: the library's file instead of the system's; before the first use. (borrowed, for good) */
void assay_nvml_set_library (const char *path);

G_END_DECLS
