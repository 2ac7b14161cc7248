/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pidfd_spawn.c - the bare loop of the test "pidfd_spawn" with its default options.
 */
#include "bench/bare.h"

#include <errno.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined __GLIBC__
#define WRITTEN __GLIBC_PREREQ(2, 39)
#else
#define WRITTEN 0
#endif

#if WRITTEN
extern char **environ;

int do_pidfd_spawn(void)
{
	siginfo_t info;
	int fd, result;

	if (pidfd_spawn(&fd, bare_target[0], NULL, NULL, bare_target, environ) != 0)
		return -1;
	do
		result = waitid(P_PIDFD, (id_t)fd, &info, WEXITED);
	while (result != 0 && errno == EINTR);
	close(fd);
	return result == 0 && info.si_status == 0 ? 0 : -1;
}
#else
int do_pidfd_spawn(void)
{
	return -1;
}
#endif
