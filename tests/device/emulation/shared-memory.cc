/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/shared-memory.cc: see shared-memory.h. */
#include "shared-memory.h"

#include <cstdint>
#include <cstring>
#include <link.h>

#include "device-language.h"
#include "poison.h"

#define GUARD_BYTES 256

namespace emulation
{

alignas (256) static unsigned char shared_buffer[GUARD_BYTES + SHARED_MEMORY_OPT_IN + GUARD_BYTES];

struct Storage
{
  unsigned char *data;
  size_t bytes;
};

/* The thread-local storage of whatever object this code is linked into, the calling thread's. */
static int
storage_find (dl_phdr_info *info, size_t, void *data)
{
  Storage *found = (Storage *) data, own = { nullptr, 0 };
  bool is_this = false;
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) &part = info->dlpi_phdr[i];
      const uintptr_t start = info->dlpi_addr + part.p_vaddr, here = (uintptr_t) &storage_find;
      if (part.p_type == PT_LOAD && here >= start && here < start + part.p_memsz)
        is_this = true;
      if (part.p_type == PT_TLS)
        own = { (unsigned char *) info->dlpi_tls_data, part.p_memsz };
    }
  if (is_this && own.data != nullptr)
    *found = own;
  return is_this;
}

/* Tells threads apart, and makes sure that there is a storage to find. */
static thread_local unsigned char storage_anchor[8];

static Storage
storage_get ()
{
  static Storage known; /* of the thread that asked last: blocks run one at a time */
  static const void *owner;
  if (owner != storage_anchor)
    {
      known = { nullptr, 0 };
      dl_iterate_phdr (storage_find, &known);
      owner = storage_anchor;
    }
  return known;
}

/* Code without the sanitizer's checks, which would not let it write over the gaps between variables. */
__attribute__ ((no_sanitize_address)) static void
storage_poison ()
{
  const Storage all = storage_get ();
  volatile uint32_t *words = (volatile uint32_t *) all.data;
  for (size_t i = 0; i < all.bytes / sizeof *words; i++)
    words[i] = POISON_SHARED;
}

void
shared_memory_poison (size_t dynamic_bytes)
{
  storage_poison ();
  poison_release (shared_buffer, sizeof shared_buffer);
  poison_fill (shared_buffer, GUARD_BYTES, POISON_GUARD);
  poison_fill (shared_buffer + GUARD_BYTES, dynamic_bytes, POISON_SHARED);
  poison_fill (shared_buffer + GUARD_BYTES + dynamic_bytes, GUARD_BYTES, POISON_GUARD);
  poison_forbid (shared_buffer, GUARD_BYTES);
  poison_forbid (shared_buffer + GUARD_BYTES + dynamic_bytes, GUARD_BYTES);
}

bool
shared_memory_check (size_t dynamic_bytes)
{
  poison_release (shared_buffer, sizeof shared_buffer);
  return poison_is_whole (shared_buffer, GUARD_BYTES, POISON_GUARD)
         && poison_is_whole (shared_buffer + GUARD_BYTES + dynamic_bytes, GUARD_BYTES, POISON_GUARD);
}

void *
block_dynamic_shared ()
{
  return shared_buffer + GUARD_BYTES;
}

}
