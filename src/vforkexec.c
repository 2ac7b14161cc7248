/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vforkexec.c - Vfork and Exec Throughput: vfork() and execve() of the target;
 * waitpid().
 */
#include <unistd.h>

#include "harness/harness.h"

static pid_t create(void)
{
	const char *path = next_target();
	pid_t pid = vfork();

	if (pid == 0) {
		execute_target(path);
		_exit(127);
	}
	return pid;
}

const struct test test = {
	.name = "vforkexec",
	.summary = "vfork() and execve() of the target; waitpid()",
	.features = FEATURES(&parent_feature, &depth_feature, &files_feature, &spawners_feature,
		&environ_feature, &target_feature, &search_feature, &own_target_feature,
		&phases_feature, &burst_feature, &reap_feature),
	.setup = target_setup,
	.create = create,
	.reap = reap_child,
};
