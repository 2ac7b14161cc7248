/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawn.c - Process Creation, as the classic suite measures it: fork(); the child calls
 * exit(), which runs the exit handlers; wait() for any child.
 */
#include <stdlib.h>
#include <unistd.h>

#include "harness/harness.h"

static pid_t create(void)
{
	pid_t pid = fork();

	if (pid == 0)
		exit(0); /* stdio holds no output that could be written twice */
	return pid;
}

const struct test test = {
	.name = "spawn",
	.summary = "fork(); the child calls exit(); wait()",
	.features = FEATURES(&parent_feature, &files_feature),
	.create = create,
	.reap = reap_any,
	.exits = true,
};
