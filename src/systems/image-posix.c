/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image-posix.c - os_image() and os_advise_dontfork() for systems that are not known.
 */
#include <errno.h>

#include "harness/os.h"

void os_image(struct image *image)
{
	image->vsz_kb = image->rss_kb = image->tables_kb = image->tracer = UNKNOWN;
}

int os_advise_dontfork(void *start, size_t size)
{
	(void)start, (void)size;
	errno = ENOSYS;
	return -1;
}
