/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os.h"
#include "pass.h"
#include "start.h"
#include "util.h"

enum { STAMPS = 3, STARTS_WAITING = 16 };

static const char *const names[PERIODS] = {
	[TO_FIRST] = "first",
	[TO_MAIN] = "main",
	[TO_END] = "end",
	[LOADER] = "loader",
	[LIBC] = "libc",
	[ENDING] = "ending",
};

/* Starts that wait for the histograms, which lie on other pages: see pass.h */
static struct start waiting[STARTS_WAITING], now;
static unsigned count;
static struct histogram periods[PERIODS];

int start_setup(void)
{
	int fd = os_memory_file();

	if (fd < 0)
		fd = temporary_file();
	if (fd < 0)
		return -1;
	if (fd != 0 && (dup2(fd, 0) != 0 || close(fd) != 0))
		return failure("--phases: descriptor 0:");
	phases = (struct phases){ start_calls, start_ended };
	return 0;
}

const char *start_target(const char *name)
{
	static char stamped[64];

	if (name == NULL)
		return "start-dynamic";
	if (strncmp(name, "true-", 5) != 0 || strlen(name) >= sizeof stamped)
		return name;
	snprintf(stamped, sizeof stamped, "start-%s", name + 5);
	return stamped;
}

void start_calls(void)
{
	(void)lseek(0, 0, SEEK_SET);
	now.called = now_ns();
}

static void add(struct histogram *period, uint64_t from, uint64_t to)
{
	if (from > 0 && to > 0)
		histogram_add(period, to - from, 1);
}

static void add_start(struct histogram *to, const struct start *s)
{
	add(&to[TO_FIRST], s->called, s->first);
	add(&to[TO_MAIN], s->called, s->main);
	add(&to[TO_END], s->called, s->ended);
	if (s->entry != s->first) /* else there is no loader */
		add(&to[LOADER], s->first, s->entry);
	add(&to[LIBC], s->entry, s->main);
	add(&to[ENDING], s->main, s->ended);
}

static void empty_waiting(void)
{
	for (const struct start *s = waiting; s < waiting + count; s++)
		add_start(periods, s);
	count = 0;
}

static bool expect_loader;

void start_expect_loader(void)
{
	expect_loader = true;
}

static bool in_order(const struct start *s)
{
	uint64_t last = s->called;
	const uint64_t times[] = { s->first, s->entry, s->main, s->ended };

	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		if (times[i] > 0 && times[i] < last)
			return false;
		last = times[i] > 0 ? times[i] : last;
	}
	return true;
}

/*
 * A target writes two stamps, of its entry point and of main(); a loader that stamps has
 * written one before.  Without a loader the entry point is the first instruction.
 */
static int read_stamps(void)
{
	uint64_t stamps[STAMPS];
	ssize_t size = (ssize_t)lseek(0, 0, SEEK_CUR);
	size_t n = (size_t)size / sizeof *stamps;

	if (n < STAMPS - 1 || n > STAMPS || pread(0, stamps, sizeof stamps, 0) != size)
		return failure("--phases: the target does not stamp its start; leave out --exec, "
			       "or give one of start-dynamic, start-static, start-nolibc, "
			       "start-now and start-lazy");
	now.main = stamps[n - 1];
	now.entry = stamps[n - 2];
	now.first = n == STAMPS ? stamps[0] : expect_loader ? 0 : now.entry;
	if (!in_order(&now))
		return failure("--phases: the stamps of the target are out of order");
	return 0;
}

int start_ended(bool counts)
{
	now.ended = now_ns();
	if (read_stamps() != 0)
		return -1;
	if (!counts)
		return 0;
	waiting[count++] = now;
	if (count == STARTS_WAITING)
		empty_waiting();
	return 0;
}

const struct start *start_last(void)
{
	return &now;
}

/* The times of the timed part */
static void print(void)
{
	empty_waiting();
	for (int period = 0; period < PERIODS; period++) {
		if (periods[period].total == 0)
			continue;
		put("START|");
		put_times(names[period], &periods[period]);
	}
}

/* ---- the option -------------------------------------------------------------------------- */

static const struct entry phases_options[] = {
	{ FLAG, &options.phases,
		.usage = "phases: measure the target's start-up: when its first instruction and "
			 "main() ran, and when it had ended",
		.excludes = "burst spawners" },
	{ 0 },
};
const struct feature phases_feature = {
	.options = phases_options, .setup = start_setup, .print = print
};
