/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup.c - finds the groups of this process in /proc/self/cgroup and walks up to the
 * root, since an ancestor may have the tightest limit.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup.h"
#include "util.h"

struct place {
	char folder[4096]; /* of the group itself */
	size_t root;       /* length of the part that is the mount point */
};

/* Finds /a/b in the line "5:memory:/a/b" (version 1) or "0::/a/b" (version 2). */
static bool group_path(const char *list, const char *controller, char *path, size_t size)
{
	char wanted[64];
	const char *line, *end, *names;

	snprintf(wanted, sizeof wanted, ":%s:", controller);
	for (line = list; *line != '\0'; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		names = strchr(line, ':');
		if (names == NULL || names >= end || strncmp(names, wanted, strlen(wanted)) != 0)
			continue;
		names += strlen(wanted);
		if ((size_t)(end - names) >= size)
			return false;
		memcpy(path, names, (size_t)(end - names));
		path[end - names] = '\0';
		return true;
	}
	return false;
}

/* Finds the folder of this process's group: in version 1 by controller, else version 2. */
static bool find_group(const char *controller, struct place *place)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	char list[4096], path[2048];
	int root;

	if (read_file("/proc/self/cgroup", list, sizeof list) < 0)
		return false;
	if (group_path(list, controller, path, sizeof path)) {
		root = snprintf(
			place->folder, sizeof place->folder, "/sys/fs/cgroup/%s", controller);
		place->root = (size_t)root;
		snprintf(place->folder + root, sizeof place->folder - place->root, "%s", path);
		return true;
	}
	if (!group_path(list, "", path, sizeof path))
		return false;
	for (size_t i = 0; i < sizeof mounts / sizeof *mounts; i++) {
		place->root = strlen(mounts[i]);
		snprintf(place->folder, sizeof place->folder, "%s/cgroup.controllers", mounts[i]);
		if (access(place->folder, R_OK) != 0)
			continue;
		snprintf(place->folder, sizeof place->folder, "%s%s", mounts[i], path);
		return true;
	}
	return false;
}

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
	struct place place;
	uint64_t least = UINT64_MAX, l, u;
	bool memory = strcmp(controller, "memory") == 0;

	if (!find_group(controller, &place))
		return -1;
	for (;;) {
		for (int version = 0; version < 2; version++) {
			if (!number_in(place.folder, limit_names[version], &l) ||
				!number_in(place.folder, used_names[version], &u))
				continue;
			uint64_t back = memory ? inactive_files(place.folder) : 0;

			u = u > back ? u - back : 0;
			uint64_t left = u < l ? l - u : 0;

			if (left < least) {
				least = left;
				*limit = l;
				*used = u;
			}
		}
		char *slash = strrchr(place.folder, '/');

		if (slash == NULL || (size_t)(slash - place.folder) < place.root)
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
