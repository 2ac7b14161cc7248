/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reference.c - see pass.h.  It leaves nothing behind that fork would copy or that would warm the
 * timed part: no heap, no buffer of stdio, only mappings that are removed.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os.h"
#include "pass.h"
#include "util.h"

enum {
	PAGES = 16,      /* of one mapping: 64 kB where a page has 4 kB */
	APART = 2 << 20, /* bytes between sparse pages: on most machines each has a page table */
	RING = 6,        /* mappings of sparse pages at a time */
	STEPS = 10000,   /* in a batch */
	LEAST = 15,      /* batches of a loop, also where the process waits for a CPU */
	BATCHES = 4096,  /* of a loop, at most */
	IN_PAUSE = 5,    /* batches of a loop */
	LINE = 256       /* bytes of the line that is printed */
};

static void *map(size_t size)
{
	void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return start == MAP_FAILED ? NULL : start;
}

/* ---- the loops: each does a batch; false if it failed ---------------------------------- */

struct work {
	size_t page;      /* bytes of a page */
	uint64_t value;   /* of the arithmetic */
	uint64_t *times;  /* of the batches, ns */
	char *ring[RING]; /* mappings of sparse pages, NULL where there is none yet */
	size_t next;      /* of the ring, the next one to be replaced */
};

static bool fault_pages(struct work *w)
{
	char *start = map(PAGES * w->page);

	if (start == NULL)
		return false;
	for (size_t i = 0; i < PAGES; i++)
		*(volatile char *)(start + i * w->page) = 1;
	return munmap(start, PAGES * w->page) == 0;
}

static int unmap_sparse(char **place)
{
	char *start = *place;

	*place = NULL;
	return start == NULL ? 0 : munmap(start, (size_t)PAGES * APART);
}

/* The pages are given back RING batches later: the kernel has to take others until then, as
 * it has for a process, whose pages come back when it has ended. */
static bool fault_sparsely(struct work *w)
{
	char **place = &w->ring[w->next++ % RING];

	if (unmap_sparse(place) != 0 || (*place = map((size_t)PAGES * APART)) == NULL)
		return false;
	(void)os_advise(*place, (size_t)PAGES * APART, ADVISE_SMALL);
	for (size_t i = 0; i < PAGES; i++)
		*(volatile char *)(*place + i * APART) = 1;
	return true;
}

static uint64_t step(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ x << 17;
}

static bool compute(struct work *w)
{
	uint64_t x = w->value | 1;

	for (int i = 0; i < STEPS; i++)
		x = step(x);
	w->value = x;
	return true;
}

/* Most of the time goes to page faults, which creation depends on most. */
static const struct loop {
	const char *name;
	double share;  /* of the time of all loops */
	double amount; /* of a batch */
	int untimed;   /* batches before the first one that counts */
	bool (*work)(struct work *);
} loops[] = {
	{ "arithmetic", 0.1, STEPS, 0, compute },
	{ "page_faults", 0.45, PAGES, 0, fault_pages },
	{ "sparse_faults", 0.45, PAGES, RING, fault_sparsely },
};
enum { ARITHMETIC, FAULTS, SPARSE, LOOPS };

/* The middle one; sorts the times (Shell sort). */
static RARE uint64_t median(uint64_t *times, size_t n)
{
	for (size_t gap = n / 2; gap > 0; gap /= 2)
		for (size_t i = gap; i < n; i++) {
			uint64_t time = times[i];
			size_t at = i;

			for (; at >= gap && times[at - gap] > time; at -= gap)
				times[at] = times[at - gap];
			times[at] = time;
		}
	return times[n / 2];
}

/* The median time of batches, ns, so that one in which the process waited for a CPU does not count:
 * at least so many, and further ones until then.  0 if one failed. */
static RARE uint64_t time_of(const struct loop *loop, struct work *w, uint64_t end, size_t least)
{
	bool works = true;
	uint64_t last;
	size_t n = 0;

	for (int i = 0; i < loop->untimed && works; i++)
		works = loop->work(w);
	last = now_ns();
	while (works && (last < end || n < least) && n < BATCHES && !stop_signal) {
		uint64_t before = last;

		works = loop->work(w);
		last = now_ns();
		w->times[n++] = last - before;
	}
	return works && n > 0 ? median(w->times, n) : 0;
}

/* The line, without its end; its length.  The loops' shares of the time begin with `began`, so
 * that of the first one has what was made for it. */
static RARE size_t put_rates(char *line, struct work *w, uint64_t began, double seconds)
{
	int length = snprintf(line, LINE, "REFERENCE");
	double until = 0;

	for (int i = 0; i < LOOPS; i++) {
		until += loops[i].share * seconds;
		uint64_t ns = time_of(&loops[i], w, began + (uint64_t)(until * 1e9), LEAST);

		length += snprintf(line + length, LINE - (size_t)length,
			ns == 0 ? "|%s=-" : "|%s=%.0f", loops[i].name,
			loops[i].amount * 1e9 / (double)ns);
	}
	return (size_t)length;
}

RARE int reference_print(double seconds)
{
	struct work w = { .page = (size_t)sysconf(_SC_PAGESIZE) };
	size_t size = BATCHES * sizeof *w.times;
	uint64_t began = now_ns();
	char line[LINE];
	size_t length;

	if (seconds <= 0)
		return 0;
	w.times = map(size);
	if (w.times == NULL)
		return 0;
	length = put_rates(line, &w, began, seconds);
	for (int i = 0; i < RING; i++)
		(void)unmap_sparse(&w.ring[i]);
	(void)munmap(w.times, size);
	line[length++] = '\n';
	return write_all(STDERR_FILENO, line, length);
}

RARE uint64_t reference_pause(struct pause *pause)
{
	uint64_t times[IN_PAUSE];
	struct work w = { .page = (size_t)sysconf(_SC_PAGESIZE), .times = times };

	pause->sparse_ns = (uint32_t)time_of(&loops[SPARSE], &w, 0, IN_PAUSE);
	for (int i = 0; i < RING; i++)
		(void)unmap_sparse(&w.ring[i]);
	pause->faults_ns = (uint32_t)time_of(&loops[FAULTS], &w, 0, IN_PAUSE);
	if (pause->sparse_ns == 0 || pause->faults_ns == 0)
		return 0;
	return (uint64_t)pause->sparse_ns * (RING + IN_PAUSE) +
		(uint64_t)pause->faults_ns * IN_PAUSE;
}

double reference_rate(uint32_t ns)
{
	return PAGES * 1e9 / ns;
}
