/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw-posix.c - raw.h for systems without bare system calls.
 */
#include <errno.h>
#include <unistd.h>

#include "raw.h"

bool has_raw_fork(void)
{
	return false;
}

pid_t raw_fork(void)
{
	errno = ENOSYS;
	return -1;
}

pid_t raw_getpid(void)
{
	return getpid();
}
