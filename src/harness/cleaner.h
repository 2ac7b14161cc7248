/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cleaner.h - removes the program's folders and control groups at its end; a process does that
 * where the program is killed, or has executed itself.
 *
 * It waits for the end of a socket that the program holds.  It is in a session of its own, is
 * no child of the program, and has no other descriptor.
 */
#ifndef CLEANER_H
#define CLEANER_H

#include <stdbool.h>

/* Starts it, before the program has memory that fork would copy.  `across_exec`: later images
 * of the program hold the socket, too.  Where no process can be created there is none. */
void cleaner_begin(bool across_exec);

/* The socket, for the next image; -1: none.  And in that image. */
int cleaner_socket(void);
void cleaner_continues(int socket);

/* What is to be removed: a folder with all that is in it; a control group */
void cleaner_folder(const char *path);
void cleaner_group(const char *path);

/* Removes all that, and ends it. */
void cleaner_end(void);

#endif
