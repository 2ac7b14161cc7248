/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * version.h - what a program reports about itself (--version).
 */
#ifndef VERSION_H
#define VERSION_H

/* Prints three lines: name and version; compiler, flags and linker; libc and linkage.
 * Run copies them into its report. */
void version_print(void);

#endif
