/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vfork.c - Vfork Throughput: vfork(); the child exits at once; waitpid().
 * There is no raw form: the child of syscall(SYS_vfork) returns from syscall() first
 * and so destroys the stack frame that the parent needs to return.
 */
#include <unistd.h>

#include "harness/harness.h"
#include "harness/placement.h"

static pid_t create(void)
{
	pid_t pid;

	placement_calls();
	pid = vfork();
	if (pid == 0) {
		placement_begins();
		_exit(0);
	}
	return pid;
}

const struct test test = {
	.name = "vfork",
	.summary = "vfork(); the child exits at once; waitpid()",
	.features = FEATURES(&parent_feature, &files_feature, &spawners_feature, &burst_feature,
		&placement_feature),
	.create = create,
};
