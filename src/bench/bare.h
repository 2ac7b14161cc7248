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

/* The argument vector of the target: its path and NULL */
extern char *bare_target[2];

/* One creation of launch, with its default options, by each of its calls, and its end: for glibc on
 * Linux.  0 or -1. */
#if defined __GLIBC__ && defined __linux__
#define HAS_LAUNCH 1
#define HAS_LAUNCH_SPAWN __GLIBC_PREREQ(2, 34)
#else
#define HAS_LAUNCH 0
#define HAS_LAUNCH_SPAWN 0
#endif
int do_launch(void);
int do_launch_vfork(void);
int do_launch_fork(void);

#endif
