/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * histogram.h - latencies in a log-linear histogram of fixed size.
 *
 * Up to 64 ns a bucket is one nanosecond; above, every power of two is divided
 * into 64 buckets, and a bucket stands for its middle: the error is at most
 * 1/128, 0.8 %.  Above 2^40 ns (18 minutes) values fall into the last bucket.
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
	uint32_t bucket[HISTOGRAM_BUCKETS]; /* stops at its largest value */
};

void histogram_clear(struct histogram *);
/* Adds `times` creations of `ns` nanoseconds each. */
void histogram_add(struct histogram *, uint64_t ns, uint64_t times);
/* The value below or at which a share of 0..1 of all lies, ns; 0 if empty. */
uint64_t histogram_quantile(const struct histogram *, double share);
/*
 * As text: "index:count,count,,count;index:count".  Counts of consecutive
 * buckets stand between commas (nothing is 0); a longer gap begins anew after
 * a semicolon.  Returns the length, or size if it did not fit.
 */
size_t histogram_text(const struct histogram *, char *text, size_t size);
/* Reads that text back, without max.  0, or -1 if it is malformed. */
int histogram_parse(struct histogram *, const char *text);
/* Writes a decimal number and the character after it; returns the length. */
size_t put_number(char *text, uint64_t number, char after);

#endif
