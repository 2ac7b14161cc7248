/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - parses the command line.  The table and those of the test's features are the only
 * lists of options: the parser and the usage are derived from them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "harness.h"
#include "histogram.h"
#include "os.h"
#include "util.h"

struct options options = { .warmup = 0.025,
	.spawners = 1,
	.burst = 1,
	.cpu = NO_CPU,
	.gate_go = -1,
	.gate_ready = -1,
	.turn_in = -1,
	.turn_out = -1 };

static const struct entry of_always[] = {
	{ POSITIVE, &options.count,
		.usage = "count N: stop after N iterations (SECONDS may be omitted)" },
	{ NUMBER, &options.cpu, .usage = "cpu N: pin the program and its children to CPU N",
		.most = 65535 },
	{ TIME, &options.warmup,
		.usage = "warmup SECONDS: warm up untimed (default 0.025, or 0 with --count)" },
	{ TIME, &options.reference,
		.usage = "reference SECONDS: run the reference loops before and after the "
			 "measurement" },
	{ TIME, &options.pauses,
		.usage = "pauses SECONDS: also run those of page faults in pauses so far apart "
			 "(not in execl, with --count, --spawners)" },
	{ PIPE_ENDS, &options.turn_in,
		.usage = "turns R,W: let another program run in these pauses: start when R is "
			 "readable, write a byte to W after a turn (--spawners: one turn)" },
	{ FLAG, &options.no_latency,
		.usage =
			"no-latency: read the clock only about once a millisecond (not in execl)" },
	{ PIPE_ENDS, &options.gate_go,
		.usage = "gate R,W: write a byte to W when set up; start when R is readable" },
	{ HELP, NULL, .usage = "help: print this help and exit" },
	{ VERSION, NULL, .usage = "version: print version and build and exit" },
	{ 0 },
};
enum { MOST = 64 };

/* The options that this test takes, and the features that they are of */
struct taken {
	const struct entry *entry;
	const struct feature *feature; /* NULL: of each test */
	bool given;
};
static WRITTEN struct taken taken[MOST];
static WRITTEN int count;
WRITTEN void (*at_end)(void);

#ifndef SPAWNMETER_BUILD
#define SPAWNMETER_BUILD "unknown build"
#endif

static const char *libc(void)
{
#if defined __GLIBC__
	static char name[32];

	(void)snprintf(name, sizeof name, "glibc %s", gnu_get_libc_version());
	return name;
#elif defined __DEFINED_size_t /* musl has no macro of its own, on purpose */
	return "musl";
#else
	return "libc unknown";
#endif
}

/* Three lines: name and version; compiler, flags and linker; libc and linkage.  Run copies them
 * into its report. */
static void version_print(void)
{
#if defined __PIE__ || defined __pie__
	static const char position[] = "position-independent";
#else
	static const char position[] = "not position-independent";
#endif
	const char *binding = os_binding();

	dprintf(STDOUT_FILENO, "%s, SpawnMeter %s\n%s\n%s, %s, %s%s%s\n", test.name,
		SPAWNMETER_VERSION, SPAWNMETER_BUILD, libc(),
		os_is_dynamic() ? "dynamic" : "static", position, binding != NULL ? ", " : "",
		binding != NULL ? binding : "");
}

const struct feature *const *features(void)
{
	static const struct feature *const none[] = { NULL };

	return test.features != NULL ? test.features : none;
}

static void add_taken(const struct entry *e, const struct feature *feature)
{
	for (; e->usage != NULL && count < MOST; e++)
		taken[count++] = (struct taken){ .entry = e, .feature = feature };
}

static void list_taken(void)
{
	for (const struct feature *const *f = features(); *f != NULL; f++)
		if ((*f)->options != NULL)
			add_taken((*f)->options, *f);
	add_taken(of_always, NULL);
}

static int length_of_name(const struct entry *e)
{
	return (int)strcspn(e->usage, " :");
}

/* The option that a text begins with, up to a "=" or a blank: NULL where the test has none of this
 * name */
static struct taken *find(const char *word)
{
	int length = (int)strcspn(word, "= ");

	for (int i = 0; i < count; i++)
		if (length_of_name(taken[i].entry) == length &&
			strncmp(taken[i].entry->usage, word, (size_t)length) == 0)
			return &taken[i];
	return NULL;
}

