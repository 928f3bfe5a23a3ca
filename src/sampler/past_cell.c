#include "sampler/past_cell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

unsigned cell_first_row(const struct machine *machine, enum frame_by by)
{
	return (by > BY_CORE ? machine->n_cores : 0) + (by > BY_CLUSTER ? machine->n_clusters : 0);
}

static unsigned n_rows(const struct machine *machine)
{
	return cell_first_row(machine, BY_TYPE) + machine->n_types;
}

static struct cell *cell_new(const struct past_keeper *keeper, const struct set *set,
			     const struct metrics_bound *bound, bool is_merged)
{
	size_t n_counts = (size_t)keeper->machine->n_cores * set->n_slots;
	size_t cores = keeper->machine->n_cores * sizeof(struct kept_core);
	size_t counts = n_counts * sizeof(struct kept_count);
	size_t extras = is_merged ? n_rows(keeper->machine) * (set->n_slots + bound->n) *
					    sizeof(struct range)
				  : keeper->machine->n_cores * bound->n * sizeof(float);
	size_t bytes = sizeof(struct cell) + cores + counts + extras + n_counts;
	char *memory = calloc(1, bytes);

	if (!memory)
		return NULL;

	struct cell *cell = (struct cell *)memory;

	memory += sizeof(*cell);
	*cell = (struct cell){
		.is.set = set,
		.bound = bound,
		.bytes = bytes,
		.n_slots = set->n_slots,
		.n_metrics = bound->n,
		.core = (struct kept_core *)memory,
		.count = (struct kept_count *)(memory + cores),
		.metric = is_merged ? NULL : (void *)(memory + cores + counts),
		.range = is_merged ? (struct range *)(memory + cores + counts) : NULL,
		.quality = (uint8_t *)(memory + cores + counts + extras),
	};
	return cell;
}

static float value_of(struct reading reading)
{
	return quality_has_value(reading.quality) ? (float)reading.value : NAN;
}

static void keep_core(struct cell *cell, const struct frame *frame, unsigned core)
{
	const struct frame_core *from = &frame->core[core];
	const struct count *count = frame_counts(frame, core);
	size_t at = (size_t)core * cell->n_slots;

	cell->core[core] = (struct kept_core){
		.t_ns = from->t_ns,
		.window_ns = from->window_ns,
		.state = (uint8_t)from->state,
	};
	for (unsigned i = 0; i < cell->n_slots; i++) {
		cell->count[at + i] = (struct kept_count){
			.value = count[i].value,
			.enabled_ns = count[i].enabled_ns,
			.running_ns = count[i].running_ns,
		};
		cell->quality[at + i] = (uint8_t)count[i].quality;
	}
	for (unsigned i = 0; i < cell->n_metrics; i++)
		cell->metric[(size_t)core * cell->n_metrics + i] =
			value_of(frame_metrics(frame, core)[i]);
}

struct cell *cell_of_frame(const struct past_keeper *keeper, const struct frame *frame)
{
	struct cell *cell = cell_new(keeper, frame->set, frame->bound, false);
	uint64_t longest_ns = 0;

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
	size_t at = (size_t)core * cell->n_slots + slot;

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
		size_t at = (size_t)core * ret->n_slots + i;
		struct count one, other;

		cell_count(a, core, i, &one);
		cell_count(b, core, i, &other);
		one = merge_count(&one, &other);
		ret->count[at] = (struct kept_count){ one.value, one.enabled_ns, one.running_ns };
		ret->quality[at] = (uint8_t)one.quality;
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

static void row_ranges(const struct past_keeper *keeper, const struct cell *cell, enum frame_by by,
		       unsigned index, struct range *ret)
{
	size_t n = cell->n_slots + cell->n_metrics;

	if (cell->range)
		memcpy(ret, cell->range + (cell_first_row(keeper->machine, by) + index) * n,
		       n * sizeof(*ret));
	else
		ranges_of_frame(keeper, cell, by, index, ret);
}

static void merge_row(const struct past_keeper *keeper, const struct cell *a, const struct cell *b,
		      enum frame_by by, unsigned index, struct cell *ret)
{
	size_t n = ret->n_slots + ret->n_metrics;
	struct range from[COLUMNS_MAX + METRICS_BOUND_MAX] = { 0 };
	struct range to[COLUMNS_MAX + METRICS_BOUND_MAX] = { 0 };
	struct range *range = ret->range + (cell_first_row(keeper->machine, by) + index) * n;

	row_ranges(keeper, a, by, index, from);
	row_ranges(keeper, b, by, index, to);
	for (size_t i = 0; i < n; i++) /* fminf and fmaxf prefer what is a number */
		range[i] = (struct range){ fminf(from[i].min, to[i].min),
					   fmaxf(from[i].max, to[i].max) };
}

struct cell *cell_merge(const struct past_keeper *keeper, const struct cell *a,
			const struct cell *b)
{
	struct cell *cell = cell_new(keeper, a->is.set, a->bound, true);

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
