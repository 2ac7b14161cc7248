/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stopped.c - for LD_PRELOAD: SIGTERM comes just before a process executes its next image, the
 * STOPPED_AT-th (1 to 9) that starts with this library.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int execve(const char *path, char *const *arguments, char *const *environment)
{
	int (*next)(const char *, char *const *, char *const *) =
		(int (*)(const char *, char *const *, char *const *))dlsym(RTLD_NEXT, "execve");
	char *left = getenv("STOPPED_AT"); /* changed in place, so the next image has it */

	if (left != NULL && *left > '0' && --*left == '0')
		(void)raise(SIGTERM);
	return next(path, arguments, environment);
}
