/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loader-linux.c - loader.h for Linux: changes to ELF files.
 *
 * The code of the stamp goes behind the loader's own, into the rest of the last page of its
 * executable segment, which is mapped anyway; the entry point is moved there, and the code
 * ends in a jump to the loader's own entry point.  So the copy is mapped, and runs, like the
 * loader itself.  The program's copy differs in PT_INTERP only.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "start.h"
#include "util.h"

const char *const loader_copies[2] = { "loader", "program" };

enum { PAGE = 4096 }; /* the smallest */

/* A file, in memory: changes are private */
struct image {
	char *bytes;
	size_t size;
};

/* ---- the code -------------------------------------------------------------------- */

/* clock_gettime(CLOCK_MONOTONIC, stack); seconds * 10^9 + nanoseconds; write(0, it, 8).  What an
 * entry point gets in a register, rdx or x0, stays as it is; hint #34 (bti c) is what a loader
 * may jump to on arm. */
#if defined __x86_64__ && !defined __ILP32__
#define STAMP                                                                                      \
	"pushq %rdx\n subq $16, %rsp\n movl $228, %eax\n movl $1, %edi\n movq %rsp, %rsi\n"        \
	"syscall\n imulq $1000000000, (%rsp), %rax\n addq %rax, 8(%rsp)\n movl $1, %eax\n"         \
	"xorl %edi, %edi\n leaq 8(%rsp), %rsi\n movl $8, %edx\n syscall\n"                         \
	"addq $16, %rsp\n popq %rdx\n loader_jump: .byte 0xe9, 0, 0, 0, 0\n"
#elif defined __aarch64__
#define STAMP                                                                                      \
	"hint #34\n mov x9, x0\n"                                                                  \
	"sub sp, sp, #16\n mov x8, #113\n mov x0, #1\n mov x1, sp\n svc #0\n ldp x2, x3, [sp]\n"   \
	"movz x4, #0xca00\n movk x4, #0x3b9a, lsl #16\n madd x3, x2, x4, x3\n str x3, [sp]\n"      \
	"mov x8, #64\n mov x0, #0\n mov x1, sp\n mov x2, #8\n svc #0\n"                            \
	"add sp, sp, #16\n mov x0, x9\n loader_jump: .inst 0x14000000\n"
#endif

#ifdef STAMP
extern const char loader_code[] __attribute__((visibility("hidden")));
extern const char loader_jump[] __attribute__((visibility("hidden")));
extern const char loader_code_end[] __attribute__((visibility("hidden")));
__asm__(".pushsection .rodata\n.balign 16\n.globl loader_code, loader_jump, loader_code_end\n"
	"loader_code: " STAMP "loader_code_end:\n.popsection\n");

static size_t code_size(void)
{
	return (size_t)(loader_code_end - loader_code);
}

/* Writes the code, for that address, with a jump to `entry` at its end. */
static void put_code(char *to, uint64_t address, uint64_t entry)
{
	size_t at = (size_t)(loader_jump - loader_code);
	uint64_t distance = entry - (address + at);

	memcpy(to, loader_code, code_size());
#ifdef __x86_64__
	int32_t relative = (int32_t)(distance - 5); /* from the end of the jump */

	memcpy(to + at + 1, &relative, sizeof relative);
#else
	uint32_t jump = 0x14000000 | ((uint32_t)(distance >> 2) & 0x3ffffff);

	memcpy(to + at, &jump, sizeof jump);
#endif
}
#endif

/* ---- files ------------------------------------------------------------------------- */

static int open_image(const char *path, struct image *image)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	image->bytes = MAP_FAILED;
	if (fd < 0)
		return -1;
	if (fstat(fd, &status) == 0 && (size_t)status.st_size > sizeof(ElfW(Ehdr))) {
		image->size = (size_t)status.st_size;
		image->bytes = mmap(NULL, image->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	return image->bytes == MAP_FAILED ? -1 : 0;
}

/* Calls visit() for each program header until it returns true; that one, or NULL. */
static ElfW(Phdr) *
	find(const struct image *image, bool (*visit)(const ElfW(Phdr) *, const void *),
		const void *with)
{
	ElfW(Ehdr) *head = (void *)image->bytes;
	size_t end = (size_t)head->e_phoff + head->e_phnum * sizeof(ElfW(Phdr));

	if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
		head->e_phentsize != sizeof(ElfW(Phdr)) || head->e_phoff % sizeof(long) != 0 ||
		end < head->e_phoff || end > image->size)
		return NULL;
	for (ElfW(Phdr) *p = (void *)(image->bytes + head->e_phoff); (char *)p < image->bytes + end;
		p++)
		if (visit(p, with))
			return p;
	return NULL;
}

