/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.c - see merge.h.
 */
#include "merge.h"

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
	return clock <= from ? 0 : (double)(clock - from) / (double)(to - from);
}

/* Its last creations began before the end of the first thread, if not of its own. */
static double made_until_end(const struct pass_state *p, uint64_t end)
{
	const struct reading *before = &p->before_end;

	return (double)before->created +
		(double)(p->created - before->created) * share_before(end, before->clock, p->now);
}

/* A batch is taken to be steady. */
static double made_until(const struct pass_state *p, uint64_t clock)
{
	uint64_t at = p->started, next;
	double made = 0;

	for (unsigned i = 0; i < p->batches && at < clock; i++, at = next) {
		next = at + p->batch[i].us * 1000;
		made += (double)p->batch[i].created * share_before(clock, at, next);
	}
	if (clock > p->batch_started)
		made += (double)(p->created - p->batch_created) *
			share_before(clock, p->batch_started, p->now);
	return made;
}

static uint64_t all_until(struct pass_state *const *threads, unsigned count, uint64_t clock)
{
	double made = 0;

	for (unsigned i = 0; i < count; i++)
		made += made_until(threads[i], clock);
	return (uint64_t)made;
}

/* The batches of all: equally long, at least as long as the longest of one thread. */
static unsigned merge_batches(struct pass_state *const *threads, unsigned count, uint64_t end,
	uint64_t most, uint64_t *length, struct batch *batch)
{
	uint64_t start = threads[0]->started, made, before = 0;
	unsigned batches = 0;

	*length = *length > 0 ? *length : 1; /* it divides below */
	for (unsigned i = 0; i < count; i++)
		if (threads[i]->batch_ns > *length)
			*length = threads[i]->batch_ns;
	while ((end - start) / *length >= BATCHES_MAX)
		*length *= 2;
	for (uint64_t at = start + *length; at < end; at += *length) {
		made = all_until(threads, count, at);
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
	uint64_t end = end_of(threads, count, counted), length = 0, created;
	unsigned batches;
	double made = 0;

	for (unsigned i = 0; i < count; i++)
		made += counted ? (double)threads[i]->created : made_until_end(threads[i], end);
	created = (uint64_t)(made + 0.5);
	batches = merge_batches(threads, count, end, created, &length, batch);
	for (unsigned i = 1; i < count; i++) {
		histogram_merge(&all->latency, &threads[i]->latency);
		histogram_merge(pass_stalls(all), pass_stalls(threads[i]));
	}
	take_batches(all, batch, batches, length);
	all->created = created;
	all->now = end;
}
