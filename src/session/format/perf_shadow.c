#include "session/format/perf_line.h"
#include "session/format/row_name.h"

#include <stdio.h>
#include <string.h>

/* What perf 6.1 prints behind a count, by event: tools/perf/util/stat-shadow.c. Behind every other
 * event without a unit is its rate. */
static const struct shadow {
	const char *event;
	const char *per; /* another event counted at the same time; NULL: each second */
	bool is_sum;     /* of CPUs, not their mean */
	double factor;
	unsigned decimals;
	const char *unit;
} shadow_table[] = {
	{ "cpu-clock", NULL, true, 1e-9, 3, "CPUs utilized" },
	{ "task-clock", NULL, true, 1e-9, 3, "CPUs utilized" },
	{ "instructions", "cycles", false, 1, 2, "insn per cycle" },
	{ "cycles", NULL, false, 1e-9, 3, "GHz" },
	{ "stalled-cycles-frontend", "cycles", false, 100, 2, "frontend cycles idle" },
	{ "stalled-cycles-backend", "cycles", false, 100, 2, "backend cycles idle" },
	{ "branch-misses", "branches", false, 100, 2, "of all branches" },
	{ "cache-misses", "cache-references", false, 100, 3, "of all cache refs" },
	{ "L1-dcache-load-misses", "L1-dcache-loads", false, 100, 2, "of all L1-dcache accesses" },
	{ "L1-icache-load-misses", "L1-icache-loads", false, 100, 2, "of all L1-icache accesses" },
	{ "dTLB-load-misses", "dTLB-loads", false, 100, 2, "of all dTLB cache accesses" },
	{ "iTLB-load-misses", "iTLB-loads", false, 100, 2, "of all iTLB cache accesses" },
	{ "LLC-load-misses", "LLC-loads", false, 100, 2, "of all LL-cache accesses" },
	{ 0 },
};

static const struct shadow *find_shadow(const struct event *event)
{
	bool is_of_device = event_is_of_device(event);

	/* a device's cycles are not a core's */
	for (const struct shadow *row = shadow_table; row->event && !is_of_device; row++) {
		if (event_is(event, row->event))
			return row;
	}
	return NULL;
}

/* The count of an event in the mux group of a slot. @return NULL when there is none with a value */
static const struct count *beside(const struct frame *frame, const struct frame_row *row,
				  unsigned slot, const char *name)
{
	const struct event *const *event = frame->set->type[row->type].event;

	for (unsigned i = 0; i < frame->n_slots; i++) {
		if (event[i] && set_mux_of(frame->set, i) == set_mux_of(frame->set, slot) &&
		    event_is(event[i], name) && quality_has_value(row->count[i].quality))
			return &row->count[i];
	}
	return NULL;
}

static struct reading ratio(const struct count *of, const struct count *per)
{
	struct reading ret = count_total(of);
	struct reading by = count_total(per);

	if (!(by.value > 0))
		return (struct reading){ .quality = QUALITY_UNDEFINED };
	ret.value /= by.value;
	ret.quality = quality_worst(ret.quality, by.quality);
	return ret;
}

/* A task's clock by the time that passed; a core's runs all the time. */
static struct reading clock_rate(const struct format_context *context, const struct perf_line *line)
{
	struct reading ret = count_total(line->count);

	if (!row_is_of_tasks(context))
		return count_rate(line->count);
	if (!line->row->window_ns)
		return (struct reading){ .quality = QUALITY_UNDEFINED };
	ret.value *= 1e9 / (double)line->row->window_ns;
	return ret;
}

/* Each second; of several CPUs their mean, as perf has it. */
static struct reading rate(const struct count *count)
{
	struct reading ret = count_rate(count);

	if (count->n_summed > 1)
		ret.value /= count->n_summed;
	return ret;
}

/* perf's 1.500,K/sec */
static void plain_rate(const struct count *count, struct perf_metric *ret)
{
	static const char prefix[] = " KMG";
	unsigned step = 0;

	*ret = (struct perf_metric){ .reading = rate(count), .decimals = 3 };
	while (ret->reading.value >= 1000 && step + 1 < strlen(prefix)) {
		ret->reading.value /= 1000;
		step++;
	}
	snprintf(ret->unit, sizeof(ret->unit), "%.*s/sec", step ? 1 : 0, &prefix[step]);
}

static struct reading shadow_reading(const struct format_context *context,
				     const struct perf_line *line, const struct shadow *known,
				     const struct count *per)
{
	if (per)
		return ratio(line->count, per);
	return known->is_sum ? clock_rate(context, line) : rate(line->count);
}

void perf_shadow(const struct format_context *context, const struct frame *frame,
		 struct perf_line *line)
{
	const struct shadow *known = find_shadow(line->event);
	const struct count *per =
		known && known->per ? beside(frame, line->row, line->slot, known->per) : NULL;

	line->metric = (struct perf_metric){ .reading.quality = QUALITY_NONE };
	if (!quality_has_value(line->count->quality))
		return;
	if (known && (per || !known->per)) {
		line->metric.reading = shadow_reading(context, line, known, per);
		line->metric.reading.value *= known->factor;
		line->metric.decimals = known->decimals;
		snprintf(line->metric.unit, sizeof(line->metric.unit), "%s", known->unit);
	} else if (!*line->event->unit) {
		plain_rate(line->count, &line->metric);
	}
	if (!quality_has_value(line->metric.reading.quality)) /* as perf has it: neither, or both */
		line->metric.unit[0] = '\0';
}