static bool is_interpreter(const ElfW(Phdr) * p, const void *image)
{
	const struct image *of = image;

	return p->p_type == PT_INTERP && p->p_filesz > 1 && p->p_offset < of->size &&
		p->p_filesz <= of->size - p->p_offset &&
		of->bytes[p->p_offset + p->p_filesz - 1] == '\0';
}

bool has_loader(const char *program)
{
	struct image image;
	bool found;

	if (open_image(program, &image) != 0)
		return true;
	found = find(&image, is_interpreter, &image) != NULL;
	(void)munmap(image.bytes, image.size);
	return found;
}

#ifdef STAMP

static int write_copy(const char *path, const struct image *image, const char *more)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	int result = fd < 0 ? -1 : write_all(fd, image->bytes, image->size);

	if (result == 0 && more != NULL)
		result = write_all(fd, more, strlen(more) + 1);
	if (fd >= 0 && close(fd) != 0)
		result = -1;
	return result;
}

static bool holds_entry(const ElfW(Phdr) * p, const void *entry)
{
	ElfW(Addr) at = *(const ElfW(Addr) *)entry;

	return p->p_type == PT_LOAD && p->p_flags & PF_X && at >= p->p_vaddr &&
		at - p->p_vaddr < p->p_filesz;
}

/* A range of the file: from, to */
static bool lies_in(const ElfW(Phdr) * p, const void *range)
{
	const uint64_t *of = range;

	return p->p_type == PT_LOAD && p->p_offset < of[1] && of[0] < p->p_offset + p->p_filesz;
}

/* Bytes of the file that are mapped, executable and not used; 0: too few of them */
static uint64_t find_room(const struct image *image, const ElfW(Phdr) * code)
{
	uint64_t end = code->p_offset + code->p_filesz, from = (end + 15) / 16 * 16;
	uint64_t range[] = { end, from + code_size() };

	if (range[1] > (end + PAGE - 1) / PAGE * PAGE || range[1] > image->size ||
		code->p_memsz != code->p_filesz || find(image, lies_in, range) != NULL)
		return 0;
	for (uint64_t at = range[0]; at < range[1]; at++)
		if (image->bytes[at] != 0)
			return 0;
	return from;
}

/* 0, or 1 where there is no room for the code */
static int add_stamp(struct image *loader)
{
	ElfW(Ehdr) *head = (void *)loader->bytes;
	ElfW(Phdr) *code = find(loader, holds_entry, &head->e_entry);
	uint64_t at = code != NULL ? find_room(loader, code) : 0, address;

	if (at == 0)
		return 1;
	address = code->p_vaddr + (at - code->p_offset);
	put_code(loader->bytes + at, address, head->e_entry);
	head->e_entry = (ElfW(Addr))address;
	code->p_filesz = code->p_memsz = at + code_size() - code->p_offset;
	return 0;
}

static int make_loader(const char *original, const char *copy)
{
	struct image loader;
	int result;

	if (open_image(original, &loader) != 0)
		return 1;
	result = add_stamp(&loader);
	if (result == 0)
		result = write_copy(copy, &loader, NULL);
	(void)munmap(loader.bytes, loader.size);
	return result;
}

/* The kernel reads the loader's path at an offset of the file; what the loader itself reads
 * of it stays as it was. */
static void name_loader(struct image *program, ElfW(Phdr) * interpreter, const char *loader)
{
	interpreter->p_offset = program->size;
	interpreter->p_filesz = strlen(loader) + 1;
}

/* 1, or 0 where there is no loader that can stamp, or -1 with errno */
static int make_copies(struct image *program, const char *loader, const char *copy)
{
	ElfW(Phdr) *interpreter = find(program, is_interpreter, program);
	int result = interpreter == NULL ?
		1 :
		make_loader(program->bytes + interpreter->p_offset, loader);

	if (result != 0)
		return result < 0 ? -1 : 0;
	name_loader(program, interpreter, loader);
	return write_copy(copy, program, loader) == 0 ? 1 : -1;
}

int loader_stamps(const char *program, const char *folder)
{
	char loader[PATH_MAX], copy[PATH_MAX];
	struct image image;
	int stamps = 0;

	if (open_image(program, &image) != 0)
		return 0;
	if ((size_t)snprintf(loader, sizeof loader, "%s/%s", folder, loader_copies[0]) <
			sizeof loader &&
		(size_t)snprintf(copy, sizeof copy, "%s/%s", folder, loader_copies[1]) <
			sizeof copy)
		stamps = make_copies(&image, loader, copy);
	(void)munmap(image.bytes, image.size);
	return stamps;
}

#else

int loader_stamps(const char *program, const char *folder)
{
	(void)program, (void)folder;
	return 0;
}

#endif
