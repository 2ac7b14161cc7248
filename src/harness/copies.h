/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copies.h - copies of programs in the folder for temporary files.
 */
#ifndef COPIES_H
#define COPIES_H

#include <stddef.h>

/* A new folder for copies, with room for names in it.  0, or -1 after failure(). */
int copies_make_folder(char *folder, size_t size);

/* Where copies may not be executed: -1, after failure() with the likely reason */
int copy_refused(void);

/* Copies a program to a new file.  0, or -1 after failure(), perhaps with an incomplete file. */
int copies_copy(const char *from, const char *to);

#endif
