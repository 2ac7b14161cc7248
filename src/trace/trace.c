/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.c - measures where the time of one creation goes.  Parent and child write clock
 * readings into a page that they share; a close-on-exec pipe reports the moment of exec.
 *
 *   trace [--cpu N] METHOD COUNT [TARGET]
 *
 * Prints PHASE|name|p50|p90|p99 for each phase, in microseconds and in order.  Each phase
 * is a distribution of its own, so the medians do not add up exactly.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/clone.h"
#include "harness/os.h"
#include "harness/util.h"
#include "methods.h" /* made by the Makefile from tests.list */

enum { COUNT_MAX = 1000000, WARM = 100 };

/* The readings of one creation, in nanoseconds */
enum mark { CALL, RETURNED, CHILD, LEAVES, EXECED, WAITED, MARKS };
static volatile uint64_t *mark; /* shared with the child */
static char *target_argv[2];
extern char **environ;

__attribute__((noreturn)) static void fail(const char *what)
{
	fprintf(stderr, "ERROR|%s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- methods ------------------------------------------------------------------ */

static void exit_child(void)
{
	mark[CHILD] = now_ns();
	mark[LEAVES] = now_ns();
	_exit(0);
}

static void exec_child(void)
{
	mark[CHILD] = now_ns();
	mark[LEAVES] = now_ns();
	execve(target_argv[0], target_argv, environ);
	_exit(127);
}

static pid_t do_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		exit_child();
	return pid;
}

static pid_t do_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0)
		exit_child();
	return pid;
}

static int cloned(void *unused)
{
	(void)unused;
	mark[CHILD] = now_ns();
	mark[LEAVES] = now_ns();
	return 0;
}

static pid_t do_clone(void)
{
	static char stack[65536] __attribute__((aligned(64)));

	return shared_clone(cloned, stack + sizeof stack);
}

static pid_t do_forkexec(void)
{
	pid_t pid = fork();

	if (pid == 0)
		exec_child();
	return pid;
}

static pid_t do_vforkexec(void)
{
	pid_t pid = vfork();

	if (pid == 0)
		exec_child();
	return pid;
}

static pid_t do_posix_spawn(void)
{
	pid_t pid;

	errno = posix_spawn(&pid, target_argv[0], NULL, NULL, target_argv, environ);
	return errno == 0 ? pid : -1;
}

#define BIT(mark) (1u << (mark))
enum {
	PARENT = BIT(CALL) | BIT(RETURNED) | BIT(WAITED),
	CHILDS = BIT(CHILD) | BIT(LEAVES),
	EXEC = BIT(EXECED),
};

static const struct method {
	const char *name;
	pid_t (*create)(void);
	unsigned marks;     /* the readings that it takes */
	bool returns_early; /* the call may return before the exec */
} method_fork = { "fork", do_fork, PARENT | CHILDS, false },
  method_vfork = { "vfork", do_vfork, PARENT | CHILDS, false },
  method_clone = { "clone", do_clone, PARENT | CHILDS, false },
  method_forkexec = { "forkexec", do_forkexec, PARENT | CHILDS | EXEC, true },
  method_vforkexec = { "vforkexec", do_vforkexec, PARENT | CHILDS | EXEC, false },
  method_posix_spawn = { "posix_spawn", do_posix_spawn, PARENT | EXEC, false };

/* A method of tests.list that is not defined above does not compile. */
#define METHOD(name) &method_##name,
static const struct method *const methods[] = { METHODS(METHOD) NULL };
static const struct method *method;

/* ---- one creation ------------------------------------------------------------- */

static void wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fail("waitpid");
	mark[WAITED] = now_ns();
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "ERROR|the child ended with wait status %d\n", status);
		exit(1);
	}
}

/* Returns when the write end of the pipe is closed: by the exec. */
static void wait_for_exec(const int ends[2])
{
	char byte;

	close(ends[1]);
	while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
		;
	mark[EXECED] = now_ns();
	close(ends[0]);
}

