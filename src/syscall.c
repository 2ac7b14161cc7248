/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall.c - System Call Overhead: five system calls that do little work: dup(), close(),
 * getpid(), getuid() and umask().
 */
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#define GETPID() syscall(SYS_getpid) /* which no libc caches */
#else
#define GETPID() getpid()
#endif

#include "harness/harness.h"

static int ends[2];

static int setup(void)
{
	return pipe(ends) != 0 ? failure("pipe:") : 0;
}

static int once(void)
{
	if (close(dup(ends[0])) != 0)
		return failure("close(dup()):");
	(void)GETPID();
	(void)getuid();
	(void)umask(022);
	return 0;
}

const struct test test = {
	.name = "syscall",
	.summary = "close(dup()), getpid(), getuid(), umask(): five system calls",
	.setup = setup,
	.once = once,
};
