/* json.c: write a report as one JSON object: docs/report.md */
#include <math.h>

#include "base/clock.h"
#include "pmu/sensors.h"
#include "session/report/report.h"

static void json_item(const struct json *json)
{
	json_begin(json, NULL, json_is_first(json->out) ? "{" : "\n{");
}

/* Append a number, or null if it is not finite. */
static void json_figure(const struct json *json, const char *name, double value)
{
	json_number(json, name, 12, value);
}

/* Append a total, above 1e9 with all its digits, as text shows them. */
static void json_total(const struct json *json, double value)
{
	json_number(json, "total", fabs(value) < 1e9 ? 12 : 17, value);
}

static void json_reading(const struct json *json, const char *name, const struct reading *reading)
{
	json_figure(json, name, quality_has_value(reading->quality) ? reading->value : NAN);
}

/* ---- figures ---- */

static void json_spread(const struct summary_figure *figure, const struct json *json)
{
	struct distribution *distribution =
		(struct distribution *)&figure->distribution; /* sorted on demand */

	json_figure(json, "p50", distribution_percentile(distribution, 50));
	json_figure(json, "p95", distribution_percentile(distribution, 95));
	json_figure(json, "p99", distribution_percentile(distribution, 99));
	json_figure(json, "min", distribution->n ? distribution->min : NAN);
	json_figure(json, "max", distribution->n ? distribution->max : NAN);
	json_figure(json, "sd", distribution_stddev(distribution));
}

static void intervals(const struct summary_figure *figure, const struct json *json)
{
	json_begin(json, "intervals", "{");
	for (enum quality i = QUALITY_OK; i < QUALITY_OFF; i++)
		if (figure->n_intervals[i])
			json_u64(json, quality_name(i), figure->n_intervals[i]);
	json_end(json, "}");
}

static void json_sentence(const char *sentence, struct text *out)
{
	json_text(&(const struct json){ out, "", ":" }, NULL, sentence);
}

static void event(const struct summary *summary, const struct summary_figure *figure,
		  const struct json *json)
{
	const struct event *is = figure->event;
	bool has_value = quality_has_value(figure->total.quality);
	char name[EVENT_NAME_MAX + 4];

	json_item(json);
	json_text(json, "event", summary_figure_name(summary, figure, name, sizeof(name)));
	json_text(json, "brief", is->known ? is->known->brief : NULL);
	json_text(json, "pmu", is->pmu ? is->pmu->name : "");
	json_text(json, "unit", is->unit);
	json_total(json, has_value ? figure->total.value : NAN);
	if (has_value)
		json_u64(json, "counted", figure->sum.value);
	json_text(json, "quality", quality_name(figure->total.quality));
	if (count_error(&figure->sum) > 0)
		json_figure(json, "error_pct", 100 * count_error(&figure->sum));
	if (count_error_below(&figure->sum) < count_error(&figure->sum))
		json_figure(json, "error_below_pct", 100 * count_error_below(&figure->sum));
	json_reading(json, "mean_per_s", &figure->mean);
	json_spread(figure, json);
	json_figure(json, "counted_pct", figure->counted_pct);
	intervals(figure, json);
	if (*is->refused)
		json_text(json, "refused", is->refused);
	json_end(json, "}");
}

static void threshold(const struct summary *summary, const struct summary_row *row,
		      const struct summary_figure *figure, const struct json *json)
{
	static const char *const name[] = {
		[ALARM_UNKNOWN] = NULL, [ALARM_WITHIN] = "within", [ALARM_BEYOND] = "beyond"
	};

	if (!summary->metrics->metric[figure->metric].alarm[row->type])
		return;
	json_text(json, "threshold", name[figure->alarm]);
	json_u64(json, "intervals_beyond", figure->n_beyond);
}

