#include "session/serve/openmetrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "session/serve/openmetrics_name.h"
#include "session/serve/openmetrics_text.h"
#include "session/format/row_name.h"

/* Figures of a core */

static void core_labels(const struct openmetrics *w, unsigned core)
{
	const struct machine *machine = w->context->machine;

	text_printf(w->out, "{cpu=\"%u\"", machine->core[core].cpu);
	openmetrics_label(w->out, ",", "type", machine->type[machine->core[core].type].name);
}

static bool is_on(const struct openmetrics *w, unsigned core)
{
	return w->totals->last->core[core].state == CORE_ON;
}

static void write_online(const struct openmetrics *w)
{
	const struct machine *machine = w->context->machine;
	char cpus[64];

	openmetrics_head(w, "m1top_core_online", GAUGE, "", "1: the core is online. 0: it is not.");
	for (unsigned core = 0; core < machine->n_cores; core++) {
		if (w->totals->last->core[core].state == CORE_LATE)
			continue;
		text_printf(w->out, "m1top_core_online");
		core_labels(w, core);
		text_printf(
			w->out, ",cluster=\"%u\",socket=\"%u\",physical_core=\"%s\"} %d\n",
			machine->core[core].cluster, machine->core[core].package,
			machine_threads(machine, machine->core[core].physical, cpus, sizeof(cpus)),
			is_on(w, core));
	}
}

/* Events. The type of a device's event is "device": sums by type of core leave it out. */

static void event_labels(const struct openmetrics *w, const char *before, unsigned type,
			 const struct event *event)
{
	bool is_device = event_is_of_device(event);

	openmetrics_label(w->out, before, "type",
			  is_device ? "device" : w->context->machine->type[type].name);
	openmetrics_label(w->out, ",", "pmu", event->pmu ? event->pmu->name : "");
	openmetrics_label(w->out, ",", "event", event->name);
}

static bool was_asked(const struct total *total)
{
	return quality_has_value(total->newest.quality) ||
	       total->newest.quality == QUALITY_NOT_COUNTED;
}

static bool was_counted(const struct total *total)
{
	return quality_has_value(total->newest.quality);
}

static void put_value(struct text *out, const struct total *total)
{
	text_printf(out, " %" PRIu64 "\n", total->sum.value);
}

static void put_enabled(struct text *out, const struct total *total)
{
	text_add(out, " ", 1);
	text_seconds(out, total->sum.enabled_ns);
	text_add(out, "\n", 1);
}

static void put_running(struct text *out, const struct total *total)
{
	text_add(out, " ", 1);
	text_seconds(out, total->sum.running_ns);
	text_add(out, "\n", 1);
}

static void put_ratio(struct text *out, const struct total *total)
{
	const struct count *newest = &total->newest;

	openmetrics_gauge(out, newest->enabled_ns
				       ? (double)newest->running_ns / (double)newest->enabled_ns
				       : 0);
}

static const struct family {
	const char *name;
	enum openmetrics_kind kind;
	const char *unit, *help;
	bool (*has)(const struct total *total);
	void (*put)(struct text *out, const struct total *total);
} family_table[] = {
	{ "m1top_events", COUNTER, "",
	  "Raw count of a counter while it was running. Divide by "
	  "m1top_event_running_seconds_total for a rate.",
	  was_counted, put_value },
	{ "m1top_event_enabled_seconds", COUNTER, "seconds",
	  "How long a counter was asked to count.", was_asked, put_enabled },
	{ "m1top_event_running_seconds", COUNTER, "seconds", "How long it counted.", was_asked,
	  put_running },
	{ "m1top_event_running_ratio", GAUGE, "ratio",
	  "Share of the newest window in which it counted.", was_asked, put_ratio },
};

static void write_core(const struct openmetrics *w, const struct family *family, unsigned core)
{
	const struct totals *totals = w->totals;
	unsigned type = w->context->machine->core[core].type;

	for (unsigned i = 0; i < totals->last->n_slots; i++) {
		const struct event *event = totals->last->set->type[type].event[i];
		const struct total total = totals_of(totals, core, i);

		if (!event || total.is_counted_twice || !family->has(&total))
			continue;
		text_printf(w->out, "%s%s{cpu=\"%u\"", family->name,
			    openmetrics_suffix(family->kind), w->context->machine->core[core].cpu);
		event_labels(w, ",", type, event);
		text_add(w->out, "}", 1);
		family->put(w->out, &total);
	}
}

