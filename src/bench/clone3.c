/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clone3.c - the bare loop of the test "clone3" with its default options.
 */
#include "bench/bare.h"

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#ifdef SYS_clone3
int do_clone3(void)
{
	uint64_t arguments[11] = { [4] = SIGCHLD }; /* struct clone_args: exit_signal */
	pid_t pid = (pid_t)syscall(SYS_clone3, arguments, sizeof arguments);
	int status;

	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (!bare_over)
			return -1;
	return status == 0 ? 0 : -1;
}
#else
int do_clone3(void)
{
	return -1;
}
#endif
