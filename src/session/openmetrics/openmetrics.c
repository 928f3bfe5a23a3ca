#include "session/openmetrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "pmu/sensors.h"
#include "session/format/row_name.h"

/* Units in event data, and the base units of
 * https://prometheus.io/docs/practices/naming/#base-units */
static const struct unit {
	const char *from, *to;
	double factor;
} unit_table[] = {
	{ "%", "ratio", 0.01 },
	{ "/Kinst", "per_instruction", 1e-3 },
	{ "ns", "seconds", 1e-9 },
	{ "us", "seconds", 1e-6 },
	{ "µs", "seconds", 1e-6 },
	{ "ms", "seconds", 1e-3 },
	{ "msec", "seconds", 1e-3 },
	{ "s", "seconds", 1 },
	{ "sec", "seconds", 1 },
	{ "Hz", "hertz", 1 },
	{ "KHz", "hertz", 1e3 },
	{ "kHz", "hertz", 1e3 },
	{ "MHz", "hertz", 1e6 },
	{ "GHz", "hertz", 1e9 },
	{ "B", "bytes", 1 },
	{ "bytes", "bytes", 1 },
	{ "KB", "bytes", 1e3 },
	{ "MB", "bytes", 1e6 },
	{ "GB", "bytes", 1e9 },
	{ "KiB", "bytes", 1024 },
	{ "MiB", "bytes", 1048576 },
	{ "GiB", "bytes", 1073741824 },
	{ "B/s", "bytes_per_second", 1 },
	{ "KB/s", "bytes_per_second", 1e3 },
	{ "MB/s", "bytes_per_second", 1e6 },
	{ "GB/s", "bytes_per_second", 1e9 },
	{ "MB/sec", "bytes_per_second", 1e6 },
	{ "KiB/s", "bytes_per_second", 1024 },
	{ "MiB/s", "bytes_per_second", 1048576 },
	{ "GiB/s", "bytes_per_second", 1073741824 },
	{ "Joules", "joules", 1 },
	{ "J", "joules", 1 },
	{ "Watts", "watts", 1 },
	{ "W", "watts", 1 },
	{ "cycles", "cycles", 1 },
	{ "slots", "slots", 1 },
};

/* Words in names that repeat the unit, and their replacements. */
static const struct word {
	const char *unit, *word, *stays;
	bool is_last; /* only at the end; elsewhere it has another meaning */
} word_table[] = {
	{ "ratio", "_percentage", "", false },
	{ "ratio", "_percent", "", false },
	{ "ratio", "_ratio", "", false },
	{ "ratio", "_rate", "", true },
	{ "ratio", "_share", "", true },
	{ "per_instruction", "_mpki", "_misses", false },
	{ "per_instruction", "_pki", "", false },
	{ "bytes_per_second", "_bytes_per_second", "", true },
	{ "bytes", "_bytes", "", true },
	{ "cycles", "_cycles", "", true },
	{ "slots", "_slots", "", true },
	{ "seconds", "_seconds", "", true },
};

