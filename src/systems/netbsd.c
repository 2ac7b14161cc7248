/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netbsd.c - the path of the program and its memory, for NetBSD.
 */
#include <sys/types.h>

#include <sys/sysctl.h>
#include <unistd.h>

#include "harness/os.h"

int os_program_path(char *buffer, size_t size)
{
	static const int name[4] = { CTL_KERN, KERN_PROC_ARGS, -1, KERN_PROC_PATHNAME };

	return sysctl(name, 4, buffer, &size, NULL, 0) == 0 && size > 1 ? 0 : -1;
}

void os_image(struct image *image)
{
	struct kinfo_proc2 process;
	int name[6] = { CTL_KERN, KERN_PROC2, KERN_PROC_PID, getpid(), sizeof process, 1 };
	size_t size = sizeof process;
	uint64_t page_kb = (uint64_t)sysconf(_SC_PAGESIZE) >> 10;

	image->vsz_kb = image->rss_kb = image->tables_kb = image->tracer = UNKNOWN;
	if (sysctl(name, 6, &process, &size, NULL, 0) != 0 || size != sizeof process)
		return;
	image->vsz_kb = (uint64_t)process.p_vm_vsize * page_kb;
	image->rss_kb = (uint64_t)process.p_vm_rssize * page_kb;
}
