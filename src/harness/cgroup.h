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

enum { HIERARCHY_NAME = 64, HIERARCHY_FOLDER = 3584 };

/* One hierarchy: "v2", or of version 1 its first controller ("cpu"), or its name
 * ("name=systemd"); and the folder of this process's own group in it, which begins with the
 * place at which it is mounted */
struct hierarchy {
	char name[HIERARCHY_NAME];
	char folder[HIERARCHY_FOLDER];
	size_t mounted; /* length of that place */
};

/* Finds "v2", or the hierarchy of version 1 that has this controller ("cpuacct") or name
 * ("systemd"); NULL: all of version 1, at most so many.  Their number: none where it is not
 * mounted, or the own group lies outside of what is mounted. */
size_t hierarchies_find(const char *name, struct hierarchy *, size_t most);

/* Why v2 is not found, and what would help */
extern const char hierarchy_lacks_v2[];

/* The memory left in the tightest group (bytes); UINT64_MAX: no limit. */
uint64_t cgroup_memory_left(void);

/* The limit and the use of the group with the fewest processes left.  0, or -1 if no group
 * limits processes. */
int cgroup_pids(uint64_t *limit, uint64_t *used);

#endif
