/*
 * trace.c - where the time of one creation goes.  Parent and child write clock
 * readings into a page that they share; a close-on-exec pipe tells the parent the
 * moment of exec.
 *
 *   trace [--cpu N] METHOD COUNT [TARGET]
 *
 * METHOD: fork, vfork, clone, forkexec, vforkexec, posix_spawn.  Prints for each
 * phase PHASE|name|p50|p90|p99, in microseconds; the phases are in order, and each
 * is timed by itself: medians do not add up exactly.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COUNT_MAX = 1000000 };

/* The readings of one creation, in nanoseconds */
enum mark { CALL, RETURNED, CHILD, LEAVES, EXECED, WAITED, MARKS };
static volatile uint64_t *mark;         /* shared with the child */
static const char *method;
static char *target_argv[2];
extern char **environ;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void fail(const char *what)
{
	fprintf(stderr, "ERROR|%s: %s\n", what, strerror(errno));
	exit(1);
}

static bool is(const char *name)
{
	return strcmp(method, name) == 0;
}

static bool execs(void)
{
	return is("forkexec") || is("vforkexec") || is("posix_spawn");
}

/* The child: what it does lies between two readings. */
static void child(void)
{
	mark[CHILD] = now();
	if (execs()) {
		mark[LEAVES] = now();
		execve(target_argv[0], target_argv, environ);
		_exit(127);
	}
	mark[LEAVES] = now();
	_exit(0);
}

#ifdef __linux__
static int cloned(void *unused)
{
	(void)unused;
	mark[CHILD] = now();
	mark[LEAVES] = now();
	return 0;
}

static pid_t make_clone(void)
{
	static char stack[65536] __attribute__((aligned(16)));

	return clone(cloned, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | SIGCHLD, NULL);
}
#else
static pid_t make_clone(void)
{
	errno = ENOSYS;
	return -1;
}
#endif

static pid_t create(void)
{
	pid_t pid = -1;

	if (is("fork") || is("forkexec")) {
		pid = fork();
		if (pid == 0)
			child();
	} else if (is("vfork") || is("vforkexec")) {
		pid = vfork();
		if (pid == 0)
			child();
	} else if (is("clone")) {
		pid = make_clone();
	} else {
		errno = posix_spawn(&pid, target_argv[0], NULL, NULL, target_argv, environ);
		if (errno != 0)
			pid = -1;
	}
	return pid;
}

static void once(void)
{
	int ends[2] = { -1, -1 }, status;
	char byte;
	pid_t pid;

	/* with vfork and posix_spawn the call itself comes back at the exec */
	if (is("forkexec") && (pipe(ends) != 0 || fcntl(ends[1], F_SETFD, FD_CLOEXEC) != 0))
		fail("pipe");
	mark[CALL] = now();
	pid = create();
	mark[RETURNED] = now();
	if (pid < 0)
		fail(method);
	if (ends[0] >= 0) {
		close(ends[1]);
		while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
			;
		mark[EXECED] = now();
		close(ends[0]);
	} else {
		mark[EXECED] = mark[RETURNED];
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fail("waitpid");
	mark[WAITED] = now();
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "ERROR|the child ended with status %d\n", status);
		exit(1);
	}
}

/* ---- phases ------------------------------------------------------------------ */

static const struct phase {
	const char *name;
	enum mark from, to;
	const char *methods;
} phases[] = {
	{ "call to return in the parent", CALL, RETURNED, "fork vfork clone forkexec vforkexec posix_spawn" },
	{ "call to first instruction in the child", CALL, CHILD, "fork vfork clone forkexec vforkexec" },
	{ "the child's own time", CHILD, LEAVES, "fork vfork clone forkexec vforkexec" },
	{ "exec to its success", LEAVES, EXECED, "forkexec vforkexec" },
	{ "success of exec to wait's return", EXECED, WAITED, "forkexec vforkexec posix_spawn" },
	{ "exit to wait's return", LEAVES, WAITED, "fork vfork clone" },
	{ "the whole", CALL, WAITED, "fork vfork clone forkexec vforkexec posix_spawn" },
};
enum { PHASES = sizeof phases / sizeof *phases };

static bool concerns(const struct phase *p)
{
	const char *found = strstr(p->methods, method);

	/* not the fork in vfork, nor that in forkexec */
	while (found != NULL && ((found > p->methods && found[-1] != ' ') ||
	    (found[strlen(method)] != ' ' && found[strlen(method)] != '\0')))
		found = strstr(found + 1, method);
	return found != NULL;
}

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static void print_phases(double *times[], size_t count)
{
	for (int i = 0; i < PHASES; i++) {
		if (!concerns(&phases[i]))
			continue;
		qsort(times[i], count, sizeof *times[i], by_size);
		printf("PHASE|%s|%.3f|%.3f|%.3f\n", phases[i].name, times[i][count / 2] / 1e3,
			times[i][count * 9 / 10] / 1e3, times[i][count * 99 / 100] / 1e3);
	}
}

static void usage(void)
{
	fputs("usage: trace [--cpu N] fork|vfork|clone|forkexec|vforkexec|posix_spawn COUNT [TARGET]\n", stderr);
	exit(2);
}

static void pin(const char *cpu)
{
#ifdef __linux__
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(strtoul(cpu, NULL, 10), &set);
	if (sched_setaffinity(0, sizeof set, &set) != 0)
		fail("--cpu");
#else
	(void)cpu;
	errno = ENOSYS;
	fail("--cpu");
#endif
}

int main(int argc, char **argv)
{
	static const char *const known[] = { "fork", "vfork", "clone", "forkexec", "vforkexec", "posix_spawn", NULL };
	static double *times[PHASES];   /* until the end */
	size_t count, i = 0;

	if (argc > 2 && strcmp(argv[1], "--cpu") == 0) {
		pin(argv[2]);
		argc -= 2;
		argv += 2;
	}
	if (argc < 3 || argc > 4)
		usage();
	method = argv[1];
	while (known[i] != NULL && !is(known[i]))
		i++;
	count = strtoul(argv[2], NULL, 10);
	if (known[i] == NULL || count < 1 || count > COUNT_MAX || (execs() && argc < 4))
		usage();
	target_argv[0] = argv[3];
	(void)signal(SIGCHLD, SIG_DFL);
	mark = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (mark == MAP_FAILED)
		fail("mmap");
	for (i = 0; i < PHASES; i++)
		if ((times[i] = calloc(count, sizeof **times)) == NULL)
			fail("memory");
	for (i = 0; i < 100; i++)       /* warm */
		once();
	for (i = 0; i < count; i++) {
		once();
		for (int p = 0; p < PHASES; p++)
			times[p][i] = (double)(int64_t)(mark[phases[p].to] - mark[phases[p].from]);
	}
	print_phases(times, count);
	return 0;
}
