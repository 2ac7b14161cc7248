/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch.c - Launch Throughput: a process started and reaped with all that programs do
 * around it: pipes for its output, redirection, descriptors closed, a directory, signals, a
 * process group, a terminal, a search in PATH, a process descriptor.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/clone.h"
#include "harness/harness.h"
#include "harness/starters.h"
#include "harness/util.h"

static const char *with, *by; /* --with, --by */
static const struct starter *starter = starters;

/* What a thread reads: the ends of pipes, of standard output and standard error of the
 * child, and what it reads there.  All of it is written to while the child lives. */
static _Thread_local struct reading {
	struct pollfd from[2];
	char block[65536];
} * reading;

/* ---- --with LIST ------------------------------------------------------------------------- */

enum { ALL = PIPES | ACTIONS | CLOSEFROM | CHDIR | SIGNALS | PGROUP | SEARCH | PIDFD };
static const struct word ingredients[] = {
	{ "pipes", PIPES },
	{ "actions", ACTIONS },
	{ "closefrom", CLOSEFROM },
	{ "chdir", CHDIR },
	{ "signals", SIGNALS },
	{ "pgroup", PGROUP },
	{ "path", SEARCH },
	{ "pidfd", PIDFD },
	{ "setsid", SETSID },
	{ "pdeathsig", PDEATHSIG },
	{ "tcsetpgrp", TERMINAL | PGROUP },
	{ "mask", MASK },
	{ "all", ALL },
	{ "none", 0 },
	{ "output=SIZE", 0 },
	{ NULL, 0 },
};

/* True for output=SIZE */
static bool take_output(const char *word)
{
	static const char output[] = "output=";
	const char *size = word + sizeof output - 1;

	if (strncmp(word, output, sizeof output - 1) != 0)
		return false;
	if (!parse_size(size, &launch.output) || launch.output == 0)
		usage_error("--with: 'output=%s': the size must be a number above 0, then k, M, G "
			    "or nothing",
			size);
	launch.with |= OUTPUT | PIPES | ACTIONS;
	return true;
}

/* Fills in `with` and `output` from --with, or the default: those of "all", and pidfd only where
 * the system has it.  An unknown word is a usage error. */
static void ingredients_choose(void)
{
	bool without_pidfd = pidfd_lacks() != NULL;
	unsigned listed = (unsigned)parse_list("with", with, ingredients, take_output);

	launch.with |= with != NULL ? listed : ALL;
	/* only the word itself demands it */
	if (without_pidfd && (with == NULL || strstr(with, "pidfd") == NULL))
		launch.with &= ~(unsigned)PIDFD;
}

/* ---- the folder of PATH in which a launch finds its target ------------------------------- */

extern char **environ;

/* Makes PATH the folder of the target alone.  0, or -1 after failure(). */
static int set_path(void)
{
	bool inherited = target_environ == environ;
	char *folder = strdup(next_target()), *slash = folder != NULL ? strrchr(folder, '/') : NULL;
	int result = -1;

	if (slash != NULL) {
		slash[slash == folder] = '\0';
		result = setenv("PATH", folder, 1);
	}
	free(folder);
	if (inherited)
		target_environ = environ;
	return result == 0 ? 0 : failure("cannot set PATH:");
}

/* ---- set-up ------------------------------------------------------------------- */

static void choose_starter(void)
{
	if (by == NULL)
		return;
	while (starter->name != NULL && strcmp(starter->name, by) != 0)
		starter++;
	if (starter->name == NULL)
		usage_error("--by: '%s' is not posix_spawn, vfork or fork", by);
}

static const char *supported(void)
{
	const char *lacks;

	choose_starter();
	ingredients_choose();
	if (launch.with & SETSID && launch.with & PGROUP)
		usage_error("--with: setsid and pgroup exclude each other: a session has a process "
			    "group of its own");
	if (launch.with & OUTPUT && target_options.exec != NULL)
		usage_error("--with output=SIZE runs a target of its own: leave out --exec");
	if (launch.with & OUTPUT && (options.phases || target_options.through != NULL))
		usage_error("--%s: the target of --with output=SIZE does not %s",
			options.phases ? "phases" : "through",
			options.phases ? "stamp its start" : "go through another program");
	lacks = starter->lacks(launch.with);
	if (lacks == NULL && launch.with & PIDFD)
		lacks = pidfd_lacks();
	return lacks;
}

/* One above the highest open descriptor, with room for the pipes of so many threads: what is
 * to be closed where the system has no call for all */
