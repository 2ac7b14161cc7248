/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw-linux.c - raw.h for Linux.
 */
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "raw.h"

bool has_raw_fork(void)
{
	return true;
}

pid_t raw_fork(void)
{
#if defined SYS_fork
	return (pid_t)syscall(SYS_fork);
#elif defined __s390x__
	return (pid_t)syscall(SYS_clone, 0, SIGCHLD, 0, 0, 0);
#else
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
}

pid_t raw_getpid(void)
{
	return (pid_t)syscall(SYS_getpid);
}
