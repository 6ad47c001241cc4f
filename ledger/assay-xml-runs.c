/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-xml-runs.c: see assay-xml-runs.h. */
#include "assay-xml-runs.h"

#include <string.h>

#include "assay-splice.h"
#include "assay-xml-guard.h"
#include "assay-xml-read.h"

#define RUNS_MIN_BYTES (4u << 20) /* less is read before threads have begun */
#define RUNS_MAX_THREADS 8u
#define RUNS_SHARES 8u /* of each thread: who is done early takes another */

struct _AssayXmlRuns
{
  /* borrowed */
  GBytes *text;
  const char *assets;

  /* owned */
  AssayXmlOutline outline;  /* its children are the runs */
  AssayRecord **records;    /* [n_runs]; NULL where it is no run of ours, or was taken */
  guint n_runs;
  guint n_met;

  /* of all threads */
  guint n_share;
  gint next;                /* atomic: the first run that nobody reads yet */
  gint doubt;               /* atomic */
};

/* What one thread reads at a time. */
typedef struct
{
  AssayXmlRuns *runs;
  guint at, end;
  char *uri;
  AssayRunReader *reader;   /* while inside a run */
} RunsShare;

static const char *
runs_at (AssayXmlRuns *self, gsize offset)
{
  return (const char *) g_bytes_get_data (self->text, NULL) + offset;
}

static const AssayXmlSpan *
runs_get_span (AssayXmlRuns *self, guint i)
{
  return &g_array_index (self->outline.children, AssayXmlSpan, i);
}

static AssayXmlPiece
runs_piece (AssayXmlRuns *self, gsize start, gsize end)
{
  return (AssayXmlPiece){ runs_at (self, start), end - start, start };
}

/* ---- which ---- */

/* One that declares a namespace may be another element than its name says. */
static gboolean
runs_can_take (AssayXmlRuns *self, const AssayXmlSpan *span)
{
  const char *name = runs_at (self, span->start + 1);
  const gsize length = span->name_end - span->start - 1;
  const gboolean is_run = length >= 3 && memcmp (name + length - 3, "run", 3) == 0
                          && (length == 3 || name[length - 4] == ':');

  if (!is_run || span->end <= span->name_end)
    return FALSE;
  const gsize tag_end = assay_xml_find_tag_end (runs_at (self, 0), span->end, span->name_end);
  return memmem (name, tag_end - span->start - 1, "xmlns", 5) == NULL;
}

static gboolean
runs_find (AssayXmlRuns *self)
{
  AssayXmlOutline *outline = &self->outline;
  gsize behind;
  guint n = 0;

  if (!assay_xml_guard_outline (self->text, outline) || outline->head_end == 0)
    return FALSE;
  behind = outline->head_end;
  for (guint i = 0; i < outline->children->len; i++)
    {
      const AssayXmlSpan span = *runs_get_span (self, i);
      if (!runs_can_take (self, &span))
        continue;
      if (span.start < behind || span.end > outline->tail)
        return FALSE;
      behind = span.end;
      g_array_index (outline->children, AssayXmlSpan, n++) = span;
    }
  g_array_set_size (outline->children, n);
  self->n_runs = n;
  return n > 0;
}

/* ---- each ---- */

static void
on_share_start (AssayXmlParser *parser, const AssayXmlStart *element, gpointer data)
{
  RunsShare *share = data;

  if (element->depth == 1)
    share->uri = g_strdup (element->uri);
  if (element->depth == 2)
    {
      if (share->at >= share->end || runs_get_span (share->runs, share->at)->start != element->start)
        {
          g_atomic_int_set (&share->runs->doubt, TRUE);
          return;
        }
      share->reader = assay_run_reader_new (share->uri, share->runs->assets);
      assay_xml_begin_hash (parser);
    }
  if (share->reader != NULL)
    assay_run_reader_start (share->reader, element, element->depth - 1);
}

static void
share_end_run (RunsShare *share, const AssayXmlEnd *element)
{
  AssayXmlRuns *runs = share->runs;
  const AssayXmlSpan *span = runs_get_span (runs, share->at);
  AssayRecord *record = assay_run_reader_steal (share->reader);

  g_clear_pointer (&share->reader, assay_run_reader_free);
  runs->records[share->at++] = record;
  if (element->end != span->end)
    g_atomic_int_set (&runs->doubt, TRUE);
  else if (record != NULL)
    {
      record->seal = assay_splice_seal (runs_at (runs, span->start), span->end - span->start);
      record->has_seal = TRUE;
    }
}

