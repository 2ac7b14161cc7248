/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw.h - bare system calls, without libc's wrappers.  raw-linux.c has them, raw-posix.c
 * refuses them; the Makefile links one.
 */
#ifndef RAW_H
#define RAW_H

#include <stdbool.h>
#include <sys/types.h>

bool has_raw_fork(void);

/* fork as a bare system call.  The child's id, 0 in the child, or -1 with errno. */
pid_t raw_fork(void);

/* getpid as a bare system call where the system has one, so that no libc caches it. */
pid_t raw_getpid(void);

#endif
