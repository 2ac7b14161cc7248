/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options-check.c - which options exclude or need each other, and the largest values.
 */
#include "options.h"
#include "search.h"
#include "spawners.h"

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
