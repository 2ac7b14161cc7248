/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posix_spawn.c - Posix Spawn Throughput: posix_spawn() of the target (targets/true.c); waitpid().
 */
#include <errno.h>
#include <spawn.h>
#include <stddef.h>

#include "harness/copies.h"
#include "harness/harness.h"

static bool by_search; /* --exec-path: by posix_spawnp() */

static int setup(void)
{
	by_search = search_folders > 0;
	return target_setup();
}

static pid_t create(void)
{
	pid_t pid;
	const char *path = next_target();
	int error = by_search ? posix_spawnp(&pid, path, NULL, NULL, target_argv, target_environ) :
				posix_spawn(&pid, path, NULL, NULL, target_argv, target_environ);

	if (error == 0)
		return pid;
	errno = error; /* posix_spawn() returns the error and does not set errno */
	return -1;
}

const struct test test = {
	.name = "posix_spawn",
	.summary = "posix_spawn() of the target; waitpid()",
	.features = FEATURES(&parent_feature, &depth_feature, &files_feature, &spawners_feature,
		&environ_feature, &target_feature, &search_feature, &own_target_feature,
		&phases_feature, &burst_feature, &reap_feature),
	.setup = setup,
	.create = create,
	.reap = reap_child,
};
