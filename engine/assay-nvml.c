/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-nvml.c: the few calls of libnvidia-ml.so.1 that a run needs.
 *
 * Types and numbers are those of NVML's public interface (docs.nvidia.com/deploy/nvml-api), declared here since
 * neither header nor library is needed to build. A card that the driver has lost is asked nothing more. */
#include "assay-nvml.h"

#include <glib/gi18n-lib.h>
#include <gmodule.h>
#include <string.h>
#include <unistd.h>

#include "assay-device-host-private.h"
#include "assay-values.h"

#define NVML_SUCCESS 0
#define NVML_NOT_AVAILABLE G_MAXUINT64
#define MOST_PROCESSES 256u
#define MOST_SHOWN 8u
#define SHARED_INTERVAL_NS 500000000

typedef struct { guint version; guint64 total, reserved, free, used; } NvmlMemory; /* nvmlMemory_v2_t */
#define NVML_MEMORY_VERSION ((guint) sizeof (NvmlMemory) | 2u << 24)
typedef struct { guint pid; guint64 used; guint gpu_instance, compute_instance; } NvmlProcess; /* nvmlProcessInfo_t */

typedef struct
{
  int (*init) (void);
  const char *(*error_string) (int status);
  int (*get_handle) (const char *uuid, gpointer *device);
  int (*get_memory) (gpointer device, NvmlMemory *memory);
  int (*get_processes) (gpointer device, guint *n, NvmlProcess *processes);
} NvmlCalls;

struct _AssayNvml
{
  gint ref_count;           /* atomic: the owner's and the thread's */
  char *uuid;
  gint64 interval_ns;
  GMutex lock;              /* over all below */
  GCond changed;
  gboolean stopping, answered;
  AssayNvmlFigures figures;
  char *problem;            /* why there will be no (more) answers */
  NvmlProcess processes[MOST_PROCESSES];
  guint n_processes;
};

static const char *library = "libnvidia-ml.so.1";

void
assay_nvml_set_library (const char *path)
{
  library = path;
}

/* --- the library --- */

/* (transfer full) the problem; NULL: all calls are there */
static char *
nvml_load (NvmlCalls *calls)
{
  const struct { const char *name; gpointer *call; } symbols[] = {
    { "nvmlInit_v2", (gpointer *) &calls->init },
    { "nvmlErrorString", (gpointer *) &calls->error_string },
    { "nvmlDeviceGetHandleByUUID", (gpointer *) &calls->get_handle },
    { "nvmlDeviceGetMemoryInfo_v2", (gpointer *) &calls->get_memory },
    { "nvmlDeviceGetComputeRunningProcesses_v3", (gpointer *) &calls->get_processes },
  };
  GModule *module = g_module_open (library, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (module == NULL)
    return g_strdup_printf ("no NVML on this machine: %s", g_module_error ());
  g_module_make_resident (module); /* as long as a thread may be inside */
  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++)
    if (!g_module_symbol (module, symbols[i].name, symbols[i].call))
      return g_strdup_printf ("this NVML is too old: it has no %s", symbols[i].name);
  const int status = calls->init ();
  return status == NVML_SUCCESS ? NULL : g_strdup_printf ("NVML does not start: %s", calls->error_string (status));
}

/* --- the thread --- */

