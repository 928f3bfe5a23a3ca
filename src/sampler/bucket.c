#include "sampler/past_cell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 2 * CORES_MAX + TYPES_MAX };

/* The rows of a cell that is to be made. */
struct layout {
	struct kept_row row[ROWS_MAX];
	unsigned n_rows;
	size_t n_counts, n_ranges; /* columns of the cores; and of the other rows */
};

/* Cores, clusters, types, one after the other. */
static unsigned first_row(const struct machine *machine, enum frame_by by)
{
	return (by > BY_CORE ? machine->n_cores : 0) + (by > BY_CLUSTER ? machine->n_clusters : 0);
}

static bool has_slot(const struct kept_row *row, unsigned slot)
{
	return row->slots >> slot & 1;
}

static size_t place_of(const struct kept_row *row, unsigned slot)
{
	uint64_t before = (UINT64_C(1) << slot) - 1;

	if ((row->slots & before) == before) /* mostly; and counting bits takes longer */
		return row->first + slot;
	return row->first + (size_t)__builtin_popcountll(row->slots & before);
}

/* Behind a row's columns. */
static size_t end_of(const struct kept_row *row)
{
	return row->first + (size_t)__builtin_popcountll(row->slots);
}

/* @ret  has the cores' slots */
static void lay_out(const struct machine *machine, bool is_merged, struct layout *ret)
{
	struct kept_row *clusters = ret->row + first_row(machine, BY_CLUSTER);
	struct kept_row *types = ret->row + first_row(machine, BY_TYPE);

	ret->n_rows = machine->n_cores;
	if (is_merged) {
		ret->n_rows += machine->n_clusters + machine->n_types;
		memset(clusters, 0, (ret->n_rows - machine->n_cores) * sizeof(*clusters));
	}
	for (unsigned i = 0; is_merged && i < machine->n_cores; i++) {
		clusters[machine->core[i].cluster].slots |= ret->row[i].slots;
		types[machine->core[i].type].slots |= ret->row[i].slots;
	}
	for (unsigned i = 0; i < ret->n_rows; i++)
		ret->row[i].first = i ? (uint32_t)end_of(&ret->row[i - 1]) : 0;
	ret->n_counts = end_of(&ret->row[machine->n_cores - 1]);
	ret->n_ranges = end_of(&ret->row[ret->n_rows - 1]);
}

/* @layout  has the cores' slots; the rest is worked out */
static struct cell *cell_new(const struct past_keeper *keeper, const struct set *set,
			     const struct metrics_bound *bound, bool is_merged,
			     struct layout *layout)
{
	lay_out(keeper->machine, is_merged, layout);

	size_t cores = keeper->machine->n_cores * sizeof(struct kept_core);
	size_t rows = layout->n_rows * sizeof(struct kept_row);
	size_t counts = layout->n_counts * sizeof(struct kept_count);
	size_t ranges = is_merged ? layout->n_ranges * sizeof(struct range) : 0;
	size_t metrics =
		layout->n_rows * bound->n * (is_merged ? sizeof(struct range) : sizeof(float));
	size_t bytes =
		sizeof(struct cell) + cores + rows + counts + ranges + metrics + layout->n_counts;
	char *memory = calloc(1, bytes);

	if (!memory)
		return NULL;

	struct cell *cell = (struct cell *)memory;
	char *extras = memory + sizeof(*cell) + cores + rows + counts;

	memory += sizeof(*cell);
	*cell = (struct cell){
		.is.set = set,
		.bound = bound,
		.bytes = bytes,
		.n_slots = set->n_slots,
		.n_metrics = bound->n,
		.core = (struct kept_core *)memory,
		.row = (struct kept_row *)(memory + cores),
		.count = (struct kept_count *)(memory + cores + rows),
		.metric = is_merged ? NULL : (void *)extras,
		.range = is_merged ? (struct range *)extras : NULL,
		.metric_range = is_merged ? (struct range *)(extras + ranges) : NULL,
		.quality = (uint8_t *)(extras + ranges + metrics),
	};
	memcpy(cell->row, layout->row, rows);
	return cell;
}

