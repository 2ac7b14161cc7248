/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execute.c - the calls that execute a target, and the environment that it is given.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "copies.h"

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

const char *execute_by;

const char *execute_choose(void)
{
	const char *word = execute_by != NULL ? execute_by : "execve";

	if (strcmp(word, "execveat") == 0)
		by = BY_EXECVEAT;
	else if (strcmp(word, "fexecve") == 0)
		by = BY_FEXECVE;
	else if (strcmp(word, "execve") != 0)
		usage_error("--by: '%s' is not execve, execveat or fexecve", word);
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

static const struct entry exec_options[] = {
	{ TEXT, &execute_by, "by CALL: execute by execve (default), execveat or fexecve" },
	{ 0 },
};
const struct feature exec_feature = { .options = exec_options };

/* ---- the environment --------------------------------------------------------------------- */

uint64_t environment_size = NO_SIZE;

enum { LARGEST_ENVIRONMENT = 1 << 30 };

extern char **environ;

/* Strings of 1 KiB, each with its 0 byte, and a shorter one for the rest. */
char **make_environment(void)
{
	uint64_t size = environment_size, n = size / 1024 + (size % 1024 > 0);
	char **strings, *text;

	if (size == NO_SIZE)
		return environ;
	if (size > LARGEST_ENVIRONMENT) {
		(void)failure("--environment %llu: too large", (unsigned long long)size);
		return NULL;
	}
	strings = calloc(n + 1, sizeof *strings);
	text = n > 0 ? malloc(size) : NULL;
	if (strings != NULL && n == 0)
		return strings;
	if (strings == NULL || text == NULL) {
		free(strings);
		free(text);
		(void)failure("--environment %llu: out of memory", (unsigned long long)size);
		return NULL;
	}
	memset(text, 'x', size);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t end = (i + 1) * 1024 < size ? (i + 1) * 1024 : size;

		strings[i] = text + i * 1024;
		text[end - 1] = '\0';
		if (end - i * 1024 > 12) /* names that differ: a shell drops equal ones */
			strings[i][snprintf(strings[i], 12, "E%07llu", (unsigned long long)i)] =
				'=';
	}
	return strings;
}

static const struct entry environ_options[] = {
	{ SIZE, &environment_size,
		"environment SIZE: give the target an environment of SIZE bytes" },
	{ 0 },
};
const struct feature environ_feature = { .options = environ_options };
