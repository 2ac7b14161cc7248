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

enum { MARGIN = 64 << 20 };

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
	return skip("%s: needs %llu MB of memory with page tables, and may use %llu MB (three "
		    "quarters of what is available)",
		option, (unsigned long long)(with_tables >> 20), (unsigned long long)(most >> 20));
}

void touch_pages(volatile char *start, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t at = 0; at < size; at += page)
		start[at] = 1;
}

/* Smaller folios lie where a page is mapped in each 2 MB, which else may become a huge page. */
int fill_memory(char *start, size_t size)
{
	if (o->folio > 0 && o->folio < HUGE_PAGE && os_advise(start, size, ADVISE_SMALL) == 0)
		for (size_t at = HUGE_PAGE - 1; at < size; at += HUGE_PAGE)
			start[at] = 1;
	if (!o->as_system && os_advise(start, size, o->folio > 0 ? ADVISE_HUGE : ADVISE_SMALL) != 0)
		return -1;
	touch_pages(start, size);
	return 0;
}

/* A descriptor of a new file, which has no name any more, or -1 with errno */
static int make_file(uint64_t size)
{
	char path[PATH_MAX];
	int fd;

	(void)snprintf(path, sizeof path, "%.*s", (int)strcspn(o->file, ",+"), o->file);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 || unlink(path) != 0 || ftruncate(fd, (off_t)size) != 0 ? -1 : fd;
}

/* One huge page more than requested, so that the used part can begin at a boundary of huge pages;
 * memory that is not touched costs nothing.  NULL with errno */
static char *map_memory(uint64_t size)
{
	uint64_t more = o->folio > 0 ? HUGE_PAGE : 0;
	int fd = o->file != NULL ? make_file(size + more) : -1;
	int flags = (o->shared ? MAP_SHARED : MAP_PRIVATE) | (o->file != NULL ? 0 : MAP_ANONYMOUS);
	char *start = MAP_FAILED;

	if (fd >= 0 || o->file == NULL)
		start = mmap(NULL, size + more, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (fd >= 0)
		(void)close(fd);
	if (start == MAP_FAILED)
		return NULL;
	return more > 0 ? start + -(uintptr_t)start % HUGE_PAGE : start;
}

char *make_memory(const char *option, uint64_t size, unsigned times)
{
	uint64_t before = os_folio_bytes(o->folio, o->shared), gained;
	char *start;

	if (check_memory(option, size < UINT64_MAX / 16 ? size * times : UINT64_MAX / 2) != 0)
		return NULL;
	start = map_memory(size);
	if (start == NULL) {
		(void)failure("%s:", option);
		return NULL;
	}
	if (fill_memory(start, size) != 0) {
		(void)skip("%s: cannot switch huge pages on or off: %s", option, strerror(errno));
		return NULL;
	}
	gained = os_folio_bytes(o->folio, o->shared) - before;
	if (o->folio == 0 || before == UNKNOWN || gained >= size / 10 * 9)
		return start;
	(void)skip("%s: only %llu of %llu MB are in folios of %llu kB: see enabled and "
		   "shmem_enabled in /sys/kernel/mm/transparent_hugepage",
		option, (unsigned long long)(gained >> 20), (unsigned long long)(size >> 20),
		(unsigned long long)(o->folio >> 10));
	return NULL;
}

static int make_heap(void)
{
	char *start;

	if (o->heap == 0)
		return 0;
	start = make_memory("--heap", o->heap, 1);
	if (start == NULL)
		return -1;
	if (o->dontfork && os_advise(start, o->heap, ADVISE_DONTFORK) != 0)
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

static const char *files_text; /* --files */

static int make_files(void)
{
	const char *comma = files_text != NULL ? strchr(files_text, ',') : NULL;
	const char *path = comma != NULL ? comma + 1 : "/dev/null";
	uint64_t wanted = o->files;

	if (wanted == 0)
		return 0; /* counting would allocate memory */
	if (allow_files("--files", wanted) != 0)
		return -1;
	for (uint64_t i = 0; i < wanted; i++) /* does not wait for what writes to a FIFO */
		if (open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY) < 0)
			return failure("--files %s: only %llu could be opened:", files_text,
				(unsigned long long)i);
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
		make_libraries(o->libraries) != 0)
		return -1;
	return make_threads(o->threads);
}

static int filter_refused(const char *word, int error)
{
	if (error == ENOSYS)
		return skip("--seccomp: only Linux has it");
	if (error == ENOMEM)
		return skip("--seccomp: all filters together may have 32,768 instructions, and "
			    "each counts 4 more");
	if (error != EINVAL)
		return failure("--seccomp: %s:", word);
	return failure("--seccomp: %s is no filter: it needs 1 to 4096 instructions of classic "
		       "BPF, of 8 bytes each",
		word);
}