static float value_of(struct reading reading)
{
	return quality_has_value(reading.quality) ? (float)reading.value : NAN;
}

static void keep_count(struct cell *cell, size_t at, const struct count *count)
{
	cell->count[at] = (struct kept_count){
		.value = count->value,
		.enabled_ns = count->enabled_ns,
		.running_ns = count->running_ns,
	};
	cell->quality[at] = (uint8_t)count->quality;
}

static void keep_core(struct cell *cell, const struct frame *frame, unsigned core)
{
	const struct frame_core *from = &frame->core[core];
	const struct count *count = frame_counts(frame, core);
	const struct kept_row *row = &cell->row[core];

	cell->core[core] = (struct kept_core){
		.t_ns = from->t_ns,
		.window_ns = from->window_ns,
		.state = (uint8_t)from->state,
	};
	for (unsigned i = 0; i < cell->n_slots; i++)
		if (has_slot(row, i))
			keep_count(cell, place_of(row, i), &count[i]);
	for (unsigned i = 0; i < cell->n_metrics; i++)
		cell->metric[(size_t)core * cell->n_metrics + i] =
			value_of(frame_metrics(frame, core)[i]);
}

static uint64_t slots_of_frame(const struct frame *frame, unsigned core)
{
	const struct count *count = frame_counts(frame, core);
	uint64_t slots = 0;

	for (unsigned i = 0; i < frame->n_slots; i++)
		if (count[i].quality != QUALITY_NONE)
			slots |= UINT64_C(1) << i;
	return slots;
}

struct cell *cell_of_frame(const struct past_keeper *keeper, const struct frame *frame)
{
	struct layout layout;
	uint64_t longest_ns = 0;

	for (unsigned core = 0; core < frame->n_cores; core++)
		layout.row[core].slots = slots_of_frame(frame, core);

	struct cell *cell = cell_new(keeper, frame->set, frame->bound, false, &layout);

	if (!cell)
		return NULL;
	for (unsigned core = 0; core < frame->n_cores; core++) {
		keep_core(cell, frame, core);
		if (frame->core[core].window_ns > longest_ns)
			longest_ns = frame->core[core].window_ns;
	}
	cell->is.number = frame->number;
	cell->is.n_frames = 1;
	cell->is.t_ns = frame->t_ns;
	cell->is.begin_ns = frame->t_ns > longest_ns ? frame->t_ns - longest_ns : 0;
	cell->is.interval_ns = frame->interval_ns;
	cell->is.gap = frame->gap;
	cell->is.n_missed = frame->n_missed;
	return cell;
}

void cell_count(const struct cell *cell, unsigned core, unsigned slot, struct count *ret)
{
	const struct kept_row *row = &cell->row[core];

	if (!has_slot(row, slot)) {
		*ret = (struct count){ .quality = QUALITY_NONE, .n_summed = 1 };
		return;
	}

	size_t at = place_of(row, slot);

	*ret = (struct count){
		.value = cell->count[at].value,
		.enabled_ns = cell->count[at].enabled_ns,
		.running_ns = cell->count[at].running_ns,
		.quality = cell->quality[at],
		.n_summed = 1,
	};
}

static bool is_in(const struct core *core, enum frame_by by, unsigned index)
{
	return by == BY_CLUSTER ? core->cluster == index : core->type == index;
}

/* No window at all: the core was off, or late, and then the next frame has the longer window. */
static bool has_window(const struct count *count)
{
	return count->quality != QUALITY_OFF && count->quality != QUALITY_NONE;
}

/* Two windows of one counter as one. A window without a value makes the other's an estimate of
 * both. */
