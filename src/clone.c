/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clone.c - Clone Throughput: Linux's clone() that shares all but the process itself, as
 * in The Linux Programming Interface, Table 28-3; waitpid().
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "harness/clone.h"
#include "harness/harness.h"
#include "harness/placement.h"

enum { STACK = 64 * 1024 };

static bool raw;

/* The stack of the first thread's children; other threads map one in create(). */
static char first_stack[STACK] __attribute__((aligned(64)));
static _Thread_local char *stack;

/* ---- --raw: after the bare system call the child does nothing but the system call exit: it never
 * touches the parent's frame ---- */

#if defined __linux__ && defined __x86_64__
enum { HAS_BARE = true };

static long bare_clone(unsigned long flags, void *stack_end)
{
	long result;
	register long r10 __asm__("r10") = 0;
	register long r8 __asm__("r8") = 0;

	__asm__ volatile("syscall\n\t"
			 "testq %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xorl %%edi, %%edi\n\t"
			 "movl %[exit], %%eax\n\t"
			 "syscall\n\t"
			 "hlt\n"
			 "1:"
			 : "=a"(result)
			 : "0"((long)SYS_clone), "D"(flags), "S"(stack_end), "d"(0L), "r"(r10),
			 "r"(r8), [exit] "i"(SYS_exit)
			 : "rcx", "r11", "memory");
	return result;
}
#elif defined __linux__ && defined __aarch64__
enum { HAS_BARE = true };

static long bare_clone(unsigned long flags, void *stack_end)
{
	register long x8 __asm__("x8") = SYS_clone;
	register long x0 __asm__("x0") = (long)flags;
	register long x1 __asm__("x1") = (long)stack_end;
	register long x2 __asm__("x2") = 0;
	register long x3 __asm__("x3") = 0;
	register long x4 __asm__("x4") = 0;

	__asm__ volatile("svc #0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x8, %[exit]\n\t"
			 "svc #0\n\t"
			 "brk #0\n"
			 "1:"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), [exit] "i"(SYS_exit)
			 : "memory");
	return x0;
}
#else
enum { HAS_BARE = false };

static long bare_clone(unsigned long flags, void *stack_end)
{
	(void)flags, (void)stack_end;
	return -ENOSYS;
}
#endif

static pid_t raw_clone(char *stack_end)
{
	long result = bare_clone(SHARED, stack_end);

	if (result >= 0)
		return (pid_t)result;
	errno = (int)-result;
	return -1;
}

/* ---- one creation ------------------------------------------------------------------------ */

static const char *supported(void)
{
#ifdef __hppa__
	return "stacks grow upwards on this architecture, which this test does not know";
#endif
	if (!HAS_CLONE)
		return "only Linux has clone()";
	return raw && !HAS_BARE ? "--raw: clone has no bare form on this architecture" : NULL;
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
