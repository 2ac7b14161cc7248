/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a program under a seccomp filter that refuses one system call.
 *
 * usage: seccomp errno|kill NUMBER-OF-THE-ERROR CALL PROGRAM [ARGUMENT ...]
 *
 * Status 77 where this system has no such call or no such filters.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SKIPPED = 77 };

#define CALL(name)                                                                                 \
	{                                                                                          \
#name, SYS_##name                                                                  \
	}

static const struct {
	const char *name;
	long number;
} calls[] = {
	CALL(clone3),
	CALL(close_range),
	CALL(fcntl),
	CALL(flock),
	CALL(fsync),
	CALL(getrandom),
	CALL(memfd_create),
	CALL(perf_event_open),
	CALL(pidfd_open),
	CALL(prctl),
	CALL(sched_getaffinity),
	CALL(sched_setaffinity),
	CALL(statx),
#ifdef SYS_vfork
	CALL(vfork),
#endif
};

static long number_of(const char *name)
{
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (!strcmp(calls[i].name, name))
			return calls[i].number;
	return -1;
}

static int refuse(unsigned number, unsigned action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return SKIPPED;
	long number = number_of(argv[3]);
	unsigned action = strcmp(argv[1], "kill") ? SECCOMP_RET_ERRNO | (unsigned)atoi(argv[2]) :
						    SECCOMP_RET_KILL_PROCESS;
	if (number < 0 || refuse((unsigned)number, action))
		return SKIPPED;
	execvp(argv[4], argv + 4);
	perror(argv[4]);
	return SKIPPED;
}
