/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw.h - ways to create a process that only some systems have: bare system calls and
 * clone().  raw-linux.c has them, raw-posix.c refuses them; the Makefile links one.
 */
#ifndef RAW_H
#define RAW_H

#include <stdbool.h>
#include <sys/types.h>

/* What this system and architecture have. */
bool has_clone(void);
bool has_raw_fork(void);
bool has_raw_clone(void);

/* clone() with memory, files, working folder and signal handlers shared and the parent
 * suspended, as in The Linux Programming Interface, Table 28-3.  The child calls
 * function(NULL) on a stack of its own.  The child's id, or -1 with errno. */
pid_t shared_clone(int (*function)(void *), void *stack_end);

/* fork as a bare system call.  The child's id, 0 in the child, or -1 with errno. */
pid_t raw_fork(void);

/* The same clone as a bare system call; the child calls exit(0) at once and never
 * returns.  The child's id, or -1 with errno. */
pid_t raw_clone(void *stack_end);

/* getpid as a bare system call where the system has one, so that no libc caches it. */
pid_t raw_getpid(void);

#endif
