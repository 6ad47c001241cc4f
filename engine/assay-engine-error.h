/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-engine-error.h: what can go wrong in the engine, for those who must act on it.
 *
 * Every error carries a stable reason code ("gguf-bad-magic", "prompt-too-long"), and for files the field
 * (key, tensor or shard) and the byte offset. The message is complete in itself: file, field, offset,
 * what was seen, what is allowed, what to do; text from a file is shown escaped and cut at 200
 * characters. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  ASSAY_ENGINE_ERROR_FORMAT,      /* not the model file it claims to be: offer another */
  ASSAY_ENGINE_ERROR_UNSUPPORTED, /* sound, but not for this engine: offer another runtime */
  ASSAY_ENGINE_ERROR_CHANGED,     /* the file changed while in use: run again */
  ASSAY_ENGINE_ERROR_OOM_DEVICE,  /* does not fit the device budget: advice proposes a smaller trial */
  ASSAY_ENGINE_ERROR_OOM_HOST,    /* no host memory */
  ASSAY_ENGINE_ERROR_RULE,        /* a condition or the order of placement is not allowed: nothing was run */
  ASSAY_ENGINE_ERROR_CONTEXT,     /* the prompt does not fit the context: both counts are in the message */
  ASSAY_ENGINE_ERROR_OUTPUT,      /* NaN or nothing came out */
  ASSAY_ENGINE_ERROR_TIME_LIMIT,  /* the run's own time limit passed */
  ASSAY_ENGINE_ERROR_KILLED,      /* a child process was ended by a signal that Assay did not send */
  ASSAY_ENGINE_ERROR_DEVICE,      /* the device or driver failed: this backend is closed, others still work */
} AssayEngineError;

#define ASSAY_ENGINE_ERROR (assay_engine_error_quark ())
GQuark assay_engine_error_quark (void);

/* file: a path as the system has it, or NULL. field may be NULL, offset -1. The format makes the
 * message's last part; reason, file and place are put before it. */
void assay_engine_error_set (GError **error, AssayEngineError code, const char *reason, const char *file,
                             const char *field, gint64 offset, const char *format, ...) G_GNUC_PRINTF (7, 8);

const char *assay_engine_error_get_reason (const GError *error); /* "" for errors of other domains */
const char *assay_engine_error_get_field (const GError *error);  /* or NULL */
gint64 assay_engine_error_get_offset (const GError *error);      /* or -1 */
guint64 assay_engine_error_get_request (const GError *error);    /* bytes asked for by an OOM; else 0 */
void assay_engine_error_set_request (GError *error, guint64 bytes);

/* For a message that names its field itself, made without one: the field is kept apart and not said twice. */
void assay_engine_error_set_field (GError *error, const char *field);

/* Bytes of a file for a message, NULL when there are none: printable UTF-8 kept, the rest as \xNN, cut at 200
 * characters. (transfer full) */
char *assay_engine_escape (const char *bytes, gsize length);

G_END_DECLS
