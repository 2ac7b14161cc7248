/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clone3.h - the system call clone3(), which only Linux has (5.3 or newer): clone3-linux.c,
 * and os-posix.c for all others.  Only the programs that call it are linked with it.
 */
#ifndef CLONE3_H
#define CLONE3_H

#include <stdint.h>
#include <sys/types.h>

/* Flags of the kernel's interface, from clone(2); the headers of older systems lack some. */
#define CLONE3_NEWTIME UINT64_C(0x80)
#define CLONE3_PIDFD UINT64_C(0x1000)
#define CLONE3_NEWNS UINT64_C(0x20000)
#define CLONE3_NEWCGROUP UINT64_C(0x2000000)
#define CLONE3_NEWUTS UINT64_C(0x4000000)
#define CLONE3_NEWIPC UINT64_C(0x8000000)
#define CLONE3_NEWUSER UINT64_C(0x10000000)
#define CLONE3_NEWPID UINT64_C(0x20000000)
#define CLONE3_NEWNET UINT64_C(0x40000000)
#define CLONE3_CLEAR_SIGHAND UINT64_C(0x100000000)
#define CLONE3_INTO_CGROUP UINT64_C(0x200000000)
#define CLONE3_AUTOREAP UINT64_C(0x400000000)
#define CLONE3_NNP UINT64_C(0x800000000)
#define CLONE3_AUTOKILL UINT64_C(0x1000000000)

/* NULL, or why this machine cannot make the call, and what would permit it. */
const char *clone3_lacks(void);

/* Creates a child with a copy of the memory, as fork() does; its end sends SIGCHLD, but with
 * CLONE3_AUTOREAP, which permits no signal.  cgroup:
 * the descriptor of a group for CLONE3_INTO_CGROUP.  *pidfd is set with CLONE3_PIDFD.  0 in
 * the child, its id in the parent, or -1 with errno. */
pid_t clone3_call(uint64_t flags, int cgroup, int *pidfd);

/* Creates a child with these flags, which exits at once, and reaps it, by its descriptor if
 * CLONE3_PIDFD is among them.  0, or the error of the first call that failed. */
int clone3_try(uint64_t flags, int cgroup);

#endif
