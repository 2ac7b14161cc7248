/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system.c - system("exit 0"): a shell is created, runs and is waited for, by
 * libc's own means.
 */
#include <stdlib.h>

#include "harness/harness.h"

static int once(void)
{
	int status = system("exit 0");

	return status == -1 ? failure("system:") : check_status(status);
}

const struct test test = {
	.name = "system",
	.summary = "system(\"exit 0\")",
	.takes = TAKES_PARENT | TAKES_FILES,
	.once = once,
};
