/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - the command line of every test program, from one table.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "harness.h"

/* Parses the command line into *options.  After a usage error the program prints the
 * error and the usage on stderr and exits with status 2; --help and --version print on
 * stdout and exit with 0. */
void options_parse(int argc, char **argv, struct options *options);

/* Prints the error and the usage on stderr and exits with status 2. */
void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
