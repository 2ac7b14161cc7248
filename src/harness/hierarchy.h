/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hierarchy.h - where the control groups of this process are mounted (Linux).
 */
#ifndef HIERARCHY_H
#define HIERARCHY_H

#include <stdbool.h>
#include <stddef.h>

enum { HIERARCHY_NAME = 64, HIERARCHY_FOLDER = 3584 };

/* One hierarchy: "v2", or of version 1 its first controller ("cpu"), or its name
 * ("name=systemd"); and the folder of this process's own group in it */
struct hierarchy {
	char name[HIERARCHY_NAME];
	char folder[HIERARCHY_FOLDER];
};

/* Finds "v2", or the hierarchy of version 1 that has this controller ("cpuacct") or name
 * ("systemd").  False where it is not mounted, or the own group lies outside of what is
 * mounted. */
bool hierarchy_find(const char *name, struct hierarchy *);

/* Why v2 is not found, and what would help */
extern const char hierarchy_lacks_v2[];

/* Finds all of version 1, at most so many.  Their number. */
size_t hierarchies_of_version_1(struct hierarchy *, size_t most);

#endif
