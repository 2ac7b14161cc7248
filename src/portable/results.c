/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results.c - prints the median rate of each test of a file of samples, and the indexes.
 * ./Run show computes the rest from the same file.
 */
#include <err.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "summary.h"

enum { TESTS_MAX = 64, CATEGORIES_MAX = 8 };

static struct test {
	char name[64], title[64], category[64];
	double baseline, rate; /* rate: the median of one number of copies */
} tests[TESTS_MAX];

static struct category {
	char name[64], title[64];
	size_t complete; /* tests without which its score is a partial one */
} categories[CATEGORIES_MAX];

/* A good pass */
struct sample {
	unsigned long copies;
	const struct test *test;
	double rate;
};

static struct sample *samples;
static size_t n_tests, n_categories, n_samples;

/* ---- the rate of a pass ----------------------------------------------------------- */

/* What a copy of a test printed; progress: us:iterations pairs */
struct copy {
	double count, timebase, seconds, gate;
	char *progress;
};

/* The pass that is being read, and the copies of it that were */
static struct sample pass;
static struct copy *copy;
static size_t n_copies;

/* Iterations of a copy until this reading of the clock */
static double iterations_at(const struct copy *c, double clock)
{
	double at = c->gate, made = 0;
	char *step = c->progress;

	while (step != NULL) {
		double seconds = strtod(step, &step) / 1e6;
		double more = *step == ':' ? strtod(step + 1, &step) : 0;

		if (clock < at + seconds)
			return made + more * (clock - at) / seconds;
		at += seconds;
		made += more;
		step = *step == ',' ? step + 1 : NULL;
	}
	return made;
}

/* By the rules of common_window() in SpawnMeter::Analysis::ProgramOutput: of several copies only
 * the time counts in which all of them ran, from the start of the last one to the end of the first
 * one */
static double of_window(const struct copy *c, size_t copies)
{
	double first = c->gate, last = c->gate, from = c->gate, to = c->gate + c->seconds;
	double made = 0, total = 0;

	for (size_t i = 0; i < copies; i++) {
		double ended = c[i].gate + c[i].seconds;

		from = fmax(from, c[i].gate);
		first = fmin(first, c[i].gate);
		to = fmin(to, ended);
		last = fmax(last, ended);
		total += c[i].count;
	}
	for (size_t i = 0; i < copies; i++)
		made += iterations_at(&c[i], to) - iterations_at(&c[i], from);
	return to > from && made > 0 ? made / (to - from) : total / (last - first);
}

/* 0 where it is unknown */
static double rate_of(const struct copy *c, size_t copies)
{
	for (size_t i = 0; i < copies; i++)
		if (c[i].seconds <= 0 || c[i].count <= 0)
			return 0;
	return (copies > 1 ? of_window(c, copies) : c->count / c->seconds) * c->timebase;
}

/* ---- reading ---------------------------------------------------------------------- */

static void end_pass(void)
{
	pass.rate = n_copies > 0 && n_copies == pass.copies ? rate_of(copy, n_copies) : 0;
	if (pass.rate > 0) {
		samples = grow(samples, (n_samples + 1) * sizeof *samples);
		samples[n_samples++] = pass;
	}
	while (n_copies > 0)
		free(copy[--n_copies].progress);
}

static void begin_pass(const char *line)
{
	char name[64];

	end_pass();
	pass.test = NULL;
	(void)sscanf(line, "PASS|%63[^|]|%lu", name, &pass.copies);
	for (size_t i = 0; i < n_tests; i++)
		if (strcmp(tests[i].name, name) == 0)
			pass.test = &tests[i];
	if (pass.test == NULL)
		errx(1, "not a pass of one of the tests: %s", line);
}

/* A line that a copy printed, or the one before it */
static void read_copy(const char *line)
{
	struct copy *c = &copy[n_copies - 1];
	int at = 0;

	if (strncmp(line, "COPY|", 5) == 0) {
		copy = grow(copy, (n_copies + 1) * sizeof *copy);
		copy[n_copies++] = (struct copy){ 0 };
	} else if (n_copies > 0) {
		(void)sscanf(line, "COUNT|%lf|%lf", &c->count, &c->timebase);
		(void)sscanf(line, "TIME|%lf", &c->seconds);
		(void)sscanf(line, "GATE|%lf", &c->gate);
		(void)sscanf(line, "PROGRESS|%*[^|]|%n", &at);
		if (at > 0 && c->progress == NULL)
			c->progress = strdup(line + at);
	}
}

