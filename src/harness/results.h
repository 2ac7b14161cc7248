/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results.h - the lines that a test program prints: one buffer, one write.
 */
#ifndef RESULTS_H
#define RESULTS_H

#include "histogram.h"

/* As printf() */
void put(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* KEY|p50|p90|p99|p99.9|max|histogram */
void put_times(const char *key, const struct histogram *);

#endif
