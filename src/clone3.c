/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clone3.c - Clone3 Throughput: Linux's clone3() of a child with a copy of the memory, as
 * fork --raw makes it, and with what container runtimes and service managers ask of it.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "harness/clone.h"
#include "harness/group.h"
#include "harness/harness.h"
#include "harness/util.h"

static uint64_t flags, burst;
static bool by_pidfd, clear_sighand;
static const char *namespace_list, *flag_list, *moves; /* moves: --cgroup-procs */

/* --pidfd: the descriptors of the children of a burst */
static struct descriptors {
	uint64_t made, reaped;
	int fd[];
} * descriptors;

/* ---- the call: Linux 5.3 or newer; no C library has a function for it ------------------ */

/* Flags of the kernel's interface, from clone(2); the headers of older systems lack some. */
#define CLONE3_NEWTIME UINT64_C(0x80)
#define CLONE3_PIDFD UINT64_C(0x1000)
#define CLONE3_NEWNS UINT64_C(0x20000)
#define CLONE3_NEWCGROUP UINT64_C(0x2000000)
#define CLONE3_NEWUTS UINT64_C(0x4000000)
#define CLONE3_NEWIPC UINT64_C(0x8000000)
#define CLONE3_NEWUSER UINT64_C(0x10000000)
#define CLONE3_NEWPID UINT64_C(0x20000000)
#define CLONE3_NEWNET UINT64_C(0x40000000)
#define CLONE3_CLEAR_SIGHAND UINT64_C(0x100000000)
#define CLONE3_INTO_CGROUP UINT64_C(0x200000000)
#define CLONE3_AUTOREAP UINT64_C(0x400000000)
#define CLONE3_NNP UINT64_C(0x800000000)
#define CLONE3_AUTOKILL UINT64_C(0x1000000000)

/* The argument, from clone(2) */
struct arguments {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal;
	uint64_t stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

static long clone3_call(struct arguments *arguments, size_t size)
{
#ifdef __linux__
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
	return syscall(SYS_clone3, arguments, size);
#else
	(void)arguments, (void)size;
	errno = ENOSYS;
	return -1;
#endif
}

/* A child with a copy of the memory, as fork() makes it; its end sends SIGCHLD, but with
 * CLONE3_AUTOREAP, which permits no signal.  group: the descriptor of one for CLONE3_INTO_CGROUP.
 * *pidfd is set with CLONE3_PIDFD. */
static pid_t make_child(uint64_t with, int group, int *pidfd)
{
	struct arguments arguments = { .flags = with,
		.exit_signal = with & CLONE3_AUTOREAP ? 0 : SIGCHLD };

	if (with & CLONE3_PIDFD)
		arguments.pidfd = (uint64_t)(uintptr_t)pidfd;
	if (with & CLONE3_INTO_CGROUP)
		arguments.cgroup = (uint64_t)group;
	return (pid_t)clone3_call(&arguments, sizeof arguments);
}

/* NULL, or why this machine cannot make the call.  A size of 0 is never valid, so that no child is
 * created: EINVAL where the call exists.  Filters cannot read the flags, which lie in memory: they
 * forbid the call as a whole, by ENOSYS, or by EPERM as old ones do. */
static const char *clone3_lacks(void)
{
	static char reason[256];
	struct utsname kernel;
	int error = clone3_call(NULL, 0) == -1 ? errno : 0;

	if (error == EPERM)
		return "a seccomp filter forbids clone3(), as that of old container runtimes does: "
		       "update the runtime, or run without the filter";
	if (error != ENOSYS)
		return NULL;
#ifndef __linux__
	return "only Linux has clone3()";
#endif
	snprintf(reason, sizeof reason,
		"clone3() is missing: Linux 5.3 or newer has it (this is %s), unless a seccomp "
		"filter hides it, as that of a container does: run without the filter",
		uname(&kernel) == 0 ? kernel.release : "unknown");
	return reason;
}

/* Creates a child with these flags, which exits at once, and reaps it, by its descriptor if
 * CLONE3_PIDFD is among them.  0, or the error of the first call that failed. */
static int try_flags(uint64_t with, int group)
{
	int fd = -1, status, error = 0;
	pid_t pid = make_child(with, group, &fd);

	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return errno;
	if (with & CLONE3_AUTOREAP)
		return pidfd_ended(fd) == 0 ? 0 : errno;
	if (with & CLONE3_PIDFD) {
		if (pidfd_wait(fd) >= 0)
			return 0;
		error = errno;
	}
	return wait_for_child(pid, &status) == 0 ? error : errno;
}

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
static const char *permission(uint64_t flag, uint64_t with)
{
	if (flag != CLONE3_NEWUSER && !(with & CLONE3_NEWUSER))
		return "run as root, or add user to --namespaces";
	if (is_set_to("unprivileged_userns_clone", '0'))
		return "run as root, or set the sysctl kernel.unprivileged_userns_clone to 1";
	if (is_set_to("apparmor_restrict_unprivileged_userns", '1'))
		return "run as root, or set the sysctl "
		       "kernel.apparmor_restrict_unprivileged_userns to 0";
	return "run as root, outside of a chroot, and without the container's restrictions";
}

static const char *lacking(int i, uint64_t with, int error)
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
			permission(namespaces[i].bits, with));
	else
		snprintf(reason, sizeof reason, "--namespaces: %s: %s", name, strerror(error));
	return reason;
}

