/* report.c: parts common to the report as text, JSON and HTML */
#include "session/report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"

/* Maximum of time cells in a page's plots, and for the finding alone; of the memory for their data. */
enum { PLOT_CELLS = 1200, FINDING_CELLS = 200, PLOT_BYTES = 96 * 1024 * 1024 };

/* Levels with more rows are not on a page without --by. */
enum { PAGE_ROWS = 64 };

struct report *report_new(const struct report_request *request)
{
	struct report *report = calloc(1, sizeof(*report));

	if (report)
		report->request = *request;
	return report;
}

static void report_take(void *data, const struct frame *frame)
{
	struct report *report = data;

	history_add(report->history[report->n], frame);
	if (report->request.is_survey)
		explain_add(&report->of.explain[report->n], frame);
}

int report_add(struct report *report, struct reader *reader, const char *name, unsigned part,
	       const struct metrics_selection *wanted, struct err *err)
{
	unsigned i = report->n;
	struct summary *summary = &report->of.summary[i];
	struct explain *explain = &report->of.explain[i];

	if (history_new_even(reader_machine(reader), reader_metrics(reader),
			     report->request.has_plots ? PLOT_CELLS : FINDING_CELLS, PLOT_BYTES,
			     &report->history[i]))
		return err_set(err, ENOMEM, "out of memory");
	*explain = (struct explain){ .machine = reader_machine(reader),
				     .metrics = reader_metrics(reader) };

	int rc = summary_make(reader, name, part, wanted, report_take, report, summary, err);

	explain_end(explain);
	if (rc)
		return rc;
	report->summary[i] = summary;
	report->n++;
	if (explain->failed)
		return err_set(err, ENOMEM, "out of memory");
	if (report->request.is_survey)
		report->explain[i] = explain;
	if (!i)
		return 0;
	rc = compare(report->summary[0], summary, &report->of.comparison, err);
	if (!rc && compare_tasks_over_time(&report->of.comparison, report->history))
		rc = err_set(err, ENOMEM, "out of memory");
	report->comparison = &report->of.comparison;
	if (report->request.is_survey)
		comparison_keep_changes(&report->of.comparison);
	return rc;
}

const char *report_last_error(const struct report *report, unsigned i)
{
	return i < report->n ? report->summary[i]->last_error.text : "";
}

bool report_has_devices(const struct report *report)
{
	for (unsigned i = 0; i < report->n; i++)
		for (size_t k = 0; k < report->summary[i]->n_rows; k++)
			if (report->summary[i]->row[k].by == BY_DEVICE)
				return true;
	return false;
}

void report_free(struct report *report)
{
	if (!report)
		return;
	comparison_fini(&report->of.comparison);
	for (unsigned i = 0; i < 2; i++) {
		explain_fini(&report->of.explain[i]);
		summary_fini(&report->of.summary[i]);
		history_free(report->history[i]);
	}
	free(report);
}

const char *annotation_name(enum annotation_kind kind)
{
	static const char *const name[] = {
		[ANNOTATION_EVENTS] = "events", [ANNOTATION_INTERVAL] = "interval",
		[ANNOTATION_GAP] = "gap",       [ANNOTATION_OFF] = "off",
		[ANNOTATION_ON] = "on",         [ANNOTATION_MARK] = "mark",
	};

	return name[kind];
}

bool report_has_level(const struct summary *summary, enum frame_by by)
{
	const struct machine *machine = summary->machine;

	switch (by) {
	case BY_CLUSTER: return machine->n_clusters != machine->n_types;
	case BY_CORE: return machine->n_cores != machine->n_clusters;
	case BY_PHYSICAL: return false;
	case BY_SOCKET:
	case BY_NODE:
	case BY_LLC: return machine_level_rows(machine, by) != machine->n_clusters;
	default: return true;
	}
}

bool report_has_row(const struct report *report, const struct summary *summary,
		    const struct summary_row *row)
{
	if (row->by == BY_DEVICE && !row->n)
		return false;
	if (report->request.has_by)
		return row->by == frame_by_same(summary->machine, report->request.by);
	return report_has_level(summary, row->by) &&
	       (!report->request.has_plots ||
		frame_n_own_rows(summary->machine, row->by) <= PAGE_ROWS);
}

const struct summary_figure *report_figure_of_metric(const struct summary_row *row, int number)
{
	for (size_t i = 0; i < row->n; i++)
		if (!row->figure[i].event && (int)row->figure[i].metric == number)
			return &row->figure[i];
	return NULL;
}

