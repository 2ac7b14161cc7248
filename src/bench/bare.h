/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bare.h - what the files of the bare loop share.
 */
#ifndef BARE_H
#define BARE_H

#include <signal.h>

/* Set when the time is over, and when bare_pause() is to be called */
extern volatile sig_atomic_t bare_over, bare_due;

/* Starts the time; pipes: "R,W" of turns with another program, each so many seconds long, or
 * NULL */
void bare_begin(double seconds, double turn, const char *pipes);
/* Ends a turn and waits for the next one, which does not count; or sets bare_over. */
void bare_pause(void);
/* The seconds since bare_begin() without the pauses */
double bare_end(void);

#endif
