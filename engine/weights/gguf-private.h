/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/gguf-private.h: one GGUF file read into a GgufPart, without trusting a byte of it.
 *
 * The metadata is copied into private memory as the parser asks for it, so that nobody can change what
 * was checked; places in it are 32-bit offsets, for the buffer may move while it grows. Arithmetic on
 * numbers from the file is checked, and the work done is bounded by bytes that are really there. */
#pragma once

#include "assay-model-file.h"
#include "name-table.h"

G_BEGIN_DECLS

#define GGUF_METADATA_MAX (G_GUINT64_CONSTANT (1) << 30) /* bytes; the largest known files have 20 MiB */
#define GGUF_STRING_MAX (64u << 20)
#define GGUF_TOKENIZER_STRING_MAX (256u << 20)
#define GGUF_TOKEN_MAX (64u << 10)
#define GGUF_KEY_MAX 65535u
#define GGUF_TENSOR_NAME_MAX 64u
#define GGUF_TENSORS_MAX (1u << 20)
#define GGUF_ALIGNMENT_MAX (1u << 20)
#define GGUF_NOTICES_MAX 16u

typedef enum
{
  GGUF_U8, GGUF_I8, GGUF_U16, GGUF_I16, GGUF_U32, GGUF_I32, GGUF_F32, GGUF_BOOL, GGUF_STRING, GGUF_ARRAY,
  GGUF_U64, GGUF_I64, GGUF_F64, GGUF_N_TYPES,
} GgufType;

typedef struct
{
  guint32 key_at;
  guint16 key_length;
  guint8 type;
  guint8 element_type; /* of an array */
  guint32 value_at;    /* first byte of the value; of an array, of its elements */
  guint32 count;       /* elements of an array */
  guint32 strings;     /* of an array of strings: index of the first in string_at */
  guint32 entry_end;   /* one past the value's last byte */
} GgufValue;

typedef struct
{
  guint64 device, inode, size;
  gint64 mtime_ns;
} GgufIdentity;

typedef struct
{
  char *path;            /* as opened; a name for messages when the bytes are lent */
  GgufIdentity identity; /* zero for lent bytes */
  guint64 size;          /* of the file */

  guint8 *metadata;      /* from the file's first byte to the end of the tensor infos */
  gsize metadata_bytes;
  gboolean lent;         /* `metadata` is the caller's, and holds the whole file */

  guint32 version;
  guint32 alignment;
  guint64 data_start;
  guint64 trailing;      /* bytes after the last tensor */
  GArray *values;        /* GgufValue, in file order */
  GArray *string_at;     /* guint32: where each string of each array of strings begins */
  NameTable *keys;
  GArray *tensors;       /* AssayTensorInfo, in file order */
  GArray *name_at;       /* guint32, parallel to tensors; only while reading */
  NameTable *names;
  GPtrArray *notices;
  guint n_notices;       /* also those that were not kept */

  void *map;             /* the whole file, or NULL */
  gint fd;               /* of the mapping, else -1 */
  struct _BusRegion *region;
} GgufPart;

/* Where the parser stands, for the error message. */
typedef struct
{
  GgufPart *part;
  gint fd;               /* -1 for lent bytes */
  GCancellable *cancellable;
  guint64 at;
  const char *what;      /* "key", "tensor"; NULL in the header */
  guint64 index;
  guint32 name_at, name_length; /* of that key or tensor, once known */
} GgufReader;

GgufPart *assay_gguf_part_open (const char *path, GCancellable *cancellable, GError **error);
GgufPart *assay_gguf_part_open_bytes (const void *data, gsize length, const char *name, GError **error);
void assay_gguf_part_free (GgufPart *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GgufPart, assay_gguf_part_free)

void assay_gguf_part_notice (GgufPart *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
const GgufValue *assay_gguf_part_find (GgufPart *self, const char *key);
gboolean assay_gguf_part_get_uint (GgufPart *self, const GgufValue *value, guint64 *out);
gboolean assay_gguf_part_get_int (GgufPart *self, const GgufValue *value, gint64 *out);
AssayBytes assay_gguf_part_get_key (GgufPart *self, const GgufValue *value);

/* gguf-reader.c: the cursor. Each answers FALSE with FORMAT, CANCELLED or an I/O error. */
gboolean assay_gguf_fail (const GgufReader *r, const char *reason, guint64 at, GError **error,
                          const char *format, ...) G_GNUC_PRINTF (5, 6);
gboolean assay_gguf_need (GgufReader *r, guint64 bytes, GError **error); /* [at, at + bytes) can be read */
gboolean assay_gguf_skip (GgufReader *r, guint64 bytes, GError **error);
gboolean assay_gguf_read_u32 (GgufReader *r, guint32 *out, GError **error);
gboolean assay_gguf_read_u64 (GgufReader *r, guint64 *out, GError **error);
gboolean assay_gguf_read_string (GgufReader *r, guint32 limit, guint32 *at, guint32 *length, GError **error);
guint64 assay_gguf_left (const GgufReader *r);
gboolean assay_gguf_poll (const GgufReader *r, guint64 i, GError **error); /* cancelled? cheap for most i */

/* The three stages after the header. */
gboolean assay_gguf_read_values (GgufReader *r, guint64 n, GError **error);
gboolean assay_gguf_read_tensors (GgufReader *r, guint64 n, GError **error);
gboolean assay_gguf_check_layout (GgufReader *r, GError **error);

guint assay_gguf_type_bytes (guint type); /* 0 for strings, arrays and unknown numbers */
const char *assay_gguf_type_name (guint type);

/* file-kind.c: names what a file is when it is not GGUF. first: up to 16 bytes of it. Always sets the
 * error. */
void assay_gguf_set_kind_error (const char *path, const guint8 *first, gsize length, guint64 size,
                                GError **error);

/* gguf-split.c: the other parts of a split model. parts: holds the one that was opened, and then all, in
 * order. */
gboolean assay_gguf_is_split (GgufPart *part);
gboolean assay_gguf_open_parts (GPtrArray *parts, GCancellable *cancellable, GError **error);

struct _AssayModelFile
{
  gatomicrefcount ref_count;
  GPtrArray *parts;          /* GgufPart */
  GArray *tensors;           /* AssayTensorInfo of all parts */
  NameTable *names;          /* of all parts */
  GPtrArray *notices;        /* of all parts, NULL-terminated */
  GMutex lock;               /* the two below, and the parts' maps */
  char *metadata_sha256;     /* once asked for */
  guint64 mapped_bytes;
};

G_END_DECLS
