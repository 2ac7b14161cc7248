/*
 * main.c - the life of a test program: options, set-up, warm-up, gate, timed
 * part, result lines, clean-up.  Status 0: measured; 1: failed, with a line
 * ERROR|reason; 2: wrong command line; 77: not on this machine, SKIP|reason;
 * by a signal, if one asked it to stop.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "footprint.h"
#include "options.h"
#include "os.h"
#include "pass.h"
#include "util.h"

enum { EXIT_SKIPPED = 77 };

static struct options options;
static bool skipped;
static int own_argc;
static char **own_argv, **next_argv;
static pid_t *burst;

/* ---- why a test ends early ------------------------------------------------ */

/* A first reason is the cause; what follows from it does not replace it. */
static void record(const char *format, va_list arguments)
{
	int error = errno;
	size_t length;

	if (reason[0] != '\0')
		return;
	vsnprintf(reason, sizeof reason - 256, format, arguments);
	length = strlen(reason);
	if (length > 0 && reason[length - 1] == ':')
		snprintf(reason + length, sizeof reason - length, " %s", strerror(error));
}

int failure(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	record(format, arguments);
	va_end(arguments);
	return -1;
}

int skip(const char *format, ...)
{
	va_list arguments;

	skipped = reason[0] == '\0';
	va_start(arguments, format);
	record(format, arguments);
	va_end(arguments);
	return -1;
}

static int creation_failed(void)
{
	char why[512] = "";
	int error = errno;

	if (error == EAGAIN)
		os_why_no_process(why, sizeof why);
	return failure("%s: %s%s", test.name, strerror(error), why);
}

/* ---- one iteration -------------------------------------------------------- */

int check_status(int status)
{
	if (stop_signal)                /* whatever became of the child */
		return failure("stopped by signal %d", (int)stop_signal);
	if (WIFSIGNALED(status))
		return failure("the child was killed by signal %d", WTERMSIG(status));
	if (!WIFEXITED(status))
		return failure("the child ended in no known way (status %d)", status);
	if (WEXITSTATUS(status) == 127 && (test.takes & TAKES_TARGET))
		return failure("the child could not run its target (status 127)");
	if (WEXITSTATUS(status) != 0)
		return failure("the child exited with status %d", WEXITSTATUS(status));
	return 0;
}

int reap_child(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return failure("waitpid:");
		if (stop_signal)
			(void)kill(pid, SIGKILL);       /* ours and not reaped */
	}
	return check_status(status);
}

static int reap(pid_t pid)
{
	return test.reap != NULL ? test.reap(pid) : reap_child(pid);
}

/* Creates as many as a burst has, then reaps all that were created. */
static int create_and_reap_burst(void)
{
	uint64_t made = 0;
	int result = 0;

	pass_creating();
	while (made < options.burst && (burst[made] = test.create()) >= 0)
		made++;
	if (made < options.burst)
		result = creation_failed();
	pass_reaping();
	for (uint64_t i = 0; i < made; i++)
		if (reap(burst[i]) != 0)
			result = -1;
	if (result != 0)
		pass.created += made;
	return result;
}

static int iterate(void)
{
	pid_t pid;

	if (test.create == NULL)
		return test.once();
	if (options.burst > 1)
		return create_and_reap_burst();
	pid = test.create();
	return pid < 0 ? creation_failed() : reap(pid);
}

static int run_part(void)
{
	while (!pass_over(&options)) {
		for (uint64_t quiet = pass_quiet(&options); quiet > 0; quiet--) {
			if (iterate() != 0)
				return -1;
			pass.created += options.burst;
		}
		if (iterate() != 0)
			return -1;
		pass_note(options.burst);
	}
	return stop_signal ? failure("stopped by signal %d", (int)stop_signal) : 0;
}

/* ---- carried across exec --------------------------------------------------- */

