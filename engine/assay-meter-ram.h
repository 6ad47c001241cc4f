/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-meter-ram.h: RAM of the process tree, read once. Any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define ASSAY_RAM_SOURCE_ROLLUP "/proc/PID/smaps_rollup"
#define ASSAY_RAM_SOURCE_STATM "/proc/PID/statm"

/* Bytes; -1 is unknown. */
typedef struct
{
  gint64 anonymous;  /* private and shared memory, and what of it was swapped: nobody can take it back */
  gint64 shared;     /* the part of it that is shared memory; 0 where that is not told */
  gint64 mapped;     /* pages of files: the system can take them back */
  gint64 pinned;     /* page-locked for a device: none, while there is none */
} AssayRam;

/* Sums this process and its descendants. Returns the source; *problem (or NULL): why something is unknown. */
const char *assay_ram_read (AssayRam *out, char **problem);
/* Sums the descendants of a process, without itself; all 0 when there are none. Returns as above. */
const char *assay_ram_read_below (gint pid, AssayRam *out, char **problem);
gint64 assay_ram_read_system (void); /* in use on the whole machine: MemTotal - MemAvailable */

/* From the text of one process's file; FALSE when a figure is missing. For the reader and its tests. */
gboolean assay_ram_parse_rollup (const char *text, AssayRam *out);
gboolean assay_ram_parse_statm (const char *text, gint64 page_bytes, AssayRam *out);

G_END_DECLS
