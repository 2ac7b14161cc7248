/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pause.c - pauses of the timed part, in which reference loops run, or another program (turns.h):
 * what a pause takes does not count.
 */
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "harness.h"
#include "os.h"
#include "pass.h"
#include "turns.h"
#include "util.h"

/* The first creation after a pause is slower: it is not timed, if there were so many before. */
enum { TIMED_BETWEEN = 16 };
/* Pauses take one of so many parts of the time at most, however slow the loops are. */
enum { PAUSE_SHARE = 20 };

int (*before_each)(void);

/* A test that creates no process does not depend on page faults. */
static bool has_loops(const struct options *o)
{
	bool creates = test.create != NULL || options_have("heap");

	return creates && o->seconds > 0 && o->count == 0;
}

/* Pauses of threads that create at the same time would disturb each other. */
static bool has_pauses(const struct options *o)
{
	return o->pauses > 0 && o->spawners == 1 && test.again == NULL &&
		(o->turn_in >= 0 ? turns_left() : has_loops(o));
}

static uint64_t between_pauses(const struct options *o)
{
	double least = turns_left() ? 0 : o->seconds / PAUSES_MAX;

	return (uint64_t)((o->pauses > least ? o->pauses : least) * 1e9);
}

void pauses_begin(struct pass_state *p, const struct options *o)
{
	p->after_pause = false;
	p->paused_at = 0;
	p->pauses = 0;
	p->paused_ns = p->paused_cpu_us = 0;
	p->pause_due = before_each != NULL ? 0 :
		p->timed && has_pauses(o)  ? p->started + between_pauses(o) :
					     UINT64_MAX;
}

static void leave_out_one(uint64_t *counter, uint64_t from, uint64_t to)
{
	if (*counter != UNKNOWN && from != UNKNOWN && to != UNKNOWN && to > from)
		*counter += to - from;
}

static void leave_out(struct usage *all, const struct usage *before, const struct usage *after)
{
#define LEAVE_OUT(counter) leave_out_one(&all->counter, before->counter, after->counter)
	LEAVE_OUT(user_us);
	LEAVE_OUT(system_us);
	LEAVE_OUT(children_user_us);
	LEAVE_OUT(children_system_us);
	LEAVE_OUT(helper_us);
	LEAVE_OUT(nvcsw);
	LEAVE_OUT(nivcsw);
	LEAVE_OUT(minflt);
	LEAVE_OUT(children_nivcsw);
	LEAVE_OUT(children_minflt);
	LEAVE_OUT(rundelay_ns);
}

/* As if a pause of this length had not been: what began before it began so much later. */
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

static uint64_t run_loops(struct pass_state *p)
{
	uint64_t work = reference_pause(&p->pause[p->pauses]);

	p->pauses += work > 0;
	return work;
}

/* What the pause itself has used does not count either.  work: what the loops did.  0, or -1 after
 * failure(). */
static int spend(struct pass_state *p, uint64_t *work)
{
	struct usage before, after;
	uint64_t now;
	int result = 0;

	before.rundelay_ns = os_rundelay_ns();
	usage_read(&before);
	if (before_each != NULL)
		result = before_each();
	else if (turns_left())
		turns_give();
	else
		*work = run_loops(p);
	usage_read(&after);
	after.rundelay_ns = os_rundelay_ns();
	leave_out(&p->before, &before, &after);
	p->paused_cpu_us += after.user_us - before.user_us + after.system_us - before.system_us;
	now = now_ns();
	if (now > p->now)
		move_on(p, now - p->now);
	return result;
}

/* One of many: a test whose creations take as long as a wait for the next pause is timed. */
static void leave_next_untimed(struct pass_state *p)
{
	bool many = p->created - p->paused_at >= TIMED_BETWEEN;

	p->paused_at = p->created;
	p->after_pause = many && p->every <= 1;
	if (many && p->every > 1)
		p->until = p->every;
}

int pass_pause(struct pass_state *p, const struct options *o)
{
	uint64_t work = 0, apart = between_pauses(o);

	if (p->pauses == PAUSES_MAX || stopping != 0)
		return 0;
	if (spend(p, &work) != 0)
		return -1;
	if (before_each != NULL)
		return 0;
	leave_next_untimed(p);
	if (work * PAUSE_SHARE > apart)
		apart = work * PAUSE_SHARE;
	p->pause_due = work > 0 || turns_left() ? p->now + apart : UINT64_MAX;
	return 0;
}

void pass_turn(struct pass_state *p, const struct options *o, uint64_t last)
{
	uint64_t turn = (uint64_t)(o->pauses * 1e9), work;

	if (!turns_left() || !p->timed || turn == 0 || stopping != 0)
		return;
	if ((last - p->started) / turn != (p->now - p->started) / turn)
		(void)spend(p, &work); /* this test has no before_each() */
}

static uint64_t microseconds(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000u + (uint64_t)t->tv_usec;
}

void usage_read(struct usage *u)
{
	struct rusage self, children;

	memset(&self, 0, sizeof self);
	memset(&children, 0, sizeof children);
	(void)getrusage(RUSAGE_SELF, &self);
	(void)getrusage(RUSAGE_CHILDREN, &children);
	u->user_us = microseconds(&self.ru_utime);
	u->system_us = microseconds(&self.ru_stime);
	u->children_user_us = microseconds(&children.ru_utime);
	u->children_system_us = microseconds(&children.ru_stime);
	u->helper_us = test.helper_us != NULL ? test.helper_us() : 0;
	u->nvcsw = (uint64_t)self.ru_nvcsw;
	u->nivcsw = (uint64_t)self.ru_nivcsw;
	u->minflt = (uint64_t)self.ru_minflt;
	u->children_nivcsw = (uint64_t)children.ru_nivcsw;
	u->children_minflt = (uint64_t)children.ru_minflt;
	u->stops = test.again != NULL ? UNKNOWN : (uint64_t)times_continued;
}
