/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fork.c - Fork Throughput: fork(); the child exits at once; waitpid().
 */
#include <unistd.h>

#include "harness/harness.h"
#include "harness/raw.h"

static bool raw;

static const char *supported(const struct options *o)
{
	return o->raw && !has_raw_fork() ? "--raw: fork has no bare form on this system" : NULL;
}

static int setup(const struct options *o)
{
	raw = o->raw;
	return 0;
}

static pid_t create(void)
{
	pid_t pid = raw ? raw_fork() : fork();

	if (pid == 0)
		_exit(0);
	return pid;
}

const struct test test = {
	.name = "fork",
	.summary = "fork(); the child exits at once; waitpid()",
	.takes = TAKES_PARENT | TAKES_FILES | TAKES_BURST | TAKES_RAW,
	.supported = supported,
	.setup = setup,
	.create = create,
};
