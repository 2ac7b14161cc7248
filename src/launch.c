/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch.c - Launch Throughput: a process started and reaped with all that programs do
 * around it: pipes for its output, redirection, descriptors closed, a directory, signals, a
 * process group, a search in PATH, a process descriptor.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined __FreeBSD__ || defined __NetBSD__
#include <sys/param.h>
#endif

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "harness/clone.h"
#include "harness/harness.h"
#include "harness/os.h"
#include "harness/util.h"

/* The ingredients, as bits */
enum ingredient {
	PIPES = 1 << 0,      /* two pipes, whose ends the parent reads until they are closed */
	ACTIONS = 1 << 1,    /* dup2() of their other ends to descriptors 1 and 2 */
	CLOSEFROM = 1 << 2,  /* no descriptor above 2 is open in the child */
	CHDIR = 1 << 3,      /* the child's working directory is / */
	SIGNALS = 1 << 4,    /* no blocked signal; SIGPIPE and SIGXFSZ have their default */
	PGROUP = 1 << 5,     /* a process group of its own */
	SEARCH = 1 << 6,     /* a name without a slash, found in the only folder of PATH */
	PIDFD = 1 << 7,      /* reaped through a process descriptor */
	OUTPUT = 1 << 8,     /* a target that writes */
	SETSID = 1 << 9,     /* a session of its own */
	PDEATHSIG = 1 << 10, /* SIGTERM when its parent ends (Linux) */
};

/* What one launch is made of; the same for all of a pass. */
static struct {
	unsigned with;   /* ingredients */
	uint64_t output; /* bytes that the target writes */
	int null;        /* /dev/null, which ACTIONS uses if there are no PIPES; else -1 */
	int most;        /* one above the highest descriptor that may be open */
} launch = { .null = -1 };

/* The writing ends of the child's standard output and standard error; -1: left alone */
struct ends {
	int out, err;
};

/* ---- by posix_spawn(): the ingredients as file actions and attributes, which are made anew for
 * each launch, as programs do, since the pipes differ ---- */

/* Which C libraries have posix_spawn_file_actions_addchdir_np() and addclosefrom_np(): the
 * manual pages of glibc, musl's release notes (1.1.24), FreeBSD's manual page, Apple's
 * header.  musl has no macro of its own, so that Linux without glibc is taken for it. */
#if defined __GLIBC__
#define HAS_CHDIR __GLIBC_PREREQ(2, 29)
#define HAS_CLOSEFROM __GLIBC_PREREQ(2, 34)
#elif defined __linux__ || defined __APPLE__
#define HAS_CHDIR 1
#elif defined __FreeBSD__ && __FreeBSD_version >= 1301000
#define HAS_CHDIR 1
#define HAS_CLOSEFROM 1
#endif
#ifdef POSIX_SPAWN_SETSID /* glibc 2.26, musl 1.1.24, macOS 10.15 */
#define SETSID_FLAG POSIX_SPAWN_SETSID
#else
#define SETSID_FLAG 0
#endif
#ifndef HAS_CHDIR
#define HAS_CHDIR 0
#endif
#ifndef HAS_CLOSEFROM
#define HAS_CLOSEFROM 0
#endif

/* NULL, or the ingredient that this system or C library cannot do, and why */
static const char *spawn_lacks(unsigned with)
{
	if (with & CHDIR && !HAS_CHDIR)
		return "chdir: this C library's posix_spawn() cannot change the directory; leave "
		       "it out of --with, or use --by vfork";
	if (with & SETSID && SETSID_FLAG == 0)
		return "setsid: this C library's posix_spawn() cannot make a session; leave it out "
		       "of --with, or use --by vfork";
	if (with & PDEATHSIG)
		return "pdeathsig: posix_spawn() cannot ask for the signal; use --by vfork";
	return NULL;
}

