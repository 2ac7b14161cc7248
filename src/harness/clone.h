/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clone.h - clone() and process descriptors, which only Linux has.
 */
#ifndef CLONE_H
#define CLONE_H

#include <errno.h>
#include <stdbool.h>
#include <sys/types.h>
#ifdef __linux__
#include <sched.h>
#include <signal.h>
#endif

/* clone() with memory, files, working folder and signal handlers shared and the parent
 * suspended, as in The Linux Programming Interface, Table 28-3.  The child calls
 * function(NULL) on a stack of its own.  The child's id, or -1 with errno. */
#ifdef __linux__
enum {
	HAS_CLONE = true,
	SHARED = CLONE_VM | CLONE_VFORK | CLONE_FS | CLONE_SIGHAND | CLONE_FILES | SIGCHLD
};
#define shared_clone(function, stack_end) clone(function, stack_end, SHARED, NULL)
#else
enum { HAS_CLONE = false, SHARED };
#define shared_clone(function, stack_end) ((void)(function), (void)(stack_end), errno = ENOSYS, -1)
#endif

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
