/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fork.c - Fork Throughput: fork(); the child exits at once; waitpid().  Timed in harness/loop.c.
 */
#include <unistd.h>

#include "harness/harness.h"
#include "harness/latch.h"
#include "harness/os.h"
#include "harness/placement.h"

static WRITTEN bool raw;

static const char *supported(void)
{
	return raw && !has_raw_fork() ? "--raw: fork has no bare form on this system" : NULL;
}

static pid_t create(void)
{
	pid_t pid;

	placement_before_call();
	pid = raw ? raw_fork() : fork();
	if (pid == 0) {
		placement_in_child();
		if (touch_wanted)
			touch_in_child();
		if (hold_wanted)
			hold_in_child();
		_exit(orphans_wanted && (raw ? raw_fork() : fork()) < 0);
	}
	return pid;
}

static int reap(pid_t pid)
{
	if (touch_wanted)
		return touch_and_reap(pid);
	if (hold_wanted && hold_release() != 0) {
		(void)reap_child(pid);
		return -1;
	}
	return reap_child(pid);
}

static const struct entry own_options[] = {
	{ FLAG, &raw, .usage = "raw: make the bare system call, without libc's wrapper" },
	{ 0 },
};
static const struct feature own = { .options = own_options };

const struct test test = {
	.name = "fork",
	.summary = "fork(); the child exits at once; waitpid()",
	.features = FEATURES(&own, &hold_feature, &parent_feature, &depth_feature, &touch_feature,
		&files_feature, &spawners_feature, &burst_feature, &reap_feature,
		&placement_feature),
	.supported = supported,
	.create = create,
	.reap = reap,
};
