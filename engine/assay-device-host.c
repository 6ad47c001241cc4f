/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-device-host.c: reads /proc and /sys. Linux only; elsewhere everything is unknown, never
 * guessed. */
#include "assay-device-host-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

gboolean
assay_host_read_file (const char *path, char *buffer, gsize size)
{
  const int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return FALSE;
  gsize used = 0;
  while (used + 1 < size)
    {
      const gssize n = read (fd, buffer + used, size - 1 - used);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      used += (gsize) n;
    }
  close (fd);
  buffer[used] = '\0';
  return used > 0;
}

gint64
assay_host_find_field (const char *text, const char *field)
{
  const gsize length = strlen (field);
  for (const char *line = text; line != NULL; line = strchr (line, '\n'))
    {
      line += *line == '\n';
      if (strncmp (line, field, length) != 0 || line[length] != ':')
        continue;
      char *end = NULL;
      const guint64 value = g_ascii_strtoull (line + length + 1, &end, 10);
      if (value > G_MAXINT64 / 1024)
        return -1;
      return (gint64) (g_str_has_prefix (end, " kB") ? value * 1024 : value);
    }
  return -1;
}

gint64
assay_host_read_meminfo (const char *field)
{
  char text[8192];
  return assay_host_read_file ("/proc/meminfo", text, sizeof text) ? assay_host_find_field (text, field) : -1;
}

static gint64
host_read_number (const char *path)
{
  char text[64];
  if (!assay_host_read_file (path, text, sizeof text) || !g_ascii_isdigit (text[0]))
    return -1; /* "max" among them: no limit */
  const guint64 value = g_ascii_strtoull (text, NULL, 10);
  return value > G_MAXINT64 ? -1 : (gint64) value;
}

/* What the control group still allows. Its own page cache counts as used there, so it can be too low, never
 * by the anonymous memory that matters: inactive file pages are given back first. */
static gint64
host_read_group_room (void)
{
  const gint64 limit = host_read_number ("/sys/fs/cgroup/memory.max");
  const gint64 used = host_read_number ("/sys/fs/cgroup/memory.current");
  if (limit < 0 || used < 0)
    return -1;
  char text[8192];
  gint64 cached = 0;
  if (assay_host_read_file ("/sys/fs/cgroup/memory.stat", text, sizeof text))
    for (const char *line = text; line != NULL; line = strchr (line, '\n'))
      {
        line += *line == '\n';
        if (g_str_has_prefix (line, "file "))
          cached = (gint64) g_ascii_strtoull (line + strlen ("file "), NULL, 10);
      }
  return MAX (limit - MAX (used - cached, 0), 0);
}

gint64
assay_host_read_available (void)
{
  const gint64 available = assay_host_read_meminfo ("MemAvailable");
  const gint64 room = host_read_group_room ();
  if (room < 0 || available < 0)
    return MAX (room, available);
  return MIN (room, available);
}

gint64
assay_host_read_total (void)
{
  return assay_host_read_meminfo ("MemTotal");
}

char *
assay_host_dup_processor_name (void)
{
  char text[8192]; /* the first processor's entry lies well within */
  if (assay_host_read_file ("/proc/cpuinfo", text, sizeof text))
    {
      const char *name = strstr (text, "model name");
      const char *colon = name != NULL ? strchr (name, ':') : NULL;
      if (colon != NULL)
        return g_strstrip (g_strndup (colon + 1, strcspn (colon + 1, "\n")));
    }
  struct utsname system;
  return g_strdup (uname (&system) == 0 ? system.machine : "unnamed processor");
}

char *
assay_host_dup_system_name (void)
{
  struct utsname system;
  g_autofree char *distribution = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);
  if (uname (&system) != 0)
    return g_strdup (distribution != NULL ? distribution : "unknown system");
  return g_strdup_printf ("%s %s %s%s%s", system.sysname, system.release, system.machine,
                          distribution != NULL ? ", " : "", distribution != NULL ? distribution : "");
}
