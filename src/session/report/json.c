/* json.c: the figures of a report as one JSON object: docs/report.md */
#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "session/report/report.h"

/* ---- members ---- */

static void key(struct text *out, const char *name)
{
	char last = out->n ? out->bytes[out->n - 1] : '{';

	if (last != '{' && last != '[')
		text_add(out, ",", 1);
	text_json(out, name);
	text_add(out, ":", 1);
}

static void item(struct text *out, char opening)
{
	if (out->n && out->bytes[out->n - 1] != '[')
		text_add(out, ",\n", 2);
	text_add(out, &opening, 1);
}

static void member_text(struct text *out, const char *name, const char *value)
{
	key(out, name);
	text_json(out, value);
}

static void member_u64(struct text *out, const char *name, uint64_t value)
{
	key(out, name);
	text_printf(out, "%" PRIu64, value);
}

static void member_bool(struct text *out, const char *name, bool value)
{
	key(out, name);
	text_printf(out, "%s", value ? "true" : "false");
}

/* What is not a number has none: null. */
static void member_number(struct text *out, const char *name, double value)
{
	key(out, name);
	if (isfinite(value))
		text_printf(out, "%.12g", value);
	else
		text_printf(out, "null");
}

static void member_reading(struct text *out, const char *name, const struct reading *reading)
{
	member_number(out, name, quality_has_value(reading->quality) ? reading->value : NAN);
}

/* ---- figures ---- */

static void spread(const struct summary_figure *figure, struct text *out)
{
	struct digest *digest = (struct digest *)&figure->digest; /* put in order when asked */

	member_number(out, "p50", digest_percentile(digest, 50));
	member_number(out, "p95", digest_percentile(digest, 95));
	member_number(out, "p99", digest_percentile(digest, 99));
	member_number(out, "min", digest->n ? digest->min : NAN);
	member_number(out, "max", digest->n ? digest->max : NAN);
	member_number(out, "sd", digest_stddev(digest));
}

static void intervals(const struct summary_figure *figure, struct text *out)
{
	key(out, "intervals");
	text_add(out, "{", 1);
	for (enum quality i = QUALITY_OK; i < QUALITY_OFF; i++)
		if (figure->n_intervals[i])
			member_u64(out, quality_name(i), figure->n_intervals[i]);
	text_add(out, "}", 1);
}

static void event(const struct summary *summary, const struct summary_figure *figure,
		  struct text *out)
{
	const struct event *is = figure->event;
	bool has_value = quality_has_value(figure->total.quality);
	char name[EVENT_NAME_MAX + 4];

	item(out, '{');
	member_text(out, "event", summary_figure_name(summary, figure, name, sizeof(name)));
	member_text(out, "pmu", is->pmu ? is->pmu->name : "");
	member_text(out, "unit", is->unit);
	member_reading(out, "total", &figure->total);
	if (has_value)
		member_u64(out, "counted", figure->sum.value);
	member_text(out, "quality", quality_name(figure->total.quality));
	if (count_error(&figure->sum) > 0)
		member_number(out, "error_pct", 100 * count_error(&figure->sum));
	member_reading(out, "mean_per_s", &figure->mean);
	spread(figure, out);
	member_number(out, "counted_pct", figure->counted_pct);
	intervals(figure, out);
	if (*is->refused)
		member_text(out, "refused", is->refused);
	text_add(out, "}", 1);
}

static void threshold(const struct summary *summary, const struct summary_row *row,
		      const struct summary_figure *figure, struct text *out)
{
	static const char *const name[] = {
		[ALARM_UNKNOWN] = NULL, [ALARM_WITHIN] = "within", [ALARM_BEYOND] = "beyond"
	};

	if (!summary->metrics->metric[figure->metric].alarm[row->type])
		return;
	member_text(out, "threshold", name[figure->alarm]);
	member_u64(out, "intervals_beyond", figure->n_beyond);
}

static void metric(const struct summary *summary, const struct summary_row *row,
		   const struct summary_figure *figure, struct text *out)
{
	const struct metric *is = &summary->metrics->metric[figure->metric];

	item(out, '{');
	member_text(out, "metric", is->name);
	member_text(out, "unit", is->unit);
	member_reading(out, "value", &figure->mean);
	member_text(out, "quality", quality_name(figure->mean.quality));
	spread(figure, out);
	intervals(figure, out);
	threshold(summary, row, figure, out);
	text_add(out, "}", 1);
}

static void figures(const struct summary *summary, const struct summary_row *row, bool is_event,
		    struct text *out)
{
	key(out, is_event ? "events" : "metrics");
	text_add(out, "[", 1);
	for (size_t i = 0; i < row->n; i++) {
		const struct summary_figure *figure = &row->figure[i];

		if (!figure->event == is_event || !summary_figure_is_shown(row, figure))
			continue;
		if (is_event)
			event(summary, figure, out);
		else
			metric(summary, row, figure, out);
	}
	text_add(out, "]", 1);
}

