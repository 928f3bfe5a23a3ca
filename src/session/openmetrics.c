#include "session/openmetrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cleanup.h"
#include "session/openmetrics_name.h"
#include "session/rows.h"

enum kind { GAUGE, COUNTER, INFO };

struct writer {
	const struct format_context *context;
	const struct totals *totals;
	const struct openmetrics_own *own;
	enum openmetrics_flavour flavour;
	struct text *out;
};

/* Backslash, newline and, but in the older format's HELP, the quote. */
static void escaped(struct text *out, const char *s, bool quotes)
{
	for (; *s; s++) {
		if (*s == '\n')
			text_add(out, "\\n", 2);
		else if (*s == '\\' || (*s == '"' && quotes))
			text_printf(out, "\\%c", *s);
		else
			text_add(out, s, 1);
	}
}

static void label(struct text *out, const char *before, const char *name, const char *value)
{
	text_printf(out, "%s%s=\"", before, name);
	escaped(out, value, true);
	text_add(out, "\"", 1);
}

static const char *suffix(enum kind kind)
{
	return kind == COUNTER ? "_total" : kind == INFO ? "_info" : "";
}

/* @name  without the suffix */
static void head(const struct writer *w, const char *name, enum kind kind, const char *unit,
		 const char *help)
{
	static const char *const open[] = { "gauge", "counter", "info" };
	static const char *const plain[] = { "gauge", "counter", "gauge" };
	bool is_open = w->flavour == OPENMETRICS_1_0;
	const char *end = is_open ? "" : suffix(kind);

	text_printf(w->out, "# HELP %s%s ", name, end);
	escaped(w->out, help, is_open);
	text_printf(w->out, "\n# TYPE %s%s %s\n", name, end, is_open ? open[kind] : plain[kind]);
	if (is_open && *unit)
		text_printf(w->out, "# UNIT %s %s\n", name, unit);
}

static void gauge(struct text *out, double value)
{
	text_printf(out, " %.12g\n", value);
}

/* Figures without labels */

static uint64_t n_frames(const struct writer *w)
{
	return w->totals->n_frames;
}

static uint64_t n_lost(const struct writer *w)
{
	return w->totals->n_lost;
}

static uint64_t n_missed(const struct writer *w)
{
	return w->totals->n_missed;
}

static uint64_t n_dropped(const struct writer *w)
{
	return w->totals->newest->n_dropped;
}

static uint64_t interval_ns(const struct writer *w)
{
	return w->totals->newest->interval_ns;
}

static uint64_t frame_wall_ns(const struct writer *w)
{
	return w->context->started_wall_ns + w->totals->newest->t_ns;
}

static uint64_t late_p99_ns(const struct writer *w)
{
	return w->totals->newest->late_p99_ns;
}

static uint64_t late_max_ns(const struct writer *w)
{
	return w->totals->newest->late_max_ns;
}

static uint64_t cpu_ns(const struct writer *w)
{
	return w->own->cpu_ns;
}

static uint64_t wakeups(const struct writer *w)
{
	return w->own->wakeups;
}

static uint64_t memory_bytes(const struct writer *w)
{
	return w->own->memory_bytes;
}

static uint64_t started_wall_ns(const struct writer *w)
{
	return w->own->started_wall_ns;
}

