/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - see options.h.  The table is the only list of options: the parser and the usage
 * are derived from it.
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

#include "copies.h"
#include "spawners.h"
#include "util.h"

enum kind { FLAG, SIZE, NUMBER, POSITIVE, TIME, TEXT, CPU, PIPES, HELP, VERSION };

static const struct entry {
	const char *name;
	enum kind kind;
	unsigned takes;
	size_t offset;
	const char *value, *help;
} table[] = {
#define MEMBER(m) offsetof(struct options, m)
	{ "heap", SIZE, TAKES_PARENT, MEMBER(heap), "SIZE",
		"allocate and touch SIZE bytes before the clock starts" },
	{ "hugepages", FLAG, TAKES_PARENT, MEMBER(hugepages), NULL,
		"put that heap into transparent huge pages" },
	{ "dontfork", FLAG, TAKES_PARENT, MEMBER(dontfork), NULL,
		"keep fork from copying that heap (MADV_DONTFORK)" },
	{ "touch", SIZE, TAKES_TOUCH, MEMBER(touch), "SIZE",
		"write to SIZE more bytes in the parent while the child lives,\n"
		"                       and to as many in the child; print the cost of a fault" },
	{ "mappings", NUMBER, TAKES_PARENT, MEMBER(mappings), "N",
		"create N more memory mappings" },
	{ "files", NUMBER, TAKES_FILES, MEMBER(files), "N", "open N more descriptors" },
	{ "threads", NUMBER, TAKES_PARENT, MEMBER(threads), "N", "start N idle threads" },
	{ "spawners", POSITIVE, TAKES_SPAWNERS, MEMBER(spawners), "N",
		"create in N threads at once (at most 1024)" },
	{ "libraries", NUMBER, TAKES_PARENT, MEMBER(libraries), "N",
		"load N more shared objects (at most 64)" },
	{ "environment", SIZE, TAKES_ENVIRON, MEMBER(environment), "SIZE",
		"give the target an environment of SIZE bytes" },
	{ "count", POSITIVE, TAKES_ALWAYS, MEMBER(count), "N",
		"stop after N iterations (SECONDS may be omitted)" },
	{ "exec", TEXT, TAKES_TARGET, MEMBER(target), "PATH",
		"run PATH as the target; its arguments follow --" },
	{ "mix", TEXT, TAKES_TARGET, MEMBER(mix), "LIST",
		"run several targets in turn: COMMAND;COMMAND ..., words\n"
		"                       parted by blanks or +" },
	{ "targets", POSITIVE, TAKES_TARGET, MEMBER(targets), "N",
		"run N copies of the target in turn" },
	{ "exec-path", POSITIVE, TAKES_SEARCH, MEMBER(exec_path), "N",
		"find the target in the last of N folders of PATH (at most 256)" },
	{ "own-target", FLAG, TAKES_TARGET | TAKES_AGAIN, MEMBER(own_target), NULL,
		"run a copy of the target that no other process runs" },
	{ "phases", FLAG, TAKES_PHASES, MEMBER(phases), NULL,
		"measure the target's start-up: when its first instruction\n"
		"                       and main() ran, and when it had ended" },
	{ "burst", POSITIVE, TAKES_BURST, MEMBER(burst), "N", "create N, then reap N" },
	{ "with", TEXT, TAKES_LAUNCH, MEMBER(with), "LIST",
		"make the launch of: pipes,actions,closefrom,chdir,signals,\n"
		"                       pgroup,path,pidfd,output=SIZE; all (default); none" },
	{ "by", TEXT, TAKES_LAUNCH, MEMBER(by), "CALL",
		"start by posix_spawn (default), vfork or fork" },
	{ "pidfd", FLAG, TAKES_CLONE3, MEMBER(pidfd), NULL,
		"create with a process descriptor, and reap by it" },
	{ "clear-sighand", FLAG, TAKES_CLONE3, MEMBER(clear_sighand), NULL,
		"reset the child's signal handlers" },
	{ "namespaces", TEXT, TAKES_CLONE3, MEMBER(namespaces), "LIST",
		"give the child new ones: user,pid,net,ipc,uts,mnt,cgroup,\n"
		"                       time; all" },
	{ "by", TEXT, TAKES_EXEC, MEMBER(by), "CALL",
		"execute by execve (default), execveat or fexecve" },
	{ "into-cgroup", FLAG, TAKES_GROUP, MEMBER(into_cgroup), NULL,
		"create into a cgroup of its own (CLONE_INTO_CGROUP)" },
	{ "cgroup-procs", TEXT, TAKES_CLONE3, MEMBER(procs), "LIST",
		"move the child, by cgroup.procs, into groups of v2, v1,\n"
		"                       controllers of version 1; none" },
	{ "pause", TIME, TAKES_GROUP, MEMBER(pause), "SECONDS",
		"wait so long before the timed part" },
	{ "raw", FLAG, TAKES_RAW, MEMBER(raw), NULL,
		"make the bare system call, without libc's wrapper" },
	{ "buffer", SIZE, TAKES_FILE, MEMBER(buffer), "SIZE",
		"read or write SIZE bytes at a time (default 1k)" },
	{ "blocks", POSITIVE, TAKES_FILE, MEMBER(blocks), "N",
		"use files of N KiB (default 2000)" },
	{ "read", FLAG, TAKES_FILE, MEMBER(reading), NULL, "only read, again and again" },
	{ "write", FLAG, TAKES_FILE, MEMBER(writing), NULL, "only write, again and again" },
	{ "prime", FLAG, TAKES_FILE, MEMBER(prime), NULL,
		"first write and read for 15 s, like the classic suite" },
	{ "cpu", CPU, TAKES_ALWAYS, MEMBER(cpu), "N", "pin the program and its children to CPU N" },
	{ "warmup", TIME, TAKES_ALWAYS, MEMBER(warmup), "SECONDS",
		"warm up untimed (default 0.025, or 0 with --count)" },
	{ "reference", TIME, TAKES_ALWAYS, MEMBER(reference), "SECONDS",
		"run the reference loops that long, before the warm-up\n"
		"                       and after the timed part" },
	{ "pauses", TIME, TAKES_ALWAYS, MEMBER(pauses), "SECONDS",
		"also run those of page faults in pauses of the timed part,\n"
		"                       so far apart, which do not count (only of tests that\n"
		"                       create; not in execl, with --count, --spawners)" },
	{ "turns", PIPES, TAKES_ALWAYS, MEMBER(turn_in), "R,W",
		"let another program run in pauses so far apart, of every\n"
		"                       test, in place of the loops: start when R is readable,\n"
		"                       write a byte to W at the end of a turn (--spawners:\n"
		"                       one turn)" },
	{ "no-latency", FLAG, TAKES_ALWAYS, MEMBER(no_latency), NULL,
		"read the clock only about once a millisecond" },
	{ "gate", PIPES, TAKES_ALWAYS, MEMBER(gate_go), "R,W",
		"write a byte to W when set up; start when R is readable" },
	{ "resume", TEXT, TAKES_AGAIN, MEMBER(resume), NULL, NULL },
	{ "help", HELP, TAKES_ALWAYS, 0, NULL, "print this help and exit" },
	{ "version", VERSION, TAKES_ALWAYS, 0, NULL, "print version and build and exit" },
};
enum { ENTRIES = sizeof table / sizeof *table };

