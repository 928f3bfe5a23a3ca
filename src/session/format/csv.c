/* The session log: docs/session-format.md. Always by core, always complete enough to replay. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "activity/activity.h"
#include "session/format/csv_rows.h"
#include "session/format/csv_text.h"
#include "session/format/format.h"
#include "session/format/row_name.h"

static void describe_type(const struct core_type *type, struct text *out)
{
	text_printf(out, "# type ");
	csv_value(out, type->name);
	text_printf(out, " pmu=%s counters=%u width=%u slot_is_counter=%d first_fit=%d\n",
		    type->pmu ? type->pmu->name : "", type->n_counters, type->width,
		    type->slot_is_counter, type->first_fit);
}

static void describe_core(const struct machine *machine, const struct core *core, struct text *out)
{
	text_printf(out, "# cpu %u type=", core->cpu);
	csv_value(out, machine->type[core->type].name);
	text_printf(out, " cluster=%u midr=0x%" PRIx64, core->cluster, core->midr);
	if (core->package)
		text_printf(out, " socket=%u", core->package);
	if (core->thread0 != core->cpu)
		text_printf(out, " thread0=%u", core->thread0);
	text_printf(out, "\n");
}

/* What events of the PMU "activity" are counts of. */
static void describe_sources(const struct machine *machine, struct text *out)
{
	for (unsigned i = 0; i < machine->n_types; i++) {
		const char *path = activity_path_name(machine, i);

		if (!path)
			continue;
		text_printf(out, "# source " ACTIVITY_PMU " path=%s type=", path);
		csv_value(out, machine->type[i].name);
		text_printf(out, " events=0x%" PRIx32 "\n", activity_events(machine, i));
	}
}

/* Devices that event data knows several models of. */
static void describe_devices(const struct pmus *pmus, struct text *out)
{
	for (size_t i = 0; i < pmus->n; i++) {
		if (pmus->pmu[i].kind != PMU_UNCORE || !pmus->pmu[i].identifier[0])
			continue;
		text_printf(out, "# pmu %s identifier=", pmus->pmu[i].name);
		csv_value(out, pmus->pmu[i].identifier);
		text_printf(out, "\n");
	}
}

/* What expressions are told of the machine. */
static void describe_literals(const struct format_context *context, struct text *out)
{
	const struct literals *literals = &context->metrics->literals;

	for (unsigned type = 0; type < context->machine->n_types; type++) {
		if (!literals->is_told[type])
			continue;
		text_printf(out, "# literals type=");
		csv_value(out, context->machine->type[type].name);
		for (unsigned i = 0; i < LITERALS_N; i++) {
			if (isnan(literals->value[type][i]))
				continue;
			text_printf(out, " %s=", literal_name(i));
			csv_number(out, literals->value[type][i]);
		}
		text_printf(out, "\n");
	}
}

/* What a name does not tell whoever reads it with the catalogue alone. */
static void describe_names(const struct core_type *type, const struct event *event,
			   struct text *out)
{
	const struct catalog_event *known[1] = { NULL };

	if (event->known && type->catalog &&
	    (catalog_lookup(type->catalog, event->name, known, 1) != 1 ||
	     known[0] != event->known)) {
		text_printf(out, " known=");
		csv_value(out, event->known->name);
	}
	if (event->streams) {
		text_printf(out, " streams=0x%" PRIx64 " short=", event->streams);
		csv_value(out, event->short_name);
	}
}

static void describe_event(const struct core_type *type, const struct event *event,
			   struct text *out)
{
	static const char *const privilege[] = {
		[PRIVILEGE_BOTH] = "", [PRIVILEGE_USER] = "u", [PRIVILEGE_KERNEL] = "k"
	};

	text_printf(out, " pmu=%s event=", event->pmu ? event->pmu->name : "");
	csv_value(out, event->name);
	describe_names(type, event, out);
	text_printf(out, " config=0x%" PRIx64, event->config[0]);
	for (unsigned i = 1; i < CONFIG_WORDS; i++) {
		if (event->config[i])
			text_printf(out, " config%u=0x%" PRIx64, i, event->config[i]);
	}
	if (event->privilege != PRIVILEGE_BOTH)
		text_printf(out, " levels=%s", privilege[event->privilege]);
}

static void describe_slot(const struct machine *machine, const struct set *set, unsigned type,
			  unsigned slot, struct text *out)
{
	const struct placement *placement = &set->type[type];
	const struct event *event = placement->event[slot];

	text_printf(out, "# set %u type=", set->number);
	csv_value(out, machine->type[type].name);
	text_printf(out, " slot=%u%s", slot, set->by_task ? " tasks=1" : "");
	if (set_n_mux(set) > 1)
		text_printf(out, " turn=%u%s", set_mux_of(set, slot),
			    set->splits_metrics ? " split=1" : "");
	if (set_n_mux(set) > 1 && set->skips[slot])
		text_printf(out, " skips=%u", set->skips[slot]);
	describe_event(&machine->type[type], event, out);
	text_printf(out, " width=%u unit=", machine->type[type].width);
	if (*event->unit)
		csv_value(out, event->unit);
	text_printf(out, " scale=");
	csv_number(out, event->scale);
	if (placement->counter[slot] != COUNTER_NONE)
		text_printf(out, " counter=%u", placement->counter[slot]);
	if (*event->refused) {
		text_printf(out, " refused=");
		csv_value(out, event->refused);
	}
	text_printf(out, "\n");
}

