/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writes.c - for LD_PRELOAD: writes of the program FAULT_PROGRAM to files below the folder
 * FAULT_FOLDER are interrupted (FAULT_WRITES=interrupted: every second one fails with EINTR)
 * or short (FAULT_WRITES=short: half of the bytes).  While the file FAULT_FULL exists, they
 * write half of the bytes, and then fail with ENOSPC; with FAULT_ONLY, only files with this in
 * their name.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int is_ours(int fd)
{
	const char *folder = getenv("FAULT_FOLDER"), *program = getenv("FAULT_PROGRAM");
	const char *only = getenv("FAULT_ONLY");
	char link[64], path[4096];
	ssize_t length;

	if (folder == NULL || program == NULL ||
		strcmp(program, program_invocation_short_name) != 0)
		return 0;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof path - 1);
	if (length < 0)
		return 0;
	path[length] = '\0';
	return strncmp(path, folder, strlen(folder)) == 0 &&
		(only == NULL || strstr(path, only) != NULL);
}

ssize_t write(int fd, const void *bytes, size_t length)
{
	ssize_t (*next)(int, const void *, size_t) =
		(ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
	const char *how = getenv("FAULT_WRITES"), *full = getenv("FAULT_FULL");
	static int calls, halves;

	if (!is_ours(fd))
		return next(fd, bytes, length);
	if (full != NULL && access(full, F_OK) == 0) {
		if (length > 1 && ++halves % 2 != 0)
			return next(fd, bytes, length / 2);
		errno = ENOSPC;
		return -1;
	}
	if (how != NULL && strcmp(how, "interrupted") == 0 && ++calls % 2 != 0) {
		errno = EINTR;
		return -1;
	}
	if (how != NULL && strcmp(how, "short") == 0 && length > 1)
		length /= 2;
	return next(fd, bytes, length);
}
