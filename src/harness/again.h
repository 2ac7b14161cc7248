/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * again.h - a test that executes itself.  Most of its images are short: they only note the time and
 * execute the next one, since what the harness does in an image would be part of what is measured.
 * They write their times to a file without a name, which also has the state of the pass; from
 * there the next whole image (main.c) takes both.
 */
#ifndef AGAIN_H
#define AGAIN_H

#include "pass.h"

/* What main() calls of a test that executes itself; other programs are not linked with it. */
struct again {
	/* As the image begins: a short one does all its work here, and does not return.  True in a
	 * whole image that is not the first one. */
	bool (*begin)(int *argc, char ***argv);
	/* In a later image: takes what the file has, counts the creations that led to it, and goes
	 * on.  0 where the part is over, or -1. */
	int (*resume)(void);
};
extern const struct again again;

/* The path of an image that is not the first one; NULL in that */
extern const char *again_program;

/* Notes the state of the pass.  The arguments, with `program` as argument 0, by which the next
 * image goes on; NULL with errno. */
char **carry_on(const char *program);

#endif