static void describe_set(struct format_context *context, const struct set *set, struct text *out)
{
	for (unsigned type = 0; type < context->machine->n_types; type++) {
		for (unsigned slot = 0; slot < set->n_slots; slot++) {
			if (set->type[type].event[slot])
				describe_slot(context->machine, set, type, slot, out);
		}
	}
	context->last_set = set->number;
}

/* Its expression on one type: a free one is the same everywhere. */
static const char *expr_on(const struct metric *metric, const struct core_type *type)
{
	const struct catalog_metric *known = NULL;

	if (!metric->own && type->catalog)
		known = catalog_metric_find(type->catalog, metric->name);
	return known ? known->expr : metric->expr;
}

static void describe_metric(const struct metric *metric, const struct core_type *type,
			    struct text *out)
{
	text_printf(out, "# metric ");
	csv_value(out, metric->name);
	text_printf(out, " type=");
	csv_value(out, type->name);
	text_printf(out, " unit=");
	if (*metric->unit)
		csv_value(out, metric->unit);
	text_printf(out, " scale=");
	csv_number(out, metric->scale);
	text_printf(out, " expr=");
	csv_quoted(out, expr_on(metric, type));
	if (*metric->threshold) {
		text_printf(out, " threshold=");
		csv_quoted(out, metric->threshold);
	}
	text_printf(out, "\n");
}

/* The metrics to write while a set is counted. @bound  those that it gives; NULL: not known yet */
static size_t list_metrics(const struct format_context *context, const struct metrics_bound *bound,
			   const uint16_t **ret)
{
	if (context->asked.of_sets && !bound)
		return 0;
	*ret = context->asked.of_sets ? bound->asked : context->shown;
	return context->asked.of_sets ? bound->n_asked : context->n_shown;
}

static void describe_metrics(struct format_context *context, const struct metrics_bound *bound,
			     struct text *out)
{
	const uint16_t *shown;
	size_t n = context->metrics ? list_metrics(context, bound, &shown) : 0;

	for (size_t i = 0; i < n; i++) {
		const struct metric *metric = &context->metrics->metric[shown[i]];

		for (unsigned type = 0; type < context->machine->n_types; type++) {
			if (metric->program[type])
				describe_metric(metric, &context->machine->type[type], out);
		}
	}
	context->last_bound = bound;
}

static void describe_session(const struct format_context *context, struct text *out)
{
	const struct machine *machine = context->machine;
	char started[40];

	text_printf(out, "# m1top session 1\n# host ");
	csv_value(out, context->host);
	text_printf(out, " kernel ");
	csv_value(out, context->kernel);
	text_printf(out, " backend %s interval_ms %.15g started %s\n", context->backend,
		    (double)context->interval_ns / 1e6,
		    clock_rfc3339(context->started_wall_ns, started, sizeof(started)));
	text_printf(out, "# machine ");
	csv_value(out, machine->model);
	text_printf(out, " cpuid=");
	csv_value(out, machine->cpuid);
	text_printf(out, " simulated=%d\n", machine->simulated);
}

/* -P, -M and the rows of a table, for replay --to-stat. */
static void describe_asked(const struct format_context *context, struct text *out)
{
	const struct session_asked *asked = &context->asked;

	if (!asked->preset && !asked->metrics && !asked->beside && !asked->tasks &&
	    !asked->by_device && !asked->of_sets)
		return;
	text_printf(out, "# asked");
	if (asked->preset) {
		text_printf(out, " preset=");
		csv_value(out, asked->preset);
	}
	if (asked->metrics) {
		text_printf(out, " metrics=");
		csv_quoted(out, asked->metrics);
	}
	if (asked->beside) {
		text_printf(out, " beside=");
		csv_value(out, asked->beside);
	}
	if (asked->tasks) {
		text_printf(out, " tasks=");
		csv_value(out, asked->tasks);
	}
	text_printf(out, "%s%s\n", asked->by_device ? " rows=device" : "",
		    asked->of_sets ? " metrics_of=sets" : "");
}

