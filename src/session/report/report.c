/* report.c: parts common to the report as text, JSON and HTML */
#include "session/report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "session/format/row_name.h"

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

const char *const annotation_name[] = {
	[ANNOTATION_EVENTS] = "events", [ANNOTATION_INTERVAL] = "interval",
	[ANNOTATION_GAP] = "gap",       [ANNOTATION_OFF] = "off",
	[ANNOTATION_ON] = "on",         [ANNOTATION_MARK] = "mark",
};

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
	const struct metric *all = summary->metrics->metric, *of = &all[figure->metric];
	const struct core_type *type = &summary->machine->type[row->type];

	for (const struct summary_figure *is = row->figure; !figure->event && is < figure; is++)
		if (!is->event && all[is->metric].scale == of->scale &&
		    strcmp(all[is->metric].unit, of->unit) == 0 &&
		    strcmp(all[is->metric].expr, of->expr) == 0 &&
		    strcmp(metric_expr_on(&all[is->metric], type), metric_expr_on(of, type)) == 0)
			return is;
	return NULL;
}

const char *report_title(const struct report *report, unsigned i)
{
	return report->request.title ? report->request.title
				     : reader_head(report->summary[i]->reader)->host;
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

/* ---- sentences ---- */

const char report_explained_note[] =
	"/Kinst: per 1000 instructions. peak: 95th percentile of that rate over its median, of the "
	"intervals. CPI: share of the variation of cycles per instruction that the event explains, "
	"with its 95 % interval; cycles: for each event. A correlation is no cause.";

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
	AUTO_TEXT struct text names = { 0 };

	for (size_t i = 0; (metric = summary_missing_metric(summary, i)); i++)
		text_printf(&names, "%s%s", i ? ", " : METRICS_MISSING, metric->name);
	if (names.n)
		remark(to, "%s", names.bytes);
	to->out->failed |= names.failed;
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