static int by_title(const void *x, const void *y)
{
	return strcmp(((const struct test *)x)->title, ((const struct test *)y)->title);
}

static void read_head(const char *line)
{
	struct test *test = &tests[n_tests];
	struct category *category = &categories[n_categories];
	int at = 0;

	if (n_tests < TESTS_MAX &&
		sscanf(line, "TEST|%63[^|]|%63[^|]|%63[^|]|%lf", test->name, test->title,
			test->category, &test->baseline) == 4)
		qsort(tests, ++n_tests, sizeof *tests, by_title);
	if (n_categories < CATEGORIES_MAX)
		(void)sscanf(
			line, "CATEGORY|%63[^|]|%63[^|]|%n", category->name, category->title, &at);
	n_categories += at > 0;
	for (line += at; at > 0 && line != NULL; line = strchr(line + 1, ' '))
		category->complete++;
}

static void read_samples(const char *path)
{
	char *line = NULL;
	size_t room = 0;
	FILE *in = fopen(path, "r");

	if (in == NULL)
		err(1, "%s", path);
	if (getline(&line, &room, in) < 0 || strcmp(line, SAMPLES_FORMAT "\n") != 0)
		errx(1, "%s: not a file of samples (no line %s)", path, SAMPLES_FORMAT);
	while (getline(&line, &room, in) >= 0) {
		if (strncmp(line, "PASS|", 5) == 0)
			begin_pass(line);
		else if (pass.test != NULL)
			read_copy(line);
		else
			read_head(line);
	}
	end_pass();
}

/* ---- printing --------------------------------------------------------------------- */

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static void compute(unsigned long copies, struct test *test)
{
	double *rates = grow(NULL, (n_samples + 1) * sizeof *rates);
	size_t n = 0;

	for (size_t i = 0; i < n_samples; i++)
		if (samples[i].copies == copies && samples[i].test == test)
			rates[n++] = samples[i].rate;
	qsort(rates, n, sizeof *rates, by_size);
	test->rate = n > 0 ? (rates[(n - 1) / 2] + rates[n / 2]) / 2 : 0;
	free(rates);
}

static bool counts(const struct test *test, const struct category *category)
{
	return test->rate > 0 && strcmp(test->category, category->name) == 0;
}

static void print_index(const struct category *category)
{
	size_t scored = 0;
	double logs = 0;
	bool partial;

	for (size_t i = 0; i < n_tests; i++)
		scored += counts(&tests[i], category);
	if (scored == 0)
		return;
	partial = scored < category->complete;
	printf("%s %-*s %12s %12s %8s\n", category->title, 39 - (int)strlen(category->title),
		partial ? "Partial Index" : "Index Values", "BASELINE", "RESULT", "INDEX");
	for (const struct test *test = tests; test < tests + n_tests; test++) {
		double index = test->rate / test->baseline * 10;

		if (!counts(test, category))
			continue;
		printf("%-40s %12.1f %12.1f %8.1f\n", test->title, test->baseline, test->rate,
			index);
		logs += log(index);
	}
	printf("%75s\n%s %-*s %8.1f\n\n", "========", category->title,
		65 - (int)strlen(category->title),
		partial ? "Index Score (Partial Only)" : "Index Score", exp(logs / (double)scored));
}

int command_results(const char *path)
{
	read_samples(path);
	for (size_t i = 0; i < n_samples; i++) {
		unsigned long copies = samples[i].copies;

		if (i > 0 && samples[i - 1].copies == copies)
			continue;
		printf("Running %lu parallel cop%s of tests\n\n", copies,
			copies == 1 ? "y" : "ies");
		for (size_t t = 0; t < n_tests; t++)
			compute(copies, &tests[t]);
		for (size_t c = 0; c < n_categories; c++)
			print_index(&categories[c]);
	}
	puts("RESULT: median of all passes.");
	return fflush(stdout) != 0;
}
