/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/runtimes/assay-protocol.h: what Assay and a child process say to each other.
 *
 * Both speak lines of `key: value`, UTF-8, ended by a newline. In values \n, \r, \t and \\ stand for a newline, a carriage
 * return, a tab and a backslash. The child is told everything at once, on standard input, which then ends:
 *
 *   protocol: 1
 *   run_id: 20261130T071400Z-3f2a9c
 *   output_folder: /tmp/assay-…        empty, its working folder too; gone after the run
 *   FIELD: VALUE                       every condition that is set, by its name in `assay fields`
 *   question: q1                       then its text; several; a prompt of its own has the name ""
 *   text: What weighs more …?
 *   end:
 *
 * The child answers on standard output. A line that is none of these is counted, kept for the log and does no harm:
 *
 *   version: llama-cpp-python 0.3.16   the runtime that really computes
 *   FIELD: VALUE                       a condition in effect (context_length, offload_mode, generator_device …), where it
 *                                      is another than was asked for or was left to the runtime
 *   offload_api: enable_…              each call that placed the model, in order, as it is made
 *   phase: load                        one begins, and the one before ends: fetch, load, convert, attach, compile, prompt,
 *                                      generate, encode, denoise, decode; others are kept by their names
 *   step: 17                           a token, a denoising step
 *   progress: 0.4                      of the whole run
 *   question: q1                       what follows is its answer
 *   text: … kilogram                   a piece of the answer
 *   input_tokens: 31   output_tokens: 120   finish: stop        of this answer; finish is stop or length
 *   image: out.png                     a file in output_folder, as this answer
 *   vram_allocated: 3221225472         device memory now: bytes, or B, KiB, MiB, GiB; MB and GB may mean two sizes, so
 *   vram_reserved: …                   they are kept as they were said and not as a number
 *   peak_vram: …                       any figure of burden, by its name: peak_vram is the allocator's, allocated
 *   memory_source: torch               who counted
 *   warning: …                         kept with the outcome
 *   status: oom_device                 why it ends, where the child knows; error: and failed_request: (bytes) beside it
 *
 * A run is complete when the child exits with 0, every question has an answer, and every image can be read. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *assay_protocol_escape (const char *text);
/* Bytes, a NUL behind them. (transfer full) */
char *assay_protocol_unescape (const char *value, gsize length, gsize *out_length);

/* A key is lower-case letters, digits and _, at most 40. FALSE for a line that is none. */
gboolean assay_protocol_split (const char *line, gsize length, char key[41], const char **value, gsize *value_length);

/* A size that means one number of bytes. */
gboolean assay_protocol_parse_bytes (const char *text, gint64 *bytes);

G_END_DECLS
