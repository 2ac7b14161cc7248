/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pass.c - the bookkeeping of a pass.  It runs between two creations, so it does little: a
 * counter and, if the clock is read, one histogram bucket.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "os.h"
#include "pass.h"
#include "reference.h"
#include "util.h"

/* Clock readings may take this share of the time. */
#define CLOCK_SHARE 0.002
/* The first length of a batch; it doubles whenever there are BATCHES_MAX of them. */
#define BATCH_NS 10000000u
/* Pauses take one of so many parts of the time at most, however slow the loops are. */
enum { PAUSE_SHARE = 20 };
/* The creations from which the time of one is estimated */
enum { CALIBRATION = 16 };

char pass_room[sizeof(struct pass_state) + PASS_PAGE];
static double share = CLOCK_SHARE;

/* Only whole pages that are the room's alone: other variables stay private. */
void pass_share(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *start = (char *)the_pass();
	size_t size = (size_t)(pass_room + sizeof pass_room - start) / page * page;

	if ((uintptr_t)start % page == 0 && size > 0)
		(void)mmap(start, size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

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

/* Pauses of threads that create at the same time would disturb each other; a test that creates
 * no process does not depend on page faults. */
static bool has_pauses(const struct options *o)
{
	bool creates = test.create != NULL || test.takes & TAKES_PARENT;

	return creates && o->pauses > 0 && o->seconds > 0 && o->count == 0 && o->spawners == 1 &&
		o->faulting == 0;
}

static uint64_t between_pauses(const struct options *o)
{
	double least = o->seconds / PAUSES_MAX;

	return (uint64_t)((o->pauses > least ? o->pauses : least) * 1e9);
}

void pass_begin(struct pass_state *p, bool timed, const struct options *o)
{
	double seconds = timed ? o->seconds : o->warmup;
	uint64_t every = p->every;

	p->timed = timed;
	histogram_clear(&p->latency);
	histogram_clear(&p->stalls);
	p->waiting = 0;
	p->created = p->batches = 0;
	p->creating_ns = 0;
	p->every = p->until = every > 0 ? every : 1;
	p->batch_ns = BATCH_NS;
	p->batch_created = 0;
	p->pauses = 0;
	p->paused_ns = p->paused_cpu_us = 0;
	if (timed && p == &pass) {
		p->before.rundelay_ns = os_rundelay_ns();
		p->before.suspended_ns = os_suspended_ns();
		read_usage(&p->before);
	}
	p->began = p->started = p->last = p->now = p->batch_started = now_ns();
	p->pause_due = timed && has_pauses(o) ? p->started + between_pauses(o) : UINT64_MAX;
	p->ended = seconds > 0 ? p->started + (uint64_t)(seconds * 1e9) : UINT64_MAX;
}

/* Merges neighbours, so that a long pass has fewer and longer batches. */
static void halve_batches(struct pass_state *p)
{
	unsigned halves = p->batches / 2;

	for (unsigned i = 0; i < halves; i++) {
		const struct batch *two = p->batch + (size_t)i * 2;

		p->batch[i] =
			(struct batch){ two[0].created + two[1].created, two[0].us + two[1].us };
	}
	p->batches = halves;
	p->batch_ns *= 2;
}

struct batch pass_open_batch(const struct pass_state *p)
{
	uint64_t began = (p->batch_started - p->started) / 1000;
	uint64_t now = (p->now - p->started) / 1000;

	return (struct batch){ (uint32_t)(p->created - p->batch_created), (uint32_t)(now - began) };
}

static void end_batch(struct pass_state *p)
{
	if (p->batches == (test.takes & TAKES_AGAIN ? BATCHES_CARRIED : BATCHES_MAX))
		halve_batches(p);
	p->batch[p->batches++] = pass_open_batch(p);
	p->batch_created = p->created;
	p->batch_started = p->now;
}

static int clock_went_back(const struct pass_state *p)
{
	return failure("the monotonic clock went back by %.6f s", (double)(p->last - p->now) / 1e9);
}

/* Where the clock is slow: times one creation of `every`, with two readings. */
static int note_sparsely(struct pass_state *p, uint64_t creations)
{
	if (p->until > 1 && --p->until > 1)
		return 0;
	p->now = now_ns();
	if (p->now < p->last)
		return clock_went_back(p);
	if (p->until == 1) { /* the next one is timed */
		p->until = 0;
	} else {
		histogram_add(&p->latency, (p->now - p->last) / creations, creations);
		p->until = p->every;
	}
	p->last = p->now;
	return 0;
}

uint64_t pass_quiet(struct pass_state *p, const struct options *o)
{
	uint64_t turns, left;

	if (p->every <= 1 || p->until <= 2)
		return 0;
	turns = p->until - 2;
	if (p->timed && o->count > 0) {
		left = (o->count - p->created) / o->burst;
		if (turns >= left)
			turns = left > 0 ? left - 1 : 0;
	}
	p->until -= turns;
	return turns;
}

int pass_note(struct pass_state *p, uint64_t creations)
{
	p->created += creations;
	if (p->every > 1) {
		if (note_sparsely(p, creations) != 0)
			return -1;
	} else {
		p->now = now_ns();
		if (p->now < p->last)
			return clock_went_back(p);
		histogram_add(&p->latency, (p->now - p->last) / creations, creations);
		p->last = p->now;
		if (p->created <= CALIBRATION && p->created + creations > CALIBRATION) {
			p->every =
				readings_apart(clock_cost_ns(), (p->now - p->started) / p->created);
			p->until = p->every;
			p->last = p->now = now_ns();
		}
	}
	if (p->now - p->batch_started >= p->batch_ns)
		end_batch(p);
	return 0;
}

bool pass_over(const struct pass_state *p, const struct options *o)
{
	if (p->timed && o->count > 0 && p->created >= o->count)
		return true;
	return p->now >= p->ended || stopping != 0;
}

static void leave_out(uint64_t *counter, uint64_t before, uint64_t after)
{
	if (*counter != UNKNOWN && before != UNKNOWN && after != UNKNOWN && after > before)
		*counter += after - before;
}

static void leave_out_usage(struct usage *u, const struct usage *before, const struct usage *after)
{
	leave_out(&u->user_us, before->user_us, after->user_us);
	leave_out(&u->system_us, before->system_us, after->system_us);
	leave_out(&u->children_user_us, before->children_user_us, after->children_user_us);
	leave_out(&u->children_system_us, before->children_system_us, after->children_system_us);
	leave_out(&u->helper_us, before->helper_us, after->helper_us);
	leave_out(&u->nvcsw, before->nvcsw, after->nvcsw);
	leave_out(&u->nivcsw, before->nivcsw, after->nivcsw);
	leave_out(&u->minflt, before->minflt, after->minflt);
	leave_out(&u->rundelay_ns, before->rundelay_ns, after->rundelay_ns);
}

/* As if a pause of this length had not been: what began before it began so much later. */
static void move_on(struct pass_state *p, uint64_t length)
{
	p->started += length;
	p->last += length;
	p->now += length;
	p->batch_started += length;
	p->ended += length;
	p->paused_ns += length;
}

static uint64_t run_loops(struct pass_state *p)
{
	struct usage before, after;
	uint64_t work;

	before.rundelay_ns = os_rundelay_ns();
	read_usage(&before);
	work = reference_pause(&p->pause[p->pauses]);
	p->pauses += work > 0;
	read_usage(&after);
	after.rundelay_ns = os_rundelay_ns();
	leave_out_usage(&p->before, &before, &after);
	p->paused_cpu_us += after.user_us - before.user_us + after.system_us - before.system_us;
	return work;
}

void pass_pause(struct pass_state *p, const struct options *o)
{
	uint64_t work, now, apart = between_pauses(o);

	if (p->now < p->pause_due || p->pauses == PAUSES_MAX || stopping != 0)
		return;
	work = run_loops(p);
	now = now_ns();
	if (now > p->now)
		move_on(p, now - p->now);
	if (work * PAUSE_SHARE > apart)
		apart = work * PAUSE_SHARE;
	p->pause_due = work > 0 ? p->now + apart : UINT64_MAX;
}

void pass_creating(struct pass_state *p)
{
	p->creating_since = now_ns();
}

void pass_reaping(struct pass_state *p, uint64_t created)
{
	uint64_t ns = now_ns() - p->creating_since;

	p->creating_ns += ns;
	if (created > 0)
		histogram_add(&p->stalls, ns / created, created);
}

static void empty_waiting(struct pass_state *p)
{
	for (unsigned i = 0; i < p->waiting; i++)
		histogram_add(&p->stalls, p->stall[i], 1);
	p->waiting = 0;
}

int pass_note_stall(struct pass_state *p, uint64_t returned)
{
	uint64_t ns = returned - p->last;

	if (returned == 0)
		return 0;
	if (ns > UINT32_MAX) /* seconds: another page matters no more */
		histogram_add(&p->stalls, ns, 1);
	else
		p->stall[p->waiting++] = (uint32_t)ns;
	if (p->waiting == STALLS_WAITING)
		empty_waiting(p);
	return 0;
}

void creation_returned(void)
{
	(void)pass_note_stall(&pass, pass_returned(&pass));
}

struct histogram *pass_stalls(struct pass_state *p)
{
	empty_waiting(p);
	return &p->stalls;
}

int pass_end(struct usage *after)
{
	pass.now = now_ns();
	if (pass.now < pass.last)
		return clock_went_back(&pass);
	read_usage(after);
	after->rundelay_ns = os_rundelay_ns();
	after->suspended_ns = os_suspended_ns();
	return 0;
}
