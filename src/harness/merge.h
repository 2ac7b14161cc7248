/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.h - the counters of several threads into those of the first one.
 */
#ifndef MERGE_H
#define MERGE_H

#include "pass.h"

/*
 * threads: the counters of each, with the same start; `now` is the end of each.  Afterwards
 * the first has the creations, batches and histograms of all.  counted: the time lasts until
 * the last thread ended; else until the first did, and what was made later is left out.  The
 * histograms have all creations that were timed.
 */
void merge_passes(struct pass_state *const *threads, unsigned count, bool counted);

#endif
