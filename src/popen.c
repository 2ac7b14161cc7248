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
	bool silent;
	int status;

	if (out == NULL) {
		if (os_forbids_clone3()) /* libc reports ENOMEM then */
			errno = EPERM;
		return creation_failed("popen");
	}
	creation_returned();
	silent = getc(out) == EOF;
	status = pclose(out);
	if (status == -1)
		return failure("pclose:");
	return silent ? check_status(status) : failure("the shell printed unexpected output");
}

const struct test test = {
	.name = "popen",
	.summary = "popen(\"exit 0\"), read to its end, pclose()",
	.features = FEATURES(&parent_feature, &files_feature),
	.once = once,
};
