/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copies.h"
#include "harness.h"
#include "own.h"
#include "util.h"

/* The names of --targets, in memory of their own: each has name_size bytes. */
static char *names;
static size_t name_size;
static uint64_t copied;

static int copy_bytes(int in, int out)
{
	static char block[65536];
	ssize_t length;

	while ((length = read(in, block, sizeof block)) > 0)
		if (write_all(out, block, (size_t)length) != 0)
			return -1;
	return length == 0 ? 0 : -1;
}

int copies_copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out, result = 0;

	if (in < 0)
		return failure("%s:", from);
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	if (out < 0) {
		close(in);
		return failure("%s:", to);
	}
	if (copy_bytes(in, out) != 0)
		result = failure("cannot copy the target to %s:", to);
	close(in);
	if (close(out) != 0)
		result = failure("cannot copy the target to %s:", to);
	return result;
}

/* Ahead of the timed part, and shared with the children, so that no fork copies them. */
static int name_copies(const char *folder, uint64_t count)
{
	name_size = strlen(folder) + sizeof "/target18446744073709551615";
	names = shared_memory((size_t)count * name_size);
	if (names == NULL)
		return failure("cannot name %llu copies of the target:", (unsigned long long)count);
	for (uint64_t i = 0; i < count; i++)
		snprintf(names + i * name_size, name_size, "%s/target%llu", folder,
			(unsigned long long)i);
	return 0;
}

int copies_make(const char *from, const char *folder, uint64_t count)
{
	if (name_copies(folder, count) != 0)
		return -1;
	while (copied < count && !stop_signal)
		if (copies_copy(from, copies_name(copied++)) != 0)
			return -1;
	return 0;
}

uint64_t copies_count(void)
{
	return copied;
}

const char *copies_name(uint64_t number)
{
	return names + number * name_size;
}

int copy_refused(void)
{
	return failure("cannot run the copies of the target in %s: the file system may be mounted "
		       "noexec (set UB_TMPDIR to another folder):",
		temporary_folder());
}

/* Some targets look for their libraries in the folder libraries beside them. */
static void link_libraries(const char *folder)
{
	char name[PATH_MAX + 32], ours[PATH_MAX], theirs[PATH_MAX + 32];
	int missing;

	if (program_folder(ours, sizeof ours) != 0)
		return;
	(void)snprintf(name, sizeof name, "%s/libraries", folder);
	(void)snprintf(theirs, sizeof theirs, "%s/libraries", ours);
	missing = symlink(theirs, name);
	(void)missing; /* only those targets lack it; glibc warns of a result that nobody takes */
}

int copies_make_folder(char *folder, size_t size)
{
	if (own_make_folder(folder, size) != 0)
		return -1;
	link_libraries(folder);
	return 0;
}

const char *copy_program(const char *path)
{
	static char copy[PATH_MAX + 32];
	size_t length;

	if (copies_make_folder(copy, sizeof copy) != 0)
		return NULL;
	length = strlen(copy);
	snprintf(copy + length, sizeof copy - length, "/own");
	return copies_copy(path, copy) == 0 ? copy : NULL;
}

/* ---- a target that is found by a search in PATH ------------------------------------------ */

uint64_t search_folders;
static char place[PATH_MAX], path[PATH_MAX + 32], lost[PATH_MAX + 128];
static bool found;

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
		length += (size_t)snprintf(
			list + length, size - length, "%s%s", i > 1 ? ":" : "", path);
	}
	result = setenv("PATH", list, 1);
	free(list);
	return result == 0 ? 0 : failure("cannot set PATH:");
}

const char *search_setup(const char *target)
{
	size_t length;

	if (copies_make_folder(place, sizeof place) != 0 || make_path(search_folders) != 0)
		return NULL;
	length = strlen(path);
	snprintf(path + length, sizeof path - length, "/target"); /* in the last one */
	found = true;
	return copies_copy(target, path) == 0 ? path : NULL;
}

const char *search_name(void)
{
	return found ? "target" : NULL;
}

const char *search_lost(void)
{
	if (!found || access(path, X_OK) == 0)
		return NULL;
	snprintf(lost, sizeof lost, "; %s, which the search in PATH is to find, is gone", path);
	return lost;
}

static const struct entry search_options[] = {
	{ POSITIVE, &search_folders,
		.usage = "exec-path N: find the target in the last of N folders of PATH (at most "
			 "256)",
		.most = 256, .excludes = "own-target environment" },
	{ 0 },
};
const struct feature search_feature = { .options = search_options };

/* ---- a copy of the target ---------------------------------------------------------------- */

bool own_target;

static const struct entry own_target_options[] = {
	{ FLAG, &own_target,
		.usage = "own-target: run a copy of the target that no other process runs" },
	{ 0 },
};
const struct feature own_target_feature = { .options = own_target_options };
