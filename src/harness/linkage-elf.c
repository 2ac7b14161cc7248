/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linkage-elf.c - os_is_dynamic() for ELF systems: a dynamic program names its loader in a
 * program header.  The linker provides __ehdr_start, so no library call is needed.
 */
#include <elf.h>

#include "os.h"

#if __SIZEOF_POINTER__ == 8
typedef Elf64_Ehdr header_t;
typedef Elf64_Phdr row_t;
#else
typedef Elf32_Ehdr header_t;
typedef Elf32_Phdr row_t;
#endif

/* NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's */
extern const header_t __ehdr_start __attribute__((visibility("hidden")));

bool os_is_dynamic(void)
{
	/* volatile: the compiler must not conclude that the object ends after the header */
	const header_t *volatile header = &__ehdr_start;
	const char *table = (const char *)header + header->e_phoff;

	for (unsigned i = 0; i < header->e_phnum; i++) {
		const char *row = table + (size_t)i * header->e_phentsize;

		if (((const row_t *)(const void *)row)->p_type == PT_INTERP)
			return true;
	}
	return false;
}
