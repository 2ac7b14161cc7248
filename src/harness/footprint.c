/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#ifndef STATIC_BUILD
#include <dlfcn.h>
#endif

#include "footprint.h"
#include "harness.h"
#include "os.h"

enum { HUGE_PAGE = 2 << 20, MARGIN = 64 << 20 };

struct footprint footprint;
static const struct footprint *const o = &footprint;

int check_memory(const char *option, uint64_t wanted)
{
	uint64_t available = os_memory_available(), most = available / 4 * 3, with_tables;

	if ((size_t)wanted != wanted)
		return skip(
			"%s: needs %llu MB of memory, more than a program of %u bits can address",
			option, (unsigned long long)(wanted >> 20), (unsigned)(8 * sizeof(size_t)));
	os_end_first();
	with_tables = wanted + wanted / 100 + MARGIN;
	if (available == UNKNOWN || with_tables <= most)
		return 0;
	return skip("%s: needs %llu MB of memory with page tables, and may use %llu "
		    "MB (three quarters of what is available)",
		option, (unsigned long long)(with_tables >> 20), (unsigned long long)(most >> 20));
}

void touch_pages(volatile char *start, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t at = 0; at < size; at += page)
		start[at] = 1;
}

char *make_memory(const char *option, uint64_t size, bool huge, unsigned times)
{
	uint64_t before = os_huge_bytes(), gained;
	char *start;

	if (check_memory(option, size < UINT64_MAX / 16 ? size * times : UINT64_MAX / 2) != 0)
		return NULL;

	/* one huge page more than requested, so that the used part can begin at a boundary
	 * of huge pages; memory that is not touched costs nothing */
	start = mmap(NULL, size + (huge ? HUGE_PAGE : 0), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (start == MAP_FAILED) {
		(void)failure("%s %llu:", option, (unsigned long long)size);
		return NULL;
	}
	if (huge)
		start += -(uintptr_t)start % HUGE_PAGE;
	if ((huge ? os_advise_huge : os_advise_small)(start, size) != 0) {
		(void)skip("%s: cannot switch huge pages on or off: %s", option, strerror(errno));
		return NULL;
	}
	touch_pages(start, size);
	gained = os_huge_bytes() - before;
	if (huge && before != UNKNOWN && gained < size / 10 * 9) {
		(void)skip("%s: only %llu of %llu MB are in huge pages", option,
			(unsigned long long)(gained >> 20), (unsigned long long)(size >> 20));
		return NULL;
	}
	return start;
}

static int make_heap(void)
{
	char *start;

	if (o->heap == 0)
		return 0;
	start = make_memory("--heap", o->heap, o->hugepages, 1);
	if (start == NULL)
		return -1;
	if (o->dontfork && os_advise_dontfork(start, o->heap) != 0)
		return skip("MADV_DONTFORK: %s", strerror(errno));
	return 0;
}

/* Every other page is read-only, so that the kernel cannot merge neighbours. */
static int make_mappings(uint64_t wanted)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (uint64_t i = 0; i < wanted; i++) {
		int access = i % 2 ? PROT_READ : PROT_READ | PROT_WRITE;

		if (mmap(NULL, page, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			return failure("cannot create mapping %llu of %llu (see vm.max_map_count):",
				(unsigned long long)i + 1, (unsigned long long)wanted);
	}
	return 0;
}

int allow_files(const char *option, uint64_t wanted)
{
	struct rlimit limit;
	uint64_t needed = wanted + open_files() + 8;

	/* rlim_t is signed on the BSDs */
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || (uint64_t)limit.rlim_cur >= needed)
		return 0;
	if ((uint64_t)limit.rlim_max < needed)
		return skip("%s %llu: the hard limit RLIMIT_NOFILE is %llu (ulimit -Hn)", option,
			(unsigned long long)wanted, (unsigned long long)limit.rlim_max);
	limit.rlim_cur = (rlim_t)needed;
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		return failure("cannot raise RLIMIT_NOFILE to %llu:", (unsigned long long)needed);
	return 0;
}

static int make_files(void)
{
	uint64_t wanted = o->files;

	if (wanted == 0)
		return 0; /* counting would allocate memory */
	if (allow_files("--files", wanted) != 0)
		return -1;
	for (uint64_t i = 0; i < wanted; i++)
		if (open("/dev/null", O_RDONLY) < 0)
			return failure("--files %llu: only %llu could be opened:",
				(unsigned long long)wanted, (unsigned long long)i);
	return 0;
}

static void *idle(void *unused)
{
	for (;;)
		(void)poll(NULL, 0, -1);
	return unused;
}

int make_threads(uint64_t wanted)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int error = 0;
	uint64_t made = 0;

	if (wanted == 0)
		return 0;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 << 10);
	sigfillset(&all); /* only the main thread handles signals */
	sigprocmask(SIG_SETMASK, &all, &before);
	for (pthread_t thread; made < wanted && error == 0; made++)
		error = pthread_create(&thread, &attributes, idle, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (error == 0)
		return 0;
	errno = error;
	return failure("cannot create thread %llu of %llu:", (unsigned long long)made,
		(unsigned long long)wanted);
}

