/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.c - for LD_PRELOAD: the FAULT_AT-th operation of the program FAULT_PROGRAM that
 * changes a file fails with EIO, or, with FAULT_KILL, the program is killed in its place;
 * if that is a write, half of it is written before.  Then the file FAULT_SEEN exists.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int due(void)
{
	static long count, at = -1;

	if (at < 0) {
		const char *number = getenv("FAULT_AT"), *program = getenv("FAULT_PROGRAM");

		at = number == NULL || program == NULL ||
				strcmp(program, program_invocation_short_name) != 0 ?
			0 :
			atol(number);
	}
	if (at == 0 || ++count != at)
		return 0;
	close(creat(getenv("FAULT_SEEN"), 0600));
	errno = EIO;
	return 1;
}

static int fault(void)
{
	if (!due())
		return 0;
	if (getenv("FAULT_KILL") != NULL)
		kill(getpid(), SIGKILL);
	return 1;
}

#define NEXT(name, type) ((type)dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                                                                 \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		int (*next)(const char *, int, ...) = NEXT(name, int (*)(const char *, int, ...)); \
		va_list rest;                                                                      \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(rest, flags);                                                             \
		mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;                          \
		va_end(rest);                                                                      \
		return (flags & O_CREAT) != 0 && fault() ? -1 : next(path, flags, mode);           \
	}

OPEN(open)
OPEN(open64)

ssize_t write(int fd, const void *bytes, size_t length)
{
	ssize_t (*next)(int, const void *, size_t) =
		NEXT(write, ssize_t(*)(int, const void *, size_t));

	if (fd <= 2 || !due())
		return next(fd, bytes, length);
	if (getenv("FAULT_KILL") != NULL && next(fd, bytes, length / 2) >= 0)
		kill(getpid(), SIGKILL);
	errno = EIO;
	return -1;
}

int mkdir(const char *path, mode_t mode)
{
	return fault() ? -1 : NEXT(mkdir, int (*)(const char *, mode_t))(path, mode);
}

int rename(const char *from, const char *to)
{
	return fault() ? -1 : NEXT(rename, int (*)(const char *, const char *))(from, to);
}

int unlink(const char *path)
{
	return fault() ? -1 : NEXT(unlink, int (*)(const char *))(path);
}

int rmdir(const char *path)
{
	return fault() ? -1 : NEXT(rmdir, int (*)(const char *))(path);
}

int fsync(int fd)
{
	return fault() ? -1 : NEXT(fsync, int (*)(int))(fd);
}

int fchmod(int fd, mode_t mode)
{
	return fault() ? -1 : NEXT(fchmod, int (*)(int, mode_t))(fd, mode);
}

int fchown(int fd, uid_t user, gid_t group)
{
	return fault() ? -1 : NEXT(fchown, int (*)(int, uid_t, gid_t))(fd, user, group);
}
