/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * true-nolibc.c - a target without a libc, which makes one system call, exit(0).
 */
/* MIPS calls the entry point __start, all others _start. */
#define START(code) __asm__(".globl _start, __start\n_start:\n__start:\n" code)

#if !defined __linux__
#error "true-nolibc is not written for this system"
#elif defined __x86_64__
START("xorl %edi, %edi\n movl $60, %eax\n syscall\n hlt\n");
#elif defined __i386__
START("xorl %ebx, %ebx\n movl $1, %eax\n int $0x80\n hlt\n");
#elif defined __aarch64__
START("mov x0, #0\n mov x8, #93\n svc #0\n brk #0\n");
#elif defined __arm__ && defined __ARM_EABI__
START("mov r0, #0\n mov r7, #1\n svc #0\n udf #0\n");
#elif defined __riscv
START("li a0, 0\n li a7, 93\n ecall\n ebreak\n");
#elif defined __powerpc__ && (!defined __powerpc64__ || (defined _CALL_ELF && _CALL_ELF == 2))
START("li 3, 0\n li 0, 1\n sc\n trap\n");
#elif defined __s390x__
START("lghi %r2, 0\n svc 1\n j .\n");
#elif defined __loongarch__
START("move $a0, $zero\n li.w $a7, 93\n syscall 0\n break 0\n");
#elif defined __mips__ && _MIPS_SIM == _ABIO32
START("li $4, 0\n li $2, 4001\n syscall\n break\n");
#elif defined __mips__ && _MIPS_SIM == _ABI64
START("li $4, 0\n li $2, 5058\n syscall\n break\n");
#else
#error "true-nolibc is not written for this architecture"
#endif
