/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start.c - the targets of --phases: each does nothing, like true.c, but stamps its start.
 * Built as start-dynamic, start-static, start-now and start-lazy, and with -DNOLIBC as
 * start-nolibc.
 *
 * It writes two readings of CLOCK_MONOTONIC (ns, 64 bits) to descriptor 0: one of its first
 * instruction, at its entry point, or 0 where that is not known, and one of main().  Clock and
 * write are bare system calls, so that neither binds a symbol nor maps the vDSO's page.
 */
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

/* ---- what differs between architectures ------------------------------------------- */

/*
 * ENTER: the code of the entry point.  It keeps the register in which the dynamic loader
 * hands a function to libc's entry point, calls `stamp_entry`, and continues there.
 * BEGIN: the same of a program without a libc, which only calls `begin`.
 * CALL: a system call with the number n and three arguments.
 */
#if defined __linux__ && defined __x86_64__ && !defined __ILP32__
#define ENTER "pushq %rdx\n pushq %rdx\n call stamp_entry\n popq %rdx\n popq %rdx\n jmp _start\n"
#define BEGIN "xorl %ebp, %ebp\n call begin\n hlt\n"
#define CALL(n, a, b, c)                                                                           \
	register long r __asm__("rax") = (n), x __asm__("rdi") = (a), y __asm__("rsi") = (b),      \
			z __asm__("rdx") = (c);                                                    \
	__asm__ volatile("syscall" : "+r"(r) : "r"(x), "r"(y), "r"(z) : "rcx", "r11", "memory")
#elif defined __linux__ && defined __i386__
#define ENTER                                                                                      \
	"pushl %edx\n subl $12, %esp\n call stamp_entry\n addl $12, %esp\n popl %edx\n jmp "       \
	"_start\n"
#define BEGIN "xorl %ebp, %ebp\n call begin\n hlt\n"
#define CALL(n, a, b, c)                                                                           \
	long r = (n);                                                                              \
	__asm__ volatile("int $0x80" : "+a"(r) : "b"(a), "c"(b), "d"(c) : "memory")
#elif defined __linux__ && defined __aarch64__
#define ENTER "stp x0, x30, [sp, #-16]!\n bl stamp_entry\n ldp x0, x30, [sp], #16\n b _start\n"
#define BEGIN "bl begin\n brk #0\n"
#define CALL(n, a, b, c)                                                                           \
	register long r __asm__("x0") = (a), x __asm__("x1") = (b), y __asm__("x2") = (c),         \
			m __asm__("x8") = (n);                                                     \
	__asm__ volatile("svc #0" : "+r"(r) : "r"(x), "r"(y), "r"(m) : "memory")
#elif defined __linux__ && defined __arm__ && defined __ARM_EABI__ && !defined __thumb__
#define ENTER "push {r0, lr}\n bl stamp_entry\n pop {r0, lr}\n b _start\n"
#define BEGIN "bl begin\n udf #0\n"
#define CALL(n, a, b, c)                                                                           \
	register long r __asm__("r0") = (a), x __asm__("r1") = (b), y __asm__("r2") = (c),         \
			m __asm__("r7") = (n);                                                     \
	__asm__ volatile("svc #0" : "+r"(r) : "r"(x), "r"(y), "r"(m) : "memory")
#elif defined __linux__ && defined __riscv && __riscv_xlen == 64
#define GP ".option push\n .option norelax\n lla gp, __global_pointer$\n .option pop\n"
#define ENTER                                                                                      \
	GP "addi sp, sp, -16\n sd a0, 0(sp)\n sd ra, 8(sp)\n call stamp_entry\n"                   \
	   "ld a0, 0(sp)\n ld ra, 8(sp)\n addi sp, sp, 16\n tail _start\n"
#define BEGIN GP "call begin\n ebreak\n"
#define CALL(n, a, b, c)                                                                           \
	register long r __asm__("a0") = (a), x __asm__("a1") = (b), y __asm__("a2") = (c),         \
			m __asm__("a7") = (n);                                                     \
	__asm__ volatile("ecall" : "+r"(r) : "r"(x), "r"(y), "r"(m) : "memory")
#elif defined __linux__ && defined __s390x__
/* 160 bytes below a frame are the called function's */
#define ENTER                                                                                      \
	"aghi %r15, -176\n stg %r14, 160(%r15)\n brasl %r14, stamp_entry\n"                        \
	"lg %r14, 160(%r15)\n aghi %r15, 176\n jg _start\n"
#define BEGIN "aghi %r15, -160\n brasl %r14, begin\n j .\n"
#define CALL(n, a, b, c)                                                                           \
	register long r __asm__("2") = (a), x __asm__("3") = (b), y __asm__("4") = (c),            \
			m __asm__("1") = (n);                                                      \
	__asm__ volatile("svc 0" : "+d"(r) : "d"(x), "d"(y), "d"(m) : "memory")
#elif defined ENTRY || defined NOLIBC
#error "the entry point is not written for this system and architecture"
#endif

/* ---- clock and output ---------------------------------------------------------------- */

#ifdef CALL

#ifdef SYS_clock_gettime32 /* musl's name of the call with two longs */
#define SYS_clock SYS_clock_gettime32
#else
#define SYS_clock SYS_clock_gettime
#endif

static long bare_call(long number, long first, long second, long third)
{
	CALL(number, first, second, third);
	return r;
}

static uint64_t now(void)
{
	long t[2] = { 0, 0 };

	(void)bare_call(SYS_clock, CLOCK_MONOTONIC, (long)t, 0);
	return (uint64_t)t[0] * 1000000000u + (uint64_t)t[1];
}

static void put(const uint64_t *stamps, unsigned long size)
{
	(void)bare_call(SYS_write, 0, (long)stamps, (long)size);
}

#else

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void put(const uint64_t *stamps, unsigned long size)
{
	ssize_t written = write(0, stamps, size);

	(void)written; /* who reads them misses them */
}

#endif

/* ---- the program --------------------------------------------------------------------- */

#ifdef NOLIBC

__attribute__((used, noreturn, visibility("hidden"))) void begin(void)
{
	uint64_t stamps[2];

	stamps[0] = now();
	stamps[1] = now();
	put(stamps, sizeof stamps);
	for (;;)
		(void)bare_call(SYS_exit, 0, 0, 0);
}

__asm__(".text\n.globl _start\n_start:\n" BEGIN);

#else

static uint64_t entered;

#ifdef ENTRY
__attribute__((used, visibility("hidden"))) void stamp_entry(void)
{
	entered = now();
}

__asm__(".text\n.globl start_entry\n.type start_entry, %function\nstart_entry:\n" ENTER);
#endif

int main(void)
{
	uint64_t stamps[2] = { entered, 0 };

	stamps[1] = now();
	put(stamps, sizeof stamps);
	return 0;
}

#endif