static int add_chdir(posix_spawn_file_actions_t *actions)
{
#if HAS_CHDIR
	return posix_spawn_file_actions_addchdir_np(actions, "/");
#else
	(void)actions;
	return ENOSYS;
#endif
}

/* Closes one by one where there is no call for all, except the ends that dup2() still needs: they
 * are closed by exec. */
static int add_closefrom(posix_spawn_file_actions_t *actions)
{
#if HAS_CLOSEFROM
	return posix_spawn_file_actions_addclosefrom_np(actions, 3);
#else
	int error = 0;

	for (int fd = 3; fd < launch.most && error == 0; fd++)
		error = posix_spawn_file_actions_addclose(actions, fd);
	return error;
#endif
}

/* Adds the actions in the order in which posix_spawn() is to make the calls.  0 or an error number.
 */
static int fill_actions(posix_spawn_file_actions_t *actions, const struct ends *ends)
{
	int error = 0;

	if (ends->out >= 0)
		error = posix_spawn_file_actions_adddup2(actions, ends->out, 1);
	if (error == 0 && ends->err >= 0)
		error = posix_spawn_file_actions_adddup2(actions, ends->err, 2);
	if (error == 0 && launch.with & CLOSEFROM)
		error = add_closefrom(actions);
	if (error == 0 && launch.with & CHDIR)
		error = add_chdir(actions);
	return error;
}

static int fill_attributes(posix_spawnattr_t *attributes, unsigned with)
{
	sigset_t none, defaults;
	short flags = 0;
	int error = 0;

	if (with & SIGNALS) {
		sigemptyset(&none);
		sigemptyset(&defaults);
		sigaddset(&defaults, SIGPIPE);
		sigaddset(&defaults, SIGXFSZ);
		flags |= POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
		error = posix_spawnattr_setsigmask(attributes, &none);
		if (error == 0)
			error = posix_spawnattr_setsigdefault(attributes, &defaults);
	}
	if (error == 0 && with & PGROUP) {
		flags |= POSIX_SPAWN_SETPGROUP;
		error = posix_spawnattr_setpgroup(attributes, 0);
	}
	if (with & SETSID)
		flags |= SETSID_FLAG;
	return error != 0 ? error : posix_spawnattr_setflags(attributes, flags);
}

static int start_next(pid_t *pid, unsigned with, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes)
{
	const char *path = next_target();

	if (with & SEARCH)
		return posix_spawnp(pid, strrchr(path, '/') + 1, actions, attributes, target_argv,
			target_environ);
	return posix_spawn(pid, path, actions, attributes, target_argv, target_environ);
}

/* Starts the target, with attributes if an ingredient needs them. */
static int start_with(pid_t *pid, const posix_spawn_file_actions_t *actions)
{
	posix_spawnattr_t attributes;
	int error;

	if (!(launch.with & (SIGNALS | PGROUP | SETSID)))
		return start_next(pid, launch.with, actions, NULL);
	error = posix_spawnattr_init(&attributes);
	if (error != 0)
		return error;
	error = fill_attributes(&attributes, launch.with);
	if (error == 0)
		error = start_next(pid, launch.with, actions, &attributes);
	(void)posix_spawnattr_destroy(&attributes);
	return error;
}

static pid_t launch_by_spawn(const struct ends *ends)
{
	posix_spawn_file_actions_t actions;
	bool needed = launch.with & (ACTIONS | CLOSEFROM | CHDIR);
	pid_t pid;
	int error = needed ? posix_spawn_file_actions_init(&actions) : 0;

	if (error == 0) {
		error = needed ? fill_actions(&actions, ends) : 0;
		if (error == 0)
			error = start_with(&pid, needed ? &actions : NULL);
		if (needed)
			(void)posix_spawn_file_actions_destroy(&actions);
	}
	errno = error; /* posix_spawn() returns the error and does not set errno */
	return error == 0 ? pid : -1;
}

/* ---- by fork() or vfork(): the child itself makes the calls of the ingredients ----------- */

