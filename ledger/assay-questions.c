/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-questions.c: a question set from a file.
 *
 *   <questions xmlns="urn:assay:questions:1" version="1.0" name="basic-12">
 *     <question id="en-1" language="en"><text>…</text><expected>…</expected><hint>a|b</hint></question>
 *   </questions>
 *
 * Files of others are read with the ledger reader's caution: a regular file of bounded size, UTF-8, no
 * document type, no network. What decides an answer goes into the hash and nothing else, so that a file that
 * was only re-indented is still the same set. Elements that a later version adds are passed over. */
#include "assay-export.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>
#include <libxml/parser.h>
#include <libxml/tree.h>

#define QUESTIONS_NAMESPACE "urn:assay:questions:1"
#define MAX_FILE_BYTES (4 * 1024 * 1024)
#define MAX_QUESTIONS 1000
#define MAX_TEXT_BYTES (64 * 1024)

G_DEFINE_AUTOPTR_CLEANUP_FUNC (xmlDoc, xmlFreeDoc)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (xmlParserCtxt, xmlFreeParserCtxt)

typedef struct
{
  const char *path;
  GPtrArray *questions;
  GHashTable *ids;
  GChecksum *checksum;
} Loader;

static gboolean loader_fail (const Loader *self, GError **error, long line, const char *format, ...)
  G_GNUC_PRINTF (4, 5);

static gboolean
loader_fail (const Loader *self, GError **error, long line, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  if (line > 0)
    g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_FORMAT, _("%s, line %ld: %s"), self->path,
                 line, message);
  else
    g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_FORMAT, "%s: %s", self->path, message);
  return FALSE;
}

/* Reading */

static gboolean
loader_read_fd (const Loader *self, int fd, GByteArray *bytes, GError **error)
{
  guint8 buffer[16384];
  for (;;)
    {
      const gssize n = read (fd, buffer, sizeof buffer);
      if (n == 0)
        return TRUE;
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        {
          const int saved_errno = errno;
          return loader_fail (self, error, 0, _("cannot be read: %s"), g_strerror (saved_errno));
        }
      if (bytes->len + n > MAX_FILE_BYTES)
        return loader_fail (self, error, 0, _("larger than 4 MiB, which is no question set"));
      g_byte_array_append (bytes, buffer, (guint) n);
    }
}

/* Opened without waiting, then asked what it is: a pipe would never answer. */
static GByteArray *
loader_read (const Loader *self, GError **error)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new ();
  struct stat info;
  const int fd = open (self->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    {
      const int saved_errno = errno;
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved_errno), _("%s: cannot be opened: %s"),
                   self->path, g_strerror (saved_errno));
      return NULL;
    }
  const gboolean fine = fstat (fd, &info) == 0 && S_ISREG (info.st_mode)
                          ? loader_read_fd (self, fd, bytes, error)
                          : loader_fail (self, error, 0, _("not a regular file"));
  close (fd);
  return fine ? g_steal_pointer (&bytes) : NULL;
}

static xmlDoc *
loader_parse (const Loader *self, const GByteArray *bytes, GError **error)
{
  const char *text = (const char *) bytes->data;
  const int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES;
  if (bytes->len == 0 || !g_utf8_validate_len (text, bytes->len, NULL))
    {
      loader_fail (self, error, 0, bytes->len == 0 ? _("is empty") : _("is not UTF-8"));
      return NULL;
    }
  if (g_strstr_len (text, bytes->len, "<!DOCTYPE") != NULL
      || g_strstr_len (text, bytes->len, "<!ENTITY") != NULL)
    {
      loader_fail (self, error, 0, _("has a document type, which a question set does not need: remove it"));
      return NULL;
    }
  g_autoptr(xmlParserCtxt) context = xmlNewParserCtxt ();
  xmlDoc *document = xmlCtxtReadMemory (context, text, (int) bytes->len, NULL, "UTF-8", options);
  if (document == NULL)
    {
      const xmlError *last = xmlCtxtGetLastError (context);
      g_autofree char *why = g_strdup (last != NULL && last->message != NULL ? last->message : _("not XML"));
      loader_fail (self, error, last != NULL ? last->line : 0, "%s", g_strchomp (why));
    }
  return document;
}

/* Elements */

static gboolean
node_is (const xmlNode *node, const char *name)
{
  return node->type == XML_ELEMENT_NODE && node->ns != NULL && node->ns->href != NULL
         && strcmp ((const char *) node->ns->href, QUESTIONS_NAMESPACE) == 0
         && strcmp ((const char *) node->name, name) == 0;
}

static char *
node_dup_attribute (const xmlNode *node, const char *name)
{
  xmlChar *value = xmlGetNoNsProp ((xmlNode *) node, (const xmlChar *) name);
  char *copy = g_strdup ((const char *) value);
  xmlFree (value);
  return copy;
}

