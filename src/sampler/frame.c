#include "sampler/frame.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/ref.h"
#include "pmu/set.h"
#include "sampler/hot.h"

int frame_set_new(const struct set *set, const struct metrics *metrics, unsigned n_types,
		  struct frame_set **ret)
{
	struct frame_set *of = calloc(1, sizeof(*of));

	if (!of)
		return -ENOMEM;
	of->set = *set;
	atomic_init(&of->refs, 1);

	int rc = metrics_bind(metrics, &of->set, n_types, &of->bound);

	if (rc)
		free(of);
	else
		*ret = of;
	return rc;
}

struct frame_set *frame_set_ref(struct frame_set *of)
{
	ref_take(&of->refs);
	return of;
}

void frame_set_unref(struct frame_set *of)
{
	if (!of || !ref_drop(&of->refs))
		return;
	metrics_bound_fini(&of->bound);
	free(of);
}

struct frame *frame_new(unsigned n_cores, struct frame_set *of)
{
	struct frame *frame = frame_new_unset(n_cores, of);

	if (frame) {
		memset(frame->count, 0, (size_t)n_cores * frame->n_slots * sizeof(*frame->count));
		memset(frame->metric, 0,
		       (size_t)n_cores * frame->n_metrics * sizeof(*frame->metric));
	}
	return frame;
}

struct frame *frame_new_unset(unsigned n_cores, struct frame_set *of)
{
	unsigned n_slots = of->set.n_slots, n_metrics = of->bound.n;
	size_t cores = n_cores * sizeof(struct frame_core);
	size_t counts = (size_t)n_cores * n_slots * sizeof(struct count);
	size_t metrics = (size_t)n_cores * n_metrics * sizeof(struct reading);
	char *memory = malloc(sizeof(struct frame) + cores + counts + metrics);

	if (!memory)
		return NULL;

	struct frame *frame = memset(memory, 0, sizeof(*frame) + cores);

	frame->of = frame_set_ref(of);
	frame->set = &of->set;
	frame->bound = &of->bound;
	frame->n_cores = n_cores;
	frame->n_slots = n_slots;
	frame->n_metrics = n_metrics;
	memory += sizeof(*frame);
	frame->core = (struct frame_core *)memory;
	frame->count = (struct count *)(memory + cores);
	frame->metric = (struct reading *)(memory + cores + counts);
	atomic_init(&frame->refs, 1);
	return frame;
}

const struct frame *frame_ref(const struct frame *frame)
{
	ref_take(&frame->refs);
	return frame;
}

void frame_unref(const struct frame *frame)
{
	if (!frame || !ref_drop(&frame->refs))
		return;
	for (unsigned by = 0; by < N_FRAME_BY; by++)
		free(atomic_load_explicit(&frame->lazy.rows[by], memory_order_relaxed));
	frame_tasks_unref(frame->tasks);
	frame_hot_unref(frame->hot);
	sensed_unref(frame->sensed);
	frame_set_unref(frame->of);
	free((struct frame *)frame);
}

struct sensed *sensed_new(unsigned n)
{
	struct sensed *sensed = calloc(1, sizeof(*sensed) + n * sizeof(sensed->value[0]));

	if (sensed)
		atomic_init(&sensed->refs, 1);
	return sensed;
}

const struct sensed *sensed_ref(const struct sensed *sensed)
{
	if (sensed)
		ref_take(&sensed->refs);
	return sensed;
}

void sensed_unref(const struct sensed *sensed)
{
	if (sensed && ref_drop(&sensed->refs))
		free((struct sensed *)sensed);
}

uint64_t frame_window_ns(const struct frame *frame)
{
	uint64_t longest_ns = 0;

	for (unsigned i = 0; i < frame->n_cores; i++)
		if (frame->core[i].window_ns > longest_ns)
			longest_ns = frame->core[i].window_ns;
	return longest_ns;
}

uint32_t frame_late_types(const struct frame *frame, const struct machine *machine,
			  const struct cpus *on)
{
	uint32_t types = 0;

	for (unsigned i = 0; i < frame->n_cores; i++)
		if ((frame->core[i].state == CORE_LATE || frame->core[i].lacks_last) &&
		    (!on || cpus_has(on, machine->core[i].cpu)))
			types |= UINT32_C(1) << machine->core[i].type;
	return types;
}

const struct count *frame_counts(const struct frame *frame, unsigned core)
{
	assert(core < frame->n_cores);
	return frame->count + (size_t)core * frame->n_slots;
}

const struct reading *frame_metrics(const struct frame *frame, unsigned core)
{
	assert(core < frame->n_cores);
	return frame->metric + (size_t)core * frame->n_metrics;
}

