/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * depth.c - --depth: how deep in a container the children are created.  In PID namespaces, of which
 * a process 1 in each keeps the next one; in control groups of version 2, where this process is
 * until it ends; under layers of Landlock.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "group.h"
#include "harness.h"
#include "latch.h"
#include "util.h"

static const char *list;
static uint64_t groups, layers; /* how many of each */
uint64_t nested_pids;

static bool take_level(const char *word)
{
	static const struct kind {
		const char *name;
		uint64_t *number;
	} kinds[] = { { "pid=", &nested_pids }, { "cgroup=", &groups }, { "landlock=", &layers } };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strncmp(word, kinds[i].name, strlen(kinds[i].name)) == 0)
			return parse_count(strchr(word, '=') + 1, true, kinds[i].number) &&
				*kinds[i].number < 100;
	return false;
}

static void check(void)
{
	static const struct word words[] = { { "pid=N", 0 }, { "cgroup=N", 0 }, { "landlock=N", 0 },
		{ NULL, 0 } };

	(void)parse_list("depth", list, words, take_level);
}

static const struct entry depth_options[] = {
	{ TEXT, &list,
		.usage = "depth LIST: create below N levels of each: pid=N (PID namespaces), "
			 "cgroup=N (control groups with memory, pids and cpu), landlock=N (layers)",
		.excludes = "spawners" },
	{ 0 },
};

#ifdef __linux__
/* Why a kind of levels cannot be made, by the error */
static RARE int refused(const char *kind, uint64_t levels, int error)
{
	static const struct {
		char kind;
		int error;
		const char *why;
	} reasons[] = {
		{ 'p', EPERM, "not permitted: run as root, or permit user namespaces" },
		{ 'p', ENOSPC,
			"the kernel nests 32 PID namespaces, fewer from a container, and has at "
			"most as many as the sysctl user.max_pid_namespaces" },
		{ 'p', EINVAL, "this kernel has no PID namespaces, or this process has threads" },
		{ 'c', ENOENT,
			"memory, pids and cpu are not in cgroup.subtree_control of the group "
			"above: enable them there, or boot without version 1 of control groups" },
		{ 'l', ENOSYS, "this kernel has no Landlock (Linux 5.13 or newer has it)" },
		{ 'l', EOPNOTSUPP, "Landlock is switched off: boot with it in lsm=" },
		{ 'l', E2BIG, "the kernel has at most 16 layers, fewer in a sandbox" },
	};
	const char *why = strerror(error);

	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (reasons[i].kind == *kind && reasons[i].error == error)
			why = reasons[i].why;
	return skip("--depth %s=%llu: %s", kind, (unsigned long long)levels, why);
}

/* ---- PID namespaces ---------------------------------------------------------------------- */

static struct latch latch; /* the processes 1 wait for the end of this one */
static pid_t first_init;

/* The next child is process 1 of a new namespace, in a user namespace where the user may make no
 * other. */
static RARE bool make_namespace(void)
{
	return unshare(CLONE_NEWPID) == 0 ||
		(errno == EPERM && unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0);
}

/* Makes a namespace and its process 1, which does the same, and so on.  The answer of the last one
 * is its id as this program knows it, that of one that failed -errno.  Returns in this program
 * only.
 */
static RARE void nest_namespaces(int answers)
{
	for (uint64_t level = 0; level < nested_pids; level++) {
		pid_t pid = make_namespace() ? fork() : -1;
		int error = -errno;

		if (pid < 0)
			(void)write_all(answers, (const char *)&error, sizeof error);
		if (level == 0 && pid != 0) {
			first_init = pid;
			return;
		}
		if (pid != 0) {
			(void)latch_wait(&latch);
			_exit(0);
		}
	}
	char text[16] = "";
	int self = readlink("/proc/self", text, sizeof text - 1) > 0 ? (int)strtol(text, NULL, 10) :
								       -errno;

	(void)write_all(answers, (const char *)&self, sizeof self);
	(void)latch_wait(&latch);
	_exit(0);
}

