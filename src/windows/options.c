/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - the options of the test programs for Windows.  The table is their only list.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/util.h"
#include "windows.h"

enum kind { NUMBER, TIME, TEXT, HELP, VERSION };

static const struct entry {
	const char *name;
	enum kind kind;
	bool for_target;
	size_t offset;
	const char *value, *help;
} table[] = {
#define MEMBER(m) offsetof(struct options, m)
	{ "exec", TEXT, true, MEMBER(target), "PATH", "run PATH as the target" },
	{ "count", NUMBER, false, MEMBER(count), "N", "stop after N (SECONDS may be omitted)" },
	{ "warmup", TIME, false, MEMBER(warmup), "SECONDS", "warm up untimed (default 0)" },
	{ "help", HELP, false, 0, "", "print this help and exit" },
	{ "version", VERSION, false, 0, "", "print the version and exit" },
};
enum { ENTRIES = sizeof table / sizeof *table, BAD = 2 };

static void usage(FILE *out)
{
	fprintf(out, "usage: %s [options] SECONDS\n%s\n", test.name, test.summary);
	for (size_t i = 0; i < ENTRIES; i++)
		if (!table[i].for_target || test.runs_target)
			fprintf(out, "  --%-10s %-8s %s\n", table[i].name, table[i].value,
				table[i].help);
	fprintf(out, "SECONDS may be fractional.\n");
}

static int bad(const char *text, const char *what)
{
	fprintf(stderr, "%s: %s %s\n", test.name, text, what);
	usage(stderr);
	return BAD;
}

/* -1, or the status to exit with */
static int set(const struct entry *e, const char *text, struct options *o)
{
	void *member = (char *)o + e->offset;

	switch (e->kind) {
	case TEXT:
		*(const char **)member = text;
		return -1;
	case TIME:
		return parse_seconds(text, true, member) ? -1 :
							   bad(text, "is not a number of seconds");
	case NUMBER:
		return parse_count(text, true, member) ? -1 : bad(text, "is not a number");
	case VERSION:
		printf("%s, SpawnMeter %s\nWindows, static, %d bits\n", test.name,
			SPAWNMETER_VERSION, (int)sizeof(void *) * 8);
		return 0;
	default:
		usage(stdout);
		return 0;
	}
}

static const struct entry *find(const char *name)
{
	for (size_t i = 0; i < ENTRIES; i++)
		if (strcmp(table[i].name, name) == 0 && (!table[i].for_target || test.runs_target))
			return &table[i];
	return NULL;
}

int parse_options(int argc, char **argv, struct options *o)
{
	bool given = false;
	int status = -1;

	for (int i = 1; i < argc && status < 0; i++) {
		const struct entry *e;

		if (strncmp(argv[i], "--", 2) != 0) {
			if (given || !parse_seconds(argv[i], false, &o->seconds))
				return bad(argv[i], "is not a number of seconds");
			given = true;
			continue;
		}
		e = find(argv[i] + 2);
		if (e == NULL)
			return bad(argv[i], "is an unknown option");
		if (*e->value != '\0' && ++i == argc)
			return bad(argv[i - 1], "needs a value");
		status = set(e, argv[i], o);
	}
	if (status < 0 && !given && o->count == 0)
		return bad("SECONDS", "is missing");
	return status;
}