#include "harness.h"
#include "os.h"

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

static bool taken(const struct entry *e)
{
	return e->takes == TAKES_ALWAYS || (test.takes & e->takes) != 0;
}

static void print_usage(FILE *out)
{
	fprintf(out, "usage: %s [options] SECONDS%s\n%s\n", test.name,
		test.takes & TAKES_TARGET ? " [-- argument ...]" : "", test.summary);
	for (int i = 0; i < ENTRIES; i++)
		if (taken(&table[i]) && table[i].help != NULL)
			fprintf(out, "  --%s%s%-*s%s\n", table[i].name, table[i].value ? " " : "",
				(int)(20 - strlen(table[i].name) - (table[i].value != NULL)),
				table[i].value ? table[i].value : "", table[i].help);
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
	[PIPES] = "a pair of descriptors above 2",
};

static bool parse_cpu(const char *text, int *cpu)
{
	uint64_t number;

	if (!parse_count(text, true, &number) || number >= 65536)
		return false;
	*cpu = (int)number;
	return true;
}

static bool parse_value(const struct entry *e, const char *text, struct options *o)
{
	void *member = (char *)o + e->offset;

	switch (e->kind) {
	case SIZE:
		return parse_size(text, member);
	case NUMBER:
		return parse_count(text, true, member);
	case POSITIVE:
		return parse_count(text, false, member);
	case TIME:
		return parse_seconds(text, true, member);
	case CPU:
		return parse_cpu(text, member);
	case PIPES:
		return parse_pipes(text, member);
	case TEXT:
		*(const char **)member = text;
		return *text != '\0';
	default:
		return false;
	}
}

