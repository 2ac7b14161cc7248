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
#include "own.h"

WRITTEN const char *invoked_as = "";

/* An empty folder is the current one. */
const char *in_path(const char *name)
{
	static char path[PATH_MAX];
	const char *folder = getenv("PATH");

	while (folder != NULL && *name != '\0' && strchr(name, '/') == NULL) {
		int length = (int)strcspn(folder, ":");

		if ((size_t)snprintf(path, sizeof path, "%.*s%s%s", length > 0 ? length : 1,
			    length > 0 ? folder : ".", length == 1 && *folder == '/' ? "" : "/",
			    name) < sizeof path &&
			access(path, X_OK) == 0)
			return path;
		folder = folder[length] != '\0' ? folder + length + 1 : NULL;
	}
	return name;
}

/* A test may change the folder before it starts its target.  What is missing stays as it is. */
static void make_absolute(char *buffer, size_t size)
{
	char path[PATH_MAX];

	if (buffer[0] != '/' && realpath(buffer, path) != NULL && strlen(path) < size)
		(void)snprintf(buffer, size, "%s", path);
}

int program_folder(char *buffer, size_t size)
{
	const char *named = getenv("UB_BINDIR");
	char *slash;

	if (named != NULL && *named != '\0') {
		if ((size_t)snprintf(buffer, size, "%s", named) >= size)
			return failure("UB_BINDIR is too long for a path");
		make_absolute(buffer, size);
		return 0;
	}
	/* else as a shell did: argument 0 is a path, or a name in a folder of PATH */
	if ((os_program_path(buffer, size) != 0 &&
		    (size_t)snprintf(buffer, size, "%s", in_path(invoked_as)) >= size) ||
		(slash = strrchr(buffer, '/')) == NULL)
		return failure("set UB_BINDIR to the folder that holds %s", test.name);
	*slash = '\0';
	make_absolute(buffer, size);
	return 0;
}

const char *temporary_folder(void)
{
	static char absolute[PATH_MAX];
	const char *place = getenv("UB_TMPDIR");

	if (place == NULL || *place == '\0')
		place = getenv("TMPDIR");
	if (place == NULL || *place == '\0')
		return "/tmp";
	return *place != '/' && realpath(place, absolute) != NULL ? absolute : place;
}

int temporary_file(void)
{
	char path[PATH_MAX];
	int fd;

	if ((size_t)snprintf(path, sizeof path, "%s/" OWN_PREFIX "XXXXXX", temporary_folder()) >=
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
