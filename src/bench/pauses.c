/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pauses.c - the end of the bare loop's time, and pauses of it, in which the reference loops of
 * the programs run: by a timer, so that the loop reads no clock.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "bench/bare.h"
#include "harness/pass.h"
#include "harness/reference.h"
#include "harness/util.h"

volatile sig_atomic_t bare_over, bare_due;

static uint64_t started, ends, apart, paused_ns, paused_us;
static struct pause pause_of[PAUSES_MAX];
static unsigned pauses;

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

void bare_begin(double seconds, double between)
{
	struct sigaction action;
	double least = seconds / PAUSES_MAX;

	memset(&action, 0, sizeof action);
	action.sa_handler = on_alarm;
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	apart = between > 0 ? (uint64_t)((between > least ? between : least) * 1e9) : 0;
	started = now_ns();
	ends = started + (uint64_t)(seconds * 1e9);
	next_pause(started);
}

static uint64_t cpu_us(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 +
		(uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

void bare_pause(void)
{
	uint64_t now = now_ns(), before = cpu_us(), length;

	bare_due = 0;
	if (now >= ends) {
		bare_over = 1;
		return;
	}
	if (pauses < PAUSES_MAX && reference_pause(&pause_of[pauses]) > 0)
		pauses++;
	paused_us += cpu_us() - before;
	length = now_ns() - now;
	paused_ns += length;
	ends += length;
	next_pause(now + length);
}

static void print_rates(const char *name, bool sparse)
{
	fprintf(stderr, "|%s=", name);
	for (unsigned i = 0; i < pauses; i++)
		fprintf(stderr, "%s%.0f", i > 0 ? "," : "",
			reference_rate(sparse ? pause_of[i].sparse_ns : pause_of[i].faults_ns));
}

double bare_end(void)
{
	double seconds = (double)(now_ns() - started - paused_ns) / 1e9;

	if (pauses > 0) {
		fprintf(stderr, "PAUSES|%.6f|%.6f", (double)paused_ns / 1e9,
			(double)paused_us / 1e6);
		print_rates("sparse_faults", true);
		print_rates("page_faults", false);
		fputc('\n', stderr);
	}
	return seconds;
}
