/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - the life of a test program: options, set-up, warm-up, gate, timed
 * part, result lines, clean-up.  Exit status 0: measured; 1: failed, with a line
 * ERROR|reason; 2: usage error; 77: this machine cannot run it, with SKIP|reason.  A
 * program that is stopped by a signal cleans up and then ends by that signal.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "again.h"
#include "cleaner.h"
#include "footprint.h"
#include "harness.h"
#include "os.h"
#include "pass.h"
#include "spawners.h"
#include "start.h"
#include "turns.h"
#include "util.h"

enum { EXIT_SKIPPED = 77 };

static uint64_t began; /* when main() was called, in a later image */

/* ---- a whole run ------------------------------------------------------------ */

static int set_up(char **argv)
{
	const char *why_not = test.supported != NULL ? test.supported(&options) : NULL;

	if (why_not != NULL)
		return skip("%s", why_not);
	if (options.cpu >= 0 && os_pin(options.cpu, argv) != 0) {
		if (errno == ENOSYS)
			usage_error("--cpu: this system cannot pin a process");
		return failure("--cpu %d:", options.cpu);
	}
	turns_begin(options.turn_in, options.turn_out, test.takes & TAKES_AGAIN);
	if (test.takes & TAKES_AGAIN)
		again_begin(&options, true);
	if (options_leave_files())
		cleaner_begin(test.takes & TAKES_AGAIN);
	if (part_prepare(&options) != 0 || footprint_make(&options) != 0 ||
		(options.phases && test.phases->setup() != 0) ||
		(test.setup != NULL && test.setup(&options) != 0))
		return -1;
	return spawners_start(&options);
}

/* Some systems also call a pipe readable whose other end is closed.  The byte stays there for
 * the other copies. */
static bool is_empty(int descriptor)
{
	int bytes;

	return ioctl(descriptor, FIONREAD, &bytes) == 0 && bytes == 0;
}

/* Reports ready; the clock starts when the gate is readable.  If it is closed without a
 * byte, the process that held it has ended. */
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
		return failure("--gate: the program that was to start the test has ended");
	return 0;
}

static int warm_up(void)
{
	return options.warmup > 0 ? spawners_run(false) : 0;
}

/* What set-up and warm-up have started in the kernel ends meanwhile.  A signal ends it. */
static void rest(void)
{
	struct timespec t = { (time_t)options.pause, 0 };

	t.tv_nsec = (long)((options.pause - (double)t.tv_sec) * 1e9);
	if (options.pause > 0)
		(void)nanosleep(&t, NULL);
}

/* The warm-up follows it; without one it would change what the first creations find. */
static int measure_reference(void)
{
	if (options.warmup > 0 && reference_print(options.reference) != 0)
		return failure("--reference: cannot write:");
	return 0;
}

static int start_timed_part(void)
{
	rest();
	if (wait_at_gate() != 0)
		return -1;
	turns_wait();
	os_release_stack();
	return spawners_run(true);
}

/* A later image of a test that executes itself first counts the creation that led to
 * it. */
static int measure(char **argv)
{
	uint64_t last;

	if (options.resume == NULL)
		return set_up(argv) != 0 || measure_reference() != 0 || warm_up() != 0 ||
				start_timed_part() != 0 ?
			-1 :
			0;
	if (test.setup(&options) != 0 || pass_restore(options.resume) != 0 ||
		spawners_start(&options) != 0 ||
		(options.phases && test.phases->continues(began, pass.timed) != 0))
		return -1;
	turns_begin(options.turn_in, options.turn_out, true);
	last = pass.last;
	again_begin(&options, false);
	if (again_note(&pass, &options) != 0 || pass_note(&pass, 1) != 0)
		return -1;
	pass_turn(&pass, &options, last);
	if (part_run(&pass, &options) != 0)
		return -1;
	return pass.timed ? 0 : start_timed_part();
}

/* The exit status; ERROR or SKIP, or the result lines, are printed.  A reader that has gone
 * must not end the program before it has cleaned up. */
static int report(int result)
{
	struct usage after;

	(void)signal(SIGPIPE, SIG_IGN);
	if (result == 0 && pass_end(&after) == 0) {
		spawners_merge();
		return pass_print(&options, &after) != 0 || reference_print(options.reference) != 0;
	}
	outcome_print(pass.timed ? spawners_created() : 0);
	return outcome_skipped() ? EXIT_SKIPPED : 1;
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
	spawners_end();
	if (test.teardown != NULL)
		test.teardown();
	cleaner_end();
}

int main(int argc, char **argv)
{
	int status;

	if (test.takes & TAKES_AGAIN) {
		if (again_is_short(argc, argv))
			return again_run(argv);
		again_continues(&argc, &argv);
	}
	if (argc > 1 && strcmp(argv[1], "--resume") == 0)
		began = now_ns();
	options_parse(argc, argv);
	folders_begin(argv[0]);
	if (test.takes & TAKES_AGAIN)
		carry_begin(argc, argv, options.resume != NULL);
	else /* each image would map it again */
		pass_share();
	if (options.no_latency)
		pass_without_latencies();
	if (options.resume == NULL) { /* the first image cleans up */
		no_core_file();
		signals_reset();
		if (options.gate_go >= 0)
			os_end_with_parent();
	}
	status = report(measure(argv));
	tear_down();
	if (stop_signal) {
		(void)signal(stop_signal, SIG_DFL);
		(void)raise(stop_signal);
	}
	return status;
}
