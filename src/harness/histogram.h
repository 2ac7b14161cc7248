/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * histogram.h - latencies in a log-linear histogram of fixed size.
 *
 * Up to 64 ns a bucket is one nanosecond wide; above, every power of two is divided into 64
 * buckets, and a bucket stands for its middle: the error is at most 1/128, 0.8 %.  Values
 * above 2^40 ns (18 minutes) are counted in the last bucket.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_BUCKETS 2240

struct histogram {
	uint64_t total;
	uint64_t max;                       /* exact, ns */
	unsigned first, last;               /* the buckets in use, inclusive */
	uint32_t bucket[HISTOGRAM_BUCKETS]; /* saturates */
};

void histogram_clear(struct histogram *);
/* Adds `times` creations of `ns` nanoseconds each. */
void histogram_add(struct histogram *, uint64_t ns, uint64_t times);
/* Adds what another one holds. */
void histogram_merge(struct histogram *, const struct histogram *other);
/* The quantile of a share from 0 to 1, in ns; 0 if empty. */
uint64_t histogram_quantile(const struct histogram *, double share);
/*
 * Writes "index:count,count,,count;index:count": commas separate the counts of consecutive
 * buckets (an empty one is 0); after a longer gap a semicolon starts a new index.  Returns
 * the length, or size if the text did not fit.
 */
size_t histogram_text(const struct histogram *, char *text, size_t size);
/* Writes a decimal number and the character after it; returns the length. */
size_t put_number(char *text, uint64_t number, char after);
/* Reads one, not by strtoull(), which each image of execl would look up; moves *text behind it. */
uint64_t take_number(const char **text);

#endif
