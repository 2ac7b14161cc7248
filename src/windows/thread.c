/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread.c - CreateThread(); the thread ends at once; the parent waits for it.
 */
#include "windows.h"

static DWORD WINAPI end(void *nothing)
{
	(void)nothing;
	return 0;
}

static const char *what(void)
{
	return "CreateThread";
}

static int setup(const struct options *o)
{
	(void)o;
	return 0;
}

static HANDLE create(void)
{
	return CreateThread(NULL, 0, end, NULL, 0, NULL);
}

static int reap(HANDLE thread, uint64_t *user, uint64_t *kernel)
{
	(void)user, (void)kernel; /* they are in the process's own times */
	if (WaitForSingleObject(thread, INFINITE) != WAIT_OBJECT_0)
		return failure("cannot wait for a thread:");
	CloseHandle(thread);
	return 0;
}

const struct test test = {
	.name = "thread",
	.summary = "CreateThread(); the thread ends at once; WaitForSingleObject()",
	.setup = setup,
	.create = create,
	.reap = reap,
	.what = what,
};
