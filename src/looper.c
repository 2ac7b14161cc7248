/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * looper.c - runs a program again and again, by fork() and execve(), and counts
 * how often in a minute: the shell tests' program.
 */
#include "harness/harness.h"

const struct test test = {
	.name = "looper",
	.summary = "runs the target again and again: rounds per minute",
	.takes = TAKES_TARGET,
	.setup = target_setup,
	.create = fork_and_exec,
	.teardown = target_teardown,
	.label = "lpm",
	.timebase = 60,
};
