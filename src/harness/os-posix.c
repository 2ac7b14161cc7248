/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * os-posix.c - os.h, clone.h, clone3.h and loader.h for systems other than Linux, but for what is
 * in src/systems.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach/vm_inherit.h>
#endif

#include "clone.h"
#include "clone3.h"
#include "loader.h"
#include "os.h"

/* minherit() of the BSDs and of macOS */
#ifdef __APPLE__
#define NOT_INHERITED VM_INHERIT_NONE
#elif defined INHERIT_NONE
#define NOT_INHERITED INHERIT_NONE
#elif defined MAP_INHERIT_NONE
#define NOT_INHERITED MAP_INHERIT_NONE
#endif

uint64_t os_rundelay_ns(void)
{
	return UNKNOWN;
}

uint64_t os_surroundings(void)
{
	return UNKNOWN;
}

uint64_t os_suspended_ns(void)
{
	return UNKNOWN;
}

int os_filter(unsigned instructions)
{
	(void)instructions;
	errno = ENOSYS;
	return -1;
}

/* The BSDs have closefrom(); macOS has none. */
void os_close_from(int first, int end)
{
#ifdef __APPLE__
	for (int fd = first; fd < end; fd++)
		(void)close(fd);
#else
	(void)end;
	closefrom(first);
#endif
}

int os_pin(int cpu, char **argv)
{
	(void)cpu;
	(void)argv;
	errno = ENOSYS;
	return -1;
}

int os_cpu(void)
{
	return -1;
}

void os_end_with_parent(void)
{
}

void os_release_stack(void)
{
}

uint64_t os_memory_available(void)
{
	return UNKNOWN;
}

void os_end_first(void)
{
}

int os_advise_huge(void *start, size_t size)
{
	(void)start, (void)size;
	errno = ENOSYS;
	return -1;
}

int os_advise_small(void *start, size_t size)
{
	(void)start, (void)size;
	return 0; /* these systems use small pages anyway */
}

int os_advise_dontfork(void *start, size_t size)
{
#ifdef NOT_INHERITED
	return minherit(start, size, NOT_INHERITED);
#else
	(void)start, (void)size;
	errno = ENOSYS;
	return -1;
#endif
}

uint64_t os_huge_bytes(void)
{
	return UNKNOWN;
}

int os_memory_file(void)
{
	return -1;
}

bool os_forbids_clone3(void)
{
	return false;
}

void os_why_no_process(int error, char *buffer, size_t size)
{
	struct rlimit limit;

	buffer[0] = '\0';
	if (error == EAGAIN && getrlimit(RLIMIT_NPROC, &limit) == 0 &&
		limit.rlim_cur != RLIM_INFINITY)
		snprintf(
			buffer, size, "; RLIMIT_NPROC is %llu", (unsigned long long)limit.rlim_cur);
}

bool has_raw_fork(void)
{
	return false;
}

pid_t raw_fork(void)
{
	errno = ENOSYS;
	return -1;
}

pid_t raw_getpid(void)
{
	return getpid();
}

/* ---- clone.h, clone3.h, loader.h ---------------------------------------------------------- */

bool has_clone(void)
{
	return false;
}

bool has_raw_clone(void)
{
	return false;
}

pid_t shared_clone(int (*function)(void *), void *stack_end)
{
	(void)function, (void)stack_end;
	errno = ENOSYS;
	return -1;
}

pid_t raw_clone(void *stack_end)
{
	(void)stack_end;
	errno = ENOSYS;
	return -1;
}

const char *clone3_lacks(void)
{
	return "only Linux has clone3()";
}

pid_t clone3_call(uint64_t flags, int cgroup, int *pidfd)
{
	(void)flags, (void)cgroup, (void)pidfd;
	errno = ENOSYS;
	return -1;
}

int clone3_try(uint64_t flags, int cgroup)
{
	(void)flags, (void)cgroup;
	return ENOSYS;
}

const char *const loader_copies[2] = { "loader", "program" };

bool has_loader(const char *program)
{
	(void)program;
	return true;
}

int loader_stamps(const char *program, const char *folder)
{
	(void)program, (void)folder;
	return 0;
}