static void metric(const struct summary *summary, const struct summary_row *row,
		   const struct summary_figure *figure, const struct json *json)
{
	const struct metric *all = summary->metrics->metric, *is = &all[figure->metric];
	const struct summary_figure *same = report_figure_same_as(summary, row, figure);

	json_item(json);
	json_text(json, "metric", is->name);
	json_text(json, "brief", is->brief);
	if (same)
		json_text(json, "same_as", all[same->metric].name);
	json_text(json, "unit", is->unit);
	json_reading(json, "value", &figure->mean);
	json_text(json, "quality", quality_name(figure->mean.quality));
	json_spread(figure, json);
	intervals(figure, json);
	threshold(summary, row, figure, json);
	json_end(json, "}");
}

static void figures(const struct summary *summary, const struct summary_row *row, bool is_event,
		    const struct json *json)
{
	json_begin(json, is_event ? "events" : "metrics", "[");
	for (size_t i = 0; i < row->n; i++) {
		const struct summary_figure *figure = &row->figure[i];

		if (!figure->event == is_event || !summary_figure_is_shown(row, figure))
			continue;
		if (is_event)
			event(summary, figure, json);
		else
			metric(summary, row, figure, json);
	}
	json_end(json, "]");
}

static void cpus(const struct summary_row *row, const struct json *json)
{
	json_begin(json, "cpus", "[");
	cpus_each(&row->cpus, cpu)
		json_u64(json, NULL, (uint64_t)cpu);
	json_end(json, "]");
}

static void explained(const struct report *report, unsigned session, const struct summary_row *row,
		      const struct json *json)
{
	const struct explain *explain = report->explain[session];
	const struct catalog_preset *preset = explain_preset(explain, row->type);

	json_begin(json, "explained", "[");
	for (size_t i = 0; i < explain->n; i++) {
		const struct explained *is = &explain->event[i];

		if (is->type != row->type)
			continue;
		json_item(json);
		json_text(json, "event", is->event->name);
		json_u64(json, "intervals", is->rate.n);
		json_figure(json, "per_kinst", is->per_kinst);
		json_figure(json, "per_kinst_error", is->per_kinst_error);
		json_figure(json, "peak", is->peak);
		json_figure(json, "share_pct", 100 * is->share);
		json_figure(json, "share_low_pct", 100 * is->low);
		json_figure(json, "share_high_pct", 100 * is->high);
		json_figure(json, "cycles", is->cycles);
		json_figure(json, "cycles_error", is->cycles_error);
		json_end(json, "}");
	}
	json_end(json, "]");
	json_text(json, "preset", preset ? preset->name : NULL);
}

static void report_json_rows(const struct report *report, unsigned session, const struct json *json)
{
	const struct summary *summary = report->summary[session];

	json_begin(json, "rows", "[");
	for (size_t i = 0; i < summary->n_rows; i++) {
		const struct summary_row *row = &summary->row[i];

		if (!report_has_row(report, summary, row))
			continue;
		json_item(json);
		json_text(json, "by", frame_by_name(row->by));
		json_text(json, "name", row->name);
		json_text(json, "type", summary->machine->type[row->type].name);
		cpus(row, json);
		figures(summary, row, true, json);
		figures(summary, row, false, json);
		if (report->explain[session] && row->by == BY_TYPE)
			explained(report, session, row, json);
		json_end(json, "}");
	}
	json_end(json, "]");
}

/* ---- tasks ---- */

static void task(const struct task_sums *sums, const struct task_sum *sum, size_t figure,
		 const struct json *json)
{
	struct reading total = task_sums_total(sums, sum, figure);

	json_item(json);
	json_text(json, sums->tasks.by == BY_CGROUP ? "cgroup" : "command",
		  core_task_name(&sum->task, sums->tasks.by));
	if (sum->task.pid)
		json_u64(json, "pid", sum->task.pid);
	json_total(json, quality_has_value(total.quality) ? total.value : NAN);
	json_u64(json, "counted", sum->count[figure].value);
	json_text(json, "quality", quality_name(total.quality));
	json_figure(json, "share_pct", 100 * task_sums_share(sums, sum, figure));
	json_figure(json, "mean_per_s", task_sums_rate(sums, sum, figure));
	json_end(json, "}");
}