bool options_have(const char *name)
{
	return find(name) != NULL;
}

bool option_is_given(const char *name)
{
	const struct taken *option = find(name);

	return option != NULL && option->given;
}

bool feature_is_used(const struct feature *feature)
{
	bool used = feature->options == NULL;

	for (int i = 0; i < count; i++)
		used |= taken[i].feature == feature && taken[i].given;
	return used;
}

static bool runs_target(void)
{
	bool runs = false;

	for (const struct feature *const *f = features(); *f != NULL; f++)
		runs |= (*f)->runs_target;
	return runs;
}

/* The words of a help text, in lines that end before column 80 */
static void print_folded(int out, const char *text)
{
	enum { INDENT = 23, WIDTH = 56 };
	int column = 0;

	for (const char *word = text; *word != '\0';) {
		int length = (int)strcspn(word, " ");

		if (column > 0 && column + 1 + length > WIDTH) {
			dprintf(out, "\n%*s", INDENT, "");
			column = 0;
		}
		column += dprintf(out, "%s%.*s%s", column > 0 ? " " : "", length, word,
			word[length] == '\0' ? "\n" : "");
		word += length + (word[length] == ' ');
	}
}

static void print_usage(int out)
{
	dprintf(out, "usage: %s [options] SECONDS%s\n%s\n", test.name,
		runs_target() ? " [-- argument ...]" : "", test.summary);
	for (int i = 0; i < count; i++) {
		const char *usage = taken[i].entry->usage, *help = strchr(usage, ':');

		if (help == NULL)
			continue;
		dprintf(out, "  --%-20.*s", (int)(help - usage), usage);
		print_folded(out, help + 2);
	}
	dprintf(out, "SIZE may end in k, M or G; SECONDS may be fractional.\n");
}

void usage_error(const char *format, ...)
{
	char message[6144]; /* a word of the command line may be long */
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	dprintf(STDERR_FILENO, "%s: %s\n", test.name, message);
	print_usage(STDERR_FILENO);
	if (at_end != NULL)
		at_end();
	exit(2);
}

uint64_t parse_list(const char *option, const char *list, const struct word *words,
	bool (*other)(const char *word))
{
	uint64_t bits = 0;

	for (const char *at = list; at != NULL;) {
		char text[WORD_MAX + 1], known[256] = "";
		size_t length = strcspn(at, ",+");
		const struct word *w = words;

		snprintf(text, sizeof text, "%.*s", length < WORD_MAX ? (int)length : WORD_MAX, at);
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

/* ---- values ------------------------------------------------------------------------------ */

/* Digits with at most one point: a form that no locale changes. */
static bool parse_decimal(const char *text, double *value, const char **end)
{
	size_t digits = strspn(text, "0123456789");
	size_t length = digits;

	if (text[length] == '.')
		length += 1 + strspn(text + length + 1, "0123456789");
	if (length == 0 || length > 60 || (digits == 0 && length == 1))
		return false;
	*value = strtod(text, NULL);
	*end = text + length;
	return true;
}

bool parse_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "kKmMgG";
	const char *end, *unit;
	double value;

	if (!parse_decimal(text, &value, &end))
		return false;
	if (*end != '\0') {
		unit = strchr(units, *end);
		if (unit == NULL || end[1] != '\0')
			return false;
		for (int power = 0; power <= (unit - units) / 2; power++)
			value *= 1024;
	}
	if (!(value < 9e18) || value * 0 != 0)
		return false;
	*bytes = (uint64_t)value;
	return true;
}

bool parse_count(const char *text, bool zero, uint64_t *number)
{
	size_t digits = strspn(text, "0123456789");

	if (digits == 0 || text[digits] != '\0' || digits > 18)
		return false;
	*number = strtoull(text, NULL, 10);
	return *number <= UINT64_C(1000000000000000) && (zero || *number > 0);
}

bool parse_seconds(const char *text, bool zero, double *seconds)
{
	const char *end;

	if (!parse_decimal(text, seconds, &end) || *end != '\0')
		return false;
	return *seconds <= 1e7 && (*seconds >= 1e-6 || (zero && *seconds >= 0));
}

/* Stores two descriptors: one to read from, one to write to. */
static bool parse_pipes(const char *text, int *pipes)
{
	for (int i = 0; i < 2; i++) {
		uint64_t number = take_number(&text);

		if (number < 3 || number > 9999999 || *text++ != (i == 0 ? ',' : '\0'))
			return false;
		pipes[i] = (int)number;
	}
	return true;
}

/* What a value of each kind must be, as messages put it */
static const char *const wanted[] = {
	[SIZE] = "a size (a number, then k, M, G or nothing)",
	[NUMBER] = "a whole number",
	[POSITIVE] = "a whole number above 0",
	[TIME] = "a time in seconds",
	[TEXT] = "a valid value",
	[PIPE_ENDS] = "a pair of descriptors above 2",
};

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
	case PIPE_ENDS:
		return parse_pipes(text, e->at);
	case TEXTS:
		((const char **)e->at)[1] = ((const char **)e->at)[0];
		/* fall through */
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
		print_usage(STDOUT_FILENO);
		exit(0);
	case VERSION:
		version_print();
		exit(0);
	case FLAG:
		*(bool *)e->at = true;
		break;
	default:
		if (!parse_value(e, text))
			usage_error("--%.*s: '%s' is not %s", length_of_name(e), e->usage, text,
				wanted[e->kind]);
	}
}

