/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * touch.c - see latch.h.  The child reports its time in a page that it shares with the
 * parent.  A write to a huge page that is shared leaves small ones, so the parent's region
 * is made anew after each creation if it is to have huge pages.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "footprint.h"
#include "histogram.h"
#include "latch.h"
#include "pass.h"
#include "util.h"

WRITTEN bool touch_wanted;

static uint64_t wanted, size, pages; /* bytes: --touch, and whole pages */
static char *of_parent, *of_child;
static volatile uint64_t *childs_ns;
static struct latch latch;                   /* lets the child write */
static struct histogram in_parent, in_child; /* hundredths of a nanosecond, of a page */

/* Allocates the regions.  0, or -1 after failure() or skip(). */
static int setup(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (wanted == 0)
		return 0;
	touch_wanted = true;
	size = (wanted + page - 1) / page * page;
	pages = size / page;
	/* what they write to becomes two pages: theirs and the other's */
	of_parent = make_memory("--touch", size, 4);
	of_child = of_parent != NULL ? make_memory("--touch", size, 2) : NULL;
	if (of_child == NULL)
		return -1;
	childs_ns = shared_memory(sizeof *childs_ns);
	return childs_ns != NULL && latch_make(&latch) == 0 ? 0 : failure("--touch:");
}

static uint64_t time_of_writes(char *start)
{
	uint64_t before = now_ns();

	touch_pages(start, size);
	return now_ns() - before;
}

void touch_in_child(void)
{
	if (latch_wait(&latch))
		*childs_ns = time_of_writes(of_child);
}

int touch_and_reap(pid_t pid)
{
	uint64_t ns = time_of_writes(of_parent);
	int woken;

	*childs_ns = 0;
	woken = latch_release(&latch);
	if (woken != 0)
		(void)failure("--touch: cannot wake the child:");
	if (reap_child(pid) != 0 || woken != 0)
		return -1;
	if (the_pass->timed) {
		histogram_add(&in_parent, ns * 100 / pages, 1);
		histogram_add(&in_child, *childs_ns * 100 / pages, 1);
	}
	if (footprint.folio > 0 && /* puts the parent's region into folios again */
		(madvise(of_parent, size, MADV_DONTNEED) != 0 || fill_memory(of_parent, size) != 0))
		return failure("--touch: madvise:");
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

static const struct entry touch_options[] = {
	{ SIZE, &wanted,
		.usage = "touch SIZE: write to SIZE more bytes in the parent while the child "
			 "lives, and to as many in the child; print the cost of a fault",
		.excludes = "burst spawners" },
	{ 0 },
};
const struct feature touch_feature = { .options = touch_options, .setup = setup, .print = print };
