/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reference.h - loops of the harness's own, measured beside the timed part: their rates show
 * the state of the machine during a pass.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdint.h>

/* Runs the loops for so many seconds together and prints a line REFERENCE|name=rate|... on
 * stderr: page faults, sparse and of neighbouring pages, and xorshift steps per second, "-" for a
 * loop that could not run.  What it maps is unmapped again.
 * Does nothing for 0 seconds. 0, or -1 if the line could not be written. */
int reference_print(double seconds);

struct pause;

/* Runs some batches of both loops of page faults, of which it notes the median times.  The time
 * of all batches by these medians, ns, or 0 if they could not run.  It unmaps all that it maps. */
uint64_t reference_pause(struct pause *);
/* Pages per second of a loop whose batch takes so many ns */
double reference_rate(uint32_t ns);

#endif
