/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * darwin.c - the path of the program, its memory and its linkage, for macOS.
 */
#include <libproc.h>
#include <mach-o/dyld.h>
#include <unistd.h>

#include "harness/os.h"

int os_program_path(char *buffer, size_t size)
{
	uint32_t room = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;

	return _NSGetExecutablePath(buffer, &room) == 0 ? 0 : -1;
}

void os_image(struct image *image)
{
	struct proc_taskinfo task;

	image->vsz_kb = image->rss_kb = image->tables_kb = image->tracer = UNKNOWN;
	if (proc_pidinfo(getpid(), PROC_PIDTASKINFO, 0, &task, sizeof task) != (int)sizeof task)
		return;
	image->vsz_kb = task.pti_virtual_size >> 10;
	image->rss_kb = task.pti_resident_size >> 10;
}

/* There are no static programs. */
bool os_is_dynamic(void)
{
	return true;
}

const char *os_binding(void)
{
	return NULL;
}
