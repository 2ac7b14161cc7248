/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pidfd.c - see pidfd.h: pidfd_open(), poll(), waitid() with P_PIDFD, close().
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "clone.h"
#include "harness.h"

#ifdef __linux__
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#define CALL syscall
#else
#define CALL(number, first, ...) ((void)(first), errno = ENOSYS, -1)
#endif

int pidfd_open_of(pid_t pid)
{
	return (int)CALL(SYS_pidfd_open, pid, 0);
}

static int wait_by(int fd, siginfo_t *info)
{
#ifdef __linux__
	return waitid((idtype_t)3, (id_t)fd, info, WEXITED); /* P_PIDFD, which older headers lack */
#else
	(void)info;
	return CALL(0, fd, 0);
#endif
}

static void kill_by(int fd)
{
	(void)CALL(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
}

/* waitid() with P_PIDFD came after pidfd_open(): a descriptor of this process, which is no
 * child, must be refused with ECHILD, not with EINVAL. */
const char *pidfd_lacks(void)
{
	int fd = pidfd_open_of(getpid());
	siginfo_t info;
	int error;

	if (fd < 0)
		return "pidfd: this system has no pidfd_open(), or forbids it: leave it out";
	error = wait_by(fd, &info) == 0 ? 0 : errno;
	close(fd);
	if (error != ECHILD)
		return "pidfd: this system's waitid() takes no process descriptor: leave it out";
	return NULL;
}

/* The status that waitpid() would have given, as WIFEXITED() and WIFSIGNALED() read it */
static int status_of(const siginfo_t *info)
{
	return info->si_code == CLD_EXITED ? (info->si_status & 0xff) << 8 : info->si_status & 0x7f;
}

int pidfd_wait(int fd)
{
	siginfo_t info;
	int result, error;

	while ((result = wait_by(fd, &info)) < 0 && errno == EINTR)
		if (stopping)
			kill_by(fd);
	if (result < 0) { /* else errno, which fork() has copied, is not written to */
		error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	close(fd);
	return status_of(&info);
}

static int poll_for(int fd)
{
	struct pollfd ended = { .fd = fd, .events = POLLIN };

	while (poll(&ended, 1, -1) < 0) {
		if (errno != EINTR)
			return -1;
		if (stopping)
			kill_by(fd);
	}
	return 0;
}

int pidfd_ended(int fd)
{
	int result = poll_for(fd);

	close(fd);
	return result;
}

int reap_by_descriptor(int fd)
{
	int status = fd < 0 ? -1 : pidfd_wait(fd);

	return status < 0 ? failure("waitid:") : check_status(status);
}

int pidfd_reap(pid_t pid)
{
	int fd = pidfd_open_of(pid);

	if (fd < 0) {
		(void)failure("pidfd:");
		(void)reap_child(pid);
		return -1;
	}
	(void)poll_for(fd);
	return reap_by_descriptor(fd);
}