static int highest_descriptor(int threads)
{
	enum { MOST = 65536, PIPES_ROOM = 8 };
	long limit = sysconf(_SC_OPEN_MAX);
	int highest = 2;

	if (limit < 0 || limit > MOST)
		limit = MOST;
	for (int fd = 3; fd < limit; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			highest = fd;
	return highest + PIPES_ROOM * threads;
}

/* The target's own argument, after its trial run, which writes nothing */
static void ask_for_output(void)
{
	static char size[24];
	static char *argv[3];

	snprintf(size, sizeof size, "%llu", (unsigned long long)launch.output);
	argv[0] = target_argv[0];
	argv[1] = size;
	target_argv = argv;
}

static int setup(void)
{
	if (launch.with & OUTPUT)
		target_options.exec = "write-output";
	if (target_setup() != 0)
		return -1;
	if (launch.with & OUTPUT)
		ask_for_output();
	if (launch.with & SEARCH && set_path() != 0)
		return -1;
	if (launch.with & ACTIONS && !(launch.with & PIPES)) {
		launch.null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		if (launch.null < 0)
			return failure("/dev/null:");
	}
	if (launch.with & TERMINAL && terminal_make() != 0)
		return -1;
	launch.most = launch.with & CLOSEFROM ? highest_descriptor((int)options.spawners) : 0;
	return 0;
}

/* ---- one launch ---------------------------------------------------------------- */

/* A pipe whose ends exec closes.  0 or -1 with errno. */
static int open_pipe(int *read_end, int *write_end)
{
	int ends[2];

#ifdef __APPLE__
	if (pipe(ends) != 0)
		return -1;
	(void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	(void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#else
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
#endif
	*read_end = ends[0];
	*write_end = ends[1];
	return 0;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The ends that this process reads, with errno as it was */
static void give_up(void)
{
	int error = errno;

	close_end(&reading->from[0].fd);
	close_end(&reading->from[1].fd);
	errno = error;
}

static int begin_reading(void)
{
	reading = uncopied_memory(sizeof *reading);
	if (reading == NULL)
		return -1;
	for (int i = 0; i < 2; i++)
		reading->from[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	return 0;
}

static int open_pipes(struct ends *ends)
{
	if (open_pipe(&reading->from[0].fd, &ends->out) != 0)
		return -1;
	if (open_pipe(&reading->from[1].fd, &ends->err) == 0)
		return 0;
	give_up();
	(void)close(ends->out); /* the pass ends */
	return -1;
}

static pid_t create(void)
{
	struct ends mine = { -1, -1 }, childs;
	pid_t pid;

	if ((reading == NULL && begin_reading() != 0) ||
		(launch.with & PIPES && open_pipes(&mine) != 0))
		return -1;
	childs = mine;
	if (!(launch.with & ACTIONS))
		childs = (struct ends){ -1, -1 };
	else if (!(launch.with & PIPES))
		childs = (struct ends){ launch.null, launch.null };
	pid = starter->start(&childs);
	if (pid < 0)
		give_up();
	close_end(&mine.out);
	close_end(&mine.err);
	return pid;
}

/* Reads what is there from one end; closes it at its end.  Bytes. */
static uint64_t read_some(struct pollfd *end)
{
	ssize_t length = read(end->fd, reading->block, sizeof reading->block);

	if (length > 0)
		return (uint64_t)length;
	if (length == 0 || errno != EINTR)
		close_end(&end->fd);
	return 0;
}

/* Reads both pipes to their ends, whichever has something: the bytes of both.  0, or -1 after
 * failure(). */
static int read_output(pid_t pid, uint64_t *bytes)
{
	struct pollfd *from = reading->from;

	while (from[0].fd >= 0 || from[1].fd >= 0) {
		int ready = poll(from, 2, -1);

		if (ready < 0 && errno != EINTR) {
			(void)kill(pid, SIGKILL); /* not reaped: the id is its own */
			return failure("poll:");
		}
		if (ready < 0 && stopping) { /* what the child has started may hold the pipes */
			(void)kill(-pid, SIGKILL);
			give_up();
		}
		for (int i = 0; ready > 0 && i < 2; i++)
			if (from[i].fd >= 0 && from[i].revents != 0)
				*bytes += read_some(&from[i]);
	}
	return 0;
}

static int reap(pid_t pid)
{
	uint64_t bytes = 0;

	if (launch.with & PIPES && read_output(pid, &bytes) != 0) {
		(void)reap_child(pid);
		return -1;
	}
	if ((launch.with & PIDFD ? pidfd_reap : reap_child)(pid) != 0)
		return -1;
	if (launch.with & TERMINAL && terminal_give(launch.group) != 0)
		return failure("tcsetpgrp:");
	if (launch.with & OUTPUT && bytes != launch.output)
		return failure("%llu bytes came out of the pipes, %llu were written",
			(unsigned long long)bytes, (unsigned long long)launch.output);
	return 0;
}

static const struct entry own_options[] = {
	{ TEXT, &with,
		.usage = "with LIST: make the launch of: pipes, actions, closefrom, chdir, "
			 "signals, pgroup, path, pidfd; all (default); setsid, pdeathsig, "
			 "tcsetpgrp, mask, output=SIZE; none" },
	{ TEXT, &by, .usage = "by CALL: start by posix_spawn (default), vfork or fork" },
	{ 0 },
};
static const struct feature own = { .options = own_options };

const struct test test = {
	.name = "launch",
	.summary = "start of the target with pipes, redirections, a directory, signals, a process "
		   "group and PATH; its output read to the end; reaped",
	.features =
		FEATURES(&own, &parent_feature, &depth_feature, &files_feature, &spawners_feature,
			&environ_feature, &target_feature, &own_target_feature, &phases_feature),
	.supported = supported,
	.setup = setup,
	.create = create,
	.reap = reap,
};