static void cpus(const struct summary_row *row, struct text *out)
{
	key(out, "cpus");
	text_add(out, "[", 1);
	cpus_each(&row->cpus, cpu)
		text_printf(out, "%s%d", out->bytes[out->n - 1] == '[' ? "" : ",", cpu);
	text_add(out, "]", 1);
}

static void rows(const struct report *report, const struct summary *summary, struct text *out)
{
	key(out, "rows");
	text_add(out, "[", 1);
	for (size_t i = 0; i < summary->n_rows; i++) {
		const struct summary_row *row = &summary->row[i];

		if (!report_has_row(report, summary, row))
			continue;
		item(out, '{');
		member_text(out, "by", frame_by_name[row->by]);
		member_text(out, "name", row->name);
		member_text(out, "type", summary->machine->type[row->type].name);
		cpus(row, out);
		figures(summary, row, true, out);
		figures(summary, row, false, out);
		text_add(out, "}", 1);
	}
	text_add(out, "]", 1);
}

/* ---- tasks ---- */

static void task(const struct task_sums *sums, const struct task_sum *sum, size_t figure,
		 struct text *out)
{
	struct reading total = task_sums_total(sums, sum, figure);

	item(out, '{');
	member_text(out, "command", sum->task.comm);
	if (sum->task.pid)
		member_u64(out, "pid", sum->task.pid);
	member_reading(out, "total", &total);
	member_u64(out, "counted", sum->count[figure].value);
	member_text(out, "quality", quality_name(total.quality));
	member_number(out, "share_pct", 100 * task_sums_share(sums, sum, figure));
	member_number(out, "mean_per_s", task_sums_rate(sums, sum, figure));
	text_add(out, "}", 1);
}

static void top_tasks(const struct task_sums *sums, size_t figure, const char *name,
		      struct text *out)
{
	const struct task_sum *top[REPORT_TASKS_MANY];
	size_t n = task_sums_top(sums, figure, REPORT_TASKS_MANY, top);

	key(out, name);
	text_add(out, "[", 1);
	for (size_t i = 0; i < n; i++)
		task(sums, top[i], figure, out);
	text_add(out, "]", 1);
}

static void tasks(const struct summary *summary, struct text *out)
{
	const struct task_sums *sums = &summary->commands;

	member_u64(out, "switches", summary->switches.n);
	member_u64(out, "switches_lost", summary->switches.n_lost);
	member_number(out, "tasks_cost_pct", summary->switches.cost_pct);
	key(out, "tasks");
	text_add(out, "[", 1);
	for (size_t i = 0; i < sums->n_figures; i++) {
		const struct task_figure *figure = &sums->figure[i];

		item(out, '{');
		member_text(out, "type", summary->machine->type[figure->type].name);
		member_text(out, "event", figure->event->name);
		member_text(out, "unit", figure->event->unit);
		top_tasks(sums, i, "commands", out);
		top_tasks(&summary->processes, i, "processes", out);
		text_add(out, "}", 1);
	}
	text_add(out, "]", 1);
}

/* ---- around them ---- */

static void head(const struct summary *summary, struct text *out)
{
	const struct session_head *is = reader_head(summary->reader);

	member_text(out, "file", summary->path);
	member_u64(out, "part", summary->part + 1);
	member_text(out, "host", is->host);
	member_text(out, "kernel", is->kernel);
	member_text(out, "backend", is->backend);
	member_text(out, "machine", summary->machine->model);
	member_text(out, "cpuid", summary->machine->cpuid);
	member_bool(out, "simulated", summary->machine->simulated);
	member_text(out, "started", is->started);
	member_number(out, "interval_ms", (double)is->interval_ns / (double)NS_PER_MS);
	member_number(out, "begin_s", (double)summary->begin_ns / 1e9);
	member_number(out, "duration_s", (double)summary->duration_ns / 1e9);
	member_u64(out, "intervals", summary->n_frames);
	member_u64(out, "missed", summary->n_missed);
	member_u64(out, "not_written", summary->n_lost);
	member_u64(out, "not_in_files", summary->n_absent);
	member_bool(out, "cut", summary->is_cut);
	member_bool(out, "more_follow", summary->has_more);
	member_text(out, "trouble", *summary->last_error.text ? summary->last_error.text : NULL);
	member_number(out, "percentile_error_pct", summary->is_coarse ? 0.5 : 0);
}

static void history(const struct summary *summary, struct text *out)
{
	key(out, "history");
	text_add(out, "[", 1);
	for (size_t i = 0; i < summary->n_moments; i++) {
		const struct moment *moment = &summary->moment[i];

		item(out, '{');
		member_number(out, "t_s", (double)moment->t_ns / 1e9);
		member_text(out, "what", moment_name(moment->kind));
		member_text(out, "text", moment->text);
		text_add(out, "}", 1);
	}
	text_add(out, "]", 1);
	member_u64(out, "history_left_out", summary->n_moments_more);
}

