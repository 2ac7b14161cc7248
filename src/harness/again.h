/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * again.h - images of a test that executes itself which only note the time and execute the next
 * one: what the harness does in an image would be part of what is measured.  They write their
 * times to a file, from which the next whole image (main.c) takes them.
 */
#ifndef AGAIN_H
#define AGAIN_H

#include "pass.h"

/* The words before "--resume": what the short images need, or the file that they have written */
#define AGAIN "--again"
#define NOTED "--noted"
/* With its value */
enum { AGAIN_WORDS = 2 };

/* What main() calls of a test that executes itself; other programs are not linked with it. */
struct again {
	/* As the image begins: the whole of a short one, which only returns in the next; a later
	 * whole one takes NOTED and its value out of the arguments. */
	void (*begin)(int *argc, char ***argv);
	/* Notes the command line that carry_on() extends. */
	void (*carry)(int argc, char **argv);
	/* A later image: reads back the state that carry_on() put into the arguments, counts the
	 * creations that led to it, and goes on.  0 where the part is over, or -1. */
	int (*resume)(void);
};
extern const struct again again;

#endif
