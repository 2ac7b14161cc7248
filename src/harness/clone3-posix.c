/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clone3-posix.c - clone3.h for systems without clone3().
 */
#include <errno.h>

#include "clone3.h"

const char *clone3_lacks(void)
{
	return "only Linux has clone3()";
}

pid_t clone3_call(uint64_t flags, int cgroup, int *pidfd)
{
	(void)flags, (void)cgroup, (void)pidfd;
	errno = ENOSYS;
	return -1;
}

int clone3_try(uint64_t flags, int cgroup)
{
	(void)flags, (void)cgroup;
	return ENOSYS;
}
