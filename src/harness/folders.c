/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folders.c - finds the folder of the programs and the folder for temporary files, and
 * creates files without a name.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "os.h"

int program_folder(char *buffer, size_t size)
{
	const char *named = getenv("UB_BINDIR");
	char *slash;

	if (named != NULL && *named != '\0') {
		if ((size_t)snprintf(buffer, size, "%s", named) < size)
			return 0;
		return failure("UB_BINDIR is too long for a path");
	}
	if (os_program_path(buffer, size) != 0 || (slash = strrchr(buffer, '/')) == NULL)
		return failure("set UB_BINDIR to the folder that holds %s", test.name);
	*slash = '\0';
	return 0;
}

const char *temporary_folder(void)
{
	const char *place = getenv("UB_TMPDIR");

	if (place == NULL || *place == '\0')
		place = getenv("TMPDIR");
	return place == NULL || *place == '\0' ? "/tmp" : place;
}

int temporary_file(void)
{
	char path[PATH_MAX];
	int fd;

	if ((size_t)snprintf(path, sizeof path, "%s/spawnmeter-XXXXXX", temporary_folder()) >=
		sizeof path) {
		errno = ENAMETOOLONG;
		return failure("cannot create a file in UB_TMPDIR:");
	}
	fd = mkstemp(path); /* mode 0600, and never an existing file */
	if (fd < 0)
		return failure("cannot create a file in %s (set UB_TMPDIR to another folder):",
			temporary_folder());
	if (unlink(path) != 0) {
		close(fd);
		return failure("%s:", path);
	}
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}
