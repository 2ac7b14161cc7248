/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * group.h - control groups (Linux): those of this process, and below them the test's own, which
 * own.h removes.
 */
#ifndef GROUP_H
#define GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "harness.h"

/* ---- cgroup.c: the groups of this process, in versions 1 and 2: where they are, their limits */

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

/* ---- group.c: groups of the test's own, of version 2 */

struct group {
	char path[HIERARCHY_FOLDER + 256];
	int folder; /* its descriptor */
	int procs;  /* cgroup.procs, for writing */
};

/* Makes an empty group in that folder, or in that of this process (NULL).  `option` begins the
 * messages.  0, or -1 after skip() or failure(). */
int group_make(const char *option, const char *parent, struct group *);

/* That of --into-cgroup.  It is large, so it lies apart from what a creation writes to: a test's
 * own variables are on the one page that each fork copies. */
extern struct group into_group;
extern bool into_cgroup;

/* --into-cgroup, and --pause, after which the kernel's first move is slower */
extern const struct feature group_feature;

/* --into-cgroup: says why a child could not be created in the group.  -1 after skip() */
int into_group_refused(int error);

/* --cgroup-procs: makes the group of v2, or of none, and the pipe.  Another word is a usage error.
 * 0, or -1 after skip() or failure(). */
int moves_make(const char *way);

/* In the child: waits until it has been moved; returns at once if the parent has ended. */
void moves_wait(void);

/* In the parent: moves the child and lets it go on.  0, or -1 after failure() */
int moves_child(pid_t pid);

#endif