/* execvpe() is not in POSIX; macOS has none. */
#if defined __linux__ || defined __NetBSD__ || defined __OpenBSD__
#define HAS_EXECVPE 1
#else
#define HAS_EXECVPE 0
#endif

static const char *exec_lacks(unsigned with)
{
	if (with & SEARCH && !HAS_EXECVPE)
		return "path: this C library has no execvpe(); leave it out of --with, or use "
		       "--by posix_spawn";
#ifndef __linux__
	if (with & PDEATHSIG)
		return "pdeathsig: only Linux has it; leave it out of --with";
#endif
	return NULL;
}

static int set_signals(void)
{
	struct sigaction action;
	sigset_t none;

	memset(&action, 0, sizeof action);
	action.sa_handler = SIG_DFL;
	sigemptyset(&none);
	if (sigaction(SIGPIPE, &action, NULL) != 0 || sigaction(SIGXFSZ, &action, NULL) != 0)
		return -1;
	return sigprocmask(SIG_SETMASK, &none, NULL);
}

static int prepare(const struct ends *ends)
{
	if (ends->out >= 0 && dup2(ends->out, 1) < 0)
		return -1;
	if (ends->err >= 0 && dup2(ends->err, 2) < 0)
		return -1;
	if (launch.with & CLOSEFROM)
		os_close_from(3, launch.most);
	if (launch.with & CHDIR && chdir("/") != 0)
		return -1;
	if (launch.with & SIGNALS && set_signals() != 0)
		return -1;
#ifdef __linux__
	if (launch.with & PDEATHSIG && prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) != 0)
		return -1;
#endif
	if (launch.with & SETSID)
		return setsid() < 0 ? -1 : 0;
	return launch.with & PGROUP ? setpgid(0, 0) : 0;
}

/* In the child; after vfork() it shares the parent's memory and changes nothing there. */
static void become(const struct ends *ends, const char *path)
{
	if (prepare(ends) == 0) {
#if HAS_EXECVPE
		if (launch.with & SEARCH)
			execvpe(strrchr(path, '/') + 1, target_argv, target_environ);
		else
#endif
			execve(path, target_argv, target_environ);
	}
	_exit(127);
}

static pid_t launch_by_fork(const struct ends *ends)
{
	const char *path = next_target();
	pid_t pid = fork();

	if (pid == 0)
		become(ends, path);
	return pid;
}

static pid_t launch_by_vfork(const struct ends *ends)
{
	const char *path = next_target();
	pid_t pid = vfork();

	if (pid == 0)
		become(ends, path);
	return pid;
}

/* ---- the test ---- */

static const char *with, *by; /* --with, --by */
static pid_t (*start)(const struct ends *);

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
		usage_error("--with: 'output=%s': the size must be a number above 0, then k, M, "
			    "G or nothing",
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

static void choose_start(void)
{
	if (by == NULL || strcmp(by, "posix_spawn") == 0)
		start = launch_by_spawn;
	else if (strcmp(by, "vfork") == 0)
		start = launch_by_vfork;
	else if (strcmp(by, "fork") == 0)
		start = launch_by_fork;
	else
		usage_error("--by: '%s' is not posix_spawn, vfork or fork", by);
}

static const char *supported(void)
{
	const char *lacks;

	choose_start();
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
	lacks = start == launch_by_spawn ? spawn_lacks(launch.with) : exec_lacks(launch.with);
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
	pid = start(&childs);
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
	if (launch.with & OUTPUT && bytes != launch.output)
		return failure("%llu bytes came out of the pipes, %llu were written",
			(unsigned long long)bytes, (unsigned long long)launch.output);
	return 0;
}

static const struct entry own_options[] = {
	{ TEXT, &with,
		.usage = "with LIST: make the launch of: pipes, actions, closefrom, chdir, "
			 "signals, pgroup, "
			 "path, pidfd; all (default); setsid, pdeathsig, output=SIZE; none" },
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
