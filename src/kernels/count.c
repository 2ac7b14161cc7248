/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.c - a plugin of QEMU (TCG) that counts the instructions of each creation, by the marks of
 * mark.h.  One file serves QEMU 7.2 (its interface 1) and 10 (2 and later): the functions of both
 * are weak, and what QEMU has is found when it loads this.  No package has the header.
 *
 * Arguments: out=FILE, skip=N creations of a test that warm it up.  FILE has these lines:
 *   test N            the N-th begins
 *   c KERNEL USER ELEMENTS   a creation: instructions of the kernel, of programs, and elements of
 *                     repeated string instructions, which are not in the others
 *   b ADDRESS N       instructions of the kernel in the block there, of the median creation, the
 *                     lower of two; "b user N" those of programs
 *   passed or failed  the test ended;  end  the last one did
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/mark.h"

/* ---- what QEMU declares ------------------------------------------------------------------ */

#define PUBLIC __attribute__((visibility("default")))
#define WEAK __attribute__((weak))

struct info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system;
	int smp, max;
};
struct tb;
struct insn;
struct score;
struct u64 {
	struct score *score;
	size_t offset;
};
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t, void (*)(uint64_t, struct tb *));
void qemu_plugin_register_vcpu_insn_exec_cb(
	struct insn *, void (*)(unsigned, void *), int flags, void *);
void qemu_plugin_register_atexit_cb(uint64_t, void (*)(uint64_t, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct tb *);
struct insn *qemu_plugin_tb_get_insn(const struct tb *, size_t);
uint64_t qemu_plugin_tb_vaddr(const struct tb *);
size_t qemu_plugin_insn_size(const struct insn *);
WEAK void qemu_plugin_register_vcpu_tb_exec_inline(struct tb *, int op, void *, uint64_t);
WEAK void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
	struct tb *, int op, struct u64, uint64_t);
WEAK struct score *qemu_plugin_scoreboard_new(size_t);
WEAK void *qemu_plugin_scoreboard_find(struct score *, unsigned);
/* The same name is one of two functions: up to interface 2, and from 3 on */
const void *insn_data(const struct insn *) __asm__("qemu_plugin_insn_data");
size_t insn_copy(const struct insn *, void *, size_t) __asm__("qemu_plugin_insn_data");

PUBLIC int qemu_plugin_version = 1;
/* QEMU reads it after it has loaded the file */
__attribute__((constructor)) static void choose_version(void)
{
	if (qemu_plugin_scoreboard_new)
		qemu_plugin_version = 2;
}
PUBLIC int qemu_plugin_install(uint64_t, const struct info *, int, char **);

/* ---- blocks and their counters ----------------------------------------------------------- */

enum { CHUNK = 4096, CHUNKS = 1024, BUCKETS = 1 << 16, LONGEST = 16 };

/* How often a block was executed, in all and up to the last mark; its instructions */
struct block {
	uint64_t address, before;
	struct block *next; /* in its bucket */
	size_t number;
	unsigned instructions;
	bool element; /* one element of a string instruction */
};
static struct block *blocks[CHUNKS], *bucket[BUCKETS];
static struct {
	struct score *score;
	uint64_t *plain;
} counters[CHUNKS];
static size_t known;
static bool copies;
static enum { X86, ARM64, RISCV } machine;
static FILE *out;
static size_t skipped;

static void give_up(const char *why)
{
	(void)fprintf(stderr, "spawnmeter: %s\n", why);
	_exit(1);
}

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (memory == NULL)
		give_up("out of memory");
	return memory;
}

static void add_chunk(size_t chunk)
{
	if (chunk == CHUNKS)
		give_up("too many blocks");
	blocks[chunk] = allocate(CHUNK, sizeof **blocks);
	if (qemu_plugin_scoreboard_new)
		counters[chunk].score = qemu_plugin_scoreboard_new(CHUNK * sizeof(uint64_t));
	else
		counters[chunk].plain = allocate(CHUNK, sizeof(uint64_t));
}

static uint64_t *counters_of(size_t chunk)
{
	return counters[chunk].score != NULL ?
		qemu_plugin_scoreboard_find(counters[chunk].score, 0) :
		counters[chunk].plain;
}

