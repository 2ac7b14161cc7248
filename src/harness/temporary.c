/*
 * temporary.c - files that are gone with the process that made them.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"

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

	if ((size_t)snprintf(path, sizeof path, "%s/spawnbench-XXXXXX", temporary_folder()) >= sizeof path) {
		errno = ENAMETOOLONG;
		return failure("a file in UB_TMPDIR:");
	}
	fd = mkstemp(path);             /* mode 0600, and never one that is there already */
	if (fd < 0)
		return failure("a file in %s (UB_TMPDIR names another folder):", temporary_folder());
	if (unlink(path) != 0) {
		close(fd);
		return failure("%s:", path);
	}
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}
