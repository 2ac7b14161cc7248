/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * os.h - facts and settings that only some systems have.  os-linux.c implements it for Linux
 * (linkage-elf.c what the dynamic loader knows), os-posix.c for all others; the Makefile links
 * what fits.  A number that the system does not provide is UNKNOWN, never a guess.
 */
#ifndef OS_H
#define OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util.h" /* UNKNOWN */

/* This process: virtual memory, resident memory, page tables (kB); the process that traces
 * it (strace, a debugger), 0 if none does. */
struct image {
	uint64_t vsz_kb, rss_kb, tables_kb, tracer;
};
void os_image(struct image *);

/* The number after a name in a file like /proc/self/status (Linux); UNKNOWN if it is missing. */
uint64_t os_number_in(const char *path, const char *name);

/* The time that this process has waited for a CPU while ready to run, and that for which the
 * machine has been suspended since it booted (ns). */
void os_delays(uint64_t *waited, uint64_t *suspended);

/* A number that changes when this process is moved: to another control group, to other CPUs, to
 * another scheduling policy, priority or niceness. */
uint64_t os_surroundings(void);

/* Pins this process and its children to a CPU.  Unless they were bound to it already, the
 * program is then executed again, with these arguments, from its own file (if that is there):
 * Linux counts the CPUs that memory has been in use on (mm_cpumask() of the kernel), and with
 * more than one each flush of address translations, as in fork, takes longer.  0, or -1 with
 * errno. */
int os_pin(int cpu, char **argv);

/* Makes the system send SIGTERM to this process when its parent ends. */
void os_end_with_parent(void);

/* Gives back the pages of the main thread's stack that are not in use: setting up has written
 * them, and each fork would copy their entries. */
void os_release_stack(void);

/* Memory available without swapping and within the control groups' limits (bytes). */
uint64_t os_memory_available(void);

/* A file that lies in memory only and ends with its descriptor, or -1 where there is none. */
int os_memory_file(void);

/* Makes this process and its children the first that the system ends when it runs out of
 * memory. */
void os_end_first(void);

/* Asks the system to back the range with huge pages, to back it with small pages only, or to
 * keep fork from copying it.  0, or -1 with errno: ENOSYS where the system cannot. */
enum advice { ADVISE_HUGE, ADVISE_SMALL, ADVISE_DONTFORK };
int os_advise(void *start, size_t size, enum advice);

/* The memory of this process in transparent huge pages; of smaller folios, that of all processes in
 * those of this size so far (bytes). */
enum { HUGE_PAGE = 2 << 20 };
uint64_t os_folio_bytes(uint64_t folio, bool shared);

/* The CPU on which this is called, or -1. */
int os_cpu(void);

/* True if this program was loaded by a dynamic loader. */
bool os_is_dynamic(void);

/* When that binds the symbols, in words; NULL for a static program, or where it is not known.
 * With lazy binding a child of fork() looks up what its parent has not called, as _exit(). */
const char *os_binding(void);

/* True if a filter answers clone3() with EPERM: libc then cannot fall back to clone(). */
bool os_forbids_clone3(void);

/* Puts all system calls of this process and of its children through a filter: of so many
 * instructions that run, and allow each call, or that of a file, as the kernel takes it.  0, or -1
 * with errno: ENOSYS where there are no such filters, EINVAL where it is none or has more than 4096
 * instructions. */
int os_filter(const char *number_or_file);

/* Closes that descriptor and all above it; where the system has no call for it, those below
 * `end` one by one. */
void os_close_from(int first, int end);

/* The full path of the running program.  0, or -1. */
int os_program_path(char *buffer, size_t size);

/* After a creation failed with EAGAIN or EPERM: the end of a message that names the likely
 * limit or filter; empty if unknown. */
void os_why_no_process(int error, char *buffer, size_t size);

#endif
