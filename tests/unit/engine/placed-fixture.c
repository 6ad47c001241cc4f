/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "placed-fixture.h"

#include "assay-device-private.h"

#include <string.h>

gboolean placed_separate_is_card;

void
placed_setup_init (PlacedSetup *self, const char *path)
{
  *self = (PlacedSetup) {
    .path = path,
    .options = { .context_length = 64, .k_dtype = ASSAY_DTYPE_F32, .v_dtype = ASSAY_DTYPE_F32,
                 .format = { ASSAY_DTYPE_AS_STORED, ASSAY_DTYPE_AS_STORED } },
  };
}

static void
placed_open_file (Placed *self, const PlacedSetup *setup)
{
  g_autoptr (GError) error = NULL;
  self->file = assay_model_file_open (setup->path, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (assay_config_read (&self->config, self->file, &error));
}

/* plan: it is to be counted only. */
static gboolean
placed_open_card (Placed *self, const PlacedSetup *setup, gboolean plan, GError **error)
{
  self->device = plan ? assay_device_new_cuda_sizes ("cuda:0", ASSAY_COMPUTE_F32, error)
                      : assay_device_new_cuda ("cuda:0", ASSAY_COMPUTE_F32, setup->budget, error);
  if (self->device == NULL)
    return FALSE;
  self->host = assay_device_new_host (1, setup->ram_limit, NULL);
  assay_device_set_pinned (self->host, self->device);
  return TRUE;
}

static gboolean
placed_open_devices (Placed *self, const PlacedSetup *setup, gboolean plan, GError **error)
{
  if (setup->separate && placed_separate_is_card)
    return placed_open_card (self, setup, plan, error);
  if (setup->device_plan != NULL)
    {
      AssayBackend *backend = engine_fixture_backend_new (setup->device_plan, TRUE);
      self->device = setup->separate ? assay_device_new_separate ("virtual", backend, setup->budget)
                                     : assay_device_new ("cpu", backend, setup->budget);
    }
  else
    self->device = setup->separate ? assay_device_new_virtual (1, ASSAY_COMPUTE_F32, setup->budget, NULL)
                                   : assay_device_new_cpu (1, ASSAY_COMPUTE_F32, setup->budget, NULL);
  if (!setup->separate)
    self->host = self->device;
  else if (setup->host_plan != NULL)
    self->host = assay_device_new ("host", engine_fixture_backend_new (setup->host_plan, TRUE), 0);
  else
    self->host = assay_device_new_host (1, setup->ram_limit, NULL);
  return TRUE;
}

static gboolean
placed_open_model (Placed *self, const PlacedSetup *setup, GError **error)
{
  if (setup->separate)
    self->link = assay_link_new (self->device, setup->bytes_per_s, 0, NULL);
  self->model = assay_model_new (self->file, &self->config, self->device, self->host, &setup->options, error);
  if (self->model == NULL)
    return FALSE;
  if (setup->adapter != NULL)
    {
      g_autoptr (AssayAdapter) adapter = assay_adapter_open (setup->adapter, NULL, error);
      if (adapter == NULL || !assay_model_attach (self->model, adapter, 0.5f, error))
        return FALSE;
    }
  return assay_model_place (self->model, &setup->assembly, self->link, NULL, NULL, NULL, error);
}

gboolean
placed_open (Placed *self, const PlacedSetup *setup, GError **error)
{
  *self = (Placed) { .n_sequences = MAX (setup->options.n_sequences, 1) };
  placed_open_file (self, setup);
  g_assert_true (assay_model_file_map (self->file, NULL));
  return placed_open_devices (self, setup, FALSE, error) && placed_open_model (self, setup, error);
}

gboolean
placed_open_plan (Placed *self, const PlacedSetup *setup, GError **error)
{
  *self = (Placed) { .n_sequences = MAX (setup->options.n_sequences, 1) };
  placed_open_file (self, setup);
  if (!placed_open_devices (self, setup, TRUE, error))
    return FALSE;
  self->real_device = self->device;
  self->real_host = setup->separate ? self->host : NULL;
  self->device = assay_device_new_plan (self->real_device, NULL);
  self->host = setup->separate ? assay_device_new_plan (self->real_host, NULL) : self->device;
  return placed_open_model (self, setup, error);
}

void
placed_close (Placed *self)
{
  assay_model_free (self->model);
  assay_link_free (self->link);
  if (self->host != self->device)
    assay_device_free (self->host);
  assay_device_free (self->device);
  assay_device_free (self->real_host);
  assay_device_free (self->real_device);
  assay_model_file_unref (self->file);
}

GArray *
placed_generate (Placed *self, guint n, guint n_out, GError **error)
{
  const AssaySampling greedy = { .temperature = 0 };
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (gint32));
  gint32 tokens[64], next[8];
  guint sequences[8];
  for (guint i = 0; i < n; i++)
    tokens[i] = (gint32) (i * 7919 % 40);
  for (guint s = 0; s < self->n_sequences; s++)
    {
      sequences[s] = s;
      assay_model_reset (self->model, s);
      tokens[0] = (gint32) s + 3;
      if (!assay_model_prompt (self->model, s, tokens, n, NULL, NULL, error))
        return NULL;
    }
  for (guint i = 0; i < n_out; i++)
    {
      for (guint s = 0; s < self->n_sequences; s++)
        {
          if (!assay_model_sample (self->model, s, &greedy, &next[s], error))
            return NULL;
          g_array_append_val (out, next[s]);
        }
      if (i + 1 < n_out
          && !assay_model_decode (self->model, sequences, next, self->n_sequences, NULL, NULL, error))
        return NULL;
    }
  return g_steal_pointer (&out);
}

