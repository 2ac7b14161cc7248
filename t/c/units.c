/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.c - tests of the harness's pure functions; prints TAP.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/histogram.h"
#include "harness/pass.h"
#include "harness/util.h"

const struct test test = { .name = "units" };

static int number;
static struct histogram h;

static void ok(bool good, const char *what)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++number, what);
}

static void test_precision(void)
{
	double worst = 0;

	for (uint64_t ns = 1; ns < UINT64_C(1000000000000); ns += 1 + ns / 97) {
		histogram_clear(&h);
		histogram_add(&h, ns, 1);
		h.max = 0; /* which would cap it, and so be exact */
		double error = fabs((double)histogram_quantile(&h, 0.5) - (double)ns) / (double)ns;

		if (error > worst)
			worst = error;
	}
	ok(worst <= 0.01, "a latency from 1 ns to 1000 s is kept within 1 %");
}

static void test_histogram(void)
{
	static char text[65536];

	histogram_clear(&h);
	for (uint64_t i = 1; i <= 1000; i++)
		histogram_add(&h, i * 1000, 1);
	ok(fabs((double)histogram_quantile(&h, 0.99) / 990000 - 1) < 0.01, "p99 of 1 to 1000 us");
	ok(histogram_quantile(&h, 1) == 1000000, "no quantile is above the largest value");
	ok(histogram_text(&h, text, sizeof text) == strlen(text), "as text");
	ok(histogram_text(&h, text, 64) == 64, "a buffer that is too small");
	histogram_clear(&h);
	histogram_add(&h, UINT64_MAX, 3);
	ok(h.total == 3 && h.last == HISTOGRAM_BUCKETS - 1, "the largest value has a bucket");
}

enum { MS = 1000000 };

/* A thread that made 9 creations in 90 ms and one more until `end` */
static void make_thread(struct pass_state *p, uint64_t end)
{
	memset(p, 0, sizeof *p);
	p->started = 5 * MS;
	p->batch_ns = 40 * MS;
	p->batches = 2;
	p->batch[0] = p->batch[1] = (struct batch){ 4, 40000 };
	p->batch_created = 8;
	p->batch_started = p->started + 80 * MS;
	p->before_end = (struct reading){ p->started + 90 * MS, 9 };
	p->created = 10;
	p->now = p->started + end * MS;
	histogram_add(&p->latency, end * MS, 10);
	histogram_add(&p->stalls, 1000, 10);
}

static void test_merge(void)
{
	static struct pass_state first, second, third;
	struct pass_state *all[] = { &first, &second, &third };

	make_thread(&first, 100);
	make_thread(&second, 110);
	make_thread(&third, 290);
	merge_passes(all, 3, false);
	ok(first.now == 105 * MS, "threads: the time ends with the first of them");
	ok(first.created == 29, "what was made later is left out: 10 + 9.5 + 9.05");
	ok(first.batches == 2 && first.batch[0].created == 12 && first.batch_created == 24,
		"the batches are those of all");
	ok(first.latency.total == 30 && first.latency.max == 290 * MS && first.stalls.total == 30,
		"and the histograms");
	make_thread(&first, 100);
	merge_passes(all, 3, true);
	ok(first.created == 30 && first.now == 295 * MS, "with --count all that was made counts");
	make_thread(&first, 100);
	second.started += 20 * MS;
	second.batch[0].us -= 20000;
	merge_passes(all, 3, false);
	ok(first.started == 25 * MS && first.began == 25 * MS,
		"the time begins with the last start");
	ok(first.created == 25, "what was made before is left out: 8 + 9.5 + 7.05");
	ok(first.batches == 1 && first.batch[0].created == 14, "of the batches, too");
}

static void test_numbers(void)
{
	static const char *const bad_sizes[] = { "", "-1", "1e3", "k", "1kk", "1T", " 1", "1 ", ".",
		"99999999999G", "nan", "inf", "0x10" };
	static const char *const bad_seconds[] = { "", "0", "-1", "abc", "1e99", "1s", "99999999",
		"." };
	uint64_t n;
	double s;

	ok(parse_size("0", &n) && n == 0, "size 0");
	ok(parse_size("10M", &n) && n == 10485760, "size 10M");
	ok(parse_size("1.5k", &n) && n == 1536, "size 1.5k");
	ok(parse_size("4G", &n) && n == UINT64_C(4294967296), "size 4G");
	for (size_t i = 0; i < sizeof bad_sizes / sizeof *bad_sizes; i++)
		ok(!parse_size(bad_sizes[i], &n), bad_sizes[i]);
	ok(parse_seconds("0.25", false, &s) && s == 0.25, "0.25 seconds");
	ok(parse_seconds("0", true, &s), "0 seconds where they are allowed");
	for (size_t i = 0; i < sizeof bad_seconds / sizeof *bad_seconds; i++)
		ok(!parse_seconds(bad_seconds[i], false, &s), bad_seconds[i]);
	ok(parse_count("1000000", false, &n) && n == 1000000, "count");
	ok(!parse_count("0", false, &n) && parse_count("0", true, &n), "count 0");
	ok(!parse_count("1e6", false, &n) && !parse_count("-5", false, &n) &&
			!parse_count("99999999999999999999", false, &n),
		"no counts");
}

int main(void)
{
	test_precision();
	test_histogram();
	test_merge();
	test_numbers();
	printf("1..%d\n", number);
	return 0;
}
