/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posix_spawn.c - Posix Spawn Throughput: posix_spawn() of the target; waitpid().
 */
#include <errno.h>
#include <spawn.h>
#include <stddef.h>

#include "harness/harness.h"
#include "harness/start.h"

static bool searches;

static int setup(const struct options *o)
{
	searches = o->exec_path > 0;
	return target_setup(o);
}

static pid_t create(void)
{
	pid_t pid;
	const char *path = next_target();
	int error = searches ?
		posix_spawnp(&pid, path, NULL, NULL, target_arguments(), target_environ) :
		posix_spawn(&pid, path, NULL, NULL, target_arguments(), target_environ);

	if (error == 0)
		return pid;
	errno = error; /* posix_spawn() returns the error and does not set errno */
	return -1;
}

const struct test test = {
	.name = "posix_spawn",
	.summary = "posix_spawn() of the target; waitpid()",
	.takes = TAKES_PARENT | TAKES_FILES | TAKES_TARGET | TAKES_ENVIRON | TAKES_BURST |
		TAKES_SPAWNERS | TAKES_PHASES | TAKES_SEARCH,
	.setup = setup,
	.create = create,
	.teardown = target_teardown,
	.phases = &start_phases,
};
