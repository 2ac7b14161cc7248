/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * looper.c - runs a program again and again by fork() and execve() and counts the rounds
 * per minute.  The shell tests use it.
 */
#include "harness/harness.h"

const struct test test = {
	.name = "looper",
	.summary = "runs the target again and again: rounds per minute",
	.features = FEATURES(&target_feature, &own_target_feature),
	.setup = target_setup,
	.create = fork_and_exec,
	.reap = reap_child,
	.label = "lpm",
	.timebase = 60,
};
