/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execl.c - the bare loop of execl: a program of its own, as small as the classic suite's, since
 * each image of it is loaded anew.
 *
 * usage: bare-execl SECONDS; prints COUNT and TIME like a test program.  BARE_TURNS=R,W takes turns
 * of BARE_TURN seconds with another program, as --turns does.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Lets the other program run; the two descriptors are those of BARE_TURNS. */
static void give_turn(void)
{
	const char *pipes = getenv("BARE_TURNS"),
		   *comma = pipes != NULL ? strchr(pipes, ',') : NULL;
	char byte = 't';

	if (comma == NULL)
		return;
	signal(SIGPIPE, SIG_IGN); /* it may have ended */
	if (write((int)strtol(comma + 1, NULL, 10), &byte, 1) == 1)
		(void)!read((int)strtol(pipes, NULL, 10), &byte, 1);
	signal(SIGPIPE, SIG_DFL);
}

/* bare-execl SECONDS [COUNT START DUE]: count and start as the classic suite carries them, and
 * the end of this turn */
int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 0, now = seconds_now();
	unsigned long count = argc > 4 ? strtoul(argv[2], NULL, 10) : 0;
	double start = argc > 4 ? strtod(argv[3], NULL) : now;
	const char *turn = getenv("BARE_TURN");
	double length = turn != NULL ? strtod(turn, NULL) : seconds;
	double due = argc > 4 ? strtod(argv[4], NULL) : now + length;
	char texts[3][32];

	if (seconds <= 0)
		return 2;
	if (now - start >= seconds) {
		fprintf(stderr, "COUNT|%lu|1|lps\nTIME|%.6f\n", count, now - start);
		return 0;
	}
	if (turn != NULL && now >= due) {
		give_turn();
		start += seconds_now() - now;
		due = seconds_now() + length;
	}
	snprintf(texts[0], sizeof texts[0], "%lu", count + 1);
	snprintf(texts[1], sizeof texts[1], "%.6f", start);
	snprintf(texts[2], sizeof texts[2], "%.6f", due);
	execl(argv[0], argv[0], argv[1], texts[0], texts[1], texts[2], (char *)NULL);
	return 1;
}
