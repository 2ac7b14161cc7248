/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * footprint.h - makes this process as large as the options ask: heap, mappings,
 * descriptors, threads, shared objects.  All of it is gone when the process is.
 */
#ifndef FOOTPRINT_H
#define FOOTPRINT_H

#include "harness.h"

/* 0, or -1 after failure() or skip(). */
int footprint_make(const struct options *);

/* Open descriptors of this process, counted one by one. */
uint64_t open_files(void);

#endif
