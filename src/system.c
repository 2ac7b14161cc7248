/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system.c - system("exit 0"): libc creates a shell and waits for it.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "harness/harness.h"
#include "harness/os.h"

static int once(void)
{
	int status = system("exit 0");

	if (status == -1)
		return creation_failed("system");
	/* libc reports 127 too if it could not create the shell */
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && os_forbids_clone3()) {
		errno = EPERM;
		return creation_failed("system");
	}
	/* system() has ignored it in this process */
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGQUIT))
		(void)raise(WTERMSIG(status));
	return check_status(status);
}

const struct test test = {
	.name = "system",
	.summary = "system(\"exit 0\")",
	.features = FEATURES(&parent_feature, &files_feature),
	.once = once,
};