const struct summary_figure *report_figure_same_as(const struct summary *summary,
						   const struct summary_row *row,
						   const struct summary_figure *figure)
{
	const struct metric *all = summary->metrics->metric;

	for (const struct summary_figure *is = row->figure; !figure->event && is < figure; is++)
		if (!is->event && strcmp(all[is->metric].expr, all[figure->metric].expr) == 0 &&
		    strcmp(all[is->metric].unit, all[figure->metric].unit) == 0)
			return is;
	return NULL;
}

const char *report_title(const struct report *report, unsigned i)
{
	return report->request.title ? report->request.title
				     : reader_head(report->summary[i]->reader)->host;
}

const char *report_length(const struct summary *summary, char *buf, size_t size)
{
	snprintf(buf, size, "%.1f s in %" PRIu64 " interval%s of %g ms",
		 (double)summary->duration_ns / 1e9, summary->n_frames,
		 summary->n_frames == 1 ? "" : "s",
		 (double)reader_head(summary->reader)->interval_ns / (double)NS_PER_MS);
	return buf;
}

int report_commands_over_time(const struct history *history, const struct machine *machine,
			      report_commands_fn *call, void *data)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < history_n(history); i++) {
		struct task_sums then = { .tasks.by = BY_COMMAND, .machine = machine };
		const struct frame *frame = history_frame(history, i);

		rc = !frame ? -ENOMEM : frame->tasks ? task_sums_add(&then, frame) : 0;
		if (!rc)
			call(&then, i, data);
		task_sums_fini(&then);
		frame_unref(frame);
	}
	return rc;
}

size_t report_figure_then(const struct task_sums *then, const struct task_figure *figure)
{
	for (size_t i = 0; i < then->n_figures; i++)
		if (then->figure[i].type == figure->type &&
		    event_is_same(then->figure[i].event, figure->event))
			return i;
	return SIZE_MAX;
}

/* ---- cells ---- */

const char *const report_heading[2][1 + REPORT_CELLS] = {
	{ "metric", "", "session", "p50", "p95", "p99", "min", "max", "beyond" },
	{ "event", "total", "mean/s", "p50", "p95", "p99", "min", "max", "counted" },
};

static const char *estimate_mark(const struct reading *reading)
{
	return quality_has_value(reading->quality) ? quality_mark(reading->quality) : "";
}

static void number_cell(const struct report_numbers *numbers, unsigned width, const char *before,
			double value, report_cell ret)
{
	char number[24];

	num_si(value, 4, width, number, sizeof(number));
	snprintf(ret, sizeof(report_cell), "%s%s", before, *number ? number : numbers->none);
}

/* @sum  raw and exact, unless it is an estimate */
static void total_cell(const struct event *event, const struct count *sum,
		       const struct reading *total, const char *none, report_cell ret)
{
	if (!quality_has_value(total->quality))
		snprintf(ret, sizeof(report_cell), "%s", none);
	else if (total->quality == QUALITY_SCALED || *event->unit)
		snprintf(ret, sizeof(report_cell), "%s%.0f", estimate_mark(total), total->value);
	else
		snprintf(ret, sizeof(report_cell), "%s%" PRIu64, estimate_mark(total), sum->value);
}

static void event_cells(const struct summary_figure *figure, const struct report_numbers *numbers,
			report_cell total, report_cell counted)
{
	char error[32];

	total_cell(figure->event, &figure->sum, &figure->total, numbers->none, total);
	num_error(figure->total.value, count_error_below(&figure->sum), count_error(&figure->sum),
		  numbers->ascii, error, sizeof(error));
	snprintf(counted, sizeof(report_cell), "%s%.1f %%%s%s",
		 figure->total.quality == QUALITY_PARTIAL ? "" : estimate_mark(&figure->total),
		 figure->counted_pct, *error ? " " : "", error);
}

void report_figure_cells(const struct summary_figure *figure, const struct report_numbers *numbers,
			 report_cell ret[REPORT_CELLS])
{
	struct distribution *distribution =
		(struct distribution *)&figure->distribution; /* sorted on demand */
	const double spread[] = { distribution_percentile(distribution, 50),
				  distribution_percentile(distribution, 95),
				  distribution_percentile(distribution, 99),
				  distribution->n ? distribution->min : NAN,
				  distribution->n ? distribution->max : NAN };

	*ret[REPORT_TOTAL] = *ret[REPORT_LAST] = '\0';
	number_cell(numbers, numbers->wide, estimate_mark(&figure->mean),
		    quality_has_value(figure->mean.quality) ? figure->mean.value : NAN,
		    ret[REPORT_MEAN]);
	for (size_t i = 0; i < ARRAY_SIZE(spread); i++)
		number_cell(numbers, numbers->narrow, "", spread[i], ret[REPORT_P50 + i]);
	if (figure->event)
		event_cells(figure, numbers, ret[REPORT_TOTAL], ret[REPORT_LAST]);
	else if (figure->alarm_inputs.count && distribution->n)
		snprintf(ret[REPORT_LAST], sizeof(report_cell), "%.1f %%",
			 100 * (double)figure->n_beyond / (double)distribution->n);
}

