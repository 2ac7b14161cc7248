/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.c - does for portable/run.sh what a shell cannot: it starts the copies of a test behind a
 * gate, as the Perl driver does (SpawnMeter::Measure::Runner), reads what they print, ends those
 * that do not end by themselves, appends the pass to the file of samples, and finds what the system
 * calls tell.
 *
 * A file of samples is text, a line for each KEY|value:
 *   SPAWNMETER-SAMPLES|1          the first line: the format and its version
 *   SUITE, HOST, STARTED|seconds since 1970|monotonic clock, COMMAND, ROUNDS, SECONDS, WARMUP,
 *   SEED, BUILD (two of them), FACT|name|value
 *   CATEGORY|name|title|tests without which its score is a partial one
 *   TEST|name|title|category|baseline
 *   PASS|test|copies|round|status|at|wall|seconds since 1970 at its end
 *   COUNTERS|seconds|busy|steal|pressure of the machine in the pass, in seconds
 *   REASON|text                   where the status is failed or skipped
 *   COPY|number, then the lines that this copy of the test printed
 *   END|complete                  or why the run ended early
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/util.h"

#define SAMPLES_FORMAT "SPAWNMETER-SAMPLES|1"

/* realloc(); the program ends where memory does. */
static void *grow(void *old, size_t size)
{
	void *new = realloc(old, size);

	if (new == NULL)
		errx(1, "out of memory");
	return new;
}

static double wall_clock(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double monotonic_clock(void)
{
	return (double)now_ns() / 1e9;
}

/* Number of CPUs that this process may use */
static unsigned usable_cpus(void)
{
	static cpu_set_t sets[64]; /* the kernel refuses a set that is too small for its CPUs */

	return sched_getaffinity(0, sizeof sets, sets) == 0 ?
		(unsigned)CPU_COUNT_S(sizeof sets, sets) :
		1;
}

/* ---- a pass ------------------------------------------------------------------------ */

enum {
	OUTPUT_MAX = 262144, /* bytes that a copy may print */
	TICK_MS = 200,
	COPIES_MAX = 4096,
	EXIT_SKIPPED = 77, /* of a test */
	EXIT_NOT_MEASURED = 3
};

/* A copy of the test; out: what it printed, after a line end */
struct copy {
	pid_t pid;
	int status;
	char *out;
	size_t length;
};

/* Seconds since boot in which the CPUs were busy, stolen, or waited for; below 0: unknown */
enum { CLOCK, BUSY, STEAL, PRESSURE, COUNTERS };

static struct {
	const char *file, *test, *warmup, *seconds, *program;
	unsigned long copies, started;
	struct copy *copy;
	struct pollfd *fds;  /* the copies' standard errors, then the gate; below 0: at its end */
	const char *problem; /* why the pass was ended early, or NULL */
	double before[COUNTERS], after[COUNTERS];
} pass;

/* ---- starting --------------------------------------------------------------------- */

/* Seconds of the reference loops before the warm-up and after the pass; 0 where copies share a
 * CPU.  As in SpawnMeter::Measure::Settings, like the pauses between which one copy runs them. */
static double reference_seconds(double seconds)
{
	double share = 0.035 * seconds;

	if (share < 0.0017 || pass.copies > usable_cpus())
		return 0;
	return share > 0.1 ? 0.1 : share;
}

static void become_copy(int output, int go, int ready)
{
	double seconds = strtod(pass.seconds, NULL);
	const char *pauses = pass.copies == 1 && seconds >= 0.15 ? "0.02" : "0";
	char gate[32], reference[32];

	(void)setpgid(0, 0);
	(void)fcntl(go, F_SETFD, 0);
	(void)fcntl(ready, F_SETFD, 0);
	if (dup2(output, STDERR_FILENO) < 0)
		_exit(126);
	(void)snprintf(gate, sizeof gate, "%d,%d", go, ready);
	(void)snprintf(reference, sizeof reference, "%.4f", reference_seconds(seconds));
	execl(pass.program, pass.program, "--gate", gate, "--warmup", pass.warmup, "--reference",
		reference, "--pauses", pauses, pass.seconds, (char *)NULL);
	dprintf(STDERR_FILENO, "ERROR|cannot run %s: %s\n", pass.program, strerror(errno));
	_exit(127);
}

static bool start_copy(int go, int ready)
{
	struct copy *copy = &pass.copy[pass.started];
	int end[2];

	copy->length = 1;
	copy->out = strcpy(grow(NULL, 2), "\n");
	if (pipe2(end, O_CLOEXEC) != 0)
		return false;
	copy->pid = fork();
	if (copy->pid == 0)
		become_copy(end[1], go, ready);
	(void)close(end[1]);
	if (copy->pid < 0)
		return false;
	pass.fds[pass.started++].fd = end[0];
	(void)setpgid(copy->pid, copy->pid);
	return true;
}

/* Returns the end of the pipe that opens the gate */
static int start_copies(void)
{
	int ready[2], go[2];

	pass.copy = calloc(pass.copies, sizeof *pass.copy);
	pass.fds = calloc(pass.copies + 1, sizeof *pass.fds);
	if (pass.copy == NULL || pass.fds == NULL || pipe2(ready, O_CLOEXEC) != 0 ||
		pipe2(go, O_CLOEXEC) != 0)
		err(1, "cannot start the copies");
	for (unsigned long i = 0; i <= pass.copies; i++)
		pass.fds[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	pass.fds[pass.copies].fd = ready[0];
	while (pass.started < pass.copies && pass.problem == NULL)
		if (!start_copy(go[0], ready[1]))
			pass.problem = "a copy could not be started";
	(void)close(ready[1]);
	(void)close(go[0]);
	return go[1];
}

/* ---- watching --------------------------------------------------------------------- */

/* Busy: the sum of user, nice, system, irq and softirq; see proc(5) */
static void read_counters(double *counters)
{
	unsigned long long t[8];
	double ticks = (double)sysconf(_SC_CLK_TCK);
	char text[4096] = "";
	const char *total;
	int n;

	counters[CLOCK] = monotonic_clock();
	(void)read_file("/proc/stat", text, sizeof text);
	n = sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3],
		&t[4], &t[5], &t[6], &t[7]);
	counters[BUSY] = n >= 7 ? (double)(t[0] + t[1] + t[2] + t[5] + t[6]) / ticks : -1;
	counters[STEAL] = n == 8 ? (double)t[7] / ticks : -1;
	(void)read_file("/proc/pressure/cpu", text, sizeof text);
	total = strstr(text, "total=");
	counters[PRESSURE] = total != NULL ? strtod(total + 6, NULL) / 1e6 : -1;
}

