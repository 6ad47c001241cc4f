/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-device-host-private.h: what the machine says about memory and processor. Any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A field of /proc/meminfo ("MemAvailable"), in bytes; -1 when it cannot be read. */
gint64 assay_host_read_meminfo (const char *field);
/* Memory a new allocation can have: MemAvailable, less where a control group allows less; -1 unknown. */
gint64 assay_host_read_available (void);
gint64 assay_host_read_total (void);
/* The processor as it calls itself. (transfer full) */
char *assay_host_dup_processor_name (void);
/* Kernel and distribution. (transfer full) */
char *assay_host_dup_system_name (void);

/* A small file of /proc or /sys, read whole without stat(), which lies there. FALSE when it is unreadable. */
gboolean assay_host_read_file (const char *path, char *buffer, gsize size);
/* The number after "FIELD:" in such a text, in bytes where it is followed by kB; -1 when absent. */
gint64 assay_host_find_field (const char *text, const char *field);

G_END_DECLS