/* Get the base unit of a unit of event data: "seconds" for "msec"; "" for an unknown one. */
static const struct unit *unit_find(const char *text)
{
	static const struct unit none = { "", "", 1 };

	for (size_t i = 0; i < ARRAY_SIZE(unit_table); i++) {
		if (strcmp(unit_table[i].from, text) == 0)
			return &unit_table[i];
	}
	return &none;
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Convert to snake case: "BranchMissRate" and "branch miss-rate" to "branch_miss_rate", "IPC" to "ipc". */
static void snake(const char *name, char *buf, size_t size)
{
	size_t n = 0;

	for (const char *c = name; *c && n + 2 < size; c++) {
		bool begins = is_upper(*c) && c > name && is_lower_or_digit(c[-1]);

		if (begins || (!is_upper(*c) && !is_lower_or_digit(*c))) {
			if (n && buf[n - 1] != '_')
				buf[n++] = '_';
		}
		if (is_upper(*c))
			buf[n++] = (char)(*c - 'A' + 'a');
		else if (is_lower_or_digit(*c))
			buf[n++] = *c;
	}
	while (n && buf[n - 1] == '_')
		n--;
	buf[n] = '\0';
}

/* @return position in the name; NULL: not found */
static char *find_word(const struct word *word, char *name)
{
	size_t n = strlen(word->word);

	for (char *at = name; (at = strstr(at, word->word)); at++) {
		if (at > name && (at[n] == '\0' || (at[n] == '_' && !word->is_last)))
			return at;
	}
	return NULL;
}

static void replace_word(const char *unit, char *name, size_t size)
{
	char rest[OPENMETRICS_NAME_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(word_table); i++) {
		const struct word *word = &word_table[i];
		char *at = strcmp(word->unit, unit) == 0 ? find_word(word, name) : NULL;

		if (!at)
			continue;
		snprintf(rest, sizeof(rest), "%s%s", word->stays, at + strlen(word->word));
		snprintf(at, size - (size_t)(at - name), "%s", rest);
		return;
	}
}

void openmetrics_name(const struct metric *metric, struct openmetrics_name *ret)
{
	const struct unit *unit = unit_find(metric->unit);
	char name[OPENMETRICS_NAME_MAX / 2];

	snake(metric->name, name, sizeof(name));
	replace_word(unit->to, name, sizeof(name));
	*ret = (struct openmetrics_name){ .unit = unit->to, .factor = unit->factor };
	snprintf(ret->text, sizeof(ret->text), "m1top_metric_%s%s%s", name, *unit->to ? "_" : "",
		 unit->to);
}

enum openmetrics_kind { GAUGE, COUNTER, INFO };

/* An exposition being written. */
struct openmetrics {
	const struct format_context *context;
	const struct totals *totals;
	const struct openmetrics_own *own;
	enum openmetrics_flavour flavour;
	struct text *out;
};

/* Escape backslash, newline and, except in HELP of the older format, the quote. */
static void escaped(struct text *out, const char *s, bool quotes)
{
	for (size_t n; *s; s += n + (s[n] != '\0')) {
		n = strcspn(s, quotes ? "\n\\\"" : "\n\\");
		text_add(out, s, n);
		if (s[n])
			text_add(out, (char[]){ '\\', s[n] == '\n' ? 'n' : s[n] }, 2);
	}
}

/* Append name="value", escaped. @before  "{" or "," */
static void openmetrics_label(struct text *out, const char *before, const char *name,
			      const char *value)
{
	text_string(out, before);
	text_string(out, name);
	text_add(out, "=\"", 2);
	escaped(out, value, true);
	text_add(out, "\"", 1);
}

/* Get the suffix of samples of a kind: "_total", "_info" or "". */
static const char *openmetrics_suffix(enum openmetrics_kind kind)
{
	return kind == COUNTER ? "_total" : kind == INFO ? "_info" : "";
}

/* Write HELP, TYPE and UNIT. @name  without the suffix of its kind  @unit  "" for none */
static void openmetrics_head(const struct openmetrics *w, const char *name,
			     enum openmetrics_kind kind, const char *unit, const char *help)
{
	static const char *const open[] = { "gauge", "counter", "info" };
	static const char *const plain[] = { "gauge", "counter", "gauge" };
	bool is_open = w->flavour == OPENMETRICS_1_0;
	const char *end = is_open ? "" : openmetrics_suffix(kind);

	text_printf(w->out, "# HELP %s%s ", name, end);
	escaped(w->out, help, is_open);
	text_printf(w->out, "\n# TYPE %s%s %s\n", name, end, is_open ? open[kind] : plain[kind]);
	if (is_open && *unit)
		text_printf(w->out, "# UNIT %s %s\n", name, unit);
}

/* Append a sample's value and the end of its line. */
static void openmetrics_gauge(struct text *out, double value)
{
	text_printf(out, " %.12g\n", value);
}

static void openmetrics_number(struct text *out, uint64_t number)
{
	text_add(out, " ", 1);
	text_u64(out, number, 1);
	text_add(out, "\n", 1);
}

static void openmetrics_seconds(struct text *out, uint64_t ns)
{
	text_add(out, " ", 1);
	text_seconds(out, ns);
	text_add(out, "\n", 1);
}

/* Figures of the whole session and of m1top itself */

struct figure {
	const char *name;
	enum openmetrics_kind kind;
	const char *unit, *help;
	bool is_known;
	uint64_t value; /* in nanoseconds if the unit is "seconds" */
	double ratio;   /* instead of `value` if the unit is "ratio" */
};

static void write_figure(const struct openmetrics *w, const struct figure *figure)
{
	if (!figure->is_known)
		return;
	openmetrics_head(w, figure->name, figure->kind, figure->unit, figure->help);
	text_printf(w->out, "%s%s", figure->name, openmetrics_suffix(figure->kind));
	if (strcmp(figure->unit, "seconds") == 0)
		openmetrics_seconds(w->out, figure->value);
	else if (strcmp(figure->unit, "ratio") == 0)
		openmetrics_gauge(w->out, figure->ratio);
	else
		openmetrics_number(w->out, figure->value);
}

static void write_figures(const struct openmetrics *w)
{
	static const struct frame none;
	const struct frame *newest = w->totals->newest ? w->totals->newest : &none;
	bool has_frame = newest != &none;
	const struct figure figures[] = {
		{ "m1top_interval_seconds", GAUGE, "seconds",
		  "Time between two reads of the counters.", has_frame, newest->interval_ns, 0 },
		{ "m1top_frame_timestamp_seconds", GAUGE, "seconds",
		  "When the newest window of all cores ended, since 1970.", has_frame,
		  w->own->zero_wall_ns + newest->t_ns, 0 },
		{ "m1top_frames", COUNTER, "", "Windows of all cores in the counts.", true,
		  w->totals->n_frames, 0 },
		{ "m1top_frames_lost", COUNTER, "",
		  "Windows that were dropped: their counts are missing.", true, w->totals->n_lost,
		  0 },
		{ "m1top_ticks_missed", COUNTER, "", "Intervals without a read of their own.", true,
		  w->totals->n_missed, 0 },
		{ "m1top_samples_dropped", COUNTER, "",
		  "Reads that were dropped: the next window is longer.", has_frame,
		  newest->n_dropped, 0 },
		{ "m1top_wakeup_lateness_p99_seconds", GAUGE, "seconds",
		  "Lateness of wake-ups, 99th percentile of the last second.", has_frame,
		  newest->late_p99_ns, 0 },
		{ "m1top_wakeup_lateness_max_seconds", GAUGE, "seconds",
		  "Lateness of wake-ups, largest of the newest read.", has_frame,
		  newest->late_max_ns, 0 },
		{ "m1top_wakeups", COUNTER, "", "Wake-ups of m1top's threads.", true,
		  w->own->wakeups, 0 },
		{ "process_cpu_seconds", COUNTER, "seconds", "CPU time used by m1top.", true,
		  w->own->cpu_ns, 0 },
		{ "process_resident_memory_bytes", GAUGE, "bytes", "Resident memory of m1top.",
		  true, w->own->memory_bytes, 0 },
		{ "process_start_time_seconds", GAUGE, "seconds", "When m1top started, since 1970.",
		  true, w->own->started_wall_ns, 0 },
		{ "m1top_log_running", GAUGE, "",
		  "1 while the session log is written, 0 when it has stopped.", w->own->has_log,
		  w->own->log_is_running, 0 },
		{ "m1top_own_core_ratio", GAUGE, "ratio",
		  "m1top's share of the core it loads most.", newest->own_known, 0,
		  (double)newest->own_core_share },
	};

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		write_figure(w, &figures[i]);
}

/* Write build and machine. */
static void openmetrics_infos(const struct openmetrics *w)
{
	const struct format_context *context = w->context;
	struct text *out = w->out;

	openmetrics_head(w, "m1top_build", INFO, "", "Version of m1top.");
	text_printf(out, "m1top_build_info");
	openmetrics_label(out, "{", "version", M1TOP_VERSION);
	text_printf(out, "} 1\n");
	openmetrics_head(w, "m1top_machine", INFO, "", "The machine and how it is counted.");
	text_printf(out, "m1top_machine_info");
	openmetrics_label(out, "{", "model", context->machine->model);
	openmetrics_label(out, ",", "cpuid", context->machine->cpuid);
	openmetrics_label(out, ",", "kernel", context->head.kernel);
	openmetrics_label(out, ",", "backend", context->head.backend);
	openmetrics_label(out, ",", "simulated", context->machine->simulated ? "true" : "false");
	text_printf(out, "} 1\n");
}

/* Read the resident memory from statm: "size resident …", in pages. */
static uint64_t resident_bytes(void)
{
	char line[128], *resident;

	if (sysfs_read("", "/proc/self/statm", line, sizeof(line)) < 0)
		return 0;
	resident = strchr(line, ' ');
	return resident ? strtoull(resident, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

void openmetrics_own(const struct format_context *context, uint64_t now_ns,
		     struct openmetrics_own *ret)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	*ret = (struct openmetrics_own){
		.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID),
		.wakeups = (uint64_t)usage.ru_nvcsw,
		.memory_bytes = resident_bytes(),
		.started_wall_ns = context->head.started_wall_ns,
		.zero_wall_ns = clock_wall_ns() - now_ns,
	};
}

/* Figures of a core */

static void core_label(const struct openmetrics *w, unsigned core)
{
	text_add(w->out, "{cpu=\"", 6);
	text_u64(w->out, w->context->machine->core[core].cpu, 1);
	text_add(w->out, "\"", 1);
}

static void core_labels(const struct openmetrics *w, unsigned core)
{
	const struct machine *machine = w->context->machine;

	core_label(w, core);
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
		for (unsigned level = LEVEL_CLUSTER; level < LEVEL_TYPE; level++)
			if (machine_level_rows(machine, level))
				text_printf(w->out, ",%s=\"%u\"", machine_level[level].name,
					    machine_level_number(machine, level, core));
		text_printf(
			w->out, ",physical_core=\"%s\"} %d\n",
			machine_threads(machine, machine->core[core].physical, cpus, sizeof(cpus)),
			is_on(w, core));
	}
}

