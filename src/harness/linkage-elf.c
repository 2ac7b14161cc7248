/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linkage-elf.c - os_is_dynamic() and os_binding() for ELF systems: a dynamic program names its
 * loader in a program header, and what this does in its dynamic section.  The linker provides
 * __ehdr_start, so no library call is needed.
 */
#include <elf.h>
#include <stddef.h>
#include <stdlib.h>

#include "os.h"

#if __SIZEOF_POINTER__ == 8
typedef Elf64_Ehdr header_t;
typedef Elf64_Phdr row_t;
typedef Elf64_Dyn entry_t;
#else
typedef Elf32_Ehdr header_t;
typedef Elf32_Phdr row_t;
typedef Elf32_Dyn entry_t;
#endif

/* NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's */
extern const header_t __ehdr_start __attribute__((visibility("hidden")));

/* The first program header of a type, or NULL. */
static const row_t *row_of(unsigned type)
{
	/* volatile: the compiler must not conclude that the object ends after the header */
	const header_t *volatile header = &__ehdr_start;
	const char *table = (const char *)header + header->e_phoff;

	for (unsigned i = 0; i < header->e_phnum; i++) {
		const row_t *row =
			(const row_t *)(const void *)(table + (size_t)i * header->e_phentsize);

		if (row->p_type == type)
			return row;
	}
	return NULL;
}

bool os_is_dynamic(void)
{
	return row_of(PT_INTERP) != NULL;
}

#if defined __linux__ && !defined __GLIBC__
const char *os_binding(void) /* musl never binds lazily */
{
	return os_is_dynamic() ? "symbols bound at start" : NULL;
}
#else
/* The values of <elf.h>, where it has no names for them */
enum { FLAG_BIND_NOW = 0x8, FLAG_1_NOW = 0x1, TAG_FLAGS = 30, TAG_FLAGS_1 = 0x6ffffffb };

static bool bound_at_start(const entry_t *entry)
{
	for (; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_BIND_NOW ||
			(entry->d_tag == TAG_FLAGS && entry->d_un.d_val & FLAG_BIND_NOW) ||
			(entry->d_tag == TAG_FLAGS_1 && entry->d_un.d_val & FLAG_1_NOW))
			return true;
	return false;
}

/* The header lies at the beginning of the first segment that is loaded. */
const char *os_binding(void)
{
	const row_t *dynamic = row_of(PT_DYNAMIC), *first = row_of(PT_LOAD);
	const char *asked = getenv("LD_BIND_NOW"), *volatile header = (const char *)&__ehdr_start;

	if (!os_is_dynamic() || dynamic == NULL || first == NULL)
		return NULL;
	if ((asked != NULL && *asked != '\0') ||
		bound_at_start((const entry_t *)(const void *)(header +
			(ptrdiff_t)(dynamic->p_vaddr - first->p_vaddr))))
		return "symbols bound at start";
	return "symbols bound lazily";
}
#endif
