/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * creation.c - the methods, and one creation by one of them.  Parent and child write clock
 * readings into a page that they share; a close-on-exec pipe reports the moment of exec, and the
 * target stamps its start.
 */
#include "creation.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/clone.h"
#include "harness/os.h"
#include "harness/outcome.h"
#include "harness/start.h"
#include "harness/util.h"
#include "methods.h" /* made by the Makefile from tests.list */

volatile uint64_t *mark;

void fail(const char *what)
{
	fprintf(stderr, "ERROR|%s: %s\n", what, strerror(errno));
	target_teardown();
	exit(1);
}

void give_up(void)
{
	outcome_print(0);
	target_teardown();
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
	execve(target_argv[0], target_argv, target_environ);
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
static const struct method method_fork = { "fork", do_fork, PARENT | CHILDS, false },
			   method_vfork = { "vfork", do_vfork, PARENT | CHILDS, false },
			   method_clone = { "clone", do_clone, PARENT | CHILDS, false },
			   method_forkexec = { "forkexec", do_forkexec, PARENT | CHILDS | EXEC,
				   true },
			   method_vforkexec = { "vforkexec", do_vforkexec, PARENT | CHILDS | EXEC,
				   false },
			   method_posix_spawn = { "posix_spawn", do_posix_spawn, PARENT | EXEC,
				   false };

/* A method of tests.list that is not defined above does not compile. */
#define METHOD(name) &method_##name,
const struct method *const methods[] = { METHODS(METHOD) NULL };

const char *method_name(const struct method *method)
{
	return method->name;
}

bool method_executes(const struct method *method)
{
	return (method->marks & EXEC) != 0;
}

unsigned method_marks(const struct method *method)
{
	return method->marks | stamped;
}

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
		target_teardown();
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

void create(const struct method *method)
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

void creation_setup(void)
{
	mark = mmap(NULL, MARKS * sizeof *mark, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		-1, 0);
	if (mark == MAP_FAILED)
		fail("mmap");
}