/* Events. The type of a device's event is "device", so that sums by core type do not include it. */

/* Write an event's name, and its code if the user gave the name to another event, too. */
static void name_labels(const struct openmetrics *w, unsigned type, const struct event *event)
{
	const struct set *set = w->totals->last->set;
	unsigned n_words = CONFIG_WORDS;
	bool is_ambiguous = false;

	openmetrics_label(w->out, ",", "pmu", event->pmu ? event->pmu->name : "");
	openmetrics_label(w->out, ",", "event", event->name);
	for (unsigned i = 0; i < set->n_slots; i++) {
		const struct event *other = set->type[type].event[i];

		is_ambiguous |= other && other->pmu == event->pmu &&
				strcmp(other->name, event->name) == 0 &&
				!event_is_same(other, event);
	}
	while (n_words > 1 && !event->config[n_words - 1])
		n_words--;
	for (unsigned i = 0; is_ambiguous && i < n_words; i++)
		text_printf(w->out, "%s0x%" PRIx64 "%s", i ? "," : ",config=\"", event->config[i],
			    i + 1 < n_words ? "" : "\"");
}

static void event_labels(const struct openmetrics *w, const char *before, unsigned type,
			 const struct event *event)
{
	bool is_device = event_is_of_device(event);

	openmetrics_label(w->out, before, "type",
			  is_device ? "device" : w->context->machine->type[type].name);
	name_labels(w, type, event);
}

