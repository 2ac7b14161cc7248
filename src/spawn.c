/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawn.c - Process Creation, as the classic suite measures it: fork(); the child calls
 * exit(), which runs the exit handlers; wait() for any child.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/harness.h"

static pid_t create(void)
{
	pid_t pid = fork();

	if (pid == 0)
		exit(0); /* stdio holds no output that could be written twice */
	return pid;
}

static int reap(pid_t pid)
{
	pid_t reaped;
	int status;

	while ((reaped = wait(&status)) < 0)
		if (errno != EINTR)
			return failure("wait:");
	if (reaped != pid)
		return failure("wait() returned a child that this test did not create");
	return check_status(status);
}

const struct test test = {
	.name = "spawn",
	.summary = "fork(); the child calls exit(); wait()",
	.features = FEATURES(&parent_feature, &files_feature),
	.create = create,
	.reap = reap,
	.exits = true,
};
