/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bare.c - the same calls as the test programs in a bare loop: no options, no histogram,
 * no accounting.  The difference to a test program is the cost of the harness.
 *
 * usage: bare METHOD SECONDS TARGET; prints COUNT, TIME and MINFLT like a test program.  BARE_CPU
 * pins it; BARE_THREADS=N runs the loop in N threads, as --spawners does.  BARE_TURNS=R,W takes
 * turns of BARE_TURN seconds with another program, as --turns does, but not with threads.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "bench/bare.h"
#include "harness/clone.h"
#include "harness/os.h"
#include "methods.h" /* made by the Makefile from tests.list */

extern char **environ;

static char *bare_target[2];
/* Of the first thread, and of each further one; not thread-local memory, which the loader clears,
 * so that each fork would copy its pages */
enum { STACK = 65536 };
static char first_stack[STACK] __attribute__((aligned(64)));
static _Thread_local char *stack = first_stack;

static int reap(pid_t pid)
{
	int status;

	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (!bare_over)
			return -1;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static int do_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return reap(pid);
}

static int do_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0)
		_exit(0);
	return reap(pid);
}

static int child(void *unused)
{
	(void)unused;
	_exit(0);
}

static int do_clone(void)
{
	return reap(shared_clone(child, stack + STACK));
}

static int do_forkexec(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execve(bare_target[0], bare_target, environ);
		_exit(127);
	}
	return reap(pid);
}

static int do_vforkexec(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execve(bare_target[0], bare_target, environ);
		_exit(127);
	}
	return reap(pid);
}

static int do_posix_spawn(void)
{
	pid_t pid;

	return posix_spawn(&pid, bare_target[0], NULL, NULL, bare_target, environ) == 0 ?
		reap(pid) :
		-1;
}

static int do_spawn(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		exit(0);
	while (wait(&status) < 0)
		if (!bare_over)
			return -1;
	return status == 0 ? 0 : -1;
}

#ifdef SYS_clone3
static int do_clone3(void)
{
	uint64_t arguments[11] = { [4] = SIGCHLD }; /* struct clone_args: exit_signal */
	pid_t pid = (pid_t)syscall(SYS_clone3, arguments, sizeof arguments);

	if (pid == 0)
		_exit(0);
	return reap(pid);
}
#endif

#if defined __GLIBC__
#define HAS_PIDFD_SPAWN __GLIBC_PREREQ(2, 39)
#else
#define HAS_PIDFD_SPAWN 0
#endif

#if HAS_PIDFD_SPAWN
static int do_pidfd_spawn(void)
{
	siginfo_t info;
	int fd, result;

	if (pidfd_spawn(&fd, bare_target[0], NULL, NULL, bare_target, environ) != 0)
		return -1;
	do
		result = waitid(P_PIDFD, (id_t)fd, &info, WEXITED);
	while (result != 0 && errno == EINTR);
	close(fd);
	return result == 0 && info.si_status == 0 ? 0 : -1;
}
#endif

/* Those that there are here */
static const struct {
	const char *name;
	int (*once)(void);
} methods[] = { { "spawn", do_spawn },
#ifdef SYS_clone3
	{ "clone3", do_clone3 },
#endif
#if HAS_PIDFD_SPAWN
	{ "pidfd_spawn", do_pidfd_spawn },
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

static int (*iteration)(void);

/* Counts its iterations in `count`, or UINT64_MAX after one that failed. */
static void *repeat(void *count)
{
	uint64_t made = 0;

	while (!bare_over && made != UINT64_MAX)
		made = iteration() == 0 ? made + 1 : UINT64_MAX;
	*(uint64_t *)count = made;
	return NULL;
}

static void *repeat_beside(void *count)
{
	char own[STACK] __attribute__((aligned(64)));

	stack = own;
	(void)repeat(count);
	stack = NULL;
	return NULL;
}

/* The loop in this thread and in others.  The iterations of all, or UINT64_MAX. */
static uint64_t run_threads(unsigned threads)
{
	enum { MOST = 64 };
	pthread_t thread[MOST];
	uint64_t count[MOST], sum = 0;
	unsigned n = threads < MOST ? threads : MOST;

	for (unsigned i = 1; i < n; i++)
		if (pthread_create(&thread[i], NULL, repeat_beside, &count[i]) != 0)
			return UINT64_MAX;
	(void)repeat(&count[0]);
	for (unsigned i = 0; i < n; i++) {
		if (i > 0)
			(void)pthread_join(thread[i], NULL);
		if (count[i] == UINT64_MAX)
			return UINT64_MAX;
		sum += count[i];
	}
	return sum;
}

static int run(int (*once)(void), double seconds)
{
	const char *threads = getenv("BARE_THREADS"), *turn = getenv("BARE_TURN");
	bool in_turns = threads == NULL && turn != NULL;
	uint64_t count = 0;

	iteration = once;
	page_faults(&before[0], &before[1]);
	bare_begin(
		seconds, in_turns ? strtod(turn, NULL) : 0, in_turns ? getenv("BARE_TURNS") : NULL);
	if (threads != NULL) {
		count = run_threads((unsigned)strtoul(threads, NULL, 10));
		return count == UINT64_MAX ? 1 : report((unsigned long)count, bare_end());
	}
	for (; !bare_over; count++) {
		if (bare_due)
			bare_pause();
		if (once() != 0)
			return 1;
	}
	return report((unsigned long)count, bare_end());
}

int main(int argc, char **argv)
{
	double seconds = argc > 3 ? strtod(argv[2], NULL) : 0;

	if (seconds <= 0)
		return 2;
	pin(argv);
	bare_target[0] = argv[3];
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (strcmp(argv[1], methods[i].name) == 0)
			return run(methods[i].once, seconds);
	return 2;
}
