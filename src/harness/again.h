/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * again.h - images of a test that executes itself which only note the time and execute the next
 * one: what the harness does in an image would be part of what is measured.  They write their
 * times to a file, from which the next whole image (main.c) takes them.
 */
#ifndef AGAIN_H
#define AGAIN_H

#include <stdbool.h>

#include "pass.h"

/* The words before "--resume": what the short images need, or the file that they have written */
#define AGAIN "--again"
#define NOTED "--noted"
/* With its value */
enum { AGAIN_WORDS = 2 };

/* True for the arguments of a short image. */
bool again_is_short(int argc, char **argv);
/* The whole of it; returns the exit status where the next image cannot be executed. */
int again_run(char **argv);

/* The first image makes the file; without one all images are whole.  Later whole images call it,
 * too. */
void again_begin(const struct options *, bool first);
/* A later whole image: takes NOTED and its value out of the arguments. */
void again_continues(int *argc, char ***argv);
/* Notes the times that short images have written.  0, or -1 after failure(). */
int again_note(struct pass_state *, const struct options *);
/* True if images have one of these words */
bool again_has_file(void);
/* Stores the word for the next image, and its value: AGAIN, or NOTED where it is to be whole. */
void again_next(const struct pass_state *, char **word);

#endif
