/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image-darwin.c - os_image() and os_advise_dontfork() for macOS.
 */
#include <libproc.h>
#include <mach/vm_inherit.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/os.h"

void os_image(struct image *image)
{
	struct proc_taskinfo task;

	image->vsz_kb = image->rss_kb = image->tables_kb = image->tracer = UNKNOWN;
	if (proc_pidinfo(getpid(), PROC_PIDTASKINFO, 0, &task, sizeof task) != (int)sizeof task)
		return;
	image->vsz_kb = task.pti_virtual_size >> 10;
	image->rss_kb = task.pti_resident_size >> 10;
}

int os_advise_dontfork(void *start, size_t size)
{
	return minherit(start, size, VM_INHERIT_NONE);
}