static void
nvml_unref (AssayNvml *self)
{
  if (!g_atomic_int_dec_and_test (&self->ref_count))
    return;
  g_free (self->uuid);
  g_free (self->problem);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static void
nvml_set_problem (AssayNvml *self, char *problem)
{
  g_mutex_lock (&self->lock);
  self->problem = problem;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* In a container the driver may know this process by another number: then it is in no list, which is not 0. */
static gint64
nvml_find_own (const NvmlProcess *processes, guint n)
{
  for (guint i = 0; i < n; i++)
    if (processes[i].pid == (guint) getpid ())
      return processes[i].used == NVML_NOT_AVAILABLE ? -1 : (gint64) processes[i].used;
  return -1;
}

static void
nvml_note (AssayNvml *self, const NvmlMemory *memory, const NvmlProcess *processes, guint n)
{
  g_mutex_lock (&self->lock);
  AssayNvmlFigures *f = &self->figures;
  f->total = (gint64) memory->total;
  f->free = (gint64) memory->free;
  f->device = (gint64) memory->used;
  f->process = nvml_find_own (processes, n);
  f->peak_device = MAX (f->peak_device, f->device);
  f->peak_process = MAX (f->peak_process, f->process);
  f->n_samples++;
  memcpy (self->processes, processes, n * sizeof *processes);
  self->n_processes = n;
  self->answered = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* FALSE: there is no point in asking again. */
static gboolean
nvml_ask (AssayNvml *self, const NvmlCalls *calls, gpointer device)
{
  NvmlMemory memory = { .version = NVML_MEMORY_VERSION };
  NvmlProcess processes[MOST_PROCESSES];
  guint n = MOST_PROCESSES;
  const int status = calls->get_memory (device, &memory);
  if (status != NVML_SUCCESS)
    {
      nvml_set_problem (self, g_strdup_printf ("NVML: %s", calls->error_string (status)));
      return FALSE;
    }
  if (memory.used > memory.total)
    {
      nvml_set_problem (self, g_strdup (N_("NVML tells more than the card has; refused")));
      return FALSE;
    }
  if (calls->get_processes (device, &n, processes) != NVML_SUCCESS)
    n = 0;
  nvml_note (self, &memory, processes, MIN (n, MOST_PROCESSES));
  return TRUE;
}

static gboolean
nvml_pause (AssayNvml *self)
{
  const gint64 until_us = g_get_monotonic_time () + self->interval_ns / 1000;
  g_mutex_lock (&self->lock);
  while (!self->stopping && g_cond_wait_until (&self->changed, &self->lock, until_us))
    ;
  const gboolean go_on = !self->stopping;
  g_mutex_unlock (&self->lock);
  return go_on;
}

static gpointer
nvml_thread (gpointer data)
{
  AssayNvml *self = data;
  NvmlCalls calls;
  gpointer device = NULL;
  char *problem = nvml_load (&calls);
  if (problem == NULL)
    {
      const int status = calls.get_handle (self->uuid, &device);
      if (status != NVML_SUCCESS)
        problem = g_strdup_printf ("NVML does not know the card %s: %s", self->uuid, calls.error_string (status));
    }
  if (problem != NULL)
    nvml_set_problem (self, problem);
  else
    while (nvml_ask (self, &calls, device) && nvml_pause (self))
      ;
  nvml_unref (self);
  return NULL;
}

/* --- the owner --- */

AssayNvml *
assay_nvml_new (const char *uuid, gint64 interval_ns)
{
  AssayNvml *self = g_new0 (AssayNvml, 1);
  self->ref_count = 2;
  self->uuid = g_strdup (uuid);
  self->interval_ns = interval_ns;
  self->figures = (AssayNvmlFigures) { -1, -1, -1, -1, -1, -1, 0 };
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  g_thread_unref (g_thread_new ("assay-nvml", nvml_thread, self));
  return self;
}

void
assay_nvml_free (AssayNvml *self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->lock);
  self->stopping = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  nvml_unref (self);
}

AssayNvml *
assay_nvml_get_shared (const char *uuid)
{
  static GMutex mutex;
  static GHashTable *by_uuid; /* (element-type utf8 AssayNvml) */
  g_mutex_lock (&mutex);
  if (by_uuid == NULL)
    by_uuid = g_hash_table_new (g_str_hash, g_str_equal);
  AssayNvml *self = g_hash_table_lookup (by_uuid, uuid);
  if (self == NULL)
    {
      self = assay_nvml_new (uuid, SHARED_INTERVAL_NS);
      g_hash_table_insert (by_uuid, g_strdup (uuid), self);
    }
  g_mutex_unlock (&mutex);
  return self;
}

gboolean
assay_nvml_get (AssayNvml *self, AssayNvmlFigures *out)
{
  g_mutex_lock (&self->lock);
  *out = self->figures;
  const gboolean answered = self->answered;
  g_mutex_unlock (&self->lock);
  return answered;
}

gboolean
assay_nvml_wait (AssayNvml *self, gint64 most_ns, char **problem)
{
  const gint64 until_us = g_get_monotonic_time () + most_ns / 1000;
  g_mutex_lock (&self->lock);
  while (!self->answered && self->problem == NULL && g_cond_wait_until (&self->changed, &self->lock, until_us))
    ;
  const gboolean answered = self->answered;
  if (!answered)
    *problem = self->problem != NULL ? g_strdup (self->problem) : g_strdup (N_("NVML did not answer in time"));
  g_mutex_unlock (&self->lock);
  return answered;
}

static void
nvml_append_holder (GString *text, const NvmlProcess *process)
{
  g_autofree char *path = g_strdup_printf ("/proc/%u/comm", process->pid);
  g_autofree char *size = process->used == NVML_NOT_AVAILABLE ? g_strdup ("unknown")
                                                              : assay_format_bytes (process->used);
  char name[64] = "";
  if (!assay_host_read_file (path, name, sizeof name))
    g_strlcpy (name, "?", sizeof name);
  g_string_append_printf (text, "%s%s (%u): %s", text->len > 0 ? ", " : "", g_strchomp (name), process->pid, size);
}

char *
assay_nvml_dup_holders (AssayNvml *self)
{
  GString *text = g_string_new (NULL);
  guint n_shown = 0;
  g_mutex_lock (&self->lock);
  const guint n = self->n_processes;
  NvmlProcess *processes = g_memdup2 (self->processes, sizeof self->processes);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < n && n_shown < MOST_SHOWN; i++)
    if (processes[i].pid != (guint) getpid ())
      {
        nvml_append_holder (text, &processes[i]);
        n_shown++;
      }
  g_free (processes);
  return g_string_free (text, FALSE);
}
