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

/* One thread; that of main() is the first, and its counters are *the_pass. */
struct spawner {
	_Alignas(4096) struct pass_state state; /* no line of a cache of another one */
	uint64_t count;                         /* its share of --count; 0: none is asked for */
	pthread_t thread;
	bool busy; /* with the current part */
	int result;
};

static const struct crew spawners;
static struct spawner *others; /* all but the first */
static unsigned threads;       /* started of these */
static struct pass_state *states[SPAWNERS_MAX];
static pthread_t first;
static bool first_busy;
static uint64_t first_ended; /* the clock at the end of its part */
static bool timed_part, waking, over;
static unsigned part_number;
static unsigned awake, running; /* threads in the current part */
static atomic_bool all_awake;
static uint64_t last_began; /* the clock then */
static uint64_t spread_ns;  /* from the first start of the timed part to the last one */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begins = PTHREAD_COND_INITIALIZER;

static void nothing(int number)
{
	(void)number;
}

/* Those that are busy; wakes them if asked to. */
static unsigned count_busy(bool wake)
{
	unsigned busy = 0;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < threads; i++) {
		busy += others[i].busy;
		if (wake && others[i].busy)
			(void)pthread_kill(others[i].thread, SIGUSR1);
	}
	busy += first_busy;
	if (wake && first_busy)
		(void)pthread_kill(first, SIGUSR1);
	pthread_mutex_unlock(&lock);
	return busy;
}

static void wait_for_all(bool wake)
{
	const struct timespec ms = { 0, 1000000 };

	while (count_busy(wake || stopping) > 0)
		(void)nanosleep(&ms, NULL);
}

/* After a part of the calling thread; the first that failed wakes the others. */
static void part_ended(bool *busy, int result)
{
	bool wakes;

	pthread_mutex_lock(&lock);
	*busy = false;
	wakes = result != 0 && !waking;
	waking |= wakes;
	pthread_mutex_unlock(&lock);
	if (!wakes)
		return;
	stopping = 1;
	wait_for_all(true);
}

/* False when there is none. */
static bool wait_for_part(unsigned part)
{
	bool begun;

	pthread_mutex_lock(&lock);
	while (part_number < part && !over)
		pthread_cond_wait(&begins, &lock);
	begun = !over;
	pthread_mutex_unlock(&lock);
	return begun;
}

/* None begins before all are awake: to wake one takes long while others create. */
static void wait_for_others(void)
{
	pthread_mutex_lock(&lock);
	if (++awake > threads)
		all_awake = true;
	pthread_mutex_unlock(&lock);
	while (!all_awake)
		(void)sched_yield();
}

static void note_start(uint64_t clock)
{
	pthread_mutex_lock(&lock);
	running++;
	if (clock > last_began)
		last_began = clock;
	if (timed_part && running > threads)
		pass_usage_begins();
	pthread_mutex_unlock(&lock);
}

/* A part in SECONDS lasts so long after the last thread began; until that has, each looks again
 * after 1 ms.  False where it is over. */
static bool goes_on(struct pass_state *p)
{
	double seconds = p->timed ? options.seconds : options.warmup;

	if (p->now < p->ended) /* it has made its share of --count */
		return false;
	pthread_mutex_lock(&lock);
	p->ended = running > threads ? last_began + (uint64_t)(seconds * 1e9) : p->now + 1000000;
	pthread_mutex_unlock(&lock);
	return p->now < p->ended;
}

static int run_part(struct pass_state *p, uint64_t count)
{
	int result;

	wait_for_others();
	pass_begin(p, timed_part, count);
	note_start(p->started);
	do
		result = part_run(p);
	while (result == 0 && goes_on(p));
	return result;
}

static void *spawn(void *argument)
{
	struct spawner *own = argument;

	for (unsigned part = 1; wait_for_part(part); part++) {
		own->result = run_part(&own->state, own->count);
		part_ended(&own->busy, own->result);
	}
	return NULL;
}

/* So that the shares add up to --count */
static uint64_t share_of(unsigned thread)
{
	return options.count / options.spawners + (thread < options.count % options.spawners);
}

static int start_thread(struct spawner *own)
{
	pthread_attr_t attributes;
	int error;

	own->count = share_of(threads + 1);
	states[threads + 1] = &own->state;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	error = pthread_create(&own->thread, &attributes, spawn, own);
	pthread_attr_destroy(&attributes);
	if (error == 0)
		return 0;
	errno = error;
	return failure("--spawners %llu: cannot create thread %u:",
		(unsigned long long)options.spawners, threads + 1);
}

