/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * touch.h - what fork's copy costs afterwards (--touch SIZE): while the child lives, the
 * parent writes to each page of a region; then the child writes to each page of a second
 * one.  Each such page is shared by both, so each write faults and copies it.
 */
#ifndef TOUCH_H
#define TOUCH_H

#include "harness.h"

/* Allocates the regions.  0, or -1 after failure() or skip(). */
int touch_setup(const struct options *);

/* In the child: waits until the parent has written, writes, and returns. */
void touch_in_child(void);

/* In the parent, after the creation: writes, and lets the child write.  0, or -1 after
 * failure(). */
int touch_in_parent(void);

/* In the parent, after the child has been reaped.  0, or -1 after failure(). */
int touch_reaped(void);

/* FAULT: the pages of one region, and the ns of a write in the parent and in the child, medians of
 * the creations of the timed part */
void touch_print(void (*put)(const char *format, ...));

#endif
