/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folders.h - what main() tells folders.c; harness.h has the functions for test programs.
 */
#ifndef FOLDERS_H
#define FOLDERS_H

#include <stdbool.h>

/* How the names of all temporary files, folders and control groups begin */
#define OWN_PREFIX "spawnmeter-"

/* Notes argument 0, by which the program is found where the system does not report its
 * path. */
void folders_begin(const char *argument0);

/* True if the last part of the path begins with OWN_PREFIX: only such a one may be removed. */
bool folders_is_own(const char *path);

#endif
