#include "session/report/summary.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "event/set_devices.h"
#include "session/read/rotated_files.h"
#include "session/format/row_name.h"
#include "session/report/summary_internal.h"

/* ---- rows ---- */

static void describe_row(const struct summary *summary, struct summary_row *row)
{
	const struct machine *machine = summary->machine;
	struct frame_row is = { .by = row->by, .index = row->index, .device = row->device };
	char name[48];

	row_name(machine, &is, name, sizeof(name));
	if (machine->n_types > 1 && row->by < BY_TYPE)
		snprintf(row->name, sizeof(row->name), "%s %s", machine->type[row->type].name,
			 name);
	else
		snprintf(row->name, sizeof(row->name), "%s", name);
}

static void find_members(const struct summary *summary, struct summary_row *row)
{
	const struct machine *machine = summary->machine;

	for (unsigned i = 0; i < machine->n_cores; i++) {
		if (frame_row_of_core(machine, row->by, i) != row->index)
			continue;
		cpus_add(&row->cpus, machine->core[i].cpu);
		row->type = machine->core[i].type;
	}
}

/* @return NULL without memory */
static struct summary_row *add_row(struct summary *summary, enum frame_by by, unsigned index)
{
	struct summary_row *row;

	if (array_reserve((void **)&summary->row, &summary->cap_rows, summary->n_rows,
			  sizeof(*row)))
		return NULL;
	row = &summary->row[summary->n_rows++];
	*row = (struct summary_row){ .by = by, .index = index };
	return row;
}

static int add_rows(struct summary *summary, enum frame_by by)
{
	for (unsigned i = 0; i < frame_n_own_rows(summary->machine, by); i++) {
		struct summary_row *row = add_row(summary, by, i);

		if (!row)
			return -ENOMEM;
		find_members(summary, row);
		describe_row(summary, row);
	}
	return 0;
}

/* Devices come with the sets that count them; the same one may have another number there. */
static int find_device(struct summary *summary, const struct pmu *pmu, unsigned index)
{
	struct summary_row *row = NULL;

	for (size_t i = 0; i < summary->n_rows && !row; i++)
		if (summary->row[i].device == pmu)
			row = &summary->row[i];
	if (!row) {
		row = add_row(summary, BY_DEVICE, index);
		if (!row)
			return -ENOMEM;
		row->device = pmu;
		describe_row(summary, row);
	}
	row->index = index;
	return 0;
}

static int find_devices(struct summary *summary, const struct frame *frame)
{
	struct set_devices devices;
	int rc = 0;

	set_devices(frame->set, &devices);
	for (size_t i = 0; i < summary->n_rows; i++)
		if (summary->row[i].by == BY_DEVICE)
			summary->row[i].index = UINT_MAX;
	for (unsigned i = 0; !rc && i < devices.n; i++)
		rc = find_device(summary, devices.pmu[i], i);
	return rc;
}

static int map_rows(struct summary *summary, const struct frame *frame)
{
	int rc = find_devices(summary, frame);

	for (size_t i = 0; !rc && i < summary->n_rows; i++)
		rc = summary_map_row(summary, &summary->row[i], frame);
	return rc;
}

/* ---- frames ---- */

static int coarsen(struct summary *summary)
{
	int rc = 0;

	for (size_t i = 0; i < summary->n_rows; i++)
		for (size_t k = 0; !rc && k < summary->row[i].n; k++)
			rc = digest_coarsen(&summary->row[i].figure[k].digest);
	summary->is_coarse = true;
	summary->n_exact = 0;
	return rc;
}

static int add_to_rows(struct summary *summary, const struct frame *frame)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < summary->n_rows; i++) {
		struct summary_row *row = &summary->row[i];
		struct frame_row from;

		if (row->index == UINT_MAX)
			continue; /* a device that is not counted now */
		frame_row(frame, summary->machine, summary->metrics, row->by, row->index, &from);
		if (from.state == CORE_ON)
			rc = summary_add_row(summary, row, &from);
	}
	return rc;
}

