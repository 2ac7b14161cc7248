/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.c - a plugin of QEMU (TCG) that counts the instructions of each creation, by the marks of
 * mark.h.  One file serves QEMU 7.2 (its interface 1) and 10 (2 and later): the functions of both
 * are weak, and what QEMU has is found when it loads this.  No package has the header.
 *
 * Arguments: out=FILE, skip=N creations of a test that warm it up, list=TEST.CREATION: numbers
 * (from 1, from 0) of one whose blocks are listed; then process 1 goes on to print the symbols.
 * FILE has these lines:
 *   test              the next one begins
 *   c KERNEL USER ELEMENTS   a creation: instructions of the kernel, of programs, and elements of
 *                     repeated string instructions, which are not in the others
 *   b ADDRESS INSTRUCTIONS   of a block of the creation that is listed
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

#define WEAK __attribute__((weak))

struct info {
	const char *target_name;
	int least, current; /* versions of the interface */
};
struct u64 {
	void *score;
	size_t offset;
};
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t, void (*)(uint64_t, void *));
void qemu_plugin_register_vcpu_insn_exec_cb(void *, void (*)(unsigned, void *), int flags, void *);
size_t qemu_plugin_tb_n_insns(const void *);
void *qemu_plugin_tb_get_insn(const void *, size_t);
uint64_t qemu_plugin_tb_vaddr(const void *);
size_t qemu_plugin_insn_size(const void *);
WEAK void qemu_plugin_register_vcpu_tb_exec_inline(void *, int op, void *, uint64_t);
WEAK void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(void *, int op, struct u64, uint64_t);
WEAK void *qemu_plugin_scoreboard_new(size_t);
WEAK void *qemu_plugin_scoreboard_find(void *, unsigned);
/* The same name is one of two functions: up to interface 2, and from 3 on */
const void *insn_data(const void *) __asm__("qemu_plugin_insn_data");
size_t insn_copy(const void *, void *, size_t) __asm__("qemu_plugin_insn_data");

int qemu_plugin_version = 1;
/* QEMU reads it after it has loaded the file */
__attribute__((constructor)) static void choose_version(void)
{
	if (qemu_plugin_scoreboard_new)
		qemu_plugin_version = 2;
}
int qemu_plugin_install(uint64_t, const struct info *, int, char **);

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
	void *score;
	uint64_t *plain;
} counters[CHUNKS];
static size_t known;
static bool copies;
static enum { X86, ARM64, RISCV } machine;
static FILE *out;
static size_t skipped, listed_test, listed_creation;

static void give_up(const char *why)
{
	(void)fprintf(stderr, "spawnmeter: %s\n", why);
	_exit(1);
}

static uint64_t *counters_of(size_t chunk)
{
	return counters[chunk].score != NULL ?
		qemu_plugin_scoreboard_find(counters[chunk].score, 0) :
		counters[chunk].plain;
}

static void add_chunk(size_t chunk)
{
	if (chunk == CHUNKS)
		give_up("too many blocks");
	blocks[chunk] = calloc(CHUNK, sizeof **blocks);
	if (qemu_plugin_scoreboard_new)
		counters[chunk].score = qemu_plugin_scoreboard_new(CHUNK * sizeof(uint64_t));
	else
		counters[chunk].plain = calloc(CHUNK, sizeof(uint64_t));
	if (blocks[chunk] == NULL || counters_of(chunk) == NULL)
		give_up("out of memory");
}

/* What programs execute at one address can differ */
static const struct block *block_at(uint64_t address, unsigned instructions, bool element)
{
	struct block **of = &bucket[(address ^ address >> 16 ^ address >> 32) % BUCKETS], *b;

	for (b = *of; b != NULL; b = b->next)
		if (b->address == address && b->instructions == instructions &&
			b->element == element)
			return b;
	if (known % CHUNK == 0)
		add_chunk(known / CHUNK);
	b = &blocks[known / CHUNK][known % CHUNK];
	*b = (struct block){ address, 0, *of, known, instructions, element };
	known++;
	return *of = b;
}

static void count_executions(void *tb, const struct block *b)
{
	size_t chunk = b->number / CHUNK, place = b->number % CHUNK;

	if (counters[chunk].score != NULL)
		qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
			tb, 0, (struct u64){ counters[chunk].score, place * sizeof(uint64_t) }, 1);
	else
		qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, counters[chunk].plain + place, 1);
}

/* ---- creations --------------------------------------------------------------------------- */

