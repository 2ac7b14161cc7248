/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mix.h - the commands of --mix LIST: parted by ";", their words by blanks or "+".
 */
#ifndef MIX_H
#define MIX_H

#include <stddef.h>

enum { MIX_MOST = 64 };

/* Parses the list.  find() makes a path of the first word of each command, in a buffer of its
 * own: 0, or -1 after failure().  The result is 0 or -1 as well; a list that cannot be parsed is
 * a usage error. */
int mix_make(const char *list, int (*find)(const char *name), const char *found);

/* How many there are, and the arguments of one, from its path to NULL */
size_t mix_count(void);
char **mix_arguments(size_t number);

#endif
