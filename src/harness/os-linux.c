/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * os-linux.c - os.h for Linux: /proc, madvise, prctl, affinity.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "os.h"
#include "util.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* Setting up takes less of the stack than this. */
enum { STACK_USED = 512 * 1024 };

enum { MOST_CPUS = 65536 }; /* as options.c takes them */

/* As in linux/filter.h and linux/seccomp.h, which not every C library finds.  The instructions load
 * an argument of the call: Linux 5.11 skips a filter whose answer depends on the number of the call
 * alone. */
struct instruction {
	uint16_t code;
	uint8_t if_true, if_false;
	uint32_t operand;
};
#define LOAD_ARGUMENT ((struct instruction){ .code = 0x20, .operand = 16 })
#define ALLOW ((struct instruction){ .code = 0x06, .operand = 0x7fff0000 })
enum { INSTRUCTIONS_MAX = 4096, MODE_FILTER = 2 };

static struct instruction code[INSTRUCTIONS_MAX + 1]; /* and an end of what is read */

static int install(size_t instructions)
{
	struct {
		unsigned short length;
		struct instruction *code;
	} filter = { .length = (unsigned short)instructions, .code = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return prctl(PR_SET_SECCOMP, MODE_FILTER, &filter);
}

int os_filter(const char *word)
{
	char *end;
	uint64_t count = strtoull(word, &end, 10);
	long size;

	errno = EINVAL;
	if (*end == '\0') {
		for (uint64_t i = 0; i < count && i < INSTRUCTIONS_MAX; i++)
			code[i] = i + 1 < count ? LOAD_ARGUMENT : ALLOW;
	} else {
		size = read_file(word, (char *)code, sizeof code);
		count = (size_t)size % sizeof *code == 0 ? (uint64_t)size / sizeof *code : UNKNOWN;
		if (size < 0)
			return -1;
	}
	if (count > INSTRUCTIONS_MAX)
		return -1;
	return count > 0 ? install(count) : 0;
}

/* Linux before 5.9 lacks the call. */
void os_close_from(int first, int end)
{
	if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) == 0)
		return;
	for (int fd = first; fd < end; fd++)
		(void)close(fd);
}

uint64_t os_number_in(const char *path, const char *name)
{
	char *text = map_text(path);
	const char *found = text != NULL ? strstr(text, name) : NULL;
	uint64_t number = UNKNOWN;

	if (found != NULL) {
		found += strlen(name);
		found += strspn(found, ": \t");
		number = *found >= '0' && *found <= '9' ? strtoull(found, NULL, 10) : UNKNOWN;
	}
	if (text != NULL)
		(void)munmap(text, TEXT_SIZE);
	return number;
}

void os_image(struct image *image)
{
	static const char status[] = "/proc/self/status";

	image->vsz_kb = os_number_in(status, "\nVmSize");
	image->rss_kb = os_number_in(status, "\nVmRSS");
	image->tables_kb = os_number_in(status, "\nVmPTE");
	image->tracer = os_number_in(status, "\nTracerPid");
}

/* FNV-1a, of 64 bits */
static uint64_t hashed(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *byte = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3;
	return hash;
}

/* Reads in small pieces: fork() copies each page of the stack that is written here. */
static uint64_t hash_of_file(uint64_t hash, const char *path)
{
	char piece[128];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	while (fd >= 0 && (got = read(fd, piece, sizeof piece)) > 0)
		hash = hashed(hash, piece, (size_t)got);
	if (fd >= 0)
		close(fd);
	return hash;
}

uint64_t os_surroundings(void)
{
	uint64_t hash = hash_of_file(0xcbf29ce484222325, "/proc/self/cgroup");
	struct sched_param parameters = { 0 };
	cpu_set_t cpus[MOST_CPUS / CPU_SETSIZE];
	int numbers[3];

	memset(cpus, 0, sizeof cpus);
	(void)sched_getaffinity(0, sizeof cpus, cpus);
	(void)sched_getparam(0, &parameters);
	numbers[0] = sched_getscheduler(0);
	numbers[1] = parameters.sched_priority;
	numbers[2] = getpriority(PRIO_PROCESS, 0);
	return hashed(hashed(hash, cpus, sizeof cpus), numbers, sizeof numbers);
}

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t = { 0 };

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void os_delays(uint64_t *waited, uint64_t *suspended)
{
	char text[128] = "", *end;

	(void)read_file("/proc/self/schedstat", text, sizeof text);
	(void)strtoull(text, &end, 10); /* skip the time on a CPU */
	*waited = *end == ' ' && end[1] >= '0' && end[1] <= '9' ? strtoull(end, NULL, 10) : UNKNOWN;
	*suspended = ns_of(CLOCK_MONOTONIC);
	*suspended = ns_of(CLOCK_BOOTTIME) - *suspended;
}

