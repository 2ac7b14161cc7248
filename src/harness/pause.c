/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pause.c - pauses of the timed part, in which reference loops run, or another program (turns.h):
 * what a pause takes does not count.
 */
#include "harness.h"
#include "os.h"
#include "pass.h"
#include "turns.h"
#include "util.h"

/* The first creation after a pause is slower, and not timed if so many were made since the last. */
enum { CREATED_BETWEEN = 16 };
/* Pauses take one of so many parts of the time at most, however slow the loops are. */
enum { PAUSE_SHARE = 20 };

/* A test that creates no process does not depend on page faults. */
static bool has_loops(void)
{
	bool creates = test.create != NULL || options_have("heap");

	return creates && options.seconds > 0 && options.count == 0;
}

/* Pauses of threads that create at the same time would disturb each other. */
static bool has_pauses(void)
{
	return options.spawners == 1 && test.again == NULL && (turns_left() || has_loops());
}

static uint64_t between_pauses(void)
{
	double least = turns_left() ? 0 : options.seconds / PAUSES_MAX;

	return (uint64_t)((options.pauses > least ? options.pauses : least) * 1e9);
}

void pauses_begin(struct pass_state *p)
{
	p->paused_at = 0;
	if (p->timed && has_pauses())
		p->pause_due = p->started + between_pauses();
}

/* The members of a struct usage up to rundelay_ns, which are alike */
static void leave_out(struct usage *all, const struct usage *before, const struct usage *after)
{
	const uint64_t *from = &before->user_us, *to = &after->user_us;
	uint64_t *counter = &all->user_us;

	for (; counter <= &all->rundelay_ns; counter++, from++, to++)
		if (*counter != UNKNOWN && *from != UNKNOWN && *to != UNKNOWN && *to > *from)
			*counter += *to - *from;
}

/* Moves on what began before a pause of this length, as if that had not been. */
static void move_on(struct pass_state *p, uint64_t length)
{
	p->started += length;
	p->last += length;
	p->now += length;
	p->batch_started += length;
	if (p->ended != UINT64_MAX) /* --count ends it */
		p->ended += length;
	p->paused_ns += length;
}

/* ---- what is done in a pause; each returns the microseconds that the loops took ----------- */

static int run_loops(struct pass_state *p)
{
	uint64_t ns = reference_pause(&p->pause[p->pauses]);

	p->pauses += ns > 0;
	return (int)(ns / 1000);
}

static int give_turn(struct pass_state *unused)
{
	(void)unused;
	turns_give();
	return 0;
}

/* Runs what(), whose time, CPU time and events do not count. */
int pass_stand_still(struct pass_state *p, int (*what)(struct pass_state *))
{
	struct usage before, after;
	uint64_t now;
	int result;

	os_delays(&before.rundelay_ns, &before.suspended_ns);
	usage_read(&before);
	result = what(p);
	usage_read(&after);
	os_delays(&after.rundelay_ns, &after.suspended_ns);
	leave_out(&p->before, &before, &after);
	p->paused_cpu_us += after.user_us - before.user_us + after.system_us - before.system_us;
	now = now_ns();
	if (now > p->now)
		move_on(p, now - p->now);
	return result;
}

/* Not where few creations fit between two pauses: then all of them are timed. */
static void leave_next_untimed(struct pass_state *p)
{
	bool many = p->created - p->paused_at >= CREATED_BETWEEN;

	p->paused_at = p->created;
	if (!many || !p->due)
		return;
	p->due = false;
	p->untimed_left = p->timed_every;
}

void pass_pause(struct pass_state *p)
{
	uint64_t apart = between_pauses(), work;
	bool turn = turns_left();

	p->pause_due = UINT64_MAX;
	if (p->pauses == PAUSES_MAX || stopping != 0)
		return;
	work = (uint64_t)pass_stand_still(p, turn ? give_turn : run_loops) * 1000;
	leave_next_untimed(p);
	if (turn ? !turns_left() : work == 0)
		return;
	if (work * PAUSE_SHARE > apart)
		apart = work * PAUSE_SHARE;
	p->pause_due = p->now + apart;
}

void pass_turn(struct pass_state *p, uint64_t last)
{
	uint64_t length = (uint64_t)(options.pauses * 1e9);

	if (!turns_left() || !p->timed || length == 0 || stopping != 0)
		return;
	if ((last - p->started) / length != (p->now - p->started) / length)
		(void)pass_stand_still(p, give_turn);
}