enum family_figure { VALUE, ENABLED, RUNNING, RUNNING_RATIO };

static bool has_figure(const struct total *total, enum family_figure figure)
{
	return quality_has_value(total->newest.quality) ||
	       (figure != VALUE && total->newest.quality == QUALITY_NOT_COUNTED);
}

static void put_figure(struct text *out, const struct total *total, enum family_figure figure)
{
	double running_ns = (double)total->newest.running_ns;

	if (figure == VALUE)
		openmetrics_number(out, total->sum.value);
	else if (figure == RUNNING_RATIO)
		openmetrics_gauge(out, total->newest.enabled_ns
					       ? running_ns / (double)total->newest.enabled_ns
					       : 0);
	else
		openmetrics_seconds(out, figure == ENABLED ? total->sum.enabled_ns
							   : total->sum.running_ns);
}

static const struct family {
	const char *name;
	enum openmetrics_kind kind;
	const char *unit, *help;
	enum family_figure figure;
} family_table[] = {
	{ "m1top_events", COUNTER, "",
	  "Raw count of a counter while it was running. Divide by "
	  "m1top_event_running_seconds_total for a rate.",
	  VALUE },
	{ "m1top_event_enabled_seconds", COUNTER, "seconds",
	  "How long a counter was asked to count.", ENABLED },
	{ "m1top_event_running_seconds", COUNTER, "seconds", "How long it counted.", RUNNING },
	{ "m1top_event_running_ratio", GAUGE, "ratio",
	  "Share of the newest window in which it counted.", RUNNING_RATIO },
};

