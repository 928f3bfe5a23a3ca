#include "sampler/past.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sampler/past_cell.h"

struct past {
	struct past_keeper keeper;
	size_t budget;
	size_t max_cells;       /* 0: the newest are exact; else all are alike: */
	uint64_t frames_a_cell; /* at most so many */
	bool is_held;
	struct cell **cell; /* oldest first: those of the highest level */
	size_t n, cap;
	size_t n_of[PAST_LEVELS], bytes_of[PAST_LEVELS];
};

int past_new(const struct machine *machine, const struct metrics *metrics, size_t budget_bytes,
	     struct past **ret)
{
	struct past *past = calloc(1, sizeof(*past));

	if (!past)
		return -ENOMEM;
	past->keeper = (struct past_keeper){ machine, metrics };
	past->budget = budget_bytes;
	*ret = past;
	return 0;
}

int past_new_even(const struct machine *machine, const struct metrics *metrics, size_t max_cells,
		  size_t budget_bytes, struct past **ret)
{
	int rc = past_new(machine, metrics, budget_bytes, ret);

	if (!rc) {
		(*ret)->max_cells = max_cells;
		(*ret)->frames_a_cell = 1;
	}
	return rc;
}

void past_free(struct past *past)
{
	if (!past)
		return;
	for (size_t i = 0; i < past->n; i++)
		free(past->cell[i]);
	free(past->cell);
	free(past);
}

/* ---- levels ---- */

static size_t quota(const struct past *past, unsigned level)
{
	return level ? past->budget / 2 / (PAST_LEVELS - 1) : past->budget / 2;
}

/* Where the oldest cell of a level stands: behind all of the higher ones. */
static size_t oldest_of(const struct past *past, unsigned level)
{
	size_t at = 0;

	for (unsigned i = level + 1; i < PAST_LEVELS; i++)
		at += past->n_of[i];
	return at;
}

static size_t n_bytes(const struct past *past)
{
	size_t bytes = 0;

	for (unsigned level = 0; level < PAST_LEVELS; level++)
		bytes += past->bytes_of[level];
	return bytes;
}

static void remove_cell(struct past *past, size_t at, unsigned level)
{
	past->n_of[level]--;
	past->bytes_of[level] -= past->cell[at]->bytes;
	free(past->cell[at]);
	past->n--;
	memmove(past->cell + at, past->cell + at + 1, (past->n - at) * sizeof(struct cell *));
}

/* The oldest cell of a level goes up as it is: its neighbour counts something else. */
static void raise_one(struct past *past, size_t at, unsigned level)
{
	size_t bytes = past->cell[at]->bytes;

	past->n_of[level]--;
	past->bytes_of[level] -= bytes;
	past->n_of[level + 1]++;
	past->bytes_of[level + 1] += bytes;
}

static void raise_two(struct past *past, size_t at, unsigned level)
{
	struct cell *both = cell_merge(&past->keeper, past->cell[at], past->cell[at + 1]);

	if (!both) { /* no memory: the better reason to let the oldest go */
		remove_cell(past, at, level);
		return;
	}
	remove_cell(past, at + 1, level);
	past->bytes_of[level] += both->bytes - past->cell[at]->bytes;
	free(past->cell[at]);
	past->cell[at] = both;
	raise_one(past, at, level);
}

static void shrink(struct past *past, unsigned level)
{
	size_t at = oldest_of(past, level);

	if (level + 1 == PAST_LEVELS)
		remove_cell(past, at, level);
	else if (past->n_of[level] > 2 && cell_are_alike(past->cell[at], past->cell[at + 1]))
		raise_two(past, at, level);
	else /* or there are two exact ones: the newer stays */
		raise_one(past, at, level);
}

/* ---- evenly ---- */

/* Put the cell at the end, together with the last one when both are not more than they may be. */
static void append_even(struct past *past, size_t *n, struct cell *cell)
{
	struct cell *last = *n ? past->cell[*n - 1] : NULL;
	struct cell *both = NULL;

	if (last && cell_are_alike(last, cell) &&
	    last->is.n_frames + cell->is.n_frames <= past->frames_a_cell)
		both = cell_merge(&past->keeper, last, cell);
	past->bytes_of[0] += cell->bytes;
	if (!both) {
		past->cell[(*n)++] = cell;
		return;
	}
	past->bytes_of[0] += both->bytes - last->bytes - cell->bytes;
	free(last);
	free(cell);
	past->cell[*n - 1] = both;
}

