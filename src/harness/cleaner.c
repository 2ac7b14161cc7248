/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cleaner.c - see cleaner.h.  A message on the socket is 'd' (a folder) or 'g' (a group), a
 * path and a 0 byte.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cleaner.h"
#include "harness.h"
#include "os.h"
#include "util.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

static int end = -1; /* of the socket */

/* The messages that were sent, and those that the cleaner has got; later images of a program that
 * executes itself have none */
enum { TOLD = 20 * (PATH_MAX + 512) };
static char told[TOLD];
static size_t told_length;

/* ---- the cleaner ----------------------------------------------------------------------- */

static bool is_own(const struct stat *status)
{
	return status->st_uid == geteuid();
}

static bool remove_entry(int parent, const char *name);

/* They call each other as deep as a tree has folders; each has a descriptor open, so their limit
 * ends it.
 * NOLINTBEGIN(misc-no-recursion) */

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
	if (fstat(fd, &status) == 0 && is_own(&status))
		while ((entry = readdir(folder)) != NULL)
			if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
				(void)remove_entry(fd, entry->d_name);
	(void)closedir(folder);
}

/* False where it is gone, or another user's.  Symbolic links are removed, not followed. */
static bool remove_entry(int parent, const char *name)
{
	struct stat status;

	if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !is_own(&status))
		return false;
	if (S_ISDIR(status.st_mode))
		empty_folder(parent, name);
	(void)unlinkat(parent, name, S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0);
	return true;
}

/* NOLINTEND(misc-no-recursion) */

/* Some systems skip entries of a folder that changes. */
static void remove_tree(const char *path)
{
	enum { TIMES = 100 };

	for (int i = 0; i < TIMES && remove_entry(AT_FDCWD, path); i++)
		;
}

/* Its processes may need a moment to end: at most a second. */
static void remove_group(const char *path)
{
	static const struct timespec moment = { 0, 5000000 };

	for (int i = 0; i < 200 && rmdir(path) != 0 && errno == EBUSY; i++)
		(void)nanosleep(&moment, NULL);
}

/* No message can make it remove what no program has made, nor one that is not whole: the program
 * was killed while it wrote. */
static void remove_all(void)
{
	const char *m = told, *last;
	size_t length = told_length;

	while ((last = memchr(m, '\0', length)) != NULL) {
		if (*m == 'g' && folders_is_own(m + 1))
			remove_group(m + 1);
		else if (*m == 'd' && folders_is_own(m + 1))
			remove_tree(m + 1);
		length -= (size_t)(last + 1 - m);
		m = last + 1;
	}
}

/* What asks the program to end does not end this process before it. */
static void ignore_signals(void)
{
	static const int ignored[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1 };

	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		(void)signal(ignored[i], SIG_IGN);
}

static void clean(int from)
{
	enum { MOST = 65536 };
	long limit = sysconf(_SC_OPEN_MAX);
	ssize_t got = 1;

	ignore_signals();
	if (from != 0 && dup2(from, 0) != 0)
		return;
	os_close_from(1, limit < 0 || limit > MOST ? MOST : (int)limit);
	for (; got > 0 || (got < 0 && errno == EINTR); told_length += got > 0 ? (size_t)got : 0)
		got = read(0, told + told_length, sizeof told - told_length);
	remove_all();
}

/* ---- the program ----------------------------------------------------------------------- */

/* The child ends at once, so that its own child is none of the program's.  False with errno. */
static bool start(int from)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0) {
		(void)close(end);
		pid = setsid() >= 0 ? fork() : -1;
		if (pid == 0)
			clean(from);
		_exit(pid < 0 ? errno : 0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && status != 0)
		errno = WEXITSTATUS(status);
	return status == 0;
}

/* Where send() has no flag for it: no SIGPIPE if the cleaner was killed */
static void no_signal(void)
{
#ifdef SO_NOSIGPIPE
	int on = 1;

	(void)setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
}

void cleaner_begin(bool across_exec)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return;
	end = fcntl(ends[0], across_exec ? F_DUPFD : F_DUPFD_CLOEXEC, 3); /* 0 to 2 are in use */
	(void)close(ends[0]);
	if (end < 0) {
		(void)close(ends[1]);
		return;
	}
	no_signal();
	if (!start(ends[1])) {
		(void)close(end);
		end = -1;
	}
	(void)close(ends[1]);
}

int cleaner_socket(void)
{
	return end;
}

void cleaner_continues(int socket)
{
	end = socket;
}

static void tell(char kind, const char *path)
{
	char *message = told + told_length;
	size_t room = sizeof told - told_length;
	size_t length = (size_t)snprintf(message, room, "%c%s", kind, path) + 1;

	if (length > room)
		return;
	told_length += length;
	if (end >= 0)
		(void)send(end, message, length, MSG_NOSIGNAL);
}

void cleaner_folder(const char *path)
{
	tell('d', path);
}

void cleaner_group(const char *path)
{
	tell('g', path);
}

/* The socket ends when the cleaner does. */
void cleaner_end(void)
{
	char byte;

	remove_all();
	told_length = 0;
	if (end < 0)
		return;
	(void)shutdown(end, SHUT_WR);
	while (read(end, &byte, 1) < 0 && errno == EINTR)
		;
	(void)close(end);
	end = -1;
}

static int setup(void)
{
	if (!options_leave_files())
		return 0;
	cleaner_begin(test.again != NULL);
	if (end < 0 && test.again != NULL) /* later images would not know what there is to remove */
		return creation_failed("fork");
	return 0;
}

const struct feature cleaner_feature = { .setup = setup, .teardown = cleaner_end };
