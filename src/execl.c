/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execl.c - Execl Throughput, as the classic suite measures it: the program
 * executes itself again and again; most images only note the time (again.c).
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/again.h"
#include "harness/copies.h"
#include "harness/harness.h"
#include "harness/own.h"
#include "harness/util.h"

enum { NAME = 16 };

static const char *program;
static char **environment;
extern char **environ;

/* The image whose part is over removes the copy. */
static int setup_later(void)
{
	static char folder[PATH_MAX];
	const char *slash = strrchr(again_program, '/');

	program = again_program;
	environment = environ;
	if (own_target && slash != NULL) {
		snprintf(folder, sizeof folder, "%.*s", (int)(slash - program), program);
		own_remove_at_end(folder);
	}
	return 0;
}

static int setup(void)
{
	static char path[PATH_MAX + NAME];
	char folder[PATH_MAX];

	if (again_program != NULL)
		return setup_later();
	if (program_folder(folder, sizeof folder) != 0)
		return -1;
	snprintf(path, sizeof path, "%s/%s", folder, test.name);
	program = own_target ? copy_program(path) : path;
	environment = make_environment();
	return program == NULL || environment == NULL ? -1 : 0;
}

/* The first image alone handles signals; those after it end at once. */
static int leave_first_image(void)
{
	signals_end_at_once();
	return check_status(0);
}

static int once(void)
{
	char **arguments = carry_on(program);

	if (arguments == NULL)
		return failure("cannot note the state of the pass:");
	if (again_program == NULL && leave_first_image() != 0)
		return -1;
	(void)execve(program, arguments, environment);
	return errno == EACCES && own_target ? copy_refused() : failure("%s:", program);
}

const struct test test = {
	.name = "execl",
	.summary = "the program replaces itself by execve()",
	.features = FEATURES(&files_feature, &environ_feature, &own_target_feature, &again_feature),
	.setup = setup,
	.once = once,
	.again = &again,
};
