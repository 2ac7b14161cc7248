/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pass.c - the bookkeeping of a pass.  It runs between two creations, so it does little: a
 * counter and, if the clock is read, one histogram bucket.
 */
#include <unistd.h>

#include "kernels/mark.h"
#include "os.h"
#include "pass.h"
#include "start.h"
#include "util.h"

/* Clock readings may take this share of the time. */
#define CLOCK_SHARE 0.002
/* The first length of a batch; it doubles whenever there are BATCHES_MAX of them. */
#define BATCH_NS 10000000u
/* The creations from which the time of one is estimated */
enum { CALIBRATION = 16 };

static struct pass_state room;
struct pass_state *the_pass = &room;
static const char *place = "private";

static void *map_uncopied(size_t size, bool *left_out)
{
	void *start = shared_memory(size);

	*left_out = start != NULL && !test.exits && os_advise_dontfork(start, size) == 0;
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

static uint64_t cpu_us(const struct usage *u)
{
	return u->user_us + u->system_us + u->children_user_us + u->children_system_us;
}

/* Many copies that read /proc at once wait for each other in the kernel. */
RARE void pass_prepare(void)
{
	pass.before.surroundings = os_surroundings();
	usage_read(&pass.before);
}

RARE void pass_usage_begins(void)
{
	uint64_t earlier_us = cpu_us(&pass.before);

	pass.before.rundelay_ns = os_rundelay_ns();
	pass.before.suspended_ns = os_suspended_ns();
	usage_read(&pass.before);
	pass.warmed_us += cpu_us(&pass.before) - earlier_us;
}

RARE void pass_begin(struct pass_state *p, bool timed, const struct options *o)
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
	if (timed && p == &pass)
		pass_usage_begins();
	p->began = p->started = p->last = p->now = p->batch_started = now_ns();
	pauses_begin(p, o);
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

	return (struct batch){ p->created - p->batch_created, now - began };
}

static __attribute__((noinline)) void end_batch(struct pass_state *p)
{
	if (p->batches == (test.again != NULL ? BATCHES_CARRIED : BATCHES_MAX))
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

	if (p->every <= 1 || p->until <= 2 || test.again != NULL) /* one turn an image */
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

static inline int note_each(struct pass_state *p, uint64_t creations, uint64_t now)
{
	p->now = now;
	if (p->now < p->last)
		return clock_went_back(p);
	if (!p->after_pause)
		histogram_add(&p->latency, (p->now - p->last) / creations, creations);
	p->after_pause = false;
	p->last = p->now;
	return 0;
}

static inline void note_batch(struct pass_state *p)
{
	if (p->now - p->batch_started >= p->batch_ns)
		end_batch(p);
}

int pass_note_at(struct pass_state *p, uint64_t creations, uint64_t now)
{
	p->created += creations;
	if (note_each(p, creations, now) != 0)
		return -1;
	note_batch(p);
	return 0;
}

uint64_t pass_uncalibrated(const struct pass_state *p)
{
	return p->created < CALIBRATION ? CALIBRATION - p->created : 0;
}

int pass_note(struct pass_state *p, uint64_t creations)
{
	p->created += creations;
	if (p->every > 1) {
		if (note_sparsely(p, creations) != 0)
			return -1;
	} else {
		if (note_each(p, creations, now_ns()) != 0)
			return -1;
		if (p->created <= CALIBRATION && p->created + creations > CALIBRATION) {
			p->every =
				readings_apart(clock_cost_ns(), (p->now - p->started) / p->created);
			p->until = p->every;
			p->last = p->now = now_ns();
		}
	}
	note_batch(p);
	return 0;
}

bool pass_over(const struct pass_state *p, const struct options *o)
{
	if (p->timed && o->count > 0 && p->created >= o->count)
		return true;
	return p->now >= p->ended || stopping != 0;
}

void pass_creating(struct pass_state *p)
{
	p->creating_since = now_ns();
}

void pass_reaping(struct pass_state *p, uint64_t created)
{
	uint64_t ns = now_ns() - p->creating_since;

	p->creating_ns += ns;
	if (created > 0 && !p->after_pause)
		histogram_add(&p->stalls, ns / created, created);
}

static RARE void empty_waiting(struct pass_state *p)
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

RARE int pass_end(struct usage *after)
{
	pass.now = now_ns();
	if (pass.now < pass.last)
		return clock_went_back(&pass);
	usage_read(after);
	after->rundelay_ns = os_rundelay_ns();
	after->suspended_ns = os_suspended_ns();
	after->surroundings = os_surroundings();
	return 0;
}

/* ---- iterations -------------------------------------------------------------------------- */

static pid_t *burst;

static RARE int prepare_burst(void)
{
	if (options.burst > 1 && (burst = uncopied_memory(options.burst * sizeof *burst)) == NULL)
		return failure("--burst %llu:", (unsigned long long)options.burst);
	return 0;
}

static void check_burst(void)
{
	check_most("burst", options.burst, 1000000);
}

static const struct entry burst_options[] = {
	{ POSITIVE, &options.burst, "burst N: create N, then reap N" },
	{ 0 },
};
const struct feature burst_feature = {
	.options = burst_options, .check = check_burst, .setup = prepare_burst
};

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
	MARK(MARK_CREATION);
	if (test.create == NULL)
		return test.once();
	if (o->burst > 1)
		return create_and_reap_burst(p, o);
	if (!o->phases)
		return create_and_reap(p);
	test.phases->calls();
	return create_and_reap(p) != 0 ? -1 : test.phases->ended(p->timed);
}

static __attribute__((noinline)) int run(struct pass_state *p, const struct options *o)
{
	uint64_t at = p->now, made = p->created;

	if (before_each != NULL && pass_pause(p, o) != 0)
		return -1;
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
		if (p->now >= p->pause_due && pass_pause(p, o) != 0)
			return -1;
	}
	p->before_end = (struct reading){ at, made };
	return check_status(0);
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

static int run_alone(bool timed)
{
	pass_begin(&pass, timed, &options);
	return part_run(&pass, &options);
}

static uint64_t created_alone(void)
{
	return pass.created;
}

static void nothing(void)
{
}

static const struct crew alone = { run_alone, nothing, created_alone, nothing };
const struct crew *crew = &alone;
