/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/safetensors-private.h: a folder of safetensors files, read without trusting a byte of it.
 *
 * A header is a JSON object at the front of a file: tensor name -> dtype, shape, place. Tensors lie
 * anywhere in their file, also unaligned. Which files make the model is said by an index, and where there
 * is none, by their names. */
#pragma once

#include "hf-translate.h"
#include "json-scan.h"
#include "model-private.h"

G_BEGIN_DECLS

enum
{
  SAFETENSORS_HEADER_MAX = 100000000, /* bytes; the reference reader's own limit */
  SAFETENSORS_TENSORS_MAX = 1 << 20,
  SAFETENSORS_NAME_MAX = 4096,
  SAFETENSORS_RANK_MAX = 8,
  SAFETENSORS_DEPTH_MAX = 16,
  SAFETENSORS_FILES_MAX = 4096,
};

/* The tensors of all files so far. */
typedef struct
{
  GPtrArray *parts;      /* ModelPart */
  GArray *tensors;       /* AssayHfTensor */
  GArray *places;        /* TensorPlace, parallel */
  GStringChunk *strings; /* names that were written with escapes; the others stand in their part's metadata */
} SafetensorsSet;

/* safetensors-part.c: reads one file's header and adds its tensors. place: as in assay_model_part_open(). */
gboolean assay_safetensors_read_part (SafetensorsSet *set, const char *path, const char *place,
                                      GCancellable *cancellable, GError **error);
gboolean assay_safetensors_read_bytes (SafetensorsSet *set, const void *data, gsize length, const char *name,
                                       GError **error);
SafetensorsSet *assay_safetensors_set_new (void);
void assay_safetensors_set_free (SafetensorsSet *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SafetensorsSet, assay_safetensors_set_free)
/* For a scan that found a fault: "the header has two members of one name". */
void assay_safetensors_set_json_error (const AssayJsonScan *scan, const char *path, const char *what,
                                       guint64 base, GError **error);

/* model-folder.c */
typedef struct
{
  char *path;            /* as given */
  char *real;            /* links resolved */
  char *blobs;           /* of a snapshot in a hub cache: where its links may lead; else NULL */
  GPtrArray *names;      /* char *, sorted */
} ModelFolder;

ModelFolder *assay_model_folder_open (const char *path, GError **error);
void assay_model_folder_free (ModelFolder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ModelFolder, assay_model_folder_free)
gboolean assay_model_folder_has (const ModelFolder *self, const char *name); /* also a link to nothing */
/* Whether something lies behind the name: FALSE for a link to nothing. */
gboolean assay_model_folder_is_present (const ModelFolder *self, const char *name);
char *assay_model_folder_dup_path (const ModelFolder *self, const char *name);
/* Where the name really leads, when that is below the folder or in its hub cache. NULL with FORMAT
 * (safetensors-path) or an I/O error. (transfer full) */
char *assay_model_folder_resolve (const ModelFolder *self, const char *name, GError **error);
/* A whole text, at most `limit` bytes. *bytes is NULL when the folder has no such file. */
gboolean assay_model_folder_read (const ModelFolder *self, const char *name, gsize limit,
                                  GCancellable *cancellable, GBytes **bytes, GError **error);

/* safetensors-index.c: model.safetensors.index.json. */
typedef struct
{
  GPtrArray *files;      /* char *, sorted */
  GArray *names;         /* AssayBytes: tensors */
  GArray *file_of;       /* guint32, parallel: index into files */
  NameTable *table;      /* over names */
  GStringChunk *strings;
} SafetensorsIndex;

SafetensorsIndex *assay_safetensors_index_new (GBytes *text, const char *path, GError **error);
void assay_safetensors_index_free (SafetensorsIndex *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SafetensorsIndex, assay_safetensors_index_free)

/* safetensors-choice.c: which of a folder's files make the model. */
typedef struct
{
  char *index;           /* its name; it names the files. Or NULL */
  GPtrArray *files;      /* char *: names, in the order of the parts */
  char *asked;           /* the file that must be asked for, since the folder has several models; or NULL */
} SafetensorsChoice;

/* wanted: the name of the file that was asked for, or NULL: the folder's only model. */
SafetensorsChoice *assay_safetensors_choose (const ModelFolder *folder, const char *wanted, GError **error);
void assay_safetensors_choice_free (SafetensorsChoice *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SafetensorsChoice, assay_safetensors_choice_free)
/* "incomplete 2 of 3: missing …" when files are not there; all are looked for before any is read. */
gboolean assay_safetensors_check_present (const ModelFolder *folder, GPtrArray *files, gboolean indexed,
                                          GError **error);
/* Safetensors files of the folder that are not among these. (element-type char *, lent) (transfer
 * container) */
GPtrArray *assay_safetensors_list_strays (const ModelFolder *folder, GPtrArray *files);

/* safetensors-set.c: the files of the folder's model, read; strays and other oddities go to notices (char *).
 * wanted: the name of the file that was asked for, or NULL. *again: what opens the same model again. */
SafetensorsSet *assay_safetensors_set_open (const ModelFolder *folder, const char *wanted, char **again,
                                            GPtrArray *notices, GCancellable *cancellable, GError **error);

/* safetensors-model.c: set and texts, translated. */
typedef gboolean (*AssayHfTranslateFunc) (const AssayHfFolder *folder, GByteArray *gguf_metadata,
                                          AssayHfNames *names, GError **error);
/* path: a folder, or a file in it. */
AssayModelFile *assay_safetensors_open (const char *path, AssayHfTranslateFunc translate,
                                        GCancellable *cancellable, GError **error);
/* One file by itself, without a folder's texts: an adapter's. The translation sees the file's path and its
 * tensors. */
AssayModelFile *assay_safetensors_open_file (const char *path, AssayHfTranslateFunc translate,
                                             GCancellable *cancellable, GError **error);
/* For tests and fuzzing: texts, whose tensors are those of one file in memory. */
AssayModelFile *assay_safetensors_open_bytes (const AssayHfFolder *texts, const void *data, gsize length,
                                              const char *name, AssayHfTranslateFunc translate,
                                              GError **error);

G_END_DECLS
