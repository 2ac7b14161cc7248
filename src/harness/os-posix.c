/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * os-posix.c - os.h and start.h for systems other than Linux.
 */
#include <sys/types.h>

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach/vm_inherit.h>
#endif

#include "os.h"
#include "start.h"

/* minherit() of the BSDs and of macOS */
#ifdef __APPLE__
#define NOT_INHERITED VM_INHERIT_NONE
#elif defined INHERIT_NONE
#define NOT_INHERITED INHERIT_NONE
#elif defined MAP_INHERIT_NONE
#define NOT_INHERITED MAP_INHERIT_NONE
#endif

void os_delays(uint64_t *waited, uint64_t *suspended)
{
	*waited = *suspended = UNKNOWN;
}

uint64_t os_surroundings(void)
{
	return UNKNOWN;
}

int os_filter(const char *number_or_file)
{
	(void)number_or_file;
	errno = ENOSYS;
	return -1;
}

/* macOS has no closefrom() */
void os_close_from(int first, int end)
{
#if defined __FreeBSD__ || defined __NetBSD__ || defined __OpenBSD__
	(void)end;
	closefrom(first);
#else
	for (int fd = first; fd < end; fd++)
		(void)close(fd);
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

/* These systems use small pages anyway. */
int os_advise(void *start, size_t size, enum advice advice)
{
#ifdef NOT_INHERITED
	if (advice == ADVISE_DONTFORK)
		return minherit(start, size, NOT_INHERITED);
#endif
	(void)start, (void)size;
	errno = ENOSYS;
	return advice == ADVISE_SMALL ? 0 : -1;
}

uint64_t os_folio_bytes(uint64_t folio, bool shared)
{
	(void)folio, (void)shared;
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

/* ---- start.h ----------------------------------------------------------------------------- */

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

/* ---- what is not asked for here ---------------------------------------------------------- */

void os_image(struct image *image)
{
	image->vsz_kb = image->rss_kb = image->tables_kb = image->tracer = UNKNOWN;
}

/* The program is found by its argument 0. */
int os_program_path(char *buffer, size_t size)
{
	(void)buffer, (void)size;
	return -1;
}

#ifdef __APPLE__ /* has no static programs, and linkage-elf.c is for the others */
bool os_is_dynamic(void)
{
	return true;
}

const char *os_binding(void)
{
	return NULL;
}
#endif
