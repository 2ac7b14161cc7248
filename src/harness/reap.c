/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reap.c - how a supervisor learns that a child has ended (--reap), and its other children, which
 * live on (--siblings): they wait at a pipe until their parent closes it, or ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#endif

#include "clone.h"
#include "footprint.h"
#include "latch.h"
#include "os.h"
#include "pass.h"

/* About three times what the kernel needs for a sibling: 80 kB (x86-64, Linux 6.18) */
enum { SIBLING_BYTES = 256 << 10 };
enum way { PID = 1, ANY, PIDFD, EPOLL, SIGNAL, SUBREAPER };

WRITTEN bool orphans_wanted;

static uint64_t siblings, living; /* asked for, and created */
static const char *way_name;
static enum way way;
static struct latch latch;

/* The child has forked and exited: what it left is a child of this process. */
static int reap_orphan(pid_t pid)
{
	return reap_child(pid) != 0 ? -1 : reap_any(0);
}

static int reap_pidfd(pid_t pid)
{
	return reap_by_descriptor(pidfd_open_of(pid));
}

#ifdef __linux__
static int set = -1; /* of epoll, or the descriptor of signals */

/* A descriptor of that child, which is in the set; -1 with errno */
static int watch(pid_t pid)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd = pidfd_open_of(pid);

	return fd >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) != 0 ? -1 : fd;
}

static int reap_epoll(pid_t pid)
{
	struct epoll_event event;
	int fd = watch(pid);

	while (fd >= 0 && epoll_wait(set, &event, 1, -1) < 0 && errno == EINTR)
		if (stopping)
			(void)kill(pid, SIGKILL);
	return reap_by_descriptor(fd);
}

/* One signal may stand for several children, so that the wait is repeated until none has ended. */
static int reap_signal(pid_t pid)
{
	struct signalfd_siginfo info;
	bool done = false;
	int status, result = 0;

	while (!done) {
		if (read(set, &info, sizeof info) < 0 && errno != EINTR)
			return failure("signalfd:");
		if (stopping)
			(void)kill(pid, SIGKILL);
		for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0; done |= ended == pid)
			if (check_status(status) != 0)
				result = -1;
	}
	return result;
}

/* What a way needs besides.  0, or -1 with errno */
static RARE int prepare_way(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	if (way == SUBREAPER)
		return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (way == EPOLL)
		set = epoll_create1(EPOLL_CLOEXEC);
	else if (way == SIGNAL && sigprocmask(SIG_BLOCK, &signals, NULL) == 0)
		set = signalfd(-1, &signals, SFD_CLOEXEC);
	return way >= EPOLL && set < 0 ? -1 : 0;
}
#else
#define watch pidfd_open_of
#define reap_epoll NULL
#define reap_signal NULL
static RARE int prepare_way(void)
{
	errno = ENOSYS;
	return way >= EPOLL ? -1 : 0;
}
#endif

static RARE int make_siblings(void)
{
	char why[512] = "";

	if (check_memory("--siblings", siblings * SIBLING_BYTES) != 0 ||
		(way == EPOLL && allow_files("--siblings", siblings) != 0))
		return -1;
	if (latch_make(&latch) != 0 || fcntl(latch.ends[1], F_SETFD, FD_CLOEXEC) != 0)
		return failure("--siblings:");
	for (; living < siblings; living++) {
		pid_t pid = fork();

		if (pid == 0) {
			(void)latch_wait(&latch);
			_exit(0);
		}
		if (pid < 0) {
			os_why_no_process(errno, why, sizeof why);
			return skip("--siblings %llu: only %llu could be created%s",
				(unsigned long long)siblings, (unsigned long long)living, why);
		}
		if (way == EPOLL && watch(pid) < 0)
			return failure("--siblings: pidfd:");
	}
	return 0;
}

static RARE int setup(void)
{
	static int (*const ways[])(pid_t) = { [ANY] = reap_any,
		[PIDFD] = reap_pidfd,
		[EPOLL] = reap_epoll,
		[SIGNAL] = reap_signal,
		[SUBREAPER] = reap_orphan };
	const char *lacks = way == PIDFD || way == EPOLL ? pidfd_lacks() : NULL;

	if (lacks == NULL && prepare_way() != 0)
		lacks = strerror(errno);
	if (lacks != NULL)
		return skip("--reap %s: %s", way_name, lacks);
	orphans_wanted = way == SUBREAPER;
	reap_by = way > PID ? ways[way] : NULL;
	return siblings > 0 ? make_siblings() : 0;
}

/* The last one would otherwise be left to process 1, which some containers have none for. */
static RARE void end(void)
{
	if (living > 0)
		(void)close(latch.ends[1]);
	while (living > 0 && waitpid(-1, NULL, 0) > 0)
		living--;
}

static void check(void)
{
	static const struct word words[] = { { "pid", PID }, { "any", ANY }, { "pidfd", PIDFD },
		{ "epoll", EPOLL }, { "sigchld", SIGNAL }, { "subreaper", SUBREAPER },
		{ NULL, 0 } };

	if (way_name != NULL && strpbrk(way_name, ",+") != NULL)
		usage_error("--reap takes one way");
	way = (enum way)parse_list("reap", way_name, words, NULL);
	if (way == SUBREAPER && strcmp(test.name, "fork") != 0)
		usage_error("--reap subreaper: only the child of the test fork leaves an orphan");
}

static const struct entry reap_options[] = {
	{ NUMBER, &siblings, .usage = "siblings N: have N more children, which wait",
		.most = 4000000 },
	{ TEXT, &way_name,
		.usage = "reap WAY: learn of the child's end by pid (wait4() for it), any (wait4() "
			 "for any), pidfd, epoll (over the descriptors of all children), sigchld "
			 "(signalfd, then waits for any), subreaper (of fork: the child leaves an "
			 "orphan)",
		.excludes = "burst spawners touch" },
	{ 0 },
};
const struct feature reap_feature = {
	.options = reap_options, .check = check, .setup = setup, .end = end
};