/* ---- rows that sum several cores, computed on first use ---- */

const char *frame_by_name(enum frame_by by)
{
	return by <= BY_TYPE ? machine_level[by].name : by == BY_SYSTEM ? "system" : "device";
}

enum frame_by frame_by_find(const char *name)
{
	enum frame_by by = BY_CORE;

	while (by < N_FRAME_BY && strcmp(name, frame_by_name(by)) != 0)
		by++;
	return by;
}

int frame_by_check(const struct machine *machine, enum frame_by by, struct err *err)
{
	if (by > BY_TYPE || machine_level_rows(machine, by))
		return 0;
	return err_set(err, ENOTSUP, "rows by %s: %s does not say which %s each core has",
		       frame_by_name(by), machine->recorded ? "the session" : "the kernel",
		       by == BY_LLC ? "last-level cache" : frame_by_name(by));
}

/* One grouping of a frame; its arrays follow it in the same allocation. */
struct frame_rows {
	unsigned n;
	struct count *count;    /* [row × n_slots + slot] */
	struct reading *metric; /* [row × n_metrics + column of the frame's bound] */
	struct frame_row row[];
};

enum frame_by frame_by_same(const struct machine *machine, enum frame_by by)
{
	if (by == BY_PHYSICAL && !machine_has_smt(machine))
		return BY_CORE;
	if (by <= BY_TYPE && machine->same_level[by])
		return machine->same_level[by];
	return by == BY_SYSTEM ? BY_TYPE : by;
}

unsigned frame_row_of_core(const struct machine *machine, enum frame_by by, unsigned core)
{
	return machine_level_row(machine, by <= BY_TYPE ? by : LEVEL_TYPE, core);
}

unsigned frame_first_core(const struct machine *machine, enum frame_by by, unsigned row)
{
	frame_row_each(machine, by, row, core)
		return (unsigned)core;
	return 0;
}

unsigned frame_n_rows(const struct machine *machine, const struct set *set, enum frame_by by)
{
	struct set_devices devices;

	if (by != BY_DEVICE)
		return machine_level_rows(machine, by <= BY_TYPE ? by : LEVEL_TYPE);
	if (!set)
		return 0;
	set_devices(set, &devices);
	return devices.n;
}

unsigned frame_n_own_rows(const struct machine *machine, enum frame_by by)
{
	return frame_by_same(machine, by) == by ? frame_n_rows(machine, NULL, by) : 0;
}

static struct frame_rows *rows_new(const struct frame *frame, unsigned n)
{
	size_t rows = n * sizeof(struct frame_row);
	size_t counts = (size_t)n * frame->n_slots * sizeof(struct count);
	size_t metrics = (size_t)n * frame->n_metrics * sizeof(struct reading);
	struct frame_rows *ret = calloc(1, sizeof(*ret) + rows + counts + metrics);

	if (!ret)
		return NULL;
	ret->n = n;
	ret->count = (struct count *)((char *)ret->row + rows);
	ret->metric = (struct reading *)((char *)ret->row + rows + counts);
	return ret;
}

bool frame_core_has_slot(const struct machine *machine, const struct set *set, unsigned core,
			 unsigned slot)
{
	const struct event *event = set->type[machine->core[core].type].event[slot];

	return event && !*event->refused &&
	       (!event_is_of_device(event) || cpus_has(&event->pmu->cpus, machine->core[core].cpu));
}

/* Add a core to a row. @columns  columns of the row; NULL: all */
static void rows_add_core(const struct frame *frame, const struct machine *machine, unsigned core,
			  const struct column_set *columns, struct frame_row *row)
{
	const struct frame_core *fc = &frame->core[core];
	const struct count *count = frame_counts(frame, core);

	row->type = machine->core[core].type;
	row->n_cores++;
	row->n_on += fc->state == CORE_ON;
	if (fc->state < row->state)
		row->state = fc->state;
	if (fc->t_ns > row->t_ns)
		row->t_ns = fc->t_ns;
	if (fc->window_ns > row->window_ns)
		row->window_ns = fc->window_ns;
	for (unsigned i = 0; i < frame->n_slots; i++) {
		struct count *sum = (struct count *)&row->count[i];

		if (columns && !column_set_has(columns, i))
			continue;
		count_add_core(sum, &count[i]);
		if (fc->state == CORE_LATE && frame_core_has_slot(machine, frame->set, core, i))
			count_add_late(sum);
		else if (fc->lacks_last && quality_has_value(count[i].quality))
			sum->quality = quality_worst(sum->quality, QUALITY_PARTIAL);
	}
}

