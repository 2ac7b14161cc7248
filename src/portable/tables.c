/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.c - reads a file of samples and prints the tables of the classic report: the median
 * of the passes of each test, its index, and the index scores.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "summary.h"

enum { TESTS_MAX = 64, CATEGORIES_MAX = 8, BLOCKS_MAX = 64 };

/* The passes of a test at a number of copies */
struct cell {
	double *rates, seconds;
	size_t passes, room;
	char status[16], reason[256], unit[16];
};

struct block {
	unsigned long copies;
	double began, ended;
	struct cell cells[TESTS_MAX];
};

static struct {
	char name[64], title[64], category[64];
	double baseline;
} tests[TESTS_MAX];
static struct {
	char name[64], title[64];
	unsigned complete;
} categories[CATEGORIES_MAX];
static struct block *blocks[BLOCKS_MAX];
static size_t n_tests, n_categories, n_blocks;
static char suite[64], host[256], cpu[256], kernel[256], end[256], path_of_file[1024];
static double rounds, slice;
static unsigned cpus;

/* The pass that is being read */
static struct {
	struct block *block;
	struct cell *cell;
	struct copy *copies;
	size_t n, expected;
} open_pass;

/* ---- reading ---------------------------------------------------------------------- */

static void end_pass(void)
{
	struct cell *cell = open_pass.cell;
	double rate =
		open_pass.n == open_pass.expected ? rate_of(open_pass.copies, open_pass.n) : -1;

	if (cell != NULL && rate > 0) {
		if (cell->passes == cell->room) {
			cell->room = 2 * cell->room + 16;
			cell->rates = grow(cell->rates, cell->room * sizeof *cell->rates);
		}
		cell->rates[cell->passes++] = rate;
		for (size_t i = 0; i < open_pass.n; i++)
			cell->seconds += open_pass.copies[i].seconds / (double)open_pass.n;
	}
	for (size_t i = 0; i < open_pass.n; i++)
		free(open_pass.copies[i].progress);
	open_pass.cell = NULL;
	open_pass.n = open_pass.expected = 0;
}

static struct block *block_of(unsigned long copies)
{
	for (size_t i = 0; i < n_blocks; i++)
		if (blocks[i]->copies == copies)
			return blocks[i];
	if (n_blocks == BLOCKS_MAX)
		fail("%s: more than %d numbers of copies", path_of_file, BLOCKS_MAX);
	blocks[n_blocks] = grow(NULL, sizeof **blocks);
	memset(blocks[n_blocks], 0, sizeof **blocks);
	blocks[n_blocks]->copies = copies;
	return blocks[n_blocks++];
}

static void begin_pass(const char *line)
{
	char name[64], status[16];
	unsigned long copies;
	double wall, at_end;

	end_pass();
	if (sscanf(line, "PASS|%63[^|]|%lu|%*u|%15[^|]|%*f|%lf|%lf", name, &copies, status, &wall,
		    &at_end) != 5 ||
		copies < 1 || copies > 65536)
		fail("%s: not a line of a pass: %s", path_of_file, line);
	open_pass.block = block_of(copies);
	if (open_pass.block->began <= 0)
		open_pass.block->began = at_end - wall;
	open_pass.block->ended = at_end;
	for (size_t i = 0; i < n_tests; i++)
		if (strcmp(tests[i].name, name) == 0)
			open_pass.cell = &open_pass.block->cells[i];
	if (open_pass.cell == NULL)
		fail("%s: a pass of %s, which is not one of its tests", path_of_file, name);
	if (strcmp(status, "ok") == 0) {
		open_pass.expected = copies;
		open_pass.copies = grow(open_pass.copies, copies * sizeof *open_pass.copies);
	} else {
		(void)snprintf(open_pass.cell->status, sizeof open_pass.cell->status, "%s", status);
	}
}

