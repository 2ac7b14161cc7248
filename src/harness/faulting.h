/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faulting.h - threads that write to fresh pages while others create (--faulting N): each
 * maps memory, writes to each page of it, and unmaps it, again and again.
 */
#ifndef FAULTING_H
#define FAULTING_H

#include "harness.h"

/* 0, or -1 after failure(). */
int faulting_start(const struct options *);
/* Ends the threads, if there are any. */
void faulting_end(void);

#endif
