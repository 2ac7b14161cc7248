/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fork.c - Fork Throughput: fork(); the child exits at once; waitpid().
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "harness/harness.h"
#include "harness/os.h"
#include "harness/placement.h"
#include "harness/touch.h"

static bool raw, holds;

/* --hold: the children of a burst wait for a byte each, or for the end of the parent, until all
 * have been created: then their ends can be told from their creations. */
static int go[2];
static struct held {
	uint64_t burst, reaped, left; /* bytes to be written */
} * held;

static int hold_setup(void)
{
	held = uncopied_memory(sizeof *held);
	if (held == NULL || pipe(go) != 0 || fcntl(go[1], F_SETFL, O_NONBLOCK) != 0)
		return failure("--hold:");
	held->burst = options.burst;
	return 0;
}

static void hold(void)
{
	char byte;

	(void)close(go[1]);
	while (read(go[0], &byte, 1) < 0 && errno == EINTR)
		;
}

/* As the first of a burst is reaped.  A full pipe has a byte for each that waits: the rest follows
 * when more of them are reaped, which may be fewer than a whole burst. */
static int release(void)
{
	static const char bytes[4096];

	if (held->reaped++ % held->burst == 0)
		held->left = held->burst;
	while (held->left > 0) {
		ssize_t done =
			write(go[1], bytes, held->left < sizeof bytes ? held->left : sizeof bytes);

		if (done < 0 && errno != EINTR)
			return errno == EAGAIN ? 0 :
						 failure("--hold: cannot release the children:");
		held->left -= done > 0 ? (uint64_t)done : 0;
	}
	return 0;
}

static const char *supported(void)
{
	return raw && !has_raw_fork() ? "--raw: fork has no bare form on this system" : NULL;
}

static int setup(void)
{
	return holds ? hold_setup() : 0;
}

static pid_t create(void)
{
	pid_t pid;

	placement_calls();
	pid = raw ? raw_fork() : fork();
	if (pid == 0) {
		placement_begins();
		if (touches())
			touch_in_child();
		if (holds)
			hold();
		_exit(0);
	}
	return pid;
}

static int reap(pid_t pid)
{
	int touched = touches() ? touch_in_parent() : 0;

	if (holds && release() != 0)
		touched = -1;
	if (reap_child(pid) != 0 || touched != 0)
		return -1;
	return touches() ? touch_reaped() : 0;
}

static void check(void)
{
	if (holds && options.burst < 2)
		usage_error("--hold needs --burst N, of 2 or more");
}

static const struct entry own_options[] = {
	{ FLAG, &raw, "raw: make the bare system call, without libc's wrapper" },
	{ FLAG, &holds, "hold: let the children of a burst end when all have been created" }, { 0 }
};
static const struct feature own = { .options = own_options, .check = check };

const struct test test = {
	.name = "fork",
	.summary = "fork(); the child exits at once; waitpid()",
	.features = FEATURES(&own, &parent_feature, &touch_feature, &files_feature,
		&spawners_feature, &burst_feature, &placement_feature),
	.supported = supported,
	.setup = setup,
	.create = create,
	.reap = reap,
};
