/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * touch.h - what fork's copy costs afterwards (--touch SIZE): while the child lives, the
 * parent writes to each page of a region; then the child writes to each page of a second
 * one.  Each such page is shared by both, so each write faults and copies it.
 */
#ifndef TOUCH_H
#define TOUCH_H

#include "harness.h"

struct faults {
	uint64_t pages;             /* of one region; 0 without --touch */
	double parent_ns, child_ns; /* of a write: medians of the creations of the timed part */
};

/* Allocates the regions.  0, or -1 after failure() or skip(). */
int touch_setup(const struct options *);

/* In the child: waits until the parent has written, writes, and returns. */
void touch_in_child(void);

/* In the parent, after the creation: writes, and lets the child write.  0, or -1 after
 * failure(). */
int touch_in_parent(void);

/* In the parent, after the child has been reaped.  0, or -1 after failure(). */
int touch_reaped(void);

/* What was measured */
void touch_faults(struct faults *);

#endif
