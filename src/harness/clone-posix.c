/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clone-posix.c - clone.h for systems without clone().
 */
#include <errno.h>

#include "clone.h"

bool has_clone(void)
{
	return false;
}

bool has_raw_clone(void)
{
	return false;
}

pid_t shared_clone(int (*function)(void *), void *stack_end)
{
	(void)function, (void)stack_end;
	errno = ENOSYS;
	return -1;
}

pid_t raw_clone(void *stack_end)
{
	(void)stack_end;
	errno = ENOSYS;
	return -1;
}