static void watch_cores(struct summary *summary, const struct frame *frame)
{
	for (unsigned i = 0; i < frame->n_cores; i++)
		if (frame->core[i].state == CORE_ON)
			summary->core_watched_ns[i] += frame->core[i].window_ns;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static void add_own(struct summary_own *own, const struct frame *frame)
{
	double core_pct = (double)frame->own_core_share * 100;
	double total_pct = (double)frame->own_total_share * 100;

	if (!frame->own_known)
		return;
	own->n++;
	own->core_pct += core_pct;
	own->total_pct += total_pct;
	own->wakeups_per_s += (double)frame->own_wakeups_per_s;
	own->core_pct_max = larger(own->core_pct_max, core_pct);
	own->total_pct_max = larger(own->total_pct_max, total_pct);
	own->late_p99_us_max = larger(own->late_p99_us_max, frame->late_p99_ns / 1e3);
	own->late_max_us = larger(own->late_max_us, frame->late_max_ns / 1e3);
	own->n_dropped = frame->n_dropped;
}

/* Where its windows begin; the first tick of a session has waited for nothing else. */
static uint64_t begin_of(const struct frame *frame)
{
	uint64_t longest_ns = frame_window_ns(frame);

	if (frame->number <= 1 || longest_ns >= frame->t_ns)
		return 0;
	return frame->t_ns - longest_ns;
}

static int add_tasks(struct summary *summary, const struct frame *frame)
{
	struct summary_switches *switches = &summary->switches;
	int rc = task_sums_add(&summary->commands, frame);

	switches->n_frames++;
	switches->n += frame->tasks->n_switches;
	switches->n_lost += frame->tasks->n_lost;
	switches->cost_pct += (double)frame->tasks->cost_share * 100;
	return rc ? rc : task_sums_add(&summary->processes, frame);
}

static int add_frame(struct summary *summary, const struct frame *frame)
{
	bool is_new_set = frame->set != summary->set;
	int rc = summary_note_frame(summary, frame);

	if (!rc && is_new_set)
		rc = map_rows(summary, frame);
	if (!rc)
		rc = add_to_rows(summary, frame);
	if (!rc && frame->tasks)
		rc = add_tasks(summary, frame);
	if (!rc && summary->n_exact > SUMMARY_EXACT_FIGURES)
		rc = coarsen(summary);
	if (rc)
		return rc;
	watch_cores(summary, frame);
	add_own(&summary->own, frame);
	/* a window over several ticks, put together or late, has them all in it */
	if (summary->n_frames && frame->number > summary->last_number + 1 &&
	    begin_of(frame) > summary->last_end_ns + frame->interval_ns / 2)
		summary->n_absent += frame->number - summary->last_number - 1;
	summary->last_number = frame->number;
	summary->last_end_ns = frame->t_ns;
	if (!summary->n_frames++)
		summary->begin_ns = begin_of(frame);
	if (frame->t_ns > summary->begin_ns + summary->duration_ns)
		summary->duration_ns = frame->t_ns - summary->begin_ns;
	return 0;
}

static int add_item(struct summary *summary, const struct session_item *item)
{
	if (item->what == SESSION_FRAME)
		return add_frame(summary, item->frame);
	if (item->what == SESSION_GAP) {
		summary->n_lost += item->n;
		summary->last_number += item->n;
	}
	return item->what == SESSION_END ? 0 : summary_note_item(summary, item);
}

/* ---- the whole ---- */

static void watched(const struct summary *summary, struct summary_row *row)
{
	if (row->device)
		row->cpus = row->device->cpus;
	for (unsigned i = 0; i < summary->machine->n_cores; i++)
		if (cpus_has(&row->cpus, summary->machine->core[i].cpu))
			row->watched_ns += summary->core_watched_ns[i];
}

/* What is still on its way to the figures. */
static int settle(struct summary *summary)
{
	int rc = summary->is_coarse ? coarsen(summary) : 0;

	for (size_t i = 0; !rc && i < summary->n_rows; i++)
		rc = summary_settle_row(summary, &summary->row[i]);
	return rc;
}

static void finish(struct summary *summary)
{
	struct summary_own *own = &summary->own;

	for (size_t i = 0; i < summary->n_rows; i++) {
		struct summary_row *row = &summary->row[i];

		watched(summary, row);
		for (size_t k = 0; k < row->n; k++)
			summary_finish_figure(summary, row, &row->figure[k]);
	}
	if (own->n) {
		own->core_pct /= (double)own->n;
		own->total_pct /= (double)own->n;
		own->wakeups_per_s /= (double)own->n;
	}
	if (summary->switches.n_frames)
		summary->switches.cost_pct /= (double)summary->switches.n_frames;
	task_sums_end(&summary->commands);
	task_sums_end(&summary->processes);
	summary->is_cut = reader_is_cut(summary->reader);
	summary->has_more = reader_has_more(summary->reader);
	summary->leaves_older =
		summary->begin_ns && !summary->with_older && rotated_files_are_there(summary->path);
}

static int begin(struct summary *summary)
{
	unsigned n_cores = summary->machine->n_cores;
	int rc = 0;

	for (unsigned by = BY_TYPE + 1; !rc && by-- > BY_CORE;)
		rc = add_rows(summary, by);
	summary->core_watched_ns = calloc(n_cores, sizeof(*summary->core_watched_ns));
	summary->is_off = calloc(n_cores, sizeof(*summary->is_off));
	if (!summary->core_watched_ns || !summary->is_off)
		return -ENOMEM;
	return rc;
}

/* To the end of the session, or to the line that cannot be read. */
static int read_all(struct summary *summary, summary_frame_fn *watch, void *data)
{
	struct session_item item;
	int rc;

	do {
		item = (struct session_item){ .what = SESSION_END };
		if (reader_next(summary->reader, &item, &summary->last_error))
			return 0;
		rc = add_item(summary, &item);
		if (!rc && item.frame && watch)
			watch(data, item.frame);
		frame_unref(item.frame);
	} while (!rc && item.what != SESSION_END);
	return rc;
}

int summary_make(struct reader *reader, const char *path, unsigned part,
		 const struct metrics_selection *wanted, summary_frame_fn *watch, void *data,
		 struct summary *ret, struct err *err)
{
	struct summary summary = {
		.path = path,
		.part = part == READER_WITH_OLDER ? 0 : part,
		.with_older = part == READER_WITH_OLDER,
		.reader = reader,
		.machine = reader_machine(reader),
		.metrics = reader_metrics(reader),
		.wanted = wanted,
		.commands = { .tasks.by = BY_COMMAND, .machine = reader_machine(reader) },
		.processes = { .tasks.by = BY_PROCESS, .machine = reader_machine(reader) },
	};
	int rc = begin(&summary);

	if (!rc)
		rc = read_all(&summary, watch, data);
	if (!rc)
		rc = settle(&summary);
	if (rc) {
		summary_fini(&summary);
		return err_set(err, -rc, "%s: %s", path, strerror(-rc));
	}
	finish(&summary);
	*ret = summary;
	return 0;
}

void summary_fini(struct summary *summary)
{
	if (!summary)
		return;
	for (size_t i = 0; i < summary->n_rows; i++) {
		for (size_t k = 0; k < summary->row[i].n; k++)
			summary_figure_fini(&summary->row[i].figure[k]);
		free(summary->row[i].figure);
		free(summary->row[i].sum);
	}
	for (size_t i = 0; i < summary->n_moments; i++)
		free(summary->moment[i].text);
	task_sums_fini(&summary->commands);
	task_sums_fini(&summary->processes);
	free(summary->row);
	free(summary->moment);
	free(summary->core_watched_ns);
	free(summary->is_off);
	*summary = (struct summary){ 0 };
}

static bool is_there(const struct summary *summary, unsigned metric)
{
	for (size_t i = 0; i < summary->n_rows; i++)
		for (size_t k = 0; k < summary->row[i].n; k++)
			if (!summary->row[i].figure[k].event &&
			    summary->row[i].figure[k].metric == metric)
				return true;
	return false;
}

const struct metric *summary_missing_metric(const struct summary *summary, size_t i)
{
	for (size_t k = 0; summary->wanted && k < summary->wanted->n; k++) {
		unsigned metric = summary->wanted->number[k];

		if (!is_there(summary, metric) && !i--)
			return &summary->metrics->metric[metric];
	}
	return NULL;
}
