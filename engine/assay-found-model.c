/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-found-model.c: one entry of the list of models; plain data behind read-only properties. */
#include "assay-discovery-private.h"

enum
{
  PROP_0,
  PROP_PATH,
  PROP_NAME,
  PROP_MODEL_ID,
  PROP_REVISION,
  PROP_STORE,
  PROP_ARCHITECTURE,
  PROP_QUANTIZATION,
  PROP_DTYPE,
  PROP_BYTES,
  PROP_CONTEXT_LENGTH,
  PROP_PROBLEM,
  N_PROPERTIES,
};

static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_FINAL_TYPE (AssayFoundModel, assay_found_model, G_TYPE_OBJECT)

static void
assay_found_model_finalize (GObject *object)
{
  AssayFoundModel *self = ASSAY_FOUND_MODEL (object);
  g_free (self->path);
  g_free (self->name);
  g_free (self->model_id);
  g_free (self->revision);
  g_free (self->store);
  g_free (self->architecture);
  g_free (self->quantization);
  g_free (self->dtype);
  g_free (self->problem);
  G_OBJECT_CLASS (assay_found_model_parent_class)->finalize (object);
}

static void
assay_found_model_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayFoundModel *self = ASSAY_FOUND_MODEL (object);
  switch (id)
    {
    case PROP_PATH: g_value_set_string (value, self->path); break;
    case PROP_NAME: g_value_set_string (value, self->name); break;
    case PROP_MODEL_ID: g_value_set_string (value, self->model_id); break;
    case PROP_REVISION: g_value_set_string (value, self->revision); break;
    case PROP_STORE: g_value_set_string (value, self->store); break;
    case PROP_ARCHITECTURE: g_value_set_string (value, self->architecture); break;
    case PROP_QUANTIZATION: g_value_set_string (value, self->quantization); break;
    case PROP_DTYPE: g_value_set_string (value, self->dtype); break;
    case PROP_BYTES: g_value_set_uint64 (value, self->bytes); break;
    case PROP_CONTEXT_LENGTH: g_value_set_uint (value, self->context_length); break;
    case PROP_PROBLEM: g_value_set_string (value, self->problem); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_found_model_class_init (AssayFoundModelClass *klass)
{
  static const struct { guint id; const char *name; } texts[] = {
    { PROP_PATH, "path" },
    { PROP_NAME, "name" },
    { PROP_MODEL_ID, "model-id" },
    { PROP_REVISION, "revision" },
    { PROP_STORE, "store" },
    { PROP_ARCHITECTURE, "architecture" },
    { PROP_QUANTIZATION, "quantization" },
    { PROP_DTYPE, "dtype" },
    { PROP_PROBLEM, "problem" },
  };
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->finalize = assay_found_model_finalize;
  object_class->get_property = assay_found_model_get_property;
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    properties[texts[i].id] = g_param_spec_string (texts[i].name, NULL, NULL, NULL, flags);
  properties[PROP_BYTES] = g_param_spec_uint64 ("bytes", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  properties[PROP_CONTEXT_LENGTH] = g_param_spec_uint ("context-length", NULL, NULL, 0, G_MAXUINT, 0, flags);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
assay_found_model_init (AssayFoundModel *self)
{
}

const char *
assay_found_model_get_path (AssayFoundModel *self)
{
  return self->path;
}

const char *
assay_found_model_get_name (AssayFoundModel *self)
{
  return self->name;
}

const char *
assay_found_model_get_store (AssayFoundModel *self)
{
  return self->store;
}

const char *
assay_found_model_get_problem (AssayFoundModel *self)
{
  return self->problem;
}
