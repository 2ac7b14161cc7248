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
	bool shared;         /* it is shared memory */
	const char *file;    /* of this new file, up to a comma or plus; NULL: of none */
	uint64_t folio;      /* in folios of this size, as far as possible; 0: of a page */
	bool as_system;      /* in folios as the system has them */
	bool dontfork;       /* keep fork from copying it */
	uint64_t mappings;   /* additional memory mappings */
	uint64_t threads;    /* idle threads */
	uint64_t libraries;  /* additional shared objects */
	const char *filters; /* a list of files and of numbers of instructions; NULL: none */
	uint64_t files;      /* more open descriptors */
} footprint;

/* Starts threads that do nothing.  0, or -1 after failure(). */
int make_threads(uint64_t wanted);

/* 0, or -1 after skip() where this machine has not so many bytes: `option` begins the message */
int check_memory(const char *option, uint64_t wanted);
/* Lets so many more descriptors be opened.  0, or -1 after skip() or failure() */
int allow_files(const char *option, uint64_t wanted);

/* Allocates and touches memory, of the kind that --heap says, if there is so many times as much.
 * NULL after failure() or skip(). */
char *make_memory(const char *option, uint64_t size, unsigned times);
/* Writes to each page of new memory of this kind.  0, or -1 with errno */
int fill_memory(char *start, size_t size);
/* Writes to each page. */
void touch_pages(volatile char *start, size_t size);

#endif
