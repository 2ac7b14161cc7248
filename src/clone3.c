/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clone3.c - Clone3 Throughput: Linux's clone3() of a child with a copy of the memory, as
 * fork() makes it, and with what container runtimes and service managers ask of it.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/clone3.h"
#include "harness/group.h"
#include "harness/harness.h"
#include "harness/pidfd.h"
#include "harness/util.h"

static uint64_t flags, burst;
static bool by_pidfd, clear_sighand;
static const char *namespace_list, *flag_list, *moves; /* moves: --cgroup-procs */

/* --pidfd: the descriptors of the children of a burst */
static struct descriptors {
	uint64_t made, reaped;
	int fd[];
} * descriptors;

/* ---- --namespaces ------------------------------------------------------------------ */

static const struct word namespaces[] = {
	{ "user", CLONE3_NEWUSER },
	{ "pid", CLONE3_NEWPID },
	{ "net", CLONE3_NEWNET },
	{ "ipc", CLONE3_NEWIPC },
	{ "uts", CLONE3_NEWUTS },
	{ "mnt", CLONE3_NEWNS },
	{ "cgroup", CLONE3_NEWCGROUP },
	{ "time", CLONE3_NEWTIME },
	{ "all",
		CLONE3_NEWUSER | CLONE3_NEWPID | CLONE3_NEWNET | CLONE3_NEWIPC | CLONE3_NEWUTS |
			CLONE3_NEWNS | CLONE3_NEWCGROUP | CLONE3_NEWTIME },
	{ NULL, 0 },
};
enum { NAMESPACES = sizeof namespaces / sizeof *namespaces - 2 };

/* True if the file, which only some kernels have, begins with this digit */
static bool is_set_to(const char *sysctl, char digit)
{
	char path[128], text[16];

	snprintf(path, sizeof path, "/proc/sys/kernel/%s", sysctl);
	return read_file(path, text, sizeof text) > 0 && text[0] == digit;
}

/* What would permit this namespace, which was refused by EPERM */
static const char *permission(uint64_t flag, uint64_t flags)
{
	if (flag != CLONE3_NEWUSER && !(flags & CLONE3_NEWUSER))
		return "run as root, or add user to --namespaces";
	if (is_set_to("unprivileged_userns_clone", '0'))
		return "run as root, or set the sysctl kernel.unprivileged_userns_clone to 1";
	if (is_set_to("apparmor_restrict_unprivileged_userns", '1'))
		return "run as root, or set the sysctl "
		       "kernel.apparmor_restrict_unprivileged_userns to 0";
	return "run as root, outside of a chroot, and without the container's restrictions";
}

static const char *lacking(int i, uint64_t flags, int error)
{
	static char reason[256];
	const char *name = namespaces[i].name;

	if (error == EINVAL)
		snprintf(reason, sizeof reason, "--namespaces: this kernel has no %s namespaces",
			name);
	else if (error == ENOSPC || error == EUSERS)
		snprintf(reason, sizeof reason,
			"--namespaces: %s: the limit is reached: raise the sysctl "
			"user.max_%s_namespaces",
			name, name);
	else if (error == EPERM)
		snprintf(reason, sizeof reason, "--namespaces: %s is not permitted: %s", name,
			permission(namespaces[i].bits, flags));
	else
		snprintf(reason, sizeof reason, "--namespaces: %s: %s", name, strerror(error));
	return reason;
}

/* NULL, or the first of these that this process may not create, why, and what would permit it.  The
 * user namespace with each: in it the others need no privilege. */
static const char *namespaces_lack(uint64_t flags)
{
	for (int i = 0; i < NAMESPACES; i++) {
		uint64_t one = namespaces[i].bits;
		int error = flags & one ? clone3_try(one | (flags & CLONE3_NEWUSER), -1) : 0;

		if (error != 0)
			return lacking(i, flags, error);
	}
	return NULL;
}

/* ---- --flags ------------------------------------------------------------------------- */

static const struct word more_flags[] = {
	{ "autoreap", CLONE3_AUTOREAP | CLONE3_PIDFD },
	{ "autokill", CLONE3_AUTOKILL | CLONE3_AUTOREAP | CLONE3_PIDFD },
	{ "nnp", CLONE3_NNP },
	{ NULL, 0 },
};