static void family_head(const struct openmetrics *w, const struct family *family)
{
	openmetrics_head(w, family->name, family->kind, family->unit, family->help);
}

static void write_core(const struct openmetrics *w, const struct family *family, unsigned core)
{
	const struct totals *totals = w->totals;
	unsigned type = w->context->machine->core[core].type;

	for (unsigned i = 0; i < totals->last->n_slots; i++) {
		const struct event *event = totals->last->set->type[type].event[i];
		const struct total total = totals_of(totals, core, i);

		if (!event || total.is_counted_twice || !has_figure(&total, family->figure))
			continue;
		text_string(w->out, family->name);
		text_string(w->out, openmetrics_suffix(family->kind));
		core_label(w, core);
		event_labels(w, ",", type, event);
		text_add(w->out, "}", 1);
		put_figure(w->out, &total, family->figure);
	}
}

static void write_events(const struct openmetrics *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(family_table); i++) {
		const struct family *family = &family_table[i];

		family_head(w, family);
		for (unsigned core = 0; core < w->context->machine->n_cores; core++) {
			if (is_on(w, core))
				write_core(w, family, core);
		}
	}
}

/* Commands, with --tasks, and cgroups, with --cgroups */

/* Series of commands, and of cgroups. */
struct task_series {
	const struct task_totals *totals;
	const char *label;
	struct family family[2];
	const char *cpu_time, *cpu_help;
};

static void put_labels(const struct openmetrics *w, const struct task_series *series,
		       const struct task_total *total, unsigned type)
{
	openmetrics_label(w->out, "{", series->label,
			  core_task_name(&total->sum.task, series->totals->by));
	openmetrics_label(w->out, ",", "type", w->context->machine->type[type].name);
}

static void openmetrics_tasks_write_events(const struct openmetrics *w,
					   const struct task_series *series,
					   const struct family *family,
					   const struct task_total *total)
{
	const struct frame *last = w->totals->last;

	for (unsigned type = 0; type < w->context->machine->n_types; type++)
		for (unsigned i = 0; i < last->n_slots; i++) {
			const struct event *event = last->set->type[type].event[i];
			struct total of_command = { .is_counted_twice = false };

			if (!event || w->totals->column_of[type][i] != i)
				continue;
			of_command.sum =
				totals_sum(w->totals, type, i,
					   &total->sum.count[(size_t)type * last->n_slots]);
			if (!quality_has_value(of_command.sum.quality))
				continue;
			text_printf(w->out, "%s_total", family->name);
			put_labels(w, series, total, type);
			name_labels(w, type, event);
			text_add(w->out, "}", 1);
			put_figure(w->out, &of_command, family->figure);
		}
}

static void write_times(const struct openmetrics *w, const struct task_series *series)
{
	const struct task_total *total;

	openmetrics_head(w, series->cpu_time, COUNTER, "seconds", series->cpu_help);
	for (size_t i = 0; (total = task_totals_named(series->totals, i)); i++)
		for (unsigned type = 0; type < w->context->machine->n_types; type++) {
			if (!total->time_ns[type])
				continue;
			text_printf(w->out, "%s_total", series->cpu_time);
			put_labels(w, series, total, type);
			text_add(w->out, "}", 1);
			openmetrics_seconds(w->out, total->time_ns[type]);
		}
}

static void write_switches(const struct openmetrics *w, const struct task_totals *of)
{
	const struct figure figures[] = {
		{ "m1top_task_switches", COUNTER, "",
		  "Context switches that tell the tasks' counts apart.", true, of->n_switches, 0 },
		{ "m1top_task_switches_lost", COUNTER, "",
		  "Those without a record: counts of the command [unattributed].", true, of->n_lost,
		  0 },
		{ "m1top_task_cost_ratio", GAUGE, "ratio",
		  "What telling tasks apart took in the newest window, of one core's time.", true,
		  0, (double)of->cost_share },
	};

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		write_figure(w, &figures[i]);
}

/* Write the families of commands or of cgroups. */
static void write_series(const struct openmetrics *w, const struct task_series *series)
{
	const struct task_total *total;

	if (!series->totals->machine)
		return;
	for (size_t f = 0; f < ARRAY_SIZE(series->family); f++) {
		family_head(w, &series->family[f]);
		for (size_t i = 0; (total = task_totals_named(series->totals, i)); i++)
			openmetrics_tasks_write_events(w, series, &series->family[f], total);
	}
	write_times(w, series);
}

