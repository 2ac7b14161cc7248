/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start.h - the start-up of the target (--phases): when its first instruction, its entry
 * point and main() ran, and when it had ended.
 *
 * The targets start-... write clock readings to descriptor 0, which all ways to start a
 * program leave as it is, also those that close all others: a file in memory.
 */
#ifndef START_H
#define START_H

#include "harness.h"
#include "histogram.h"

/* The periods that are measured */
enum period {
	TO_FIRST, /* from the creating call to the first instruction of the new program in user
		   * space, which is its dynamic loader's if it has one */
	TO_MAIN,  /* from the call to main() */
	TO_END,   /* from the call until the parent has reaped it */
	LOADER,   /* from that instruction to the program's own entry point */
	LIBC,     /* from the entry point to main() */
	ENDING,   /* from main() until it has been reaped */
	PERIODS
};

/* Makes the file and puts it in the place of descriptor 0.  0, or -1 after failure(). */
int start_setup(void);

/* The target, which stamps, for what the user named (NULL: the default) */
const char *start_target(const char *name);

/* The target has a loader, which stamps, too: without its stamp the first instruction is not
 * known. */
void start_expect_loader(void);

/* Of one creation: clock readings (ns); 0: not known */
struct start {
	uint64_t called, first, entry, main, ended;
};

/* Around a creation: before the call, and after the child has been reaped; counts: in the timed
 * part.  The second returns 0, or -1 after failure(): the stamps are missing or out of order. */
void start_calls(void);
int start_ended(bool counts);

/* Those of the last creation */
const struct start *start_last(void);

/* What a program calls that is not linked with start.c unless its test names it */
struct phases {
	void (*calls)(void);
	int (*ended)(bool counts);
};
extern const struct phases start_phases;

#endif
