/* report.c: what text, JSON and page say alike */
#include "session/report.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"

const char *moment_name(enum moment_kind kind)
{
	static const char *const name[] = {
		[MOMENT_EVENTS] = "events", [MOMENT_INTERVAL] = "interval",
		[MOMENT_GAP] = "gap",       [MOMENT_OFF] = "off",
		[MOMENT_ON] = "on",         [MOMENT_MARK] = "mark",
	};

	return name[kind];
}

bool report_has_row(const struct report *report, const struct summary *summary,
		    const struct summary_row *row)
{
	const struct machine *machine = summary->machine;

	if (row->by == BY_DEVICE && !row->n)
		return false;
	if (report->has_by)
		return row->by == (report->by == BY_SYSTEM ? BY_TYPE : report->by);
	switch (row->by) {
	case BY_CLUSTER: return machine->n_clusters != machine->n_types;
	case BY_CORE: return machine->n_cores != machine->n_clusters;
	default: return true;
	}
}

const char *report_length(const struct summary *summary, char *buf, size_t size)
{
	snprintf(buf, size, "%.1f s in %" PRIu64 " interval%s of %g ms",
		 (double)summary->duration_ns / 1e9, summary->n_frames,
		 summary->n_frames == 1 ? "" : "s",
		 (double)reader_head(summary->reader)->interval_ns / (double)NS_PER_MS);
	return buf;
}

const char *report_own(const struct summary *summary, char *buf, size_t size)
{
	const struct summary_own *own = &summary->own;

	if (own->n)
		snprintf(buf, size,
			 "%.3f %% of the core that it loads most (at most %.3f %%), %.3f %% of one "
			 "core in all (at most %.3f %%); %.1f wake-ups/s, late by %.0f us in the "
			 "worst second (99th percentile); %" PRIu64 " samples dropped",
			 own->core_pct, own->core_pct_max, own->total_pct, own->total_pct_max,
			 own->wakeups_per_s, own->late_p99_us_max, own->n_dropped);
	else
		snprintf(buf, size, "not measured");
	return buf;
}

const char report_verdicts[] =
	"spread: standard deviation between intervals, pooled over both sessions. error: standard "
	"error of the change of means, corrected for the likeness of neighbouring intervals "
	"(first autocorrelation). within error: |change| <= 2 errors, the two cannot be told "
	"apart. within spread: they can, but intervals differ more among themselves. beyond "
	"spread: more than both. Slow drift and what differs from run to run are in no error: "
	"repeat the runs.";

static const char *say(char *buf, size_t size, uint64_t n, const char *one, const char *several)
{
	if (!n)
		return NULL;
	snprintf(buf, size, "%" PRIu64 " %s", n, n == 1 ? one : several);
	return buf;
}

typedef const char *remark_fn(const struct summary *summary, char *buf, size_t size);

static const char *remark_simulated(const struct summary *summary, char *buf, size_t size)
{
	(void)buf, (void)size;
	return summary->machine->simulated ? "SIMULATED: these are not figures of a machine" : NULL;
}

static const char *remark_trouble(const struct summary *summary, char *buf, size_t size)
{
	if (!*summary->trouble.text)
		return NULL;
	snprintf(buf, size, "read up to a line that is wrong: %s", summary->trouble.text);
	return buf;
}

static const char *remark_cut(const struct summary *summary, char *buf, size_t size)
{
	(void)buf, (void)size;
	return summary->is_cut ? "the file was cut in the middle, as by a crash: read up to there"
			       : NULL;
}

static const char *remark_more(const struct summary *summary, char *buf, size_t size)
{
	if (!summary->has_more)
		return NULL;
	snprintf(buf, size, "this is session %u of the file, another follows: --part %u",
		 summary->part + 1, summary->part + 2);
	return buf;
}

static const char *remark_late(const struct summary *summary, char *buf, size_t size)
{
	const struct session_head *head = reader_head(summary->reader);
	char begin[40];

	if (!summary->begin_ns)
		return NULL;
	snprintf(buf, size, "begins %.1f s after counting did, from which times are, at %s%s",
		 (double)summary->begin_ns / 1e9,
		 clock_rfc3339(head->started_wall_ns + summary->begin_ns, begin, sizeof(begin)),
		 summary->leaves_older ? "; what came before is in older files: --older reads them"
				       : "");
	return buf;
}

static const char *remark_missed(const struct summary *summary, char *buf, size_t size)
{
	return say(buf, size, summary->n_missed, "interval was missed", "intervals were missed");
}

static const char *remark_lost(const struct summary *summary, char *buf, size_t size)
{
	return say(buf, size, summary->n_lost, "frame was not written in time",
		   "frames were not written in time");
}

static const char *remark_absent(const struct summary *summary, char *buf, size_t size)
{
	return say(buf, size, summary->n_absent, "interval is in no file: one of them is missing",
		   "intervals are in no file: one of them is missing");
}

static const char *remark_coarse(const struct summary *summary, char *buf, size_t size)
{
	(void)buf, (void)size;
	return summary->is_coarse ? "percentiles are within 0.5 %: the session is long" : NULL;
}

static const char *remark_missing(const struct summary *summary, char *buf, size_t size)
{
	const struct metric *metric;
	size_t n = 0;

	for (size_t i = 0; (metric = summary_missing_metric(summary, i)); i++) {
		int more = snprintf(buf + n, size - n, "%s%s", i ? ", " : METRICS_MISSING,
				    metric->name);

		n += (size_t)more;
		if (n >= size)
			break;
	}
	return n ? buf : NULL;
}

const char *report_remark(const struct summary *summary, unsigned i, char *buf, size_t size)
{
	static remark_fn *const remarks[] = { remark_simulated, remark_trouble, remark_cut,
					      remark_more,      remark_late,    remark_missed,
					      remark_lost,      remark_absent,  remark_missing,
					      remark_coarse };

	for (size_t k = 0; k < sizeof(remarks) / sizeof(*remarks); k++) {
		const char *text = remarks[k](summary, buf, size);

		if (text && !i--)
			return text;
	}
	return NULL;
}
