/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * touch.h - what fork's copy costs afterwards (--touch SIZE): while the child lives, the
 * parent writes to each page of a region; then the child writes to each page of a second
 * one.  Each such page is shared by both, so each write faults and copies it.
 */
#ifndef TOUCH_H
#define TOUCH_H

#include <stdbool.h>
#include <sys/types.h>

/* True with the option */
extern bool touch_wanted;

/* In the child: waits until the parent has written, writes, and returns. */
void touch_in_child(void);

/* In the parent, after the creation: writes, lets the child write, and reaps it.  0, or -1 after
 * failure(). */
int touch_and_reap(pid_t pid);

#endif
