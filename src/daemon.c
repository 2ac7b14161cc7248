/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daemon.c - Daemon Throughput: fork(); the child makes a session, forks again and exits, as
 * programs do that go into the background; both are reaped.
 */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "harness/harness.h"

static const char *supported(void)
{
#ifdef PR_SET_CHILD_SUBREAPER /* Linux 3.4: it inherits the child of its child */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
		return NULL;
#endif
	return "only Linux (3.4 or newer) lets this process reap the child of its child";
}

static int once(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		pid = setsid() < 0 ? -1 : fork();
		_exit(pid < 0 ? errno : 0);
	}
	if (pid < 0)
		return creation_failed("fork");
	creation_returned();
	if (wait_for_child(pid, &status) != 0)
		return -1;
	if (!stopping && WIFEXITED(status) && WEXITSTATUS(status) != 0) {
		errno = WEXITSTATUS(status);
		return creation_failed("fork in the child");
	}
	return check_status(status) != 0 ? -1 : reap_any(0);
}

const struct test test = {
	.name = "daemon",
	.summary = "fork(), setsid(), a second fork(); both children are reaped",
	.features = FEATURES(&parent_feature, &files_feature),
	.supported = supported,
	.once = once,
};
