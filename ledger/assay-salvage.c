/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-salvage.c: what can be had from a file that is no ledger any more.
 *
 * In well-formed XML a '<' of text is always written "&lt;", so "<run" up to "</run>" is a run wherever the
 * damage lies, before it and behind it. Each is read for itself; what does not read is left out. Nothing is
 * written. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "assay-merge.h"
#include "assay-store-private.h"
#include "assay-text-code.h"
#include "assay-xml-guard.h"

#define SALVAGE_ROOT                                                                                         \
  "<ledger xmlns=\"" ASSAY_LEDGER_NAMESPACE "\" version=\"1.0\" id=\"salvaged\" task=\"language\">"

static gboolean
salvage_is_tag (const char *at, const char *end, const char *tag)
{
  const gsize n = strlen (tag);
  return (gsize) (end - at) > n && memcmp (at, tag, n) == 0 && strchr (" \t\r\n>/", at[n]) != NULL;
}

static const char *
salvage_find (const char *at, const char *end, const char *tag)
{
  for (; at < end && (at = memmem (at, (gsize) (end - at), tag, strlen (tag))) != NULL; at++)
    if (salvage_is_tag (at, end, tag))
      return at;
  return NULL;
}

/* The root's start tag and what stands before the first run, if they still read as a ledger; else a plain
 * root. */
static char *
salvage_dup_head (const char *text, const char *end)
{
  const char *root = salvage_find (text, end, "<ledger");
  const char *run = root == NULL ? NULL : salvage_find (root, end, "<run");

  if (root == NULL)
    return g_strdup (SALVAGE_ROOT);
  GString *head = g_string_new_len (root, (gssize) ((run == NULL ? end : run) - root));
  const gsize length = head->len;
  g_string_append (head, "</ledger>");
  g_autoptr(GBytes) bytes = g_bytes_new (head->str, head->len);
  g_autoptr(AssayLedger) read = assay_store_read (bytes, "", NULL, NULL);
  g_string_truncate (head, read == NULL ? 0 : length);
  if (read != NULL)
    return g_string_free (head, FALSE);

  const char *close
      = memchr (root, '>', (gsize) (end - root)); /* the header is damaged: the start tag alone? */
  g_string_append_len (head, root, close == NULL ? 0 : (gssize) (close + 1 - root));
  g_autofree char *alone = g_strconcat (head->str, "</ledger>", NULL);
  g_autoptr(GBytes) alone_bytes = g_bytes_new (alone, strlen (alone));
  g_autoptr(AssayLedger) again = assay_store_read (alone_bytes, "", NULL, NULL);
  if (again == NULL)
    g_string_assign (head, SALVAGE_ROOT);
  return g_string_free (head, FALSE);
}

static gboolean
salvage_reads_alone (const char *head, const char *run, gsize length, const char *assets)
{
  GString *text = g_string_new (head);

  g_string_append_len (text, run, (gssize) length);
  g_string_append (text, "</ledger>");
  g_autoptr(GBytes) bytes = g_string_free_to_bytes (text);
  g_autoptr(AssayLedger) read = assay_store_read (bytes, "", assets, NULL);
  return read != NULL && assay_ledger_get_n_runs (read) > 0;
}

static AssayLedger *
salvage_text (const char *text, gsize length, const char *name, const char *assets)
{
  const char *end = text + length, *at = text;
  g_autofree char *head = salvage_dup_head (text, end);
  GString *whole = g_string_new (head);
  guint n = 0;

  while ((at = salvage_find (at, end, "<run")) != NULL)
    {
      const char *close = memmem (at, (gsize) (end - at), "</run>", 6);
      const char *next = salvage_find (at + 4, end, "<run");
      if (close != NULL && (next == NULL || close < next)
          && salvage_reads_alone (head, at, (gsize) (close + 6 - at), assets))
        {
          g_string_append_len (whole, at, (gssize) (close + 6 - at));
          g_string_append_c (whole, '\n');
          n++;
        }
      at = next == NULL ? end : next;
    }
  g_string_append (whole, "</ledger>");
  g_autoptr(GBytes) bytes = g_string_free_to_bytes (whole);
  return n == 0 ? NULL : assay_store_read (bytes, name, assets, NULL);
}

