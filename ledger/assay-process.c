/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-process.c: see assay-process.h. Linux: /proc. */
#include "assay-process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *
process_dup_boot (void)
{
  char *boot = NULL;

  if (!g_file_get_contents ("/proc/sys/kernel/random/boot_id", &boot, NULL, NULL))
    return g_strdup ("-");
  return g_strstrip (boot);
}

/* Clock ticks from the machine's start to the process's; NULL when there is no such process. */
static char *
process_dup_start (const char *pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%s/stat", pid);
  g_autofree char *stat = NULL;

  if (!g_file_get_contents (path, &stat, NULL, NULL))
    return NULL;
  const char *after = strrchr (stat, ')'); /* the name may hold anything, ')' and blanks too */
  g_auto(GStrv) fields = after == NULL ? NULL : g_strsplit (after + 1, " ", -1);
  return fields != NULL && g_strv_length (fields) > 20 ? g_strdup (fields[20]) : NULL;
}

char *
assay_process_dup_self (void)
{
  g_autofree char *pid = g_strdup_printf ("%d", (int) getpid ());
  g_autofree char *boot = process_dup_boot ();
  g_autofree char *start = process_dup_start (pid);

  return g_strdup_printf ("%s %s %s %s", pid, start == NULL ? "-" : start, boot, g_get_host_name ());
}

AssayProcessState
assay_process_judge (const char *text)
{
  g_autofree char *stripped = g_strstrip (g_strdup (text));
  g_auto(GStrv) words = g_strsplit (stripped, " ", 4);
  g_autofree char *boot = process_dup_boot ();

  if (g_strv_length (words) != 4 || strspn (words[0], "0123456789") != strlen (words[0]) || *words[0] == '\0')
    return ASSAY_PROCESS_UNREADABLE;
  if (g_strcmp0 (words[3], g_get_host_name ()) != 0 && g_strcmp0 (words[2], boot) != 0)
    return ASSAY_PROCESS_ELSEWHERE;
  if (g_strcmp0 (words[2], boot) != 0)
    return ASSAY_PROCESS_GONE;
  g_autofree char *start = process_dup_start (words[0]);
  return start != NULL && g_str_equal (start, words[1]) ? ASSAY_PROCESS_ALIVE : ASSAY_PROCESS_GONE;
}