static void
on_share_end (AssayXmlParser *parser, const AssayXmlEnd *element, gpointer data)
{
  RunsShare *share = data;

  if (share->reader == NULL)
    return;
  assay_run_reader_end (share->reader, element, element->depth - 1);
  if (element->depth == 2)
    share_end_run (share, element);
}

/* The root's own tags, and between them runs `first` up to `end`. */
static gboolean
runs_read_share (AssayXmlRuns *self, guint first, guint end)
{
  static const AssayXmlHandler handler = { on_share_start, on_share_end };
  RunsShare share = { .runs = self, .at = first, .end = end };
  g_autofree AssayXmlPiece *pieces = g_new (AssayXmlPiece, end - first + 2);
  guint n = 0;

  pieces[n++] = runs_piece (self, 0, self->outline.head_end);
  for (guint i = first; i < end; i++)
    pieces[n++] = runs_piece (self, runs_get_span (self, i)->start, runs_get_span (self, i)->end);
  pieces[n++] = runs_piece (self, self->outline.tail, g_bytes_get_size (self->text));
  const gboolean read = assay_xml_parse_pieces (self->text, pieces, n, &handler, &share);
  g_free (share.uri);
  assay_run_reader_free (share.reader);
  return read && share.at == end;
}

static gpointer
runs_work (gpointer data)
{
  AssayXmlRuns *self = data;
  guint first;

  while ((first = (guint) g_atomic_int_add (&self->next, (gint) self->n_share)) < self->n_runs
         && !g_atomic_int_get (&self->doubt))
    if (!runs_read_share (self, first, MIN (first + self->n_share, self->n_runs)))
      g_atomic_int_set (&self->doubt, TRUE);
  return NULL;
}

guint
assay_xml_runs_count_threads (GBytes *text)
{
  return g_bytes_get_size (text) < RUNS_MIN_BYTES ? 1 : MIN (g_get_num_processors (), RUNS_MAX_THREADS);
}

/* With one thread fewer where the system gives none. */
static void
runs_work_together (AssayXmlRuns *self, guint n_threads)
{
  g_autofree GThread **threads = g_new0 (GThread *, n_threads);

  self->n_share = self->n_runs / (n_threads * RUNS_SHARES) + 1;
  self->records = g_new0 (AssayRecord *, self->n_runs);
  for (guint i = 1; i < n_threads; i++)
    threads[i] = g_thread_try_new ("read-runs", runs_work, self, NULL);
  runs_work (self);
  for (guint i = 1; i < n_threads; i++)
    g_clear_pointer (&threads[i], g_thread_join);
}

AssayXmlRuns *
assay_xml_runs_read (GBytes *text, const char *assets, guint n_threads)
{
  g_autoptr(AssayXmlRuns) self = g_new0 (AssayXmlRuns, 1);

  self->text = text;
  self->assets = assets;
  self->outline.children = g_array_new (FALSE, FALSE, sizeof (AssayXmlSpan));
  if (!runs_find (self))
    return NULL;
  runs_work_together (self, n_threads);
  return self->doubt ? NULL : g_steal_pointer (&self);
}

void
assay_xml_runs_free (AssayXmlRuns *self)
{
  for (guint i = 0; self->records != NULL && i < self->n_runs; i++)
    g_clear_object (&self->records[i]);
  g_free (self->records);
  g_array_unref (self->outline.children);
  g_free (self);
}

/* ---- the rest ---- */

gboolean
assay_xml_runs_parse_rest (AssayXmlRuns *self, const AssayXmlHandler *handler, gpointer data)
{
  g_autofree AssayXmlPiece *pieces = g_new (AssayXmlPiece, 2 * self->n_runs + 1);
  gsize behind = 0;
  guint n = 0;

  for (guint i = 0; i < self->n_runs; i++) /* up to the run's name, and a short end that counts as the run's own */
    {
      const AssayXmlSpan *span = runs_get_span (self, i);
      pieces[n++] = runs_piece (self, behind, span->name_end);
      pieces[n++] = (AssayXmlPiece){ "/>", 2, span->end - 2 };
      behind = span->end;
    }
  pieces[n++] = runs_piece (self, behind, g_bytes_get_size (self->text));
  return assay_xml_parse_pieces (self->text, pieces, n, handler, data) && self->n_met == self->n_runs;
}

AssayRecord *
assay_xml_runs_take (AssayXmlRuns *self, gsize start)
{
  if (self->n_met == self->n_runs || runs_get_span (self, self->n_met)->start != start)
    return NULL;
  return g_steal_pointer (&self->records[self->n_met++]);
}
