/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latch.h - children that wait until their parent lets them go on, or has ended.
 */
#ifndef LATCH_H
#define LATCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "harness.h"

/* A pipe: a byte lets one child go on, and the end of the parent all */
struct latch {
	int ends[2];
};

/* 0, or -1 with errno */
int latch_make(struct latch *);

/* In a child: true where the parent has let it go on, false where that has ended */
bool latch_wait(const struct latch *);

/* In the parent: lets one child go on.  0, or -1 with errno */
int latch_release(const struct latch *);

/* --hold, of fork: the children of a burst wait until all have been created, so that their ends can
 * be told from their creations */
extern bool hold_wanted;
extern const struct feature hold_feature;
void hold_in_child(void);
/* As a child of a burst is reaped; with the first one all go on.  0, or -1 after failure() */
int hold_release(void);

/* --touch, of fork: what its copy costs afterwards.  While the child lives, the parent writes to
 * each page of a region; then the child writes to each page of a second one.  Each such page is
 * shared by both, so each write faults and copies it. */
extern bool touch_wanted;

/* In the child: waits until the parent has written, writes, and returns. */
void touch_in_child(void);

/* In the parent, after the creation: writes, lets the child write, and reaps it.  0, or -1 after
 * failure(). */
int touch_and_reap(pid_t pid);

#endif
