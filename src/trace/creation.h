/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * creation.h - one creation by a method of tests.list, with clock readings of parent, child and
 * target.
 */
#ifndef CREATION_H
#define CREATION_H

#include <stdbool.h>
#include <stdint.h>

/* The readings, in the order of a creation with exec.  EXECED: exec has succeeded; FIRST to MAIN
 * are stamps of the target (harness/start.h) */
enum mark { CALL, RETURNED, CHILD, LEAVES, EXECED, FIRST, ENTRY, MAIN, WAITED, MARKS };
#define BIT(mark) (1u << (mark))

/* Those of the last creation, in nanoseconds; shared with the child */
extern volatile uint64_t *mark;

struct method;
extern const struct method *const methods[]; /* ends with NULL */
const char *method_name(const struct method *);
bool method_executes(const struct method *); /* a target */

/* A set of BIT(): the readings that the method, and after a creation its target, takes */
unsigned method_marks(const struct method *);

/* To be called once, after target_setup() where the method executes one */
void creation_setup(void);
/* These end the program, with status 1 and a line on stderr, where something fails. */
void create(const struct method *);
__attribute__((noreturn)) void fail(const char *what); /* with errno's text */
__attribute__((noreturn)) void give_up(void); /* after failure() or skip() of the harness */

#endif
