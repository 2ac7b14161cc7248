/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copies.h - copies of programs in the folder for temporary files, which own.h removes.
 */
#ifndef COPIES_H
#define COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A new folder for copies, with room for names in it.  0, or -1 after failure(). */
int copies_make_folder(char *folder, size_t size);

/* Where copies may not be executed: -1, after failure() with the likely reason */
int copy_refused(void);

/* Copies a program to a new file.  0, or -1 after failure(), perhaps with an incomplete file. */
int copies_copy(const char *from, const char *to);

/* --targets: COUNT copies of a program in a folder; fewer when a signal stops it.  0, or -1 after
 * failure(). */
int copies_make(const char *from, const char *folder, uint64_t count);

/* How many copies_make() has made, and the path of one, from 0 */
uint64_t copies_count(void);
const char *copies_name(uint64_t number);

/* --own-target; and --exec-path: so many folders, 0 without it */
extern bool own_target;
extern uint64_t search_folders;

/* Makes the folders, with a copy of the target in the last one, and sets PATH.  The path of
 * the copy, or NULL after failure(). */
const char *search_setup(const char *target);

/* The name that is searched for; NULL without search_setup() */
const char *search_name(void);

/* Why the target is not found: NULL, or that its folder is gone */
const char *search_lost(void);

#endif