static RARE int enter_namespaces(void)
{
	char path[64];
	int ends[2], answer = 0, fd;

	if (latch_make(&latch) != 0 || fcntl(latch.ends[1], F_SETFD, FD_CLOEXEC) != 0 ||
		pipe(ends) != 0)
		return failure("--depth: pipe:");
	nest_namespaces(ends[1]);
	(void)close(ends[1]);
	if (read(ends[0], &answer, sizeof answer) != sizeof answer || answer <= 0)
		return refused("pid", nested_pids, -answer);
	(void)close(ends[0]);
	(void)snprintf(path, sizeof path, "/proc/%d/ns/pid", answer);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWPID) != 0)
		return failure("--depth: %s:", path);
	return close(fd);
}

/* ---- control groups ---------------------------------------------------------------------- */

static struct group outermost;
static int back = -1; /* cgroup.procs of the group from which this process has come */

static RARE int put_into(int folder, const char *file, const char *text)
{
	int fd = openat(folder, file, O_WRONLY | O_CLOEXEC);
	int result = fd < 0 ? -1 : write_all(fd, text, strlen(text));

	if (fd >= 0)
		(void)close(fd);
	return result;
}

/* Makes the groups below that one, all with the controllers, and puts this process into the last.
 */
static RARE int descend(int folder)
{
	for (uint64_t level = 1; level < groups && folder >= 0; level++) {
		int above = folder;

		folder = -1;
		if (put_into(above, "cgroup.subtree_control", "+memory +pids +cpu") == 0 &&
			mkdirat(above, "d", 0755) == 0)
			folder = openat(above, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (above != outermost.folder)
			(void)close(above);
	}
	return folder < 0 ? -1 : put_into(folder, "cgroup.procs", "0");
}

/* The outermost group is made beside that of this process, where systems enable the controllers, or
 * in the root: a group that has processes gives no controllers to those below it. */
static RARE int enter_groups(void)
{
	struct hierarchy v2;
	char file[sizeof v2.folder + 32], *slash;

	if (!hierarchy_find("v2", &v2))
		return skip("--depth: %s", hierarchy_lacks_v2);
	(void)snprintf(file, sizeof file, "%s/cgroup.procs", v2.folder);
	back = open(file, O_WRONLY | O_CLOEXEC);
	slash = strrchr(v2.folder, '/');
	if (strlen(v2.folder) > v2.mounted && slash != NULL)
		*slash = '\0';
	if (back < 0 || group_make("--depth", v2.folder, &outermost) != 0)
		return refused("cgroup", groups, errno);
	if (faccessat(outermost.folder, "memory.max", F_OK, 0) != 0 ||
		faccessat(outermost.folder, "pids.max", F_OK, 0) != 0 ||
		faccessat(outermost.folder, "cpu.max", F_OK, 0) != 0 ||
		descend(outermost.folder) != 0)
		return refused("cgroup", groups, errno);
	return 0;
}

/* ---- Landlock, as in linux/landlock.h, which older systems lack -------------------------- */

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

/* Each layer permits all below /: to read, and to execute, for which the kernel looks for the rule
 * of each layer from the file up to /. */
static RARE int enter_layers(void)
{
	enum { EXECUTE = 1, READ_FILE = 4, READ_DIR = 8, PATH_BENEATH = 1 };
	const uint64_t handled = EXECUTE | READ_FILE | READ_DIR;
	struct __attribute__((packed)) {
		uint64_t allowed;
		int32_t parent;
	} rule = { handled, open("/", O_PATH | O_CLOEXEC) };
	int ruleset = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
	bool done = ruleset >= 0 &&
		syscall(SYS_landlock_add_rule, ruleset, PATH_BENEATH, &rule, 0) == 0 &&
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;

	for (uint64_t layer = 0; done && layer < layers; layer++)
		done = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
	if (!done)
		return refused("landlock", layers, errno);
	(void)close(rule.parent);
	return close(ruleset);
}

static RARE int setup(void)
{
	if ((nested_pids > 0 && enter_namespaces() != 0) || (groups > 0 && enter_groups() != 0))
		return -1;
	return layers > 0 ? enter_layers() : 0;
}

/* Leaves the groups, which own.c then removes.  A namespace ends when all that were in it have been
 * reaped. */
static RARE void leave(void)
{
	if (back >= 0)
		(void)!write(back, "0", 1);
	if (first_init <= 0)
		return;
	(void)kill(first_init, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}
#else
static RARE int setup(void)
{
	return skip("--depth: only Linux has these");
}
#define leave NULL
#endif

const struct feature depth_feature = {
	.options = depth_options, .check = check, .setup = setup, .end = leave
};
