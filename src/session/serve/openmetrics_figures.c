/* Figures of the session as a whole, and of m1top itself. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "pmu/sysfs.h"
#include "session/openmetrics_text.h"
#include "session/rows.h"

static uint64_t n_frames(const struct openmetrics *w)
{
	return w->totals->n_frames;
}

static uint64_t n_lost(const struct openmetrics *w)
{
	return w->totals->n_lost;
}

static uint64_t n_missed(const struct openmetrics *w)
{
	return w->totals->n_missed;
}

static uint64_t n_dropped(const struct openmetrics *w)
{
	return w->totals->newest->n_dropped;
}

static uint64_t interval_ns(const struct openmetrics *w)
{
	return w->totals->newest->interval_ns;
}

static uint64_t frame_wall_ns(const struct openmetrics *w)
{
	return w->context->started_wall_ns + w->totals->newest->t_ns;
}

static uint64_t late_p99_ns(const struct openmetrics *w)
{
	return w->totals->newest->late_p99_ns;
}

static uint64_t late_max_ns(const struct openmetrics *w)
{
	return w->totals->newest->late_max_ns;
}

static uint64_t cpu_ns(const struct openmetrics *w)
{
	return w->own->cpu_ns;
}

static uint64_t wakeups(const struct openmetrics *w)
{
	return w->own->wakeups;
}

static uint64_t memory_bytes(const struct openmetrics *w)
{
	return w->own->memory_bytes;
}

static uint64_t started_wall_ns(const struct openmetrics *w)
{
	return w->own->started_wall_ns;
}

/* Those with the unit "seconds" come in nanoseconds. */
static const struct figure {
	const char *name;
	enum openmetrics_kind kind;
	const char *unit, *help;
	uint64_t (*get)(const struct openmetrics *w);
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

static void write_table(const struct openmetrics *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(figure_table); i++) {
		const struct figure *figure = &figure_table[i];

		if (figure->needs_frame && !w->totals->newest)
			continue;
		openmetrics_head(w, figure->name, figure->kind, figure->unit, figure->help);
		text_printf(w->out, "%s%s ", figure->name, openmetrics_suffix(figure->kind));
		if (strcmp(figure->unit, "seconds") == 0)
			text_seconds(w->out, figure->get(w));
		else
			text_printf(w->out, "%" PRIu64, figure->get(w));
		text_add(w->out, "\n", 1);
	}
}

static void write_own_share(const struct openmetrics *w)
{
	const struct frame *frame = w->totals->newest;

	if (!frame || !frame->own_known)
		return;
	openmetrics_head(w, "m1top_own_core_ratio", GAUGE, "ratio",
			 "Share of the core that m1top loads most.");
	text_printf(w->out, "m1top_own_core_ratio");
	openmetrics_gauge(w->out, (double)frame->own_core_share);
}

void openmetrics_infos(const struct openmetrics *w)
{
	const struct format_context *context = w->context;
	struct text *out = w->out;

	openmetrics_head(w, "m1top_build", INFO, "", "Which m1top this is.");
	text_printf(out, "m1top_build_info");
	openmetrics_label(out, "{", "version", M1TOP_VERSION);
	text_printf(out, "} 1\n");
	openmetrics_head(w, "m1top_machine", INFO, "", "What it counts on, and how.");
	text_printf(out, "m1top_machine_info");
	openmetrics_label(out, "{", "model", context->machine->model);
	openmetrics_label(out, ",", "cpuid", context->machine->cpuid);
	openmetrics_label(out, ",", "kernel", context->kernel);
	openmetrics_label(out, ",", "backend", context->backend);
	openmetrics_label(out, ",", "simulated", context->machine->simulated ? "true" : "false");
	text_printf(out, "} 1\n");
}

void openmetrics_figures(const struct openmetrics *w)
{
	write_table(w);
	write_own_share(w);
}

/* statm: "size resident …", in pages. */
static uint64_t resident_bytes(void)
{
	char line[128], *resident;

	if (sysfs_read("", "/proc/self/statm", line, sizeof(line)) < 0)
		return 0;
	resident = strchr(line, ' ');
	return resident ? strtoull(resident, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
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
