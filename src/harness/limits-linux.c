/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limits-linux.c - os.h for Linux: how much memory may be used, and the limit or filter that a
 * creation likely met.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "group.h"
#include "os.h"
#include "util.h"

uint64_t os_memory_available(void)
{
	uint64_t free_kb = os_number_in("/proc/meminfo", "\nMemAvailable");
	uint64_t free_bytes = free_kb == UNKNOWN ? UNKNOWN : free_kb * 1024;
	uint64_t in_group = cgroup_memory_left();

	return in_group < free_bytes ? in_group : free_bytes;
}

/* fork(2) does not report it, so the one with the largest share in use is named. */
struct limit {
	const char *name;
	uint64_t value, used;
};

/* The tasks of one process from /proc/PID/status; 0 if it belongs to another user. */
static uint64_t own_tasks(const char *pid)
{
	char path[300];
	uint64_t threads;

	snprintf(path, sizeof path, "/proc/%s/status", pid);
	if (os_number_in(path, "\nUid") != getuid())
		return 0;
	threads = os_number_in(path, "\nThreads");
	return threads == UNKNOWN ? 1 : threads;
}

static uint64_t tasks_of_user(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	uint64_t tasks = 0;

	if (proc == NULL)
		return 0;
	while ((entry = readdir(proc)) != NULL)
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			tasks += own_tasks(entry->d_name);
	closedir(proc);
	return tasks;
}

static uint64_t number_at(const char *path)
{
	char text[64];

	return read_file(path, text, sizeof text) > 0 ? strtoull(text, NULL, 10) : 0;
}

/* All tasks of the machine: the number after the slash in /proc/loadavg */
static uint64_t tasks_of_machine(void)
{
	char text[128];
	const char *slash;

	if (read_file("/proc/loadavg", text, sizeof text) <= 0 || !(slash = strchr(text, '/')))
		return 0;
	return strtoull(slash + 1, NULL, 10);
}

bool os_forbids_clone3(void)
{
#ifdef SYS_clone3
	int saved = errno;
	/* a size of 0 is never valid: EINVAL, or ENOSYS from an old kernel */
	bool forbidden = syscall(SYS_clone3, NULL, 0) == -1 && errno == EPERM;

	errno = saved; /* callers still report the error that made them ask */
	return forbidden;
#else
	return false;
#endif
}

static void why_limited(char *buffer, size_t size)
{
	struct limit limits[4], *fullest = NULL;
	struct rlimit nproc;
	size_t n = 0;

	if (getrlimit(RLIMIT_NPROC, &nproc) == 0 && nproc.rlim_cur != RLIM_INFINITY &&
		getuid() != 0)
		limits[n++] = (struct limit){ "RLIMIT_NPROC (ulimit -u)", nproc.rlim_cur,
			tasks_of_user() };
	limits[n].name = "pids.max of the cgroup";
	if (cgroup_pids(&limits[n].value, &limits[n].used) == 0)
		n++;
	limits[n++] = (struct limit){ "kernel.threads-max",
		number_at("/proc/sys/kernel/threads-max"), tasks_of_machine() };
	limits[n++] = (struct limit){ "kernel.pid_max", number_at("/proc/sys/kernel/pid_max"),
		tasks_of_machine() };
	for (size_t i = 0; i < n; i++)
		if (limits[i].value > 0 &&
			(fullest == NULL ||
				(double)limits[i].used / (double)limits[i].value >
					(double)fullest->used / (double)fullest->value))
			fullest = &limits[i];
	buffer[0] = '\0';
	if (fullest != NULL)
		snprintf(buffer, size, "; likely %s = %llu, of which %llu are in use",
			fullest->name, (unsigned long long)fullest->value,
			(unsigned long long)fullest->used);
}

void os_why_no_process(int error, char *buffer, size_t size)
{
	if (error != EPERM)
		why_limited(buffer, size);
	else if (os_forbids_clone3())
		snprintf(buffer, size,
			"; a seccomp filter forbids clone3(), as that of old container runtimes "
			"does: update the runtime, or run without the filter");
}
