/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pass.c - the bookkeeping of a pass.  It runs between two creations, so it does little: a
 * counter and, if the clock is read, one histogram bucket.
 */
#include <string.h>
#include <sys/resource.h>

#include "os.h"
#include "pass.h"
#include "util.h"

/* Clock readings may take this share of the time. */
#define CLOCK_SHARE 0.002
/* The first length of a batch; it doubles whenever there are BATCHES_MAX of them. */
#define BATCH_NS 10000000u
/* The creations from which the time of one is estimated */
enum { CALIBRATION = 16 };

char pass_room[sizeof(struct pass_state) + PASS_PAGE];
static double share = CLOCK_SHARE;
static struct histogram stalls;

static uint64_t microseconds(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000u + (uint64_t)t->tv_usec;
}

static void read_usage(struct usage *u)
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
	u->stops = test.takes & TAKES_AGAIN ? UNKNOWN : (uint64_t)times_continued;
}

/*
 * Returns k, where one of k creations is timed, so that readings take at most the allowed
 * share: one reading for each creation if k is 1, else two readings for k creations; and one
 * more when a creating call returns.
 */
static uint64_t readings_apart(uint64_t clock_ns, uint64_t creation_ns)
{
	double allowed = share * (double)creation_ns;
	int returns = test.create != NULL;

	if ((1 + returns) * (double)clock_ns <= allowed || creation_ns == 0)
		return 1;
	double apart = share > 0 ? (2 + returns) * (double)clock_ns / allowed : 1e18;
	double most = 1e6 / (double)creation_ns; /* read at least once a ms */

	return 1 + (uint64_t)(apart < most ? apart : most);
}

void pass_without_latencies(void)
{
	share = 0;
}

void pass_begin(bool timed, const struct options *o)
{
	double seconds = timed ? o->seconds : o->warmup;
	uint64_t every = pass.every;

	pass.timed = timed;
	histogram_clear(&pass.latency);
	histogram_clear(&stalls);
	pass.waiting = 0;
	pass.created = pass.batches = 0;
	pass.creating_ns = 0;
	pass.every = pass.until = every > 0 ? every : 1;
	pass.batch_ns = BATCH_NS;
	pass.batch_created = 0;
	if (timed) {
		pass.before.rundelay_ns = os_rundelay_ns();
		pass.before.suspended_ns = os_suspended_ns();
		read_usage(&pass.before);
	}
	pass.started = pass.last = pass.now = pass.batch_started = now_ns();
	pass.ended = seconds > 0 ? pass.started + (uint64_t)(seconds * 1e9) : UINT64_MAX;
}

/* Merges neighbours, so that a long pass has fewer and longer batches. */
static void halve_batches(void)
{
	unsigned halves = pass.batches / 2;

	for (unsigned i = 0; i < halves; i++) {
		const struct batch *two = pass.batch + (size_t)i * 2;

		pass.batch[i] =
			(struct batch){ two[0].created + two[1].created, two[0].us + two[1].us };
	}
	pass.batches = halves;
	pass.batch_ns *= 2;
}

struct batch pass_open_batch(void)
{
	uint64_t began = (pass.batch_started - pass.started) / 1000;
	uint64_t now = (pass.now - pass.started) / 1000;

	return (struct batch){ (uint32_t)(pass.created - pass.batch_created),
		(uint32_t)(now - began) };
}

static void end_batch(void)
{
	if (pass.batches == (test.takes & TAKES_AGAIN ? BATCHES_CARRIED : BATCHES_MAX))
		halve_batches();
	pass.batch[pass.batches++] = pass_open_batch();
	pass.batch_created = pass.created;
	pass.batch_started = pass.now;
}

static int clock_went_back(void)
{
	return failure(
		"the monotonic clock went back by %.6f s", (double)(pass.last - pass.now) / 1e9);
}

/* Where the clock is slow: times one creation of `every`, with two readings. */
static int note_sparsely(uint64_t creations)
{
	if (pass.until > 1 && --pass.until > 1)
		return 0;
	pass.now = now_ns();
	if (pass.now < pass.last)
		return clock_went_back();
	if (pass.until == 1) { /* the next one is timed */
		pass.until = 0;
	} else {
		histogram_add(&pass.latency, (pass.now - pass.last) / creations, creations);
		pass.until = pass.every;
	}
	pass.last = pass.now;
	return 0;
}

uint64_t pass_quiet(const struct options *o)
{
	uint64_t turns, left;

	if (pass.every <= 1 || pass.until <= 2)
		return 0;
	turns = pass.until - 2;
	if (pass.timed && o->count > 0) {
		left = (o->count - pass.created) / o->burst;
		if (turns >= left)
			turns = left > 0 ? left - 1 : 0;
	}
	pass.until -= turns;
	return turns;
}

int pass_note(uint64_t creations)
{
	pass.created += creations;
	if (pass.every > 1) {
		if (note_sparsely(creations) != 0)
			return -1;
	} else {
		pass.now = now_ns();
		if (pass.now < pass.last)
			return clock_went_back();
		histogram_add(&pass.latency, (pass.now - pass.last) / creations, creations);
		pass.last = pass.now;
		if (pass.created <= CALIBRATION && pass.created + creations > CALIBRATION) {
			pass.every = readings_apart(
				clock_cost_ns(), (pass.now - pass.started) / pass.created);
			pass.until = pass.every;
			pass.last = pass.now = now_ns();
		}
	}
	if (pass.now - pass.batch_started >= pass.batch_ns)
		end_batch();
	return 0;
}

bool pass_over(const struct options *o)
{
	if (pass.timed && o->count > 0 && pass.created >= o->count)
		return true;
	return pass.now >= pass.ended || stop_signal != 0;
}

void pass_creating(void)
{
	pass.creating_since = now_ns();
}

void pass_reaping(uint64_t created)
{
	uint64_t ns = now_ns() - pass.creating_since;

	pass.creating_ns += ns;
	if (created > 0)
		histogram_add(&stalls, ns / created, created);
}

static void empty_waiting(void)
{
	for (unsigned i = 0; i < pass.waiting; i++)
		histogram_add(&stalls, pass.stall[i], 1);
	pass.waiting = 0;
}

int pass_note_stall(uint64_t returned)
{
	uint64_t ns = returned - pass.last;

	if (returned == 0)
		return 0;
	if (ns > UINT32_MAX) /* seconds: another page matters no more */
		histogram_add(&stalls, ns, 1);
	else
		pass.stall[pass.waiting++] = (uint32_t)ns;
	if (pass.waiting == STALLS_WAITING)
		empty_waiting();
	return 0;
}

void creation_returned(void)
{
	(void)pass_note_stall(pass_returned());
}

const struct histogram *pass_stalls(void)
{
	empty_waiting();
	return &stalls;
}

int pass_end(struct usage *after)
{
	pass.now = now_ns();
	if (pass.now < pass.last)
		return clock_went_back();
	read_usage(after);
	after->rundelay_ns = os_rundelay_ns();
	after->suspended_ns = os_suspended_ns();
	return 0;
}
