/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hierarchy.c - see hierarchy.h.  /proc/self/cgroup has a line "5:cpu,cpuacct:/a/b" for each
 * hierarchy of version 1, and "0::/a/b" for version 2; /proc/self/mountinfo has where they
 * are mounted, and which part of each (proc(5)).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hierarchy.h"

const char hierarchy_lacks_v2[] =
	"the group of this process is not below a mounted cgroup2 file system: mount one (mount "
	"-t cgroup2 none FOLDER), or give the container its own (a private cgroup namespace)";

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
			*to++ = (char)strtol(digits, NULL, 8);
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
	return (size_t)snprintf(found->folder, sizeof found->folder, "%s%s", mount->point, path) <
		sizeof found->folder;
}

/* Finds the folder of the group "path" in the hierarchy found->name. */
static bool find_folder(const char *path, struct hierarchy *found)
{
	FILE *in = fopen("/proc/self/mountinfo", "re");
	struct mount mount;
	char *line = NULL;
	size_t size = 0;
	bool placed = false;

	while (in != NULL && !placed && getline(&line, &size, in) >= 0)
		placed = parse(line, &mount) && is_hierarchy(&mount, found->name) &&
			place(&mount, path, found);
	free(line);
	if (in != NULL)
		(void)fclose(in);
	return placed;
}

/* Splits "5:cpu,cpuacct:/a/b".  False if it is no such line, or too long. */
static bool split(char *line, char **controllers, char **path)
{
	line[strcspn(line, "\n")] = '\0';
	*controllers = strchr(line, ':');
	*path = *controllers != NULL ? strchr(*controllers + 1, ':') : NULL;
	if (*path == NULL)
		return false;
	*(*controllers)++ = '\0';
	*(*path)++ = '\0';
	return strlen(*controllers) < HIERARCHY_NAME;
}

/* The name that a line stands for: its first controller; "v2" */
static void set_name(const char *controllers, struct hierarchy *found)
{
	size_t length = strcspn(controllers, ",");

	memcpy(found->name, controllers, length);
	found->name[length] = '\0';
	if (length == 0)
		strcpy(found->name, "v2");
}

/* Those of /proc/self/cgroup that the name stands for; NULL: all of version 1 */
static size_t find(const char *name, struct hierarchy *found, size_t most)
{
	FILE *in = fopen("/proc/self/cgroup", "re");
	char named[HIERARCHY_NAME + 8] = "", *line = NULL, *controllers, *path;
	size_t size = 0, number = 0;

	if (name != NULL)
		snprintf(named, sizeof named, "name=%.*s", HIERARCHY_NAME, name);
	while (in != NULL && number < most && getline(&line, &size, in) >= 0) {
		if (!split(line, &controllers, &path))
			continue;
		set_name(controllers, &found[number]);
		if (name == NULL ? *controllers != '\0' :
				   (strcmp(found[number].name, name) == 0 ||
					   has_word(controllers, name) ||
					   has_word(controllers, named)))
			number += find_folder(path, &found[number]);
	}
	free(line);
	if (in != NULL)
		(void)fclose(in);
	return number;
}

bool hierarchy_find(const char *name, struct hierarchy *found)
{
	return find(name, found, 1) == 1;
}

size_t hierarchies_of_version_1(struct hierarchy *found, size_t most)
{
	return find(NULL, found, most);
}
