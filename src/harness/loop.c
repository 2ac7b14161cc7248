/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop.c - the loops that create.  run_pairs() is that of nearly all passes.  A creation is timed
 * from p->last to the now_if_due() in its pass_note().  p->last is that reading of the creation
 * before; after untimed ones, a pause or calibrate() a new one; for the first, pass_begin()'s.
 * `returned`: the clock when create() had returned; the line STALL has the time up to it.
 */
#include <unistd.h>

#include "kernels/mark.h"
#include "pass.h"
#include "util.h"

/* Each child is reaped before the next one is created.  With what --fresh does before, while the
 * clock stands, and --phases around each creation */
static int run_pairs(struct pass_state *p)
{
	while (!pass_over(p)) {
		uint64_t returned;
		pid_t pid;

		if (before_each != NULL && pass_stand_still(p, before_each) != 0)
			return -1;
		MARK(MARK_CREATION);
		if (phases.calls != NULL)
			phases.calls();
		pid = test.create();
		returned = now_if_due(p);
		if (pid < 0)
			return creation_failed(test.name);
		if ((reap_by != NULL ? reap_by : test.reap)(pid) != 0 ||
			(phases.ended != NULL && phases.ended(p->timed) != 0))
			return -1;
		if (pass_note(p, 1, returned, now_if_due(p)) != 0)
			return -1;
	}
	return 0;
}

/* How many untimed creations can follow before one that needs pass_note(): a reading, or the end */
static uint64_t count_quiet(struct pass_state *p)
{
	uint64_t quiet, left = p->most - p->created;

	if (p->due || p->untimed_left <= 1)
		return 0;
	quiet = p->untimed_left - 1 < left - 1 ? p->untimed_left - 1 : left - 1;
	p->untimed_left -= quiet;
	return quiet;
}

/* For a test with once(), of which many short ones follow each other without more. */
static int run_once(struct pass_state *p)
{
	while (!pass_over(p)) {
		for (uint64_t quiet = count_quiet(p); quiet > 0; quiet--, p->created++)
			if (test.once() != 0)
				return -1;
		MARK(MARK_CREATION);
		if (test.once() != 0 || pass_note(p, 1, 0, now_if_due(p)) != 0)
			return -1;
	}
	return 0;
}

void creation_returned(void)
{
	pass_note_stall(the_pass, now_if_due(the_pass));
}

/* ---- bursts ------------------------------------------------------------------------------ */

static pid_t *children;

/* Creates those of one burst, and notes how long that took.  Their number */
static uint64_t create_burst(struct pass_state *p)
{
	uint64_t made = 0, began = now_ns(), took;

	MARK(MARK_CREATION);
	while (made < options.burst && !stopping && (children[made] = test.create()) >= 0)
		made++;
	took = now_ns() - began;
	p->creating_ns += took;
	if (made > 0 && p->due)
		histogram_add(&p->stalls, took / made, made);
	return made;
}

static int run_bursts(struct pass_state *p)
{
	while (!pass_over(p)) {
		uint64_t made = create_burst(p);
		int result = 0;

		if (made < options.burst) /* check_status() says what stopped it */
			result = stopping ? check_status(0) : creation_failed(test.name);
		for (uint64_t i = 0; i < made; i++)
			if (test.reap(children[i]) != 0)
				result = -1;
		if (result != 0) {
			p->created += made;
			return -1;
		}
		if (pass_note(p, made, 0, now_if_due(p)) != 0)
			return -1;
	}
	return 0;
}

static RARE int prepare_burst(void)
{
	if (options.burst == 1)
		return 0;
	children = uncopied_memory(options.burst * sizeof *children);
	return children != NULL ? 0 : failure("--burst %llu:", (unsigned long long)options.burst);
}

static const struct entry burst_options[] = {
	{ POSITIVE, &options.burst, .usage = "burst N: create N, then reap N", .most = 1000000 },
	{ 0 },
};
const struct feature burst_feature = { .options = burst_options, .setup = prepare_burst };

/* ---- a part ------------------------------------------------------------------------------ */

static __attribute__((noinline)) int run(struct pass_state *p)
{
	int result;

	if (test.create == NULL)
		result = run_once(p);
	else if (options.burst > 1)
		result = run_bursts(p);
	else
		result = run_pairs(p);
	return result != 0 ? -1 : check_status(0); /* 0, unless a signal or a thread stopped us */
}

/* The frames of the loop, and of what it calls, begin near the end of a page, wherever the stack
 * does: across two pages they would be another page fault of each fork, in some passes. */
int part_run(struct pass_state *p)
{
	enum { ABOVE = 256 };
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	volatile char unused[frame % (uintptr_t)sysconf(_SC_PAGESIZE) + ABOVE]
		__attribute__((unused));

	unused[0] = 0; /* else it would be left out */
	return run(p);
}

static int run_alone(bool timed)
{
	pass_begin(the_pass, timed, options.count);
	return part_run(the_pass);
}

static uint64_t created_alone(void)
{
	return the_pass->created;
}

static void nothing(void)
{
}

static const struct crew alone = { run_alone, nothing, created_alone, nothing };
const struct crew *crew = &alone;
