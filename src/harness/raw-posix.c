/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw-posix.c - raw.h for systems without bare system calls and without clone().
 */
#include <errno.h>
#include <unistd.h>

#include "raw.h"

bool has_clone(void)
{
	return false;
}

bool has_raw_fork(void)
{
	return false;
}

bool has_raw_clone(void)
{
	return false;
}

static pid_t no_such_call(void)
{
	errno = ENOSYS;
	return -1;
}

pid_t shared_clone(int (*function)(void *), void *stack_end)
{
	(void)function, (void)stack_end;
	return no_such_call();
}

pid_t raw_fork(void)
{
	return no_such_call();
}

pid_t raw_clone(void *stack_end)
{
	(void)stack_end;
	return no_such_call();
}

pid_t raw_getpid(void)
{
	return getpid();
}
