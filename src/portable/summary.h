/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.h - what the parts of the program summary share.  It does for portable/run.sh what
 * a shell cannot: it starts the copies of a test at once, shuffles, and computes the tables.
 *
 * A file of samples is text, a line for each KEY|value:
 *   SPAWNMETER-SAMPLES|1          the first line: the format and its version
 *   SUITE, COMMAND, HOST, STARTED|seconds since 1970|monotonic clock, ROUNDS, SECONDS,
 *   WARMUP, SEED, BUILD (two of them), FACT|name|value
 *   CATEGORY|name|title|tests without which its score is a partial one
 *   TEST|name|title|category|baseline
 *   PASS|test|copies|round|status|at|wall|seconds since 1970 at its end
 *   COUNTERS|seconds|busy|steal|pressure of the machine in the pass, in seconds
 *   REASON|text                   where the status is failed or skipped
 *   COPY|number, then the lines that this copy of the test printed
 *   END|complete                  or why the run ended early
 */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SAMPLES_FORMAT "SPAWNMETER-SAMPLES|1"

/* A text that grows.  The program ends where memory does. */
struct text {
	char *data;
	size_t length, room;
};
void text_add(struct text *, const char *data, size_t length);
void text_put(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "summary: ..." and errno's text after a trailing colon; ends with status 1. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void *grow(void *old, size_t size);

double wall_clock(void); /* seconds since 1970 */

/* Number of CPUs that this process may use */
unsigned usable_cpus(void);
/* Appends the FACT lines. */
void facts(struct text *);

/* Seconds since boot in which the CPUs were busy, stolen, or waited for; below 0: unknown */
struct counters {
	double time, busy, steal, pressure;
};
void counters_read(struct counters *);

/* The commands: arguments after the command's name; the exit status */
int command_begin(char **arguments);
int command_shuffle(char **arguments);
int command_pass(char **arguments);
int command_tables(const char *path);

/* ---- what samples_read() reads ---- */

/* What a copy of a test printed; progress: us:iterations pairs */
struct copy {
	double count, timebase, seconds, gate, iterations;
	char *progress;
};
/* The rate of all copies together; below 0 where it is unknown */
double rate_of(const struct copy *, size_t copies);

#endif
