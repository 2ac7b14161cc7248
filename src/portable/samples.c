/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples.c - reads a file of samples.
 */
#include "samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "summary.h"

static struct samples samples;
static char path_of_file[1024];

/* The pass that is being read */
static struct {
	struct block *block;
	struct cell *cell;
	struct copy *copies;
	size_t n, expected;
} open_pass;

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
	struct block *block;

	for (size_t i = 0; i < samples.n_blocks; i++)
		if (samples.blocks[i]->copies == copies)
			return samples.blocks[i];
	if (samples.n_blocks == BLOCKS_MAX)
		fail("%s: more than %d numbers of copies", path_of_file, BLOCKS_MAX);
	block = grow(NULL, sizeof *block);
	memset(block, 0, sizeof *block);
	block->copies = copies;
	return samples.blocks[samples.n_blocks++] = block;
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
	for (size_t i = 0; i < samples.n_tests; i++)
		if (strcmp(samples.tests[i].name, name) == 0)
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
	struct sampled_test *test = &samples.tests[samples.n_tests];

	if (samples.n_tests == TESTS_MAX)
		fail("%s: more than %d tests", path_of_file, TESTS_MAX);
	samples.n_tests += sscanf(line, "TEST|%63[^|]|%63[^|]|%63[^|]|%lf", test->name, test->title,
				   test->category, &test->baseline) == 4;
}

static void read_category(const char *line)
{
	struct category *category = &samples.categories[samples.n_categories];
	char names[1024];
	unsigned words = 0;

	if (samples.n_categories == CATEGORIES_MAX ||
		sscanf(line, "CATEGORY|%63[^|]|%63[^|]|%1023[^\n]", category->name, category->title,
			names) != 3)
		return;
	for (char *word = strtok(names, " "); word != NULL; word = strtok(NULL, " "))
		words++;
	category->complete = words;
	samples.n_categories++;
}

/* The lines before the first pass */
static void read_head(const char *line)
{
	(void)sscanf(line, "SUITE|%63[^\n]", samples.suite);
	(void)sscanf(line, "HOST|%255[^\n]", samples.host);
	(void)sscanf(line, "ROUNDS|%lf", &samples.rounds);
	(void)sscanf(line, "SECONDS|%lf", &samples.slice);
	(void)sscanf(line, "FACT|cpu_model|%255[^\n]", samples.cpu);
	(void)sscanf(line, "FACT|kernel_release|%255[^\n]", samples.kernel);
	(void)sscanf(line, "FACT|cpus_online|%u", &samples.cpus);
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
		(void)sscanf(line, "END|%255[^\n]", samples.end);
	else if (open_pass.cell != NULL)
		read_copy(line);
	else
		read_head(line);
}

struct samples *samples_read(const char *path)
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
	return &samples;
}