/* The words after "--" belong to the target. */
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

/* Stores the option of the first word, and returns the last word that it took. */
static char **take_option(char **word)
{
	const char *name = *word + 2, *value = strchr(name, '=');
	int length = (int)strcspn(name, "=");
	struct taken *option = find(name);
	const struct entry *e = option != NULL ? option->entry : NULL;
	bool has_value;

	if (strcmp(*word, "-h") == 0)
		store(&(struct entry){ .kind = HELP }, "");
	if (strncmp(*word, "--", 2) != 0)
		usage_error("unknown option '%s'", *word);
	if (e == NULL || length_of_name(e) != length)
		usage_error("this test takes no --%.*s", length, name);
	has_value = e->usage[length] == ' ';
	if (value != NULL && !has_value)
		usage_error("--%.*s takes no value", length, name);
	if (value == NULL && has_value && *++word == NULL)
		usage_error("--%.*s needs a value", length, name);
	store(e, value != NULL ? value + 1 : *word);
	option->given = true;
	return word;
}

/* Words that end in NULL */
static void take_options(char **word)
{
	const char *seconds = NULL, *more = NULL;

	for (; *word != NULL; word++) {
		if (**word == '-' && (*word)[1] != '\0')
			word = take_option(word);
		else if (seconds == NULL)
			seconds = *word;
		else if (more == NULL)
			more = *word;
	}
	if (seconds != NULL && !parse_seconds(seconds, false, &options.seconds))
		usage_error("'%s' is not a number of seconds above 0", seconds);
	if (more != NULL)
		usage_error("unexpected argument '%s' after SECONDS", more);
}

static void check_entry(const struct entry *e)
{
	if (e->most > 0 && *(const uint64_t *)e->at > e->most)
		usage_error("--%.*s: at most %llu", length_of_name(e), e->usage,
			(unsigned long long)e->most);
	for (const char *other = e->excludes; other != NULL; other = strchr(other, ' ')) {
		other += *other == ' ';
		if (option_is_given(other))
			usage_error("--%.*s and --%.*s exclude each other", length_of_name(e),
				e->usage, (int)strcspn(other, " "), other);
	}
}

static void check(void)
{
	if (options.seconds == 0 && options.count == 0)
		usage_error("SECONDS is missing");
	if (options.count > 0 && !option_is_given("warmup"))
		options.warmup = 0;
	for (int i = 0; i < count; i++)
		if (taken[i].given)
			check_entry(taken[i].entry);
	for (const struct feature *const *f = features(); *f != NULL; f++)
		if ((*f)->check != NULL && feature_is_used(*f))
			(*f)->check();
}

void options_parse(int argc, char **argv)
{
	char *rest;

	list_taken();
	argc = cut_target_args(argc, argv);
	rest = argv[argc];
	argv[argc] = NULL;
	take_options(argv + (argc > 0));
	argv[argc] = rest;
	check();
}
