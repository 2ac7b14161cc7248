/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moves.h - children that are moved into control groups (--cgroup-procs LIST): the child waits
 * at a pipe while the parent writes its id into cgroup.procs of each group.
 */
#ifndef MOVES_H
#define MOVES_H

#include <sys/types.h>

/* Makes the groups of a list of v2, v1 (all hierarchies of version 1), names of controllers
 * or hierarchies of version 1, and none, and the pipe.  A word that is empty is a usage
 * error.  0, or -1 after skip() or failure(). */
int moves_make(const char *list);

/* In the child: waits until it has been moved; returns at once if the parent has ended. */
void moves_wait(void);

/* In the parent: moves the child and lets it go on.  0, or -1 after failure() */
int moves_child(pid_t pid);

/* Removes the groups and closes the pipe. */
void moves_remove(void);

#endif
