/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawners.c - see pass.h.
 *
 * A thread in waitpid() does not notice that another one failed.  So the first thread that
 * ends early sends SIGUSR1 to those that have not ended, again and again, since one that
 * arrives just before a wait has no effect; its handler does nothing but end the wait.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "pass.h"
#include "util.h"

enum { SPAWNERS_MAX = 1024, STACK = 256 << 10 };

/* A thread; the first one is that of main() */
struct spawner {
	_Alignas(4096) struct pass_state own; /* no line of a cache of another one */
	struct pass_state *state;             /* `own`; of the first one *the_pass */
	uint64_t count;                       /* its share of --count; 0: none is asked for */
	pthread_t thread;
	bool busy; /* it is in the current part */
	int result;
};

static const struct crew crew_of_spawners;
static struct spawner *spawners;
static unsigned started;     /* how many of them have been started */
static uint64_t first_ended; /* the clock at the end of the first one's part */
static bool timed_part, waking, over;
static unsigned part_number;
static unsigned awake, begun; /* threads that are, and that have begun the current part */
static atomic_bool all_awake;
static uint64_t last_began; /* the clock then */
static uint64_t spread_ns;  /* from the first start of the timed part to the last one */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begins = PTHREAD_COND_INITIALIZER;

static void nothing(int number)
{
	(void)number;
}

/* Counts the threads that are in a part; wake: interrupts what they wait in. */
static unsigned count_busy(bool wake)
{
	unsigned busy = 0;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < started; i++) {
		busy += spawners[i].busy;
		if (wake && spawners[i].busy)
			(void)pthread_kill(spawners[i].thread, SIGUSR1);
	}
	pthread_mutex_unlock(&lock);
	return busy;
}

static void wait_for_all(bool wake)
{
	const struct timespec ms = { 0, 1000000 };

	while (count_busy(wake || stopping) > 0)
		(void)nanosleep(&ms, NULL);
}

/* Notes that the calling thread has ended its part; the first thread that failed wakes the others.
 */
static void part_ended(struct spawner *own, int result)
{
	bool wakes;

	pthread_mutex_lock(&lock);
	own->busy = false;
	own->result = result;
	wakes = result != 0 && !waking;
	waking |= wakes;
	pthread_mutex_unlock(&lock);
	if (!wakes)
		return;
	stopping = 1;
	wait_for_all(true);
}

/* Waits until this part begins.  False where the program ends instead. */
static bool wait_for_part(unsigned part)
{
	bool goes_on;

	pthread_mutex_lock(&lock);
	while (part_number < part && !over)
		pthread_cond_wait(&begins, &lock);
	goes_on = !over;
	pthread_mutex_unlock(&lock);
	return goes_on;
}

/* Waits until all threads are awake: to wake one takes long while others create. */
static void wait_for_others(void)
{
	pthread_mutex_lock(&lock);
	if (++awake == started)
		all_awake = true;
	pthread_mutex_unlock(&lock);
	while (!all_awake)
		(void)sched_yield();
}

static void note_start(uint64_t clock)
{
	pthread_mutex_lock(&lock);
	begun++;
	if (clock > last_began)
		last_began = clock;
	if (timed_part && begun == started)
		pass_usage_begins();
	pthread_mutex_unlock(&lock);
}

/* A part in SECONDS lasts so long after the last thread began; until that has, each looks again
 * after 1 ms.  False where it is over. */
static bool part_goes_on(struct pass_state *p)
{
	double seconds = p->timed ? options.seconds : options.warmup;

	if (p->now < p->ended) /* it has made its share of --count */
		return false;
	pthread_mutex_lock(&lock);
	p->ended = begun == started ? last_began + (uint64_t)(seconds * 1e9) : p->now + 1000000;
	pthread_mutex_unlock(&lock);
	return p->now < p->ended;
}

static void run_part(struct spawner *own)
{
	int result;

	wait_for_others();
	pass_begin(own->state, timed_part, own->count);
	note_start(own->state->started);
	do
		result = part_run(own->state);
	while (result == 0 && part_goes_on(own->state));
	if (own == spawners)
		first_ended = own->state->now;
	part_ended(own, result);
}

