/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rate.c - the rate of a pass, by the rules of the Perl driver
 * (SpawnMeter::Analysis::CommonWindow): of several copies only the time counts in which all
 * of them ran, from the start of the last one to the end of the first one.
 */
#include <stdlib.h>

#include "summary.h"

static double iterations_of(const struct copy *c)
{
	return c->timebase > 0 || c->iterations <= 0 ? c->count : c->iterations;
}

/* Of one iteration, where the count is an amount per second */
static double amount_of(const struct copy *c)
{
	return c->timebase > 0 ? 1 : c->count * c->seconds / iterations_of(c);
}

/* Iterations of a copy until this reading of the clock */
static double iterations_at(const struct copy *c, double clock)
{
	double at = c->gate, made = 0;
	char *step = c->progress;

	while (step != NULL && *step != '\0') {
		double seconds = strtod(step, &step) / 1e6;
		double more = *step == ':' ? strtod(step + 1, &step) : 0;

		if (clock < at + seconds)
			return made + more * (clock - at) / seconds;
		at += seconds;
		made += more;
		if (*step++ != ',')
			break;
	}
	return made;
}

static double of_window(const struct copy *c, size_t copies)
{
	double first = c->gate, last = c->gate, from = c->gate, to = c->gate + c->seconds;
	double made = 0, total = 0;

	for (size_t i = 0; i < copies; i++) {
		double end = c[i].gate + c[i].seconds;

		from = c[i].gate > from ? c[i].gate : from;
		first = c[i].gate < first ? c[i].gate : first;
		to = end < to ? end : to;
		last = end > last ? end : last;
	}
	for (size_t i = 0; i < copies; i++) {
		total += amount_of(&c[i]) * iterations_of(&c[i]);
		made += amount_of(&c[i]) * (iterations_at(&c[i], to) - iterations_at(&c[i], from));
	}
	return to > from && made > 0 ? made / (to - from) : total / (last - first);
}

double rate_of(const struct copy *c, size_t copies)
{
	double base = copies > 0 && c->timebase > 0 ? c->timebase : 1;

	for (size_t i = 0; i < copies; i++)
		if (c[i].seconds <= 0 || c[i].count <= 0)
			return -1;
	if (copies == 0)
		return -1;
	if (copies == 1)
		return c->timebase > 0 ? c->count / c->seconds * base : c->count;
	return of_window(c, copies) * base;
}