/* Those with the unit "seconds" come in nanoseconds. */
static const struct figure {
	const char *name;
	enum kind kind;
	const char *unit, *help;
	uint64_t (*get)(const struct writer *w);
	bool needs_frame;
} figure_table[] = {
	{ "m1top_interval_seconds", GAUGE, "seconds", "Time between two reads of the counters.",
	  interval_ns, true },
	{ "m1top_frame_timestamp_seconds", GAUGE, "seconds",
	  "When the newest window of all cores ended, since 1970.", frame_wall_ns, true },
	{ "m1top_frames", COUNTER, "", "Windows of all cores that the counts are made of.",
	  n_frames, false },
	{ "m1top_frames_lost", COUNTER, "", "Windows that found no room: their counts are missing.",
	  n_lost, false },
	{ "m1top_ticks_missed", COUNTER, "", "Intervals that had no read of their own.", n_missed,
	  false },
	{ "m1top_samples_dropped", COUNTER, "",
	  "Reads that found no room: the next window is longer.", n_dropped, true },
	{ "m1top_wakeup_lateness_p99_seconds", GAUGE, "seconds",
	  "Wake-up behind the deadline, 99th percentile of the last second or so.", late_p99_ns,
	  true },
	{ "m1top_wakeup_lateness_max_seconds", GAUGE, "seconds",
	  "Wake-up behind the deadline, largest of the newest read.", late_max_ns, true },
	{ "m1top_wakeups", COUNTER, "", "Times that a thread of m1top slept and was woken.",
	  wakeups, false },
	{ "process_cpu_seconds", COUNTER, "seconds", "CPU time that m1top used.", cpu_ns, false },
	{ "process_resident_memory_bytes", GAUGE, "bytes", "Memory that m1top holds.", memory_bytes,
	  false },
	{ "process_start_time_seconds", GAUGE, "seconds", "When m1top started, since 1970.",
	  started_wall_ns, false },
};

static void write_figures(const struct writer *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(figure_table); i++) {
		const struct figure *figure = &figure_table[i];

		if (figure->needs_frame && !w->totals->newest)
			continue;
		head(w, figure->name, figure->kind, figure->unit, figure->help);
		text_printf(w->out, "%s%s ", figure->name, suffix(figure->kind));
		if (strcmp(figure->unit, "seconds") == 0)
			text_seconds(w->out, figure->get(w));
		else
			text_printf(w->out, "%" PRIu64, figure->get(w));
		text_add(w->out, "\n", 1);
	}
}

static void write_own_share(const struct writer *w)
{
	const struct frame *frame = w->totals->newest;

	if (!frame || !frame->own_known)
		return;
	head(w, "m1top_own_core_ratio", GAUGE, "ratio", "Share of the core that m1top loads most.");
	text_printf(w->out, "m1top_own_core_ratio");
	gauge(w->out, (double)frame->own_core_share);
}

static void write_infos(const struct writer *w)
{
	const struct format_context *context = w->context;
	struct text *out = w->out;

	head(w, "m1top_build", INFO, "", "Which m1top this is.");
	text_printf(out, "m1top_build_info");
	label(out, "{", "version", M1TOP_VERSION);
	text_printf(out, "} 1\n");
	head(w, "m1top_machine", INFO, "", "What it counts on, and how.");
	text_printf(out, "m1top_machine_info");
	label(out, "{", "model", context->machine->model);
	label(out, ",", "cpuid", context->machine->cpuid);
	label(out, ",", "kernel", context->kernel);
	label(out, ",", "backend", context->backend);
	label(out, ",", "simulated", context->machine->simulated ? "true" : "false");
	text_printf(out, "} 1\n");
}

/* Figures of a core */

static void core_labels(const struct writer *w, unsigned core)
{
	const struct machine *machine = w->context->machine;

	text_printf(w->out, "{cpu=\"%u\"", machine->core[core].cpu);
	label(w->out, ",", "type", machine->type[machine->core[core].type].name);
}

static bool is_on(const struct writer *w, unsigned core)
{
	return w->totals->core[core].is_known && w->totals->core[core].state == CORE_ON;
}

static void write_online(const struct writer *w)
{
	head(w, "m1top_core_online", GAUGE, "", "1: the core is online. 0: it is not.");
	for (unsigned core = 0; core < w->context->machine->n_cores; core++) {
		if (!w->totals->core[core].is_known)
			continue;
		text_printf(w->out, "m1top_core_online");
		core_labels(w, core);
		text_printf(w->out, ",cluster=\"%u\"} %d\n",
			    w->context->machine->core[core].cluster, is_on(w, core));
	}
}

