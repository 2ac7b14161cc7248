/*
 * carry.c - the state of a pass as text, for a test that replaces its own
 * process: numbers, then the histogram.
 */
#include <stdlib.h>

#include "pass.h"

static char state[24 * HISTOGRAM_BUCKETS];

static uint64_t *const carried[] = {
	&pass.created, &pass.started, &pass.last, &pass.ended, &pass.every, &pass.until,
	&pass.before.user_us, &pass.before.system_us, &pass.before.children_user_us,
	&pass.before.children_system_us, &pass.before.nvcsw, &pass.before.nivcsw,
	&pass.before.minflt, &pass.before.rundelay_ns, &pass.before.suspended_ns,
	&pass.latency.max,
};
enum { CARRIED = sizeof carried / sizeof *carried };

const char *pass_save(void)
{
	size_t length = 0;

	state[length++] = pass.timed ? 't' : 'w';
	for (int i = 0; i < CARRIED; i++)
		length += put_number(state + length, *carried[i], ' ');
	(void)histogram_text(&pass.latency, state + length, sizeof state - length);
	return state;
}

int pass_restore(const char *text)
{
	uint64_t max;
	char *end;

	pass.timed = *text++ == 't';
	for (int i = 0; i < CARRIED; i++, text = end + 1) {
		*carried[i] = strtoull(text, &end, 10);
		if (end == text || *end != ' ')
			return failure("--resume is for this program's own use");
	}
	max = pass.latency.max;
	if (histogram_parse(&pass.latency, text) != 0)
		return failure("--resume is for this program's own use");
	pass.latency.max = max;
	pass.now = pass.last;
	pass.batch_started = UINT64_MAX / 2;    /* no batches: they are not carried */
	pass.batch_ns = UINT64_MAX;
	return 0;
}
