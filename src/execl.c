/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execl.c - Execl Throughput, as the classic suite measures it: the program
 * executes itself again and again.  Count, clock and histogram are carried in its
 * arguments.
 */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/harness.h"
#include "harness/start.h"

static char path[PATH_MAX + 16];
static char **environment;
static bool phases;
extern char **environ;

/* A later image has the path in its arguments and the environment from execve(). */
static int setup(const struct options *o)
{
	char folder[PATH_MAX];

	environment = environ;
	phases = o->phases;
	if (o->resume != NULL)
		return 0;
	if (program_folder(folder, sizeof folder) != 0)
		return -1;
	snprintf(path, sizeof path, "%s/execl", folder);
	environment = make_environment(o);
	return environment == NULL ? -1 : 0;
}

static int once(void)
{
	char **arguments = carry_on(path);

	if (arguments == NULL)
		return failure("out of memory for the arguments");
	if (phases && start_executes() != 0)
		return -1;
	execve(arguments[0], arguments, environment);
	return failure("%s:", arguments[0]);
}

const struct test test = {
	.name = "execl",
	.summary = "the program replaces itself by execve()",
	.takes = TAKES_FILES | TAKES_ENVIRON | TAKES_AGAIN | TAKES_PHASES,
	.setup = setup,
	.once = once,
};
