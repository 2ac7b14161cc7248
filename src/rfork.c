/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rfork.c - Rfork Throughput: FreeBSD's rfork() of a child with a copy of the memory, as
 * fork() makes it, which shares the table of open descriptors instead of copying it (RFPROC
 * without RFFDG, rfork(2)); waitpid().
 */
#include <errno.h>
#include <unistd.h>

#include "harness/harness.h"

#if defined __FreeBSD__ || defined __DragonFly__
#define HAS_RFORK
#endif

static const char *supported(void)
{
#ifdef HAS_RFORK
	return NULL;
#else
	return "only FreeBSD and DragonFly BSD have rfork()";
#endif
}

static pid_t create(void)
{
#ifdef HAS_RFORK
	pid_t pid = rfork(RFPROC);

	if (pid == 0)
		_exit(0);
	return pid;
#else
	errno = ENOSYS;
	return -1;
#endif
}

const struct test test = {
	.name = "rfork",
	.summary = "rfork() sharing the open descriptors; the child exits at once; waitpid()",
	.features = FEATURES(&parent_feature, &files_feature, &spawners_feature, &burst_feature),
	.supported = supported,
	.create = create,
};
