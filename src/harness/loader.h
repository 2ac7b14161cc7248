/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loader.h - copies of programs that stamp their first instruction, for --phases.
 *
 * The first instruction of a dynamic program is its loader's.  A copy of the loader gets a
 * few instructions in front of it, which write a clock reading to descriptor 0; a copy of
 * the program names that loader.  loader-linux.c does it; os-posix.c cannot.
 */
#ifndef LOADER_H
#define LOADER_H

#include <stdbool.h>

/* True if the program is loaded by a dynamic loader, or if that is not known. */
bool has_loader(const char *program);

/* Makes the copies in that folder: loader_copies[0] of the loader, [1] of the program.  1; 0 and no
 * copy of the program where the loader cannot be made to stamp; or -1 with errno. */
int loader_stamps(const char *program, const char *folder);
extern const char *const loader_copies[2];

#endif
