/*
 * looper.c - runs a program again and again, by fork() and execve(), and counts
 * how often in a minute: the shell tests' program.
 */
#include <unistd.h>

#include "harness/harness.h"

static pid_t create(void)
{
	const char *path = next_target();
	pid_t pid = fork();

	if (pid == 0) {
		execve(path, target_argv, target_environ);
		_exit(127);
	}
	return pid;
}

const struct test test = {
	.name = "looper",
	.summary = "runs the target again and again: rounds per minute",
	.takes = TAKES_TARGET,
	.setup = target_setup,
	.create = create,
	.teardown = target_teardown,
	.label = "lpm",
	.timebase = 60,
};
