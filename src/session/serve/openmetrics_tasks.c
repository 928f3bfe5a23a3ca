/* openmetrics_tasks.c: what commands have counted, with --tasks */
#include <inttypes.h>

#include "base/cleanup.h"
#include "session/format/row_name.h"
#include "session/serve/openmetrics_text.h"

static const struct task_totals *tasks_of(const struct openmetrics *w)
{
	return &w->totals->tasks;
}

/* An event of several mux groups is one series. */
static struct count sum_of(const struct openmetrics *w, const struct task_total *total,
			   unsigned type, unsigned column)
{
	const struct totals *totals = w->totals;
	unsigned n_slots = totals->last->n_slots;
	struct count ret = { 0 };

	for (unsigned i = column; i < n_slots; i++)
		if (totals->column_of[type][i] == column)
			count_add_mux(&ret, &total->count[type * n_slots + i]);
	return ret;
}

static void put_labels(const struct openmetrics *w, const struct task_total *total, unsigned type)
{
	openmetrics_label(w->out, "{", "command", total->comm);
	openmetrics_label(w->out, ",", "type", w->context->machine->type[type].name);
}

static void put_value(struct text *out, const struct count *sum)
{
	text_printf(out, " %" PRIu64 "\n", sum->value);
}

static void put_running(struct text *out, const struct count *sum)
{
	text_add(out, " ", 1);
	text_seconds(out, sum->running_ns);
	text_add(out, "\n", 1);
}

static const struct task_family {
	const char *name, *unit, *help;
	void (*put)(struct text *out, const struct count *sum);
} family_table[] = {
	{ "m1top_task_events", "",
	  "Raw count of a counter while a command was on a core and the counter ran.", put_value },
	{ "m1top_task_event_running_seconds", "seconds",
	  "How long a counter counted while a command was on a core.", put_running },
};

static void write_events(const struct openmetrics *w, const struct task_family *family,
			 const struct task_total *total)
{
	const struct frame *last = w->totals->last;

	for (unsigned type = 0; type < w->context->machine->n_types; type++)
		for (unsigned i = 0; i < last->n_slots; i++) {
			const struct event *event = last->set->type[type].event[i];
			struct count sum;

			if (!event || w->totals->column_of[type][i] != i)
				continue;
			sum = sum_of(w, total, type, i);
			if (!quality_has_value(sum.quality))
				continue;
			text_printf(w->out, "%s_total", family->name);
			put_labels(w, total, type);
			openmetrics_label(w->out, ",", "pmu", event->pmu->name);
			openmetrics_label(w->out, ",", "event", event->name);
			text_add(w->out, "}", 1);
			family->put(w->out, &sum);
		}
}

static void write_times(const struct openmetrics *w)
{
	const struct task_total *total;

	openmetrics_head(w, "m1top_task_cpu_seconds", COUNTER, "seconds",
			 "How long a command was on the cores of a type.");
	for (size_t i = 0; (total = task_totals_named(tasks_of(w), i)); i++)
		for (unsigned type = 0; type < w->context->machine->n_types; type++) {
			if (!total->time_ns[type])
				continue;
			text_printf(w->out, "m1top_task_cpu_seconds_total");
			put_labels(w, total, type);
			text_add(w->out, "} ", 2);
			text_seconds(w->out, total->time_ns[type]);
			text_add(w->out, "\n", 1);
		}
}

static void write_switches(const struct openmetrics *w)
{
	openmetrics_head(w, "m1top_task_switches", COUNTER, "",
			 "Context switches that tell the tasks' counts apart.");
	text_printf(w->out, "m1top_task_switches_total %" PRIu64 "\n", tasks_of(w)->n_switches);
	openmetrics_head(w, "m1top_task_switches_lost", COUNTER, "",
			 "Those without a record: counts of the command [unattributed].");
	text_printf(w->out, "m1top_task_switches_lost_total %" PRIu64 "\n", tasks_of(w)->n_lost);
	openmetrics_head(w, "m1top_task_cost_ratio", GAUGE, "ratio",
			 "What telling tasks apart took in the newest window, of one core's time.");
	text_printf(w->out, "m1top_task_cost_ratio");
	openmetrics_gauge(w->out, (double)tasks_of(w)->cost_share);
}

void openmetrics_tasks(const struct openmetrics *w)
{
	const struct task_total *total;

	if (!tasks_of(w)->machine)
		return;
	for (size_t f = 0; f < ARRAY_SIZE(family_table); f++) {
		openmetrics_head(w, family_table[f].name, COUNTER, family_table[f].unit,
				 family_table[f].help);
		for (size_t i = 0; (total = task_totals_named(tasks_of(w), i)); i++)
			write_events(w, &family_table[f], total);
	}
	write_times(w);
	write_switches(w);
}