static void top_tasks(const struct task_sums *sums, size_t figure, const char *name,
		      const struct json *json)
{
	const struct task_sum *top[REPORT_TASKS_MANY];
	size_t n = task_sums_top(sums, figure, REPORT_TASKS_MANY, top);

	json_begin(json, name, "[");
	for (size_t i = 0; i < n; i++)
		task(sums, top[i], figure, json);
	json_end(json, "]");
}

static void tasks(const struct summary *summary, const struct json *json)
{
	const struct task_sums *sums = &summary->commands;

	json_u64(json, "switches", summary->switches.n);
	json_u64(json, "switches_lost", summary->switches.n_lost);
	json_figure(json, "tasks_cost_pct", summary->switches.cost_pct);
	json_begin(json, "tasks", "[");
	for (size_t i = 0; i < sums->n_figures; i++) {
		const struct task_figure *figure = &sums->figure[i];

		json_item(json);
		json_text(json, "type", summary->machine->type[figure->type].name);
		json_text(json, "event", figure->event->name);
		json_text(json, "unit", figure->event->unit);
		top_tasks(sums, i, "commands", json);
		top_tasks(&summary->processes, i, "processes", json);
		if (summary->has_cgroups)
			top_tasks(&summary->cgroups, i, "cgroups", json);
		json_end(json, "}");
	}
	json_end(json, "]");
}

/* ---- functions ---- */

static void json_function(const struct function *function, const struct json *json)
{
	json_text(json, "function", function->name);
	json_text(json, "object", function->object->name);
	json_bool(json, "kernel", function->is_kernel);
}

static void functions(const struct summary *summary, const struct json *json)
{
	json_begin(json, "functions", "[");
	for (size_t i = 0; i < summary->functions.n; i++) {
		const struct function_figure *figure = &summary->functions.figure[i];

		json_item(json);
		json_text(json, "type", summary->machine->type[figure->sum.type].name);
		json_text(json, "event", figure->sum.event->name);
		json_text(json, "unit", figure->sum.event->unit);
		json_u64(json, "samples", figure->rows->n_samples);
		json_total(json, (double)figure->rows->count.value * figure->sum.event->scale);
		json_begin(json, "functions", "[");
		for (size_t k = 0; k < figure->rows->n; k++) {
			const struct hot_row *row = &figure->rows->row[k];

			json_item(json);
			json_function(row->function, json);
			json_figure(json, "share_pct", 100 * row->share);
			json_figure(json, "error_pct", 100 * row->error);
			json_total(json, (double)row->count.value * figure->sum.event->scale);
			json_u64(json, "samples", row->n);
			json_end(json, "}");
		}
		json_end(json, "]");
		json_end(json, "}");
	}
	json_end(json, "]");
}

static void function_differences(const struct comparison *is, const struct json *json)
{
	const struct summary *first = is->summary[0];

	json_begin(json, "functions", "[");
	for (size_t i = 0; i < first->functions.n; i++) {
		const struct function_figure *figure = &first->functions.figure[i];
		struct function_change change[REPORT_FUNCTIONS];
		size_t n;

		function_changes(is, i, change, &n);
		for (size_t k = 0; k < n; k++) {
			json_item(json);
			json_text(json, "type", first->machine->type[figure->sum.type].name);
			json_text(json, "event", figure->sum.event->name);
			json_function(change[k].function, json);
			json_figure(json, "first_pct", 100 * change[k].first);
			json_figure(json, "second_pct", 100 * change[k].second);
			json_figure(json, "error_pct", 100 * change[k].error);
			json_end(json, "}");
		}
	}
	json_end(json, "]");
}

/* ---- other parts ---- */

