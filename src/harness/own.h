/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own.h - folders and control groups of the program's own.  Each is locked (flock) as long as the
 * program lives, and removed when it ends.  What a killed program has left is removed by the next
 * one that makes such a thing in the same place.
 */
#ifndef OWN_H
#define OWN_H

#include <stdbool.h>
#include <stddef.h>

/* How the names of all of them begin */
#define OWN_PREFIX "spawnmeter-"

/* True if the last part of the path begins so: only such a one may be removed. */
bool own_is(const char *path);

/* Makes a folder in temporary_folder(), with room in `folder` for names in it.  0, or -1 after
 * failure(). */
int own_make_folder(char *folder, size_t size);

/* For a new folder or group: locks it, and removes it at the end.  Its descriptor, or -1 where
 * another program has taken it for one that was left, and removes it. */
int own_keep(const char *path);

/* Removes this one at the end, too. */
void own_remove_at_end(const char *path);

/* Removes what killed programs have left in a folder, with names that is_one() knows. */
void own_remove_abandoned(const char *parent, bool (*is_one)(const char *name));

#endif
