/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * within.c - built by bench/within.pl: passes of a loop that creates children, with batches of
 * sparse page faults (as in src/harness/reference.c) before and after each pass, and in pauses
 * within it.
 *
 * usage: within fork|vfork PASSES EVERY PAUSE
 *        a pause of PAUSE seconds after each EVERY seconds of creation
 *
 * Prints a line for each pass: creations per second without the pauses, and the median number
 * of batches per second before the pass, after it, and in its pauses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 16, APART = 2 << 20, RING = 6, BATCHES = 100000 };

static const double PASS = 0.25, WARMUP = 0.03, AROUND = 0.0055; /* seconds */

static double times[BATCHES];
static size_t count;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void batch(void)
{
	static char *ring[RING];
	static size_t turn;
	const size_t size = (size_t)PAGES * APART;
	char **place = &ring[turn++ % RING];

	if (*place != NULL)
		munmap(*place, size);
	*place = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (*place == MAP_FAILED)
		exit(1);
	madvise(*place, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		*(volatile char *)(*place + i * APART) = 1;
}

static void batches(double seconds)
{
	double end = now() + seconds, begun = now();

	while (begun < end && count < BATCHES) {
		batch();
		double ended = now();

		times[count++] = ended - begun;
		begun = ended;
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of those so far, which are forgotten */
static double median_rate(void)
{
	if (count == 0)
		return 1;
	qsort(times, count, sizeof times[0], compare);
	double rate = 1 / times[count / 2];

	count = 0;
	return rate;
}

static long create(int share, double seconds)
{
	double end = now() + seconds;
	volatile long created = 0; /* vfork */

	for (; now() < end; created++) {
		pid_t pid = share ? vfork() : fork();

		if (pid == 0)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) < 0)
			exit(1);
	}
	return created;
}

int main(int n, char **words)
{
	if (n != 5)
		return 2;
	int share = strcmp(words[1], "vfork") == 0;
	double every = strtod(words[3], NULL), pause = strtod(words[4], NULL);

	setvbuf(stdout, NULL, _IOLBF, 0); /* so that it ends when its reader has ended */
	for (long pass = strtol(words[2], NULL, 10); pass > 0; pass--) {
		double used = 0;
		long created = 0;

		batches(AROUND);
		double before = median_rate();

		create(share, WARMUP);
		while (used < PASS) {
			double begun = now();

			created += create(share, every);
			used += now() - begun;
			batches(pause);
		}
		double within = median_rate();

		batches(AROUND);
		printf("%.6f %.6f %.6f %.6f\n", (double)created / used, before, median_rate(),
			within);
	}
	return 0;
}
