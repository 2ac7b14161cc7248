/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cleaner.h - a process that removes the program's folders and control groups if the program
 * is killed.
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

/* What it is to remove: a folder with all that is in it; a control group */
void cleaner_folder(const char *path);
void cleaner_group(const char *path);

/* Removes a control group.  Its processes may need a moment to end: at most a second. */
void cleaner_remove_group(const char *path);

/* Ends it, after the program has removed all that itself. */
void cleaner_end(void);

#endif
