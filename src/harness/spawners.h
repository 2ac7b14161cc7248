/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawners.h - the threads of one process that create at once (--spawners N): main()'s
 * thread and N - 1 more.  Each has counters of its own (struct pass_state); main()'s are
 * `pass`.  Without the option there is main()'s thread alone, and nothing is merged.
 */
#ifndef SPAWNERS_H
#define SPAWNERS_H

#include "pass.h"

/*
 * threads: the counters of each, with the same start; `now` is the end of each.  Afterwards
 * the first has the creations, batches and histograms of all.  counted: the time lasts until
 * the last thread ended; else until the first did, and what was made later is left out.  The
 * histograms have all creations that were timed.
 */
void merge_passes(struct pass_state *const *threads, unsigned count, bool counted);

#endif
