/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clone3.c - Clone3 Throughput: Linux's clone3() of a child with a copy of the memory, as
 * fork() makes it, and with what container runtimes and service managers ask of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/clone3.h"
#include "harness/harness.h"
#include "harness/namespaces.h"
#include "harness/pidfd.h"

static uint64_t flags, burst;

/* The descriptors of the children of a burst; of a single child, which is written while that
 * child has a copy of this page, in a variable beside what else is written. */
static int pidfd;
static int *pidfds;
static uint64_t made, reaped;

/* ---- set-up ------------------------------------------------------------------- */

/* NULL, or why a child cannot be created with the flag and reaped */
static const char *lacks_flag(uint64_t flag, const char *reason)
{
	return flags & flag && clone3_try(flag, -1) == EINVAL ? reason : NULL;
}

static const char *supported(const struct options *o)
{
	const char *lacks;

	flags = namespaces_flags(o->namespaces);
	flags |= o->pidfd ? CLONE3_PIDFD : 0;
	flags |= o->clear_sighand ? CLONE3_CLEAR_SIGHAND : 0;
	lacks = clone3_lacks();
	if (lacks == NULL)
		lacks = lacks_flag(CLONE3_PIDFD,
			"--pidfd: this kernel's waitid() takes no process descriptor (Linux 5.4 or "
			"newer does)");
	if (lacks == NULL)
		lacks = lacks_flag(CLONE3_CLEAR_SIGHAND,
			"--clear-sighand: this kernel's clone3() has no such flag (Linux 5.5 or "
			"newer has it)");
	return lacks != NULL ? lacks : namespaces_lack(flags);
}

static int setup(const struct options *o)
{
	burst = o->burst;
	if (flags & CLONE3_PIDFD && burst > 1 && (pidfds = calloc(burst, sizeof *pidfds)) == NULL)
		return failure(
			"out of memory for %llu process descriptors", (unsigned long long)burst);
	return 0;
}

static void teardown(void)
{
	free(pidfds);
	pidfds = NULL;
}

/* ---- one creation --------------------------------------------------------------- */

static pid_t create(void)
{
	int fd = -1;
	pid_t pid = clone3_call(flags, -1, &fd);

	if (pid == 0)
		_exit(0);
	if (pid < 0 && errno == ENOSPC)
		return failure("clone3: the kernel's limit of namespaces is reached (sysctl "
			       "user.max_*_namespaces); it removes those of ended children later");
	if (pidfds != NULL && pid > 0)
		pidfds[made++ % burst] = fd;
	else
		pidfd = fd;
	return pid;
}

static int reap(pid_t pid)
{
	int status;

	if (!(flags & CLONE3_PIDFD))
		return reap_child(pid);
	status = pidfd_wait(pidfds != NULL ? pidfds[reaped++ % burst] : pidfd, pid);
	return status < 0 ? failure("waitid:") : check_status(status);
}

const struct test test = {
	.name = "clone3",
	.summary = "clone3() of a child with a copy of the memory, which exits at once; waitpid()",
	.takes = TAKES_PARENT | TAKES_FILES | TAKES_BURST | TAKES_CLONE3,
	.supported = supported,
	.setup = setup,
	.create = create,
	.reap = reap,
	.teardown = teardown,
};