/* What programs execute at one address can differ */
static const struct block *block_at(uint64_t address, unsigned instructions, bool element)
{
	struct block **of = &bucket[(address ^ address >> 16 ^ address >> 32) % BUCKETS], *b;

	for (b = *of; b != NULL; b = b->next)
		if (b->address == address && b->instructions == instructions)
			return b;
	if (known % CHUNK == 0)
		add_chunk(known / CHUNK);
	b = &blocks[known / CHUNK][known % CHUNK];
	*b = (struct block){ address, 0, *of, known, instructions, element };
	known++;
	return *of = b;
}

static void count_executions(struct tb *tb, const struct block *b)
{
	size_t chunk = b->number / CHUNK, place = b->number % CHUNK;

	if (counters[chunk].score != NULL)
		qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
			tb, 0, (struct u64){ counters[chunk].score, place * sizeof(uint64_t) }, 1);
	else
		qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, counters[chunk].plain + place, 1);
}

/* ---- creations --------------------------------------------------------------------------- */

/* One creation: what was counted, and where, in the list of all */
struct creation {
	uint64_t kernel, user, elements;
	struct place {
		const struct block *block;
		uint64_t times;
	} * places;
	size_t used, room;
};
static struct creation *creations;
static size_t count, room;
static unsigned tests, seen;
static bool open_creation;

static struct creation *new_creation(void)
{
	if (count == room) {
		room = room > 0 ? 2 * room : 64;
		creations = realloc(creations, room * sizeof *creations);
		if (creations == NULL)
			give_up("out of memory");
		memset(creations + count, 0, (room - count) * sizeof *creations);
	}
	struct creation *c = &creations[count++];

	*c = (struct creation){ .places = c->places, .room = c->room };
	return c;
}

static void add_place(struct creation *c, const struct block *b, uint64_t times)
{
	uint64_t *sum = b->element ? &c->elements : b->address >> 63 ? &c->kernel : &c->user;

	*sum += b->element ? times : times * b->instructions;
	if (c->used == c->room) {
		c->room = c->room > 0 ? 2 * c->room : 1024;
		c->places = realloc(c->places, c->room * sizeof *c->places);
		if (c->places == NULL)
			give_up("out of memory");
	}
	c->places[c->used++] = (struct place){ b, times };
}

/* Notes what was executed since the last mark, for the creation that ends here, if one does */
static void note_executed(struct creation *c)
{
	for (size_t i = 0; i < known; i += CHUNK) {
		const uint64_t *now = counters_of(i / CHUNK);
		struct block *b = blocks[i / CHUNK];

		for (size_t j = 0; j < CHUNK && i + j < known; j++) {
			if (now[j] == b[j].before)
				continue;
			if (c != NULL)
				add_place(c, &b[j], now[j] - b[j].before);
			b[j].before = now[j];
		}
	}
}

static uint64_t total(const struct creation *c)
{
	return c->kernel + c->user;
}

