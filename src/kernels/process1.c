/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process1.c - process 1 of a kernel that ./Run kernels boots: moves itself into a control group,
 * as processes of users are in one, runs each line of /tests ("PROGRAM ARGUMENTS") and marks what
 * came of it.  The console is for people: the counter needs the marks alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined __x86_64__
#include <sys/io.h>
#else
#define ioperm(port, ports, on) 0
#define outb(byte, port) putchar(byte)
#endif

#include "kernels/mark.h"

enum { WORDS = 64 };

static void note(const char *what)
{
	printf("spawnmeter: %s: %s\n", what, strerror(errno));
}

static void mount_at(const char *type, const char *folder)
{
	if (mount(type, folder, type, 0, "") != 0)
		note(folder);
}

static void put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		note(text);
	(void)close(fd);
}

/* A leaf: in the root group memory is not charged */
static void enter_group(void)
{
	mount_at("cgroup2", "/groups");
	put("/groups/cgroup.subtree_control", "+memory");
	put("/groups/cgroup.subtree_control", "+pids");
	put("/groups/cgroup.subtree_control", "+cpu");
	(void)mkdir("/groups/tests", 0755);
	put("/groups/tests/cgroup.procs", "0");
}

/* What it prints goes to a file: the console is slow, and only a failure is of interest */
static int run(char **line)
{
	static char text[512];
	ssize_t length;
	int fd, status = -1;
	pid_t pid = vfork();

	if (pid == 0) {
		fd = open("/tmp/output", O_RDWR | O_CREAT | O_TRUNC, 0600);
		(void)dup2(fd, STDOUT_FILENO);
		(void)dup2(fd, STDERR_FILENO);
		execv(line[0], line);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && status == 0)
		return 0;
	fd = open("/tmp/output", O_RDONLY);
	length = read(fd, text, sizeof text - 1);
	(void)close(fd);
	printf("spawnmeter: %s: status %d: %.*s\n", line[0], status, length > 0 ? (int)length : 0,
		text);
	(void)fflush(stdout);
	return -1;
}

static void run_tests(char *text)
{
	char *line, *word, *argv[WORDS + 1];
	int words;

	while ((line = strsep(&text, "\n")) != NULL) {
		for (words = 0; words < WORDS && (word = strsep(&line, " ")) != NULL;)
			if (*word != '\0')
				argv[words++] = word;
		argv[words] = NULL;
		if (words == 0)
			continue;
		MARK(MARK_TEST);
		if (run(argv) == 0)
			MARK(MARK_PASSED);
		else
			MARK(MARK_FAILED);
	}
}

/* For the names of functions; where these are not asked for the counter has ended QEMU.  The driver
 * of x86's console takes three times as long as its port */
static void print_symbols(void)
{
	enum { TYPE = 17, NAME = 19, PORT = 0x3f8 };
	static char line[512];
	FILE *in = fopen("/proc/kallsyms", "r");

	(void)ioperm(PORT, 1, 1);
	while (in != NULL && fgets(line, sizeof line, in) != NULL)
		if (strchr("tTwW", line[TYPE]) && strncmp(line + NAME, "__pfx_", 6) != 0)
			for (const char *c = line; *c != '\0'; c++)
				(void)outb((unsigned char)*c, PORT);
}

int main(void)
{
	static char text[16384];
	int fd;

	mount_at("devtmpfs", "/dev");
	fd = open("/dev/console", O_RDWR);
	for (int i = 0; fd >= 0 && i < 3; i++)
		(void)dup2(fd, i);
	mount_at("proc", "/proc");
	mount_at("sysfs", "/sys");
	enter_group();
	fd = open("/tests", O_RDONLY);
	if (read(fd, text, sizeof text - 1) <= 0)
		note("/tests");
	run_tests(text);
	MARK(MARK_END);
	print_symbols();
	MARK(MARK_END);
	return reboot(RB_AUTOBOOT);
}
