/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - the command line of every test program, from one table.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "harness.h"

/* Reads the command line into *options.  A usage error prints what is wrong and
 * the usage on stderr and ends the program with status 2; --help and --version
 * print on stdout and end it with 0. */
void options_parse(int argc, char **argv, struct options *options);

/* Says what is wrong with the command line, prints the usage, exits with 2. */
void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
