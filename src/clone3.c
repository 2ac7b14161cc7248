/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clone3.c - Clone3 Throughput: Linux's clone3() of a child with a copy of the memory, as
 * fork() makes it, and with what container runtimes and service managers ask of it.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/clone3.h"
#include "harness/group.h"
#include "harness/harness.h"
#include "harness/moves.h"
#include "harness/namespaces.h"
#include "harness/pidfd.h"

static uint64_t flags, burst;
static bool moves; /* --cgroup-procs */

/* --pidfd: the descriptors of the children of a burst */
static struct descriptors {
	uint64_t made, reaped;
	int fd[];
} * descriptors;

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

/* Tries once what is then done for each child, so that a refusal has its reason. */
static int make_group(void)
{
	struct hierarchy v2;
	int error;

	if (!hierarchy_find("v2", &v2))
		return skip("--into-cgroup: %s", hierarchy_lacks_v2);
	if (group_make("--into-cgroup", &v2, &into_group) != 0)
		return -1;
	error = clone3_try(flags, into_group.folder);
	if (error == EINVAL || error == E2BIG)
		return skip("--into-cgroup: this kernel's clone3() has no such flag (Linux 5.7 or "
			    "newer has it)");
	return error == 0 ? 0 : skip("--into-cgroup: %s %s", v2.folder, group_refused(error));
}

static int setup(const struct options *o)
{
	burst = o->burst;
	moves = o->procs != NULL;
	descriptors = uncopied_memory(sizeof *descriptors + burst * sizeof *descriptors->fd);
	if (descriptors == NULL)
		return failure("--burst %llu:", (unsigned long long)burst);
	if (o->into_cgroup) {
		flags |= CLONE3_INTO_CGROUP;
		if (make_group() != 0)
			return -1;
	}
	return moves ? moves_make(o->procs) : 0;
}

static void teardown(void)
{
	group_remove(&into_group);
	moves_remove();
}

/* ---- one creation --------------------------------------------------------------- */

/* A child that could not be moved */
static pid_t give_up(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return -1;
}

static pid_t create(void)
{
	int *fd = flags & CLONE3_PIDFD ? &descriptors->fd[descriptors->made++ % burst] : NULL;
	pid_t pid = clone3_call(flags, into_group.folder, fd);

	if (pid == 0) {
		if (moves)
			moves_wait();
		_exit(0);
	}
	if (pid < 0 && errno == ENOSPC)
		return failure("clone3: the kernel's limit of namespaces is reached (sysctl "
			       "user.max_*_namespaces); it removes those of ended children later");
	if (pid > 0 && moves && moves_child(pid) != 0)
		return give_up(pid);
	return pid;
}

static int reap(pid_t pid)
{
	int status;

	if (!(flags & CLONE3_PIDFD))
		return reap_child(pid);
	status = pidfd_wait(descriptors->fd[descriptors->reaped++ % burst]);
	return status < 0 ? failure("waitid:") : check_status(status);
}

const struct test test = {
	.name = "clone3",
	.summary = "clone3() of a child with a copy of the memory, which exits at once; waitpid()",
	.takes = TAKES_PARENT | TAKES_FILES | TAKES_BURST | TAKES_CLONE3 | TAKES_GROUP,
	.supported = supported,
	.setup = setup,
	.create = create,
	.reap = reap,
	.teardown = teardown,
};
