/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part.c - see part.h.
 */
#include <stdlib.h>
#include <unistd.h>

#include "part.h"
#include "start.h"
#include "util.h"

static pid_t *burst;

int part_prepare(const struct options *o)
{
	if (o->burst > 1 && (burst = calloc(o->burst, sizeof *burst)) == NULL)
		return failure("--burst %llu:", (unsigned long long)o->burst);
	return 0;
}

static int reap(pid_t pid)
{
	return test.reap != NULL ? test.reap(pid) : reap_child(pid);
}

/* Creates the children of one burst, then reaps all that were created. */
static int create_and_reap_burst(struct pass_state *p, const struct options *o)
{
	uint64_t made = 0;
	int result = 0;

	pass_creating(p);
	while (made < o->burst && !stopping && (burst[made] = test.create()) >= 0)
		made++;
	if (made < o->burst)
		result = stopping ? check_status(0) : creation_failed(test.name);
	pass_reaping(p, made);
	for (uint64_t i = 0; i < made; i++)
		if (reap(burst[i]) != 0)
			result = -1;
	if (result != 0)
		p->created += made;
	return result;
}

static int create_and_reap(struct pass_state *p)
{
	uint64_t returned;
	pid_t pid = test.create();

	if (pid < 0)
		return creation_failed(test.name);
	returned = pass_returned(p);
	return reap(pid) != 0 ? -1 : pass_note_stall(p, returned);
}

static int iterate(struct pass_state *p, const struct options *o)
{
	if (test.create == NULL)
		return test.once();
	if (o->burst > 1)
		return create_and_reap_burst(p, o);
	if (!o->phases)
		return create_and_reap(p);
	start_calls();
	return create_and_reap(p) != 0 ? -1 : start_ended();
}

static __attribute__((noinline)) int run(struct pass_state *p, const struct options *o)
{
	uint64_t at = p->now, made = p->created;

	while (!pass_over(p, o)) {
		at = p->now;
		made = p->created;
		for (uint64_t quiet = pass_quiet(p, o); quiet > 0; quiet--) {
			if (iterate(p, o) != 0)
				return -1;
			p->created += o->burst;
		}
		if (iterate(p, o) != 0 || pass_note(p, o->burst) != 0)
			return -1;
		pass_pause(p, o);
	}
	p->before_end = (struct reading){ at, made };
	if (stop_signal)
		return failure("stopped by signal %d", (int)stop_signal);
	return stopping ? -1 : 0;
}

/* The frames of the loop, and of what it calls, begin near the end of a page, wherever the stack
 * does: across two pages they would be another page fault of each fork, in some passes. */
int part_run(struct pass_state *p, const struct options *o)
{
	enum { ABOVE = 256 };
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	volatile char unused[frame % (uintptr_t)sysconf(_SC_PAGESIZE) + ABOVE]
		__attribute__((unused));

	unused[0] = 0; /* else it would be left out */
	return run(p, o);
}