static void head(const struct report *report, unsigned session, const struct json *json)
{
	const struct summary *summary = report->summary[session];
	const struct session_head *is = reader_head(summary->reader);

	json_text(json, "title", report_title(report, session));
	json_begin(json, "finding", "[");
	report_finding(report, session, json_sentence, json->out);
	json_end(json, "]");
	json_begin(json, "remarks", "[");
	report_remarks(summary, json_sentence, json->out);
	json_end(json, "]");
	json_text(json, "file", summary->path);
	json_u64(json, "part", summary->part + 1);
	json_text(json, "host", is->host);
	json_text(json, "kernel", is->kernel);
	json_text(json, "backend", is->backend);
	json_text(json, "machine", summary->machine->model);
	json_text(json, "cpuid", summary->machine->cpuid);
	json_bool(json, "simulated", summary->machine->simulated);
	json_text(json, "started", is->started);
	json_figure(json, "interval_ms", (double)is->interval_ns / (double)NS_PER_MS);
	json_figure(json, "begin_s", (double)summary->begin_ns / 1e9);
	json_figure(json, "duration_s", (double)summary->duration_ns / 1e9);
	json_u64(json, "intervals", summary->n_frames);
	json_u64(json, "missed", summary->n_missed);
	json_u64(json, "not_written", summary->n_lost);
	json_u64(json, "not_in_files", summary->n_absent);
	json_bool(json, "cut", summary->is_cut);
	json_bool(json, "more_follow", summary->has_more);
	json_text(json, "trouble", *summary->last_error.text ? summary->last_error.text : NULL);
	json_figure(json, "percentile_error_pct", summary->is_coarse ? 0.5 : 0);
}

static void history(const struct summary *summary, const struct json *json)
{
	json_begin(json, "history", "[");
	for (size_t i = 0; i < summary->n_annotations; i++) {
		const struct annotation *annotation = &summary->annotation[i];

		json_item(json);
		json_figure(json, "t_s", (double)annotation->t_ns / 1e9);
		json_text(json, "what", annotation_name[annotation->kind]);
		json_text(json, "text", annotation->text);
		json_end(json, "}");
	}
	json_end(json, "]");
	json_u64(json, "history_left_out", summary->n_annotations_more);
}

static void own(const struct summary *summary, const struct json *json)
{
	const struct summary_own *is = &summary->own;

	if (!is->n) {
		json_text(json, "own", NULL);
		return;
	}
	json_begin(json, "own", "{");
	json_figure(json, "core_pct", is->core_pct);
	json_figure(json, "core_pct_max", is->core_pct_max);
	json_figure(json, "total_pct", is->total_pct);
	json_figure(json, "total_pct_max", is->total_pct_max);
	json_figure(json, "wakeups_s", is->wakeups_per_s);
	json_figure(json, "late_max_us", is->late_max_us);
	json_figure(json, "late_p99_us_max", is->late_p99_us_max);
	json_u64(json, "dropped", is->n_dropped);
	json_end(json, "}");
}

static void json_not_counted(const struct summary *summary, const struct json *json)
{
	const struct metric *missing;

	json_begin(json, "metrics_not_counted", "[");
	for (size_t i = 0; (missing = summary_missing_metric(summary, i)); i++)
		json_text(json, NULL, missing->name);
	json_end(json, "]");
}

/* Write the metrics that are the parts of a core's time. */
static void json_parts(const struct summary *summary, const struct json *json)
{
	const struct metrics *metrics = summary->metrics;

	json_begin(json, "parts", "[");
	for (unsigned i = 0; i < metrics->n_parts; i++) {
		const struct metric_part *part = &metrics->part[i];

		json_begin(json, NULL, "{");
		json_text(json, "name", part->known->name);
		json_text(json, "metric",
			  part->number < 0 ? NULL : metrics->metric[part->number].name);
		json_end(json, "}");
	}
	json_end(json, "]");
}

static void json_change(const struct mean_change *is, const struct json *json)
{
	static const char *const name[] = { "first", "second" };
	static const char *const quality[] = { "first_quality", "second_quality" };

	for (unsigned i = 0; i < 2; i++) {
		json_reading(json, name[i], &is->mean[i]);
		json_text(json, quality[i], quality_name(is->mean[i].quality));
	}
	json_figure(json, "change", is->delta);
	json_figure(json, "change_pct", is->delta_pct);
	json_figure(json, "spread", is->spread);
	json_figure(json, "error", is->error);
	json_text(json, "verdict", verdict_name[is->verdict]);
	json_end(json, "}");
}

