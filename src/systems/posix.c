/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posix.c - for systems that are not known.
 */
#include "harness/os.h"

int os_program_path(char *buffer, size_t size)
{
	(void)buffer, (void)size;
	return -1;
}

void os_image(struct image *image)
{
	image->vsz_kb = image->rss_kb = image->tables_kb = image->tracer = UNKNOWN;
}
