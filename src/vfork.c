/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vfork.c - Vfork Throughput: vfork(), which returns when its child has exited; waitpid().
 * There is no raw form: the child of syscall(SYS_vfork) returns from syscall() first
 * and so destroys the stack frame that the parent needs to return.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "harness/harness.h"
#include "harness/placement.h"

/* Some C libraries and emulators make a fork of it. */
static const char *supported(void)
{
	volatile bool shared = false;
	pid_t pid = vfork();

	if (pid == 0) {
		shared = true;
		_exit(0);
	}
	if (pid < 0) /* create() explains it */
		return NULL;
	(void)waitpid(pid, NULL, 0);
	return shared ? NULL : "vfork() copies the memory of its parent here, as fork() does";
}

static pid_t create(void)
{
	pid_t pid;

	placement_before_call();
	pid = vfork();
	if (pid == 0) {
		placement_in_child();
		_exit(0);
	}
	return pid;
}

const struct test test = {
	.name = "vfork",
	.summary = "vfork(); the child exits at once; waitpid()",
	.features = FEATURES(&parent_feature, &depth_feature, &files_feature, &spawners_feature,
		&burst_feature, &reap_feature, &placement_feature),
	.supported = supported,
	.create = create,
	.reap = reap_child,
};
