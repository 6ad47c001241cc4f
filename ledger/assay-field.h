/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-field.h: the list of the record's fields, generated from fields.def.
 *
 * A field is known by its id inside the program and by its name in files and on screen. Everything here is
 * constant data: any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
#define ASSAY_FIELD(ID, ...) ASSAY_FIELD_##ID,
#include "fields.def"
#undef ASSAY_FIELD
  ASSAY_N_FIELDS
} AssayFieldId;

#define ASSAY_FIELD_INVALID ASSAY_N_FIELDS

typedef enum
{
  ASSAY_VALUE_TYPE_TEXT,
  ASSAY_VALUE_TYPE_INTEGER,
  ASSAY_VALUE_TYPE_REAL,
  ASSAY_VALUE_TYPE_BOOLEAN,
  ASSAY_VALUE_TYPE_CHOICE
} AssayFieldType;

typedef enum
{
  ASSAY_UNIT_NONE,
  ASSAY_UNIT_BYTES,
  ASSAY_UNIT_BYTES_PER_SECOND,
  ASSAY_UNIT_SECONDS,
  ASSAY_UNIT_MILLISECONDS,
  ASSAY_UNIT_TOKENS,
  ASSAY_UNIT_TOKENS_PER_SECOND,
  ASSAY_UNIT_PIXELS,
} AssayUnit;

typedef enum
{
  ASSAY_GROUP_IDENTITY,
  ASSAY_GROUP_CONDITIONS,
  ASSAY_GROUP_BURDEN,
  ASSAY_GROUP_OUTCOME,
  ASSAY_GROUP_QUALITY,
  ASSAY_GROUP_PLAN,
} AssayGroup;

typedef enum
{
  ASSAY_SECTION_NONE,
  ASSAY_SECTION_MODEL,
  ASSAY_SECTION_NUMBERS,
  ASSAY_SECTION_QUANTIZATION,
  ASSAY_SECTION_PLACEMENT,
  ASSAY_SECTION_INPUT_SCALE,
  ASSAY_SECTION_TASK,
  ASSAY_SECTION_LIMITS,
  ASSAY_SECTION_ENVIRONMENT,
  ASSAY_N_SECTIONS
} AssaySection;

typedef enum
{
  ASSAY_TASK_LANGUAGE = 1 << 0,
  ASSAY_TASK_IMAGE = 1 << 1,
  ASSAY_TASK_MASK = 1 << 2,
  ASSAY_TASK_ANY = ASSAY_TASK_LANGUAGE | ASSAY_TASK_IMAGE | ASSAY_TASK_MASK,
} AssayTask;

/* What one changed field counts as. Several fields may share an axis: they describe one choice of the person.
 */
typedef enum
{
  ASSAY_AXIS_NONE,
  ASSAY_AXIS_MODEL,
  ASSAY_AXIS_WEIGHT_FORMAT,
  ASSAY_AXIS_DTYPE,
  ASSAY_AXIS_QUANTIZATION,
  ASSAY_AXIS_RUNTIME,
  ASSAY_AXIS_DEVICE,
  ASSAY_AXIS_BUDGET,
  ASSAY_AXIS_OFFLOAD_MODE,
  ASSAY_AXIS_OFFLOAD_GRANULARITY,
  ASSAY_AXIS_PREFETCH,
  ASSAY_AXIS_DEVICE_MAP,
  ASSAY_AXIS_ATTACHED_COMPONENTS,
  ASSAY_AXIS_WEIGHT_ACCESS,
  ASSAY_AXIS_THREADS,
  ASSAY_AXIS_INPUT_SCALE,
  ASSAY_AXIS_KV_CACHE_TYPE,
  ASSAY_AXIS_V_CACHE_TYPE,
  ASSAY_AXIS_STEPS,
  ASSAY_AXIS_PROMPT,
  ASSAY_AXIS_REFERENCE_INPUT,
  ASSAY_AXIS_GUIDANCE,
  ASSAY_AXIS_SCHEDULER,
  ASSAY_AXIS_SAMPLING,
  ASSAY_AXIS_SEED,
  ASSAY_AXIS_TIME_LIMIT,
  ASSAY_AXIS_EVALUATION_CRITERION, /* of the ledger, not of a field */
  /* hidden axes */
  ASSAY_AXIS_MODEL_CONTENT,
  ASSAY_AXIS_ATTACHED_CONTENT,
  ASSAY_AXIS_RUNTIME_BUILD,
  ASSAY_AXIS_DRIVER,
  ASSAY_AXIS_DEVICE_NAME,
  ASSAY_AXIS_KERNEL,
  ASSAY_AXIS_GENERATOR_DEVICE,
  ASSAY_N_AXES
} AssayAxis;

typedef struct
{
  AssayFieldId id;
  const char *name;   /* the contract's name */
  AssayFieldType type;
  AssayUnit unit;
  AssayGroup group;
  AssaySection section;
  guint tasks;        /* AssayTask flags */
  AssayAxis axis;
  const char *domain; /* choices 'a|b', or 'min..max', or "" */
  const char *label;  /* msgid: translate with _() when shown */
  const char *help;   /* msgid */
} AssayFieldInfo;

const AssayFieldInfo *assay_field_get_info (AssayFieldId field);
AssayFieldId assay_field_from_name (const char *name); /* ASSAY_FIELD_INVALID when there is none */

/* The choices of a CHOICE field. Returns: (transfer none) a NULL-terminated vector; NULL for other types. */
const char *const *assay_field_get_choices (AssayFieldId field);

const char *assay_axis_get_name (AssayAxis axis);       /* "offload_mode"; the name used in files */
AssayAxis assay_axis_from_name (const char *name); /* an axis or a field name; ASSAY_AXIS_NONE when neither */
gboolean assay_axis_is_hidden (AssayAxis axis);
const char *assay_group_get_name (AssayGroup group);    /* "conditions" */
const char *assay_section_get_title (AssaySection section); /* translated: "Input scale" */
const char *assay_unit_get_name (AssayUnit unit);       /* "bytes"; "" for NONE */
const char *assay_task_get_name (AssayTask task);       /* "language", "image", "mask" */
gboolean assay_task_from_name (const char *name, AssayTask *task);

G_END_DECLS
