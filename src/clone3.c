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
static bool moves; /* --cgroup-procs */

/* --pidfd: the descriptors of the children of a burst */
static struct descriptors {
	uint64_t made, reaped;
	int fd[];
} * descriptors;

/* ---- --namespaces ------------------------------------------------------------------ */

static const struct {
	const char *name;
	uint64_t flag;
	const char *limit; /* its sysctl */
} namespaces[] = {
	{ "user", CLONE3_NEWUSER, "user.max_user_namespaces" },
	{ "pid", CLONE3_NEWPID, "user.max_pid_namespaces" },
	{ "net", CLONE3_NEWNET, "user.max_net_namespaces" },
	{ "ipc", CLONE3_NEWIPC, "user.max_ipc_namespaces" },
	{ "uts", CLONE3_NEWUTS, "user.max_uts_namespaces" },
	{ "mnt", CLONE3_NEWNS, "user.max_mnt_namespaces" },
	{ "cgroup", CLONE3_NEWCGROUP, "user.max_cgroup_namespaces" },
	{ "time", CLONE3_NEWTIME, "user.max_time_namespaces" },
};
enum { NAMESPACES = sizeof namespaces / sizeof *namespaces };

static uint64_t flag_of(const char *word, size_t length)
{
	uint64_t all = 0;

	for (int i = 0; i < NAMESPACES; i++) {
		all |= namespaces[i].flag;
		if (strlen(namespaces[i].name) == length &&
			strncmp(namespaces[i].name, word, length) == 0)
			return namespaces[i].flag;
	}
	return length == 3 && strncmp(word, "all", length) == 0 ? all : 0;
}

/* The flags of a list like "user,pid", or "user+pid"; NULL: 0.  An empty word is an error, too. */
static uint64_t namespaces_flags(const char *list)
{
	uint64_t flags = 0;

	for (const char *word = list; word != NULL;) {
		size_t length = strcspn(word, ",+");
		uint64_t flag = flag_of(word, length);

		if (flag == 0)
			usage_error("--namespaces: '%.*s' is not a namespace; there are user, pid, "
				    "net, ipc, uts, mnt, cgroup, time, all",
				length < 32 ? (int)length : 32, word);
		flags |= flag;
		word = word[length] != '\0' ? word + length + 1 : NULL;
	}
	return flags;
}

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
			"--namespaces: %s: the limit is reached: raise the sysctl %s", name,
			namespaces[i].limit);
	else if (error == EPERM)
		snprintf(reason, sizeof reason, "--namespaces: %s is not permitted: %s", name,
			permission(namespaces[i].flag, flags));
	else
		snprintf(reason, sizeof reason, "--namespaces: %s: %s", name, strerror(error));
	return reason;
}

/* NULL, or the first of these that this process may not create, why, and what would permit it.  The
 * user namespace with each: in it the others need no privilege. */
static const char *namespaces_lack(uint64_t flags)
{
	for (int i = 0; i < NAMESPACES; i++) {
		uint64_t one = namespaces[i].flag;
		int error = flags & one ? clone3_try(one | (flags & CLONE3_NEWUSER), -1) : 0;

		if (error != 0)
			return lacking(i, flags, error);
	}
	return NULL;
}

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
