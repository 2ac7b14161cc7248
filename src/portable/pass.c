/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pass.c - measures one pass: starts the copies of a test behind a gate, as the Perl driver
 * does (SpawnMeter::Measure::Runner), reads what they print, ends those that do not end by
 * themselves, and appends the pass to the file of samples.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/util.h"
#include "summary.h"

enum {
	OUTPUT_MAX = 262144, /* bytes that a copy may print */
	TICK_MS = 200,
	COPIES_MAX = 4096,
	WITH_HISTOGRAM = 16, /* copies whose histogram is stored */
	EXIT_SKIPPED = 77,
	EXIT_NOT_MEASURED = 3
};

/* A copy of the test; err: its standard error, or -1 after its end */
struct running {
	pid_t pid;
	int err, status;
	bool reaped;
	struct text out;
};

static struct {
	const char *file, *test, *program, *seconds, *warmup;
	unsigned long copies, round;
	double started, timeout, reference;
} spec = { .copies = 1, .warmup = "0.025" };

static struct running *copies;
static unsigned long started;
static int ready[2] = { -1, -1 }, go[2] = { -1, -1 };
static const char *problem; /* why the pass was ended early */

/* ---- starting --------------------------------------------------------------------- */

static void close_on_exec(int fd)
{
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Between two pauses for the reference loops, seconds of one copy, but not of a short pass; as
 * in SpawnMeter::Measure::Settings, like the next one */
static const char *pauses(void)
{
	return spec.copies == 1 && strtod(spec.seconds, NULL) >= 0.15 ? "0.02" : "0";
}

/* Seconds of the reference loops before the warm-up and after the pass; 0 where copies share a
 * CPU */
static double reference_seconds(void)
{
	double seconds = 0.035 * strtod(spec.seconds, NULL);

	if (seconds < 0.0017 || spec.copies > usable_cpus())
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
	(void)snprintf(reference, sizeof reference, "%.4f", spec.reference);
	if (spec.reference > 0)
		execl(spec.program, spec.program, "--gate", gate, "--warmup", spec.warmup,
			"--reference", reference, "--pauses", pauses(), spec.seconds, (char *)NULL);
	else
		execl(spec.program, spec.program, "--gate", gate, "--warmup", spec.warmup,
			spec.seconds, (char *)NULL);
	dprintf(STDERR_FILENO, "ERROR|cannot run %s: %s\n", spec.program, strerror(errno));
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
	copies = grow(NULL, spec.copies * sizeof *copies);
	memset(copies, 0, spec.copies * sizeof *copies);
	while (started < spec.copies && start_copy(&copies[started]))
		started++;
	if (started < spec.copies)
		problem = "a copy could not be started";
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
		problem = "printed too much output";
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
	struct pollfd *fds = grow(NULL, (started + 1) * sizeof *fds);
	char bytes[256];
	bool any = at_gate;

	for (unsigned long i = 0; i < started; i++) {
		fds[i] = (struct pollfd){ .fd = copies[i].err, .events = POLLIN };
		any |= copies[i].err >= 0;
	}
	fds[started] = (struct pollfd){ .fd = at_gate ? ready[0] : -1, .events = POLLIN };
	if (poll(fds, started + 1, any ? TICK_MS : 5) > 0) {
		for (unsigned long i = 0; i < started; i++)
			if (copies[i].err >= 0 && fds[i].revents != 0)
				read_output(&copies[i]);
		if (fds[started].revents != 0) {
			ssize_t got = read(ready[0], bytes, sizeof bytes);

			*are_ready += got > 0 ? (unsigned long)got : 0;
		}
	}
	free(fds);
}

static void end_copies(void)
{
	(void)close(go[1]);
	for (unsigned long i = 0; i < started; i++) {
		if (!copies[i].reaped) {
			(void)kill(-copies[i].pid, SIGKILL);
			while (waitpid(copies[i].pid, &copies[i].status, 0) < 0 && errno == EINTR)
				;
		}
		copies[i].reaped = true;
	}
}

static unsigned long ended(void)
{
	unsigned long n = 0;

	for (unsigned long i = 0; i < started; i++)
		n += reap(&copies[i]);
	return n;
}

/* Until all copies have ended, or the pass is to end; the counters from the start on */
static void watch(struct counters *before, struct counters *after)
{
	unsigned long are_ready = 0, gone = 0;
	bool open = false;

	while (problem == NULL && gone < spec.copies) {
		wait_for_output(!open, &are_ready);
		gone = ended();
		if (stop_signal)
			problem = "stopped";
		else if ((double)now_ns() / 1e9 > spec.timeout)
			problem = "timed out";
		else if (!open && gone > 0)
			problem = "a copy ended before the start";
		else if (!open && are_ready == spec.copies) {
			counters_read(before);
			open = write_all(go[1], "g", 1) == 0;
		}
	}
	counters_read(after);
	if (problem != NULL)
		end_copies();
}

/* ---- recording -------------------------------------------------------------------- */

/* The value of a line KEY|value of what a copy printed, or NULL */
static const char *line_with(const struct running *copy, const char *key)
{
	size_t length = strlen(key);
	const char *line = copy->out.data;

	while (line != NULL && *line != '\0' &&
		(strncmp(line, key, length) != 0 || line[length] != '|')) {
		line = strchr(line, '\n');
		line += line != NULL;
	}
	return line != NULL && *line != '\0' ? line + length + 1 : NULL;
}

/* NULL where the copy is good; else why not.  *status: failed or skipped */
static const char *judged(const struct running *copy, const char **status)
{
	static char reason[256];
	const char *error = line_with(copy, "ERROR"), *skip = line_with(copy, "SKIP");

	if (copy->out.length > 0 && WIFEXITED(copy->status) && WEXITSTATUS(copy->status) == 0 &&
		line_with(copy, "COUNT") != NULL && line_with(copy, "TIME") != NULL &&
		copy->out.data[copy->out.length - 1] == '\n')
		return NULL;
	*status = skip != NULL && WIFEXITED(copy->status) &&
			WEXITSTATUS(copy->status) == EXIT_SKIPPED ?
		"skipped" :
		"failed";
	if (skip != NULL || error != NULL)
		(void)snprintf(reason, sizeof reason, "%.*s",
			(int)strcspn(skip != NULL ? skip : error, "\n"),
			skip != NULL ? skip : error);
	else if (WIFSIGNALED(copy->status))
		(void)snprintf(reason, sizeof reason, "the test was killed by signal %d",
			WTERMSIG(copy->status));
	else
		(void)snprintf(reason, sizeof reason, "the test exited with status %d",
			WEXITSTATUS(copy->status));
	return reason;
}

/* The reason that a copy has itself is better than that of the pass */
static const char *outcome(const char **status)
{
	const char *reason = NULL;

	*status = "ok";
	for (unsigned long i = 0; i < started && reason == NULL; i++) {
		reason = judged(&copies[i], status);
		if (reason != NULL && problem != NULL && WIFSIGNALED(copies[i].status))
			reason = NULL; /* ended together with the pass */
	}
	if (problem == NULL)
		return reason;
	if (reason == NULL)
		*status = "failed";
	return reason != NULL ? reason : problem;
}

static void put_known(struct text *text, double before, double after)
{
	if (before < 0 || after < before)
		text_put(text, "|-");
	else
		text_put(text, "|%.6f", after - before);
}

/* What many copies print is stored without the latencies of most */
static void put_copy(struct text *text, const struct running *copy, unsigned long number)
{
	const char *line = copy->out.data;

	text_put(text, "COPY|%lu\n", number);
	while (*line != '\0') {
		size_t length = strcspn(line, "\n") + 1;
		bool latencies =
			strncmp(line, "HISTOGRAM|", 10) == 0 || strncmp(line, "BATCHES|", 8) == 0;

		if (number <= WITH_HISTOGRAM || !latencies)
			text_add(text, line, length);
		line += length;
	}
}

/* Appends the whole pass or nothing: a file that ends in half a pass could not be read */
static void append(const struct text *text)
{
	int fd = open(spec.file, O_WRONLY | O_APPEND);
	struct stat before;

	if (fd < 0 || fstat(fd, &before) != 0)
		fail("cannot write %s:", spec.file);
	if (write_all(fd, text->data, text->length) != 0) {
		int number = errno;

		if (ftruncate(fd, before.st_size) != 0)
			errno = number;
		errno = number;
		fail("cannot write %s:", spec.file);
	}
	(void)close(fd);
}

static int record(double wall, const struct counters *before, const struct counters *after)
{
	struct text text = { 0 };
	const char *status, *reason = outcome(&status);

	text_put(&text, "PASS|%s|%lu|%lu|%s|%.3f|%.6f|%.3f\n", spec.test, spec.copies, spec.round,
		status, (double)now_ns() / 1e9 - spec.started, wall, wall_clock());
	if (reason != NULL)
		text_put(&text, "REASON|%s\n", reason);
	if (reason == NULL && before->time > 0) {
		text_put(&text, "COUNTERS|%.6f", after->time - before->time);
		put_known(&text, before->busy, after->busy);
		put_known(&text, before->steal, after->steal);
		put_known(&text, before->pressure, after->pressure);
		text_put(&text, "\n");
	}
	for (unsigned long i = 0; reason == NULL && i < spec.copies; i++)
		put_copy(&text, &copies[i], i + 1);
	append(&text);
	if (reason != NULL)
		fprintf(stderr, "%s: %s: %s\n", spec.test, status, reason);
	return reason != NULL ? EXIT_NOT_MEASURED : 0;
}

/* ---- the command ------------------------------------------------------------------ */

static void set(const char *word)
{
	static const struct {
		const char *key, **value;
	} texts[] = { { "file", &spec.file }, { "test", &spec.test }, { "program", &spec.program },
		{ "seconds", &spec.seconds }, { "warmup", &spec.warmup } };
	const char *value = strchr(word, '=');
	size_t length = value != NULL ? (size_t)(value++ - word) : 0;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (length == strlen(texts[i].key) && strncmp(word, texts[i].key, length) == 0)
			*texts[i].value = value;
	if (strncmp(word, "copies=", 7) == 0)
		spec.copies = strtoul(value, NULL, 10);
	if (strncmp(word, "round=", 6) == 0)
		spec.round = strtoul(value, NULL, 10);
}

/* The monotonic clock at the start of the run, from the file's STARTED line */
static void read_started(void)
{
	char line[256];
	FILE *in = fopen(spec.file, "r");

	if (in == NULL)
		fail("cannot read %s:", spec.file);
	while (fgets(line, sizeof line, in) != NULL)
		if (sscanf(line, "STARTED|%*f|%lf", &spec.started) == 1)
			break;
	(void)fclose(in);
}

int command_pass(char **arguments)
{
	double began = (double)now_ns() / 1e9;
	struct counters before = { 0 }, after = { 0 };
	int status;

	for (; *arguments != NULL; arguments++)
		set(*arguments);
	if (spec.file == NULL || spec.test == NULL || spec.program == NULL || spec.seconds == NULL)
		fail("--pass needs file, test, program and seconds");
	if (spec.copies < 1 || spec.copies > COPIES_MAX)
		fail("a pass has 1 to %d copies", COPIES_MAX);
	read_started();
	spec.timeout = began + 2 * strtod(spec.seconds, NULL) + 30 + 0.06 * (double)spec.copies;
	spec.reference = reference_seconds();
	signals_reset();
	start_copies();
	watch(&before, &after);
	if (stop_signal) { /* the pass is not stored */
		(void)signal(stop_signal, SIG_DFL);
		(void)raise(stop_signal);
	}
	status = record((double)now_ns() / 1e9 - began, &before, &after);
	return status;
}