/* Whether that was the end */
static bool read_output(struct copy *copy, int fd)
{
	char data[65536];
	ssize_t got = read(fd, data, sizeof data);

	if (got <= 0)
		return got == 0 || errno != EINTR;
	if (copy->length + (size_t)got > OUTPUT_MAX) {
		pass.problem = "printed too much output";
		return false;
	}
	copy->out = grow(copy->out, copy->length + (size_t)got + 1);
	memcpy(copy->out + copy->length, data, (size_t)got);
	copy->length += (size_t)got;
	copy->out[copy->length] = '\0';
	return false;
}

/* Reads what the copies print until all have ended, or the pass is to end. */
static void watch(double timeout, int go)
{
	unsigned long left = pass.copies, ready = 0;
	struct pollfd *gate = &pass.fds[pass.copies];
	char bytes[256];

	while (pass.problem == NULL && left > 0) {
		bool any = poll(pass.fds, pass.copies + 1, TICK_MS) > 0;
		ssize_t got = any && gate->revents != 0 ? read(gate->fd, bytes, sizeof bytes) : 0;

		for (unsigned long i = 0; any && i < pass.copies; i++)
			if (pass.fds[i].revents != 0 &&
				read_output(&pass.copy[i], pass.fds[i].fd)) {
				pass.fds[i].fd = -1;
				left--;
			}
		ready += got > 0 ? (unsigned long)got : 0;
		if (stop_signal)
			pass.problem = "stopped";
		else if (monotonic_clock() > timeout)
			pass.problem = "timed out";
		else if (gate->fd >= 0 && left < pass.copies)
			pass.problem = "a copy ended before the start";
		else if (gate->fd >= 0 && ready == pass.copies) {
			read_counters(pass.before);
			if (write_all(go, "g", 1) == 0)
				gate->fd = -1;
		}
	}
	read_counters(pass.after);
}

/* Ends each copy, if need be, with what it leaves behind in its group. */
static void end_copies(void)
{
	siginfo_t ended;

	for (unsigned long i = 0; i < pass.started; i++) {
		if (pass.problem != NULL)
			(void)kill(-pass.copy[i].pid, SIGKILL);
		while (waitid(P_PID, (id_t)pass.copy[i].pid, &ended, WEXITED | WNOWAIT) < 0 &&
			errno == EINTR)
			;
		(void)kill(-pass.copy[i].pid, SIGKILL); /* not reaped, so the id is still its own */
		(void)waitpid(pass.copy[i].pid, &pass.copy[i].status, 0);
	}
}

/* ---- recording -------------------------------------------------------------------- */

