/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - the parts of spawnmeter.exe: it measures (passes.c) and prints the text report
 * that ./Run show and ./Run compare read (report.c).
 */
#ifndef WINDOWS_REPORT_H
#define WINDOWS_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "harness/histogram.h"

enum { PASSES_MAX = 1000 };

/* A test and what its passes gave */
struct row {
	const char *name, *title;
	const char *program, *arguments; /* beside spawnmeter.exe */
	double rate[PASSES_MAX];         /* creations per second, of each pass */
	unsigned passes;
	double seconds, cpu, created; /* of all passes */
	double latency_max;           /* us */
	struct histogram latency;     /* of all passes */
	char reason[1024];            /* why it failed; else empty */
};

/* Makes one pass.  A failure is noted in the row, and further passes are left out. */
void make_pass(struct row *, double seconds);

/* The head of the report: version, system, machine, settings */
void print_head(FILE *, double seconds, unsigned passes, int argc, char **argv);

/* The results; `begun` and `ended`: local time, as the report has it */
void print_results(FILE *, struct row *, size_t rows, const char *begun, const char *ended);

#endif