/* Starts the threads, which wait for their first part; after the set-up of the test.  A test
 * without more threads writes to no variable here: each page that it had written to would make its
 * forks slower. */
static int start(void)
{
	size_t count = (size_t)options.spawners - 1;

	if (count == 0)
		return 0;
	crew = &spawners;
	states[0] = the_pass;
	handle_signal(SIGUSR1, nothing);
	first = pthread_self();
	others = uncopied_memory(count * sizeof *others);
	if (others == NULL)
		return failure("--spawners %llu:", (unsigned long long)options.spawners);
	for (; threads < count; threads++)
		if (start_thread(&others[threads]) != 0)
			return -1;
	return 0;
}

static void begin_all(bool timed)
{
	pthread_mutex_lock(&lock);
	timed_part = timed;
	part_number++;
	awake = running = 0;
	all_awake = false;
	last_began = 0;
	first_busy = true;
	for (unsigned i = 0; i < threads; i++)
		others[i].busy = true;
	pthread_cond_broadcast(&begins);
	pthread_mutex_unlock(&lock);
}

/* The warm-up or the timed part in all threads.  Returns when all have ended.  If one fails, or a
 * signal stops the program, the others end, too.  0, or -1 after failure(). */
static int run_all(bool timed)
{
	int result;

	begin_all(timed);
	result = run_part(the_pass, share_of(0));
	first_ended = the_pass->now;
	part_ended(&first_busy, result);
	wait_for_all(false);
	for (unsigned i = 0; i < threads; i++)
		if (others[i].result != 0)
			result = -1;
	return stop_signal ? check_status(0) : result; /* after this thread's own part */
}

/* With SECONDS: from the last start until the first thread ended; of the iteration that another
 * was in at these moments the share counts that lies between them.  With --count: all, from the
 * first start until the last thread ended. */
static void merge(void)
{
	the_pass->now = first_ended;
	merge_passes(states, threads + 1, options.count > 0);
}

static uint64_t created_by_all(void)
{
	uint64_t created = the_pass->created;

	for (unsigned i = 0; i < threads; i++)
		created += others[i].state.created;
	return created;
}

static void end_all(void)
{
	pthread_mutex_lock(&lock);
	over = true;
	pthread_cond_broadcast(&begins);
	pthread_mutex_unlock(&lock);
	for (unsigned i = 0; i < threads; i++)
		(void)pthread_join(others[i].thread, NULL);
	threads = 0;
}

/* ---- the counters of several threads into those of the first one ---- */

static uint64_t start_of(struct pass_state *const *threads, unsigned count, bool last)
{
	uint64_t start = threads[0]->started;

	for (unsigned i = 1; i < count; i++)
		if ((threads[i]->started > start) == last)
			start = threads[i]->started;
	return start;
}

static uint64_t end_of(struct pass_state *const *threads, unsigned count, bool last)
{
	uint64_t end = threads[0]->now;

	for (unsigned i = 1; i < count; i++)
		if ((threads[i]->now > end) == last)
			end = threads[i]->now;
	return end;
}

/* The share of what lies between two readings of the clock that lies before a third */
static double share_before(uint64_t clock, uint64_t from, uint64_t to)
{
	if (clock >= to)
		return 1;
	return clock <= from ? 0 : REAL(clock - from) / REAL(to - from);
}

/* Its last creations began before the end of the first thread, if not of its own. */
static double made_until_end(const struct pass_state *p, uint64_t end)
{
	const struct reading *before = &p->before_end;

	return REAL(before->created) +
		REAL(p->created - before->created) * share_before(end, before->clock, p->now);
}

/* A batch is taken to be steady. */
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

/* The batches of all: equally long, at least as long as the longest of one thread. */
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
	uint64_t start = start_of(threads, count, !counted);
	uint64_t end = end_of(threads, count, counted), length = 0, created;
	unsigned batches;
	double made = 0;

	for (unsigned i = 0; i < count; i++)
		made += counted ? REAL(threads[i]->created) :
				  made_until_end(threads[i], end) - made_until(threads[i], start);
	spread_ns = start_of(threads, count, true) - start_of(threads, count, false);
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

static const struct crew spawners = { run_all, merge, created_by_all, end_all };

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
