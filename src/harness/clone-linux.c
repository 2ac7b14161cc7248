/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clone-linux.c - clone.h for Linux.  The child of raw_clone never touches the parent's
 * frame: after the system call it does nothing but the system call exit.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clone.h"

enum { SHARED = CLONE_VM | CLONE_VFORK | CLONE_FS | CLONE_SIGHAND | CLONE_FILES | SIGCHLD };

bool has_clone(void)
{
	return true;
}

pid_t shared_clone(int (*function)(void *), void *stack_end)
{
	return clone(function, stack_end, SHARED, NULL);
}

#if defined __x86_64__
enum { RAW_CLONE = true };

static long do_clone(unsigned long flags, void *stack_end)
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
#elif defined __aarch64__
enum { RAW_CLONE = true };

static long do_clone(unsigned long flags, void *stack_end)
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
enum { RAW_CLONE = false };

static long do_clone(unsigned long flags, void *stack_end)
{
	(void)flags, (void)stack_end;
	return -ENOSYS;
}
#endif

bool has_raw_clone(void)
{
	return RAW_CLONE;
}

pid_t raw_clone(void *stack_end)
{
	long result = do_clone(SHARED, stack_end);

	if (result >= 0)
		return (pid_t)result;
	errno = (int)-result;
	return -1;
}
