/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples.h - a file of samples (summary.h says what stands in it), as the tables need it.
 */
#ifndef SAMPLES_H
#define SAMPLES_H

#include <stddef.h>

enum { TESTS_MAX = 64, CATEGORIES_MAX = 8, BLOCKS_MAX = 64 };

/* The passes of a test at a number of copies.  status: of the last one that was not ok */
struct cell {
	double *rates, seconds; /* seconds: the sum of all passes */
	size_t passes, room;
	char status[16], reason[256], unit[16];
};

/* All tests at a number of copies; began, ended: seconds since 1970 */
struct block {
	unsigned long copies;
	double began, ended;
	struct cell cells[TESTS_MAX]; /* in the order of the tests */
};

struct sampled_test {
	char name[64], title[64], category[64];
	double baseline; /* 0: none */
};

struct category {
	char name[64], title[64];
	unsigned complete; /* tests without which its score is a partial one */
};

struct samples {
	struct sampled_test tests[TESTS_MAX];
	struct category categories[CATEGORIES_MAX];
	struct block *blocks[BLOCKS_MAX];
	size_t n_tests, n_categories, n_blocks;
	char suite[64], host[256], cpu[256], kernel[256], end[256];
	double rounds, slice; /* slice: seconds of a pass */
	unsigned cpus;        /* 0: unknown */
};

/* Reads a file of samples; fail() where it is none. */
struct samples *samples_read(const char *path);

#endif