static void json_difference(const struct comparison *comparison, const struct difference *is,
			    const struct json *json)
{
	char name[EVENT_NAME_MAX + 4];

	json_item(json);
	json_text(json, "by", frame_by_name(is->row[0]->by));
	json_text(json, "row", is->row[0]->name);
	json_text(json, is->figure[0]->event ? "event" : "metric",
		  summary_figure_name(comparison->summary[0], is->figure[0], name, sizeof(name)));
	json_text(json, "unit", summary_figure_unit(comparison->summary[0], is->figure[0]));
	json_change(&is->change, json);
}

static void task_difference(const struct comparison *comparison, const struct task_difference *is,
			    const struct json *json)
{
	const struct summary *first = comparison->summary[0];
	const struct task_figure *figure = &first->commands.figure[is->figure[0]];

	json_item(json);
	json_text(json, "type", first->machine->type[figure->type].name);
	json_text(json, "event", figure->event->name);
	json_text(json, "command", is->like->task.comm);
	json_change(&is->change, json);
}

static void member_only(const struct comparison *is, unsigned which, const struct json *json)
{
	json_begin(json, which ? "only_second" : "only_first", "[");
	for (size_t i = 0; i < is->only[which].n; i++) {
		char name[EVENT_NAME_MAX + 4];

		json_text(json, NULL,
			  summary_figure_name(is->summary[which], is->only[which].figure[i], name,
					      sizeof(name)));
	}
	json_end(json, "]");
}

static void comparison(const struct report *report, const struct json *json)
{
	const struct comparison *is = report->comparison;

	json_begin(json, "finding", "[");
	report_finding(report, 2, json_sentence, json->out);
	json_end(json, "]");
	json_bool(json, "same_machine", is->same_machine);
	json_begin(json, "comparison", "[");
	for (size_t i = 0; i < is->n; i++)
		if (report_has_row(report, is->summary[0], is->difference[i].row[0]))
			json_difference(is, &is->difference[i], json);
	json_end(json, "]");
	if (is->n_tasks) {
		json_begin(json, "commands", "[");
		for (size_t i = 0; i < is->n_tasks; i++)
			task_difference(is, &is->task[i], json);
		json_end(json, "]");
	}
	if (is->summary[0]->functions.n && is->summary[1]->functions.n)
		function_differences(is, json);
	member_only(is, 0, json);
	member_only(is, 1, json);
}

static void json_sensors(const struct summary *summary, const struct json *json)
{
	const struct sensors *sensors = summary->machine->sensors;

	json_begin(json, "sensors", "[");
	for (unsigned i = 0; i < sensors->n; i++) {
		const struct distribution *distribution = &summary->sensor[i];

		json_item(json);
		json_text(json, "sensor", sensors->sensor[i].name);
		json_text(json, "unit", sensor_forms[sensors->sensor[i].kind].unit);
		json_figure(json, "mean", distribution->n ? distribution->mean : NAN);
		json_figure(json, "min", distribution->n ? distribution->min : NAN);
		json_figure(json, "max", distribution->n ? distribution->max : NAN);
		json_end(json, "}");
	}
	json_end(json, "]");
}

void report_json(const struct report *report, struct text *out)
{
	const struct json writer = { out, "", ":" }, *json = &writer;

	json_begin(json, NULL, "{");
	json_begin(json, "sessions", "[");
	for (unsigned i = 0; i < report->n; i++) {
		json_item(json);
		head(report, i, json);
		json_parts(report->summary[i], json);
		report_json_rows(report, i, json);
		if (report->summary[i]->commands.n_figures)
			tasks(report->summary[i], json);
		if (report->summary[i]->functions.n)
			functions(report->summary[i], json);
		history(report->summary[i], json);
		own(report->summary[i], json);
		if (report->summary[i]->machine->sensors)
			json_sensors(report->summary[i], json);
		json_not_counted(report->summary[i], json);
		json_end(json, "}");
	}
	json_end(json, "]");
	if (report->comparison)
		comparison(report, json);
	json_end(json, "}\n");
}
