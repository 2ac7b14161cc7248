/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.c - the folders of PATH in which a launch finds its targets.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/harness.h"
#include "harness/mix.h"
#include "launch/launch.h"

extern char **environ;

static const char *name_in(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* The first of the folders, up to the program's own, that has an executable file of its name */
static const char *first_with(const char *path, char *folders[], size_t count)
{
	static char other[PATH_MAX];

	for (size_t i = 0; i < count; i++) {
		snprintf(other, sizeof other, "%s/%s", folders[i], name_in(path));
		if (access(other, X_OK) == 0)
			return other;
	}
	return path;
}

static bool is_among(char *folders[], size_t count, const char *folder)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(folders[i], folder) == 0)
			return true;
	return false;
}

/* Adds the folder of a program that the search must find there.  0, or -1 after failure(). */
static int add_folder(char *folders[], size_t *count, const char *path)
{
	size_t length = (size_t)(name_in(path) - path);
	const char *found;

	folders[*count] = strndup(path, length > 1 ? length - 1 : 1);
	if (folders[*count] == NULL)
		return failure("cannot set PATH:");
	if (is_among(folders, *count, folders[*count]))
		free(folders[*count]);
	else
		++*count;
	found = first_with(path, folders, *count);
	return strcmp(found, path) == 0 ?
		0 :
		failure("--mix: the search in PATH would find %s; leave path out of --with", found);
}

int launch_set_path(void)
{
	enum { ROOM = 65536 };
	char *folders[MIX_MOST], *list = calloc(1, ROOM);
	bool inherited = target_environ == environ;
	size_t count = 0, length = 0;
	int result = 0;

	if (list == NULL)
		return failure("cannot set PATH:");
	for (size_t i = 0; result == 0 && (i == 0 || i < mix_count()); i++)
		result = add_folder(folders, &count, next_target());
	for (size_t i = 0; i < count; i++) {
		if (result == 0 && length < ROOM)
			length += (size_t)snprintf(
				list + length, ROOM - length, "%s%s", i > 0 ? ":" : "", folders[i]);
		free(folders[i]);
	}
	if (result == 0 && (length >= ROOM || setenv("PATH", list, 1) != 0))
		result = failure("cannot set PATH:");
	free(list);
	if (inherited)
		target_environ = environ;
	return result;
}
