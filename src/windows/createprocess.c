/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * createprocess.c - CreateProcess() of a small program; the parent waits for its end.
 */
#include <stdio.h>
#include <string.h>

#include "windows.h"

enum { PATH_MAXIMUM = 1024 };
static char target[PATH_MAXIMUM], line[PATH_MAXIMUM + 2];

static const char *what(void)
{
	static char message[PATH_MAXIMUM + 64];

	snprintf(message, sizeof message, "cannot run the target %s (choose another with --exec)",
		target);
	return message;
}

static int setup(const struct options *o)
{
	if (o->target == NULL)
		return beside_program("true-minimal.exe", target, sizeof target);
	if (strlen(o->target) >= sizeof target)
		return failure("the target's path is too long");
	strcpy(target, o->target);
	return 0;
}

static HANDLE create(void)
{
	STARTUPINFOA start = { .cb = sizeof start };
	PROCESS_INFORMATION made;

	snprintf(line, sizeof line, "\"%s\"", target);
	if (!start_program(target, line, FALSE, &start, &made))
		return NULL;
	CloseHandle(made.hThread);
	return made.hProcess;
}

static int reap(HANDLE child, uint64_t *user, uint64_t *kernel)
{
	FILETIME begin, end, k, u;
	DWORD status = 1;
	bool ok = WaitForSingleObject(child, INFINITE) == WAIT_OBJECT_0 &&
		GetExitCodeProcess(child, &status);

	if (ok && GetProcessTimes(child, &begin, &end, &k, &u)) {
		*user += ticks(u);
		*kernel += ticks(k);
	}
	if (!ok)
		failure("cannot wait for a child:");
	else if (status != 0)
		failure("the target exited with status %lu", status);
	CloseHandle(child);
	return ok && status == 0 ? 0 : -1;
}

const struct test test = {
	.name = "createprocess",
	.summary = "CreateProcess(); the child exits at once; WaitForSingleObject()",
	.runs_target = true,
	.setup = setup,
	.create = create,
	.reap = reap,
	.what = what,
};