static struct count merge_count(const struct count *a, const struct count *b)
{
	bool has_a = quality_has_value(a->quality), has_b = quality_has_value(b->quality);
	enum quality quality = quality_worst(a->quality, b->quality);

	if (has_a != has_b)
		quality =
			has_window(a) && has_window(b) ? QUALITY_SCALED : (has_a ? a : b)->quality;
	return (struct count){
		.value = (has_a ? a->value : 0) + (has_b ? b->value : 0),
		.enabled_ns = a->enabled_ns + b->enabled_ns,
		.running_ns = (has_a ? a->running_ns : 0) + (has_b ? b->running_ns : 0),
		.quality = quality,
		.n_summed = 1,
	};
}

unsigned cell_row_type(const struct machine *machine, enum frame_by by, unsigned index)
{
	if (by == BY_CORE)
		return machine->core[index].type;
	for (unsigned core = 0; by == BY_CLUSTER && core < machine->n_cores; core++)
		if (machine->core[core].cluster == index)
			return machine->core[core].type;
	return index;
}

/* What a core counted in one slot over neighbours. */
static struct count count_over(const struct cell *const *cell, size_t n, unsigned core,
			       unsigned slot)
{
	struct count all, next;

	cell_count(cell[0], core, slot, &all);
	for (size_t i = 1; i < n; i++) {
		cell_count(cell[i], core, slot, &next);
		all = merge_count(&all, &next);
	}
	return all;
}

/* A core is looked for once, and not once a slot: there may be a thousand. */
void cell_row(const struct past_keeper *keeper, const struct cell *const *cell, size_t n,
	      enum frame_by by, unsigned index, uint64_t slots, struct count ret[COLUMNS_MAX])
{
	const struct machine *machine = keeper->machine;
	unsigned first = by == BY_CORE ? index : 0,
		 end = by == BY_CORE ? index + 1 : machine->n_cores;

	memset(ret, 0, cell[0]->n_slots * sizeof(*ret));
	for (unsigned core = first; core < end; core++) {
		if (by != BY_CORE && !is_in(&machine->core[core], by, index))
			continue;
		for (unsigned slot = 0; slot < cell[0]->n_slots; slot++) {
			struct count one;

			if (!(slots >> slot & 1))
				continue;
			one = count_over(cell, n, core, slot);
			if (by == BY_CORE)
				ret[slot] = one;
			else
				count_add(&ret[slot], &one);
		}
	}
}

/* ---- two become one ---- */

bool cell_count_same(const struct cell *a, const struct cell *b)
{
	return a->is.set == b->is.set && a->bound == b->bound;
}

bool cell_are_alike(const struct cell *a, const struct cell *b)
{
	return cell_count_same(a, b) && a->is.interval_ns == b->is.interval_ns;
}

static void merge_core(const struct cell *a, const struct cell *b, unsigned core, struct cell *ret)
{
	const struct kept_core *from = &a->core[core], *to = &b->core[core];

	ret->core[core] = (struct kept_core){
		.t_ns = to->t_ns ? to->t_ns : from->t_ns,
		.window_ns = from->window_ns + to->window_ns,
		.state = from->state < to->state ? from->state : to->state,
	};
	for (unsigned i = 0; i < ret->n_slots; i++) {
		const struct cell *const both[] = { a, b };
		struct count sum;

		if (!has_slot(&ret->row[core], i))
			continue;
		sum = count_over(both, 2, core, i);
		keep_count(ret, place_of(&ret->row[core], i), &sum);
	}
}

/* Of one frame the range is the value itself: a core's metrics were worked out already. */
static void ranges_of_frame(const struct past_keeper *keeper, const struct cell *cell,
			    enum frame_by by, unsigned index, struct range *ret)
{
	struct count count[COLUMNS_MAX];
	struct reading metric[METRICS_BOUND_MAX];
	unsigned type = cell_row_type(keeper->machine, by, index);

