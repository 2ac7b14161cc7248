/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.c - measures where the time of one creation goes.
 *
 *   trace --method NAME --count N [--exec TARGET] [options of the parent]
 *
 * Prints PHASE|name|p50|p90|p99 for each phase, in microseconds and in order.  Each phase
 * is a distribution of its own, so the medians do not add up exactly.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/clone.h"
#include "harness/harness.h"
#include "harness/os.h"
#include "harness/start.h"
#include "harness/util.h"
#include "methods.h" /* made by the Makefile from tests.list */

enum { COUNT_MAX = 1000000, WARM = 100 };

/* ---- clock readings of parent, child and target ------------------------------------- */

/* The readings, in the order of a creation with exec.  EXECED: exec has succeeded; FIRST to MAIN
 * are stamps of the target (harness/start.h) */
enum mark { CALL, RETURNED, CHILD, LEAVES, EXECED, FIRST, ENTRY, MAIN, WAITED, MARKS };
#define BIT(mark) (1u << (mark))

/* The readings of the last creation, in nanoseconds; shared with the child */
static volatile uint64_t *mark;

static uint64_t traced; /* creations */

/* These end the program, with status 1 and a line on stderr: after failure() or skip() of the
 * harness; with errno's text */
__attribute__((noreturn)) static void give_up(void)
{
	(void)outcome_print(traced);
	if (at_end != NULL)
		at_end();
	exit(1);
}

__attribute__((noreturn)) static void fail(const char *what)
{
	(void)failure("%s:", what);
	give_up();
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
	execve(target_argv[0], target_argv, target_environ);
	_exit(127);
}

#define CREATION(name, call, child)                                                                \
	static pid_t do_##name(void)                                                               \
	{                                                                                          \
		pid_t pid = call();                                                                \
                                                                                                   \
		if (pid == 0)                                                                      \
			child();                                                                   \
		return pid;                                                                        \
	}
CREATION(fork, fork, exit_child)
CREATION(vfork, vfork, exit_child)
CREATION(forkexec, fork, exec_child)
CREATION(vforkexec, vfork, exec_child)

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

static pid_t do_posix_spawn(void)
{
	pid_t pid;

	errno = posix_spawn(&pid, target_argv[0], NULL, NULL, target_argv, target_environ);
	return errno == 0 ? pid : -1;
}

enum {
	PARENT = BIT(CALL) | BIT(RETURNED) | BIT(WAITED),
	CHILDS = BIT(CHILD) | BIT(LEAVES),
	EXEC = BIT(EXECED),
	STAMPED = BIT(FIRST) | BIT(ENTRY) | BIT(MAIN),
};
static unsigned stamped; /* those of STAMPED that the target has */

struct method {
	const char *name;
	pid_t (*create)(void);
	unsigned marks;     /* the readings that it takes */
	bool returns_early; /* the call may return before the exec */
};
/* The name of each ends in that of tests.list, so that one which is missing does not compile. */
static const struct method method_fork = { "fork", do_fork, PARENT | CHILDS, false };
static const struct method method_vfork = { "vfork", do_vfork, PARENT | CHILDS, false };
static const struct method method_clone = { "clone", do_clone, PARENT | CHILDS, false };
static const struct method method_forkexec = { "forkexec", do_forkexec, PARENT | CHILDS | EXEC,
	true };
static const struct method method_vforkexec = { "vforkexec", do_vforkexec, PARENT | CHILDS | EXEC,
	false };
static const struct method method_posix_spawn = { "posix_spawn", do_posix_spawn, PARENT | EXEC,
	false };

#define METHOD(name) &method_##name,
static const struct method *const methods[] = { METHODS(METHOD) NULL };

static bool method_executes(const struct method *method)
{
	return (method->marks & EXEC) != 0;
}

/* ---- one creation ------------------------------------------------------------- */

