/* summary_rig.h: sessions in a file, and their summaries */
#ifndef TESTS_SUMMARY_RIG_H
#define TESTS_SUMMARY_RIG_H

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rig/sampler_rig.h"
#include "session/report/summary.h"

/** A file that is read, and what it comes to. */
struct told {
	char path[40];
	struct reader *reader;
	struct metrics_selection wanted;
	struct summary summary;
};

/** @metrics  as in -M; NULL: all */
static inline void told_make(struct told *told, const struct text *text, const char *metrics)
{
	struct err err = { "" };
	int fd;

	assert_false(text->failed);
	*told = (struct told){ .path = "/tmp/test_summary.XXXXXX" };
	fd = mkstemp(told->path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text->bytes, text->n), text->n);
	close(fd);
	must(reader_open(told->path, 0, NULL, &told->reader, &err), &err);
	if (metrics)
		must(metrics_select(reader_metrics(told->reader), metrics, &told->wanted, &err),
		     &err);
	must(summary_make(told->reader, told->path, 0, metrics ? &told->wanted : NULL, NULL, NULL,
			  &told->summary, &err),
	     &err);
}

static inline void told_end(struct told *told)
{
	summary_fini(&told->summary);
	metrics_selection_fini(&told->wanted);
	reader_close(told->reader);
	unlink(told->path);
}

/** The row and the figure; the test fails where there is none. */
static inline const struct summary_row *told_row(const struct told *told, const char *name)
{
	for (size_t i = 0; i < told->summary.n_rows; i++)
		if (strcmp(told->summary.row[i].name, name) == 0)
			return &told->summary.row[i];
	fail_msg("no row %s", name);
	return NULL;
}

static inline struct summary_figure *told_figure(const struct told *told, const char *row_name,
						 const char *name)
{
	const struct summary_row *row = told_row(told, row_name);

	for (size_t i = 0; i < row->n; i++) {
		char is[EVENT_NAME_MAX + 4];

		summary_figure_name(&told->summary, &row->figure[i], is, sizeof(is));
		if (strcmp(is, name) == 0)
			return &row->figure[i];
	}
	fail_msg("%s has no %s", row_name, name);
	return NULL;
}

static inline void same(double is, double wanted)
{
	if (fabs(is - wanted) > 1e-9 * fabs(wanted))
		fail_msg("%.17g, not %.17g", is, wanted);
}

/** Two cores of one type that count two events, 100 ms a tick; rows follow. */
static inline void tell_head(struct text *text, const char *model)
{
	text_printf(text,
		    "# m1top session 1\n"
		    "# host h kernel k backend sim interval_ms 100 started "
		    "2020-11-17T12:00:00.000+00:00\n"
		    "# machine \"%s\" cpuid=x simulated=1\n"
		    "# type cpu pmu=cpu counters=2 width=64 slot_is_counter=0 first_fit=0\n"
		    "# cpu 0 type=cpu cluster=0 midr=0x0\n"
		    "# cpu 1 type=cpu cluster=0 midr=0x0\n"
		    "# set 1 type=cpu slot=0 pmu=cpu event=A config=0x1 width=64 unit= scale=1\n"
		    "# set 1 type=cpu slot=1 pmu=cpu event=B config=0x2 width=64 unit= scale=1\n"
		    "tick,time_s,cpu,type,pmu,slot,pid,event,count,enabled_ns,running_ns,quality\n",
		    model);
}

/** One count of one window. @count  NULL: none */
static inline void tell_row(struct text *text, unsigned tick, unsigned cpu, unsigned slot,
			    const char *count, double running, const char *quality)
{
	text_printf(text, "%u,%u.%u,%u,cpu,cpu,%u,,%s,%s,100000000,%.0f,%s\n", tick, tick / 10,
		    tick % 10, cpu, slot, slot ? "B" : "A", count ? count : "", running * 1e8,
		    quality);
}

#endif
