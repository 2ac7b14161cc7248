/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpuid.c - how many CPUID instructions a program executes, and what one takes here (Linux,
 * x86_64).  libc and its dynamic loader identify the processor at each start; in a virtual
 * machine the hypervisor answers each CPUID.
 *
 *   cc -o cpuid bench/cpuid.c && ./cpuid pgms/start-static
 *
 * It counts by single steps, so the program runs some thousand times slower.
 */
#include <cpuid.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TIMES = 201, CPUID = 0xa20f };

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int by_size(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

/* Nanoseconds of one, median */
static uint64_t time_of_cpuid(void)
{
	static uint64_t times[TIMES];
	unsigned a, b, c, d;

	for (int i = 0; i < TIMES; i++) {
		uint64_t before = now();

		__cpuid_count(4, i % 4, a, b, c, d);
		times[i] = now() - before;
	}
	qsort(times, TIMES, sizeof *times, by_size);
	return times[TIMES / 2];
}

/* Until the child ends; -1 where it cannot be traced */
static long count(pid_t pid, long *steps)
{
	struct user_regs_struct registers;
	long found = 0;
	int status;

	for (*steps = 0; waitpid(pid, &status, 0) == pid && WIFSTOPPED(status); ++*steps) {
		if (ptrace(PTRACE_GETREGS, pid, NULL, &registers) != 0)
			return -1;
		if ((ptrace(PTRACE_PEEKTEXT, pid, (void *)registers.rip, NULL) & 0xffff) == CPUID)
			found++;
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0)
			return -1;
	}
	return *steps > 0 && WIFEXITED(status) ? found : -1;
}

int main(int argc, char **argv)
{
	long found, steps;
	pid_t pid;

	if (argc < 2) {
		fputs("usage: cpuid PROGRAM [argument ...]\n", stderr);
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
			execv(argv[1], argv + 1);
		_exit(127);
	}
	found = count(pid, &steps);
	if (found < 0) {
		fprintf(stderr, "cannot trace %s\n", argv[1]);
		return 1;
	}
	printf("%s: %ld CPUID among %ld instructions; one takes %llu ns\n", argv[1], found, steps,
		(unsigned long long)time_of_cpuid());
	return 0;
}