static void begin(struct format_context *context, struct text *out)
{
	const struct machine *machine = context->machine;

	describe_session(context, out);
	for (unsigned i = 0; i < machine->n_types; i++)
		describe_type(&machine->type[i], out);
	for (unsigned i = 0; i < machine->n_cores; i++)
		describe_core(machine, &machine->core[i], out);
	describe_sources(machine, out);
	describe_devices(&machine->pmus, out);
	if (context->metrics)
		describe_literals(context, out);
	describe_asked(context, out);
	if (context->first)
		describe_set(context, context->first, out);
	describe_metrics(context, context->bound, out);
	csv_note_tasks(context->last_frame, out);
	context->last_interval_ns = context->interval_ns;
	if (context->continues)
		return; /* one heading a file: a second would be read as a row */
	text_printf(out, "tick,time_s,cpu,type,pmu,slot,pid,event,count,enabled_ns,running_ns,"
			 "quality,error\n");
}

static void gap(struct format_context *context, uint64_t t_ns, uint64_t n_frames, const char *why,
		struct text *out)
{
	gap_line(context, t_ns, n_frames, why, out);
	if (strcmp(why, GAP_YIELDED) == 0)
		context->last_set = 0;
}

static void note_changes(struct format_context *context, const struct frame *frame,
			 struct text *out)
{
	if (frame->gap != GAP_NONE)
		gap_line(context, frame->t_ns, frame->n_missed, gap_name(frame->gap), out);
	if (frame->set->number != context->last_set && !frame->set->n_slots)
		gap(context, frame->t_ns, 0, GAP_YIELDED, out);
	if (frame->set->number != context->last_set) {
		describe_set(context, frame->set, out);
		context->last_bound = NULL;
	}
	if (context->asked.of_sets && frame->bound != context->last_bound)
		describe_metrics(context, frame->bound, out);
	if (frame->interval_ns == context->last_interval_ns)
		return;
	text_printf(out, "# interval ");
	text_seconds(out, frame->t_ns);
	text_printf(out, " %.15g ms\n", (double)frame->interval_ns / 1e6);
	context->last_interval_ns = frame->interval_ns;
}

static void note_own(struct format_context *context, const struct frame *frame, struct text *out)
{
	if (!frame->own_known)
		return;
	if (context->last_own_ns && frame->t_ns < context->last_own_ns + NS_PER_S)
		return;
	context->last_own_ns = frame->t_ns;
	text_printf(out, "# own ");
	text_seconds(out, frame->t_ns);
	text_printf(
		out,
		" core_pct=%.4f total_pct=%.4f wakeups_s=%.1f late_max_us=%.1f late_p99_us=%.1f "
		"dropped=%" PRIu64 "\n",
		(double)frame->own_core_share * 100, (double)frame->own_total_share * 100,
		(double)frame->own_wakeups_per_s, (double)frame->late_max_ns / 1e3,
		(double)frame->late_p99_ns / 1e3, frame->n_dropped);
}

static void note_tasks(const struct frame *frame, struct text *out)
{
	const struct frame_tasks *tasks = frame->tasks;

	text_printf(out, "# tasks ");
	text_seconds(out, frame->t_ns);
	text_printf(out, " switches=%" PRIu64 " lost=%" PRIu64 " cost_pct=%.4f\n",
		    tasks->n_switches, tasks->n_lost, (double)tasks->cost_share * 100);
}

static void note_power(struct format_context *context, const struct frame *frame, unsigned core,
		       struct text *out)
{
	bool off = frame->core[core].state == CORE_OFF;

	if (frame->core[core].state == CORE_LATE || off == context->last_off[core])
		return;
	context->last_off[core] = off;
	text_printf(out, "# %s ", off ? "off" : "on");
	text_seconds(out, frame->t_ns);
	text_printf(out, " cpu %u\n", context->machine->core[core].cpu);
}

static void frame(struct format_context *context, const struct frame *frame, struct text *out)
{
	struct task_names named = { 0 };
	struct csv_rows rows = { .context = context, .frame = frame, .out = out, .named = &named };

	if (frame->tasks && csv_named_tasks(context->last_frame, &named))
		out->failed = true;
	rows.n_metrics = list_metrics(context, frame->bound, &rows.metric);
	note_changes(context, frame, out);
	for (unsigned core = 0; core < frame->n_cores; core++) {
		note_power(context, frame, core, out);
		if (frame->core[core].state == CORE_ON)
			csv_rows_core(&rows, core);
	}
	if (frame->tasks)
		note_tasks(frame, out);
	note_own(context, frame, out);
	task_names_fini(&named);
	context->last_frame = frame->tasks ? frame : NULL;
}

static void mark(struct format_context *context, uint64_t t_ns, const char *note, struct text *out)
{
	(void)context;
	text_printf(out, "# mark ");
	text_seconds(out, t_ns);
	text_printf(out, " ");
	csv_quoted(out, note);
	text_printf(out, "\n");
}

const struct format format_csv = {
	.name = "csv",
	.begin = begin,
	.frame = frame,
	.mark = mark,
	.gap = gap,
};
