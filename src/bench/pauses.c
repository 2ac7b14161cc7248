/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pauses.c - the end of the bare loop's time, and pauses of it, in which another program runs
 * (harness/turns.h): by a timer, so that the loop reads no clock.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "bench/bare.h"
#include "harness/turns.h"
#include "harness/util.h"

volatile sig_atomic_t bare_over, bare_due;

static uint64_t started, ends, apart, paused_ns;

static void on_alarm(int number)
{
	(void)number;
	if (apart == 0)
		bare_over = 1;
	else
		bare_due = 1;
}

static void wait_for(uint64_t ns)
{
	uint64_t us = ns / 1000 + 1;
	struct itimerval timer = { { 0, 0 },
		{ (time_t)(us / 1000000), (suseconds_t)(us % 1000000) } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void next_pause(uint64_t now)
{
	uint64_t left = ends - now;

	wait_for(apart > 0 && apart < left ? apart : left);
}

void bare_begin(double seconds, double turn, const char *pipes)
{
	struct sigaction action;
	const char *comma = pipes != NULL ? strchr(pipes, ',') : NULL;

	memset(&action, 0, sizeof action);
	action.sa_handler = on_alarm;
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	if (comma != NULL)
		turns_begin((int)strtol(pipes, NULL, 10), (int)strtol(comma + 1, NULL, 10), false);
	apart = turns_left() ? (uint64_t)(turn * 1e9) : 0;
	started = now_ns();
	ends = started + (uint64_t)(seconds * 1e9);
	next_pause(started);
}

void bare_pause(void)
{
	uint64_t now = now_ns(), length;

	bare_due = 0;
	if (now >= ends) {
		bare_over = 1;
		return;
	}
	turns_give();
	if (!turns_left())
		apart = 0;
	length = now_ns() - now;
	paused_ns += length;
	ends += length;
	next_pause(now + length);
}

double bare_end(void)
{
	return (double)(now_ns() - started - paused_ns) / 1e9;
}
