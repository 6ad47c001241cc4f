/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-process.h: which process, for lock files and journals that may outlive it.
 *
 * A process id alone is reused, by another program or after a restart; with the start of the machine and of
 * the process it is not. As text: "pid start boot host". */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  ASSAY_PROCESS_ALIVE,
  ASSAY_PROCESS_GONE,
  ASSAY_PROCESS_ELSEWHERE,  /* on another machine: cannot be told from here */
  ASSAY_PROCESS_UNREADABLE, /* the text names no process */
} AssayProcessState;

char *assay_process_dup_self (void);
AssayProcessState assay_process_judge (const char *text);

G_END_DECLS