/* A line that a copy printed */
static void read_copy(const char *line)
{
	struct copy *copy;

	if (strncmp(line, "COPY|", 5) == 0) {
		if (open_pass.n == open_pass.expected)
			fail("%s: too many copies in a pass", path_of_file);
		open_pass.copies[open_pass.n++] = (struct copy){ 0 };
		return;
	}
	if (open_pass.n == 0)
		return;
	copy = &open_pass.copies[open_pass.n - 1];
	(void)sscanf(
		line, "COUNT|%lf|%lf|%15s", &copy->count, &copy->timebase, open_pass.cell->unit);
	(void)sscanf(line, "TIME|%lf", &copy->seconds);
	(void)sscanf(line, "GATE|%lf", &copy->gate);
	(void)sscanf(line, "ITERATIONS|%lf", &copy->iterations);
	if (strncmp(line, "PROGRESS|", 9) == 0 && copy->progress == NULL) {
		const char *pairs = strchr(line + 9, '|');

		copy->progress = pairs != NULL ? strdup(pairs + 1) : NULL;
	}
}

static void read_test(const char *line)
{
	if (n_tests == TESTS_MAX)
		fail("%s: more than %d tests", path_of_file, TESTS_MAX);
	n_tests += sscanf(line, "TEST|%63[^|]|%63[^|]|%63[^|]|%lf", tests[n_tests].name,
			   tests[n_tests].title, tests[n_tests].category,
			   &tests[n_tests].baseline) == 4;
}

static void read_category(const char *line)
{
	char *name = categories[n_categories].name, *title = categories[n_categories].title;
	char names[1024];
	unsigned words = 0;

	if (n_categories == CATEGORIES_MAX ||
		sscanf(line, "CATEGORY|%63[^|]|%63[^|]|%1023[^\n]", name, title, names) != 3)
		return;
	for (char *word = strtok(names, " "); word != NULL; word = strtok(NULL, " "))
		words++;
	categories[n_categories++].complete = words;
}

/* The lines before the first pass */
static void read_head(const char *line)
{
	(void)sscanf(line, "SUITE|%63[^\n]", suite);
	(void)sscanf(line, "HOST|%255[^\n]", host);
	(void)sscanf(line, "ROUNDS|%lf", &rounds);
	(void)sscanf(line, "SECONDS|%lf", &slice);
	(void)sscanf(line, "FACT|cpu_model|%255[^\n]", cpu);
	(void)sscanf(line, "FACT|kernel_release|%255[^\n]", kernel);
	(void)sscanf(line, "FACT|cpus_online|%u", &cpus);
}

static void read_line(const char *line)
{
	if (strncmp(line, "PASS|", 5) == 0)
		begin_pass(line);
	else if (strncmp(line, "TEST|", 5) == 0)
		read_test(line);
	else if (strncmp(line, "CATEGORY|", 9) == 0)
		read_category(line);
	else if (strncmp(line, "REASON|", 7) == 0 && open_pass.cell != NULL)
		(void)snprintf(
			open_pass.cell->reason, sizeof open_pass.cell->reason, "%s", line + 7);
	else if (strncmp(line, "END|", 4) == 0)
		(void)sscanf(line, "END|%255[^\n]", end);
	else if (open_pass.cell != NULL)
		read_copy(line);
	else
		read_head(line);
}

static void read_samples(const char *path)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	bool begun = false;
	FILE *in = fopen(path, "r");

	(void)snprintf(path_of_file, sizeof path_of_file, "%s", path);
	if (in == NULL)
		fail("%s:", path);
	errno = 0;
	while ((length = getline(&line, &room, in)) >= 0) {
		line[strcspn(line, "\r\n")] = '\0';
		begun |= strcmp(line, SAMPLES_FORMAT) == 0;
		if (begun)
			read_line(line);
	}
	if (ferror(in))
		fail("%s:", path);
	end_pass();
	(void)fclose(in);
	free(line);
	if (!begun)
		fail("%s: not a file of samples (no line %s)", path, SAMPLES_FORMAT);
}

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
	return strcmp(tests[*(const size_t *)x].title, tests[*(const size_t *)y].title);
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
	printf("   SpawnMeter (Version %s), portable bundle\n\n   System: %s\n", suite, host);
	if (kernel[0] != '\0')
		printf("   Kernel: %s\n", kernel);
	if (cpu[0] != '\0')
		printf("   CPU: %s\n", cpu);
	printf("   %.0f rounds of passes of %g s, shuffled; statically linked programs\n\n", rounds,
		slice);
}

