/* Figures of the session as a whole, and of m1top itself. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "machine/sysfs.h"
#include "session/serve/openmetrics_text.h"
#include "session/format/row_name.h"

struct figure {
	const char *name;
	enum openmetrics_kind kind;
	const char *unit, *help;
	uint64_t value; /* with the unit "seconds" in nanoseconds */
	bool needs_frame;
};

static void write_figure(const struct openmetrics *w, const struct figure *figure)
{
	openmetrics_head(w, figure->name, figure->kind, figure->unit, figure->help);
	text_printf(w->out, "%s%s ", figure->name, openmetrics_suffix(figure->kind));
	if (strcmp(figure->unit, "seconds") == 0)
		text_seconds(w->out, figure->value);
	else
		text_printf(w->out, "%" PRIu64, figure->value);
	text_add(w->out, "\n", 1);
}

static void write_figures(const struct openmetrics *w)
{
	static const struct frame none;
	const struct frame *newest = w->totals->newest ? w->totals->newest : &none;
	const struct figure figures[] = {
		{ "m1top_interval_seconds", GAUGE, "seconds",
		  "Time between two reads of the counters.", newest->interval_ns, true },
		{ "m1top_frame_timestamp_seconds", GAUGE, "seconds",
		  "When the newest window of all cores ended, since 1970.",
		  w->own->zero_wall_ns + newest->t_ns, true },
		{ "m1top_frames", COUNTER, "", "Windows of all cores in the counts.",
		  w->totals->n_frames, false },
		{ "m1top_frames_lost", COUNTER, "",
		  "Windows that were dropped: their counts are missing.", w->totals->n_lost,
		  false },
		{ "m1top_ticks_missed", COUNTER, "", "Intervals without a read of their own.",
		  w->totals->n_missed, false },
		{ "m1top_samples_dropped", COUNTER, "",
		  "Reads that were dropped: the next window is longer.", newest->n_dropped, true },
		{ "m1top_wakeup_lateness_p99_seconds", GAUGE, "seconds",
		  "Lateness of wake-ups, 99th percentile of the last second.", newest->late_p99_ns,
		  true },
		{ "m1top_wakeup_lateness_max_seconds", GAUGE, "seconds",
		  "Lateness of wake-ups, largest of the newest read.", newest->late_max_ns, true },
		{ "m1top_wakeups", COUNTER, "", "Wake-ups of m1top's threads.", w->own->wakeups,
		  false },
		{ "process_cpu_seconds", COUNTER, "seconds", "CPU time used by m1top.",
		  w->own->cpu_ns, false },
		{ "process_resident_memory_bytes", GAUGE, "bytes", "Resident memory of m1top.",
		  w->own->memory_bytes, false },
		{ "process_start_time_seconds", GAUGE, "seconds", "When m1top started, since 1970.",
		  w->own->started_wall_ns, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		if (!figures[i].needs_frame || w->totals->newest)
			write_figure(w, &figures[i]);
}

static void write_log(const struct openmetrics *w)
{
	const struct figure running = {
		"m1top_log_running",
		GAUGE,
		"",
		"1 while the session log is written, 0 when it has stopped.",
		w->own->log_is_running,
		false
	};

	if (w->own->has_log)
		write_figure(w, &running);
}

static void write_own_share(const struct openmetrics *w)
{
	const struct frame *frame = w->totals->newest;

	if (!frame || !frame->own_known)
		return;
	openmetrics_head(w, "m1top_own_core_ratio", GAUGE, "ratio",
			 "m1top's share of the core it loads most.");
	text_printf(w->out, "m1top_own_core_ratio");
	openmetrics_gauge(w->out, (double)frame->own_core_share);
}

void openmetrics_infos(const struct openmetrics *w)
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
	openmetrics_label(out, ",", "kernel", context->kernel);
	openmetrics_label(out, ",", "backend", context->backend);
	openmetrics_label(out, ",", "simulated", context->machine->simulated ? "true" : "false");
	text_printf(out, "} 1\n");
}

void openmetrics_figures(const struct openmetrics *w)
{
	write_figures(w);
	write_log(w);
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

void openmetrics_own(const struct format_context *context, uint64_t now_ns,
		     struct openmetrics_own *ret)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	*ret = (struct openmetrics_own){
		.cpu_ns = clock_process_cpu_ns(),
		.wakeups = (uint64_t)usage.ru_nvcsw,
		.memory_bytes = resident_bytes(),
		.started_wall_ns = context->started_wall_ns,
		.zero_wall_ns = clock_wall_ns() - now_ns,
	};
}
