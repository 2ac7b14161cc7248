/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * injected.c - for LD_PRELOAD: INJECT names a call that does not do what it usually does.
 *
 *   pages          pages have 64 kB, and no mapping can be put in the place of another one
 *   fork, waitpid  SIGTERM comes before the INJECT_AT-th call
 *   poll           fails with ENOMEM
 *   popen          its command prints something
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

static int injected(const char *call)
{
	const char *wanted = getenv("INJECT");

	return wanted != NULL && strcmp(wanted, call) == 0;
}

static void stop_at(const char *call)
{
	static long calls;

	if (injected(call) && ++calls == atol(getenv("INJECT_AT")))
		(void)raise(SIGTERM);
}

long sysconf(int name)
{
	return name == _SC_PAGESIZE && injected("pages") ? 65536 : REAL(sysconf)(name);
}

void *mmap(void *at, size_t size, int access, int flags, int fd, off_t offset)
{
	if (flags & MAP_FIXED && injected("pages")) {
		errno = EPERM;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, at, size, access, flags, fd, offset);
}

pid_t fork(void)
{
	stop_at("fork");
	return REAL(fork)();
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	stop_at("waitpid");
	return REAL(waitpid)(pid, status, options);
}

int poll(struct pollfd *fds, nfds_t number, int timeout)
{
	if (injected("poll")) {
		errno = ENOMEM;
		return -1;
	}
	return REAL(poll)(fds, number, timeout);
}

FILE *popen(const char *command, const char *mode)
{
	return REAL(popen)(injected("popen") ? "echo unexpected" : command, mode);
}
