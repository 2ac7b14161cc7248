/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clone.h - clone(), which only Linux has: clone-linux.c, and os-posix.c for all others.
 * Only the programs that call it are linked with it.
 */
#ifndef CLONE_H
#define CLONE_H

#include <stdbool.h>
#include <sys/types.h>

bool has_clone(void);
/* True if raw_clone() is written for this architecture. */
bool has_raw_clone(void);

/* clone() with memory, files, working folder and signal handlers shared and the parent
 * suspended, as in The Linux Programming Interface, Table 28-3.  The child calls
 * function(NULL) on a stack of its own.  The child's id, or -1 with errno. */
pid_t shared_clone(int (*function)(void *), void *stack_end);

/* The same clone as a bare system call; the child calls exit(0) at once and never
 * returns.  The child's id, or -1 with errno. */
pid_t raw_clone(void *stack_end);

/* ---- pidfd.c: children reaped through a process descriptor (Linux 5.4 or newer) */

/* NULL, or why a child cannot be reaped by pidfd_reap() */
const char *pidfd_lacks(void);

/* A descriptor of this child, or -1 with errno */
int pidfd_open_of(pid_t pid);

/* As event loops do: opens a descriptor of this child, polls it, waits by it, closes it.  0, or -1
 * after failure(), as reap_child(). */
int pidfd_reap(pid_t pid);

/* Waits for a child by its descriptor, closes it, and checks the status.  0, or -1 after failure()
 */
int reap_by_descriptor(int fd);

/* Waits for a child by its descriptor, which came with its creation, and closes it.  The
 * status as of waitpid(), or -1 with errno. */
int pidfd_wait(int fd);

/* Waits for the end of a child that nobody need reap (CLONE_AUTOREAP).  0, or -1 with errno */
int pidfd_ended(int fd);

#endif