static void write_events(const struct openmetrics *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(family_table); i++) {
		const struct family *family = &family_table[i];

		openmetrics_head(w, family->name, family->kind, family->unit, family->help);
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

	if (!event_is_of_device(event))
		return false;
	for (unsigned i = 0; i < type; i++) {
		const struct event *before = set->type[i].event[column];

		if (before && before->pmu == event->pmu && strcmp(before->name, event->name) == 0)
			return true;
	}
	return false;
}

static void write_scale(const struct openmetrics *w, unsigned type, const struct event *event)
{
	double factor;
	const char *unit = openmetrics_unit(event->unit, &factor);

	text_printf(w->out, "m1top_event_scale");
	event_labels(w, "{", type, event);
	openmetrics_label(w->out, ",", "unit", *unit ? unit : event->unit);
	text_add(w->out, "}", 1);
	openmetrics_gauge(w->out, event->scale * factor);
}

static void write_scales(const struct openmetrics *w)
{
	const struct totals *totals = w->totals;

	openmetrics_head(w, "m1top_event_scale", GAUGE, "",
			 "Value of one event in the unit of its label: multiply counts by it.");
	for (unsigned type = 0; type < w->context->machine->n_types; type++) {
		for (unsigned i = 0; i < totals->last->n_slots; i++) {
			const struct event *event = totals->last->set->type[type].event[i];

			if (has_scale(event) && totals->column_of[type][i] == i &&
			    !is_told(totals->last->set, type, i))
				write_scale(w, type, event);
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
static void tell_apart(const struct openmetrics *w, unsigned column, struct openmetrics_name *name)
{
	const struct metrics_bound *bound = w->totals->last->bound;
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

static void metric_head(const struct openmetrics *w, const struct metric *metric,
			const struct openmetrics_name *name)
{
	bool is_converted = name->factor < 1 || name->factor > 1;
	char help[600];

	snprintf(help, sizeof(help), "%s (metric %s%s%s)",
		 *metric->brief ? metric->brief : metric->expr, metric->name,
		 is_converted ? ", in " : "", is_converted ? metric->unit : "");
	openmetrics_head(w, name->text, GAUGE, name->unit, help);
}

static void write_metric(const struct openmetrics *w, unsigned column)
{
	const struct metric *metric =
		&w->context->metrics->metric[w->totals->last->bound->number[column]];
	struct openmetrics_name name;

	openmetrics_name(metric, &name);
	tell_apart(w, column, &name);
	metric_head(w, metric, &name);
	for (unsigned core = 0; core < w->context->machine->n_cores; core++) {
		struct reading reading = frame_metrics(w->totals->last, core)[column];

		if (!is_on(w, core) || !quality_has_value(reading.quality))
			continue;
		text_printf(w->out, "%s", name.text);
		core_labels(w, core);
		text_add(w->out, "}", 1);
		openmetrics_gauge(w->out, reading.value * name.factor);
	}
}

static void write_metrics(const struct openmetrics *w)
{
	for (unsigned i = 0; i < w->totals->last->n_metrics; i++) {
		if (is_shown(w->context, w->totals->last->bound->number[i]))
			write_metric(w, i);
	}
}

void openmetrics_write(const struct format_context *context, const struct totals *totals,
		       const struct openmetrics_own *own, enum openmetrics_flavour flavour,
		       struct text *out)
{
	const struct openmetrics w = { context, totals, own, flavour, out };

	openmetrics_infos(&w);
	if (totals->newest) {
		write_online(&w);
		write_events(&w);
		write_scales(&w);
		write_metrics(&w);
		openmetrics_tasks(&w);
	}
	openmetrics_figures(&w);
	if (flavour == OPENMETRICS_1_0)
		text_printf(out, "# EOF\n");
}