guint64
placed_allocated (AssayDevice *device)
{
  AssayDeviceFigures figures;
  guint64 sum = 0;
  assay_device_get_figures (device, &figures);
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    sum += figures.allocated[i];
  return sum;
}

char *
placed_dup_saved (GgufWriter *writer, const char *name)
{
  static char *folder;
  if (folder == NULL)
    folder = g_dir_make_tmp ("assay-placed-XXXXXX", NULL);
  char *path = g_build_filename (folder, name, NULL);
  gguf_writer_save (writer, path);
  gguf_writer_free (writer);
  return path;
}

char *
placed_dup_tiny (const TinyModel *options, const char *name)
{
  return placed_dup_saved (tiny_model_new (options), name);
}

GgufWriterTensor *
placed_find_tensor (GgufWriter *writer, const char *name, const char *suffix)
{
  g_autofree char *whole = g_strconcat (name, suffix, NULL);
  for (guint i = 0; i < writer->tensors->len; i++)
    {
      GgufWriterTensor *tensor = g_ptr_array_index (writer->tensors, i);
      if (tensor->name->len == strlen (whole) && memcmp (tensor->name->data, whole, tensor->name->len) == 0)
        return tensor;
    }
  g_error ("%s is not there", whole);
}

static void
adapter_add (GgufWriter *adapter, GRand *rand, const char *module, const char *suffix, guint64 fast,
             guint64 slow)
{
  g_autofree char *name = g_strconcat (module, ".weight", suffix, NULL);
  g_autoptr (GByteArray) data = tiny_random_weights (rand, ASSAY_DTYPE_F32, fast * slow);
  gguf_writer_add_tensor (adapter, name, 2, (guint64[]) { fast, slow }, ASSAY_DTYPE_F32, data->data);
}

GgufWriter *
placed_new_adapter (GgufWriter *model, const char *architecture, const char *const *modules, guint rank,
                    guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  GgufWriter *adapter = gguf_writer_new ();
  gguf_writer_set_string (adapter, "general.architecture", architecture);
  gguf_writer_set_string (adapter, "general.type", "adapter");
  gguf_writer_set_string (adapter, "adapter.type", "lora");
  gguf_writer_set_f32 (adapter, "adapter.lora.alpha", 6);
  for (guint i = 0; modules[i] != NULL; i++)
    {
      const GgufWriterTensor *w = placed_find_tensor (model, modules[i], ".weight");
      adapter_add (adapter, rand, modules[i], ".lora_a", w->dims[0], rank);
      adapter_add (adapter, rand, modules[i], ".lora_b", rank, w->dims[1]);
    }
  return adapter;
}