/* How many were counted of the test, how many marks it has made, and its number */
static size_t count, seen, test;

/* Prints what was executed since the last mark, where a creation ends here */
static void note_executed(bool ends)
{
	bool listed = ends && test == listed_test && count == listed_creation;
	uint64_t kernel = 0, user = 0, elements = 0;

	for (size_t i = 0; i < known; i += CHUNK) {
		const uint64_t *now = counters_of(i / CHUNK);
		struct block *b = blocks[i / CHUNK];

		for (size_t j = 0; j < CHUNK && i + j < known; j++) {
			uint64_t executed = (now[j] - b[j].before) * b[j].instructions;

			b[j].before = now[j];
			*(b[j].element                     ? &elements :
					b[j].address >> 63 ? &kernel :
							     &user) += executed;
			if (listed && executed != 0 && !b[j].element)
				(void)fprintf(out, "b %016" PRIx64 " %" PRIu64 "\n", b[j].address,
					executed);
		}
	}
	if (!ends)
		return;
	(void)fprintf(out, "c %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", kernel, user, elements);
	count++;
}

/* At the end QEMU is not needed any more, whether or not this kernel can switch off */
static void marked(unsigned cpu, void *mark)
{
	static const char *const words[] = { [MARK_TEST] = "test",
		[MARK_PASSED] = "passed",
		[MARK_FAILED] = "failed",
		[MARK_END] = "end" };
	uintptr_t id = (uintptr_t)mark;

	(void)cpu;
	if (id == MARK_CREATION) {
		/* it lasts to the next one; the first mark of a test ends none */
		note_executed(seen++ > skipped);
		return;
	}
	seen = count = 0;
	test += id == MARK_TEST;
	if (id == MARK_END && listed_test != 0) { /* the next one is behind the symbols */
		listed_test = 0;
		return;
	}
	if (id > MARK_END || fprintf(out, "%s\n", words[id]) < 0 || fflush(out) != 0 || ferror(out))
		give_up("cannot write what was counted: no space?");
	if (id == MARK_END)
		_exit(0);
}

/* ---- translation ------------------------------------------------------------------------- */

/* The bytes of an instruction: its length */
static size_t bytes_of(const void *instruction, uint8_t *bytes)
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
	uint32_t word;

	memcpy(&word, d, sizeof word);
	if (machine == X86)
		return size == 8 && word == 0x841f0f && memcmp(d + 5, "\0\x4d\x5a", 3) == 0 ? d[4] :
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
	for (; i < size && memchr("\xf3\xf2\x66\x67", d[i], 4) != NULL; i++)
		repeats |= d[i] >= 0xf2;
	i += i < size && (d[i] & 0xf0) == 0x40;
	return repeats && i + 1 == size &&
		((d[i] >= 0xa4 && d[i] <= 0xa7) || (d[i] >= 0xaa && d[i] <= 0xaf) ||
			(d[i] >= 0x6c && d[i] <= 0x6f));
}

static void translated(uint64_t id, void *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	uint8_t bytes[LONGEST] = { 0 };
	size_t size = bytes_of(qemu_plugin_tb_get_insn(tb, 0), bytes);
	bool element = n == 1 && is_element(bytes, size);

	(void)id;
	count_executions(tb, block_at(qemu_plugin_tb_vaddr(tb), (unsigned)n, element));
	for (size_t i = 0; i < n; i++) {
		void *instruction = qemu_plugin_tb_get_insn(tb, i);
		unsigned mark = mark_of(bytes, bytes_of(instruction, bytes));

		if (mark != 0)
			qemu_plugin_register_vcpu_insn_exec_cb(
				instruction, marked, 0, (void *)(uintptr_t)mark);
	}
}

int qemu_plugin_install(uint64_t id, const struct info *info, int argc, char **argv)
{
	char *end;

	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "out=", 4) == 0)
			out = fopen(argv[i] + 4, "w");
		else if (strncmp(argv[i], "skip=", 5) == 0)
			skipped = (size_t)atol(argv[i] + 5);
		else if (strncmp(argv[i], "list=", 5) == 0) {
			listed_test = strtoul(argv[i] + 5, &end, 10);
			listed_creation = strtoul(end + 1, NULL, 10);
		}
	}
	if (out == NULL)
		return -1;
	copies = info->current >= 3;
	machine = strstr(info->target_name, "aarch64") ? ARM64 :
		strstr(info->target_name, "riscv")     ? RISCV :
							 X86;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