/* Events. The type of a device's event is "device": sums by type of core leave it out. */

static void event_labels(const struct writer *w, const char *before, unsigned type,
			 const struct event *event)
{
	bool is_device = event->pmu && event->pmu->kind == PMU_UNCORE;

	label(w->out, before, "type", is_device ? "device" : w->context->machine->type[type].name);
	label(w->out, ",", "pmu", event->pmu ? event->pmu->name : "");
	label(w->out, ",", "event", event->name);
}

static bool was_asked(const struct total *total)
{
	return quality_has_value(total->quality) || total->quality == QUALITY_NOT_COUNTED;
}

static bool was_counted(const struct total *total)
{
	return quality_has_value(total->quality);
}

static void put_value(struct text *out, const struct total *total)
{
	text_printf(out, " %" PRIu64 "\n", total->value);
}

static void put_enabled(struct text *out, const struct total *total)
{
	text_add(out, " ", 1);
	text_seconds(out, total->enabled_ns);
	text_add(out, "\n", 1);
}

static void put_running(struct text *out, const struct total *total)
{
	text_add(out, " ", 1);
	text_seconds(out, total->running_ns);
	text_add(out, "\n", 1);
}

static void put_ratio(struct text *out, const struct total *total)
{
	gauge(out, (double)total->running_ratio);
}

static const struct family {
	const char *name;
	enum kind kind;
	const char *unit, *help;
	bool (*has)(const struct total *total);
	void (*put)(struct text *out, const struct total *total);
} family_table[] = {
	{ "m1top_events", COUNTER, "",
	  "What a counter counted: raw, while it was running. Divided by "
	  "m1top_event_running_seconds_total it is a rate.",
	  was_counted, put_value },
	{ "m1top_event_enabled_seconds", COUNTER, "seconds",
	  "How long a counter was asked to count.", was_asked, put_enabled },
	{ "m1top_event_running_seconds", COUNTER, "seconds", "How long it did count.", was_asked,
	  put_running },
	{ "m1top_event_running_ratio", GAUGE, "ratio",
	  "How much of the newest window it did count.", was_asked, put_ratio },
};

static void write_core(const struct writer *w, const struct family *family, unsigned core)
{
	const struct totals *totals = w->totals;
	unsigned type = w->context->machine->core[core].type;

	for (unsigned i = 0; i < totals->n_columns; i++) {
		const struct event *event = totals->set->type[type].event[i];
		const struct total *total = totals_of(totals, core, i);

		if (!event || total->is_counted_twice || !family->has(total))
			continue;
		text_printf(w->out, "%s%s{cpu=\"%u\"", family->name, suffix(family->kind),
			    w->context->machine->core[core].cpu);
		event_labels(w, ",", type, event);
		text_add(w->out, "}", 1);
		family->put(w->out, total);
	}
}

static void write_events(const struct writer *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(family_table); i++) {
		const struct family *family = &family_table[i];

		head(w, family->name, family->kind, family->unit, family->help);
		for (unsigned core = 0; core < w->context->machine->n_cores; core++) {
			if (is_on(w, core))
				write_core(w, family, core);
		}
	}
}

static bool has_scale(const struct event *event)
{
	return event && !*event->refused && (*event->unit || event->scale < 1 || event->scale > 1);
}

/* Is it the first type that counts it? A device's event stands in every type's set. */
static bool is_told(const struct set *set, unsigned type, unsigned column)
{
	const struct event *event = set->type[type].event[column];

	if (event->pmu->kind != PMU_UNCORE)
		return false;
	for (unsigned i = 0; i < type; i++) {
		const struct event *before = set->type[i].event[column];

		if (before && before->pmu == event->pmu && strcmp(before->name, event->name) == 0)
			return true;
	}
	return false;
}