const char *const report_task_heading[REPORT_TASK_CELLS] = { "total", "share", "mean/s" };

bool report_has_tasks(const struct report *report)
{
	return !report->request.has_by || report->request.by == BY_TYPE ||
	       report->request.by == BY_SYSTEM;
}

const char *report_task_name(const struct task_sums *sums, const struct task_sum *sum, char *buf,
			     size_t size)
{
	if (sums->tasks.by == BY_CGROUP && sum->task.kind == TASK_THREAD)
		cgroup_names_fit(core_task_cgroup(&sum->task), REPORT_CGROUP_WIDTH, buf, size);
	else if (sum->task.pid)
		snprintf(buf, size, "%s %" PRIu32, sum->task.comm, sum->task.pid);
	else
		snprintf(buf, size, "%s", sum->task.comm);
	return buf;
}

void report_task_cells(const struct task_sums *sums, const struct task_sum *sum, size_t figure,
		       const struct report_numbers *numbers, report_cell ret[REPORT_TASK_CELLS])
{
	struct reading total = task_sums_total(sums, sum, figure);

	total_cell(sums->figure[figure].event, &sum->count[figure], &total, numbers->none, ret[0]);
	snprintf(ret[1], sizeof(report_cell), "%.1f %%", 100 * task_sums_share(sums, sum, figure));
	number_cell(numbers, numbers->narrow, estimate_mark(&total),
		    task_sums_rate(sums, sum, figure), ret[2]);
}

const char *const report_explained_heading[2][REPORT_EXPLAINED] = {
	{ "/Kinst", "±", "peak", "CPI", "95 %", "cycles" },
	{ "/Kinst", "+-", "peak", "CPI", "95 %", "cycles" },
};

const char report_explained_note[] =
	"/Kinst: per 1000 instructions. peak: 95th percentile of that rate over its median, of the "
	"intervals. CPI: share of the variation of cycles per instruction that the event explains, "
	"with its 95 % interval; cycles: for each event. A correlation is no cause.";

void report_explained_cells(const struct explained *explained, const struct report_numbers *numbers,
			    report_cell ret[REPORT_EXPLAINED])
{
	double share = explained->per_kinst_error / explained->per_kinst;

	number_cell(numbers, numbers->narrow, "", explained->per_kinst, ret[0]);
	share = isfinite(share) ? share : 0;
	num_error(0, share, share, numbers->ascii, ret[1], sizeof(ret[1]));
	number_cell(numbers, numbers->narrow, "", explained->peak, ret[2]);
	snprintf(ret[3], sizeof(ret[3]), isnan(explained->share) ? "-" : "%.0f %%",
		 100 * explained->share);
	snprintf(ret[4], sizeof(ret[4]), isnan(explained->low) ? "-" : "%.0f-%.0f %%",
		 100 * explained->low, 100 * explained->high);
	number_cell(numbers, numbers->narrow, "", explained->cycles, ret[5]);
}

void report_change_cells(const struct mean_change *change, const struct report_numbers *numbers,
			 report_cell ret[REPORT_CHANGES])
{
	for (unsigned i = 0; i < 2; i++)
		number_cell(numbers, numbers->wide, estimate_mark(&change->mean[i]),
			    change->mean[i].value, ret[i]);
	number_cell(numbers, numbers->wide, change->delta > 0 ? "+" : "", change->delta, ret[2]);
	if (isnan(change->delta_pct))
		snprintf(ret[3], sizeof(ret[3]), "%s", numbers->none);
	else
		snprintf(ret[3], sizeof(ret[3]), "%+.2f", change->delta_pct);
	number_cell(numbers, numbers->narrow, "", change->spread, ret[4]);
	number_cell(numbers, numbers->narrow, "", change->error, ret[5]);
}

void report_bad_intervals(const struct summary_figure *figure, const char *before, struct text *out)
{
	for (enum quality i = QUALITY_PENDING; i < QUALITY_OFF; i++) {
		if (!figure->n_intervals[i])
			continue;
		text_printf(out, "%s%" PRIu64 " %s", before, figure->n_intervals[i],
			    quality_name(i));
		before = ", ";
	}
}

