/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search.h - a target that is found by a search in PATH (--exec-path N): in the last of N
 * folders, of which the others are empty.
 */
#ifndef SEARCH_H
#define SEARCH_H

#include <stdint.h>

enum { SEARCH_MAX = 256 };

/* Makes the folders, with a copy of the target in the last one, and sets PATH.  The path of
 * the copy, or NULL after failure(). */
const char *search_setup(uint64_t folders, const char *target);

/* The name that is searched for; NULL without search_setup() */
const char *search_name(void);

/* Why the target is not found: NULL, or that its folder is gone */
const char *search_lost(void);

void search_teardown(void);

#endif
