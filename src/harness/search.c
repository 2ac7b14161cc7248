/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search.c - see search.h.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copies.h"
#include "harness.h"
#include "search.h"

static char place[PATH_MAX], path[PATH_MAX + 32], lost[PATH_MAX + 128];
static uint64_t made;
static bool copied;

static void name_folder(uint64_t number)
{
	snprintf(path, sizeof path, "%s/%llu", place, (unsigned long long)number);
}

static int make_path(uint64_t folders)
{
	size_t size = (size_t)folders * (strlen(place) + 8) + 1, length = 0;
	char *list = calloc(1, size);
	int result;

	if (list == NULL)
		return failure("--exec-path: out of memory");
	for (uint64_t i = 1; i <= folders; i++) {
		name_folder(i);
		if (mkdir(path, 0700) != 0) {
			free(list);
			return failure("--exec-path: %s:", path);
		}
		made = i;
		length += (size_t)snprintf(
			list + length, size - length, "%s%s", i > 1 ? ":" : "", path);
	}
	result = setenv("PATH", list, 1);
	free(list);
	return result == 0 ? 0 : failure("cannot set PATH:");
}

const char *search_setup(uint64_t folders, const char *target)
{
	size_t length;

	if (copies_make_folder(place, sizeof place) != 0 || make_path(folders) != 0)
		return NULL;
	length = strlen(path);
	snprintf(path + length, sizeof path - length, "/target"); /* in the last one */
	copied = true;
	return copies_copy(target, path) == 0 ? path : NULL;
}

const char *search_name(void)
{
	return copied ? "target" : NULL;
}

const char *search_lost(void)
{
	if (!copied || access(path, X_OK) == 0)
		return NULL;
	snprintf(lost, sizeof lost, "; %s, which the search in PATH is to find, is gone", path);
	return lost;
}

void search_teardown(void)
{
	if (copied)
		(void)unlink(path);
	copied = false;
	for (; made > 0; made--) {
		name_folder(made);
		(void)rmdir(path);
	}
	if (place[0] != '\0')
		(void)rmdir(place);
	place[0] = '\0';
}
