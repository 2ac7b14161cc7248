/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * openbsd.c - the memory of the program, for OpenBSD, which does not report its path.
 */
#include <sys/types.h>

#include <sys/sysctl.h>
#include <unistd.h>

#include "harness/os.h"

int os_program_path(char *buffer, size_t size)
{
	(void)buffer, (void)size;
	return -1;
}

void os_image(struct image *image)
{
	struct kinfo_proc process;
	int name[6] = { CTL_KERN, KERN_PROC, KERN_PROC_PID, getpid(), sizeof process, 1 };
	size_t size = sizeof process;

	image->vsz_kb = image->rss_kb = image->tables_kb = image->tracer = UNKNOWN;
	if (sysctl(name, 6, &process, &size, NULL, 0) != 0 || size != sizeof process)
		return;
	image->vsz_kb = process.p_vm_map_size >> 10;
	image->rss_kb = (uint64_t)process.p_vm_rssize * ((uint64_t)sysconf(_SC_PAGESIZE) >> 10);
}
