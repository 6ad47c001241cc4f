/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file most of which was read before: what is written is what was meant, and what is read back is compared with it,
 * to the byte. */
#include <string.h>

#include "assay-splice.h"
#include "ledger-fixture.h"

/* What it is made of, and what it must say. */
typedef struct
{
  GBytes *memory;     /* the passages lie in it, in order */
  GString *meant;
  AssaySplice *splice;
} Made;

static void
made_clear (Made *self)
{
  g_bytes_unref (self->memory);
  g_string_free (self->meant, TRUE);
  assay_splice_free (self->splice);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Made, made_clear)

static void
add_text (Made *self, const char *text)
{
  g_string_append (assay_splice_get_text (self->splice), text);
  g_string_append (self->meant, text);
}

static void
keep (Made *self, gsize from, gsize to, gboolean led)
{
  const char *memory = g_bytes_get_data (self->memory, NULL);
  g_autoptr(GBytes) passage = g_bytes_new_from_bytes (self->memory, from, to - from);
  assay_splice_keep (self->splice, passage, assay_splice_seal (memory + from, to - from), led);
  g_string_append_len (self->meant, memory + from, (gssize) (to - from));
}

static Made
make_random (GRand *rand)
{
  Made self = { .meant = g_string_new (NULL), .splice = assay_splice_new () };
  g_autoptr(GString) memory = g_string_new (NULL);
  for (gint n = g_rand_int_range (rand, 0, 3000); n > 0; n--)
    g_string_append_c (memory, (char) g_rand_int_range (rand, 1, 255));
  self.memory = g_bytes_new (memory->str, memory->len);
  for (gsize at = 0; at < memory->len;)
    {
      const gsize length = (gsize) g_rand_int_range (rand, 0, 400), end = MIN (memory->len, at + length);
      add_text (&self, (const char *[]){ "", "<r/>", "\n  ", "\n" }[g_rand_int_range (rand, 0, 4)]);
      keep (&self, at, end, FALSE);
      at = end + (gsize) g_rand_int_range (rand, 0, 2);
    }
  add_text (&self, "</ledger>\n");
  return self;
}

typedef struct
{
  const GString *from;
  gsize at;
  GRand *rand;
} Source;

static gssize
read_some (char *buffer, gsize length, gpointer data)
{
  Source *source = data;
  const gsize some = (gsize) g_rand_int_range (source->rand, 1, 900);
  const gsize n = MIN (MIN (length, some), source->from->len - source->at);
  memcpy (buffer, source->from->str + source->at, n);
  source->at += n;
  return (gssize) n;
}

static gboolean
compare (const Made *made, const GString *with, GRand *rand, GBytes **text)
{
  Source source = { .from = with, .rand = rand };
  return assay_splice_compare (made->splice, read_some, &source, text);
}

static void
test_written_and_read_back_alike (void)
{
  const guint32 seed = (guint32) g_test_rand_int ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_test_message ("seed %u", seed);
  for (guint i = 0; i < 200; i++)
    {
      g_auto(Made) made = make_random (rand);
      g_autoptr(GBytes) whole = assay_splice_to_bytes (made.splice);
      g_autoptr(GBytes) text = NULL;
      GString *new_text = assay_splice_get_text (made.splice);
      g_assert_cmpmem (g_bytes_get_data (whole, NULL), g_bytes_get_size (whole), made.meant->str, made.meant->len);
      g_assert_cmpuint (assay_splice_get_length (made.splice), ==, made.meant->len);
      g_assert_true (compare (&made, made.meant, rand, &text));
      g_assert_cmpmem (g_bytes_get_data (text, NULL), g_bytes_get_size (text), new_text->str, new_text->len);
    }
}

static void
test_any_other_byte_shows (void)
{
  const guint32 seed = (guint32) g_test_rand_int ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_auto(Made) made = make_random (rand);
  g_test_message ("seed %u", seed);
  for (gsize i = 0; i < made.meant->len; i++)
    {
      const char was = made.meant->str[i];
      made.meant->str[i] = (char) (was ^ (1 << g_rand_int_range (rand, 0, 8)));
      g_assert_false (compare (&made, made.meant, rand, NULL));
      made.meant->str[i] = was;
    }
  g_assert_true (compare (&made, made.meant, rand, NULL));
  g_string_append_c (made.meant, 'x'); /* one too many */
  g_assert_false (compare (&made, made.meant, rand, NULL));
  g_string_truncate (made.meant, made.meant->len - 2); /* one too few */
  g_assert_false (compare (&made, made.meant, rand, NULL));
}