static void openmetrics_tasks(const struct openmetrics *w)
{
	const struct task_series commands = {
		&w->totals->tasks,
		"command",
		{ { "m1top_task_events", COUNTER, "",
		    "Raw count of a counter while a command was on a core and the counter ran.",
		    VALUE },
		  { "m1top_task_event_running_seconds", COUNTER, "seconds",
		    "How long a counter counted while a command was on a core.", RUNNING } },
		"m1top_task_cpu_seconds",
		"How long a command was on the cores of a type.",
	};
	const struct task_series cgroups = {
		&w->totals->cgroups,
		"cgroup",
		{ { "m1top_cgroup_events", COUNTER, "",
		    "Raw count of a counter while a cgroup's own tasks were on a core and the "
		    "counter ran.",
		    VALUE },
		  { "m1top_cgroup_event_running_seconds", COUNTER, "seconds",
		    "How long a counter counted while a cgroup's own tasks were on a core.",
		    RUNNING } },
		"m1top_cgroup_cpu_seconds",
		"How long a cgroup's own tasks were on the cores of a type.",
	};
	const struct task_totals *any = commands.totals->machine ? commands.totals : cgroups.totals;

	write_series(w, &commands);
	write_series(w, &cgroups);
	if (any->machine)
		write_switches(w, any);
}

/* Scales */

static bool has_scale(const struct event *event)
{
	return event && !*event->refused && (*event->unit || event->scale < 1 || event->scale > 1);
}

/* Whether an earlier type has written this event: a device's event is in the sets of all types. */
static bool openmetrics_is_written(const struct set *set, unsigned type, unsigned column)
{
	const struct event *event = set->type[type].event[column];

	if (!event_is_of_device(event))
		return false;
	for (unsigned i = 0; i < type; i++) {
		const struct event *before = set->type[i].event[column];

		if (before && event_is_same(before, event))
			return true;
	}
	return false;
}

static void write_scale(const struct openmetrics *w, unsigned type, const struct event *event)
{
	const struct unit *unit = unit_find(event->unit);

	text_printf(w->out, "m1top_event_scale");
	event_labels(w, "{", type, event);
	openmetrics_label(w->out, ",", "unit", *unit->to ? unit->to : event->unit);
	text_add(w->out, "}", 1);
	openmetrics_gauge(w->out, event->scale * unit->factor);
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
			    !openmetrics_is_written(totals->last->set, type, i))
				write_scale(w, type, event);
		}
	}
}

/* Metrics */

static const struct metric *metric_of(const struct openmetrics *w, unsigned column)
{
	return &w->context->metrics->metric[w->totals->last->bound->number[column]];
}

static bool openmetrics_is_shown(const struct format_context *context, unsigned number)
{
	for (size_t i = 0; i < context->n_shown; i++) {
		if (context->shown[i] == number)
			return true;
	}
	return !context->n_shown;
}

/* Count the shown metrics among the first n that have a name after conversion. */
static unsigned n_named(const struct openmetrics *w, const struct openmetrics_name *names,
			unsigned n, const char *text)
{
	unsigned n_named = 0;

	for (unsigned i = 0; i < n; i++)
		n_named += strcmp(names[i].text, text) == 0 &&
			   openmetrics_is_shown(w->context, w->totals->last->bound->number[i]);
	return n_named;
}

