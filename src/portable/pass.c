/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pass.c - measures one pass: starts the copies of a test behind a gate, as the Perl driver
 * does (SpawnMeter::Measure::Runner), reads what they print, ends those that do not end by
 * themselves, and has the pass recorded (record.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/util.h"
#include "pass.h"

enum {
	OUTPUT_MAX = 262144, /* bytes that a copy may print */
	TICK_MS = 200,
	COPIES_MAX = 4096
};

static struct pass pass = { .copies = 1, .warmup = "0.025" };
static int ready[2] = { -1, -1 }, go[2] = { -1, -1 };

/* ---- starting --------------------------------------------------------------------- */

static void close_on_exec(int fd)
{
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Between two pauses for the reference loops, seconds of one copy, but not of a short pass; as
 * in SpawnMeter::Measure::Settings, like the next one */
static const char *pauses(void)
{
	return pass.copies == 1 && strtod(pass.seconds, NULL) >= 0.15 ? "0.02" : "0";
}

/* Seconds of the reference loops before the warm-up and after the pass; 0 where copies share a
 * CPU */
static double reference_seconds(void)
{
	double seconds = 0.035 * strtod(pass.seconds, NULL);

	if (seconds < 0.0017 || pass.copies > usable_cpus())
		return 0;
	return seconds > 0.1 ? 0.1 : seconds;
}

static void become_copy(int err)
{
	char gate[32], reference[32];

	(void)setpgid(0, 0);
	if (dup2(err, STDERR_FILENO) < 0)
		_exit(126);
	(void)snprintf(gate, sizeof gate, "%d,%d", go[0], ready[1]);
	(void)snprintf(reference, sizeof reference, "%.4f", pass.reference);
	if (pass.reference > 0)
		execl(pass.program, pass.program, "--gate", gate, "--warmup", pass.warmup,
			"--reference", reference, "--pauses", pauses(), pass.seconds, (char *)NULL);
	else
		execl(pass.program, pass.program, "--gate", gate, "--warmup", pass.warmup,
			pass.seconds, (char *)NULL);
	dprintf(STDERR_FILENO, "ERROR|cannot run %s: %s\n", pass.program, strerror(errno));
	_exit(127);
}

static bool start_copy(struct running *copy)
{
	int end[2];

	if (pipe(end) != 0)
		return false;
	close_on_exec(end[0]);
	close_on_exec(end[1]);
	copy->pid = fork();
	if (copy->pid == 0)
		become_copy(end[1]);
	(void)close(end[1]);
	copy->err = end[0];
	(void)fcntl(copy->err, F_SETFL, O_NONBLOCK);
	if (copy->pid > 0)
		(void)setpgid(copy->pid, copy->pid);
	else
		(void)close(copy->err);
	return copy->pid > 0;
}

static void start_copies(void)
{
	if (pipe(ready) != 0 || pipe(go) != 0)
		fail("pipe:");
	close_on_exec(ready[0]);
	close_on_exec(go[1]);
	pass.running = grow(NULL, pass.copies * sizeof *pass.running);
	memset(pass.running, 0, pass.copies * sizeof *pass.running);
	while (pass.started < pass.copies && start_copy(&pass.running[pass.started]))
		pass.started++;
	if (pass.started < pass.copies)
		pass.problem = "a copy could not be started";
	(void)close(ready[1]);
	(void)close(go[0]);
}

/* ---- watching --------------------------------------------------------------------- */

static void read_output(struct running *copy)
{
	char data[65536];
	ssize_t got = read(copy->err, data, sizeof data);

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got > 0 && copy->out.length + (size_t)got > OUTPUT_MAX)
		pass.problem = "printed too much output";
	else if (got > 0)
		text_add(&copy->out, data, (size_t)got);
	if (got <= 0) {
		(void)close(copy->err);
		copy->err = -1;
	}
}

/* What a copy leaves behind in its group ends with it */
static bool reap(struct running *copy)
{
	if (!copy->reaped && waitpid(copy->pid, &copy->status, WNOHANG) == copy->pid) {
		copy->reaped = true;
		(void)kill(-copy->pid, SIGKILL);
	}
	return copy->reaped && copy->err < 0;
}

static void wait_for_output(bool at_gate, unsigned long *are_ready)
{
	struct pollfd *fds = grow(NULL, (pass.started + 1) * sizeof *fds);
	char bytes[256];
	bool any = at_gate;

	for (unsigned long i = 0; i < pass.started; i++) {
		fds[i] = (struct pollfd){ .fd = pass.running[i].err, .events = POLLIN };
		any |= pass.running[i].err >= 0;
	}
	fds[pass.started] = (struct pollfd){ .fd = at_gate ? ready[0] : -1, .events = POLLIN };
	if (poll(fds, pass.started + 1, any ? TICK_MS : 5) > 0) {
		for (unsigned long i = 0; i < pass.started; i++)
			if (pass.running[i].err >= 0 && fds[i].revents != 0)
				read_output(&pass.running[i]);
		if (fds[pass.started].revents != 0) {
			ssize_t got = read(ready[0], bytes, sizeof bytes);

			*are_ready += got > 0 ? (unsigned long)got : 0;
		}
	}
	free(fds);
}

static void end_copies(void)
{
	(void)close(go[1]);
	for (unsigned long i = 0; i < pass.started; i++) {
		if (!pass.running[i].reaped) {
			(void)kill(-pass.running[i].pid, SIGKILL);
			while (waitpid(pass.running[i].pid, &pass.running[i].status, 0) < 0 &&
				errno == EINTR)
				;
		}
		pass.running[i].reaped = true;
	}
}

static unsigned long ended(void)
{
	unsigned long n = 0;

	for (unsigned long i = 0; i < pass.started; i++)
		n += reap(&pass.running[i]);
	return n;
}

/* Until all copies have ended, or the pass is to end; the counters from the start on */
static void watch(void)
{
	unsigned long are_ready = 0, gone = 0;
	bool open = false;

	while (pass.problem == NULL && gone < pass.copies) {
		wait_for_output(!open, &are_ready);
		gone = ended();
		if (stop_signal)
			pass.problem = "stopped";
		else if ((double)now_ns() / 1e9 > pass.timeout)
			pass.problem = "timed out";
		else if (!open && gone > 0)
			pass.problem = "a copy ended before the start";
		else if (!open && are_ready == pass.copies) {
			counters_read(&pass.before);
			open = write_all(go[1], "g", 1) == 0;
		}
	}
	counters_read(&pass.after);
	if (pass.problem != NULL)
		end_copies();
}

/* ---- the command ------------------------------------------------------------------ */

static void set(const char *word)
{
	static const struct {
		const char *key, **value;
	} texts[] = { { "file", &pass.file }, { "test", &pass.test }, { "program", &pass.program },
		{ "seconds", &pass.seconds }, { "warmup", &pass.warmup } };
	const char *value = strchr(word, '=');
	size_t length = value != NULL ? (size_t)(value++ - word) : 0;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (length == strlen(texts[i].key) && strncmp(word, texts[i].key, length) == 0)
			*texts[i].value = value;
	if (strncmp(word, "copies=", 7) == 0)
		pass.copies = strtoul(value, NULL, 10);
	if (strncmp(word, "round=", 6) == 0)
		pass.round = strtoul(value, NULL, 10);
}

/* The monotonic clock at the start of the run, from the file's STARTED line */
static double run_started(const char *file)
{
	char line[256];
	double started = 0;
	FILE *in = fopen(file, "r");

	if (in == NULL)
		fail("cannot read %s:", file);
	while (fgets(line, sizeof line, in) != NULL)
		if (sscanf(line, "STARTED|%*f|%lf", &started) == 1)
			break;
	(void)fclose(in);
	return started;
}

int command_pass(char **arguments)
{
	pass.began = (double)now_ns() / 1e9;
	for (; *arguments != NULL; arguments++)
		set(*arguments);
	if (pass.file == NULL || pass.test == NULL || pass.program == NULL || pass.seconds == NULL)
		fail("--pass needs file, test, program and seconds");
	if (pass.copies < 1 || pass.copies > COPIES_MAX)
		fail("a pass has 1 to %d copies", COPIES_MAX);
	pass.run_began = run_started(pass.file);
	pass.timeout =
		pass.began + 2 * strtod(pass.seconds, NULL) + 30 + 0.06 * (double)pass.copies;
	pass.reference = reference_seconds();
	signals_reset();
	start_copies();
	watch();
	if (stop_signal) { /* the pass is not stored */
		(void)signal(stop_signal, SIG_DFL);
		(void)raise(stop_signal);
	}
	return pass_record(&pass);
}
