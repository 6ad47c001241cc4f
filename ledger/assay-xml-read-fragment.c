/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-xml-read-fragment.c: a run out of its file: to take its checksum, to compare an edit with what
 * it began from, and to decode its series when somebody asks for it at last. */
#include <glib/gi18n-lib.h>

#include "assay-xml-read.h"

static void
on_run_start (AssayXmlParser *parser, const AssayXmlStart *element, gpointer data)
{
  AssayRunReader *reader = data;

  if (element->depth == 1)
    {
      const gboolean ours = g_str_has_prefix (element->uri, "urn:assay:ledger:");
      assay_run_reader_set_uri (reader, g_intern_string (ours ? element->uri : ""));
      assay_xml_begin_hash (parser);
    }
  assay_run_reader_start (reader, element, element->depth);
}

static void
on_run_end (AssayXmlParser *parser, const AssayXmlEnd *element, gpointer data)
{
  assay_run_reader_end (data, element, element->depth);
}

static const AssayXmlHandler run_handler = { on_run_start, on_run_end };

AssayRecord *
assay_xml_read_run (GBytes *bytes, AssayScope *scope, const char *assets, GError **error)
{
  AssayRunReader *reader = assay_run_reader_new (NULL, assets);
  AssayRecord *record = NULL;

  if (assay_xml_parse_fragment (bytes, scope, &run_handler, reader, error))
    {
      record = assay_run_reader_steal (reader);
      if (record == NULL)
        g_set_error_literal (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_FORMAT,
                             _("this is no run of a ledger"));
      else
        {
          record->source = g_bytes_ref (bytes);
          record->scope = assay_scope_ref (scope);
        }
    }
  assay_run_reader_free (reader);
  return record;
}

AssaySeries *
assay_xml_read_series (AssayRecord *record)
{
  GBytes *bytes = record->source != NULL ? record->source : record->origin;
  AssaySeries *series = assay_series_new (0);
  AssayRunReader *reader = assay_run_reader_new_for_series (series);

  if (bytes == NULL || !assay_xml_parse_fragment (bytes, record->scope, &run_handler, reader, NULL))
    {
      assay_series_unref (series); /* cannot be: these bytes were read before */
      series = assay_series_new (0);
    }
  assay_run_reader_free (reader);
  return series;
}