/* The kernel asks for more than it says: autokill needs a privilege, or nnp. */
static const char *flags_lack(uint64_t wanted)
{
	int error = wanted != 0 ? clone3_try(wanted | CLONE3_PIDFD, -1) : 0;

	if (error == EINVAL)
		return "--flags: this kernel's clone3() has no such flags (Linux 7.1 or newer has "
		       "them)";
	if (error == EPERM)
		return "--flags: autokill is not permitted: run as root, or add nnp to the list";
	return error != 0 ? "--flags: a child cannot be created so" : NULL;
}

/* ---- set-up ------------------------------------------------------------------- */

/* NULL, or why a child cannot be created with the flag and reaped */
static const char *lacks_flag(uint64_t flag, const char *reason)
{
	return flags & flag && clone3_try(flag, -1) == EINVAL ? reason : NULL;
}

static const char *supported(void)
{
	uint64_t listed = parse_list("flags", flag_list, more_flags, NULL);
	const char *lacks;

	flags = parse_list("namespaces", namespace_list, namespaces, NULL) | listed;
	flags |= by_pidfd ? CLONE3_PIDFD : 0;
	flags |= clear_sighand ? CLONE3_CLEAR_SIGHAND : 0;
	lacks = clone3_lacks();
	if (lacks == NULL)
		lacks = flags_lack(listed);
	if (lacks == NULL && listed == 0)
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
	int error;

	if (into_group_make() != 0)
		return -1;
	error = clone3_try(flags, into_group.folder);
	return error == 0 ? 0 : into_group_refused(error);
}

static int setup(void)
{
	burst = options.burst;
	if (flags & CLONE3_PIDFD) { /* a mapping more that a child copies costs it time */
		descriptors =
			uncopied_memory(sizeof *descriptors + burst * sizeof *descriptors->fd);
		if (descriptors == NULL)
			return failure("--burst %llu:", (unsigned long long)burst);
	}
	if (into_cgroup) {
		flags |= CLONE3_INTO_CGROUP;
		if (make_group() != 0)
			return -1;
	}
	return moves != NULL ? moves_make(moves) : 0;
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
		if (moves != NULL)
			moves_wait();
		_exit(0);
	}
	if (pid < 0 && errno == ENOSPC)
		return failure("clone3: the kernel's limit of namespaces is reached (sysctl "
			       "user.max_*_namespaces); it removes those of ended children later");
	if (pid > 0 && moves != NULL && moves_child(pid) != 0)
		return give_up(pid);
	return pid;
}

static int reap(pid_t pid)
{
	int status;

	if (!(flags & CLONE3_PIDFD))
		return reap_child(pid);
	if (flags & CLONE3_AUTOREAP) /* nothing is left but the descriptor */
		return pidfd_ended(descriptors->fd[descriptors->reaped++ % burst]) == 0 ?
			check_status(0) :
			failure("poll:");
	status = pidfd_wait(descriptors->fd[descriptors->reaped++ % burst]);
	return status < 0 ? failure("waitid:") : check_status(status);
}

static const struct entry own_options[] = {
	{ FLAG, &by_pidfd, "pidfd: create with a process descriptor, and reap by it" },
	{ FLAG, &clear_sighand, "clear-sighand: reset the child's signal handlers" },
	{ TEXT, &flag_list,
		"flags LIST: of Linux 7.1: autoreap, autokill, nnp; the first two are waited for "
		"by a process descriptor" },
	{ TEXT, &namespace_list,
		"namespaces LIST: give the child new ones: user, pid, net, ipc, uts, mnt, cgroup, "
		"time; all" },
	{ TEXT, &moves,
		"cgroup-procs LIST: move the child, by cgroup.procs, into groups of v2, v1, "
		"controllers of version 1; none",
		LEAVES_FILES },
	{ 0 },
};
static const struct feature own = { .options = own_options };

const struct test test = {
	.name = "clone3",
	.summary = "clone3() of a child with a copy of the memory, which exits at once; waitpid()",
	.features = FEATURES(&cleaner_feature, &group_feature, &own, &parent_feature,
		&files_feature, &burst_feature),
	.supported = supported,
	.setup = setup,
	.create = create,
	.reap = reap,
};
