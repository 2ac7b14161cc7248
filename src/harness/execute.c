/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execute.c - see execute.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "execute.h"
#include "options.h"
#include "search.h"

/* execveat(): Linux 3.19.  fexecve(): POSIX; macOS and OpenBSD have none. */
#if defined __linux__ || defined __FreeBSD__ || defined __NetBSD__
#define HAS_FEXECVE 1
#else
#define HAS_FEXECVE 0
#endif
#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

static enum { BY_EXECVE, BY_EXECVEAT, BY_FEXECVE } by;
static int opened = -1;

const char *execute_choose(const struct options *o)
{
	const char *word = o->by != NULL ? o->by : "execve";

	if (strcmp(word, "execveat") == 0)
		by = BY_EXECVEAT;
	else if (strcmp(word, "fexecve") == 0)
		by = BY_FEXECVE;
	else if (strcmp(word, "execve") != 0)
		usage_error("--by: '%s' is not execve, execveat or fexecve", word);
	if (by == BY_FEXECVE && o->targets > 0)
		usage_error("--by fexecve and --targets exclude each other");
#ifndef SYS_execveat
	if (by == BY_EXECVEAT)
		return "--by execveat: only Linux (3.19 or newer) has execveat()";
#endif
	if (by == BY_FEXECVE && !HAS_FEXECVE)
		return "--by fexecve: this system has no fexecve()";
	return NULL;
}

int execute_open(const char *path)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/'), *wanted = path;

	if (by == BY_EXECVE)
		return 0;
	if (by == BY_EXECVEAT) {
		int length = slash != NULL ? (int)(slash - path) + 1 : 2;

		if ((size_t)snprintf(folder, sizeof folder, "%.*s", length,
			    slash != NULL ? path : "./") >= sizeof folder)
			return failure("the path of the target is too long");
		wanted = folder;
	}
	opened = open(wanted, O_PATH | O_CLOEXEC);
	return opened >= 0 ? 0 : failure("%s:", wanted);
}

void execute(const char *path, char **argv, char **environment)
{
	if (search_name() != NULL) {
		execvp(path, argv); /* the environment is inherited */
		return;
	}
	switch (by) {
	case BY_EXECVE:
		execve(path, argv, environment);
		return;
	case BY_EXECVEAT:
#ifdef SYS_execveat
		path = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
		(void)syscall(SYS_execveat, opened, path, argv, environment, 0);
#endif
		return;
	case BY_FEXECVE:
#if HAS_FEXECVE
		fexecve(opened, argv, environment);
#endif
		return;
	}
}
