/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * group.c - see group.h.  A group is named by UB_CGROUP, which ./Run sets so that it finds
 * the groups of programs that were killed, or "spawnmeter", and the number of this process.
 * Its owner holds a lock on its folder.  One that nobody holds was left by a program that
 * was killed, and the next program removes it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleaner.h"
#include "group.h"
#include "harness.h"

struct group into_group;
bool into_cgroup;

static const struct entry group_options[] = {
	{ FLAG | LEAVES_FILES, &into_cgroup,
		"into-cgroup: create into a cgroup of its own (CLONE_INTO_CGROUP)" },
	{ TIME, &options.pause, "pause SECONDS: wait so long before the timed part" },
	{ 0 },
};
const struct feature group_feature = { .options = group_options };

/* The end of a message: why a group may not be used, and what would permit it */
static const char *group_refused(int error)
{
	if (error == EACCES || error == EPERM)
		return "may not be written: run as root, or in a group of your own: "
		       "systemd-run --user --scope -p Delegate=yes ...";
	if (error == EROFS)
		return "is mounted read-only: run the container with its cgroups writable";
	if (error == EBUSY)
		return "gives its processes to no group below it while controllers are enabled "
		       "there: run in another group";
	if (error == EOPNOTSUPP)
		return "is threaded: run in another group";
	return strerror(error);
}

/* ---- those that killed programs have left ----------------------------------------- */

static void remove_if_abandoned(int parent, const char *name)
{
	int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (folder < 0)
		return;
	if (flock(folder, LOCK_EX | LOCK_NB) == 0)
		(void)unlinkat(parent, name, AT_REMOVEDIR);
	close(folder);
}

static void remove_abandoned(const char *path)
{
	DIR *parent = opendir(path);
	struct dirent *entry;

	if (parent == NULL)
		return;
	while ((entry = readdir(parent)) != NULL)
		if (folders_is_own(entry->d_name))
			remove_if_abandoned(dirfd(parent), entry->d_name);
	(void)closedir(parent);
}

/* ---- making one ---------------------------------------------------------------------- */

/* UB_CGROUP, if it is one word that remove_abandoned() finds */
static const char *name_of_groups(void)
{
	const char *name = getenv("UB_CGROUP");

	if (name == NULL || !folders_is_own(name) || strchr(name, '/') || strlen(name) > 64)
		return "spawnmeter";
	return name;
}

/* False where another process has found the new folder before it was locked, and removes it */
static bool locked(struct group *group)
{
	struct stat open_one, named;

	group->folder = open(group->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (group->folder < 0)
		return false;
	if (flock(group->folder, LOCK_EX | LOCK_NB) == 0 && fstat(group->folder, &open_one) == 0 &&
		stat(group->path, &named) == 0 && named.st_ino == open_one.st_ino)
		return true;
	close(group->folder);
	group->folder = -1;
	return false;
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
		cleaner_group(group->path);
		if (locked(group))
			return 0;
	}
	return -1;
}

/* Makes an empty group.  `option` begins the messages.  0, or -1 after skip() or failure(). */
static int group_make(const char *option, struct group *group)
{
	struct hierarchy v2;

	if (!hierarchy_find("v2", &v2))
		return skip("%s: %s", option, hierarchy_lacks_v2);
	remove_abandoned(v2.folder);
	if (make_folder(v2.folder, group) != 0) {
		group->path[0] = '\0';
		return skip("%s: %s %s", option, v2.folder, group_refused(errno));
	}
	group->procs = openat(group->folder, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	if (group->procs < 0)
		return skip("%s: %s %s", option, group->path, group_refused(errno));
	return 0;
}

int into_group_make(void)
{
	return group_make("--into-cgroup", &into_group);
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
static struct group moved_to = { .procs = -1 };
static int go[2]; /* a pipe: a byte, or its end, lets a child go on */

int moves_make(const char *way)
{
	static const struct word ways[] = { { "v2", 1 }, { "none", 0 }, { NULL, 0 } };

	if (parse_list("cgroup-procs", way, ways, NULL) != 0 && group_make(option, &moved_to) != 0)
		return -1;
	return pipe(go) == 0 ? 0 : failure("%s: pipe:", option);
}

void moves_wait(void)
{
	char byte;

	close(go[1]); /* so that the end of the parent ends the wait */
	while (read(go[0], &byte, 1) < 0 && errno == EINTR)
		;
}

int moves_child(pid_t pid)
{
	char text[24];
	int length = snprintf(text, sizeof text, "%ld\n", (long)pid);

	if (moved_to.procs >= 0 && write(moved_to.procs, text, (size_t)length) != length)
		return failure("%s: %s/cgroup.procs:", option, moved_to.path);
	return write_all(go[1], "g", 1) == 0 ? 0 : failure("%s: pipe:", option);
}