static int load_library(const char *path)
{
#ifdef STATIC_BUILD /* glibc's linker warns of dlopen() in a static program */
	return failure("%s: this program is linked statically", path);
#else
	return dlopen(path, RTLD_NOW) != NULL ? 0 : failure("%s", dlerror());
#endif
}

static int make_libraries(uint64_t wanted)
{
	char folder[PATH_MAX], path[PATH_MAX + 32];

	if (wanted > 0 && !os_is_dynamic())
		usage_error("--libraries: this program is linked statically");
	if (wanted > 0 && program_folder(folder, sizeof folder) != 0)
		return -1;
	for (uint64_t i = 1; i <= wanted; i++) {
		snprintf(path, sizeof path, "%s/libraries/lib%llu.so", folder,
			(unsigned long long)i);
		if (load_library(path) != 0)
			return -1;
	}
	return 0;
}

static int footprint_make(void)
{
	if (make_heap() != 0 || make_mappings(o->mappings) != 0 ||
		make_libraries(o->libraries) != 0 || make_threads(o->threads) != 0)
		return -1;
	return 0;
}

static int install_filter(const char *word)
{
	uint64_t instructions;
	bool numbered = parse_count(word, true, &instructions);

	if (numbered && instructions == 0)
		return 0;
	if ((numbered ? os_filter((unsigned)instructions) : os_filter_of(word)) == 0)
		return 0;
	if (errno == EINVAL && !numbered)
		return failure("--seccomp: %s is no filter: it needs 1 to 4096 instructions of "
			       "classic BPF, of 8 bytes each",
			word);
	if (errno == ENOMEM)
		return skip("--seccomp: all filters together may have 32,768 instructions, and "
			    "each counts 4 more");
	if (numbered || errno == ENOSYS)
		return skip(
			"--seccomp: %s", errno == ENOSYS ? "only Linux has it" : strerror(errno));
	return failure("--seccomp: %s:", word);
}

static int check_filter(const char *word)
{
	uint64_t instructions;

	if (parse_count(word, true, &instructions) && instructions > 4096)
		usage_error("--seccomp: at most 4096");
	return 0;
}

static int each_filter(int (*function)(const char *word))
{
	char word[PATH_MAX];

	for (const char *at = o->filters; at != NULL;) {
		size_t length = strcspn(at, ",+");

		(void)snprintf(word, sizeof word, "%.*s", (int)length, at);
		if (function(word) != 0)
			return -1;
		at = at[length] != '\0' ? at + length + 1 : NULL;
	}
	return 0;
}

/* After the set-up of the test and of other features, whose calls a filter may forbid */
static int install_filters(void)
{
	return each_filter(install_filter);
}

/* ---- the options ------------------------------------------------------------------------- */

static void check_parent(void)
{
	if (o->hugepages && o->heap == 0 && !option_is_given("touch"))
		usage_error("--hugepages needs --heap SIZE%s",
			options_have("touch") ? " or --touch SIZE" : "");
	if (o->dontfork && o->heap == 0)
		usage_error("--dontfork needs --heap SIZE");
	(void)each_filter(check_filter);
}

static const struct entry parent_options[] = {
	{ SIZE, &footprint.heap,
		.usage = "heap SIZE: allocate and touch SIZE bytes before the clock starts" },
	{ FLAG, &footprint.hugepages,
		.usage = "hugepages: put that heap into transparent huge pages" },
	{ FLAG, &footprint.dontfork,
		.usage = "dontfork: keep fork from copying that heap (MADV_DONTFORK)" },
	{ NUMBER, &footprint.mappings, .usage = "mappings N: create N more memory mappings",
		.most = 100000000 },
	{ NUMBER, &footprint.threads, .usage = "threads N: start N idle threads", .most = 1000000 },
	{ NUMBER, &footprint.libraries,
		.usage = "libraries N: load N more shared objects (at most 64)", .most = 64 },
	{ TEXT, &footprint.filters,
		.usage = "seccomp LIST: filter system calls (Linux): by N instructions each (at "
			 "most "
			 "4096), by the BPF program in a FILE, by several of them" },
	{ 0 },
};
const struct feature parent_feature = { .options = parent_options,
	.check = check_parent,
	.setup = footprint_make,
	.start = install_filters };

static const struct entry files_options[] = {
	{ NUMBER, &footprint.files, .usage = "files N: open N more descriptors",
		.most = 100000000 },
	{ 0 },
};
const struct feature files_feature = { .options = files_options, .setup = make_files };