static void store(const struct entry *e, const char *text, struct options *o)
{
	switch (e->kind) {
	case HELP:
		print_usage(stdout);
		exit(0);
	case VERSION:
		version_print();
		exit(0);
	case FLAG:
		*(bool *)(void *)((char *)o + e->offset) = true;
		break;
	default:
		if (!parse_value(e, text, o))
			usage_error("--%s: '%s' is not %s", e->name, text, wanted[e->kind]);
	}
}

/* The words after "--" belong to the target; getopt must not see them. */
static int cut_target_args(int argc, char **argv, struct options *o)
{
	static char *none[] = { NULL };

	o->target_args = none;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		if (!(test.takes & TAKES_TARGET) && argv[i + 1] != NULL)
			usage_error("this test runs no target, so no arguments may follow --");
		o->target_args = argv + i + 1;
		return i;
	}
	return argc;
}

/* getopt's list of the options that this test takes; index: their rows of the table */
static void list_options(struct option *longs, int *index)
{
	int count = 0;

	for (int i = 0; i < ENTRIES; i++) {
		bool value = table[i].value != NULL || table[i].kind == TEXT;

		if (!taken(&table[i]))
			continue;
		index[count] = i;
		longs[count++] = (struct option){ table[i].name,
			value ? required_argument : no_argument, NULL, 0 };
	}
	longs[count] = (struct option){ NULL, 0, NULL, 0 };
}

/* What is wrong with an option that getopt_long() refuses */
static void wrong_option(const char *word)
{
	size_t length = strcspn(word, "=");
	const struct entry *refused = NULL;

	for (int i = 0; i < ENTRIES; i++) {
		if (strncmp(word, "--", 2) != 0 || strlen(table[i].name) != length - 2 ||
			strncmp(word + 2, table[i].name, length - 2) != 0)
			continue;
		if (!taken(&table[i])) { /* it may be there again, for other tests */
			refused = &table[i];
			continue;
		}
		if (word[length] == '=')
			usage_error("--%s takes no value", table[i].name);
		usage_error("--%s needs a value", table[i].name);
	}
	if (refused != NULL)
		usage_error("this test takes no --%s", refused->name);
	usage_error("unknown option '%s'", word);
}

/* Stores the options of argv, which ends in NULL; true if --warmup is among them. */
static bool take_options(int argc, char **argv, struct options *o)
{
	struct option longs[ENTRIES + 1];
	bool warmup_given = false;
	int found, at, index[ENTRIES];

	list_options(longs, index);
	opterr = 0;
	while ((found = getopt_long(argc, argv, "h", longs, &at)) != -1) {
		if (found == 'h')
			store(&(struct entry){ .kind = HELP }, "", o);
		if (found != 0)
			wrong_option(optind > 0 && argv[optind - 1] ? argv[optind - 1] : "option");
		store(&table[index[at]], optarg ? optarg : "", o);
		warmup_given |= strcmp(table[index[at]].name, "warmup") == 0;
	}
	return warmup_given;
}

