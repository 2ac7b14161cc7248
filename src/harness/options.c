/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - parses the command line.  The table and those of the test's features are the only
 * lists of options: the parser and the usage are derived from them.
 */
#include <getopt.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "harness.h"
#include "os.h"
#include "util.h"

struct options options = { .warmup = 0.025,
	.spawners = 1,
	.burst = 1,
	.cpu = -1,
	.gate_go = -1,
	.gate_ready = -1,
	.turn_in = -1,
	.turn_out = -1 };

static const struct entry of_always[] = {
	{ "count", POSITIVE, &options.count, "N",
		"stop after N iterations (SECONDS may be omitted)" },
	{ "cpu", CPU, &options.cpu, "N", "pin the program and its children to CPU N" },
	{ "warmup", TIME, &options.warmup, "SECONDS",
		"warm up untimed (default 0.025, or 0 with --count)" },
	{ "reference", TIME, &options.reference, "SECONDS",
		"run the reference loops that long, before the warm-up and after the timed part" },
	{ "pauses", TIME, &options.pauses, "SECONDS",
		"also run those of page faults in pauses of the timed part, so far apart, which do "
		"not count (only of tests that create; not in execl, with --count, --spawners)" },
	{ "turns", PIPE_ENDS, &options.turn_in, "R,W",
		"let another program run in pauses so far apart, of every test, in place of the "
		"loops: start when R is readable, write a byte to W at the end of a turn "
		"(--spawners: one turn)" },
	{ "no-latency", FLAG, &options.no_latency, NULL,
		"read the clock only about once a millisecond" },
	{ "gate", PIPE_ENDS, &options.gate_go, "R,W",
		"write a byte to W when set up; start when R is readable" },
	{ "help", HELP, NULL, NULL, "print this help and exit" },
	{ "version", VERSION, NULL, NULL, "print version and build and exit" },
	{ 0 },
};
enum { MOST = 64 };

/* Those that this test takes */
static const struct entry *taken[MOST];
static int count;

#ifndef SPAWNMETER_VERSION
#define SPAWNMETER_VERSION "unknown"
#endif
#ifndef SPAWNMETER_BUILD
#define SPAWNMETER_BUILD "unknown build"
#endif

static void print_libc(void)
{
#if defined __GLIBC__
	printf("glibc %s", gnu_get_libc_version());
#elif defined __DEFINED_size_t /* musl has no macro of its own, on purpose */
	printf("musl");
#else
	printf("libc unknown");
#endif
}

static const char *linkage(void)
{
	return os_is_dynamic() ? "dynamic" : "static";
}

static const char *position(void)
{
#if defined __PIE__ || defined __pie__
	return "position-independent";
#else
	return "not position-independent";
#endif
}

/* Three lines: name and version; compiler, flags and linker; libc and linkage.  Run copies them
 * into its report. */
static void version_print(void)
{
	printf("%s, SpawnMeter %s\n%s\n", test.name, SPAWNMETER_VERSION, SPAWNMETER_BUILD);
	print_libc();
	printf(", %s, %s", linkage(), position());
	if (os_binding() != NULL)
		printf(", %s", os_binding());
	putchar('\n');
}

const struct feature *const *features(void)
{
	static const struct feature *const none[] = { NULL };

	return test.features != NULL ? test.features : none;
}

static void add_taken(const struct entry *e)
{
	for (; e->name != NULL && count < MOST; e++)
		taken[count++] = e;
}

static void list_taken(void)
{
	for (const struct feature *const *f = features(); *f != NULL; f++)
		if ((*f)->options != NULL)
			add_taken((*f)->options);
	add_taken(of_always);
}

bool options_have(const char *name)
{
	int i = 0;

	while (i < count && strcmp(taken[i]->name, name) != 0)
		i++;
	return i < count;
}

static bool runs_target(void)
{
	bool runs = false;

	for (const struct feature *const *f = features(); *f != NULL; f++)
		runs |= (*f)->runs_target;
	return runs;
}

