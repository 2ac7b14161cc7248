/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forkexec.c - Fork and Exec Throughput: fork() and execve() of the target;
 * waitpid().
 */
#include "harness/harness.h"
#include "harness/start.h"

const struct test test = {
	.name = "forkexec",
	.summary = "fork() and execve() of the target; waitpid()",
	.takes = TAKES_PARENT | TAKES_FILES | TAKES_TARGET | TAKES_ENVIRON | TAKES_BURST |
		TAKES_SPAWNERS | TAKES_EXEC | TAKES_SEARCH | TAKES_PHASES,
	.supported = execute_choose,
	.setup = target_setup,
	.create = fork_and_exec,
	.teardown = target_teardown,
	.phases = &start_phases,
};
