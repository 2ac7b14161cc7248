/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fork.c - Fork Throughput: fork(); the child exits at once; waitpid().  Timed in harness/loop.c.
 */
#include <signal.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "harness/harness.h"
#include "harness/latch.h"
#include "harness/placement.h"

static WRITTEN bool raw;

#if !defined __linux__ || defined __sparc__ /* a second register says there who is the child */
enum { HAS_BARE = false };
#define BARE_FORK() -1
#else
enum { HAS_BARE = true };
#if defined SYS_fork
#define BARE_FORK() syscall(SYS_fork)
#elif defined __s390x__
#define BARE_FORK() syscall(SYS_clone, 0, SIGCHLD, 0, 0, 0)
#else
#define BARE_FORK() syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)
#endif
#endif

static const char *supported(void)
{
	return raw && !HAS_BARE ? "--raw: fork has no bare form on this system" : NULL;
}

static pid_t fork_as_asked(void)
{
	return raw ? (pid_t)BARE_FORK() : fork();
}

static pid_t create(void)
{
	pid_t pid;

	placement_before_call();
	pid = fork_as_asked();
	if (pid == 0) {
		placement_in_child();
		if (touch_wanted)
			touch_in_child();
		if (hold_wanted)
			hold_in_child();
		_exit(orphans_wanted && fork_as_asked() < 0);
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