static gboolean
count_part (const char *data, gsize length, gpointer n)
{
  ++*(guint *) n;
  return TRUE;
}

static void
test_neighbours_are_written_as_one (void)
{
  static const char memory[] = "<ledger>\n  <run/>\n  <run/>\n  <run/>\n</ledger>";
  g_auto(Made) made = { .memory = g_bytes_new_static (memory, strlen (memory)), .meant = g_string_new (NULL),
                        .splice = assay_splice_new () };
  guint n = 0;
  for (guint i = 0; i < 3; i++)
    {
      add_text (&made, ASSAY_SPLICE_LEAD);
      keep (&made, 11 + 9 * i, 17 + 9 * i, TRUE);
    }
  g_assert_true (assay_splice_write (made.splice, count_part, &n));
  g_assert_cmpuint (n, ==, 1);
  g_autoptr(GBytes) whole = assay_splice_to_bytes (made.splice);
  g_assert_cmpmem (g_bytes_get_data (whole, NULL), g_bytes_get_size (whole), made.meant->str, made.meant->len);
}

static void
add_review (AssayLedger *ledger, const char *run)
{
  g_autoptr(AssayReview) review = assay_review_new ("A");
  g_autoptr(GError) error = NULL;
  g_assert_true (assay_ledger_add_review (ledger, run, review, &error));
}

/* A run that nobody edited goes bad in memory: the save must not put that in the place of the good one. */
static void
test_memory_gone_bad_is_not_saved (void)
{
  g_autofree char *folder = fixture_dup_folder ();
  g_autofree char *path = g_build_filename (folder, "book.ledger.xml", NULL);
  g_autoptr(AssayLedger) made = fixture_ledger (3);
  g_autoptr(GError) error = NULL;
  fixture_save (made, path);
  g_autofree char *before = fixture_read (path, NULL);
  g_autoptr(AssayLedger) ledger = fixture_load (path);
  add_review (ledger, "run-0");
  gsize length;
  char *bytes = (char *) g_bytes_get_data (assay_ledger_get_run (ledger, 2)->source, &length);
  bytes[length / 2] ^= 4;
  g_assert_false (assay_store_save (ledger, NULL, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_SAVE);
  g_autofree char *after = fixture_read (path, NULL);
  g_assert_cmpstr (before, ==, after);
  g_assert_true (assay_ledger_is_unsaved (ledger));
  bytes[length / 2] ^= 4;
  fixture_save (ledger, NULL);
  fixture_remove_folder (folder);
}

/* After a save, the runs it wrote are passages too, and the next save is as good. */
static void
test_saves_one_after_another_keep_every_run (void)
{
  g_autofree char *folder = fixture_dup_folder ();
  g_autofree char *path = g_build_filename (folder, "book.ledger.xml", NULL);
  g_autoptr(AssayLedger) ledger = fixture_ledger (5);
  fixture_save (ledger, path);
  for (guint i = 0; i < 10; i++)
    {
      g_autofree char *run = g_strdup_printf ("run-%u", i * 3 % 5);
      add_review (ledger, run);
      fixture_save (ledger, NULL);
      g_autoptr(AssayLedger) read = fixture_load (path);
      fixture_same_ledgers (ledger, read);
      add_review (read, "run-4");
      fixture_save (read, NULL);
      fixture_save (ledger, NULL); /* takes in what the other wrote when it has something to save */
    }
  fixture_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ledger/splice/written-and-read-back-alike", test_written_and_read_back_alike);
  g_test_add_func ("/ledger/splice/any-other-byte-shows", test_any_other_byte_shows);
  g_test_add_func ("/ledger/splice/neighbours-are-written-as-one", test_neighbours_are_written_as_one);
  g_test_add_func ("/ledger/splice/memory-gone-bad-is-not-saved", test_memory_gone_bad_is_not_saved);
  g_test_add_func ("/ledger/splice/saves-one-after-another-keep-every-run", test_saves_one_after_another_keep_every_run);
  return g_test_run ();
}
