/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bare.c - the same calls as the test programs in a bare loop: no options, no histogram,
 * no accounting.  The difference to a test program is the cost of the harness.
 *
 * usage: bare METHOD SECONDS TARGET; prints COUNT, TIME and MINFLT like a test program.  BARE_CPU
 * pins it.  BARE_TURNS=R,W takes turns of BARE_TURN seconds with another program, as --turns does.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "harness/clone.h"
#include "harness/os.h"
#include "harness/turns.h"
#include "harness/util.h"
#include "methods.h" /* made by the Makefile from tests.list */

extern char **environ;

/* ---- the time, and pauses of it, in which another program runs: by a timer, so that the loop
 * reads no clock ---- */

static volatile sig_atomic_t over, due;

static uint64_t started, ends, apart, paused_ns;

static void on_alarm(int number)
{
	(void)number;
	if (apart == 0)
		over = 1;
	else
		due = 1;
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

/* Starts the time; pipes: "R,W" of turns with another program, each so many seconds long, or
 * NULL */
static void begin(double seconds, double turn, const char *pipes)
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

/* Ends a turn and waits for the next one, which does not count; or sets over. */
static void take_turn(void)
{
	uint64_t now = now_ns(), length;

	due = 0;
	if (now >= ends) {
		over = 1;
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

/* The seconds since begin() without the pauses */
static double end(void)
{
	return (double)(now_ns() - started - paused_ns) / 1e9;
}

/* ---- the methods ------------------------------------------------------------------------ */

static char *target[2];
static int reap(pid_t pid)
{
	int status;

	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (!over)
			return -1;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static void exit_child(void)
{
	_exit(0);
}

static void exec_child(void)
{
	execve(target[0], target, environ);
	_exit(127);
}

#ifdef SYS_clone3
static pid_t clone3(void)
{
	uint64_t arguments[11] = { [4] = SIGCHLD }; /* struct clone_args: exit_signal */

	return (pid_t)syscall(SYS_clone3, arguments, sizeof arguments);
}
#endif

#define CREATION(name, call, child)                                                                \
	static int do_##name(void)                                                                 \
	{                                                                                          \
		pid_t pid = call();                                                                \
                                                                                                   \
		if (pid == 0)                                                                      \
			child();                                                                   \
		return reap(pid);                                                                  \
	}
CREATION(fork, fork, exit_child)
CREATION(vfork, vfork, exit_child)
CREATION(forkexec, fork, exec_child)
CREATION(vforkexec, vfork, exec_child)
#ifdef SYS_clone3
CREATION(clone3, clone3, exit_child)
#endif

static int child(void *unused)
{
	(void)unused;
	_exit(0);
}

static int do_clone(void)
{
	static char stack[65536] __attribute__((aligned(64)));

	return reap(shared_clone(child, stack + sizeof stack));
}

static int do_posix_spawn(void)
{
	pid_t pid;

	return posix_spawn(&pid, target[0], NULL, NULL, target, environ) == 0 ? reap(pid) : -1;
}

static int do_spawn(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		exit(0);
	while (wait(&status) < 0)
		if (!over)
			return -1;
	return status == 0 ? 0 : -1;
}

/* The methods that there are here */
static const struct {
	const char *name;
	int (*once)(void);
} methods[] = { { "spawn", do_spawn },
#ifdef SYS_clone3
	{ "clone3", do_clone3 },
#endif
#define METHOD(name) { #name, do_##name },
	METHODS(METHOD) };

static void page_faults(double *parent, double *children)
{
	struct rusage self, reaped;

	*parent = getrusage(RUSAGE_SELF, &self) == 0 ? (double)self.ru_minflt : 0;
	*children = getrusage(RUSAGE_CHILDREN, &reaped) == 0 ? (double)reaped.ru_minflt : 0;
}

static double before[2]; /* page faults of the parent, and of its children */

static int report(unsigned long count, double seconds)
{
	double n = (double)count, after[2];

	page_faults(&after[0], &after[1]);
	fprintf(stderr, "COUNT|%lu|1|lps\nTIME|%.6f\nMINFLT|%.3f|%.3f|private\n", count, seconds,
		(after[0] - before[0]) / n, (after[1] - before[1]) / n);
	return 0;
}

/* Pins to the CPU of BARE_CPU, so that both programs of a comparison use the same one. */
static void pin(char **argv)
{
	const char *cpu = getenv("BARE_CPU");

	if (cpu != NULL)
		(void)os_pin((int)strtol(cpu, NULL, 10), argv);
}

static int run(int (*once)(void), double seconds)
{
	const char *turn = getenv("BARE_TURN");
	unsigned long count = 0;

	page_faults(&before[0], &before[1]);
	begin(seconds, turn != NULL ? strtod(turn, NULL) : 0,
		turn != NULL ? getenv("BARE_TURNS") : NULL);
	for (; !over; count++) {
		if (due)
			take_turn();
		if (once() != 0)
			return 1;
	}
	return report(count, end());
}

int main(int argc, char **argv)
{
	double seconds = argc > 3 ? strtod(argv[2], NULL) : 0;

	if (seconds <= 0)
		return 2;
	pin(argv);
	target[0] = argv[3];
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (strcmp(argv[1], methods[i].name) == 0)
			return run(methods[i].once, seconds);
	return 2;
}