static void own(const struct summary *summary, struct text *out)
{
	const struct summary_own *is = &summary->own;

	key(out, "own");
	if (!is->n) {
		text_printf(out, "null");
		return;
	}
	text_add(out, "{", 1);
	member_number(out, "core_pct", is->core_pct);
	member_number(out, "core_pct_max", is->core_pct_max);
	member_number(out, "total_pct", is->total_pct);
	member_number(out, "total_pct_max", is->total_pct_max);
	member_number(out, "wakeups_s", is->wakeups_per_s);
	member_number(out, "late_max_us", is->late_max_us);
	member_number(out, "late_p99_us_max", is->late_p99_us_max);
	member_u64(out, "dropped", is->n_dropped);
	text_add(out, "}", 1);
}

static void not_counted(const struct summary *summary, struct text *out)
{
	const struct metric *missing;

	key(out, "metrics_not_counted");
	text_add(out, "[", 1);
	for (size_t i = 0; (missing = summary_missing_metric(summary, i)); i++) {
		if (i)
			text_add(out, ",", 1);
		text_json(out, missing->name);
	}
	text_add(out, "]", 1);
}

static void difference(const struct comparison *comparison, const struct difference *is,
		       struct text *out)
{
	char name[EVENT_NAME_MAX + 4];

	item(out, '{');
	member_text(out, "by", frame_by_name[is->row[0]->by]);
	member_text(out, "row", is->row[0]->name);
	member_text(out, is->figure[0]->event ? "event" : "metric",
		    summary_figure_name(comparison->summary[0], is->figure[0], name, sizeof(name)));
	member_reading(out, "first", &is->figure[0]->mean);
	member_reading(out, "second", &is->figure[1]->mean);
	member_number(out, "change", is->delta);
	member_number(out, "change_pct", is->delta_pct);
	member_number(out, "spread", is->spread);
	member_number(out, "error", is->error);
	member_text(out, "verdict", verdict_name(is->verdict));
	text_add(out, "}", 1);
}

static void task_difference(const struct comparison *comparison, const struct task_difference *is,
			    struct text *out)
{
	const struct summary *first = comparison->summary[0];
	const struct task_figure *figure = &first->commands.figure[is->figure[0]];
	double change = is->rate[1] - is->rate[0];

	item(out, '{');
	member_text(out, "type", first->machine->type[figure->type].name);
	member_text(out, "event", figure->event->name);
	member_text(out, "command", is->like->task.comm);
	member_number(out, "first", is->rate[0]);
	member_number(out, "second", is->rate[1]);
	member_number(out, "change", change);
	member_number(out, "change_pct", is->rate[0] > 0 ? 100 * change / is->rate[0] : NAN);
	text_add(out, "}", 1);
}

static void task_differences(const struct comparison *is, struct text *out)
{
	key(out, "commands");
	text_add(out, "[", 1);
	for (size_t i = 0; i < is->n_tasks; i++)
		task_difference(is, &is->task[i], out);
	text_add(out, "]", 1);
}

static void member_only(const struct comparison *is, unsigned which, struct text *out)
{
	key(out, which ? "only_second" : "only_first");
	text_add(out, "[", 1);
	for (size_t i = 0; i < is->only[which].n; i++) {
		char name[EVENT_NAME_MAX + 4];

		if (i)
			text_add(out, ",", 1);
		text_json(out, summary_figure_name(is->summary[which], is->only[which].figure[i],
						   name, sizeof(name)));
	}
	text_add(out, "]", 1);
}

static void comparison(const struct report *report, struct text *out)
{
	const struct comparison *is = report->comparison;

	key(out, "same_machine");
	text_printf(out, "%s", is->same_machine ? "true" : "false");
	key(out, "comparison");
	text_add(out, "[", 1);
	for (size_t i = 0; i < is->n; i++)
		if (report_has_row(report, is->summary[0], is->difference[i].row[0]))
			difference(is, &is->difference[i], out);
	text_add(out, "]", 1);
	if (is->n_tasks)
		task_differences(is, out);
	member_only(is, 0, out);
	member_only(is, 1, out);
}

void report_json(const struct report *report, struct text *out)
{
	text_printf(out, "{\"sessions\":[");
	for (unsigned i = 0; i < report->n; i++) {
		item(out, '{');
		head(report->summary[i], out);
		rows(report, report->summary[i], out);
		if (report->summary[i]->commands.n_figures)
			tasks(report->summary[i], out);
		history(report->summary[i], out);
		own(report->summary[i], out);
		not_counted(report->summary[i], out);
		text_add(out, "}", 1);
	}
	text_add(out, "]", 1);
	if (report->comparison)
		comparison(report, out);
	text_printf(out, "}\n");
}
