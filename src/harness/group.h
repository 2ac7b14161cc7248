/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * group.h - control groups of the test's own, below that of this process (Linux), which own.h
 * removes.
 */
#ifndef GROUP_H
#define GROUP_H

#include <sys/types.h>

#include "cgroup.h"
#include "harness.h"

struct group {
	char path[HIERARCHY_FOLDER + 256];
	int folder; /* its descriptor */
	int procs;  /* cgroup.procs, for writing */
};

/* That of --into-cgroup.  It is large, so it lies apart from what a creation writes to: a test's
 * own variables are on the one page that each fork copies. */
extern struct group into_group;
extern bool into_cgroup;

/* --into-cgroup, and --pause, after which the kernel's first move is slower */
extern const struct feature group_feature;

/* --into-cgroup: makes into_group; says why a child could not be created in it.  0, or -1 after
 * skip() or failure(). */
int into_group_make(void);
int into_group_refused(int error);

/* --cgroup-procs: makes the group of v2, or of none, and the pipe.  Another word is a usage error.
 * 0, or -1 after skip() or failure(). */
int moves_make(const char *way);

/* In the child: waits until it has been moved; returns at once if the parent has ended. */
void moves_wait(void);

/* In the parent: moves the child and lets it go on.  0, or -1 after failure() */
int moves_child(pid_t pid);

#endif
