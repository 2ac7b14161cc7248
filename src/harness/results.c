/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "os.h"
#include "pass.h"
#include "util.h"

/* Room for the histograms that one can have: of creations, of calls, of the periods of a start-up;
 * and for the rest */
enum { HISTOGRAM_TEXT = 24 * HISTOGRAM_BUCKETS, HISTOGRAMS = 8 };
static char lines[HISTOGRAMS * HISTOGRAM_TEXT + 16384];
static size_t length;

void put(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	length += (size_t)vsnprintf(lines + length, sizeof lines - length, format, arguments);
	va_end(arguments);
	if (length >= sizeof lines)
		length = sizeof lines - 1;
}

static void put_known(uint64_t number, const char *after)
{
	if (number == UNKNOWN)
		put("-%s", after);
	else
		put("%llu%s", (unsigned long long)number, after);
}

/* KEY|p50|p90|p99|p99.9|max, without the end of the line */
static void put_percentiles(const char *key, const struct histogram *h)
{
	static const double shares[] = { 0.5, 0.9, 0.99, 0.999 };

	put("%s", key);
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
		put("|%.3f", REAL(histogram_quantile(h, shares[i])) / 1e3);
	put("|%.3f", REAL(h->max) / 1e3);
}

static void put_histogram(const struct histogram *h)
{
	size_t room = sizeof lines - length;

	length += histogram_text(h, lines + length, room < HISTOGRAM_TEXT ? room : HISTOGRAM_TEXT);
	put("\n");
}

static void put_latency(const struct histogram *h)
{
	put_percentiles("LATENCY", h);
	put("\nTIMED|%llu\nHISTOGRAM|", (unsigned long long)h->total);
	put_histogram(h);
}

void put_times(const char *key, const struct histogram *h)
{
	put_percentiles(key, h);
	put("|");
	put_histogram(h);
}

static void put_batches(void)
{
	if (the_pass->batches == 0)
		return;
	put("BATCHES|%g|", REAL(the_pass->batch_ns) / 1e9);
	for (unsigned i = 0; i < the_pass->batches; i++)
		put("%s%.0f", i > 0 ? "," : "",
			REAL(the_pass->batch[i].created) / (REAL(the_pass->batch[i].us) / 1e6));
	put("\n");
}

/* PAUSES|seconds of all|their CPU time|sparse_faults=rate in each pause,...|page_faults=likewise */
static void put_pauses(void)
{
	if (the_pass->pauses == 0)
		return;
	put("PAUSES|%.6f|%.6f", REAL(the_pass->paused_ns) / 1e9,
		REAL(the_pass->paused_cpu_us) / 1e6);
	for (int sparse = 1; sparse >= 0; sparse--)
		for (unsigned i = 0; i < the_pass->pauses; i++)
			put("%s%.0f",
				i > 0          ? "," :
					sparse ? "|sparse_faults=" :
						 "|page_faults=",
				reference_rate(sparse ? the_pass->pause[i].sparse_ns :
							the_pass->pause[i].faults_ns));
	put("\n");
}

/* The last pair ends with the timed part, so the microseconds add up to TIME. */
static void put_progress(void)
{
	struct batch last = pass_open_batch(the_pass);

	put("PROGRESS|%.6f|", REAL(the_pass->began) / 1e9);
	for (unsigned i = 0; i < the_pass->batches; i++)
		put("%llu:%llu,", (unsigned long long)the_pass->batch[i].us,
			(unsigned long long)the_pass->batch[i].created);
	put("%llu:%llu\n", (unsigned long long)last.us, (unsigned long long)last.created);
}

static uint64_t grown(uint64_t before, uint64_t after)
{
	return before == UNKNOWN || after == UNKNOWN || after < before ? UNKNOWN : after - before;
}

/* The two clocks are read one after the other, so a difference below 1 ms is noise. */
static uint64_t suspended(uint64_t before, uint64_t after)
{
	if (before == UNKNOWN || after == UNKNOWN)
		return UNKNOWN;
	return after > before + 1000000 ? after - before : 0;
}

