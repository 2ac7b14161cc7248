/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawners.h - the threads of one process that create at once (--spawners N): main()'s
 * thread and N - 1 more.  Each has counters of its own (struct pass_state); main()'s are
 * `pass`.  Without the option there is main()'s thread alone, and nothing is merged.
 */
#ifndef SPAWNERS_H
#define SPAWNERS_H

#include "pass.h"

enum { SPAWNERS_MAX = 1024 };

/* Starts the threads, which wait for their first part; after the set-up of the test, before
 * the warm-up.  0, or -1 after failure(). */
int spawners_start(const struct options *);

/* The warm-up or the timed part in all threads, which begin together.  Returns when all have
 * ended.  If one fails, or a signal stops the program, the others end, too.  0, or -1 after
 * failure(). */
int spawners_run(bool timed);

/*
 * After pass_end(): what all threads made, into `pass`.  With SECONDS: from the common start
 * until the first thread ended; of the iteration that another was in at that moment the share
 * counts that lies before it.  With --count: all, until the last thread ended.
 */
void spawners_merge(void);

/* The creations of all threads so far */
uint64_t spawners_created(void);

/* Ends the threads. */
void spawners_end(void);

/*
 * threads: the counters of each, with the same start; `now` is the end of each.  Afterwards
 * the first has the creations, batches and histograms of all.  counted: the time lasts until
 * the last thread ended; else until the first did, and what was made later is left out.  The
 * histograms have all creations that were timed.
 */
void merge_passes(struct pass_state *const *threads, unsigned count, bool counted);

#endif
