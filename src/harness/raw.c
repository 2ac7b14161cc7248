/*
 * raw.c - see raw.h.  The child of raw_clone never touches the parent's frame:
 * after the system call it does nothing but the system call exit.
 */
#include <errno.h>
#include <signal.h>
#include <unistd.h>
#if defined __linux__
#include <sys/syscall.h>
#endif

#include "raw.h"

pid_t raw_fork(void)
{
#if defined SYS_fork
	return (pid_t)syscall(SYS_fork);
#elif defined __s390x__
	return (pid_t)syscall(SYS_clone, 0, SIGCHLD, 0, 0, 0);
#elif defined __linux__
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#else
	errno = ENOSYS;
	return -1;
#endif
}

pid_t raw_getpid(void)
{
#if defined SYS_getpid && defined __linux__
	return (pid_t)syscall(SYS_getpid);
#else
	return getpid();
#endif
}

#if HAVE_RAW_CLONE && defined __x86_64__
static long do_clone(unsigned long flags, void *stack_end)
{
	long result;
	register long r10 __asm__("r10") = 0;
	register long r8 __asm__("r8") = 0;

	__asm__ volatile(
		"syscall\n\t"
		"testq %%rax, %%rax\n\t"
		"jnz 1f\n\t"
		"xorl %%edi, %%edi\n\t"
		"movl %[exit], %%eax\n\t"
		"syscall\n\t"
		"hlt\n"
		"1:"
		: "=a"(result)
		: "0"((long)SYS_clone), "D"(flags), "S"(stack_end), "d"(0L), "r"(r10), "r"(r8),
		  [exit] "i"(SYS_exit)
		: "rcx", "r11", "memory");
	return result;
}
#elif HAVE_RAW_CLONE && defined __aarch64__
static long do_clone(unsigned long flags, void *stack_end)
{
	register long x8 __asm__("x8") = SYS_clone;
	register long x0 __asm__("x0") = (long)flags;
	register long x1 __asm__("x1") = (long)stack_end;
	register long x2 __asm__("x2") = 0;
	register long x3 __asm__("x3") = 0;
	register long x4 __asm__("x4") = 0;

	__asm__ volatile(
		"svc #0\n\t"
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
static long do_clone(unsigned long flags, void *stack_end)
{
	(void)flags, (void)stack_end;
	return -ENOSYS;
}
#endif

pid_t raw_clone(unsigned long flags, void *stack_end)
{
	long result = do_clone(flags, stack_end);

	if (result >= 0)
		return (pid_t)result;
	errno = (int)-result;
	return -1;
}
