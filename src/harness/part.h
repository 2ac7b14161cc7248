/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part.h - the iterations of the warm-up or of the timed part, in one thread.
 */
#ifndef PART_H
#define PART_H

#include "pass.h"

/* Before the first part.  0, or -1 after failure(). */
int part_prepare(const struct options *);

/* Iterates until the part is over.  The counters begin with pass_begin().  0, or -1 after
 * failure(), and when another thread failed. */
int part_run(struct pass_state *, const struct options *);

#endif
