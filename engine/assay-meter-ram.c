/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-meter-ram.c: /proc, added up over the process tree.
 *
 * Proportional figures (Pss) are summed, not resident ones: pages that parent and child share count once. A
 * process that ends between being listed and being read simply no longer counts. */
#include "assay-meter-ram.h"

#include "assay-device-host-private.h"

#include <string.h>
#include <unistd.h>

#define MOST_PROCESSES 4096u /* against a fork bomb, and against a loop of reused numbers */

gboolean
assay_ram_parse_rollup (const char *text, AssayRam *out)
{
  gint64 anonymous = assay_host_find_field (text, "Pss_Anon"),
         file = assay_host_find_field (text, "Pss_File");
  const gint64 shared = MAX (assay_host_find_field (text, "Pss_Shmem"), 0);
  if (anonymous < 0 || file < 0)
    {
      /* before Linux 5.9: resident figures */
      const gint64 resident = assay_host_find_field (text, "Rss");
      anonymous = assay_host_find_field (text, "Anonymous");
      file = resident >= anonymous ? resident - anonymous : -1;
    }
  if (anonymous < 0 || file < 0)
    return FALSE;
  const gint64 swapped = MAX (assay_host_find_field (text, "SwapPss"), 0);
  *out = (AssayRam){
    .anonymous = anonymous + shared + swapped, .shared = shared, .mapped = file, .pinned = 0
  };
  return TRUE;
}

gboolean
assay_ram_parse_statm (const char *text, gint64 page_bytes, AssayRam *out)
{
  guint64 field[3];
  char *end = (char *) text;
  for (guint i = 0; i < G_N_ELEMENTS (field); i++)
    {
      const char *start = end;
      field[i] = g_ascii_strtoull (start, &end, 10);
      if (end == start || field[i] > (guint64) (G_MAXINT64 / page_bytes))
        return FALSE;
    }
  if (field[2] > field[1])
    return FALSE;
  *out = (AssayRam){ .anonymous = (gint64) (field[1] - field[2]) * page_bytes,
                     .mapped = (gint64) field[2] * page_bytes,
                     .pinned = 0 };
  return TRUE;
}

static gboolean
ram_read_process (gint pid, AssayRam *out, const char **source)
{
  char path[64], text[4096];
  g_snprintf (path, sizeof path, "/proc/%d/smaps_rollup", pid);
  if (assay_host_read_file (path, text, sizeof text) && assay_ram_parse_rollup (text, out))
    return TRUE;
  g_snprintf (path, sizeof path, "/proc/%d/statm", pid);
  if (!assay_host_read_file (path, text, sizeof text)
      || !assay_ram_parse_statm (text, sysconf (_SC_PAGESIZE), out))
    return FALSE;
  *source = ASSAY_RAM_SOURCE_STATM;
  return TRUE;
}

static void
ram_append_children (gint pid, const char *task, GArray *pids)
{
  char path[96], text[16384];
  g_snprintf (path, sizeof path, "/proc/%d/task/%s/children", pid, task);
  if (!assay_host_read_file (path, text, sizeof text))
    return;
  char *next = text;
  for (guint64 child; (child = g_ascii_strtoull (next, &next, 10)) != 0 && pids->len < MOST_PROCESSES;)
    {
      const gint value = (gint) child;
      g_array_append_val (pids, value);
    }
}

/* A child belongs to the thread that made it, so every thread is asked. */
static GArray *
ram_list_tree (gint root)
{
  GArray *pids = g_array_new (FALSE, FALSE, sizeof (gint));
  g_array_append_val (pids, root);
  for (guint i = 0; i < pids->len; i++)
    {
      const gint pid = g_array_index (pids, gint, i);
      g_autofree char *folder = g_strdup_printf ("/proc/%d/task", pid);
      g_autoptr (GDir) tasks = g_dir_open (folder, 0, NULL);
      const char *task;
      while (tasks != NULL && (task = g_dir_read_name (tasks)) != NULL)
        ram_append_children (pid, task, pids);
    }
  return pids;
}

static void
ram_add (AssayRam *sum, const AssayRam *one)
{
  sum->anonymous += one->anonymous;
  sum->shared += one->shared;
  sum->mapped += one->mapped;
  sum->pinned += one->pinned;
}

/* From the place `first` of the tree on. FALSE when the first of all cannot be read. */
static gboolean
ram_sum_tree (gint root, guint first, AssayRam *out, const char **source)
{
  *out = (AssayRam){ 0 };
  g_autoptr (GArray) pids = ram_list_tree (root);
  for (guint i = first; i < pids->len; i++)
    {
      AssayRam one;
      if (ram_read_process (g_array_index (pids, gint, i), &one, source))
        ram_add (out, &one);
      else if (i == 0)
        return FALSE;
    }
  return TRUE;
}

static void
ram_note_source (const char *source, char **problem)
{
  if (problem != NULL && g_str_equal (source, ASSAY_RAM_SOURCE_STATM))
    *problem = g_strdup (
        "smaps_rollup cannot be read; statm does not know swapped pages and counts shared ones as mapped");
}

const char *
assay_ram_read (AssayRam *out, char **problem)
{
  const char *source = ASSAY_RAM_SOURCE_ROLLUP;
  if (ram_sum_tree (getpid (), 0, out, &source))
    {
      ram_note_source (source, problem);
      return source;
    }
  *out = (AssayRam){ .anonymous = -1, .mapped = -1, .pinned = -1 };
  if (problem != NULL)
    *problem = g_strdup ("/proc cannot be read, so the memory of the process is unknown");
  return source;
}

const char *
assay_ram_read_below (gint pid, AssayRam *out, char **problem)
{
  const char *source = ASSAY_RAM_SOURCE_ROLLUP;
  *out = (AssayRam){ 0 };
  if (pid > 0)
    ram_sum_tree (pid, 1, out, &source);
  ram_note_source (source, problem);
  return source;
}

gint64
assay_ram_read_system (void)
{
  const gint64 total = assay_host_read_total (), available = assay_host_read_meminfo ("MemAvailable");
  return total >= 0 && available >= 0 && available <= total ? total - available : -1;
}