static void *spawn(void *own)
{
	for (unsigned part = 1; wait_for_part(part); part++)
		run_part(own);
	return NULL;
}

/* The thread's share of --count, such that all shares add up to it; 0 without --count */
static uint64_t share_of(unsigned thread)
{
	return options.count / options.spawners + (thread < options.count % options.spawners);
}

static int start_thread(struct spawner *own)
{
	pthread_attr_t attributes;
	int error;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	error = pthread_create(&own->thread, &attributes, spawn, own);
	pthread_attr_destroy(&attributes);
	if (error == 0)
		return 0;
	errno = error;
	return failure("--spawners %llu: cannot create thread %u:",
		(unsigned long long)options.spawners, started);
}

/* Starts the threads, which wait for their first part; after the set-up of the test.  A test
 * without more threads writes to no variable here: each page that it had written to would make its
 * forks slower. */
static int start(void)
{
	size_t count = (size_t)options.spawners;

	if (count == 1)
		return 0;
	handle_signal(SIGUSR1, nothing);
	spawners = uncopied_memory(count * sizeof *spawners);
	if (spawners == NULL)
		return failure("--spawners %llu:", (unsigned long long)count);
	crew = &crew_of_spawners;
	for (; started < count; started++) {
		struct spawner *own = &spawners[started];

		own->state = started == 0 ? the_pass : &own->own;
		own->count = share_of(started);
		if (started == 0)
			own->thread = pthread_self();
		else if (start_thread(own) != 0)
			return -1;
	}
	return 0;
}

static void begin_all(bool timed)
{
	pthread_mutex_lock(&lock);
	timed_part = timed;
	part_number++;
	awake = begun = 0;
	all_awake = false;
	last_began = 0;
	for (unsigned i = 0; i < started; i++)
		spawners[i].busy = true;
	pthread_cond_broadcast(&begins);
	pthread_mutex_unlock(&lock);
}

/* The warm-up or the timed part in all threads.  Returns when all have ended.  If one fails, or a
 * signal stops the program, the others end, too.  0, or -1 after failure(). */
static int run_all(bool timed)
{
	int result = 0;

	begin_all(timed);
	run_part(spawners);
	wait_for_all(false);
	for (unsigned i = 0; i < started; i++)
		if (spawners[i].result != 0)
			result = -1;
	return stop_signal ? check_status(0) : result; /* after this thread's own part */
}

/* Adds up the threads.  With SECONDS: from the last start until the first thread ended; of the
 * creation that another was in at these moments the share counts that lies between them.  With
 * --count: all, from the first start until the last thread ended. */
static void merge(void)
{
	struct pass_state *states[SPAWNERS_MAX] = { the_pass };

	the_pass->now = first_ended;
	for (unsigned i = 1; i < started; i++)
		states[i] = spawners[i].state;
	merge_passes(states, started, options.count > 0);
}

static uint64_t created_by_all(void)
{
	uint64_t created = 0;

	for (unsigned i = 0; i < started; i++)
		created += spawners[i].state->created;
	return created;
}

static void end_all(void)
{
	pthread_mutex_lock(&lock);
	over = true;
	pthread_cond_broadcast(&begins);
	pthread_mutex_unlock(&lock);
	for (unsigned i = 1; i < started; i++)
		(void)pthread_join(spawners[i].thread, NULL);
	started = 0;
}

/* ---- the counters of several threads into those of the first one ---- */

/* The first or the last of the moments at which the threads began, or ended */
static uint64_t moment(struct pass_state *const *threads, unsigned count, bool ends, bool last)
{
	uint64_t found = ends ? threads[0]->now : threads[0]->started;

	for (unsigned i = 1; i < count; i++) {
		uint64_t at = ends ? threads[i]->now : threads[i]->started;

		if ((at > found) == last)
			found = at;
	}
	return found;
}

/* The share of what lies between two readings of the clock that lies before a third */
static double share_before(uint64_t clock, uint64_t from, uint64_t to)
{
	if (clock >= to)
		return 1;
	return clock <= from ? 0 : REAL(clock - from) / REAL(to - from);
}

/* The creations of a thread until the first one ended: of its last creations, which may end later,
 * the share that lies before. */
