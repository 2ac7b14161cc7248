/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mark.h - instructions without effect, by which the counter of ./Run kernels (count.c) finds where
 * creations and tests begin: a long nop, or a load of a constant into the register that is zero.
 */
#ifndef MARK_H
#define MARK_H

/* Before each creation; of process 1 before a test, after it, and at the end */
enum { MARK_CREATION = 1, MARK_TEST, MARK_PASSED, MARK_FAILED, MARK_END };

#if defined __x86_64__
#define MARK(id) __asm__ volatile(".8byte 0x5a4d000000841f0f + (%c0 << 32)" : : "i"(id) : "memory")
#elif defined __aarch64__
#define MARK(id) __asm__ volatile(".inst 0xd2a0001f + ((0x5a40 + %c0) << 5)" : : "i"(id) : "memory")
#elif defined __riscv
#define MARK(id) __asm__ volatile(".4byte 0xa5a40037 + (%0 << 12)" : : "i"(id) : "memory")
#else
#define MARK(id) ((void)0)
#endif

#endif