/* Append a number to a name that equals an earlier one after conversion: "_2", or "__2" if that is a name, too. */
static void tell_apart(const struct openmetrics *w, const struct openmetrics_name *names,
		       unsigned column, struct openmetrics_name *name)
{
	unsigned n = n_named(w, names, column, name->text) + 1;
	size_t end = strlen(name->text), size = sizeof(name->text) - end;

	if (n == 1)
		return;
	name->unit = "";
	snprintf(name->text + end, size, "_%u", n);
	if (n_named(w, names, w->totals->last->n_metrics, name->text))
		snprintf(name->text + end, size, "__%u", n);
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

static void write_metric(const struct openmetrics *w, const struct openmetrics_name *names,
			 unsigned column)
{
	struct openmetrics_name name = names[column];

	tell_apart(w, names, column, &name);
	metric_head(w, metric_of(w, column), &name);
	for (unsigned core = 0; core < w->context->machine->n_cores; core++) {
		struct reading reading = frame_metrics(w->totals->last, core)[column];

		if (!is_on(w, core) || !quality_has_value(reading.quality))
			continue;
		text_string(w->out, name.text);
		core_labels(w, core);
		text_add(w->out, "}", 1);
		openmetrics_gauge(w->out, reading.value * name.factor);
	}
}

static void write_metrics(const struct openmetrics *w)
{
	unsigned n = w->totals->last->n_metrics;
	AUTO_FREE struct openmetrics_name *names = calloc(n + 1, sizeof(*names));

	w->out->failed |= !names;
	for (unsigned i = 0; names && i < n; i++)
		openmetrics_name(metric_of(w, i), &names[i]);
	for (unsigned i = 0; names && i < n; i++) {
		if (openmetrics_is_shown(w->context, w->totals->last->bound->number[i]))
			write_metric(w, names, i);
	}
}

/* Write a family for each kind of sensor. */
static void write_sensors(const struct openmetrics *w)
{
	const struct sensors *sensors = w->context->machine->sensors;
	const struct sensed *sensed = w->totals->newest->sensed;

	for (unsigned kind = 0; sensed && kind < N_SENSOR_KINDS; kind++) {
		const struct sensor_form *form = &sensor_forms[kind];

		openmetrics_head(w, form->family, GAUGE, form->base_unit, "Reading of a sensor.");
		for (unsigned i = 0; i < sensors->n; i++) {
			if (sensors->sensor[i].kind != kind || isnan(sensed->value[i]))
				continue;
			text_printf(w->out, "%s", form->family);
			openmetrics_label(w->out, "{", "sensor", sensors->sensor[i].name);
			text_add(w->out, "}", 1);
			openmetrics_gauge(w->out, form->base * sensed->value[i]);
		}
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
		write_sensors(&w);
		openmetrics_tasks(&w);
	}
	write_figures(&w);
	if (flavour == OPENMETRICS_1_0)
		text_printf(out, "# EOF\n");
}

/* ---- content negotiation for two types: RFC 9110 section 12.5.1 ---- */

const char *const openmetrics_type[N_OPENMETRICS_FLAVOURS] = {
	[OPENMETRICS_1_0] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	[OPENMETRICS_0_0_4] = "text/plain; version=0.0.4; charset=utf-8",
};

/* Whether an item of the header, "type/subtype;q=0.5", has this type. Its parameters end at `end`. */
static bool has_type(const char *item, const char *end, const char *type)
{
	size_t n = strlen(type);

	return (size_t)(end - item) >= n && ascii_ncasecmp(item, type, n) == 0 &&
	       (item + n == end || strchr("; \t", item[n]));
}

static const char *parameter(const char *item, const char *end, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = item; (at = memchr(at, ';', (size_t)(end - at)));) {
		at++;
		at += strspn(at, " \t");
		if (at + n < end && ascii_ncasecmp(at, name, n) == 0 && at[n] == '=')
			return at + n + 1;
	}
	return NULL;
}

static double weight(const char *item, const char *end)
{
	const char *q = parameter(item, end, "q");
	char text[8] = "";
	double value;

	if (!q)
		return 1;
	for (size_t i = 0; i + 1 < sizeof(text) && q + i < end && strchr(".0123456789", q[i]); i++)
		text[i] = q[i];
	return num_parse_double(text, &value) ? 0 : value;
}

/* Whether the version is 1.x, or 0.0.1, which Prometheus also sends. */
static bool has_our_version(const char *item, const char *end)
{
	const char *version = parameter(item, end, "version");

	return !version || *version == '1' || strncmp(version, "0.0.1", 5) == 0;
}

enum openmetrics_flavour openmetrics_accepted(const char *accept)
{
	double open = 0, plain = 0;

	for (const char *item = accept; item && *item;) {
		const char *end = item + strcspn(item, ",");
		double q = weight(item, end);

		if (has_type(item, end, "application/openmetrics-text")) {
			if (has_our_version(item, end) && q > open)
				open = q;
		} else if (has_type(item, end, "text/plain") && q > plain) {
			plain = q;
		}
		item = end + strspn(end, ", \t");
	}
	return open > 0 && open >= plain ? OPENMETRICS_1_0 : OPENMETRICS_0_0_4;
}