static bool options_read(int argc, char **argv, struct options *o)
{
	bool warmup_given;
	char *rest;

	*o = (struct options){ .warmup = 0.025,
		.cpu = -1,
		.gate_go = -1,
		.gate_ready = -1,
		.turn_in = -1,
		.turn_out = -1,
		.environment = NO_SIZE,
		.buffer = 1024,
		.blocks = 2000 };
	argc = cut_target_args(argc, argv, o);
	rest = argv[argc];
	argv[argc] = NULL;
	warmup_given = take_options(argc, argv, o);
	argv[argc] = rest;
	if (optind < argc && !parse_seconds(argv[optind], false, &o->seconds))
		usage_error("'%s' is not a number of seconds above 0", argv[optind]);
	if (optind + 1 < argc)
		usage_error("unexpected argument '%s' after SECONDS", argv[optind + 1]);
	return warmup_given;
}

/* ---- which options exclude or need each other, and the largest values -------------------- */

static void check_most(const char *name, uint64_t given, uint64_t most)
{
	if (given > most)
		usage_error("--%s: at most %llu", name, (unsigned long long)most);
}

static void check_spawners(const struct options *o)
{
	check_most("spawners", o->spawners, SPAWNERS_MAX);
	if (o->spawners > 1 && o->burst > 1)
		usage_error("--spawners and --burst exclude each other");
	if (o->spawners > 1 && o->touch > 0)
		usage_error("--spawners and --touch exclude each other");
	if (o->count > 0 && o->count < o->spawners)
		usage_error("--count: at least 1 for each of the %llu threads of --spawners",
			(unsigned long long)o->spawners);
}

static void check_targets(const struct options *o)
{
	if (o->own_target && o->targets > 0)
		usage_error("--own-target and --targets exclude each other");
	check_most("exec-path", o->exec_path, SEARCH_MAX);
	if (o->mix != NULL &&
		(o->target != NULL || o->target_args[0] != NULL || o->own_target ||
			o->targets > 0 || o->exec_path > 0 || o->phases ||
			(o->by != NULL && test.takes & TAKES_EXEC)))
		usage_error("--mix excludes --exec and arguments, --own-target, --targets, "
			    "--exec-path, --phases and, but for launch, --by");
	if (o->exec_path > 0 &&
		(o->own_target || o->targets > 0 || o->by != NULL || o->environment != NO_SIZE))
		usage_error("--exec-path excludes --own-target, --targets, --by and --environment");
}

static void check_heap(const struct options *o)
{
	if (o->hugepages && o->heap == 0 && o->touch == 0)
		usage_error("--hugepages needs --heap SIZE%s",
			test.takes & TAKES_TOUCH ? " or --touch SIZE" : "");
	if (o->dontfork && o->heap == 0)
		usage_error("--dontfork needs --heap SIZE");
}

static void check(struct options *o, bool warmup_given)
{
	if (o->seconds == 0 && o->count == 0)
		usage_error("SECONDS is missing");
	check_heap(o);
	if (o->touch > 0 && o->burst > 1)
		usage_error("--touch and --burst exclude each other");
	if (o->phases && (o->burst > 1 || o->spawners > 1))
		usage_error("--phases excludes --burst and --spawners");
	check_spawners(o);
	check_targets(o);
	if (o->reading && o->writing)
		usage_error("--read and --write exclude each other");
	if (o->buffer == 0 || o->blocks > 1 << 30 || o->blocks * 1024 % o->buffer != 0)
		usage_error("--blocks x 1024 must be a multiple of --buffer");
	check_most("burst", o->burst, 1000000);
	check_most("targets", o->targets, 100000);
	check_most("libraries", o->libraries, 64);
	check_most("threads", o->threads, 1000000);
	check_most("mappings", o->mappings, 100000000);
	check_most("files", o->files, 100000000);
	if (o->count > 0 && !warmup_given)
		o->warmup = 0;
	if (o->burst == 0)
		o->burst = 1;
	if (o->spawners == 0)
		o->spawners = 1;
}

void options_parse(int argc, char **argv, struct options *o)
{
	bool warmup_given = options_read(argc, argv, o);

	check(o, warmup_given);
}