/* No two neighbours are alike: two of four go, so that of two that alternate some stay. */
static void leave_out(struct past *past)
{
	size_t n = 0;

	for (size_t i = 0; i < past->n; i++) {
		if (i % 4 < 2 || i + 1 == past->n) {
			past->cell[n++] = past->cell[i];
			continue;
		}
		past->bytes_of[0] -= past->cell[i]->bytes;
		free(past->cell[i]);
	}
	past->n = n;
}

void past_thin(struct past *past)
{
	size_t n = 0;

	past->frames_a_cell *= 2;
	past->bytes_of[0] = 0;
	for (size_t i = 0; i < past->n; i++)
		append_even(past, &n, past->cell[i]);
	if (n == past->n)
		leave_out(past);
	else
		past->n = n;
}

static void add_even(struct past *past, struct cell *cell)
{
	append_even(past, &past->n, cell);
	while (past->n > 8 && (past->n > past->max_cells || past->bytes_of[0] > past->budget))
		past_thin(past);
}

/* However large its cells are, two stay, to be put together; of exact ones the newest. */
static bool is_full(const struct past *past, unsigned level)
{
	return past->n_of[level] > (level ? 2 : 1) && past->bytes_of[level] > quota(past, level);
}

/* Cells larger than their level, so that all together they are too much: the oldest that can be put
 * together are, else the oldest goes. */
static void give_way(struct past *past)
{
	unsigned oldest = 0;

	for (unsigned level = PAST_LEVELS - 1; level-- > 1;) {
		size_t at = oldest_of(past, level);

		if (past->n_of[level] > 1 && cell_are_alike(past->cell[at], past->cell[at + 1])) {
			raise_two(past, at, level);
			return;
		}
	}
	for (unsigned level = 1; level < PAST_LEVELS; level++)
		if (past->n_of[level])
			oldest = level;
	remove_cell(past, 0, oldest);
}

static void keep_budget(struct past *past)
{
	for (unsigned level = 0; level < PAST_LEVELS; level++)
		while (is_full(past, level))
			shrink(past, level);
	while (past->n > 1 && n_bytes(past) > past->budget)
		give_way(past);
}

void past_add(struct past *past, const struct frame *frame)
{
	struct cell *cell = cell_of_frame(&past->keeper, frame);

	if (!cell || array_reserve((void **)&past->cell, &past->cap, past->n, sizeof(void *))) {
		free(cell);
		return;
	}
	if (past->max_cells) {
		add_even(past, cell);
		return;
	}
	past->cell[past->n++] = cell;
	past->n_of[0]++;
	past->bytes_of[0] += cell->bytes;
	if (!past->is_held)
		keep_budget(past);
}

void past_hold(struct past *past, bool is_held)
{
	past->is_held = is_held;
	if (!is_held)
		keep_budget(past);
}

/* ---- looking back ---- */

size_t past_n(const struct past *past)
{
	return past->n;
}

const struct past_cell *past_cell(const struct past *past, size_t i)
{
	return &past->cell[i]->is;
}

