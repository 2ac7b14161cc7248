/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pass.h - a pass that is being measured (pass.c) and recorded (record.c).
 */
#ifndef PASS_H
#define PASS_H

#include <sys/types.h>

#include "summary.h"

/* A copy of the test; err: its standard error, or -1 after its end; status: of waitpid() */
struct running {
	pid_t pid;
	int err, status;
	bool reaped;
	struct text out;
};

struct pass {
	const char *file; /* of samples */
	const char *test, *program, *seconds, *warmup;
	unsigned long copies, round;
	double run_began, began; /* monotonic clock */
	double timeout;          /* when the pass is ended */
	double reference;        /* seconds of the reference loops before and after it, or 0 */
	struct running *running; /* the copies that were started */
	unsigned long started;
	const char *problem; /* why the pass was ended early, or NULL */
	struct counters before, after;
};

/* Appends the pass to its file; returns the exit status of the command.  Where the file cannot be
 * written it stays as it was, and the program ends. */
int pass_record(const struct pass *);

#endif
