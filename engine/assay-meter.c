/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-meter.c: the sampling thread.
 *
 * One sample costs a walk over the process's mappings in the kernel, milliseconds where gigabytes are mapped.
 * A slow read makes a gap and no wrong time: the stamp is taken beside the figures, and the wait begins after
 * the reading. */
#include "assay-meter.h"

#include "assay-meter-ram.h"

struct _AssayMeter
{
  AssaySeries *series;
  gint64 interval_ns, start_ns;
  GThread *thread;
  GMutex lock; /* over all below */
  GCond wake;
  gboolean stopping;
  AssayDevice *device; /* borrowed */
  AssayLink *link;     /* borrowed */
  AssayNvml *nvml;     /* borrowed; of a card */
  AssayDevice *pinned; /* borrowed; of a card: host memory that is pinned for it */
  gint64 mapped_weights;
  gint family;           /* 0: this process and its descendants; -1: nobody; else the descendants of this one */
  gint64 told_allocated, told_reserved;
  const char *ram_source;
  char *ram_problem;
};

AssayMeter *
assay_meter_new (AssaySeries *series, gint64 interval_ns, gint64 start_ns)
{
  g_return_val_if_fail (interval_ns > 0, NULL);
  AssayMeter *self = g_new0 (AssayMeter, 1);
  self->series = assay_series_ref (series);
  self->interval_ns = interval_ns;
  self->start_ns = start_ns;
  self->told_allocated = self->told_reserved = -1;
  g_mutex_init (&self->lock);
  g_cond_init (&self->wake);
  return self;
}

void
assay_meter_set_device (AssayMeter *self, AssayDevice *device, AssayLink *link)
{
  g_mutex_lock (&self->lock);
  self->device = device;
  self->link = link;
  g_mutex_unlock (&self->lock);
}

void
assay_meter_set_card (AssayMeter *self, AssayNvml *nvml, AssayDevice *host)
{
  g_mutex_lock (&self->lock);
  self->nvml = nvml;
  self->pinned = host;
  g_mutex_unlock (&self->lock);
}

void
assay_meter_set_mapped_weights (AssayMeter *self, guint64 bytes)
{
  g_mutex_lock (&self->lock);
  self->mapped_weights = (gint64) bytes;
  g_mutex_unlock (&self->lock);
}

void
assay_meter_set_family (AssayMeter *self, gint pid)
{
  g_mutex_lock (&self->lock);
  self->family = pid;
  g_mutex_unlock (&self->lock);
}

void
assay_meter_set_told (AssayMeter *self, gint64 allocated, gint64 reserved)
{
  g_mutex_lock (&self->lock);
  self->told_allocated = allocated;
  self->told_reserved = reserved;
  g_mutex_unlock (&self->lock);
}

/* What the categories are is the child's own business; the sum of all may be told. */
static void
meter_note_told (AssayMeter *self, AssaySample *sample)
{
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    sample->allocated[i] = -1;
  sample->mapped_weights = -1;
  sample->reserved = MAX (self->told_reserved, self->told_allocated);
}

static void
meter_read_device (AssayMeter *self, AssaySample *sample)
{
  AssayDeviceFigures figures = { 0 };
  if (self->device != NULL)
    assay_device_get_figures (self->device, &figures);
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    sample->allocated[i] = (gint64) figures.allocated[i];
  sample->reserved = (gint64) figures.reserved;
  if (self->link != NULL)
    {
      AssayLinkFigures link;
      assay_link_get_figures (self->link, &link);
      sample->link_bytes = (gint64) link.bytes;
    }
  sample->mapped_weights = self->mapped_weights;
}

/* What is pinned by way of the driver is seen in /proc under some drivers only: the engine's own count holds. */
static void
meter_read_card (AssayMeter *self, AssaySample *sample)
{
  AssayNvmlFigures card;
  AssayDeviceFigures host;
  if (assay_nvml_get (self->nvml, &card))
    sample->vram_device = card.device;
  assay_device_get_figures (self->pinned, &host);
  sample->ram_pinned = MAX (sample->ram_pinned, (gint64) host.reserved);
}

