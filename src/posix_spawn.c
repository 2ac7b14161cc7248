/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posix_spawn.c - Posix Spawn Throughput: posix_spawn() of the target; waitpid().
 */
#include <errno.h>
#include <spawn.h>
#include <stddef.h>

#include "harness/harness.h"

static pid_t create(void)
{
	pid_t pid;
	int error = posix_spawn(&pid, next_target(), NULL, NULL, target_argv, target_environ);

	if (error == 0)
		return pid;
	errno = error; /* posix_spawn() returns the error and does not set errno */
	return -1;
}

const struct test test = {
	.name = "posix_spawn",
	.summary = "posix_spawn() of the target; waitpid()",
	.takes = TAKES_PARENT | TAKES_FILES | TAKES_TARGET | TAKES_ENVIRON | TAKES_BURST |
		TAKES_SPAWNERS | TAKES_PHASES,
	.setup = target_setup,
	.create = create,
	.teardown = target_teardown,
};
