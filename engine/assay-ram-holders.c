/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-ram-holders.c: which programs hold the RAM, by what they would give back if they ended.
 *
 * statm is read of every process, which needs no rights; shared pages are left out, so that a library counts for nobody.
 * A process that ends meanwhile is passed over. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay-device-host-private.h"
#include "assay-meter-ram.h"
#include "assay-readiness.h"

#define MOST_SHOWN 3u
#define LEAST_SHOWN (G_GINT64_CONSTANT (32) << 20) /* bytes: less explains nothing */

typedef struct
{
  gint pid;
  gint64 bytes;
} RamHolder;

static gint
ram_holder_compare (gconstpointer a, gconstpointer b)
{
  const RamHolder *x = a, *y = b;
  return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes) : x->pid - y->pid;
}

static GArray *
ram_list_holders (void)
{
  GArray *holders = g_array_new (FALSE, FALSE, sizeof (RamHolder));
  g_autoptr (GDir) processes = g_dir_open ("/proc", 0, NULL);
  char path[64], text[256];
  const char *name;
  while (processes != NULL && (name = g_dir_read_name (processes)) != NULL)
    {
      AssayRam ram;
      RamHolder holder = { .pid = atoi (name) };
      g_snprintf (path, sizeof path, "/proc/%d/statm", holder.pid);
      if (holder.pid <= 0 || holder.pid == getpid () || !assay_host_read_file (path, text, sizeof text)
          || !assay_ram_parse_statm (text, sysconf (_SC_PAGESIZE), &ram) || ram.anonymous < LEAST_SHOWN)
        continue;
      holder.bytes = ram.anonymous;
      g_array_append_val (holders, holder);
    }
  g_array_sort (holders, ram_holder_compare);
  return holders;
}

char *
assay_ram_dup_holders (void)
{
  g_autoptr (GArray) holders = ram_list_holders ();
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < MIN (holders->len, MOST_SHOWN); i++)
    {
      const RamHolder *holder = &g_array_index (holders, RamHolder, i);
      g_autofree char *path = g_strdup_printf ("/proc/%d/comm", holder->pid);
      g_autofree char *size = assay_format_bytes ((guint64) holder->bytes);
      char name[64] = "";
      if (!assay_host_read_file (path, name, sizeof name))
        g_strlcpy (name, "?", sizeof name);
      g_string_append_printf (text, "%s%s (%d): %s", text->len > 0 ? ", " : "", g_strchomp (name), holder->pid, size);
    }
  return g_string_free (text, FALSE);
}