static int compare(const void *x, const void *y)
{
	const struct creation *const *a = x, *const *b = y;

	if (total(*a) != total(*b))
		return total(*a) < total(*b) ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

static void print_creations(void)
{
	const struct creation **sorted = allocate(count + 1, sizeof *sorted);

	for (size_t i = 0; i < count; i++) {
		sorted[i] = &creations[i];
		(void)fprintf(out, "c %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", sorted[i]->kernel,
			sorted[i]->user, sorted[i]->elements);
	}
	qsort(sorted, count, sizeof *sorted, compare);
	if (count > 0) {
		const struct creation *c = sorted[(count - 1) / 2];

		for (size_t i = 0; i < c->used; i++)
			if (c->places[i].block->address >> 63 && !c->places[i].block->element)
				(void)fprintf(out, "b %" PRIx64 " %" PRIu64 "\n",
					c->places[i].block->address,
					c->places[i].times * c->places[i].block->instructions);
		(void)fprintf(out, "b user %" PRIu64 "\n", c->user);
	}
	free(sorted);
}

/* A creation lasts from its mark to the next one */
static void creation_begins(void)
{
	bool counts = open_creation && seen > skipped;

	note_executed(counts ? new_creation() : NULL);
	open_creation = true;
	seen++;
}

static void test_ended(const char *how)
{
	print_creations();
	(void)fprintf(out, "%s\n", how);
	count = 0;
}

/* At the end QEMU is not needed any more, whether or not this kernel can switch off */
static void marked(unsigned cpu, void *id)
{
	(void)cpu;
	switch ((uintptr_t)id) {
	case MARK_CREATION:
		creation_begins();
		return;
	case MARK_TEST:
		seen = 0;
		open_creation = false;
		(void)fprintf(out, "test %u\n", tests++);
		break;
	case MARK_PASSED:
		test_ended("passed");
		break;
	case MARK_FAILED:
		test_ended("failed");
		break;
	case MARK_END:
		(void)fprintf(out, "end\n");
		break;
	default:
		return;
	}
	if (fflush(out) != 0)
		give_up("cannot write what was counted: no space?");
	if ((uintptr_t)id == MARK_END)
		_exit(0);
}

/* ---- translation ------------------------------------------------------------------------- */

/* The bytes of an instruction: its length */
static size_t bytes_of(const struct insn *instruction, uint8_t *bytes)
{
	size_t size = qemu_plugin_insn_size(instruction);

	if (size > LONGEST)
		size = LONGEST;
	if (copies)
		(void)insn_copy(instruction, bytes, size);
	else
		memcpy(bytes, insn_data(instruction), size);
	return size;
}

/* The number of a mark, or 0 */
static unsigned mark_of(const uint8_t *d, size_t size)
{
	uint32_t word =
		(uint32_t)d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;

	if (machine == X86)
		return size == 8 && word == 0x841f0f && d[5] == 0 && d[6] == 0x4d && d[7] == 0x5a ?
			d[4] :
			0;
	if (size != 4)
		return 0;
	if (machine == ARM64)
		return (word & ~(15u << 5)) == 0xd2ab481f ? word >> 5 & 15 : 0;
	return (word & 0xffff0fff) == 0xa5a40037 ? word >> 12 & 15 : 0;
}

/* x86: a repeated string instruction returns to itself, for each element as a block of its own */
static bool is_element(const uint8_t *d, size_t size)
{
	size_t i = 0;
	bool repeats = false;

	if (machine != X86)
		return false;
	for (; i < size; i++) {
		bool is_repeat = d[i] == 0xf3 || d[i] == 0xf2;

		if (!is_repeat && d[i] != 0x66 && d[i] != 0x67 && (d[i] & 0xf0) != 0x40)
			break;
		repeats |= is_repeat;
	}
	return repeats && i + 1 == size &&
		((d[i] >= 0xa4 && d[i] <= 0xa7) || (d[i] >= 0xaa && d[i] <= 0xaf) ||
			(d[i] >= 0x6c && d[i] <= 0x6f));
}

static void translated(uint64_t id, struct tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	uint8_t bytes[LONGEST] = { 0 };
	size_t size = bytes_of(qemu_plugin_tb_get_insn(tb, 0), bytes);
	bool element = n == 1 && is_element(bytes, size);

	(void)id;
	count_executions(tb, block_at(qemu_plugin_tb_vaddr(tb), (unsigned)n, element));
	for (size_t i = 0; i < n; i++) {
		struct insn *instruction = qemu_plugin_tb_get_insn(tb, i);
		unsigned mark = mark_of(bytes, bytes_of(instruction, bytes));

		if (mark != 0)
			qemu_plugin_register_vcpu_insn_exec_cb(
				instruction, marked, 0, (void *)(uintptr_t)mark);
	}
}

int qemu_plugin_install(uint64_t id, const struct info *info, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "out=", 4) == 0)
			out = fopen(argv[i] + 4, "w");
		else if (strncmp(argv[i], "skip=", 5) == 0)
			skipped = (size_t)atol(argv[i] + 5);
	}
	if (out == NULL) {
		perror("spawnmeter: out=");
		return -1;
	}
	copies = info->version.cur >= 3;
	machine = strstr(info->target_name, "aarch64") ? ARM64 :
		strstr(info->target_name, "riscv")     ? RISCV :
							 X86;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
