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

/* ---- the loops: each does a batch and returns its amount, 0 if it failed -------------- */

struct work {
	size_t page;      /* bytes of a page */
	uint64_t value;   /* of the arithmetic */
	uint64_t *times;  /* of the batches, ns */
	char *ring[RING]; /* mappings of sparse pages, NULL where there is none yet */
	size_t next;      /* of the ring, the next one to be replaced */
};

static uint64_t fault_pages(struct work *w)
{
	char *start = map(PAGES * w->page);

	if (start == NULL)
		return 0;
	for (size_t i = 0; i < PAGES; i++)
		*(volatile char *)(start + i * w->page) = 1;
	return munmap(start, PAGES * w->page) == 0 ? PAGES : 0;
}

static int unmap_sparse(char **place)
{
	char *start = *place;

	*place = NULL;
	return start == NULL ? 0 : munmap(start, (size_t)PAGES * APART);
}

/* The pages are given back RING batches later: the kernel has to take others until then, as
 * it has for a process, whose pages come back when it has ended. */
static uint64_t fault_sparsely(struct work *w)
{
	char **place = &w->ring[w->next++ % RING];

	if (unmap_sparse(place) != 0)
		return 0;
	*place = map((size_t)PAGES * APART);
	if (*place == NULL)
		return 0;
	(void)os_advise_small(*place, (size_t)PAGES * APART);
	for (size_t i = 0; i < PAGES; i++)
		*(volatile char *)(*place + i * APART) = 1;
	return PAGES;
}

static uint64_t step(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ x << 17;
}

static uint64_t compute(struct work *w)
{
	uint64_t x = w->value | 1;

	for (int i = 0; i < STEPS; i++)
		x = step(x);
	w->value = x;
	return STEPS;
}

/* Most of the time goes to page faults, which creation depends on most. */
static const struct loop {
	const char *name;
	double share; /* of the time of all loops */
	int untimed;  /* batches before the first one that counts */
	uint64_t (*work)(struct work *);
} loops[] = {
	{ "arithmetic", 0.1, 0, compute },
	{ "page_faults", 0.45, 0, fault_pages },
	{ "sparse_faults", 0.45, RING, fault_sparsely },
};
enum { LOOPS = sizeof loops / sizeof *loops };

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

/* Per second, by the median of the batches: a batch in which the process waited for a CPU
 * does not count.  UNKNOWN if the loop failed. */
static RARE uint64_t rate_of(const struct loop *loop, struct work *w, uint64_t end)
{
	uint64_t last, amount = 1;
	size_t n = 0;

	for (int i = 0; i < loop->untimed && amount > 0; i++)
		amount = loop->work(w);
	if (amount == 0)
		return UNKNOWN;
	last = now_ns();
	do {
		uint64_t before = last;

		amount = loop->work(w);
		last = now_ns();
		w->times[n++] = last - before;
	} while (amount > 0 && (last < end || n < LEAST) && n < BATCHES && !stop_signal);
	uint64_t time = median(w->times, n);

	return amount > 0 && time > 0 ? (uint64_t)((double)amount / (double)time * 1e9) : UNKNOWN;
}

/* The line, without its end; its length.  The loops' shares of the time begin with `began`, so
 * that of the first one has what was made for it. */
static RARE size_t put_rates(char *line, struct work *w, uint64_t began, double seconds)
{
	int length = 0;
	double until = 0;

	for (int i = 0; i < LOOPS; i++) {
		until += loops[i].share * seconds;
		uint64_t rate = rate_of(&loops[i], w, began + (uint64_t)(until * 1e9));

		length += snprintf(line + length, LINE - (size_t)length,
			rate == UNKNOWN ? "%s|%s=-" : "%s|%s=%llu", i == 0 ? "REFERENCE" : "",
			loops[i].name, (unsigned long long)rate);
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

/* The median time of a batch, ns; 0 if one failed */
static RARE uint32_t time_in_pause(struct work *w, uint64_t (*work)(struct work *), int untimed)
{
	uint64_t times[IN_PAUSE], amount = 1, last, now, middle;

	for (int i = 0; i < untimed && amount > 0; i++)
		amount = work(w);
	last = now_ns();
	for (size_t i = 0; i < IN_PAUSE && amount > 0; i++, last = now) {
		amount = work(w);
		now = now_ns();
		times[i] = now - last;
	}
	if (amount == 0)
		return 0;
	middle = median(times, IN_PAUSE);
	return middle < UINT32_MAX ? (uint32_t)middle : UINT32_MAX;
}

RARE uint64_t reference_pause(struct pause *pause)
{
	struct work w = { .page = (size_t)sysconf(_SC_PAGESIZE) };

	pause->sparse_ns = time_in_pause(&w, fault_sparsely, RING);
	for (int i = 0; i < RING; i++)
		(void)unmap_sparse(&w.ring[i]);
	pause->faults_ns = time_in_pause(&w, fault_pages, 0);
	if (pause->sparse_ns == 0 || pause->faults_ns == 0)
		return 0;
	return (uint64_t)pause->sparse_ns * (RING + IN_PAUSE) +
		(uint64_t)pause->faults_ns * IN_PAUSE;
}

double reference_rate(uint32_t ns)
{
	return PAGES * 1e9 / ns;
}
