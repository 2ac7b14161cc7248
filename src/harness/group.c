/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * group.c - see group.h.  A group is named by UB_CGROUP, which ./Run sets so that it finds
 * the groups of programs that were killed, or "spawnmeter", and the number of this process.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "group.h"
#include "harness.h"
#include "latch.h"
#include "own.h"

struct group into_group;
bool into_cgroup;

static const struct entry group_options[] = {
	{ FLAG, &into_cgroup,
		.usage = "into-cgroup: create into a cgroup of its own (CLONE_INTO_CGROUP)" },
	{ TIME, &options.pause, .usage = "pause SECONDS: wait so long before the timed part" },
	{ 0 },
};
const struct feature group_feature = { .options = group_options };

/* The end of a message: why a group may not be used, and what would permit it */
static const char *group_refused(int error)
{
	if (error == EACCES || error == EPERM)
		return "may not be written: run as root, or in a group of your own: systemd-run "
		       "--user --scope -p Delegate=yes ...";
	if (error == EROFS)
		return "is mounted read-only: run the container with its cgroups writable";
	if (error == EBUSY)
		return "gives its processes to no group below it while controllers are enabled "
		       "there: run in another group";
	if (error == EOPNOTSUPP)
		return "is threaded: run in another group";
	return strerror(error);
}

/* ---- making one ---------------------------------------------------------------------- */

/* UB_CGROUP, if it is one word that own_is() knows */
static const char *name_of_groups(void)
{
	const char *name = getenv("UB_CGROUP");

	if (name == NULL || !own_is(name) || strchr(name, '/') || strlen(name) > 64)
		return "spawnmeter";
	return name;
}

/* 0, or -1 with errno */
static int make_folder(const char *parent, struct group *group)
{
	for (int i = 0; i < 100; i++) {
		snprintf(group->path, sizeof group->path, "%s/%s-%ld-%d", parent, name_of_groups(),
			(long)getpid(), i);
		if (mkdir(group->path, 0755) != 0) {
			if (errno == EEXIST)
				continue;
			return -1;
		}
		group->folder = own_keep(group->path);
		if (group->folder >= 0)
			return 0;
	}
	return -1;
}

int group_make(const char *option, const char *parent, struct group *group)
{
	struct hierarchy v2;

	if (parent == NULL && !hierarchy_find("v2", &v2))
		return skip("%s: %s", option, hierarchy_lacks_v2);
	parent = parent != NULL ? parent : v2.folder;
	own_remove_abandoned(parent, own_is);
	if (make_folder(parent, group) != 0) {
		group->path[0] = '\0';
		return skip("%s: %s %s", option, parent, group_refused(errno));
	}
	group->procs = openat(group->folder, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	if (group->procs < 0)
		return skip("%s: %s %s", option, group->path, group_refused(errno));
	return 0;
}

int into_group_refused(int error)
{
	if (error == EINVAL || error == E2BIG)
		return skip("--into-cgroup: this kernel's clone3() has no such flag (Linux 5.7 or "
			    "newer has it)");
	return skip("--into-cgroup: %s %s", into_group.path, group_refused(error));
}

/* ---- children that are moved: --cgroup-procs --------------------------------------------- */

static const char option[] = "--cgroup-procs";
static struct group moved_to; /* its procs is 0 without one */
static struct latch latch;

int moves_make(const char *way)
{
	static const struct word ways[] = { { "v2", 1 }, { "none", 0 }, { NULL, 0 } };

	if (parse_list("cgroup-procs", way, ways, NULL) != 0 &&
		group_make(option, NULL, &moved_to) != 0)
		return -1;
	return latch_make(&latch) == 0 ? 0 : failure("%s: pipe:", option);
}

void moves_wait(void)
{
	(void)latch_wait(&latch);
}

int moves_child(pid_t pid)
{
	char text[24];
	int length = snprintf(text, sizeof text, "%ld\n", (long)pid);

	if (moved_to.procs > 0 && write(moved_to.procs, text, (size_t)length) != length)
		return failure("%s: %s/cgroup.procs:", option, moved_to.path);
	return latch_release(&latch) == 0 ? 0 : failure("%s: pipe:", option);
}
