/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clone.c - Clone Throughput: Linux's clone() that shares all but the process itself, as
 * in The Linux Programming Interface, Table 28-3; waitpid().
 */
#include <sys/mman.h>
#include <unistd.h>

#include "harness/clone.h"
#include "harness/harness.h"
#include "harness/placement.h"

enum { STACK = 64 * 1024 };

static bool raw;

/* The stack of the first thread's children; other threads map one in create(). */
static char first_stack[STACK] __attribute__((aligned(64)));
static _Thread_local char *stack;

static const char *supported(void)
{
#ifdef __hppa__
	return "stacks grow upwards on this architecture, which this test does not know";
#endif
	if (!has_clone())
		return "only Linux has clone()";
	return raw && !has_raw_clone() ? "--raw: clone has no bare form on this architecture" :
					 NULL;
}

/* AddressSanitizer does not know this stack and would report a false overflow of the
 * parent's at a call that does not return. */
__attribute__((no_sanitize_address)) static int child(void *unused)
{
	(void)unused;
	placement_in_child();
	_exit(0);
}

static pid_t create(void)
{
	if (stack == NULL) {
		stack = mmap(
			NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (stack == MAP_FAILED) {
			stack = NULL;
			return -1;
		}
	}
	placement_before_call();
	return raw ? raw_clone(stack + STACK) : shared_clone(child, stack + STACK);
}

static int setup(void)
{
	stack = first_stack;
	return 0;
}

static const struct entry own_options[] = {
	{ FLAG, &raw, .usage = "raw: make the bare system call, without libc's wrapper" }, { 0 }
};
static const struct feature own = { .options = own_options };

const struct test test = {
	.name = "clone",
	.summary =
		"clone() sharing memory, files, fs, handlers; the child exits at once; waitpid()",
	.features = FEATURES(&own, &parent_feature, &depth_feature, &files_feature,
		&spawners_feature, &burst_feature, &reap_feature, &placement_feature),
	.supported = supported,
	.setup = setup,
	.create = create,
	.reap = reap_child,
};