static void write_scales(const struct writer *w)
{
	const struct set *set = w->totals->set;

	head(w, "m1top_event_scale", GAUGE, "",
	     "What one event is in the unit of its label: counts times this.");
	for (unsigned type = 0; type < w->context->machine->n_types; type++) {
		for (unsigned i = 0; i < w->totals->n_columns; i++) {
			const struct event *event = set->type[type].event[i];

			if (!has_scale(event) || w->totals->column_of[type][i] != i ||
			    is_told(set, type, i))
				continue;
			text_printf(w->out, "m1top_event_scale");
			event_labels(w, "{", type, event);
			label(w->out, ",", "unit", event->unit);
			text_add(w->out, "}", 1);
			gauge(w->out, event->scale);
		}
	}
}

/* Metrics */

static bool is_shown(const struct format_context *context, unsigned number)
{
	for (size_t i = 0; i < context->n_shown; i++) {
		if (context->shown[i] == number)
			return true;
	}
	return !context->n_shown;
}

/* Names that the rules make equal are told apart by a number. */
static void tell_apart(const struct writer *w, unsigned column, struct openmetrics_name *name)
{
	const struct metrics_bound *bound = w->totals->bound;
	unsigned n = 1;

	for (unsigned i = 0; i < column; i++) {
		struct openmetrics_name other;

		openmetrics_name(&w->context->metrics->metric[bound->number[i]], &other);
		n += is_shown(w->context, bound->number[i]) && strcmp(other.text, name->text) == 0;
	}
	if (n > 1) {
		size_t end = strlen(name->text);

		snprintf(name->text + end, sizeof(name->text) - end, "_%u", n);
		name->unit = "";
	}
}

static void metric_head(const struct writer *w, const struct metric *metric,
			const struct openmetrics_name *name)
{
	char help[600];

	snprintf(help, sizeof(help), "%s (metric %s%s%s)",
		 *metric->brief ? metric->brief : metric->expr, metric->name,
		 *metric->unit ? ", here in base units instead of " : "", metric->unit);
	head(w, name->text, GAUGE, name->unit, help);
}

static void write_metric(const struct writer *w, unsigned column)
{
	const struct metric *metric =
		&w->context->metrics->metric[w->totals->bound->number[column]];
	struct openmetrics_name name;

	openmetrics_name(metric, &name);
	tell_apart(w, column, &name);
	metric_head(w, metric, &name);
	for (unsigned core = 0; core < w->context->machine->n_cores; core++) {
		struct reading reading = totals_metric(w->totals, core, column);

		if (!is_on(w, core) || !quality_has_value(reading.quality))
			continue;
		text_printf(w->out, "%s", name.text);
		core_labels(w, core);
		text_add(w->out, "}", 1);
		gauge(w->out, reading.value * name.factor);
	}
}

static void write_metrics(const struct writer *w)
{
	for (unsigned i = 0; i < w->totals->n_metrics; i++) {
		if (is_shown(w->context, w->totals->bound->number[i]))
			write_metric(w, i);
	}
}

void openmetrics_write(const struct format_context *context, const struct totals *totals,
		       const struct openmetrics_own *own, enum openmetrics_flavour flavour,
		       struct text *out)
{
	const struct writer w = { context, totals, own, flavour, out };

	write_infos(&w);
	if (totals->newest) {
		write_online(&w);
		write_events(&w);
		write_scales(&w);
		write_metrics(&w);
	}
	write_figures(&w);
	write_own_share(&w);
	if (flavour == OPENMETRICS_1_0)
		text_printf(out, "# EOF\n");
}

static uint64_t resident_bytes(void)
{
	AUTO_FILE FILE *file = fopen("/proc/self/statm", "re");
	unsigned long size, resident;

	if (!file || fscanf(file, "%lu %lu", &size, &resident) != 2)
		return 0;
	return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

void openmetrics_own(const struct format_context *context, struct openmetrics_own *ret)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	*ret = (struct openmetrics_own){
		.cpu_ns = clock_process_cpu_ns(),
		.wakeups = (uint64_t)usage.ru_nvcsw,
		.memory_bytes = resident_bytes(),
		.started_wall_ns = context->started_wall_ns,
	};
}
