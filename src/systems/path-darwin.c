/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path-darwin.c - os_program_path() for macOS.
 */
#include <mach-o/dyld.h>

#include "harness/os.h"

int os_program_path(char *buffer, size_t size)
{
	uint32_t room = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;

	return _NSGetExecutablePath(buffer, &room) == 0 ? 0 : -1;
}