static double made_until_end(const struct pass_state *p, uint64_t end)
{
	const struct reading *before = &p->before_end;

	return REAL(before->created) +
		REAL(p->created - before->created) * share_before(end, before->clock, p->now);
}

/* The creations of a thread until then; the rate within a batch is taken to be steady. */
static double made_until(const struct pass_state *p, uint64_t clock)
{
	uint64_t at = p->started, next;
	double made = 0;

	for (unsigned i = 0; i < p->batches && at < clock; i++, at = next) {
		next = at + p->batch[i].us * 1000;
		made += REAL(p->batch[i].created) * share_before(clock, at, next);
	}
	if (clock > p->batch_started)
		made += REAL(p->created - p->batch_created) *
			share_before(clock, p->batch_started, p->now);
	return made;
}

static uint64_t all_between(
	struct pass_state *const *threads, unsigned count, uint64_t from, uint64_t to)
{
	double made = 0;

	for (unsigned i = 0; i < count; i++)
		made += made_until(threads[i], to) - made_until(threads[i], from);
	return (uint64_t)made;
}

/* Makes the batches of all threads together: equally long, at least as long as the longest of one
 * thread.  Their number */
static unsigned merge_batches(struct pass_state *const *threads, unsigned count, uint64_t start,
	uint64_t end, uint64_t most, uint64_t *length, struct batch *batch)
{
	uint64_t made, before = 0;
	unsigned batches = 0;

	*length = *length > 0 ? *length : 1; /* it divides below */
	for (unsigned i = 0; i < count; i++)
		if (threads[i]->batch_ns > *length)
			*length = threads[i]->batch_ns;
	while ((end - start) / *length >= BATCHES_MAX)
		*length *= 2;
	for (uint64_t at = start + *length; at < end; at += *length) {
		made = all_between(threads, count, start, at);
		made = made > most ? most : made < before ? before : made;
		batch[batches++] = (struct batch){ made - before, *length / 1000 };
		before = made;
	}
	return batches;
}

static void take_batches(
	struct pass_state *p, const struct batch *batch, unsigned batches, uint64_t length)
{
	p->batches = batches;
	p->batch_ns = length;
	p->batch_started = p->started + batches * length;
	p->batch_created = 0;
	for (unsigned i = 0; i < batches; i++) {
		p->batch[i] = batch[i];
		p->batch_created += batch[i].created;
	}
}

void merge_passes(struct pass_state *const *threads, unsigned count, bool counted)
{
	struct pass_state *all = threads[0];
	struct batch batch[BATCHES_MAX];
	uint64_t start = moment(threads, count, false, !counted);
	uint64_t end = moment(threads, count, true, counted), length = 0, created;
	unsigned batches;
	double made = 0;

	for (unsigned i = 0; i < count; i++)
		made += counted ? REAL(threads[i]->created) :
				  made_until_end(threads[i], end) - made_until(threads[i], start);
	spread_ns = moment(threads, count, false, true) - moment(threads, count, false, false);
	created = (uint64_t)(made + 0.5);
	batches = merge_batches(threads, count, start, end, created, &length, batch);
	for (unsigned i = 1; i < count; i++) {
		histogram_merge(&all->latency, &threads[i]->latency);
		histogram_merge(pass_stalls(all), pass_stalls(threads[i]));
	}
	all->began = all->started = start;
	take_batches(all, batch, batches, length);
	all->created = created;
	all->now = end;
}

/* ---- the option -------------------------------------------------------------------------- */

static const struct crew crew_of_spawners = { run_all, merge, created_by_all, end_all };

static void check(void)
{
	if (options.count > 0 && options.count < options.spawners)
		usage_error("--count: at least 1 for each of the %llu threads of --spawners",
			(unsigned long long)options.spawners);
}

static void print(void)
{
	if (options.spawners > 1)
		put("SPAWNERS|%llu\nSPREAD|%.6f\n", (unsigned long long)options.spawners,
			REAL(spread_ns) / 1e9);
}

static const struct entry spawners_options[] = {
	{ POSITIVE, &options.spawners,
		.usage = "spawners N: create in N threads at once (at most 1024)",
		.most = SPAWNERS_MAX, .excludes = "burst" },
	{ 0 },
};
const struct feature spawners_feature = {
	.options = spawners_options, .check = check, .start = start, .print = print
};
