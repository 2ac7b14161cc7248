/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * footprint.h - enlarges this process as the options ask: heap, mappings, descriptors,
 * threads, shared objects.  All of it ends with the process.
 */
#ifndef FOOTPRINT_H
#define FOOTPRINT_H

#include "harness.h"

/* 0, or -1 after failure() or skip(). */
int footprint_make(const struct options *);

/* The number of open descriptors of this process, or UNKNOWN. */
uint64_t open_files(void);

#endif
