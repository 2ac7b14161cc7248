/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * histogram.c - see histogram.h.  Nothing is allocated, and only the pages of the buckets in
 * use are touched, since fork copies them.
 */
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "util.h"

enum { SUB_BITS = 6, SUB = 1 << SUB_BITS, LONGEST_GAP = 6 };

static unsigned bucket_of(uint64_t ns)
{
	unsigned exponent = 0, shift;

	if (ns < SUB)
		return (unsigned)ns;
	for (uint64_t rest = ns; rest >>= 1;)
		exponent++;
	shift = exponent - SUB_BITS;
	unsigned index = (shift + 1) * SUB + ((unsigned)(ns >> shift) & (SUB - 1));

	return index < HISTOGRAM_BUCKETS ? index : HISTOGRAM_BUCKETS - 1;
}

static uint64_t value_of(unsigned index)
{
	if (index < SUB)
		return index;
	unsigned shift = index / SUB - 1;

	return ((uint64_t)(SUB + index % SUB) << shift) + ((UINT64_C(1) << shift) >> 1);
}

void histogram_clear(struct histogram *h)
{
	for (unsigned i = h->first; h->total > 0 && i <= h->last; i++)
		h->bucket[i] = 0;
	h->total = h->max = 0;
	h->first = h->last = 0;
}

static void add_to_bucket(struct histogram *h, unsigned index, uint64_t times)
{
	if (h->total == 0)
		h->first = h->last = index;
	else if (index < h->first)
		h->first = index;
	else if (index > h->last)
		h->last = index;
	h->bucket[index] = times < UINT32_MAX - h->bucket[index] ?
		h->bucket[index] + (uint32_t)times :
		UINT32_MAX;
	h->total += times;
}

void histogram_add(struct histogram *h, uint64_t ns, uint64_t times)
{
	add_to_bucket(h, bucket_of(ns), times);
	if (ns > h->max)
		h->max = ns;
}

RARE void histogram_merge(struct histogram *h, const struct histogram *other)
{
	for (unsigned i = other->first; other->total > 0 && i <= other->last; i++)
		if (other->bucket[i] > 0)
			add_to_bucket(h, i, other->bucket[i]);
	if (other->max > h->max)
		h->max = other->max;
}

RARE uint64_t histogram_quantile(const struct histogram *h, double share)
{
	double rank = share * (double)h->total;
	uint64_t below = 0;

	for (unsigned i = h->first; h->total > 0 && i <= h->last; i++) {
		below += h->bucket[i];
		if (below > 0 && (double)below >= rank)
			return value_of(i) < h->max || h->max == 0 ? value_of(i) : h->max;
	}
	return h->max;
}

size_t put_number(char *text, uint64_t number, char after)
{
	char digits[20];
	size_t n = 0, length;

	do
		digits[n++] = (char)('0' + number % 10);
	while ((number /= 10) > 0);
	length = n;
	while (n > 0)
		*text++ = digits[--n];
	*text = after;
	return length + 1;
}

RARE size_t histogram_text(const struct histogram *h, char *text, size_t size)
{
	size_t length = 0;
	unsigned previous = 0;

	text[0] = '\0';
	for (unsigned i = h->first; h->total > 0 && i <= h->last; i++) {
		if (h->bucket[i] == 0)
			continue;
		if (length + 64 > size)
			return size;
		if (length == 0 || i - previous > LONGEST_GAP) {
			if (length > 0)
				text[length++] = ';';
			length += put_number(text + length, i, ':');
		} else {
			for (; previous < i; previous++)
				text[length++] = ',';
		}
		length += put_number(text + length, h->bucket[i], '\0') - 1;
		previous = i;
	}
	text[length] = '\0';
	return length;
}

uint64_t take_number(const char **text)
{
	uint64_t number = 0;

	while (**text >= '0' && **text <= '9')
		number = number * 10 + (uint64_t)(*(*text)++ - '0');
	return number;
}