static bool is_on_some_core(const struct machine *machine, const struct pmu *pmu)
{
	for (unsigned i = 0; i < machine->n_cores; i++)
		if (cpus_has(&pmu->cpus, machine->core[i].cpu))
			return true;
	return false;
}

/* Sum a device over the CPUs of its cpumask: one, or one per package. If no core is in it (a
 * replayed session has no cpumask, and -C may exclude its CPUs), use all cores. */
static void add_device(const struct frame *frame, const struct machine *machine,
		       const struct column_set *columns, struct frame_row *row)
{
	bool is_known = is_on_some_core(machine, row->device);

	for (unsigned core = frame->n_cores; core-- > 0;)
		if (!is_known || cpus_has(&row->device->cpus, machine->core[core].cpu))
			rows_add_core(frame, machine, core, columns, row);
}

static void rows_add_cores(const struct frame *frame, const struct machine *machine,
			   enum frame_by by, struct frame_rows *rows)
{
	struct set_devices devices;

	for (unsigned i = 0; by != BY_DEVICE && i < frame->n_cores; i++)
		rows_add_core(frame, machine, i, NULL,
			      &rows->row[frame_row_of_core(machine, by, i)]);
	if (by != BY_DEVICE)
		return;
	set_devices(frame->set, &devices);
	for (unsigned i = 0; i < rows->n; i++) {
		rows->row[i].device = devices.pmu[i];
		add_device(frame, machine, &devices.columns[i], &rows->row[i]);
	}
}

/* Copy the metrics of a core that was late in the last of merged frames: those before it are an estimate of all. */
static void copy_metrics(const struct frame *frame, unsigned core, struct reading *ret)
{
	memcpy(ret, frame_metrics(frame, core), frame->n_metrics * sizeof(*ret));
	for (unsigned i = 0; frame->core[core].lacks_last && i < frame->n_metrics; i++)
		if (ret[i].quality == QUALITY_OK)
			ret[i].quality = QUALITY_SCALED;
}

static void eval(const struct frame *frame, const struct metrics *metrics, enum frame_by by,
		 struct frame_rows *rows)
{
	for (unsigned i = 0; i < rows->n; i++)
		if (by == BY_CORE)
			copy_metrics(frame, i, rows->metric + (size_t)i * frame->n_metrics);
		else
			metrics_eval(metrics, frame->bound, rows->row[i].type, rows->row[i].count,
				     rows->metric + (size_t)i * frame->n_metrics);
}

/* Compute the rows of a grouping. @return NULL without memory */
static struct frame_rows *sampler_rows_make(const struct frame *frame,
					    const struct machine *machine,
					    const struct metrics *metrics, enum frame_by by)
{
	struct frame_rows *rows = rows_new(frame, frame_n_rows(machine, frame->set, by));

	for (unsigned i = 0; rows && i < rows->n; i++)
		rows->row[i] = (struct frame_row){
			.index = i,
			.state = CORE_OFF,
			.count = rows->count + (size_t)i * frame->n_slots,
			.bound = frame->bound,
			.metric = rows->metric + (size_t)i * frame->n_metrics,
		};
	if (!rows)
		return NULL;
	rows_add_cores(frame, machine, by, rows);
	eval(frame, metrics, by, rows);
	return rows;
}

/* Get the rows of a grouping; any thread may compute them first, and a concurrent result wins.
 * @by  result of frame_by_same */
static const struct frame_rows *rows_of(const struct frame *frame, const struct machine *machine,
					const struct metrics *metrics, enum frame_by by)
{
	_Atomic(struct frame_rows *) *place = &((struct frame_lazy *)&frame->lazy)->rows[by];
	/* acquire: the rows are complete */
	struct frame_rows *there = atomic_load_explicit(place, memory_order_acquire), *made;

	if (there)
		return there;
	made = sampler_rows_make(frame, machine, metrics, by);
	/* release: see above */
	if (!made || atomic_compare_exchange_strong_explicit(
			     place, &there, made, memory_order_acq_rel, memory_order_acquire))
		return made;
	free(made);
	return there;
}

static void row_of_core(const struct frame *frame, const struct machine *machine, unsigned core,
			struct frame_row *ret)
{
	const struct frame_core *fc = &frame->core[core];

	*ret = (struct frame_row){
		.index = core,
		.type = machine->core[core].type,
		.n_cores = 1,
		.n_on = fc->state == CORE_ON,
		.state = fc->state,
		.t_ns = fc->t_ns,
		.window_ns = fc->window_ns,
		.count = frame_counts(frame, core),
		.bound = frame->bound,
		.metric = frame_metrics(frame, core),
	};
}

