/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * injected.c - for LD_PRELOAD: INJECT names a call that does not do what it usually does.
 *
 *   pages          pages have 64 kB, and no mapping can be put in the place of another one
 *   fork, waitpid  SIGTERM comes before the INJECT_AT-th call
 *   child-fork     fork() in a child of this process fails with EAGAIN
 *   poll           fails with ENOMEM
 *   getcpu         this process is on CPU 0, its children are on others
 *   popen          its command prints something
 *   unlink         takes 0.3 s
 *   clone3         has the flags of Linux 7.1, as far as a child without them can stand for them:
 *                  CLONE_AUTOREAP, CLONE_PIDFD_AUTOKILL, which needs CLONE_NNP here
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

static pid_t first;

__attribute__((constructor)) static void begin(void)
{
	first = getpid();
}

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
	if (getpid() != first && injected("child-fork")) {
		errno = EAGAIN;
		return -1;
	}
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

int unlink(const char *path)
{
	if (injected("unlink"))
		(void)usleep(300000);
	return REAL(unlink)(path);
}

/* The rules of the kernel for these flags, without the flags */
static int without_flags(uint64_t *arguments)
{
	const uint64_t pidfd = 0x1000, autoreap = 1ULL << 34, nnp = 1ULL << 35,
		       autokill = 1ULL << 36;
	uint64_t *flags = &arguments[0], *exit_signal = &arguments[4];

	if (*flags & autokill && !(*flags & autoreap && *flags & pidfd))
		return EINVAL;
	if (*flags & autokill && !(*flags & nnp))
		return EPERM;
	if (*flags & autoreap) {
		if (*exit_signal != 0)
			return EINVAL;
		(void)signal(SIGCHLD, SIG_IGN);
		*exit_signal = SIGCHLD;
	}
	*flags &= ~(autoreap | nnp | autokill);
	return 0;
}

long syscall(long number, ...)
{
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_clone3 && injected("clone3") && a[1] > 0) {
		errno = without_flags((uint64_t *)a[0]);
		if (errno != 0)
			return -1;
	}
	if (number == SYS_getcpu && injected("getcpu")) {
		*(unsigned *)a[0] = getpid() != first;
		return 0;
	}
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

FILE *popen(const char *command, const char *mode)
{
	return REAL(popen)(injected("popen") ? "echo unexpected" : command, mode);
}
