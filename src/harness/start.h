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

/* ---- loader-linux.c (os-posix.c cannot): copies of programs that stamp their first instruction
 * The first instruction of a dynamic program is its loader's.  A copy of the loader gets a
 * few instructions in front of it, which write a clock reading to descriptor 0; a copy of
 * the program names that loader.
 */

/* True if the program is loaded by a dynamic loader, or if that is not known. */
bool has_loader(const char *program);

/* Makes the copies in that folder: loader_copies[0] of the loader, [1] of the program.  1; 0 and no
 * copy of the program where the loader cannot be made to stamp; or -1 with errno. */
int loader_stamps(const char *program, const char *folder);
extern const char *const loader_copies[2];

/* ---- start.c */

/* Makes the file and puts it in the place of descriptor 0.  0, or -1 after failure(). */
int start_setup(void);

/* The target, which stamps, for what the user named (NULL: the default) */
const char *start_target(const char *name);

/* The target has a loader, which stamps, too: without its stamp the first instruction is not
 * known. */
void start_expect_loader(void);

/* The clock readings of one creation (ns); 0: not known */
struct start {
	uint64_t called, first, entry, main, ended;
};

/* Around a creation: before the call, and after the child has been reaped; counts: in the timed
 * part.  The second returns 0, or -1 after failure(): the stamps are missing or out of order. */
void start_calls(void);
int start_ended(bool counts);

/* The readings of the last creation */
const struct start *start_last(void);

#endif
