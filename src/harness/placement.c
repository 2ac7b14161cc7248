/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "placement.h"
#include "os.h"
#include "pass.h"

WRITTEN struct placement *placement;
static bool placement_wanted;

void placement_note(void)
{
	placement->made += the_pass->timed;
	placement->cpu = the_pass->timed ? os_cpu() : -1; /* which no child is on: not counted */
}

void placement_compare(void)
{
	placement->same += os_cpu() == placement->cpu;
}

static int setup(void)
{
	if (os_cpu() < 0)
		return skip("--placement: this system does not tell the CPU of a process");
	placement = shared_memory(sizeof *placement);
	return placement != NULL ? 0 : failure("--placement:");
}

static void print(void)
{
	put("PLACEMENT|%llu|%llu\n", (unsigned long long)placement->same,
		(unsigned long long)placement->made);
}

static const struct entry placement_options[] = {
	{ FLAG, &placement_wanted,
		.usage = "placement: count the children that begin on the CPU of their parent",
		.excludes = "burst spawners raw" },
	{ 0 },
};
const struct feature placement_feature = {
	.options = placement_options, .setup = setup, .print = print
};
