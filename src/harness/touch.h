/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * touch.h - what fork's copy costs afterwards (--touch SIZE): while the child lives, the
 * parent writes to each page of a region; then the child writes to each page of a second
 * one.  Each such page is shared by both, so each write faults and copies it.
 */
#ifndef TOUCH_H
#define TOUCH_H

#include <stdbool.h>

/* True with the option */
bool touches(void);

/* In the child: waits until the parent has written, writes, and returns. */
void touch_in_child(void);

/* In the parent, after the creation: writes, and lets the child write.  0, or -1 after
 * failure(). */
int touch_in_parent(void);

/* In the parent, after the child has been reaped.  0, or -1 after failure(). */
int touch_reaped(void);

#endif