bool report_unmatched(const struct comparison *comparison, unsigned which, struct text *out)
{
	const struct only *only = &comparison->only[which];

	for (size_t i = 0; i < only->n; i++) {
		char name[EVENT_NAME_MAX + 4];

		text_printf(out, "%s%s",
			    i       ? ", "
			    : which ? "only in the second: "
				    : "only in the first: ",
			    summary_figure_name(comparison->summary[which], only->figure[i], name,
						sizeof(name)));
	}
	return only->n;
}

/* ---- sentences ---- */

const char *report_own(const struct summary *summary, char *buf, size_t size)
{
	const struct summary_own *own = &summary->own;

	if (own->n)
		snprintf(buf, size,
			 "%.3f %% of the core it loads most (maximum %.3f %%), %.3f %% of one "
			 "core in total (maximum %.3f %%); %.1f wake-ups/s, late by %.0f us in the "
			 "worst second (99th percentile); %" PRIu64 " samples dropped",
			 own->core_pct, own->core_pct_max, own->total_pct, own->total_pct_max,
			 own->wakeups_per_s, own->late_p99_us_max, own->n_dropped);
	else
		snprintf(buf, size, "not measured");
	return buf;
}

const char report_verdicts[] =
	"spread: standard deviation between intervals, pooled over both sessions. error: standard "
	"error of the change of means, corrected for the correlation of neighbouring intervals "
	"(first autocorrelation). within error: |change| <= 2 errors, the two cannot be told "
	"apart. within spread: they can, but intervals differ more among themselves. beyond "
	"spread: more than both. The error does not include slow drift and differences from run to "
	"run: repeat the runs.";

/* Where remarks go. */
struct remarks {
	report_remark_fn *put;
	struct text *out;
};

__attribute__((format(printf, 2, 3))) static void remark(const struct remarks *to, const char *fmt,
							 ...)
{
	char text[1200];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	to->put(text, to->out);
}

/* Report a number of things, unless there are none. */
static void remark_number(const struct remarks *to, uint64_t n, const char *one,
			  const char *several)
{
	if (n)
		remark(to, "%" PRIu64 " %s", n, n == 1 ? one : several);
}

static void remark_beginning(const struct summary *summary, const struct remarks *to)
{
	const struct session_head *head = reader_head(summary->reader);
	char begin[40];

	if (summary->begin_ns)
		remark(to,
		       "begins %.1f s after counting started, at %s; times are from that start%s",
		       (double)summary->begin_ns / 1e9,
		       clock_rfc3339(head->started_wall_ns + summary->begin_ns, begin,
				     sizeof(begin)),
		       summary->leaves_older ? "; --older reads the files before it" : "");
}

static void remark_missing(const struct summary *summary, const struct remarks *to)
{
	const struct metric *metric;
	struct text names = { 0 };

	for (size_t i = 0; (metric = summary_missing_metric(summary, i)); i++)
		text_printf(&names, "%s%s", i ? ", " : METRICS_MISSING, metric->name);
	if (names.n)
		remark(to, "%s", names.bytes);
	to->out->failed |= names.failed;
	text_fini(&names);
}

void report_remarks(const struct summary *summary, report_remark_fn *put, struct text *out)
{
	const struct summary_switches *switches = &summary->switches;
	const struct remarks to = { put, out };

	if (summary->machine->simulated)
		remark(&to, "SIMULATED: these figures are not from a real machine");
	if (*summary->last_error.text)
		remark(&to, "read up to an invalid line: %s", summary->last_error.text);
	if (summary->is_cut)
		remark(&to, "the file ends in the middle, as after a crash: read up to there");
	if (summary->has_more)
		remark(&to, "this is session %u of the file; for the next one use --part %u",
		       summary->part + 1, summary->part + 2);
	remark_beginning(summary, &to);
	remark_number(&to, summary->n_missed, "interval was missed", "intervals were missed");
	remark_number(&to, summary->n_lost, "frame was not written in time",
		      "frames were not written in time");
	remark_number(&to, summary->n_absent, "interval is missing: a file in between is absent",
		      "intervals are missing: a file in between is absent");
	remark_missing(summary, &to);
	if (summary->is_coarse)
		remark(&to, "percentiles are accurate to 0.5 %%, because the session is long");
	if (switches->n_frames)
		remark(&to,
		       "%" PRIu64 " context switches tell tasks apart, %" PRIu64
		       " without a record ([unattributed]); that took %.2f %% of one core",
		       switches->n, switches->n_lost, switches->cost_pct);
}
