/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/backend.c: the table, memory, and the choice of instruction set. */
#include "cpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef ASSAY_HAVE_X86_KERNELS
#include <cpuid.h>
#endif

AssayStatus
cpu_fault (AssayBackend *b, AssayStatus status, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  vsnprintf (b->fault, sizeof b->fault, format, args);
  va_end (args);
  return status;
}

/* Pages start at multiples of more than 64. */
static void *
backend_map (size_t bytes)
{
  void *memory
    = mmap (NULL, bytes > 0 ? bytes : 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory != MAP_FAILED ? memory : NULL;
}

static AssayStatus
cpu_alloc (AssayBackend *b, size_t bytes, void **out)
{
  *out = NULL;
  if (bytes <= PTRDIFF_MAX)
    *out = cpu_backend (b)->shared_memory ? backend_map (bytes)
                                          : aligned_alloc (64, cpu_round_up (bytes > 0 ? bytes : 1, 64));
  if (*out == NULL)
    return cpu_fault (b, ASSAY_NO_MEMORY, "the system has no %zu bytes of memory left to give", bytes);
  return ASSAY_OK;
}

static void
cpu_free (AssayBackend *b, void *memory, size_t bytes)
{
  if (memory != NULL && cpu_backend (b)->shared_memory)
    munmap (memory, bytes > 0 ? bytes : 1);
  else
    free (memory);
}

static AssayStatus
cpu_copy (AssayBackend *b, void *to, const void *from, size_t bytes)
{
  (void) b;
  if (bytes > 0)
    memmove (to, from, bytes);
  return ASSAY_OK;
}

static AssayStatus
cpu_sync (AssayBackend *b)
{
  (void) b;
  return ASSAY_OK;
}

static void
cpu_destroy (AssayBackend *b)
{
  if (b == NULL)
    return;
  cpu_pool_free (cpu_backend (b)->pool);
  free (b);
}

static const AssayKernels cpu_kernels = {
  .name = "cpu",
  .destroy = cpu_destroy,
  .alloc = cpu_alloc,
  .free = cpu_free,
  .upload = cpu_copy,
  .download = cpu_copy,
  .embed = cpu_embed,
  .rmsnorm = cpu_rmsnorm,
  .layernorm = cpu_layernorm,
  .rope = cpu_rope,
  .matmul = cpu_matmul,
  .matmul_workspace = cpu_matmul_workspace,
  .kv_store = cpu_kv_store,
  .attention = cpu_attention,
  .attention_workspace = cpu_attention_workspace,
  .gated = cpu_gated,
  .activate = cpu_activate,
  .add = cpu_add,
  .softmax = cpu_softmax,
  .soft_cap = cpu_soft_cap,
  .sample = cpu_sample,
  .sample_workspace = cpu_sample_workspace,
  .dequantize = cpu_dequantize,
  .quantize = cpu_quantize,
  .quantize_finish = cpu_quantize_finish,
  .quantize_scratch = cpu_quantize_scratch,
  .sync = cpu_sync,
};

#ifdef ASSAY_HAVE_X86_KERNELS
/* Not every compiler's __builtin_cpu_supports() knows F16C. */
static bool
backend_has_f16c (void)
{
  unsigned a, b, c, d;
  return __get_cpuid (1, &a, &b, &c, &d) && c & bit_F16C;
}

static bool
backend_has_avx2 (void)
{
  return __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma") && backend_has_f16c ();
}

static bool
backend_has_avx512 (void)
{
  return backend_has_avx2 () && __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bw")
         && __builtin_cpu_supports ("avx512vl") && __builtin_cpu_supports ("avx512dq")
         && __builtin_cpu_supports ("avx512vnni");
}
#endif

static const CpuIsa *
backend_isa (AssayCpuIsa isa)
{
  const bool best = isa == ASSAY_CPU_BEST;
#ifdef ASSAY_HAVE_X86_KERNELS
  if ((best || isa == ASSAY_CPU_AVX512) && backend_has_avx512 ())
    return &cpu_isa_avx512;
  if ((best || isa == ASSAY_CPU_AVX2) && backend_has_avx2 ())
    return &cpu_isa_avx2;
#endif
  return best || isa == ASSAY_CPU_SCALAR ? &cpu_isa_scalar : NULL;
}

bool
assay_cpu_has_isa (AssayCpuIsa isa)
{
  return backend_isa (isa) != NULL;
}

static const char *
backend_compute_name (AssayCompute compute)
{
  switch (compute)
    {
    case ASSAY_COMPUTE_F16: return "float16";
    case ASSAY_COMPUTE_BF16: return "bfloat16";
    case ASSAY_COMPUTE_INT8: return "int8x2";
    default: return "float32";
    }
}

AssayBackend *
assay_cpu_backend_new (const AssayCpuOptions *options)
{
  const CpuIsa *isa = backend_isa (options->isa);
  CpuBackend *self = isa != NULL ? calloc (1, sizeof *self) : NULL;
  if (self == NULL)
    return NULL;
  self->base.ops = &cpu_kernels;
  self->isa = isa;
  self->compute = options->compute;
  self->shared_memory = options->shared_memory;
  self->pool = cpu_pool_new (options->n_threads > 0 ? options->n_threads : cpu_pool_count_cores ());
  if (self->pool == NULL)
    {
      free (self);
      return NULL;
    }
  snprintf (self->kernel_name, sizeof self->kernel_name, "%s %s", isa->name,
            backend_compute_name (options->compute));
  return &self->base;
}

uint32_t
assay_cpu_get_n_threads (const AssayBackend *b)
{
  return cpu_pool_get_n_threads (((const CpuBackend *) b)->pool);
}

AssayCpuIsa
assay_cpu_get_isa (const AssayBackend *b)
{
  return ((const CpuBackend *) b)->isa->id;
}

const char *
assay_cpu_get_kernel_name (const AssayBackend *b)
{
  return ((const CpuBackend *) b)->kernel_name;
}
