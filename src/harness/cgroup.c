/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup.c - see cgroup.h.  /proc/self/cgroup has a line "5:cpu,cpuacct:/a/b" for each
 * hierarchy of version 1, and "0::/a/b" for version 2; /proc/self/mountinfo has where they
 * are mounted, and which part of each (proc(5)).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "group.h"
#include "util.h"

const char hierarchy_lacks_v2[] =
	"the group of this process is not below a mounted cgroup2 file system: mount one (mount -t "
	"cgroup2 none FOLDER), or give the container its own (a private cgroup namespace)";

/* What is mounted at one place, from a line of mountinfo, into which all point */
struct mount {
	char *root, *point, *type, *options;
};

/* True if the list of words between commas has this one. */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (;; list++) {
		size_t found = strcspn(list, ",");

		if (found == length && strncmp(list, word, length) == 0)
			return true;
		list += found;
		if (*list == '\0')
			return false;
	}
}

/* A blank stands there as \040, and so do tab, line feed and backslash. */
static void decode(char *text)
{
	char *to = text;

	for (; *text != '\0'; text++) {
		char digits[4] = "";

		if (*text == '\\' && strlen(text) > 3) {
			memcpy(digits, text + 1, 3);
			*to++ = (char)strtoull(digits, NULL, 8);
			text += 3;
		} else
			*to++ = *text;
	}
	*to = '\0';
}

/* "36 35 98:0 /root /point rw,noatime shared:1 - type source options" */
static bool parse(char *line, struct mount *mount)
{
	enum { ROOT = 3, POINT = 4, FIELDS = 5 };
	char *end = strstr(line, " - "), *save = NULL, *field[FIELDS];

	if (end == NULL)
		return false;
	*end = '\0';
	for (int i = 0; i < FIELDS; i++)
		if ((field[i] = strtok_r(i == 0 ? line : NULL, " ", &save)) == NULL)
			return false;
	mount->root = field[ROOT];
	mount->point = field[POINT];
	mount->type = strtok_r(end + 3, " ", &save);
	(void)strtok_r(NULL, " ", &save); /* its source */
	mount->options = strtok_r(NULL, " \n", &save);
	decode(mount->root);
	decode(mount->point);
	return mount->type != NULL && mount->options != NULL;
}

static bool is_hierarchy(const struct mount *mount, const char *name)
{
	if (strcmp(name, "v2") == 0)
		return strcmp(mount->type, "cgroup2") == 0;
	return strcmp(mount->type, "cgroup") == 0 && has_word(mount->options, name);
}

/* The group "path" as a folder below that place; false if it lies outside of it */
static bool place(const struct mount *mount, const char *path, struct hierarchy *found)
{
	size_t length = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root);

	if (strncmp(path, mount->root, length) != 0 || strncmp(path, "/..", 3) == 0)
		return false;
	path += length;
	if (*path != '\0' && *path != '/')
		return false;
	if (strcmp(path, "/") == 0)
		path = "";
	found->mounted = strlen(mount->point);
	return (size_t)snprintf(found->folder, sizeof found->folder, "%s%s", mount->point, path) <
		sizeof found->folder;
}

/* Finds the folder of the group "path" in that hierarchy. */
static bool find_folder(const char *name, const char *path, struct hierarchy *found)
{
	char *text = map_text("/proc/self/mountinfo"), *save = NULL;
	struct mount mount;
	bool placed = false;

	if (text == NULL)
		return false;
	for (char *line = strtok_r(text, "\n", &save); line != NULL && !placed;
		line = strtok_r(NULL, "\n", &save))
		placed = parse(line, &mount) && is_hierarchy(&mount, name) &&
			place(&mount, path, found);
	(void)munmap(text, TEXT_SIZE);
	return placed;
}

/* The path in a line "5:cpu,cpuacct:/a/b" of that hierarchy, or NULL */
static const char *path_in(char *line, const char *name)
{
	char *controllers = strchr(line, ':');
	char *path = controllers != NULL ? strchr(++controllers, ':') : NULL;

	if (path == NULL)
		return NULL;
	*path++ = '\0';
	if (strcmp(name, "v2") == 0 ? *controllers == '\0' : has_word(controllers, name))
		return path;
	return NULL;
}

bool hierarchy_find(const char *name, struct hierarchy *found)
{
	char *text = map_text("/proc/self/cgroup"), *save = NULL;
	const char *path = NULL;
	bool placed;

	if (text == NULL)
		return false;
	for (char *line = strtok_r(text, "\n", &save); line != NULL && path == NULL;
		line = strtok_r(NULL, "\n", &save))
		path = path_in(line, name);
	placed = path != NULL && find_folder(name, path, found);
	(void)munmap(text, TEXT_SIZE);
	return placed;
}

/* ---- limits: of the own group and all above it, since one of these may have the tightest ---- */

static bool number_in(const char *folder, const char *file, uint64_t *number)
{
	char path[4200], text[64];

	snprintf(path, sizeof path, "%s/%s", folder, file);
	if (read_file(path, text, sizeof text) <= 0 || text[0] < '0' || text[0] > '9')
		return false; /* "max" means no limit */
	*number = strtoull(text, NULL, 10);
	return true;
}

/* Cached file contents that the kernel takes back before a group has no memory left; version 1
 * has the number with the groups below in a line of its own. */
static uint64_t inactive_files(const char *folder)
{
	static const char *const names[2] = { "\ntotal_inactive_file ", "\ninactive_file " };
	char path[4200], text[8192];

	snprintf(path, sizeof path, "%s/memory.stat", folder);
	if (read_file(path, text, sizeof text) <= 0)
		return 0;
	for (int i = 0; i < 2; i++) {
		const char *found = strstr(text, names[i]);

		if (found != NULL)
			return strtoull(found + strlen(names[i]), NULL, 10);
	}
	return 0;
}

/* Finds the group with the least left, from this process's own up to the root. */
static int tightest(const char *controller, const char *const limit_names[2],
	const char *const used_names[2], uint64_t *limit, uint64_t *used)
{
	struct hierarchy group;
	uint64_t least = UINT64_MAX, l, u;
	bool memory = strcmp(controller, "memory") == 0;

	if (!hierarchy_find(controller, &group) && !hierarchy_find("v2", &group))
		return -1;
	for (;;) {
		for (int version = 0; version < 2; version++) {
			if (!number_in(group.folder, limit_names[version], &l) ||
				!number_in(group.folder, used_names[version], &u))
				continue;
			uint64_t back = memory ? inactive_files(group.folder) : 0;

			u = u > back ? u - back : 0;
			uint64_t left = u < l ? l - u : 0;

			if (left < least) {
				least = left;
				*limit = l;
				*used = u;
			}
		}
		char *slash = strrchr(group.folder, '/');

		if (slash == NULL || (size_t)(slash - group.folder) < group.mounted)
			return least == UINT64_MAX ? -1 : 0;
		*slash = '\0';
	}
}

uint64_t cgroup_memory_left(void)
{
	static const char *const limits[2] = { "memory.max", "memory.limit_in_bytes" };
	static const char *const use[2] = { "memory.current", "memory.usage_in_bytes" };
	uint64_t limit, used;

	if (tightest("memory", limits, use, &limit, &used) != 0 || limit > UINT64_MAX / 4)
		return UINT64_MAX;
	return used < limit ? limit - used : 0;
}

int cgroup_pids(uint64_t *limit, uint64_t *used)
{
	static const char *const limits[2] = { "pids.max", "pids.max" };
	static const char *const use[2] = { "pids.current", "pids.current" };

	return tightest("pids", limits, use, limit, used);
}
