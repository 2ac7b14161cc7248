/*
 * clone.c - Clone Throughput: Linux's clone() with all but a process of its own
 * shared, as in The Linux Programming Interface, Table 28-3; waitpid().
 */
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "harness/harness.h"
#include "harness/raw.h"

enum { STACK = 64 * 1024 };

static bool raw;
static char stack[STACK] __attribute__((aligned(64)));

#ifdef __linux__
enum { FLAGS = CLONE_VM | CLONE_VFORK | CLONE_FS | CLONE_SIGHAND | CLONE_FILES | SIGCHLD };

static const char *supported(const struct options *o)
{
	return o->raw && !HAVE_RAW_CLONE ? "--raw: no bare clone for this architecture" : NULL;
}

/* AddressSanitizer knows nothing of its stack, and would take a call that does not
 * return for one on the parent's. */
__attribute__((no_sanitize_address))
static int child(void *unused)
{
	(void)unused;
	_exit(0);
}

static pid_t create(void)
{
	return raw ? raw_clone(FLAGS, stack + STACK) : clone(child, stack + STACK, FLAGS, NULL);
}
#else
static const char *supported(const struct options *o)
{
	(void)o, (void)stack, (void)raw;
	return "clone() is a call of Linux";
}

static pid_t create(void)
{
	return -1;
}
#endif

static int setup(const struct options *o)
{
	raw = o->raw;
	return 0;
}

const struct test test = {
	.name = "clone",
	.summary = "clone() sharing memory, files, fs and handlers; the child leaves at once; waitpid()",
	.takes = TAKES_PARENT | TAKES_FILES | TAKES_BURST | TAKES_RAW,
	.supported = supported,
	.setup = setup,
	.create = create,
};
