/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/placement/assay-assembly.h: the calls that place a model, and the rules on their order.
 *
 * The subject's four rules: 1. build the pipeline; 2. attach every extra component; 3. enable one offload mode, once;
 * 4. never move the whole pipeline to the device, before or after it; a pipeline placed with a device map resets that map
 * first. The record's `offload_api` is the list of calls; where it is empty, the list follows from the other conditions.
 * Pure: any thread, no files. */
#pragma once

#include "assay-values.h"

G_BEGIN_DECLS

typedef enum { ASSAY_OFFLOAD_NONE, ASSAY_OFFLOAD_MODEL, ASSAY_OFFLOAD_GROUP, ASSAY_OFFLOAD_SEQUENTIAL } AssayOffloadMode;
const char *assay_offload_mode_get_name (AssayOffloadMode mode); /* the record's: "none", "model" … */

typedef struct
{
  AssayOffloadMode mode;
  guint granularity;      /* layers a group; 0: every leaf module */
  gboolean prefetch;
  char *device_map;       /* "decoder.0-11=device, decoder.12-29=cpu, head=cpu"; NULL: none */
} AssayAssembly;

/* Calls known, in `offload_api`, ',' between: attach, device_map, reset_device_map, enable_model_cpu_offload,
 * enable_group_offload, enable_sequential_cpu_offload, to_device. `pipeline_moved_to_cuda` adds to_device where the list
 * does not hold it.
 * Returns: (transfer full) what holds when all calls are made; NULL with RULE, whose reason is one of
 *   offload-enabled-twice, attached-after-offload, moved-before-offload, moved-after-offload, device-map-not-reset,
 *   mapped-after-offload, offload-call-unknown, offload-call-mismatch (another condition says otherwise),
 *   device-map-syntax
 * and whose message names the rule. field: the condition to show it beside. */
AssayAssembly *assay_assembly_new (const AssayValues *conditions, AssayFieldId *field, GError **error);
AssayAssembly *assay_assembly_new_resident (void);                   /* no offload, no map */
void assay_assembly_free (AssayAssembly *self);
char *assay_assembly_dup_calls (const AssayValues *conditions);      /* the list that is or would be made; for `offload_api` */

/* Where the map puts a unit: TRUE for the device, FALSE for the CPU. A key is a component ("decoder"), a layer
 * ("decoder.3") or some ("decoder.0-11"); a later entry wins. check(): RULE, device-map-incomplete, when a part
 * is named by no entry; device-map-layer, when an entry names a layer that the model has not. */
gboolean assay_assembly_is_on_device (const AssayAssembly *self, const char *component, gint group);
gboolean assay_assembly_check_map (const AssayAssembly *self, guint n_layers, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayAssembly, assay_assembly_free)

G_END_DECLS