/* After the set-up of the test and of other features, whose calls a filter may forbid */
static int install_filters(void)
{
	char word[PATH_MAX];

	for (const char *at = o->filters; at != NULL;) {
		size_t length = strcspn(at, ",+");

		(void)snprintf(word, sizeof word, "%.*s", (int)length, at);
		if (os_filter(word) != 0)
			return filter_refused(word, errno);
		at = at[length] != '\0' ? at + length + 1 : NULL;
	}
	return 0;
}

/* ---- the options ------------------------------------------------------------------------- */

static const char *heap_texts[2]; /* --heap */
static bool hugepages, sized;

/* A word of --heap that is a size, a file or a folio */
static bool take_heap(const char *word)
{
	uint64_t *folio = &footprint.folio;

	if (strncmp(word, "folio=", 6) == 0)
		return parse_size(word + 6, folio) && *folio >= 8192 && *folio <= HUGE_PAGE &&
			(*folio & (*folio - 1)) == 0;
	return strncmp(word, "file=", 5) == 0 || (sized = parse_size(word, &footprint.heap));
}

static void check_heap(const char *text)
{
	enum { SHARED = 1, SYSTEM = 2 };
	static const struct word words[] = { { "SIZE", 0 }, { "shared", SHARED },
		{ "file=PATH", 0 }, { "folio=SIZE", 0 }, { "folio=system", SYSTEM }, { NULL, 0 } };
	uint64_t bits = text != NULL ? parse_list("heap", text, words, take_heap) : 0;
	const char *file = text != NULL ? strstr(text, "file=") : NULL;

	footprint.file = file != NULL ? file + 5 : o->file;
	footprint.shared |= bits & SHARED || file != NULL;
	footprint.as_system |= (bits & SYSTEM) != 0;
}

static void check_parent(void)
{
	check_heap(heap_texts[1]);
	check_heap(heap_texts[0]);
	if (heap_texts[0] != NULL && !sized)
		usage_error("--heap needs a SIZE");
	if (hugepages && o->heap == 0 && !option_is_given("touch"))
		usage_error("--hugepages needs --heap SIZE%s",
			options_have("touch") ? " or --touch SIZE" : "");
	if (hugepages)
		footprint.folio = HUGE_PAGE;
	if (o->dontfork && o->heap == 0)
		usage_error("--dontfork needs --heap SIZE");
}

static const struct entry parent_options[] = {
	{ TEXTS, heap_texts,
		.usage = "heap LIST: allocate and touch SIZE bytes before the clock starts; "
			 "shared: of shared memory; file=PATH: of a new file; folio=64k, 2M or "
			 "system: in folios of this size, or as the system has them" },
	{ FLAG, &hugepages, .usage = "hugepages: put that heap into transparent huge pages" },
	{ FLAG, &footprint.dontfork,
		.usage = "dontfork: keep fork from copying that heap (MADV_DONTFORK)" },
	{ NUMBER, &footprint.mappings, .usage = "mappings N: create N more memory mappings",
		.most = 100000000 },
	{ NUMBER, &footprint.threads, .usage = "threads N: start N idle threads", .most = 1000000 },
	{ NUMBER, &footprint.libraries,
		.usage = "libraries N: load N more shared objects (at most 64)", .most = 64 },
	{ TEXT, &footprint.filters,
		.usage = "seccomp LIST: filter system calls (Linux): by N instructions each (at "
			 "most 4096), by the BPF program in a FILE, by several of them" },
	{ 0 },
};
const struct feature parent_feature = { .options = parent_options,
	.check = check_parent,
	.setup = footprint_make,
	.start = install_filters };

static void check_files(void)
{
	char number[16];
	size_t digits = strcspn(files_text, ",");

	(void)snprintf(number, sizeof number, "%.*s", (int)digits, files_text);
	if (digits >= sizeof number || !parse_count(number, true, &footprint.files) ||
		o->files > 100000000 ||
		(files_text[digits] == ',' && files_text[digits + 1] == '\0'))
		usage_error("--files: '%s' is not a number up to 100000000, or such a one, a comma "
			    "and a path",
			files_text);
}

static const struct entry files_options[] = {
	{ TEXT, &files_text,
		.usage =
			"files LIST: open N more descriptors, of /dev/null; N,PATH: of that file" },
	{ 0 },
};
const struct feature files_feature = {
	.options = files_options, .check = check_files, .setup = make_files
};