size_t past_find(const struct past *past, uint64_t t_ns)
{
	size_t low = 0, high = past->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (past->cell[middle]->is.t_ns < t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int slot_of(const struct cell *cell, unsigned type, const struct event *event)
{
	for (unsigned i = 0; i < cell->n_slots; i++) {
		if (event && cell->is.set->type[type].event[i] == event)
			return (int)i;
	}
	return -1;
}

/* What the query asks of neighbours that count the same. */
struct part {
	const struct past *past;
	const struct cell *const *cell;
	size_t n;
	enum frame_by by;
	unsigned index, type;
	bool is_metric;
	unsigned column; /* of the set, or of the bound metrics */
};

static struct reading mean_of(const struct part *part)
{
	const struct past_keeper *keeper = &part->past->keeper;
	const struct metrics_bound *bound = part->cell[0]->bound;
	struct count count[COLUMNS_MAX];

	if (!part->is_metric) {
		cell_row(keeper, part->cell, part->n, part->by, part->index,
			 UINT64_C(1) << part->column, count);
		return count_rate(&count[part->column]);
	}

	const struct metric *metric = &keeper->metrics->metric[bound->number[part->column]];
	const struct metric_binding *binding = bound->binding[part->type][part->column];

	if (!binding)
		return (struct reading){ .quality = QUALITY_NONE };
	cell_row(keeper, part->cell, part->n, part->by, part->index, binding->slots, count);

	struct reading reading = metric_eval(metric->program[part->type], binding, count);

	reading.value *= metric->scale;
	return reading;
}

/* Of one frame the range is its value. */
static struct range range_of(const struct part *part, const struct cell *cell)
{
	struct part one = *part;

	if (cell->range)
		return cell_range(part->past->keeper.machine, cell, part->by, part->index,
				  part->is_metric, part->column);
	one.cell = &cell;
	one.n = 1;

	struct reading reading = mean_of(&one);
	float value = quality_has_value(reading.quality) ? (float)reading.value : NAN;

	return (struct range){ value, value };
}

static struct past_value value_of(const struct part *part)
{
	struct reading mean = mean_of(part);
	struct past_value ret = { mean.value, mean.value, mean.value, mean.quality };
	struct range range = { NAN, NAN };

	if (!quality_has_value(mean.quality) || (part->n == 1 && !part->cell[0]->range))
		return ret;
	for (size_t i = 0; i < part->n; i++) {
		struct range one = range_of(part, part->cell[i]);

		range = (struct range){ fminf(range.min, one.min), fmaxf(range.max, one.max) };
	}
	ret.min = isnan(range.min) ? mean.value : (double)range.min;
	ret.max = isnan(range.max) ? mean.value : (double)range.max;
	return ret;
}

struct past_value past_value_over(const struct past *past, size_t i, size_t n,
				  const struct past_query *query)
{
	size_t last = i + n - 1;
	const struct cell *cell = past->cell[last];
	struct part part = {
		.past = past,
		.by = query->by < BY_TYPE ? query->by : BY_TYPE,
		.index = query->index,
		.is_metric = query->metric >= 0,
	};

	part.type = cell_row_type(past->keeper.machine, part.by, query->index);

	int column = part.is_metric ? metrics_column(cell->bound, query->metric)
				    : slot_of(cell, part.type, query->event);

	if (column < 0)
		return (struct past_value){ .quality = QUALITY_NONE };
	while (last > i && cell_count_same(past->cell[last - 1], cell))
		last--;
	part.cell = (const struct cell *const *)past->cell + last;
	part.n = i + n - last;
	part.column = (unsigned)column;
	return value_of(&part);
}

struct past_value past_value(const struct past *past, size_t i, const struct past_query *query)
{
	return past_value_over(past, i, 1, query);
}

static void restore_core(const struct past *past, const struct cell *cell, unsigned core,
			 struct frame *frame)
{
	const struct kept_core *from = &cell->core[core];
	struct count *count = frame->count + (size_t)core * frame->n_slots;

	frame->core[core] = (struct frame_core){
		.state = from->state,
		.t_ns = from->t_ns,
		.window_ns = from->window_ns,
	};
	for (unsigned i = 0; i < cell->n_slots; i++)
		cell_count(cell, core, i, &count[i]);
	if (from->state == CORE_ON)
		metrics_eval(past->keeper.metrics, cell->bound,
			     past->keeper.machine->core[core].type, count,
			     frame->metric + (size_t)core * frame->n_metrics);
}

const struct frame *past_frame(const struct past *past, size_t i)
{
	const struct cell *cell = past->cell[i];
	struct frame *frame =
		frame_new(past->keeper.machine->n_cores, cell->n_slots, cell->n_metrics);

	if (!frame)
		return NULL;
	frame->number = cell->is.number;
	frame->t_ns = cell->is.t_ns;
	frame->interval_ns = cell->is.interval_ns;
	frame->gap = cell->is.gap;
	frame->n_missed = cell->is.n_missed;
	frame->set = cell->is.set;
	frame->bound = cell->bound;
	for (unsigned core = 0; core < frame->n_cores; core++)
		restore_core(past, cell, core, frame);
	return frame;
}

size_t past_bytes(const struct past *past)
{
	return past->cap * sizeof(struct cell *) + n_bytes(past);
}