/* The words of a help text, in lines that end before column 80 */
static void print_folded(FILE *out, const char *text)
{
	enum { INDENT = 23, WIDTH = 56 };
	int column = 0;

	for (const char *word = text; *word != '\0';) {
		int length = (int)strcspn(word, " ");

		if (column > 0 && column + 1 + length > WIDTH)
			column = fprintf(out, "\n%*s", INDENT, "") * 0;
		column += fprintf(out, "%s%.*s", column > 0 ? " " : "", length, word);
		word += length + (word[length] == ' ');
	}
	putc('\n', out);
}

static void print_usage(FILE *out)
{
	fprintf(out, "usage: %s [options] SECONDS%s\n%s\n", test.name,
		runs_target() ? " [-- argument ...]" : "", test.summary);
	for (int i = 0; i < count; i++) {
		const struct entry *e = taken[i];

		if (e->help == NULL)
			continue;
		fprintf(out, "  --%s%s%-*s", e->name, e->value ? " " : "",
			(int)(19 + (e->value == NULL) - strlen(e->name)), e->value ? e->value : "");
		print_folded(out, e->help);
	}
	fputs("SIZE may end in k, M or G; SECONDS may be fractional.\n", out);
}

void usage_error(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: ", test.name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	print_usage(stderr);
	exit(2);
}

uint64_t parse_list(const char *option, const char *list, const struct word *words,
	bool (*other)(const char *word))
{
	uint64_t bits = 0;

	for (const char *at = list; at != NULL;) {
		char text[32], known[256] = "";
		size_t length = strcspn(at, ",+");
		const struct word *w = words;

		snprintf(text, sizeof text, "%.*s", length < 31 ? (int)length : 31, at);
		for (; w->name != NULL && strcmp(w->name, text) != 0; w++) {
			strncat(known, known[0] ? ", " : "", sizeof known - strlen(known) - 1);
			strncat(known, w->name, sizeof known - strlen(known) - 1);
		}
		if (w->name == NULL && (other == NULL || !other(text)))
			usage_error("--%s: '%s' is not one of %s", option, text, known);
		bits |= w->bits;
		at = at[length] != '\0' ? at + length + 1 : NULL;
	}
	return bits;
}

/* Stores two descriptors: one to read from, one to write to. */
static bool parse_pipes(const char *text, int *pipes)
{
	const char *comma = strchr(text, ',');
	char first[8];
	uint64_t in, out;

	if (comma == NULL || (size_t)(comma - text) >= sizeof first)
		return false;
	memcpy(first, text, (size_t)(comma - text));
	first[comma - text] = '\0';
	if (!parse_count(first, true, &in) || !parse_count(comma + 1, true, &out) ||
		out > 9999999 || in < 3 || out < 3)
		return false;
	pipes[0] = (int)in;
	pipes[1] = (int)out;
	return true;
}

/* What a value of each kind must be, as messages put it */
static const char *const wanted[] = {
	[SIZE] = "a size (a number, then k, M, G or nothing)",
	[NUMBER] = "a whole number",
	[POSITIVE] = "a whole number above 0",
	[TIME] = "a time in seconds",
	[TEXT] = "a valid value",
	[CPU] = "the number of a CPU",
	[PIPE_ENDS] = "a pair of descriptors above 2",
};

static bool parse_cpu(const char *text, int *cpu)
{
	uint64_t number;

	if (!parse_count(text, true, &number) || number >= 65536)
		return false;
	*cpu = (int)number;
	return true;
}

static bool parse_value(const struct entry *e, const char *text)
{
	switch (e->kind) {
	case SIZE:
		return parse_size(text, e->at);
	case NUMBER:
		return parse_count(text, true, e->at);
	case POSITIVE:
		return parse_count(text, false, e->at);
	case TIME:
		return parse_seconds(text, true, e->at);
	case CPU:
		return parse_cpu(text, e->at);
	case PIPE_ENDS:
		return parse_pipes(text, e->at);
	case TEXT:
		*(const char **)e->at = text;
		return *text != '\0';
	default:
		return false;
	}
}

