/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * touch.c - see touch.h.  The child reports its time in a page that it shares with the
 * parent.  A write to a huge page that is shared leaves small ones, so the parent's region
 * is made anew after each creation if it is to have huge pages.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "footprint.h"
#include "histogram.h"
#include "pass.h"
#include "touch.h"
#include "util.h"

static uint64_t size, pages;
static bool huge;
static char *of_parent, *of_child;
static volatile uint64_t *childs_ns;
static int go[2];                            /* a pipe: its end lets the child write */
static struct histogram in_parent, in_child; /* hundredths of a nanosecond, of a page */

bool touches(void)
{
	return size > 0;
}

/* Allocates the regions.  0, or -1 after failure() or skip(). */
static int setup(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (footprint.touch == 0)
		return 0;
	size = (footprint.touch + page - 1) / page * page;
	huge = footprint.hugepages;
	pages = size / page;
	of_parent = make_memory("--touch", size, huge);
	of_child = of_parent != NULL ? make_memory("--touch", size, huge) : NULL;
	if (of_child == NULL)
		return -1;
	childs_ns = shared_memory(sizeof *childs_ns);
	return childs_ns != NULL && pipe(go) == 0 ? 0 : failure("--touch:");
}

static uint64_t time_of_writes(char *start)
{
	uint64_t before = now_ns();

	touch_pages(start, size);
	return now_ns() - before;
}

void touch_in_child(void)
{
	char byte;
	ssize_t got;

	close(go[1]); /* so that the end of the parent ends the wait */
	while ((got = read(go[0], &byte, 1)) < 0 && errno == EINTR)
		;
	if (got == 1)
		*childs_ns = time_of_writes(of_child);
}

int touch_in_parent(void)
{
	uint64_t ns = time_of_writes(of_parent);

	*childs_ns = 0;
	if (write_all(go[1], "g", 1) != 0)
		return failure("--touch: cannot wake the child:");
	if (pass.timed)
		histogram_add(&in_parent, ns * 100 / pages, 1);
	return 0;
}

int touch_reaped(void)
{
	if (pass.timed)
		histogram_add(&in_child, *childs_ns * 100 / pages, 1);
	if (!huge)
		return 0;
	if (madvise(of_parent, size, MADV_DONTNEED) != 0)
		return failure("--touch: madvise:");
	touch_pages(of_parent, size);
	return 0;
}

/* FAULT: the pages of one region, and the ns of a write in the parent and in the child, medians of
 * the creations of the timed part */
static void print(void)
{
	if (in_child.total > 0)
		put("FAULT|%llu|%.2f|%.2f\n", (unsigned long long)pages,
			(double)histogram_quantile(&in_parent, 0.5) / 100,
			(double)histogram_quantile(&in_child, 0.5) / 100);
}

static void check(void)
{
	if (footprint.touch > 0 && options.burst > 1)
		usage_error("--touch and --burst exclude each other");
	if (footprint.touch > 0 && options.spawners > 1)
		usage_error("--spawners and --touch exclude each other");
}

static const struct entry touch_options[] = {
	{ SIZE, &footprint.touch,
		"touch SIZE: write to SIZE more bytes in the parent while the child lives, and to "
		"as many in the child; print the cost of a fault" },
	{ 0 },
};
const struct feature touch_feature = {
	.options = touch_options, .check = check, .setup = setup, .print = print
};
