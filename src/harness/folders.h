/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folders.h - what main() tells folders.c; harness.h has the functions for test programs.
 */
#ifndef FOLDERS_H
#define FOLDERS_H

/* Notes argument 0, by which the program is found where the system does not report its
 * path. */
void folders_begin(const char *argument0);

#endif
