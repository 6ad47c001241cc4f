/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-session-recovery.c: runs that an earlier, ended program began and did not save. */
#include "assay-session-private.h"

#include <glib/gi18n-lib.h>

#include "assay-recovery.h"

static void
list_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssaySession) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) entries = assay_recovery_list_finish (result, &error);
  if (entries == NULL)
    {
      session_post_error (self, "recovery", _("The recovery journal cannot be read"), error);
      return;
    }
  if (entries->len == 0)
    return;
  self->recovered = g_steal_pointer (&entries);
  session_adopt_planned (self);
  const guint n = self->recovered->len;
  if (n == 0)
    return;
  g_autofree char *message =
    g_strdup_printf (ngettext ("%u run did not reach its ledger before Assay ended.",
                               "%u runs did not reach their ledgers before Assay ended.", n), n);
  AssayNotice *notice = assay_notice_new ("recovery", FALSE, message);
  assay_notice_with_action (notice, ngettext ("Add It to Its Ledger", "Add Them to Their Ledgers", n),
                            "win.add-recovered", NULL);
  assay_notices_post (self->notices, notice);
}

void
session_offer_recovered (AssaySession *self)
{
  assay_recovery_list_async (list_cb, g_object_ref (self));
}

/* Shows a recovered run at once when its ledger is the open one: the file on disk has it, the next save merges it. */
static void
session_show_recovered (AssaySession *self)
{
  for (guint i = 0; self->ledger != NULL && i < self->recovered->len; i++)
    {
      const AssayJournalEntry *entry = g_ptr_array_index (self->recovered, i);
      if (g_strcmp0 (entry->ledger_path, assay_ledger_get_path (self->ledger)) == 0)
        {
          assay_keeper_save (session_keep (self, self->ledger));
          return;
        }
    }
}

static void
add_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssaySession) self = data;
  g_autoptr(GError) error = NULL;
  session_end_work (self);
  if (assay_recovery_add_finish (result, &error))
    assay_notices_dismiss (self->notices, "recovery");
  else
    session_post_error (self, "recovery", _("Not every run could be added; those stay in the journal"), error);
  session_show_recovered (self);
  g_clear_pointer (&self->recovered, g_ptr_array_unref);
  assay_library_rescan (self->library);
}

void
assay_session_add_recovered (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  if (self->recovered == NULL || self->recovered->len == 0)
    return;
  session_begin_work (self, _("Adding runs to their ledgers…"));
  assay_recovery_add_async (self->recovered, add_cb, g_object_ref (self));
}