static void once(void)
{
	int ends[2] = { -1, -1 };
	pid_t pid;

	if (method->returns_early && (pipe(ends) != 0 || fcntl(ends[1], F_SETFD, FD_CLOEXEC) != 0))
		fail("pipe");
	mark[CALL] = now_ns();
	pid = method->create();
	mark[RETURNED] = now_ns();
	if (pid < 0)
		fail(method->name);
	mark[EXECED] = mark[RETURNED];
	if (method->returns_early)
		wait_for_exec(ends);
	wait_for(pid);
}

/* ---- phases ------------------------------------------------------------------- */

static const struct phase {
	const char *name;
	enum mark from, to;
	unsigned without; /* not for methods that take one of these readings */
} phases[] = {
	{ "call to return in the parent", CALL, RETURNED, 0 },
	{ "call to first instruction in the child", CALL, CHILD, 0 },
	{ "the child's own time", CHILD, LEAVES, 0 },
	{ "exec to its success", LEAVES, EXECED, 0 },
	{ "success of exec to wait's return", EXECED, WAITED, 0 },
	{ "exit to wait's return", LEAVES, WAITED, EXEC },
	{ "total", CALL, WAITED, 0 },
};
enum { PHASES = sizeof phases / sizeof *phases };

static bool concerns(const struct phase *p)
{
	unsigned needed = BIT(p->from) | BIT(p->to);

	return (method->marks & needed) == needed && (method->marks & p->without) == 0;
}

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static void print_phases(double *times[], size_t count)
{
	for (int i = 0; i < PHASES; i++) {
		if (!concerns(&phases[i]))
			continue;
		qsort(times[i], count, sizeof *times[i], by_size);
		printf("PHASE|%s|%.3f|%.3f|%.3f\n", phases[i].name, times[i][count / 2] / 1e3,
			times[i][count * 9 / 10] / 1e3, times[i][count * 99 / 100] / 1e3);
	}
}

__attribute__((noreturn)) static void usage(void)
{
	fputs("usage: trace [--cpu N] METHOD COUNT [TARGET]\nmethods:", stderr);
	for (size_t i = 0; methods[i] != NULL; i++)
		fprintf(stderr, " %s", methods[i]->name);
	fputc('\n', stderr);
	exit(2);
}

static const struct method *find_method(const char *name)
{
	size_t i = 0;

	while (methods[i] != NULL && strcmp(methods[i]->name, name) != 0)
		i++;
	return methods[i];
}

static void pin(const char *text)
{
	uint64_t cpu;

	if (!parse_count(text, true, &cpu) || cpu > 65535)
		usage();
	if (os_pin((int)cpu) != 0)
		fail("--cpu");
}

static void measure(double *times[], uint64_t count)
{
	for (int i = 0; i < WARM; i++)
		once();
	for (uint64_t i = 0; i < count; i++) {
		once();
		for (int p = 0; p < PHASES; p++)
			times[p][i] = (double)(int64_t)(mark[phases[p].to] - mark[phases[p].from]);
	}
}

int main(int argc, char **argv)
{
	static double *times[PHASES]; /* static: reachable until the end */
	uint64_t count;

	if (argc > 2 && strcmp(argv[1], "--cpu") == 0) {
		pin(argv[2]);
		argc -= 2;
		argv += 2;
	}
	if (argc < 3 || argc > 4 || (method = find_method(argv[1])) == NULL ||
		!parse_count(argv[2], false, &count) || count > COUNT_MAX ||
		((method->marks & EXEC) != 0 && argc < 4))
		usage();
	target_argv[0] = argv[3];
	(void)signal(SIGCHLD, SIG_DFL);
	mark = mmap(NULL, MARKS * sizeof *mark, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		-1, 0);
	if (mark == MAP_FAILED)
		fail("mmap");
	for (int p = 0; p < PHASES; p++)
		if ((times[p] = calloc(count, sizeof **times)) == NULL)
			fail("memory");
	measure(times, count);
	print_phases(times, count);
	return 0;
}
