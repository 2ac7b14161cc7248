/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path-posix.c - os_program_path() for systems that do not report it.
 */
#include "harness/os.h"

int os_program_path(char *buffer, size_t size)
{
	(void)buffer, (void)size;
	return -1;
}