/* NULL, or the first of these that this process may not create, why, and what would permit it.  The
 * user namespace with each: in it the others need no privilege. */
static const char *namespaces_lack(uint64_t with)
{
	for (int i = 0; i < NAMESPACES; i++) {
		uint64_t one = namespaces[i].bits;
		int error = with & one ? try_flags(one | (with & CLONE3_NEWUSER), -1) : 0;

		if (error != 0)
			return lacking(i, with, error);
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
	int error = wanted != 0 ? try_flags(wanted | CLONE3_PIDFD, -1) : 0;

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
	return flags & flag && try_flags(flag, -1) == EINVAL ? reason : NULL;
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

	if (group_make("--into-cgroup", NULL, &into_group) != 0)
		return -1;
	error = try_flags(flags, into_group.folder);
	return error == 0 ? 0 : into_group_refused(error);
}

static int setup(void)
{
	burst = options.burst;
	if (flags & CLONE3_NEWPID && nested_pids > 0)
		return skip("--depth pid=N and --namespaces pid exclude each other: the kernel "
			    "makes no PID namespace for a child in another one");
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
	int status;

	(void)kill(pid, SIGKILL);
	(void)wait_for_child(pid, &status);
	return -1;
}

static pid_t create(void)
{
	int *fd = flags & CLONE3_PIDFD ? &descriptors->fd[descriptors->made++ % burst] : NULL;
	pid_t pid = make_child(flags, into_group.folder, fd);

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
	if (!(flags & CLONE3_PIDFD))
		return reap_child(pid);
	if (flags & CLONE3_AUTOREAP) /* nothing is left but the descriptor */
		return pidfd_ended(descriptors->fd[descriptors->reaped++ % burst]) == 0 ?
			check_status(0) :
			failure("poll:");
	return reap_by_descriptor(descriptors->fd[descriptors->reaped++ % burst]);
}

static const struct entry own_options[] = {
	{ FLAG, &by_pidfd, .usage = "pidfd: create with a process descriptor, and reap by it" },
	{ FLAG, &clear_sighand, .usage = "clear-sighand: reset the child's signal handlers" },
	{ TEXT, &flag_list,
		.usage = "flags LIST: of Linux 7.1: autoreap, autokill, nnp; the first two are "
			 "waited for by a process descriptor" },
	{ TEXT, &namespace_list,
		.usage = "namespaces LIST: give the child new ones: user, pid, net, ipc, uts, mnt, "
			 "cgroup, time; all" },
	{ TEXT, &moves,
		.usage = "cgroup-procs WAY: move the child, by cgroup.procs, into a group of v2; "
			 "or none" },
	{ 0 },
};
static const struct feature own = { .options = own_options };

const struct test test = {
	.name = "clone3",
	.summary = "clone3() of a child with a copy of the memory, which exits at once; waitpid()",
	.features = FEATURES(&group_feature, &own, &parent_feature, &depth_feature, &files_feature,
		&burst_feature),
	.supported = supported,
	.setup = setup,
	.create = create,
	.reap = reap,
};