static bool bound_to(int cpu, size_t size, cpu_set_t *room)
{
	return sched_getaffinity(0, size, room) == 0 && CPU_COUNT_S(size, room) == 1 &&
		CPU_ISSET_S(cpu, size, room);
}

/* Where the binding cannot be read back, since the machine has more CPUs than the set or a sandbox
 * only pretends to bind, it is not executed again: it would be for ever. */
static int pin(int cpu, size_t size, cpu_set_t *set, char **argv)
{
	char path[4096];
	bool before = bound_to(cpu, size, set);

	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	if (sched_setaffinity(0, size, set) != 0)
		return -1;
	if (!before && bound_to(cpu, size, set) && os_program_path(path, sizeof path) == 0)
		(void)execv(path, argv);
	return 0;
}

int os_pin(int cpu, char **argv)
{
	cpu_set_t sets[MOST_CPUS / CPU_SETSIZE]; /* no malloc(): fork would copy the heap */

	return pin(cpu, ((size_t)cpu / CPU_SETSIZE + 1) * sizeof *sets, sets, argv);
}

/* Does not ask libc, which may read what the kernel keeps up to date for the thread that registered
 * it (rseq): in a child that shares its parent's memory that is the parent's. */
int os_cpu(void)
{
	unsigned cpu;

	return syscall(SYS_getcpu, &cpu, NULL, NULL) == 0 ? (int)cpu : -1;
}

void os_end_with_parent(void)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
}

/* The page below the frame may hold those of the calls from here.  Linux keeps 1 MB below a
 * stack free of other mappings. */
void os_release_stack(void)
{
#ifndef __hppa__ /* its stack grows upwards */
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = STACK_USED / page * page;
	char *frame = __builtin_frame_address(0);
	char *end = frame - (uintptr_t)frame % page - page;

	(void)madvise(end - size, size, MADV_DONTNEED); /* ENOMEM: part of it is not mapped */
#endif
}

int os_memory_file(void)
{
#ifdef SYS_memfd_create
	return (int)syscall(SYS_memfd_create, "spawnmeter", 0U);
#else
	return -1;
#endif
}

void os_end_first(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)write_all(fd, "1000", 4);
	close(fd);
}

/* A kernel without huge pages returns EINVAL. */
int os_advise(void *start, size_t size, enum advice advice)
{
	static const int advices[] = { [ADVISE_HUGE] = MADV_HUGEPAGE,
		[ADVISE_SMALL] = MADV_NOHUGEPAGE,
		[ADVISE_DONTFORK] = MADV_DONTFORK };
	int result = madvise(start, size, advices[advice]);

	return result != 0 && advice == ADVISE_SMALL && errno == EINVAL ? 0 : result;
}

uint64_t os_folio_bytes(uint64_t folio, bool shared)
{
	static const char rollup[] = "/proc/self/smaps_rollup";
	char path[128], text[32];
	uint64_t kb;

	if (folio >= HUGE_PAGE) {
		kb = os_number_in(rollup, shared ? "\nShmemPmdMapped" : "\nAnonHugePages");
		return kb == UNKNOWN ? UNKNOWN : kb * 1024;
	}
	(void)snprintf(path, sizeof path,
		"/sys/kernel/mm/transparent_hugepage/hugepages-%ukB/stats/%s",
		(unsigned)(folio / 1024), shared ? "shmem_alloc" : "anon_fault_alloc");
	return read_file(path, text, sizeof text) > 0 ? strtoull(text, NULL, 10) * folio : UNKNOWN;
}

/* Where the user has executed a dynamic loader with this program as its argument, the loader is
 * what the kernel has executed: without another one. */
int os_program_path(char *buffer, size_t size)
{
	bool by_loader = os_is_dynamic() && getauxval(AT_BASE) == 0;
	ssize_t length = by_loader ? -1 : readlink("/proc/self/exe", buffer, size - 1);

	if (length <= 0 || (size_t)length >= size - 1)
		return -1;
	buffer[length] = '\0';
	return 0;
}