/* *text: the child's text without blanks around it; left alone when there is no such child. */
static gboolean
loader_take_child (const Loader *self, const xmlNode *question, const char *name, char **text, GError **error)
{
  for (xmlNode *child = question->children; child != NULL; child = child->next)
    {
      if (!node_is (child, name))
        continue;
      if (*text != NULL)
        return loader_fail (self, error, xmlGetLineNo (child), _("<%s> twice in one question"), name);
      xmlChar *content = xmlNodeGetContent (child);
      *text = g_strstrip (g_strdup (content != NULL ? (const char *) content : ""));
      xmlFree (content);
      if (strlen (*text) > MAX_TEXT_BYTES)
        return loader_fail (self, error, xmlGetLineNo (child), _("<%s> is longer than 64 KiB"), name);
    }
  return TRUE;
}

static gboolean
id_is_fine (const char *id)
{
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return id != NULL && *id != '\0' && strlen (id) <= 64 && strspn (id, allowed) == strlen (id);
}

static void
loader_hash (Loader *self, const AssayQuestion *question)
{
  const char *const parts[]
      = { question->id, question->language, question->text, question->expected, question->hint };
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++) /* the closing NUL parts them; absent is not empty */
    if (parts[i] != NULL)
      g_checksum_update (self->checksum, (const guchar *) parts[i], (gssize) strlen (parts[i]) + 1);
    else
      g_checksum_update (self->checksum, (const guchar *) "\1", 2);
}

static gboolean
loader_add (Loader *self, const xmlNode *node, GError **error)
{
  const long line = xmlGetLineNo ((xmlNode *) node);
  g_autofree char *id = node_dup_attribute (node, "id");
  g_autofree char *text = NULL, *expected = NULL, *hint = NULL;
  if (!id_is_fine (id))
    return loader_fail (self, error, line, _("a question needs an id of letters, digits, '-', '_' and '.'"));
  if (!g_hash_table_add (self->ids, g_strdup (id)))
    return loader_fail (self, error, line, _("the id %s comes twice"), id);
  if (self->questions->len >= MAX_QUESTIONS)
    return loader_fail (self, error, line, _("more than %d questions"), MAX_QUESTIONS);
  if (!loader_take_child (self, node, "text", &text, error)
      || !loader_take_child (self, node, "expected", &expected, error)
      || !loader_take_child (self, node, "hint", &hint, error))
    return FALSE;
  if (text == NULL || *text == '\0')
    return loader_fail (self, error, line, _("the question %s has no text"), id);
  AssayQuestion *question = assay_question_new (id, text);
  g_free (question->language);
  question->language = node_dup_attribute (node, "language");
  g_free (question->expected);
  question->expected = g_steal_pointer (&expected);
  g_free (question->hint);
  question->hint = g_steal_pointer (&hint);
  loader_hash (self, question);
  g_ptr_array_add (self->questions, question);
  return TRUE;
}

static gboolean
loader_check_root (const Loader *self, const xmlNode *root, char **name, GError **error)
{
  if (root == NULL || !node_is (root, "questions"))
    return loader_fail (self, error, 1, _("not a question set: the root is not <questions xmlns=\"%s\">"),
                        QUESTIONS_NAMESPACE);
  g_autofree char *version = node_dup_attribute (root, "version");
  if (version == NULL || !(g_str_equal (version, "1") || g_str_has_prefix (version, "1.")))
    return loader_fail (self, error, 1, _("version %s needs a newer Assay; this one reads 1.x"),
                        version != NULL ? version : "?");
  *name = node_dup_attribute (root, "name");
  return id_is_fine (*name)
         || loader_fail (self, error, 1, _("a set needs a name of letters, digits, '-', '_' and '.'"));
}

static gboolean
loader_run (Loader *self, char **name, GError **error)
{
  g_autoptr(GByteArray) bytes = loader_read (self, error);
  g_autoptr(xmlDoc) document = bytes != NULL ? loader_parse (self, bytes, error) : NULL;
  const xmlNode *root = document != NULL ? xmlDocGetRootElement (document) : NULL;
  if (document == NULL || !loader_check_root (self, root, name, error))
    return FALSE;
  for (const xmlNode *node = root->children; node != NULL; node = node->next)
    if (node_is (node, "question") && !loader_add (self, node, error))
      return FALSE;
  return self->questions->len > 0 || loader_fail (self, error, 0, _("there is no question in it"));
}

GPtrArray *
assay_questions_load (const char *path, char **set, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  g_autofree char *name = NULL;
  g_autoptr(GPtrArray) questions = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_question_free);
  g_autoptr(GHashTable) ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  Loader self = { .path = path, .questions = questions, .ids = ids, .checksum = checksum };
  if (!loader_run (&self, &name, error))
    return NULL;
  if (set != NULL)
    *set = g_strdup_printf ("%s sha256:%s", name, g_checksum_get_string (checksum));
  return g_steal_pointer (&questions);
}
