/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path-freebsd.c - os_program_path() for FreeBSD.
 */
#include <sys/types.h>

#include <sys/sysctl.h>

#include "harness/os.h"

int os_program_path(char *buffer, size_t size)
{
	static const int name[4] = { CTL_KERN, KERN_PROC, KERN_PROC_PATHNAME, -1 };

	return sysctl(name, 4, buffer, &size, NULL, 0) == 0 && size > 1 ? 0 : -1;
}
