/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pidfd.h - children reaped through a process descriptor, which only Linux has (5.4 or
 * newer).  Only the programs that call it are linked with it.
 */
#ifndef PIDFD_H
#define PIDFD_H

#include <sys/types.h>

/* NULL, or why a child cannot be reaped by pidfd_reap(); advises to leave pidfd out of
 * --with. */
const char *pidfd_lacks(void);

/* As event loops do: opens a descriptor of this child, polls it, waits by it, closes it.  The
 * status as of waitpid(), or -1 with errno. */
int pidfd_reap(pid_t pid);

/* Waits for a child by its descriptor, which came with its creation, and closes it.  The
 * status as of waitpid(), or -1 with errno. */
int pidfd_wait(int fd);

/* The same of a child that nobody need reap (CLONE_AUTOREAP): 0, or -1 with errno */
int pidfd_ended(int fd);

#endif
