/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * freebsd.c - the path of the program and its memory, for FreeBSD.
 */
#include <sys/types.h>

#include <sys/sysctl.h>
#include <sys/user.h>
#include <unistd.h>

#include "harness/os.h"

int os_program_path(char *buffer, size_t size)
{
	static const int name[4] = { CTL_KERN, KERN_PROC, KERN_PROC_PATHNAME, -1 };

	return sysctl(name, 4, buffer, &size, NULL, 0) == 0 && size > 1 ? 0 : -1;
}

void os_image(struct image *image)
{
	int name[4] = { CTL_KERN, KERN_PROC, KERN_PROC_PID, getpid() };
	struct kinfo_proc process;
	size_t size = sizeof process;

	image->vsz_kb = image->rss_kb = image->tables_kb = image->tracer = UNKNOWN;
	if (sysctl(name, 4, &process, &size, NULL, 0) != 0 || size != sizeof process)
		return;
	image->vsz_kb = process.ki_size >> 10;
	image->rss_kb = (uint64_t)process.ki_rssize * ((uint64_t)sysconf(_SC_PAGESIZE) >> 10);
	image->tracer = (uint64_t)process.ki_tracer;
}