static void store(const struct entry *e, const char *text)
{
	switch (e->kind) {
	case HELP:
		print_usage(stdout);
		exit(0);
	case VERSION:
		version_print();
		exit(0);
	case FLAG:
		*(bool *)e->at = true;
		break;
	default:
		if (!parse_value(e, text))
			usage_error("--%s: '%s' is not %s", e->name, text, wanted[e->kind]);
	}
}

/* The words after "--" belong to the target; getopt must not see them. */
static int cut_target_args(int argc, char **argv)
{
	static char *none[] = { NULL };

	options.target_args = none;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		if (!runs_target() && argv[i + 1] != NULL)
			usage_error("this test runs no target, so no arguments may follow --");
		options.target_args = argv + i + 1;
		return i;
	}
	return argc;
}

/* What is wrong with an option that getopt_long() refuses */
static void wrong_option(const char *word)
{
	size_t length = strcspn(word, "=");

	for (int i = 0; i < count; i++) {
		const char *name = taken[i]->name;

		if (strncmp(word, "--", 2) != 0 || strlen(name) != length - 2 ||
			strncmp(word + 2, name, length - 2) != 0)
			continue;
		usage_error(
			word[length] == '=' ? "--%s takes no value" : "--%s needs a value", name);
	}
	if (strncmp(word, "--", 2) == 0)
		usage_error("this test takes no %.*s", (int)length, word);
	usage_error("unknown option '%s'", word);
}

/* Stores the options of argv, which ends in NULL; true if --warmup is among them. */
static bool take_options(int argc, char **argv)
{
	struct option longs[MOST + 1];
	bool warmup_given = false;
	int found, at;

	for (int i = 0; i < count; i++)
		longs[i] = (struct option){ taken[i]->name,
			taken[i]->value || taken[i]->kind == TEXT ? required_argument : no_argument,
			NULL, 0 };
	longs[count] = (struct option){ NULL, 0, NULL, 0 };
	opterr = 0;
	while ((found = getopt_long(argc, argv, "h", longs, &at)) != -1) {
		if (found == 'h')
			store(&(struct entry){ .kind = HELP }, "");
		if (found != 0)
			wrong_option(optind > 0 && argv[optind - 1] ? argv[optind - 1] : "option");
		store(taken[at], optarg ? optarg : "");
		warmup_given |= strcmp(taken[at]->name, "warmup") == 0;
	}
	return warmup_given;
}

static bool options_read(int argc, char **argv)
{
	bool warmup_given;
	char *rest;

	argc = cut_target_args(argc, argv);
	rest = argv[argc];
	argv[argc] = NULL;
	warmup_given = take_options(argc, argv);
	argv[argc] = rest;
	if (optind < argc && !parse_seconds(argv[optind], false, &options.seconds))
		usage_error("'%s' is not a number of seconds above 0", argv[optind]);
	if (optind + 1 < argc)
		usage_error("unexpected argument '%s' after SECONDS", argv[optind + 1]);
	return warmup_given;
}

void check_most(const char *name, uint64_t given, uint64_t most)
{
	if (given > most)
		usage_error("--%s: at most %llu", name, (unsigned long long)most);
}

static void check(struct options *o, bool warmup_given)
{
	if (o->seconds == 0 && o->count == 0)
		usage_error("SECONDS is missing");
	if (o->count > 0 && !warmup_given)
		o->warmup = 0;
	for (const struct feature *const *f = features(); *f != NULL; f++)
		if ((*f)->check != NULL)
			(*f)->check();
}

void options_parse(int argc, char **argv)
{
	list_taken();
	check(&options, options_read(argc, argv));
}