/* The vector is ours already when this is not the first image. */
char **carry_on(const char *program)
{
	if (options.resume == NULL && next_argv == NULL) {
		next_argv = calloc((size_t)own_argc + 3, sizeof *next_argv);
		if (next_argv == NULL)
			return NULL;
		next_argv[0] = (char *)program;
		next_argv[1] = "--resume";
		memcpy(next_argv + 3, own_argv + 1, (size_t)own_argc * sizeof *own_argv);
	} else if (next_argv == NULL) {
		next_argv = own_argv;
	}
	next_argv[2] = (char *)pass_save();
	return next_argv;
}

/* ---- the whole -------------------------------------------------------------- */

static int set_up(void)
{
	const char *why_not = test.supported != NULL ? test.supported(&options) : NULL;

	if (why_not != NULL)
		return skip("%s", why_not);
	if (options.cpu >= 0 && os_pin(options.cpu) != 0) {
		if (errno == ENOSYS)
			usage_error("--cpu: this system cannot pin a process");
		return failure("--cpu %d:", options.cpu);
	}
	if (options.burst > 1 && (burst = calloc(options.burst, sizeof *burst)) == NULL)
		return failure("--burst %llu:", (unsigned long long)options.burst);
	if (footprint_make(&options) != 0)
		return -1;
	return test.setup != NULL ? test.setup(&options) : 0;
}

/* Ready; then the clock starts when the other end is written to.  Where it is
 * closed unwritten, whoever held it is gone. */
static int wait_at_gate(void)
{
	struct pollfd gate = { .fd = options.gate_go, .events = POLLIN };

	if (options.gate_go < 0)
		return 0;
	if (write_all(options.gate_ready, "r", 1) != 0)
		return failure("gate:");
	close(options.gate_ready);
	while (poll(&gate, 1, -1) < 0)
		if (errno != EINTR || stop_signal)
			return failure("stopped at the gate");
	if (!(gate.revents & POLLIN))
		return failure("the gate was closed");
	return 0;
}

static int warm_up(void)
{
	if (options.warmup > 0) {
		pass_begin(false, &options);
		return run_part();
	}
	return 0;
}

static int start_timed_part(void)
{
	if (wait_at_gate() != 0)
		return -1;
	pass_begin(true, &options);
	return run_part();
}

/* In a later image of a test that execs itself, the creation that led here is
 * over and is counted first. */
static int measure(void)
{
	if (options.resume == NULL)
		return set_up() != 0 || warm_up() != 0 || start_timed_part() != 0 ? -1 : 0;
	if (test.setup(&options) != 0 || pass_restore(options.resume) != 0)
		return -1;
	pass_note(1);
	if (run_part() != 0)
		return -1;
	return pass.timed ? 0 : start_timed_part();
}

static void print_reason(void)
{
	char line[sizeof reason + 128];

	for (char *c = reason; *c != '\0'; c++)
		if (*c == '\n' || *c == '|')
			*c = ' ';
	if (skipped)
		snprintf(line, sizeof line, "SKIP|%s\n", reason);
	else
		snprintf(line, sizeof line, "ERROR|%s, after %llu creations\n", reason,
			(unsigned long long)(pass.timed ? pass.created : 0));
	(void)write_all(STDERR_FILENO, line, strlen(line));
}

int main(int argc, char **argv)
{
	struct usage after;
	int result;

	own_argc = argc;
	own_argv = argv;
	options_parse(argc, argv, &options);
	if (options.no_latency)
		pass_without_latencies();
	if (options.resume == NULL) {   /* a later image has nothing to clean up */
		signals_reset();
		if (options.gate_go >= 0)
			os_end_with_parent();
	}
	result = measure();
	if (result == 0) {
		pass_end(&after);
		if (pass_print(&options, &after) != 0)
			result = 1;
	} else {
		print_reason();
		result = skipped ? EXIT_SKIPPED : 1;
	}
	if (test.teardown != NULL)
		test.teardown();
	if (stop_signal) {
		(void)signal(stop_signal, SIG_DFL);
		(void)raise(stop_signal);
	}
	return result;
}
