/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pass.c - the bookkeeping of a pass.  What follows the reading that ends a creation is in the
 * time of the next one, so it does little: a counter, a histogram bucket, a stall.
 */
#include <unistd.h>

#include "os.h"
#include "pass.h"
#include "util.h"

/* Clock readings may take this share of the time. */
#define CLOCK_SHARE 0.002
/* The first length of a batch; it doubles whenever there are BATCHES_MAX of them. */
#define BATCH_NS 10000000u
/* The creations from which the time of one is estimated */
enum { CALIBRATION = 16 };

int (*before_each)(struct pass_state *);
int (*reap_by)(pid_t);
WRITTEN struct phases phases;

static struct pass_state room;
struct pass_state *the_pass = &room;
static const char *place = "private";

static void *map_uncopied(size_t size, bool *left_out)
{
	void *start = shared_memory(size);

	*left_out = start != NULL && !test.exits && os_advise(start, size, ADVISE_DONTFORK) == 0;
	return start;
}

void *uncopied_memory(size_t size)
{
	bool left_out;

	return map_uncopied(size, &left_out);
}

RARE void pass_share(void)
{
	bool left_out;
	struct pass_state *shared = map_uncopied(sizeof *shared, &left_out);

	if (shared == NULL)
		return;
	the_pass = shared;
	place = left_out ? "left-out" : "shared";
}

const char *pass_place(void)
{
	return place;
}

/* ---- CPU time and events ----------------------------------------------------------------- */

static uint64_t cpu_us(const struct usage *u)
{
	return u->user_us + u->system_us + u->children_user_us + u->children_system_us;
}

/* Many copies that read /proc at once wait for each other in the kernel. */
RARE void pass_prepare(void)
{
	the_pass->before.surroundings = os_surroundings();
	usage_read(&the_pass->before);
}

RARE void pass_usage_begins(void)
{
	uint64_t earlier_us = cpu_us(&the_pass->before);

	os_delays(&the_pass->before.rundelay_ns, &the_pass->before.suspended_ns);
	usage_read(&the_pass->before);
	the_pass->warmed_us += cpu_us(&the_pass->before) - earlier_us;
}

/* ---- the beginning ----------------------------------------------------------------------- */

RARE void pass_begin(struct pass_state *p, bool timed, uint64_t count)
{
	double seconds = timed ? options.seconds : options.warmup;

	p->timed = timed;
	histogram_clear(&p->latency);
	histogram_clear(&p->stalls);
	p->waiting = 0;
	p->created = p->batches = 0;
	p->creating_ns = 0;
	p->timed_every = p->timed_every > 0 ? p->timed_every : 1;
	p->due = true;
	p->batch_ns = BATCH_NS;
	p->batch_created = 0;
	if (timed && p == the_pass)
		pass_usage_begins();
	p->began = p->started = p->last = p->now = p->batch_started = now_ns();
	p->ended = seconds > 0 ? p->started + (uint64_t)(seconds * 1e9) : UINT64_MAX;
	p->most = timed && count > 0 ? count : UINT64_MAX;
	p->pause_due = UINT64_MAX;
	p->pauses = 0;
	p->paused_ns = p->paused_cpu_us = 0;
	if (options.pauses > 0)
		pauses_begin(p);
}

/* ---- batches ----------------------------------------------------------------------------- */

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

	return (struct batch){ p->created - p->batch_created, now - began };
}

static __attribute__((noinline)) void end_batch(struct pass_state *p)
{
	if (p->batches == BATCHES_MAX)
		halve_batches(p);
	p->batch[p->batches++] = pass_open_batch(p);
	p->batch_created = p->created;
	p->batch_started = p->now;
}

/* ---- creations --------------------------------------------------------------------------- */

static int clock_went_back(const struct pass_state *p)
{
	return failure("the monotonic clock went back by %.6f s", (double)(p->last - p->now) / 1e9);
}

/*
 * Returns k, where one of k creations is timed, so that readings take at most the allowed
 * share: one reading for each creation if k is 1, else two readings for k creations; and one
 * more when a creating call returns.
 */
static RARE uint64_t readings_apart(uint64_t clock_ns, uint64_t creation_ns)
{
	double allowed = options.no_latency ? 0 : CLOCK_SHARE * (double)creation_ns;
	int returns = test.create != NULL;

	if ((1 + returns) * (double)clock_ns <= allowed || creation_ns == 0 || before_each != NULL)
		return 1;
	double apart = allowed > 0 ? (2 + returns) * (double)clock_ns / allowed : 1e18;
	double most = 1e6 / (double)creation_ns; /* read at least once a ms */

	return 1 + (uint64_t)(apart < most ? apart : most);
}

/* Decides how many creations are timed: all of a burst, and of a test that executes itself */
static RARE void calibrate(struct pass_state *p)
{
	p->timed_every = readings_apart(clock_cost_ns(), (p->now - p->started) / p->created);
	p->last = p->now = now_ns();
}

/* Does what follows from a reading of the clock, which is in `now`. */
static inline int clock_was_read(struct pass_state *p)
{
	if (p->now < p->last)
		return clock_went_back(p);
	p->last = p->now;
	if (p->now - p->batch_started >= p->batch_ns)
		end_batch(p);
	if (p->now >= p->pause_due)
		pass_pause(p);
	return 0;
}

/* Counts a creation that is not timed.  The clock read after the last of these is where the next
 * timed creation begins. */
static int note_untimed(struct pass_state *p)
{
	if (--p->untimed_left > 0)
		return 0;
	p->due = true;
	p->now = now_ns();
	return clock_was_read(p);
}

static RARE void empty_waiting(struct pass_state *p)
{
	for (unsigned i = 0; i < p->waiting; i++)
		histogram_add(&p->stalls, p->stall[i], 1);
	p->waiting = 0;
}

void pass_note_stall(struct pass_state *p, uint64_t returned)
{
	uint64_t ns = returned - p->last;

	if (returned == 0)
		return;
	if (ns > UINT32_MAX) /* above 4 s another page matters no more */
		histogram_add(&p->stalls, ns, 1);
	else
		p->stall[p->waiting++] = (uint32_t)ns;
	if (p->waiting == STALLS_WAITING)
		empty_waiting(p);
}

int pass_note(struct pass_state *p, uint64_t creations, uint64_t returned, uint64_t now)
{
	uint64_t before = p->created;

	p->created += creations;
	if (!p->due)
		return note_untimed(p);
	pass_note_stall(p, returned);
	p->before_end = (struct reading){ p->now, before };
	p->now = now;
	if (now >= p->last)
		histogram_add(&p->latency, (now - p->last) / creations, creations);
	p->untimed_left = p->timed_every - 1;
	p->due = p->untimed_left == 0;
	if (clock_was_read(p) != 0)
		return -1;
	if (creations == 1 && p->created == CALIBRATION && p->timed_every == 1 &&
		test.again == NULL)
		calibrate(p);
	return 0;
}

struct histogram *pass_stalls(struct pass_state *p)
{
	empty_waiting(p);
	return &p->stalls;
}

RARE int pass_end(struct usage *after)
{
	struct pass_state *p = the_pass;

	p->now = now_ns();
	if (p->now < p->last)
		return clock_went_back(p);
	usage_read(after);
	os_delays(&after->rundelay_ns, &after->suspended_ns);
	after->surroundings = os_surroundings();
	return 0;
}
