/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.h - what the parts of the program summary share.  It does for portable/run.sh what
 * a shell cannot: it starts the copies of a test at once, and finds what the system calls tell.
 *
 * A file of samples is text, a line for each KEY|value:
 *   SPAWNMETER-SAMPLES|1          the first line: the format and its version
 *   SUITE, HOST, STARTED|seconds since 1970|monotonic clock, COMMAND, ROUNDS, SECONDS, WARMUP,
 *   SEED, BUILD (two of them), FACT|name|value
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

#include <stddef.h>

#define SAMPLES_FORMAT "SPAWNMETER-SAMPLES|1"

/* realloc(); the program ends where memory does. */
void *grow(void *old, size_t size);

double wall_clock(void);      /* seconds since 1970 */
double monotonic_clock(void); /* seconds */

/* Number of CPUs that this process may use */
unsigned usable_cpus(void);

/* The arguments after the command's name; the exit status */
int command_pass(char **arguments);

#endif
