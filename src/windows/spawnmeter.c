/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawnmeter.c - spawnmeter.exe: measures the creation of processes and threads on Windows,
 * and prints the report.  usage: spawnmeter [--passes N] [--seconds S] >FILE
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report.h"
#include "windows.h"

enum { PASSES = 20, BAD = 2 };
static const double SECONDS = 0.25, MAX_SECONDS = 1000;

static struct row rows[] = {
	{ .name = "createprocess",
		.title = "CreateProcess Throughput",
		.program = "createprocess.exe" },
	{ .name = "createprocess_crt",
		.title = "CreateProcess and C Runtime Throughput",
		.program = "createprocess.exe",
		.arguments = "true-runtime.exe" },
	{ .name = "thread", .title = "Thread Throughput", .program = "thread.exe" },
};
enum { ROWS = sizeof rows / sizeof *rows };

static int usage(const char *text, const char *what)
{
	fprintf(stderr,
		"spawnmeter: '%s' %s\nusage: spawnmeter [--passes N] [--seconds S] >FILE\n"
		"Makes N passes (default %d) of S seconds (default %g) of each test.  ./Run show "
		"FILE\n"
		"and ./Run compare FILE read the report.\n",
		text, what, PASSES, SECONDS);
	return BAD;
}

/* -1, or the status to exit with */
static int parse(int argc, char **argv, unsigned *passes, double *seconds)
{
	for (int i = 1; i < argc; i++) {
		bool number = strcmp(argv[i], "--passes") == 0;
		char *end = NULL;
		double value;

		if (!number && strcmp(argv[i], "--seconds") != 0)
			return usage(argv[i], "is an unknown option");
		if (++i == argc)
			return usage(argv[i - 1], "needs a value");
		value = strtod(argv[i], &end);
		if (*end != '\0' || !(value > 0) || value > (number ? PASSES_MAX : MAX_SECONDS) ||
			(number && value != (int)value))
			return usage(argv[i],
				number ? "is not a number of passes" :
					 "is not a number of seconds");
		if (number)
			*passes = (unsigned)value;
		else
			*seconds = value;
	}
	return -1;
}

static void shuffle(struct row **order)
{
	for (size_t i = ROWS - 1; i > 0; i--) {
		size_t other = (size_t)rand() % (i + 1);
		struct row *row = order[i];

		order[i] = order[other];
		order[other] = row;
	}
}

static void local_time(const char *format, char *text, size_t size)
{
	time_t now = time(NULL);

	strftime(text, size, format, localtime(&now));
}

int main(int argc, char **argv)
{
	struct row *order[ROWS];
	unsigned passes = PASSES, made = 0;
	double seconds = SECONDS;
	char begun[64], ended[64];
	int status = parse(argc, argv, &passes, &seconds);

	if (status >= 0)
		return status;
	srand((unsigned)now_ns());
	for (size_t i = 0; i < ROWS; i++)
		order[i] = &rows[i];
	local_time("%a %b %d %Y %H:%M:%S", begun, sizeof begun);
	for (unsigned i = 0; i < passes; i++) {
		shuffle(order);
		for (size_t j = 0; j < ROWS; j++)
			make_pass(order[j], seconds);
	}
	local_time("%H:%M:%S", ended, sizeof ended);
	print_head(stdout, seconds, passes, argc, argv);
	print_results(stdout, rows, ROWS, begun, ended);
	for (size_t i = 0; i < ROWS; i++)
		made += rows[i].passes;
	return made == ROWS * passes && fflush(stdout) == 0 ? 0 : 1;
}
