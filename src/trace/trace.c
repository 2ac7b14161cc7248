/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.c - measures where the time of one creation goes.
 *
 *   trace [--cpu N] [--heap SIZE] [--files N] [--libraries N] METHOD COUNT [TARGET]
 *
 * Prints PHASE|name|p50|p90|p99 for each phase, in microseconds and in order.  Each phase
 * is a distribution of its own, so the medians do not add up exactly.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "creation.h"
#include "harness/cleaner.h"
#include "harness/folders.h"
#include "harness/footprint.h"
#include "harness/os.h"
#include "harness/start.h"
#include "harness/util.h"

enum { COUNT_MAX = 1000000, WARM = 100 };

/* For the parts of the harness that make the parent and find the target */
const struct test test = { .name = "trace", .takes = TAKES_PARENT | TAKES_FILES | TAKES_TARGET };
static struct options options = {
	.environment = NO_SIZE, .cpu = -1, .burst = 1, .spawners = 1, .phases = true
};

static const struct method *method;

/* ---- phases ------------------------------------------------------------------- */

static const struct phase {
	const char *name;
	enum mark from, to;
	unsigned without; /* not for methods that take one of these readings */
} phases[] = {
	{ "call to return in the parent", CALL, RETURNED, 0 },
	{ "call to first instruction in the child", CALL, CHILD, 0 },
	{ "the child's own time", CHILD, LEAVES, 0 },
	{ "exec to its success", LEAVES, EXECED, 0 },
	{ "exec to the target's first instruction", LEAVES, FIRST, 0 },
	{ "call to the target's first instruction", CALL, FIRST, 0 },
	{ "dynamic loader", FIRST, ENTRY, 0 },
	{ "entry point to main()", ENTRY, MAIN, 0 },
	{ "call to main()", CALL, MAIN, 0 },
	{ "main() to wait's return", MAIN, WAITED, 0 },
	{ "success of exec to wait's return", EXECED, WAITED, 0 },
	{ "exit to wait's return", LEAVES, WAITED, BIT(EXECED) },
	{ "total", CALL, WAITED, 0 },
};
enum { PHASES = sizeof phases / sizeof *phases };

static bool concerns(const struct phase *p)
{
	unsigned needed = BIT(p->from) | BIT(p->to), taken = method_marks(method);

	if (p->to == ENTRY && !target_has_loader())
		return false;
	return (taken & needed) == needed && (taken & p->without) == 0;
}

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static void print_phases(double *times[], size_t count)
{
	for (int i = 0; i < PHASES; i++) {
		if (!concerns(&phases[i]))
			continue;
		qsort(times[i], count, sizeof *times[i], by_size);
		printf("PHASE|%s|%.3f|%.3f|%.3f\n", phases[i].name, times[i][count / 2] / 1e3,
			times[i][count * 9 / 10] / 1e3, times[i][count * 99 / 100] / 1e3);
	}
}

__attribute__((noreturn)) static void usage(void)
{
	fputs("usage: trace [--cpu N] [--heap SIZE] [--files N] [--libraries N] METHOD COUNT "
	      "[TARGET]\nmethods:",
		stderr);
	for (size_t i = 0; methods[i] != NULL; i++)
		fprintf(stderr, " %s", method_name(methods[i]));
	fputc('\n', stderr);
	exit(2);
}

static const struct method *find_method(const char *name)
{
	size_t i = 0;

	while (methods[i] != NULL && strcmp(method_name(methods[i]), name) != 0)
		i++;
	return methods[i];
}

static bool number(const char *text, uint64_t *value)
{
	return parse_count(text, true, value) && *value <= 100000000;
}

/* What the parent is given */
static const struct setting {
	const char *name;
	bool (*parse)(const char *, uint64_t *);
	uint64_t *value;
} settings[] = {
	{ "--heap", parse_size, &options.heap },
	{ "--files", number, &options.files },
	{ "--libraries", number, &options.libraries },
};

static bool take_setting(const char *name, const char *text)
{
	uint64_t cpu;

	if (strcmp(name, "--cpu") == 0) {
		if (!number(text, &cpu) || cpu > 65535)
			return false;
		options.cpu = (int)cpu;
		return true;
	}
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (strcmp(name, settings[i].name) == 0)
			return settings[i].parse(text, settings[i].value);
	return false;
}

static void measure(double *times[], uint64_t count)
{
	for (int i = 0; i < WARM; i++)
		create(method);
	for (uint64_t i = 0; i < count; i++) {
		create(method);
		for (int p = 0; p < PHASES; p++)
			times[p][i] = (double)(int64_t)(mark[phases[p].to] - mark[phases[p].from]);
	}
}

static void prepare(const char *target, char **argv)
{
	static char *none[] = { NULL };

	options.target = target;
	options.target_args = none;
	(void)signal(SIGCHLD, SIG_DFL);
	if (options.cpu >= 0 && os_pin(options.cpu, argv) != 0)
		fail("--cpu");
	if (method_executes(method))
		cleaner_begin(false);
	if (footprint_make(&options) != 0)
		give_up();
	if (method_executes(method) && (start_setup() != 0 || target_setup(&options) != 0))
		give_up();
	creation_setup();
}

int main(int argc, char **argv)
{
	static double *times[PHASES]; /* static: reachable until the end */
	char **arguments = argv;
	uint64_t count;

	folders_begin(argv[0]);
	for (; argc > 2 && strncmp(argv[1], "--", 2) == 0; argc -= 2, argv += 2)
		if (!take_setting(argv[1], argv[2]))
			usage();
	if (argc < 3 || argc > 4 || (method = find_method(argv[1])) == NULL ||
		!parse_count(argv[2], false, &count) || count > COUNT_MAX || options.libraries > 64)
		usage();
	prepare(argv[3], arguments);
	for (int p = 0; p < PHASES; p++)
		if ((times[p] = calloc(count, sizeof **times)) == NULL)
			fail("memory");
	measure(times, count);
	target_teardown();
	cleaner_end();
	print_phases(times, count);
	return 0;
}