static void put_disturbances(
	const struct usage *b, const struct usage *a, const struct image *image)
{
	put("DISTURB|rundelay_ns=");
	put_known(grown(b->rundelay_ns, a->rundelay_ns), "|nivcsw=");
	put_known(grown(b->nivcsw, a->nivcsw), "|nvcsw=");
	put_known(grown(b->nvcsw, a->nvcsw), "|minflt=");
	put_known(grown(b->minflt, a->minflt), "|suspended_ns=");
	put_known(suspended(b->suspended_ns, a->suspended_ns), "|traced=");
	put_known(image->tracer == UNKNOWN ? UNKNOWN : image->tracer != 0, "|stops=");
	put_known(grown(b->stops, a->stops), "|moved=");
	put_known(a->surroundings == UNKNOWN ? UNKNOWN : a->surroundings != b->surroundings,
		"|children_nivcsw=");
	put_known(grown(b->children_nivcsw, a->children_nivcsw), "\n");
}

/* Minor page faults of a creation, of this process and of its children; where the counters lie,
 * since in memory that fork() copies they add to them */
static void put_page_faults(const struct usage *b, const struct usage *a)
{
	double created = REAL(the_pass->created);

	put("MINFLT|%.3f|%.3f|%s\n", REAL(a->minflt - b->minflt) / created,
		REAL(a->children_minflt - b->children_minflt) / created, pass_place());
}

static void put_footprint(const struct image *image)
{
	uint64_t files = open_files();

	put("FOOTPRINT|");
	put_known(image->vsz_kb, "|");
	put_known(image->rss_kb, "|");
	put_known(image->tables_kb, "|");
	put_known(files, "\n");
}

/* A test whose result is an amount prints the amount per second, with timebase 0, and its
 * creations in a line of their own. */
static void put_count(double seconds)
{
	unsigned long long created = (unsigned long long)the_pass->created;
	const char *label = test.label != NULL ? test.label : "lps";

	if (test.amount != NULL)
		put("COUNT|%.0f|0|%s\nITERATIONS|%llu\n", REAL(created) * test.amount() / seconds,
			label, created);
	else
		put("COUNT|%llu|%u|%s\n", created, test.timebase > 0 ? test.timebase : 1, label);
	put("TIME|%.6f\n", seconds);
}

static void put_seconds(uint64_t before_us, uint64_t after_us, const char *after)
{
	put("%.6f%s", REAL(after_us - before_us) / 1e6, after);
}

static void put_cpu(const struct usage *b, const struct usage *a)
{
	put("CPU|");
	put_seconds(b->user_us, a->user_us, "|");
	put_seconds(b->system_us, a->system_us, "|");
	put_seconds(b->children_user_us, a->children_user_us, "|");
	if (a->helper_us == UNKNOWN || b->helper_us == UNKNOWN)
		put("-\n");
	else
		put_seconds(b->children_system_us + b->helper_us,
			a->children_system_us + a->helper_us, "\n");
}

int pass_print(const struct options *o, const struct usage *after)
{
	const struct usage *b = &the_pass->before;
	struct image image;

	os_image(&image); /* before open_files(), which allocates memory */
	length = 0;
	put_count(REAL(the_pass->now - the_pass->started) / 1e9);
	put("VERSION|%s|%s\n", test.name, SPAWNMETER_VERSION);
	put_cpu(b, after);
	if (o->burst > 1) /* the time before the first child was reaped */
		put("CREATING|%.6f\n", REAL(the_pass->creating_ns) / 1e9);
	put_latency(&the_pass->latency);
	if (pass_stalls(the_pass)->total > 0)
		put_times("STALL", &the_pass->stalls);
	for (const struct feature *const *f = features(); *f != NULL; f++)
		if ((*f)->print != NULL && feature_is_used(*f))
			(*f)->print();
	put_page_faults(b, after);
	put_batches();
	put_pauses();
	put_footprint(&image);
	put_disturbances(b, after, &image);
	if (o->gate_go >= 0) {
		put("GATE|%.6f\nWARMED|%.6f\n", REAL(the_pass->began) / 1e9,
			REAL(the_pass->warmed_us) / 1e6);
		put_progress();
	}
	return write_all(STDERR_FILENO, lines, length);
}
