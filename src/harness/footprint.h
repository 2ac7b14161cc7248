/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * footprint.h - enlarges this process as the options ask: heap, mappings, threads, shared
 * objects, a filter; descriptors.  All of it ends with the process.
 */
#ifndef FOOTPRINT_H
#define FOOTPRINT_H

#include "harness.h"

/* What the options ask for.  Sizes are in bytes. */
extern struct footprint {
	uint64_t heap;       /* to allocate and touch */
	bool hugepages;      /* put it into transparent huge pages */
	bool dontfork;       /* keep fork from copying it */
	uint64_t mappings;   /* additional memory mappings */
	uint64_t threads;    /* idle threads */
	uint64_t libraries;  /* additional shared objects */
	const char *filters; /* a list of files and of numbers of instructions; NULL: none */
	uint64_t files;      /* more open descriptors */
} footprint;

/* Starts threads that do nothing.  0, or -1 after failure(). */
int make_threads(uint64_t wanted);

/* 0, or -1 after skip() where this machine has not so many bytes to give.  `option` begins the
 * message. */
int check_memory(const char *option, uint64_t wanted);
/* Raises the limit of descriptors, so that so many more can be opened.  0, or -1 after skip() or
 * failure() */
int allow_files(const char *option, uint64_t wanted);

/* Allocates and touches memory, in huge pages or in none, if there is so many times as much.  NULL
 * after failure() or skip(). */
char *make_memory(const char *option, uint64_t size, bool huge, unsigned times);
/* Writes to each page. */
void touch_pages(volatile char *start, size_t size);

#endif
