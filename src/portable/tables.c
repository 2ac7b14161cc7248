/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.c - prints the tables of the classic report from a file of samples: the median of the
 * passes of each test, its index, and the index scores.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "samples.h"
#include "summary.h"

static struct samples *samples;

/* ---- statistics ------------------------------------------------------------------- */

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static double median(const struct cell *cell)
{
	size_t n = cell->passes;

	qsort(cell->rates, n, sizeof *cell->rates, by_size);
	return (cell->rates[(n - 1) / 2] + cell->rates[n / 2]) / 2;
}

static size_t order[TESTS_MAX];

static int by_title(const void *x, const void *y)
{
	return strcmp(
		samples->tests[*(const size_t *)x].title, samples->tests[*(const size_t *)y].title);
}

/* ---- printing --------------------------------------------------------------------- */

static void print_rule(char c)
{
	for (int i = 0; i < 72; i++)
		putchar(c);
	putchar('\n');
}

static void print_head(void)
{
	print_rule('=');
	printf("   SpawnMeter (Version %s), portable bundle\n\n   System: %s\n", samples->suite,
		samples->host);
	if (samples->kernel[0] != '\0')
		printf("   Kernel: %s\n", samples->kernel);
	if (samples->cpu[0] != '\0')
		printf("   CPU: %s\n", samples->cpu);
	printf("   %.0f rounds of passes of %g s, shuffled; statically linked programs\n\n",
		samples->rounds, samples->slice);
}

static void print_period(const struct block *block)
{
	char from[64], to[16];
	time_t began = (time_t)block->began, ended = (time_t)block->ended;

	(void)strftime(from, sizeof from, "%a %b %d %Y %H:%M:%S", localtime(&began));
	(void)strftime(to, sizeof to, "%H:%M:%S", localtime(&ended));
	printf("Benchmark Run: %s - %s\n", from, to);
	if (samples->cpus > 0)
		printf("%u CPU%s in system; running %lu parallel cop%s of tests\n", samples->cpus,
			samples->cpus == 1 ? "" : "s", block->copies,
			block->copies == 1 ? "y" : "ies");
}

static void print_results(const struct block *block)
{
	for (size_t i = 0; i < samples->n_tests; i++) {
		const struct cell *cell = &block->cells[order[i]];

		if (cell->passes > 0)
			printf("%-40s %12.1f %-5s (%.1f s, %lu samples)\n",
				samples->tests[order[i]].title, median(cell), cell->unit,
				cell->seconds / (double)cell->passes, (unsigned long)cell->passes);
	}
	putchar('\n');
}

static size_t scored_tests(const struct block *block, const char *category)
{
	size_t n = 0;

	for (size_t i = 0; i < samples->n_tests; i++)
		n += block->cells[i].passes > 0 && samples->tests[i].baseline > 0 &&
			strcmp(samples->tests[i].category, category) == 0;
	return n;
}

static void print_index(const struct block *block, const struct category *category)
{
	size_t scored = scored_tests(block, category->name);
	bool partial = scored < category->complete;
	double logs = 0;
	char text[128];

	if (scored == 0)
		return;
	(void)snprintf(text, sizeof text, "%s %s", category->title,
		partial ? "Partial Index" : "Index Values");
	printf("%-40s %12s %12s %8s\n", text, "BASELINE", "RESULT", "INDEX");
	for (size_t i = 0; i < samples->n_tests; i++) {
		const struct sampled_test *test = &samples->tests[order[i]];
		const struct cell *cell = &block->cells[order[i]];

		if (cell->passes == 0 || test->baseline <= 0 ||
			strcmp(test->category, category->name) != 0)
			continue;
		double rate = median(cell), index = rate / test->baseline * 10;

		printf("%-40s %12.1f %12.1f %8.1f\n", test->title, test->baseline, rate, index);
		logs += log(index);
	}
	(void)snprintf(text, sizeof text, "%s Index Score%s", category->title,
		partial ? " (Partial Only)" : "");
	printf("%-66s %8s\n%-66s %8.1f\n\n", "", "========", text, exp(logs / (double)scored));
}

static void print_lost(const struct block *block)
{
	for (size_t i = 0; i < samples->n_tests; i++)
		if (block->cells[i].status[0] != '\0')
			printf("%s, %lu cop%s: %s: %s\n", samples->tests[i].name, block->copies,
				block->copies == 1 ? "y" : "ies", block->cells[i].status,
				block->cells[i].reason);
}

int command_tables(const char *path)
{
	samples = samples_read(path);
	for (size_t i = 0; i < samples->n_tests; i++)
		order[i] = i;
	qsort(order, samples->n_tests, sizeof *order, by_title);
	print_head();
	for (size_t i = 0; i < samples->n_blocks; i++) {
		print_rule('-');
		print_period(samples->blocks[i]);
		putchar('\n');
		print_results(samples->blocks[i]);
		for (size_t c = 0; c < samples->n_categories; c++)
			print_index(samples->blocks[i], &samples->categories[c]);
	}
	puts("RESULT: median of all passes.");
	for (size_t i = 0; i < samples->n_blocks; i++)
		print_lost(samples->blocks[i]);
	if (strcmp(samples->end, "complete") != 0)
		printf("INCOMPLETE: %s\n",
			samples->end[0] != '\0' ? samples->end : "the run was ended");
	return fflush(stdout) != 0;
}
