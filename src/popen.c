/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * popen.c - popen("exit 0"), read to its end, and pclose(): a shell and a pipe.
 */
#include <errno.h>
#include <stdio.h>

#include "harness/harness.h"
#include "harness/os.h"

static int once(void)
{
	FILE *out = popen("exit 0", "r");
	int status;

	if (out == NULL) {
		if (os_forbids_clone3()) /* libc reports ENOMEM then */
			errno = EPERM;
		return creation_failed("popen");
	}
	creation_returned();
	if (getc(out) != EOF)
		(void)failure("the shell printed unexpected output");
	status = pclose(out);
	return status == -1 ? failure("pclose:") : check_status(status);
}

const struct test test = {
	.name = "popen",
	.summary = "popen(\"exit 0\"), read to its end, pclose()",
	.takes = TAKES_PARENT | TAKES_FILES,
	.once = once,
};
