/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * true-nolibc.c - a target without a libc, which makes one system call, exit(0).
 */
#if defined __linux__ && defined __x86_64__
__asm__(".globl _start\n_start:\n\txorl %edi, %edi\n\tmovl $60, %eax\n\tsyscall\n\thlt\n");
#elif defined __linux__ && defined __i386__
__asm__(".globl _start\n_start:\n\txorl %ebx, %ebx\n\tmovl $1, %eax\n\tint $0x80\n\thlt\n");
#elif defined __linux__ && defined __aarch64__
__asm__(".globl _start\n_start:\n\tmov x0, #0\n\tmov x8, #93\n\tsvc #0\n\tbrk #0\n");
#elif defined __linux__ && defined __arm__ && defined __ARM_EABI__
__asm__(".globl _start\n_start:\n\tmov r0, #0\n\tmov r7, #1\n\tsvc #0\n\tudf #0\n");
#elif defined __linux__ && defined __riscv && __riscv_xlen == 64
__asm__(".globl _start\n_start:\n\tli a0, 0\n\tli a7, 93\n\tecall\n\tebreak\n");
#else
#error "true-nolibc is not written for this system and architecture"
#endif
