/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"
#include "own.h"

enum { MOST = 8, RANDOM = 6 /* characters that mkdtemp() makes */ };

static char to_remove[MOST][PATH_MAX];
static size_t count;

bool own_is(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash != NULL ? slash + 1 : path, OWN_PREFIX, sizeof OWN_PREFIX - 1) == 0;
}

/* ---- removing ---------------------------------------------------------------------------- */

static bool remove_entry(int parent, const char *name);

static bool is_mine(const struct stat *status)
{
	return status->st_uid == geteuid();
}

/* remove_entry() and empty_folder() call each other as deep as a tree has folders; each has a
 * descriptor open, so their limit ends it. NOLINTBEGIN(misc-no-recursion) */

/* The owner of the folder that was opened counts: another user may put something else in the place
 * of a name at any moment. */
static void empty_folder(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	struct stat status;

	if (folder == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	if (fstat(fd, &status) == 0 && is_mine(&status))
		while ((entry = readdir(folder)) != NULL)
			if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
				(void)remove_entry(fd, entry->d_name);
	(void)closedir(folder);
}

/* True where it is gone, or another user's.  Symbolic links are removed, not followed; a control
 * group is removed with the files that it seems to have. */
static bool remove_entry(int parent, const char *name)
{
	struct stat status;

	if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !is_mine(&status))
		return true;
	if (!S_ISDIR(status.st_mode))
		return unlinkat(parent, name, 0) == 0;
	if (unlinkat(parent, name, AT_REMOVEDIR) == 0)
		return true;
	empty_folder(parent, name);
	return unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

/* NOLINTEND(misc-no-recursion) */

/* The processes of a group may need a moment to end, and some systems skip entries of a folder that
 * changes: at most a second. */
static void remove_own(void)
{
	static const struct timespec moment = { 0, 5000000 };

	while (count > 0) {
		const char *path = to_remove[--count];

		for (int i = 0; i < 200 && own_is(path) && !remove_entry(AT_FDCWD, path); i++)
			(void)nanosleep(&moment, NULL);
	}
}

void own_remove_at_end(const char *path)
{
	if (count < MOST)
		(void)snprintf(to_remove[count++], PATH_MAX, "%s", path);
	at_end = remove_own;
}

static void remove_unlocked(DIR *parent, bool (*is_one)(const char *name))
{
	struct dirent *entry;

	while ((entry = readdir(parent)) != NULL) {
		int folder = -1;

		if (is_one(entry->d_name))
			folder = openat(dirfd(parent), entry->d_name,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (folder < 0)
			continue;
		if (flock(folder, LOCK_EX | LOCK_NB) == 0)
			(void)remove_entry(dirfd(parent), entry->d_name);
		(void)close(folder);
	}
}

/* A child does it: what reads a folder has a heap, which the forks that are measured would copy. */
void own_remove_abandoned(const char *parent, bool (*is_one)(const char *name))
{
	pid_t pid = fork();

	if (pid == 0) {
		DIR *folder = opendir(parent);

		if (folder != NULL)
			remove_unlocked(folder, is_one);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* ---- making ------------------------------------------------------------------------------ */

/* A file system without locks has none to be taken away.  The later images of a test that executes
 * itself keep the lock. */
int own_keep(const char *path)
{
	int flags = O_RDONLY | O_DIRECTORY | (test.again == NULL ? O_CLOEXEC : 0);
	int folder = open(path, flags);
	struct stat opened, named;

	if (folder >= 0 && (flock(folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
		fstat(folder, &opened) == 0 && stat(path, &named) == 0 &&
		named.st_ino == opened.st_ino) {
		own_remove_at_end(path);
		return folder;
	}
	if (folder >= 0)
		(void)close(folder);
	return -1;
}

/* True for the name of a program's folder; those of ./Run are longer. */
static bool is_folder(const char *name)
{
	return own_is(name) && strlen(name) == sizeof OWN_PREFIX - 1 + RANDOM;
}

int own_make_folder(char *folder, size_t size)
{
	const char *place = temporary_folder();

	own_remove_abandoned(place, is_folder);
	for (int tries = 0; tries < 100; tries++) {
		errno = ENAMETOOLONG; /* mkdtemp() has others */
		if ((size_t)snprintf(folder, size, "%s/" OWN_PREFIX "XXXXXX", place) >= size - 32 ||
			mkdtemp(folder) == NULL)
			break;
		if (own_keep(folder) >= 0)
			return 0;
	}
	folder[0] = '\0';
	return failure("cannot create a folder for copies of the target in %s:", place);
}
