/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

atomic_int stop_signal, stopping;
volatile sig_atomic_t times_continued;
/* The process that the handlers are of: a child that has not executed a program has them, too. */
static WRITTEN pid_t owner;

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_cost_ns(void)
{
	uint64_t best = UINT64_MAX;

	for (int round = 0; round < 8; round++) {
		uint64_t start = now_ns();

		for (int i = 0; i < 15; i++)
			(void)now_ns();
		uint64_t cost = (now_ns() - start) / 16;

		if (cost < best)
			best = cost;
	}
	return best;
}

static void on_continue(int number)
{
	(void)number;
	if (getpid() == owner)
		times_continued = times_continued + 1;
}

void handle_signal(int number, void (*handler)(int))
{
	struct sigaction action;

	memset(&action, 0, sizeof action);
	action.sa_handler = handler;
	sigemptyset(&action.sa_mask);
	(void)sigaction(number, &action, NULL);
}

static void on_timer(int number)
{
	(void)number;
}

/* A wait that begins just after this would not notice it: a timer ends it, again and again.  A
 * child ends at once: after vfork() it would write to its parent's variables, and a program that it
 * executes would inherit the timer. */
static void on_stop(int number)
{
	const struct itimerval often = { { 0, 20000 }, { 0, 20000 } };

	if (getpid() != owner)
		_exit(128 + number);
	stop_signal = number;
	stopping = 1;
	handle_signal(SIGALRM, on_timer);
	(void)setitimer(ITIMER_REAL, &often, NULL);
}

/* INT and HUP may be ignored: by nohup, or by a shell for background jobs. */
static bool stays_ignored(int number)
{
	struct sigaction before;

	return (number == SIGINT || number == SIGHUP) && sigaction(number, NULL, &before) == 0 &&
		before.sa_handler == SIG_IGN;
}

static void handle_stops(void (*handler)(int))
{
	static const int stops[] = { SIGTERM, SIGINT, SIGHUP };

	for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
		if (!stays_ignored(stops[i]))
			handle_signal(stops[i], handler);
}

void signals_end_at_once(void)
{
	handle_stops(SIG_DFL);
}

void signals_reset(void)
{
	struct sigaction action = { .sa_flags = SA_RESTART }; /* as without a handler */
	sigset_t none;

	owner = getpid();
	for (int number = 1; number < NSIG; number++)
		if (!stays_ignored(number))
			handle_signal(number, SIG_DFL);
	(void)signal(SIGXFSZ, SIG_IGN); /* write() reports the limit instead */
	handle_stops(on_stop);
	action.sa_handler = on_continue;
	(void)sigaction(SIGCONT, &action, NULL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

int write_all(int fd, const char *data, size_t length)
{
	while (length > 0) {
		ssize_t done = write(fd, data, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		data += done;
		length -= (size_t)done;
	}
	return 0;
}

long read_file(const char *path, char *buffer, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;

	if (fd < 0)
		return -1;
	while (length < size - 1) {
		ssize_t done = read(fd, buffer + length, size - 1 - length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			break;
		length += (size_t)done;
	}
	close(fd);
	buffer[length] = '\0';
	return (long)length;
}

char *map_text(const char *path)
{
	char *text =
		mmap(NULL, TEXT_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (text == MAP_FAILED)
		return NULL;
	if (read_file(path, text, TEXT_SIZE) >= 0)
		return text;
	(void)munmap(text, TEXT_SIZE);
	return NULL;
}

void *shared_memory(size_t size)
{
	void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return start == MAP_FAILED ? NULL : start;
}

uint64_t open_files(void)
{
	DIR *folder = opendir("/dev/fd");
	uint64_t files = 0;

	if (folder == NULL)
		return UNKNOWN;
	while (readdir(folder) != NULL)
		files++;
	closedir(folder);
	return files - 3; /* ".", ".." and the folder itself */
}
