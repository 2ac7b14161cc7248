/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.c - chooses the command, and prints the beginning of a file of samples.
 */
#include "summary.h"

#include <err.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "harness/util.h"

static const char usage[] =
	"usage: summary --cpus  print the number of CPUs that can be used\n"
	"       summary --machine\n"
	"                       print a name for a file of samples, and its first lines\n"
	"       summary --pass FILE CLOCK TEST COPIES ROUND SECONDS WARMUP PROGRAM\n"
	"                       measure a pass, append it to the file, print its rate\n";
enum { PASS_ARGUMENTS = 8 };

void *grow(void *old, size_t size)
{
	void *new = realloc(old, size);

	if (new == NULL)
		errx(1, "out of memory");
	return new;
}

double wall_clock(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double monotonic_clock(void)
{
	return (double)now_ns() / 1e9;
}

unsigned usable_cpus(void)
{
	static cpu_set_t sets[64]; /* the kernel refuses a set that is too small for its CPUs */

	return sched_getaffinity(0, sizeof sets, sets) == 0 ?
		(unsigned)CPU_COUNT_S(sizeof sets, sets) :
		1;
}

/* The lines of a file of samples, and its name, that only a program knows */
static int command_machine(void)
{
	time_t now = time(NULL);
	struct utsname name;
	char day[16];

	if (uname(&name) != 0)
		err(1, "uname");
	(void)strftime(day, sizeof day, "%Y-%m-%d", localtime(&now));
	printf("%s-%s\n%s\nSUITE|%s\nHOST|%s\n", name.nodename, day, SAMPLES_FORMAT,
		SPAWNMETER_VERSION, name.nodename);
	printf("STARTED|%.3f|%.6f\nFACT|page_size|%ld\n", wall_clock(), monotonic_clock(),
		sysconf(_SC_PAGESIZE));
	printf("FACT|system|%s\nFACT|kernel_release|%s\n", name.sysname, name.release);
	printf("FACT|kernel_version|%s\nFACT|architecture|%s\n", name.version, name.machine);
	return fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--machine") == 0)
		return command_machine();
	if (argc == 2 + PASS_ARGUMENTS && strcmp(argv[1], "--pass") == 0)
		return command_pass(argv + 2);
	if (argc == 2 && strcmp(argv[1], "--cpus") == 0)
		return printf("%u\n", usable_cpus()) < 0;
	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return fputs(usage, stdout) < 0;
	fputs(usage, stderr);
	return 2;
}
