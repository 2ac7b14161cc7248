/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracer.c - tracer PID SECONDS: traces that process alone, passes its signals on, and goes.
 * (strace that is told to go while a traced process waits in vfork() hangs.)
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	pid_t pid = (pid_t)atol(argv[1]);
	alarm((unsigned int)atoi(argv[2])); /* its SIGALRM ends this process */
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0)
		return 1;
	int status;
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status))
		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)WSTOPSIG(status));
	return 0;
}
