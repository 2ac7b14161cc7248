/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execute.h - the call that replaces a process by the target (--by): execve(), or two by
 * which programs execute what they have opened before.
 */
#ifndef EXECUTE_H
#define EXECUTE_H

#include "harness.h"

/* Reads --by.  NULL, or why this system cannot do it; any other word is a usage error. */
const char *execute_choose(const struct options *);

/* Opens what the call needs: the folder of `path`, or the file itself.  Nothing for execve().
 * 0, or -1 after failure(). */
int execute_open(const char *path);

/* Executes it.  Returns only on failure, with errno. */
void execute(const char *path, char **argv, char **environment);

#endif
