/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * group.h - control groups of the test's own, below that of this process, which are removed
 * with it (Linux).
 */
#ifndef GROUP_H
#define GROUP_H

#include <sys/types.h>

#include "cgroup.h"

struct group {
	char path[HIERARCHY_FOLDER + 256];
	int folder; /* its descriptor, locked: whoever gets the lock may remove the group */
	int procs;  /* cgroup.procs, for writing */
};

/* That of --into-cgroup.  It is large, so it lies apart from what a creation writes to: a test's
 * own variables are on the one page that each fork copies. */
extern struct group into_group;

/* Makes an empty group.  `option` begins the messages.  0, or -1 after skip() or failure(). */
int group_make(const char *option, const struct hierarchy *, struct group *);

/* Moves a process there.  0, or -1 with errno. */
int group_move(const struct group *, pid_t);

/* Removes it.  Waits a moment for processes that have just ended. */
void group_remove(struct group *);

/* The end of a message: why a group may not be used, and what would permit it. */
const char *group_refused(int error);

#endif