	cell_row(keeper, &cell, 1, by, index, UINT64_MAX, count);
	for (unsigned i = 0; i < cell->n_slots; i++) {
		float rate = value_of(count_rate(&count[i]));

		ret[i] = (struct range){ rate, rate };
	}
	if (by != BY_CORE)
		metrics_eval(keeper->metrics, cell->bound, type, count, metric);
	for (unsigned i = 0; i < cell->n_metrics; i++) {
		float value = by == BY_CORE ? cell->metric[(size_t)index * cell->n_metrics + i]
					    : value_of(metric[i]);

		ret[cell->n_slots + i] = (struct range){ value, value };
	}
}

struct range cell_range(const struct machine *machine, const struct cell *cell, enum frame_by by,
			unsigned index, bool is_metric, unsigned column)
{
	size_t number = first_row(machine, by) + index;
	const struct kept_row *row = &cell->row[number];

	if (is_metric)
		return cell->metric_range[number * cell->n_metrics + column];
	return has_slot(row, column) ? cell->range[place_of(row, column)]
				     : (struct range){ NAN, NAN };
}

static void row_ranges(const struct past_keeper *keeper, const struct cell *cell, enum frame_by by,
		       unsigned index, struct range *ret)
{
	if (!cell->range) {
		ranges_of_frame(keeper, cell, by, index, ret);
		return;
	}
	for (unsigned i = 0; i < cell->n_slots; i++)
		ret[i] = cell_range(keeper->machine, cell, by, index, false, i);
	for (unsigned i = 0; i < cell->n_metrics; i++)
		ret[cell->n_slots + i] = cell_range(keeper->machine, cell, by, index, true, i);
}

/* fminf and fmaxf prefer what is a number */
static struct range wider(struct range a, struct range b)
{
	return (struct range){ fminf(a.min, b.min), fmaxf(a.max, b.max) };
}

static void merge_row(const struct past_keeper *keeper, const struct cell *a, const struct cell *b,
		      enum frame_by by, unsigned index, struct cell *ret)
{
	struct range from[COLUMNS_MAX + METRICS_BOUND_MAX] = { 0 };
	struct range to[COLUMNS_MAX + METRICS_BOUND_MAX] = { 0 };
	size_t number = first_row(keeper->machine, by) + index;
	const struct kept_row *row = &ret->row[number];
	struct range *metric = ret->metric_range + number * ret->n_metrics;

	row_ranges(keeper, a, by, index, from);
	row_ranges(keeper, b, by, index, to);
	for (unsigned i = 0; i < ret->n_slots; i++)
		if (has_slot(row, i))
			ret->range[place_of(row, i)] = wider(from[i], to[i]);
	for (unsigned i = 0; i < ret->n_metrics; i++)
		metric[i] = wider(from[ret->n_slots + i], to[ret->n_slots + i]);
}

struct cell *cell_merge(const struct past_keeper *keeper, const struct cell *a,
			const struct cell *b)
{
	struct layout layout;

	for (unsigned core = 0; core < keeper->machine->n_cores; core++)
		layout.row[core].slots = a->row[core].slots | b->row[core].slots;

	struct cell *cell = cell_new(keeper, a->is.set, a->bound, true, &layout);

	if (!cell)
		return NULL;
	cell->is = a->is;
	cell->is.n_frames += b->is.n_frames;
	cell->is.t_ns = b->is.t_ns;
	cell->is.gap = a->is.gap > b->is.gap ? a->is.gap : b->is.gap;
	cell->is.n_missed += b->is.n_missed;
	for (unsigned core = 0; core < keeper->machine->n_cores; core++)
		merge_core(a, b, core, cell);
	for (unsigned by = BY_CORE; by <= BY_TYPE; by++)
		for (unsigned i = 0; i < frame_n_rows(keeper->machine, a->is.set, by); i++)
			merge_row(keeper, a, b, by, i, cell);
	return cell;
}
