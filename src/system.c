/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system.c - system("exit 0"): libc creates a shell and waits for it.
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
