/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/model-place.c: every weight laid out, and brought where it stays or waits.
 *
 *                 as stored                        in another format, or stored in parts
 *   cpu           used where the file is mapped    made in memory
 *   resident      copied from the file             made in a staging buffer, copied from there
 *   streamed      waits where the file is mapped   made in host memory, waits there
 *
 * With read_weights, and beside a card, what is used as stored is read into memory like the rest. A tied matrix is held once
 * wherever both of its units stay, and waits once wherever both are streamed. Adapters' parts come last, in
 * memory of their own, so that a shortage can be told from one of the model's weights. */
#include "model-convert.h"

#include "assay-device-private.h"
#include "placement/assay-placement-private.h"

#define PART_ALIGN 64u
#define STAGING_BYTES (G_GUINT64_CONSTANT (16) << 20)

typedef struct
{
  AssayModel *model;
  AssayConverter converter;
  gboolean separate;
  gboolean *streamed;       /* [n_units] */
  AssayBuffer *staging;
  guint64 load_bytes, resident_bytes;
} Placing;

static guint64
place_pad (guint64 bytes)
{
  return (bytes + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN;
}

/* --- what each weight needs --- */

static gint
place_compare_units (gconstpointer a, gconstpointer b)
{
  const AssayWeight *x = a, *y = b;
  return (x->unit > y->unit) - (x->unit < y->unit);
}

static void
place_widen_int8 (Placing *self)
{
  AssayModel *model = self->model;
  for (guint i = 0; model->format.fp32_on_host && i < model->weights->len; i++)
    {
      AssayWeight *weight = assay_model_get_weight (model, i);
      if (weight->dtype != ASSAY_DTYPE_INT8 || !self->streamed[weight->unit])
        continue;
      weight->dtype = ASSAY_DTYPE_F32;
      weight->bytes = assay_dtype_matrix_bytes (weight->dtype, weight->n, (gint64) weight->n_rows);
    }
}

static gboolean
place_is_aligned (const AssayWeight *weight)
{
  const guint64 start = weight->info->offset + weight->first_row * weight->info->row_bytes;
  return weight->vector || weight->dtype == ASSAY_DTYPE_F32 ? start % sizeof (float) == 0 : start % 2 == 0;
}

static gboolean
place_can_use_file (Placing *self, const AssayWeight *weight)
{
  if (!assay_weight_is_in_file (weight) || weight->linear != NULL || self->model->read_weights
      || assay_device_is_pinned (self->model->host)) /* pages of a file are no memory that a card copies from */
    return FALSE;
  return self->separate ? self->streamed[weight->unit] : place_is_aligned (weight);
}

static gint
place_find_twin (Placing *self, guint i)
{
  const AssayWeight *weight = assay_model_get_weight (self->model, i);
  for (guint k = 0; k < i; k++)
    {
      const AssayWeight *other = assay_model_get_weight (self->model, k);
      if (other->info == weight->info && other->first_row == weight->first_row
          && other->n_rows == weight->n_rows && other->dtype == weight->dtype
          && other->turn_dim == weight->turn_dim
          && self->streamed[other->unit] == self->streamed[weight->unit])
        return other->twin >= 0 ? other->twin : (gint) k;
    }
  return -1;
}

static gboolean
place_needs_memory (const AssayWeight *weight)
{
  return !weight->mapped && weight->twin < 0;
}

/* Whether it takes room in its unit's block: in the window, or where the unit stays. */
static gboolean
place_needs_room (Placing *self, const AssayWeight *weight)
{
  return self->streamed[weight->unit] || (place_needs_memory (weight) && weight->linear == NULL);
}

static guint64 *
place_lay_out (Placing *self)
{
  AssayModel *model = self->model;
  guint64 *bytes = g_new0 (guint64, model->units->len);
  model->mapped_bytes = 0;
  for (guint i = 0; i < model->weights->len; i++)
    {
      AssayWeight *weight = assay_model_get_weight (model, i);
      *assay_weight_get_target (weight) = assay_weight_get_tensor (weight);
      weight->memory = NULL;
      weight->mapped = place_can_use_file (self, weight);
      weight->twin = place_find_twin (self, i);
      weight->offset = bytes[weight->unit];
      model->mapped_bytes += weight->mapped && weight->twin < 0 ? weight->bytes : 0;
      if (place_needs_room (self, weight))
        bytes[weight->unit] += place_pad (weight->bytes);
    }
  return bytes;
}

/* --- memory --- */

static void *
place_alloc (Placing *self, AssayDevice *device, guint64 bytes, GError **error)
{
  AssayBuffer *buffer = assay_device_alloc (device, ASSAY_MEMORY_WEIGHTS, bytes, error);
  if (buffer == NULL)
    return NULL;
  g_ptr_array_add (self->model->buffers, buffer);
  if (device == self->model->device)
    self->resident_bytes += bytes;
  return assay_buffer_get_data (buffer);
}

/* Where a weight is made: directly, or a piece at a time on its way over the link. */
static gboolean
place_send (Placing *self, const AssayWeight *weight, GError **error)
{
  AssayModel *model = self->model;
  char *target = weight->memory;
  self->load_bytes += weight->bytes;
  if (assay_weight_is_in_file (weight))
    {
      const void *source = assay_weight_get_source (model, weight);
      return assay_link_wait (model->link, assay_link_copy (model->link, target, source, weight->bytes),
                              error)
             && assay_converter_advance (&self->converter, weight->bytes, error);
    }
  const guint64 piece = assay_weight_get_piece_rows (weight, STAGING_BYTES);
  for (guint64 first = 0; first < weight->n_rows; first += piece)
    {
      const guint64 n = MIN (piece, weight->n_rows - first);
      const guint64 bytes
          = n == weight->n_rows ? weight->bytes : n * assay_weight_get_tensor (weight).row_bytes;
      void *staging = assay_buffer_get_data (self->staging);
      if (!assay_converter_make (&self->converter, weight, staging, first, n, error))
        return FALSE;
      if (!assay_link_wait (model->link, assay_link_copy (model->link, target, staging, bytes), error))
        return FALSE;
      target += bytes;
    }
  return TRUE;
}

static gboolean
place_fill (Placing *self, const AssayWeight *weight, GError **error)
{
  if (!self->separate || self->streamed[weight->unit])
    return assay_converter_make (&self->converter, weight, weight->memory, 0, weight->n_rows, error);
  return place_send (self, weight, error);
}

/* Weights [first, first + n), all streamed or all staying, adapters' parts or none of them. */
static gboolean
place_weights (Placing *self, guint first, guint n, gboolean low_rank, gboolean streamed, GError **error)
{
  AssayModel *model = self->model;
  guint64 bytes = 0;
  for (guint i = first; i < first + n; i++)
    {
      const AssayWeight *weight = assay_model_get_weight (model, i);
      if (place_needs_memory (weight) && (weight->linear != NULL) == low_rank
          && self->streamed[weight->unit] == streamed)
        bytes += place_pad (weight->bytes);
    }
  if (bytes == 0)
    return TRUE;
  char *memory = place_alloc (self, streamed ? model->host : model->device, bytes, error);
  for (guint i = first; memory != NULL && i < first + n; i++)
    {
      AssayWeight *weight = assay_model_get_weight (model, i);
      if (!place_needs_memory (weight) || (weight->linear != NULL) != low_rank
          || self->streamed[weight->unit] != streamed)
        continue;
      weight->memory = memory;
      memory += place_pad (weight->bytes);
      if (!place_fill (self, weight, error))
        return FALSE;
    }
  return memory != NULL;
}

static gboolean
place_blocks (Placing *self, GError **error)
{
  AssayModel *model = self->model;
  guint next = 0;
  for (guint i = 0; i < assay_placement_get_n_blocks (model->placement); i++)
    {
      guint unit, n_units;
      gboolean streamed;
      assay_placement_get_block (model->placement, i, &unit, &n_units, &streamed);
      const guint first = next;
      while (next < model->weights->len && assay_model_get_weight (model, next)->unit < unit + n_units)
        next++;
      if (!place_weights (self, first, next - first, FALSE, streamed, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
place_staging (Placing *self, gboolean low_rank, GError **error)
{
  guint64 bytes = 0;
  for (guint i = 0; self->separate && i < self->model->weights->len; i++)
    {
      const AssayWeight *weight = assay_model_get_weight (self->model, i);
      if (self->streamed[weight->unit] || assay_weight_is_in_file (weight)
          || (weight->linear != NULL) != low_rank)
        continue;
      const AssayTensor tensor = assay_weight_get_tensor (weight);
      bytes = MAX (bytes, tensor.row_bytes == 0
                              ? weight->bytes
                              : assay_weight_get_piece_rows (weight, STAGING_BYTES) * tensor.row_bytes);
    }
  if (bytes == 0)
    return TRUE;
  self->staging = assay_device_alloc (self->model->host, ASSAY_MEMORY_STAGING, bytes, error);
  return self->staging != NULL;
}

static gboolean
place_window (Placing *self, GError **error)
{
  AssayModel *model = self->model;
  const guint64 bytes = assay_placement_get_window_bytes (model->placement);
  if (bytes > 0)
    {
      model->window = assay_device_alloc (model->device, ASSAY_MEMORY_WEIGHTS, bytes, error);
      if (model->window == NULL)
        return FALSE;
    }
  assay_placement_start (model->placement, model->device, model->link,
                         bytes > 0 ? assay_buffer_get_data (model->window) : NULL);
  return TRUE;
}

/* Divisors of the rotation belong to no unit and stay. */
static gboolean
place_rope (Placing *self, GError **error)
{
  AssayModel *model = self->model;
  AssayBackend *b = assay_device_get_backend (model->device);
  if (!model->config.has_rope_divisor)
    return TRUE;
  const guint64 bytes = model->config.rope.n_dims / 2 * sizeof (float);
  g_autofree float *divisor = g_malloc (bytes);
  float *target = place_alloc (self, model->device, bytes, error);
  if (target == NULL
      || !assay_config_fill_rope_divisor (&model->config, model->file, model->context, divisor, error))
    return FALSE;
  model->ropes[0].divisor = target;
  if (!self->separate)
    return assay_device_check (model->device, b->ops->upload (b, target, divisor, bytes), "upload", error);
  self->load_bytes += bytes;
  return assay_link_wait (model->link, assay_link_copy (model->link, target, divisor, bytes), error);
}

/* --- tensors --- */

static void
place_set_tensors (Placing *self)
{
  AssayModel *model = self->model;
  for (guint i = 0; i < model->weights->len; i++)
    {
      AssayWeight *weight = assay_model_get_weight (model, i);
      const void *data = weight->mapped ? assay_weight_get_source (model, weight)
                         : weight->twin >= 0 ? assay_model_get_weight (model, (guint) weight->twin)->memory
                                             : weight->memory;
      if (self->streamed[weight->unit])
        assay_placement_add_part (model->placement, weight->unit, assay_weight_get_target (weight),
                                  weight->offset, data, weight->bytes);
      else
        assay_weight_get_target (weight)->data = data;
    }
  assay_placement_count_load (model->placement, self->resident_bytes, self->load_bytes);
}

static gboolean
place_step (Placing *self, gboolean low_rank, GError **error)
{
  const guint n = self->model->weights->len;
  self->model->step = low_rank ? "attach" : assay_model_needs_conversion (self->model) ? "convert" : "load";
  const gboolean ok = assay_converter_init (&self->converter, low_rank, error)
                      && place_staging (self, low_rank, error)
                      && (low_rank ? place_weights (self, 0, n, TRUE, FALSE, error)
                                         && place_weights (self, 0, n, TRUE, TRUE, error)
                                   : place_rope (self, error) && place_blocks (self, error));
  g_clear_pointer (&self->staging, assay_buffer_free);
  assay_converter_clear (&self->converter);
  return ok;
}

static gboolean
place_all (Placing *self, GError **error)
{
  return place_window (self, error) && place_step (self, FALSE, error)
         && (self->model->adapters->len == 0 || place_step (self, TRUE, error));
}

static guint64
place_sum_bytes (AssayModel *model)
{
  guint64 sum = 0;
  for (guint i = 0; i < model->weights->len; i++)
    if (place_needs_memory (assay_model_get_weight (model, i)))
      sum += assay_model_get_weight (model, i)->bytes;
  return sum;
}

gboolean
assay_model_place_weights (AssayModel *self, const AssayAssembly *assembly, AssayLink *link,
                           void (*progress) (guint64 done, guint64 total, gpointer data), gpointer data,
                           GCancellable *cancellable, GError **error)
{
  g_autofree gboolean *streamed = g_new0 (gboolean, self->units->len);
  Placing placing
      = { .model = self,
          .separate = self->device != self->host,
          .streamed = streamed,
          .converter = { .model = self, .cancellable = cancellable, .progress = progress, .data = data } };
  self->link = link;
  for (guint i = 0; i < self->units->len; i++)
    streamed[i] = assay_placement_is_streamed (assembly, placing.separate, assay_model_get_unit (self, i));
  g_array_sort (self->weights, place_compare_units);
  place_widen_int8 (&placing);
  assay_model_set_unit_bytes (self);
  g_autofree guint64 *bytes = place_lay_out (&placing);
  placing.converter.total = place_sum_bytes (self);
  self->placement = assay_placement_new (assay_model_get_unit (self, 0), bytes, self->units->len, assembly,
                                         placing.separate);
  if (!place_all (&placing, error))
    return FALSE;
  place_set_tensors (&placing);
  return TRUE;
}

void
assay_model_unplace_weights (AssayModel *self)
{
  g_clear_pointer (&self->window, assay_buffer_free);
  g_ptr_array_set_size (self->buffers, 0);
  g_clear_pointer (&self->placement, assay_placement_free);
  self->link = NULL;
}
