/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clone3-linux.c - clone3.h for Linux.  No C library has a function for this call: this is
 * the bare one.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clone3.h"
#include "pidfd.h"

#ifndef SYS_clone3
#define SYS_clone3 435
#endif

/* The argument of the call, from clone(2) */
struct arguments {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal;
	uint64_t stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

static long call(struct arguments *arguments, size_t size)
{
	return syscall(SYS_clone3, arguments, size);
}

pid_t clone3_call(uint64_t flags, int cgroup, int *pidfd)
{
	struct arguments arguments = { .flags = flags,
		.exit_signal = flags & CLONE3_AUTOREAP ? 0 : SIGCHLD };

	if (flags & CLONE3_PIDFD)
		arguments.pidfd = (uint64_t)(uintptr_t)pidfd;
	if (flags & CLONE3_INTO_CGROUP)
		arguments.cgroup = (uint64_t)cgroup;
	return (pid_t)call(&arguments, sizeof arguments);
}

/* A size of 0 is never valid, so that no child is created: EINVAL where the call exists.
 * Filters cannot read the flags, which lie in memory: they forbid the call as a whole, by
 * ENOSYS, or by EPERM as old ones do. */
const char *clone3_lacks(void)
{
	static char reason[256];
	struct utsname kernel;
	int error = call(NULL, 0) == -1 ? errno : 0;

	if (error == EPERM)
		return "a seccomp filter forbids clone3(), as that of old container runtimes "
		       "does: update the runtime, or run without the filter";
	if (error != ENOSYS)
		return NULL;
	snprintf(reason, sizeof reason,
		"clone3() is missing: Linux 5.3 or newer has it (this is %s), unless a seccomp "
		"filter hides it, as that of a container does: run without the filter",
		uname(&kernel) == 0 ? kernel.release : "unknown");
	return reason;
}

int clone3_try(uint64_t flags, int cgroup)
{
	int fd = -1, status;
	pid_t pid = clone3_call(flags, cgroup, &fd), waited;

	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return errno;
	if (flags & CLONE3_AUTOREAP)
		return pidfd_ended(fd) == 0 ? 0 : errno;
	if (flags & CLONE3_PIDFD && (status = pidfd_wait(fd)) < 0) {
		int error = errno;

		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		return error;
	}
	if (flags & CLONE3_PIDFD)
		return 0;
	while ((waited = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
		;
	return waited < 0 ? errno : 0;
}
