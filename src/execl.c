/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execl.c - Execl Throughput, as the classic suite measures it: the program
 * executes itself again and again.  Count, clock and histogram are carried in its
 * arguments; most images only note the time (again.c).
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/again.h"
#include "harness/copies.h"
#include "harness/harness.h"
#include "harness/util.h"

enum { NAME = 16 };

static char path[PATH_MAX + NAME];
static const char *own_copy;
static char **environment;
static bool later;
extern char **environ;

static int setup(void)
{
	char folder[PATH_MAX];

	environment = environ;
	later = options.resume != NULL;
	if (later) /* it has the path in its arguments */
		return 0;
	if (program_folder(folder, sizeof folder) != 0)
		return -1;
	snprintf(path, sizeof path, "%s/%s", folder, test.name);
	if (own_target && (own_copy = copy_program(path)) == NULL)
		return -1;
	environment = make_environment();
	return environment == NULL ? -1 : 0;
}

/* The first image alone handles signals.  The cleaner (cleaner.h) then removes the copy. */
static int leave_first_image(void)
{
	signals_end_at_once();
	return check_status(0);
}

static int once(void)
{
	char **arguments = carry_on(own_copy != NULL ? own_copy : path);

	if (arguments == NULL)
		return failure("out of memory for the arguments");
	if (!later && leave_first_image() != 0)
		return -1;
	(void)execve(arguments[0], arguments, environment);
	return errno == EACCES && own_copy != NULL ? copy_refused() : failure("%s:", arguments[0]);
}

const struct test test = {
	.name = "execl",
	.summary = "the program replaces itself by execve()",
	.features = FEATURES(&cleaner_feature, &files_feature, &environ_feature,
		&own_target_feature, &again_feature),
	.setup = setup,
	.once = once,
	.again = &again,
};
