/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forkexec.c - Fork and Exec Throughput: fork() and execve() of the target;
 * waitpid().
 */
#include <unistd.h>

#include "harness/footprint.h"
#include "harness/harness.h"

static uint64_t threads; /* --exec-threads */

static pid_t create(void)
{
	const char *path;
	pid_t pid;

	if (threads == 0)
		return fork_and_exec();
	path = next_target();
	pid = fork();
	if (pid == 0) {
		if (make_threads(threads) == 0)
			execute_target(path);
		_exit(127);
	}
	return pid;
}

static const struct entry own_options[] = {
	{ NUMBER, &threads,
		.usage = "exec-threads N: start N threads in the child, which exec ends (at most "
			 "1000)",
		.most = 1000, .excludes = "spawners" },
	{ 0 },
};
static const struct feature own = { .options = own_options };

const struct test test = {
	.name = "forkexec",
	.summary = "fork() and execve() of the target; waitpid()",
	.features = FEATURES(&own, &parent_feature, &depth_feature, &files_feature,
		&spawners_feature, &environ_feature, &target_feature, &search_feature,
		&own_target_feature, &phases_feature, &burst_feature, &reap_feature),
	.setup = target_setup,
	.create = create,
	.reap = reap_child,
};