static void print_period(const struct block *block)
{
	char from[64], to[16];
	time_t began = (time_t)block->began, ended = (time_t)block->ended;

	(void)strftime(from, sizeof from, "%a %b %d %Y %H:%M:%S", localtime(&began));
	(void)strftime(to, sizeof to, "%H:%M:%S", localtime(&ended));
	printf("Benchmark Run: %s - %s\n", from, to);
	if (cpus > 0)
		printf("%u CPU%s in system; running %lu parallel cop%s of tests\n", cpus,
			cpus == 1 ? "" : "s", block->copies, block->copies == 1 ? "y" : "ies");
}

static void print_results(const struct block *block)
{
	for (size_t i = 0; i < n_tests; i++) {
		const struct cell *cell = &block->cells[order[i]];

		if (cell->passes > 0)
			printf("%-40s %12.1f %-5s (%.1f s, %lu samples)\n", tests[order[i]].title,
				median(cell), cell->unit, cell->seconds / (double)cell->passes,
				(unsigned long)cell->passes);
	}
	putchar('\n');
}

static size_t scored_tests(const struct block *block, const char *category)
{
	size_t n = 0;

	for (size_t i = 0; i < n_tests; i++)
		n += block->cells[i].passes > 0 && tests[i].baseline > 0 &&
			strcmp(tests[i].category, category) == 0;
	return n;
}

static void print_index(const struct block *block, size_t category)
{
	size_t scored = scored_tests(block, categories[category].name);
	bool partial = scored < categories[category].complete;
	double logs = 0;
	char text[128];

	if (scored == 0)
		return;
	(void)snprintf(text, sizeof text, "%s %s", categories[category].title,
		partial ? "Partial Index" : "Index Values");
	printf("%-40s %12s %12s %8s\n", text, "BASELINE", "RESULT", "INDEX");
	for (size_t i = 0; i < n_tests; i++) {
		size_t t = order[i];

		if (block->cells[t].passes == 0 || tests[t].baseline <= 0 ||
			strcmp(tests[t].category, categories[category].name) != 0)
			continue;
		double rate = median(&block->cells[t]), index = rate / tests[t].baseline * 10;

		printf("%-40s %12.1f %12.1f %8.1f\n", tests[t].title, tests[t].baseline, rate,
			index);
		logs += log(index);
	}
	(void)snprintf(text, sizeof text, "%s Index Score%s", categories[category].title,
		partial ? " (Partial Only)" : "");
	printf("%-66s %8s\n%-66s %8.1f\n\n", "", "========", text, exp(logs / (double)scored));
}

static void print_lost(const struct block *block)
{
	for (size_t i = 0; i < n_tests; i++)
		if (block->cells[i].status[0] != '\0')
			printf("%s, %lu cop%s: %s: %s\n", tests[i].name, block->copies,
				block->copies == 1 ? "y" : "ies", block->cells[i].status,
				block->cells[i].reason);
}

int command_tables(const char *path)
{
	read_samples(path);
	for (size_t i = 0; i < n_tests; i++)
		order[i] = i;
	qsort(order, n_tests, sizeof *order, by_title);
	print_head();
	for (size_t i = 0; i < n_blocks; i++) {
		print_rule('-');
		print_period(blocks[i]);
		putchar('\n');
		print_results(blocks[i]);
		for (size_t c = 0; c < n_categories; c++)
			print_index(blocks[i], c);
	}
	puts("RESULT: median of all passes.");
	for (size_t i = 0; i < n_blocks; i++)
		print_lost(blocks[i]);
	if (strcmp(end, "complete") != 0)
		printf("INCOMPLETE: %s\n", end[0] != '\0' ? end : "the run was ended");
	return fflush(stdout) != 0;
}
