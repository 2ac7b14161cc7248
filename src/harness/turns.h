/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turns.h - turns with another program: while one of the two runs, the other waits.  The one
 * that runs writes a byte to a pipe when its turn is over; when it has ended, the pipe is closed.
 */
#ifndef TURNS_H
#define TURNS_H

#include <stdbool.h>

/* in, out: the descriptors of the two pipes; -1: no turns.  kept: images that this process
 * executes have them, too. */
void turns_begin(int in, int out, bool kept);
/* Waits until it is this program's turn, or the other has ended: then there are no more turns.
 * A stop signal ends the wait. */
void turns_wait(void);
/* Ends this turn, and waits for the next one. */
void turns_give(void);
/* True while there is another program to take turns with */
bool turns_left(void);

#endif
