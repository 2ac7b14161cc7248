/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fork.c - Fork Throughput: fork(); the child exits at once; waitpid().
 */
#include <unistd.h>

#include "harness/harness.h"
#include "harness/os.h"
#include "harness/touch.h"

static bool raw, touches;

static const char *supported(const struct options *o)
{
	return o->raw && !has_raw_fork() ? "--raw: fork has no bare form on this system" : NULL;
}

static int setup(const struct options *o)
{
	raw = o->raw;
	touches = o->touch > 0;
	return touches ? touch_setup(o) : 0;
}

static pid_t create(void)
{
	pid_t pid = raw ? raw_fork() : fork();

	if (pid == 0) {
		if (touches)
			touch_in_child();
		_exit(0);
	}
	return pid;
}

static int reap(pid_t pid)
{
	int touched = touches ? touch_in_parent() : 0;

	if (reap_child(pid) != 0 || touched != 0)
		return -1;
	return touches ? touch_reaped() : 0;
}

const struct test test = {
	.name = "fork",
	.summary = "fork(); the child exits at once; waitpid()",
	.takes =
		TAKES_PARENT | TAKES_FILES | TAKES_BURST | TAKES_RAW | TAKES_TOUCH | TAKES_SPAWNERS,
	.supported = supported,
	.setup = setup,
	.create = create,
	.reap = reap,
	.print = touch_print,
};