/* The virtual device's memory is shared mappings of this process: it stands for a card's and is no RAM of the
 * run. */
static void
meter_split_device (AssaySample *sample, gint64 shared)
{
  sample->vram_device = sample->reserved;
  if (sample->ram_anonymous >= 0)
    sample->ram_anonymous -= MIN (shared, sample->reserved);
}

/* RAM is read outside the lock: a slow /proc must not hold up the worker that sets the device. */
static void
meter_sample (AssayMeter *self)
{
  AssayRam ram;
  g_autofree char *problem = NULL;
  g_mutex_lock (&self->lock);
  const gint family = self->family;
  g_mutex_unlock (&self->lock);
  const char *source = family == 0 ? assay_ram_read (&ram, &problem) : assay_ram_read_below (family, &ram, &problem);
  AssaySample sample = { .ram_anonymous = ram.anonymous,
                         .ram_mapped = ram.mapped,
                         .ram_pinned = ram.pinned,
                         .ram_system = assay_ram_read_system (),
                         .vram_device = -1,
                         .link_bytes = -1 };
  g_mutex_lock (&self->lock);
  if (family == 0)
    meter_read_device (self, &sample);
  else
    meter_note_told (self, &sample);
  if (self->nvml != NULL)
    meter_read_card (self, &sample);
  else if (self->device != NULL && assay_device_is_separate (self->device))
    meter_split_device (&sample, ram.shared);
  sample.t_ns = g_get_monotonic_time () * 1000 - self->start_ns;
  self->ram_source = source;
  if (self->ram_problem == NULL)
    self->ram_problem = g_steal_pointer (&problem);
  g_mutex_unlock (&self->lock);
  assay_series_append (self->series, &sample);
}

static gboolean
meter_wait (AssayMeter *self)
{
  const gint64 until = g_get_monotonic_time () + self->interval_ns / 1000;
  g_mutex_lock (&self->lock);
  while (!self->stopping && g_cond_wait_until (&self->wake, &self->lock, until))
    ;
  const gboolean go_on = !self->stopping;
  g_mutex_unlock (&self->lock);
  return go_on;
}

static gpointer
meter_thread (gpointer data)
{
  AssayMeter *self = data;
  do
    meter_sample (self);
  while (meter_wait (self));
  meter_sample (self); /* what holds at the end is a measurement too */
  return NULL;
}

void
assay_meter_start (AssayMeter *self)
{
  g_return_if_fail (self->thread == NULL);
  self->stopping = FALSE;
  self->thread = g_thread_new ("assay-meter", meter_thread, self);
}

void
assay_meter_stop (AssayMeter *self)
{
  if (self->thread == NULL)
    return;
  g_mutex_lock (&self->lock);
  self->stopping = TRUE;
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
  g_thread_join (g_steal_pointer (&self->thread));
}

void
assay_meter_free (AssayMeter *self)
{
  if (self == NULL)
    return;
  assay_meter_stop (self);
  assay_series_unref (self->series);
  g_free (self->ram_problem);
  g_cond_clear (&self->wake);
  g_mutex_clear (&self->lock);
  g_free (self);
}

const char *
assay_meter_get_ram_source (AssayMeter *self)
{
  return self->ram_source != NULL ? self->ram_source : ASSAY_RAM_SOURCE_ROLLUP;
}

const char *
assay_meter_get_ram_problem (AssayMeter *self)
{
  return self->ram_problem;
}

void
assay_meter_read_ram (gint64 *anonymous, gint64 *mapped, gint64 *pinned, gint64 *system)
{
  AssayRam ram;
  assay_ram_read (&ram, NULL);
  *anonymous = ram.anonymous;
  *mapped = ram.mapped;
  *pinned = ram.pinned;
  *system = assay_ram_read_system ();
}