/* One side of every conflict: 0 ours, 1 theirs. */
static char *
salvage_dup_side (const char *text, gsize length, guint side)
{
  g_autofree char *copy = g_strndup (text, length);
  g_auto(GStrv) lines = g_strsplit (copy, "\n", -1);
  GString *out = g_string_sized_new (length);
  gint inside = -1; /* −1 outside, else the side we are in; 2: the common ancestor of a three-way conflict */

  for (char **line = lines; *line != NULL; line++)
    {
      if (g_str_has_prefix (*line, "<<<<<<< "))
        inside = 0;
      else if (inside >= 0 && g_str_has_prefix (*line, "||||||| "))
        inside = 2;
      else if (inside >= 0 && g_str_has_prefix (*line, "=======") )
        inside = 1;
      else if (inside >= 0 && g_str_has_prefix (*line, ">>>>>>> "))
        inside = -1;
      else if (inside < 0 || inside == (gint) side)
        g_string_append_printf (out, "%s\n", *line);
    }
  return g_string_free (out, FALSE);
}

static AssayLedger *
salvage_side (const char *text, gsize length, guint side, const char *name, const char *assets)
{
  g_autofree char *side_text = salvage_dup_side (text, length, side);
  g_autoptr(GBytes) bytes = g_bytes_new (side_text, strlen (side_text));
  AssayLedger *ledger = assay_store_read (bytes, name, assets, NULL);
  return ledger != NULL ? ledger : salvage_text (side_text, strlen (side_text), name, assets);
}

static AssayLedger *
salvage_conflict (const char *text, gsize length, const char *name, const char *assets)
{
  g_autoptr(AssayLedger) ours = salvage_side (text, length, 0, name, assets);
  g_autoptr(AssayLedger) theirs = salvage_side (text, length, 1, name, assets);

  if (ours == NULL || theirs == NULL)
    return ours != NULL ? g_steal_pointer (&ours) : g_steal_pointer (&theirs);
  return assay_merge_union (ours, theirs);
}

/* The longest text there is: bytes behind the first that is no UTF-8 may still hold runs, so it is replaced.
 */
static GBytes *
salvage_decode (GBytes *bytes)
{
  g_autofree char *notice = NULL;
  GBytes *text = assay_xml_guard_decode (bytes, "", &notice, NULL);
  gsize length;

  if (text != NULL)
    return text;
  const char *data = g_bytes_get_data (bytes, &length);
  GString *valid = g_string_sized_new (length);
  while (length > 0)
    {
      const char *end;
      const gboolean whole = g_utf8_validate_len (data, length, &end);
      g_string_append_len (valid, data, end - data);
      if (whole)
        break;
      g_string_append_c (valid, '<'); /* makes the run it lies in unreadable: it must not pass for text */
      length -= (gsize) (end - data) + 1;
      data = end + 1;
    }
  return g_string_free_to_bytes (valid);
}

AssayLedger *
assay_store_salvage (const char *path, GError **error)
{
  g_autofree char *target = assay_durable_dup_target (path);
  g_autofree char *assets = assay_store_dup_assets_path (target);
  g_autoptr(GBytes) bytes = assay_durable_read (target, ASSAY_XML_MAX_BYTES, FALSE, NULL, error);
  gsize length;

  if (bytes == NULL)
    return NULL;
  g_autoptr(GBytes) text = salvage_decode (bytes);
  const char *data = g_bytes_get_data (text, &length);
  const gboolean conflict
      = length > 8 && (memcmp (data, "<<<<<<< ", 8) == 0 || memmem (data, length, "\n<<<<<<< ", 9) != NULL);
  AssayLedger *ledger = conflict ? salvage_conflict (data, length, path, assets)
                                 : salvage_text (data, length, path, assets);
  if (ledger == NULL)
    {
      g_autofree char *way_out = assay_xml_guard_dup_way_out (target);
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_FORMAT, _("%s: no run in it can be read; %s"), path,
                   way_out);
      return NULL;
    }
  assay_ledger_set_read_only (
      ledger, _("Read from a damaged file, which was left as it is: save it in another place"));
  return ledger;
}
