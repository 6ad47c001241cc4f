/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/assay-hidden-name.h: the name beside its own under which a large file or folder grows, and
 * what a killed process left under such a name.
 *
 * ".NAME.tmp-PID-RANDOM". Whoever makes one locks it as long as it grows; the lock goes with the process, so
 * that what nobody holds is known on every machine that shares the folder. Blocking; any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* (transfer full) A new one; nothing is made. */
char *assay_hidden_name_new (const char *path);
/* Holds it: an open descriptor of the file or folder. A file system without locks is no failure. */
void assay_hidden_name_hold (int fd);
/* Removes what grew under such a name: a file, or a folder without folders in it. */
void assay_hidden_name_remove (const char *path);
/* Removes every leftover in a folder: the user's own, of a process that is gone or is another program by now,
 * and held by nobody. What cannot be removed stays. */
void assay_hidden_name_sweep (const char *folder);
/* In a message that says `hidden`, puts the name that a person gave. */
void assay_hidden_name_reveal (GError *error, const char *hidden, const char *path);

G_END_DECLS
