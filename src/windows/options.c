/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - the options of the test programs for Windows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "windows.h"

enum { BAD = 2 };

static void usage(FILE *out)
{
	fprintf(out, "usage: %s [options] SECONDS\n%s\n%s", test.name, test.summary,
		test.runs_target ? "  --exec       PATH     run PATH as the target\n" : "");
	fputs("  --count      N        stop after N (SECONDS may be omitted)\n"
	      "  --warmup     SECONDS  warm up untimed (default 0)\n"
	      "  --help                print this help and exit\n"
	      "  --version             print the version and exit\n"
	      "SECONDS may be fractional.\n",
		out);
}

static int bad(const char *text, const char *what)
{
	fprintf(stderr, "%s: %s %s\n", test.name, text, what);
	usage(stderr);
	return BAD;
}

/* A number from 0 on.  False for any other text. */
static bool parse(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end != text && *end == '\0' && *value >= 0 && *value <= 1e15;
}

/* An option with a value, or NULL.  -1, or the status to exit with. */
static int set(const char *name, const char *text, struct options *o)
{
	bool count = strcmp(name, "--count") == 0;
	bool target = test.runs_target && strcmp(name, "--exec") == 0;
	double value = 0;

	if (!count && !target && strcmp(name, "--warmup") != 0)
		return bad(name, "is an unknown option");
	if (text == NULL)
		return bad(name, "needs a value");
	if (!target && (!parse(text, &value) || (count && value != (double)(uint64_t)value)))
		return bad(text, count ? "is not a whole number" : "is not a number of seconds");
	if (target)
		o->target = text;
	else if (count)
		o->count = (uint64_t)value;
	else
		o->warmup = value;
	return -1;
}

int parse_options(int argc, char **argv, struct options *o)
{
	bool given = false;
	int status = -1;

	for (int i = 1; i < argc && status < 0; i++) {
		if (strcmp(argv[i], "--help") == 0) {
			usage(stdout);
			return 0;
		}
		if (strcmp(argv[i], "--version") == 0) {
			printf("%s, SpawnMeter %s\nWindows, static, %d bits\n", test.name,
				SPAWNMETER_VERSION, (int)sizeof(void *) * 8);
			return 0;
		}
		if (strncmp(argv[i], "--", 2) == 0) {
			status = set(argv[i], argv[i + 1], o);
			i++;
		} else if (given || !parse(argv[i], &o->seconds) || o->seconds == 0)
			return bad(argv[i], "is not a number of seconds");
		else
			given = true;
	}
	return status >= 0 || given || o->count > 0 ? status : bad("SECONDS", "is missing");
}