static void wait_for(pid_t pid)
{
	int status;

	if (wait_for_child(pid, &status) != 0)
		give_up();
	mark[WAITED] = now_ns();
	if (check_status(status) != 0)
		give_up();
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

static void take_stamps(void)
{
	const struct start *start = start_last();

	if (start_ended(true) != 0)
		give_up();
	mark[FIRST] = start->first;
	mark[ENTRY] = start->entry;
	mark[MAIN] = start->main;
	stamped = BIT(MAIN) | (start->entry > 0 ? BIT(ENTRY) : 0) |
		(start->first > 0 ? BIT(FIRST) : 0);
}

static void create(const struct method *method)
{
	int ends[2] = { -1, -1 };
	pid_t pid;

	if (method->returns_early && (pipe(ends) != 0 || fcntl(ends[1], F_SETFD, FD_CLOEXEC) != 0))
		fail("pipe");
	if (method_executes(method))
		start_calls();
	mark[CALL] = now_ns();
	pid = method->create();
	mark[RETURNED] = now_ns();
	if (pid < 0)
		fail(method->name);
	mark[EXECED] = mark[RETURNED];
	if (method->returns_early)
		wait_for_exec(ends);
	wait_for(pid);
	if (method_executes(method))
		take_stamps();
}

static const struct method *method;

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
	{ "exec to the target's first instruction", LEAVES, FIRST, 0 },
	{ "call to the target's first instruction", CALL, FIRST, 0 },
	{ "dynamic loader", FIRST, ENTRY, 0 },
	{ "entry point to main()", ENTRY, MAIN, 0 },
	{ "call to main()", CALL, MAIN, 0 },
	{ "main() to wait's return", MAIN, WAITED, 0 },
	{ "success of exec to wait's return", EXECED, WAITED, 0 },
	{ "exit to wait's return", LEAVES, WAITED, BIT(EXECED) },
	{ "total", CALL, WAITED, 0 },
};
enum { PHASES = sizeof phases / sizeof *phases };

static bool concerns(const struct phase *p)
{
	unsigned needed = BIT(p->from) | BIT(p->to), taken = method->marks | stamped;

	if (p->to == ENTRY && !target_has_loader())
		return false;
	return (taken & needed) == needed && (taken & p->without) == 0;
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

static const struct method *find_method(const char *name)
{
	size_t i = 0;

	while (methods[i] != NULL && strcmp(methods[i]->name, name) != 0)
		i++;
	return methods[i];
}

static const char *name;

static void check(void)
{
	method = name != NULL ? find_method(name) : NULL;
	if (method == NULL)
		usage_error("--method: '%s' is not one of the methods", name != NULL ? name : "");
	if (options.count == 0)
		usage_error("--count is missing");
	if (options.count > COUNT_MAX)
		usage_error("--count: at most %d", COUNT_MAX);
}

static const struct entry own_options[] = {
#define NAME(name) " " #name
	{ TEXT, &name, .usage = "method NAME: one of" METHODS(NAME) },
	{ TEXT, &target_options.exec, .usage = "exec PATH: a target that stamps its start" },
	{ 0 },
};
static const struct feature own = { .options = own_options };

/* For the parts of the harness that parse options, make the parent and find the target */
const struct test test = {
	.name = "trace",
	.features =
		FEATURES(&own, &parent_feature, &files_feature), /* gcc 10 warns if it is last */
	.summary = "the phases of one creation",
};

static void measure(double *times[], uint64_t count)
{
	for (int i = 0; i < WARM; i++)
		create(method);
	for (; traced < count; traced++) {
		create(method);
		for (int p = 0; p < PHASES; p++)
			times[p][traced] =
				(double)(int64_t)(mark[phases[p].to] - mark[phases[p].from]);
	}
}

static void prepare(char **argv)
{
	options.phases = true;
	(void)signal(SIGCHLD, SIG_DFL);
	if (options.cpu != NO_CPU && os_pin((int)options.cpu, argv) != 0)
		fail("--cpu");
	if (parent_feature.setup() != 0 || files_feature.setup() != 0)
		give_up();
	if (method_executes(method) && (start_setup() != 0 || target_setup() != 0))
		give_up();
	if ((mark = shared_memory(MARKS * sizeof *mark)) == NULL)
		fail("mmap");
}

int main(int argc, char **argv)
{
	double *times[PHASES];

	if (argc > 0)
		invoked_as = argv[0];
	options_parse(argc, argv);
	check();
	prepare(argv);
	for (int p = 0; p < PHASES; p++)
		if ((times[p] = uncopied_memory(options.count * sizeof **times)) == NULL)
			fail("memory");
	measure(times, options.count);
	if (at_end != NULL)
		at_end();
	print_phases(times, options.count);
	if (fflush(stdout) != 0)
		fail("standard output");
	return 0;
}
