/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * carry.c - the state of a pass as text in the arguments of the next image, for a test that
 * replaces its own process: numbers, the batches, then the histogram.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "again.h"
#include "cleaner.h"
#include "pass.h"

static char state[24 * HISTOGRAM_BUCKETS];
static int own_argc;
static char **own_argv, **next_argv;

/* The carried members, besides the histogram */
static const size_t carried[] = {
#define AT(member) offsetof(struct pass_state, member)
	AT(created), AT(began), AT(started), AT(last), AT(ended), AT(every), AT(until),
	AT(before.user_us), AT(before.system_us), AT(before.children_user_us),
	AT(before.children_system_us), AT(before.nvcsw), AT(before.nivcsw), AT(before.minflt),
	AT(before.children_minflt), AT(before.rundelay_ns), AT(before.suspended_ns),
	AT(latency.max), AT(batch_ns), AT(batch_started), AT(batch_created)
};
enum { CARRIED = sizeof carried / sizeof *carried };

static uint64_t *number(int i)
{
	return (uint64_t *)(void *)((char *)the_pass + carried[i]);
}

static const char *pass_save(void)
{
	size_t length = 0;

	state[length++] = pass.timed ? 't' : 'w';
	length += put_number(state + length, (uint64_t)((int64_t)cleaner_socket() + 1), ' ');
	for (int i = 0; i < CARRIED; i++)
		length += put_number(state + length, *number(i), ' ');
	for (unsigned i = 0; i < pass.batches; i++) {
		length += put_number(state + length, pass.batch[i].created, '/');
		length += put_number(state + length, pass.batch[i].us, ' ');
	}
	(void)histogram_text(&pass.latency, state + length, sizeof state - length);
	return state;
}

void carry_begin(int argc, char **argv, bool resumed)
{
	own_argc = argc;
	own_argv = argv;
	if (resumed) /* the previous image built this vector */
		next_argv = again_has_file() ? argv - AGAIN_WORDS : argv;
}

char **carry_on(const char *program)
{
	int at = again_has_file() ? AGAIN_WORDS : 0;

	if (next_argv == NULL) {
		next_argv = calloc((size_t)own_argc + AGAIN_WORDS + 3, sizeof *next_argv);
		if (next_argv == NULL)
			return NULL;
		next_argv[0] = (char *)program;
		next_argv[at + 1] = "--resume";
		memcpy(next_argv + at + 3, own_argv + 1, (size_t)own_argc * sizeof *own_argv);
	}
	if (at > 0)
		again_next(&pass, next_argv + 1);
	next_argv[at + 2] = (char *)pass_save();
	return next_argv;
}

static const char *restore_batches(const char *text)
{
	char *slash, *end;

	for (pass.batches = 0; pass.batches < BATCHES_CARRIED; pass.batches++) {
		unsigned long long created = strtoull(text, &slash, 10), us;

		if (slash == text || *slash != '/') /* the histogram begins here */
			break;
		us = strtoull(slash + 1, &end, 10);
		if (end == slash + 1 || *end != ' ')
			break;
		pass.batch[pass.batches] = (struct batch){ created, us };
		text = end + 1;
	}
	return text;
}

int pass_restore(const char *text)
{
	uint64_t max;
	char *end;

	pass.timed = *text++ == 't';
	cleaner_continues((int)strtoul(text, &end, 10) - 1);
	if (end == text || *end != ' ')
		return failure("--resume is reserved for the program itself");
	text = end + 1;
	for (int i = 0; i < CARRIED; i++, text = end + 1) {
		*number(i) = strtoull(text, &end, 10);
		if (end == text || *end != ' ')
			return failure("--resume is reserved for the program itself");
	}
	text = restore_batches(text);
	max = pass.latency.max;
	if (histogram_parse(&pass.latency, text) != 0)
		return failure("--resume is reserved for the program itself");
	pass.latency.max = max;
	pass.now = pass.last;
	return 0;
}
