/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup.h - the control groups of this process, in versions 1 and 2 (Linux): where they are
 * mounted, and their limits.
 */
#ifndef CGROUP_H
#define CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HIERARCHY_FOLDER = 3584 };

/* The folder of this process's own group in a hierarchy, which begins with the place at which that
 * is mounted */
struct hierarchy {
	char folder[HIERARCHY_FOLDER];
	size_t mounted; /* length of that place */
};

/* Finds "v2", or the hierarchy of version 1 that has this controller ("memory").  False where it is
 * not mounted, or the own group lies outside of what is mounted. */
bool hierarchy_find(const char *name, struct hierarchy *);

/* Why v2 is not found, and what would help */
extern const char hierarchy_lacks_v2[];

/* The memory left in the tightest group (bytes); UINT64_MAX: no limit. */
uint64_t cgroup_memory_left(void);

/* The limit and the use of the group with the fewest processes left.  0, or -1 if no group
 * limits processes. */
int cgroup_pids(uint64_t *limit, uint64_t *used);

#endif