void frame_row(const struct frame *frame, const struct machine *machine,
	       const struct metrics *metrics, enum frame_by by, unsigned i, struct frame_row *ret)
{
	static const struct count no_count[COLUMNS_MAX];
	static const struct reading no_metric[METRICS_BOUND_MAX];
	enum frame_by same = frame_by_same(machine, by);
	const struct frame_rows *rows;

	if (same == BY_CORE && (frame->core[i].state != CORE_ON || !frame->core[i].lacks_last)) {
		row_of_core(frame, machine, i, ret);
		ret->by = by;
		return;
	}
	rows = rows_of(frame, machine, metrics, same);
	*ret = rows ? rows->row[i]
		    : (struct frame_row){
			      .index = i,
			      .state = CORE_LATE,
			      .count = no_count,
			      .bound = frame->bound,
			      .metric = no_metric,
		      };
	ret->by = by;
}

struct reading frame_row_metric(const struct frame_row *row, int number)
{
	int column = metrics_column(row->bound, number);

	if (column < 0)
		return (struct reading){ .quality = QUALITY_NONE };
	return row->metric[column];
}

struct reading frame_row_per_ki(const struct frame_row *row, const struct set *set, unsigned slot)
{
	const struct placement *placement = &set->type[row->type];
	struct reading total = count_total(&row->count[slot]);
	struct reading instructions = { .quality = QUALITY_UNDEFINED };
	enum privilege privilege = placement->event[slot]->privilege;
	unsigned mux = set_mux_of(set, slot);

	for (unsigned i = 0; i < set->n_slots; i++) {
		const struct event *event = placement->event[i];

		/* as for metrics: both counted at the same time and the same privilege levels */
		if (event && set_mux_of(set, i) == mux && event->privilege == privilege &&
		    event->is_instructions)
			instructions = count_total(&row->count[i]);
	}
	total.quality = quality_worst(total.quality, instructions.quality);
	if (quality_has_value(total.quality) && !(instructions.value > 0))
		total.quality = QUALITY_UNDEFINED;
	total.value = total.value * 1000 / (instructions.value > 0 ? instructions.value : 1);
	return total;
}

struct count frame_row_event(const struct frame_row *row, const struct set *set, unsigned slot)
{
	const struct event *const *event = set->type[row->type].event;
	struct count sum = { .quality = QUALITY_NONE };
	unsigned mux = MUX_MAX;

	for (unsigned i = 0; event[slot] && i < set->n_slots; i++) {
		if (!event[i] || !event_is_same(event[i], event[slot]))
			continue;
		if (i < slot)
			break;
		/* another counter of the group has counted in the same time */
		if (mux == set_mux_of(set, i))
			continue;
		if (quality_has_value(row->count[i].quality))
			mux = set_mux_of(set, i);
		count_add_mux(&sum, &row->count[i]);
	}
	return sum;
}

bool frame_row_number(const struct machine *machine, enum frame_by by, unsigned row, unsigned *ret)
{
	if (by > BY_TYPE || !machine_level[by].brief)
		return false;
	*ret = machine_level_number(machine, by, frame_first_core(machine, by, row));
	return true;
}

const char *frame_row_name(const struct machine *machine, const struct frame_row *row, char *buf,
			   size_t size)
{
	char cpus[64];
	unsigned number;

	if (row->by == BY_CORE)
		snprintf(buf, size, "cpu%u", machine->core[row->index].cpu);
	else if (row->by == BY_PHYSICAL)
		snprintf(buf, size, "cpu%s",
			 machine_threads(machine, row->index, cpus, sizeof(cpus)));
	else if (frame_row_number(machine, row->by, row->index, &number))
		snprintf(buf, size, "%s %u", machine_level[row->by].name, number);
	else if (row->by == BY_DEVICE)
		snprintf(buf, size, "%s", row->device->name);
	else if (row->by == BY_SYSTEM && machine->n_types == 1)
		snprintf(buf, size, "all");
	else
		snprintf(buf, size, "%s", machine->type[row->index].name);
	return buf;
}

int frame_set_rows(struct frame *frame, const struct machine *machine,
		   const struct metrics *metrics, enum frame_by by, const struct count *count,
		   const struct count_windows *windows)
{
	struct frame_rows *rows = (struct frame_rows *)rows_of(frame, machine, metrics, by);

	if (!rows)
		return -ENOMEM;
	memcpy(rows->count, count, (size_t)rows->n * frame->n_slots * sizeof(*count));
	for (unsigned i = 0; i < rows->n; i++)
		metrics_eval_windows(metrics, frame->bound, rows->row[i].type, rows->row[i].count,
				     &windows[i], rows->metric + (size_t)i * frame->n_metrics);
	return 0;
}
