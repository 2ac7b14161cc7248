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
static int make_folder(const struct hierarchy *hierarchy, struct group *group)
{
	for (int i = 0; i < 100; i++) {
		snprintf(group->path, sizeof group->path, "%s/%s-%ld-%d", hierarchy->folder,
			name_of_groups(), (long)getpid(), i);
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

/* A cpuset of version 1 takes no process until it has CPUs and memory nodes: those of the
 * group above. */
static void inherit(const char *from, const struct group *group, const char *name)
{
	char path[sizeof group->path + 32], text[4096];
	int fd;

	snprintf(path, sizeof path, "%s/%s", from, name);
	if (read_file(path, text, sizeof text) <= 0)
		return;
	fd = openat(group->folder, name, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)write_all(fd, text, strlen(text));
	close(fd);
}

/* Makes an empty group.  `option` begins the messages.  0, or -1 after skip() or failure(). */
static int group_make(const char *option, const struct hierarchy *hierarchy, struct group *group)
{
	*group = (struct group){ .folder = -1, .procs = -1 };
	remove_abandoned(hierarchy->folder);
	if (make_folder(hierarchy, group) != 0) {
		group->path[0] = '\0';
		return skip("%s: %s %s", option, hierarchy->folder, group_refused(errno));
	}
	if (strcmp(hierarchy->name, "v2") != 0) {
		inherit(hierarchy->folder, group, "cpuset.cpus");
		inherit(hierarchy->folder, group, "cpuset.mems");
	}
	group->procs = openat(group->folder, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	if (group->procs < 0)
		return skip("%s: %s %s", option, group->path, group_refused(errno));
	return 0;
}

int into_group_make(void)
{
	struct hierarchy v2;

	if (hierarchies_find("v2", &v2, 1) == 0)
		return skip("--into-cgroup: %s", hierarchy_lacks_v2);
	return group_make("--into-cgroup", &v2, &into_group);
}

int into_group_refused(int error)
{
	if (error == EINVAL || error == E2BIG)
		return skip("--into-cgroup: this kernel's clone3() has no such flag (Linux 5.7 or "
			    "newer has it)");
	return skip("--into-cgroup: %s %s", into_group.path, group_refused(error));
}

/* ---- children that are moved: --cgroup-procs --------------------------------------------- */

enum { MOST = 16 };

static const char option[] = "--cgroup-procs";
static struct group groups[MOST];
static struct hierarchy hierarchies[MOST];
static size_t number;
static bool refused;
static int go[2]; /* a pipe: a byte, or its end, lets a child go on */

/* What is mounted of version 1, for a message */
static const char *mounted(void)
{
	static char names[MOST * HIERARCHY_NAME];
	struct hierarchy found[MOST];
	size_t count = hierarchies_find(NULL, found, MOST);

	snprintf(names, sizeof names, "%s", count == 0 ? "none" : "");
	for (size_t i = 0; i < count; i++) {
		strncat(names, i > 0 ? ", " : "", sizeof names - strlen(names) - 1);
		strncat(names, found[i].name, sizeof names - strlen(names) - 1);
	}
	return names;
}

static bool is_known(const struct hierarchy *hierarchy)
{
	for (size_t i = 0; i < number; i++)
		if (strcmp(hierarchies[i].folder, hierarchy->folder) == 0)
			return true;
	return false;
}

/* Adds what is not among them yet. */
static int add_all(const struct hierarchy *found, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (is_known(&found[i]))
			continue;
		if (number == MOST)
			return failure("%s: more than %d hierarchies", option, MOST);
		hierarchies[number++] = found[i];
	}
	return 0;
}

static int add(const char *word)
{
	struct hierarchy found[MOST];
	size_t count;

	if (strcmp(word, "none") == 0)
		return 0;
	if (strcmp(word, "v1") == 0)
		count = hierarchies_find(NULL, found, MOST);
	else
		count = hierarchies_find(word, found, 1);
	if (count == 0 && strcmp(word, "v2") == 0)
		return skip("%s: %s", option, hierarchy_lacks_v2);
	if (count == 0)
		return skip("%s: %s: this process has no such hierarchy of version 1; mounted are: "
			    "%s",
			option, word, mounted());
	return add_all(found, count);
}

/* Adds what a word stands for; false where it is not the name of a hierarchy.  Later words are
 * still read after one that is not mounted. */
static bool take_word(const char *word)
{
	if (*word == '\0' || strlen(word) == WORD_MAX)
		return false;
	if (!refused)
		refused = add(word) != 0;
	return true;
}

int moves_make(const char *list)
{
	static const struct word words[] = { { "v2, v1, controllers of version 1, none", 0 },
		{ NULL, 0 } };

	(void)parse_list("cgroup-procs", list, words, take_word);
	if (refused)
		return -1;
	for (size_t i = 0; i < number; i++)
		if (group_make(option, &hierarchies[i], &groups[i]) != 0)
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
	for (size_t i = 0; i < number; i++) {
		char text[24];
		int length = snprintf(text, sizeof text, "%ld\n", (long)pid);

		if (write(groups[i].procs, text, (size_t)length) != length)
			return failure("%s: %s/cgroup.procs:", option, groups[i].path);
	}
	return write_all(go[1], "g", 1) == 0 ? 0 : failure("%s: pipe:", option);
}
