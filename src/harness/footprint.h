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

/* Starts threads that do nothing.  0, or -1 after failure(). */
int make_threads(uint64_t wanted);

/* Allocates and touches memory, with the page size that --hugepages says; flags are those of
 * mmap().  NULL after failure() or skip(). */
char *make_memory(const char *option, uint64_t size, bool huge);
/* Writes to each page. */
void touch_pages(volatile char *start, size_t size);

/* The number of open descriptors of this process, or UNKNOWN. */
uint64_t open_files(void);

#endif
