/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - the life of a test program: options, set-up, gate, warm-up, timed part, result lines,
 * clean-up.  Of several copies each sets up and says at the gate that it is ready; when all are,
 * the gate opens, all warm up, and each goes on to its timed part.
 *
 * Exit status 0: measured; 1: failed, with a line ERROR|reason; 2: usage error; 77: this machine
 * cannot run it, with SKIP|reason.  A program that is stopped by a signal cleans up and then ends
 * by that signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "again.h"
#include "harness.h"
#include "os.h"
#include "pass.h"
#include "turns.h"
#include "util.h"

enum { EXIT_SKIPPED = 77 };

/* Calls setup() of each feature that is used, or after that of the test its start(). */
static int set_up_features(bool after_test)
{
	for (const struct feature *const *f = features(); *f != NULL; f++) {
		int (*function)(void) = after_test ? (*f)->start : (*f)->setup;

		if (function != NULL && feature_is_used(*f) && function() != 0)
			return -1;
	}
	return 0;
}

static int set_up(char **argv)
{
	const char *why_not = test.supported != NULL ? test.supported() : NULL;

	if (why_not != NULL)
		return skip("%s", why_not);
	if (options.cpu != NO_CPU && os_pin((int)options.cpu, argv) != 0) {
		if (errno == ENOSYS)
			usage_error("--cpu: this system cannot pin a process");
		return failure("--cpu %d:", (int)options.cpu);
	}
	if (options.turn_in >= 0)
		turns_begin(options.turn_in, options.turn_out, test.again != NULL);
	if (set_up_features(false) != 0 || (test.setup != NULL && test.setup() != 0))
		return -1;
	return set_up_features(true);
}

/* Some systems also call a pipe readable whose other end is closed.  The byte stays there for
 * the other copies. */
static bool is_empty(int descriptor)
{
	int bytes;

	return ioctl(descriptor, FIONREAD, &bytes) == 0 && bytes == 0;
}

/* Reports ready; the warm-up begins when the gate is readable.  If it is closed without a
 * byte, the process that held it has ended.  No child has the gate: its copies would share it. */
static int wait_at_gate(void)
{
	struct pollfd gate = { .fd = options.gate_go, .events = POLLIN };

	if (options.gate_go < 0)
		return 0;
	if (write_all(options.gate_ready, "r", 1) != 0)
		return failure("--gate: cannot report that the test is ready:");
	close(options.gate_ready);
	while (poll(&gate, 1, -1) < 0)
		if (errno != EINTR || stop_signal)
			return failure("stopped while waiting for the start");
	if (!(gate.revents & POLLIN) || is_empty(options.gate_go))
		return failure("--gate: the program at the other end has ended");
	close(options.gate_go);
	return 0;
}

/* --pause: what set-up and warm-up have started in the kernel ends meanwhile.  A signal ends it. */
static void rest(void)
{
	struct timespec t = { (time_t)options.pause, 0 };

	t.tv_nsec = (long)((options.pause - (double)t.tv_sec) * 1e9);
	if (options.pause > 0)
		(void)nanosleep(&t, NULL);
}

/* The reference loops before the warm-up; without a warm-up they would change what the first
 * creations find. */
static int measure_reference(void)
{
	if (options.warmup <= 0 || options.reference <= 0)
		return 0;
	return reference_print(options.reference) == 0 ? 0 : failure("--reference: cannot write:");
}

static int start_timed_part(void)
{
	rest();
	os_release_stack();
	return crew->run(true);
}

/* All copies warm up at the same time; with --turns one after the other. */
static int start(void)
{
	pass_prepare();
	if (wait_at_gate() != 0)
		return -1;
	if (options.turn_in >= 0)
		turns_wait();
	return options.warmup > 0 ? crew->run(false) : 0;
}

static int measure(char **argv)
{
	if (set_up(argv) != 0 || measure_reference() != 0 || start() != 0)
		return -1;
	return start_timed_part();
}

/* A later image of a test that executes itself goes on with the pass. */
static int go_on(void)
{
	if (test.again->resume() != 0)
		return -1;
	return the_pass->timed ? 0 : start_timed_part();
}

/* The exit status; ERROR or SKIP, or the result lines, are printed.  A reader that has gone
 * must not end the program before it has cleaned up. */
static int report(int result)
{
	struct usage after;
	bool measured = result == 0 && pass_end(&after) == 0; /* the clock stops first */

	(void)signal(SIGPIPE, SIG_IGN);
	if (measured) {
		crew->merge();
		if (pass_print(&options, &after) != 0)
			return 1;
		return options.reference > 0 && reference_print(options.reference) != 0;
	}
	return outcome_print(the_pass->timed ? crew->created() : 0) ? EXIT_SKIPPED : 1;
}

/* Where 0, 1 or 2 is closed, nothing that is opened later takes its place: results would be written
 * into it, and what a child puts there would close itself. */
static void fill_standard(void)
{
	int fd = 0;

	while (fd >= 0 && fd <= STDERR_FILENO)
		fd = open("/dev/null", O_RDONLY);
	(void)close(fd);
}

/* A crash leaves no file in the folder that is measured in. */
static void no_core_file(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_CORE, &limit) == 0) {
		limit.rlim_cur = 0;
		(void)setrlimit(RLIMIT_CORE, &limit);
	}
}

static void tear_down(void)
{
	crew->end();
	for (const struct feature *const *f = features(); *f != NULL; f++)
		if ((*f)->end != NULL && feature_is_used(*f))
			(*f)->end();
	if (test.teardown != NULL)
		test.teardown();
	if (at_end != NULL)
		at_end();
}

int main(int argc, char **argv)
{
	bool later = test.again != NULL && test.again->begin(&argc, &argv);
	int status;

	options_parse(argc, argv);
	if (argc > 0)
		invoked_as = argv[0];
	if (test.again == NULL) /* each image would map it again */
		pass_share();
	if (!later) {
		fill_standard();
		no_core_file();
		signals_reset();
		if (options.gate_go >= 0)
			os_end_with_parent();
	}
	status = report(later ? go_on() : measure(argv));
	tear_down();
	if (stop_signal) {
		(void)signal(stop_signal, SIG_DFL);
		(void)raise(stop_signal);
	}
	return status;
}