/* NULL where the copy is good; else why not */
static const char *judged(const struct copy *copy, const char **status)
{
	static char reason[256];
	const char *error = strstr(copy->out, "\nERROR|"), *skip = strstr(copy->out, "\nSKIP|");
	bool exited = WIFEXITED(copy->status);
	int code = exited ? WEXITSTATUS(copy->status) : WTERMSIG(copy->status);

	if (exited && code == 0 && strstr(copy->out, "\nCOUNT|") != NULL &&
		strstr(copy->out, "\nTIME|") != NULL && copy->out[copy->length - 1] == '\n')
		return NULL;
	*status = skip != NULL && exited && code == EXIT_SKIPPED ? "skipped" : "failed";
	error = skip != NULL ? skip : error;
	if (error != NULL)
		(void)sscanf(error, "\n%*[^|]|%255[^\n]", reason);
	else
		(void)snprintf(reason, sizeof reason, "the test %s %d",
			exited ? "exited with status" : "was killed by signal", code);
	return reason;
}

/* NULL where the pass is good.  The reason of a copy that failed is better than that of the pass */
static const char *outcome(const char **status)
{
	const char *reason = NULL;

	*status = "ok";
	for (unsigned long i = 0; i < pass.started && reason == NULL; i++)
		if (pass.problem == NULL ||
			(WIFEXITED(pass.copy[i].status) && pass.copy[i].status != 0))
			reason = judged(&pass.copy[i], status);
	if (reason != NULL || pass.problem == NULL)
		return reason;
	*status = "failed";
	return pass.problem;
}

static void put_good(FILE *file)
{
	fputs("COUNTERS", file);
	for (int i = 0; i < COUNTERS; i++)
		if (pass.before[i] < 0 || pass.after[i] < pass.before[i])
			fputs("|-", file);
		else
			fprintf(file, "|%.6f", pass.after[i] - pass.before[i]);
	fputc('\n', file);
	for (unsigned long i = 0; i < pass.copies; i++)
		fprintf(file, "COPY|%lu\n%s", i + 1, pass.copy[i].out + 1);
}

/* Creations per second of all copies, each by its own time, in the unit of the test */
static double rate_of_all(void)
{
	double all = 0;

	for (unsigned long i = 0; i < pass.copies; i++) {
		double count = 0, timebase = 0, seconds = 0;

		(void)sscanf(
			strstr(pass.copy[i].out, "\nCOUNT|"), "\nCOUNT|%lf|%lf", &count, &timebase);
		(void)sscanf(strstr(pass.copy[i].out, "\nTIME|"), "\nTIME|%lf", &seconds);
		all += seconds > 0 ? count * timebase / seconds : 0;
	}
	return all;
}

/* Appends the whole pass or nothing: a file that ends in half a pass could not be read */
static int record(double run_began, double began, const char *round)
{
	double now = monotonic_clock();
	const char *status, *reason = outcome(&status);
	FILE *file = fopen(pass.file, "a");
	struct stat before;

	if (file == NULL || fstat(fileno(file), &before) != 0)
		err(1, "cannot write %s", pass.file);
	fprintf(file, "PASS|%s|%lu|%s|%s|%.3f|%.6f|%.3f\n", pass.test, pass.copies, round, status,
		now - run_began, now - began, wall_clock());
	if (reason != NULL) {
		fprintf(file, "REASON|%s\n", reason);
		fprintf(stderr, "%s: %s: %s\n", pass.test, status, reason);
	} else {
		put_good(file);
	}
	if (ferror(file) | fclose(file))
		err(1, "cannot %s %s",
			truncate(pass.file, before.st_size) == 0 ? "write" : "shorten", pass.file);
	if (reason != NULL)
		return EXIT_NOT_MEASURED;
	return printf("%.1f\n", rate_of_all()) < 0;
}

/* FILE CLOCK TEST COPIES ROUND SECONDS WARMUP PROGRAM; CLOCK: when the run began */
static int command_pass(char **arguments)
{
	double began = monotonic_clock();
	int go;

	pass.file = arguments[0];
	pass.test = arguments[2];
	pass.copies = strtoul(arguments[3], NULL, 10);
	pass.seconds = arguments[5];
	pass.warmup = arguments[6];
	pass.program = arguments[7];
	if (pass.copies < 1 || pass.copies > COPIES_MAX)
		errx(1, "a pass has 1 to %d copies", COPIES_MAX);
	signals_reset();
	go = start_copies();
	watch(began + 2 * strtod(pass.seconds, NULL) + 30 + 0.06 * (double)pass.copies, go);
	end_copies();
	if (stop_signal) { /* the pass is not stored */
		(void)signal(stop_signal, SIG_DFL);
		(void)raise(stop_signal);
	}
	return record(strtod(arguments[1], NULL), began, arguments[4]);
}

/* ---- the commands ------------------------------------------------------------------ */

static const char usage[] =
	"usage: summary --cpus  print the number of CPUs that can be used\n"
	"       summary --machine\n"
	"                       print a name for a file of samples, and its first lines\n"
	"       summary --pass FILE CLOCK TEST COPIES ROUND SECONDS WARMUP PROGRAM\n"
	"                       measure a pass, append it to the file, print its rate\n";
enum { PASS_ARGUMENTS = 8 };

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
	fputs(usage, stderr);
	return 2;
}
