#include "tui/walk.h"

#include <errno.h>
#include <math.h>

/* Of a stretch with more cells than this, some in it stand for all. */
enum { SPARK_CELLS = 8 };

bool walk_is_on(const struct model *model)
{
	return model->at.n_frames;
}

size_t walk_at(const struct model *model)
{
	const struct past *past = model->past;
	size_t n = past_n(past);
	size_t i = past_find(past, model->shown->t_ns);

	/* a frame that ended with a change may be of the same moment as the one before */
	while (i < n &&
	       past_cell(past, i)->number + past_cell(past, i)->n_frames <= model->shown->number)
		i++;
	return i < n || !n ? i : n - 1;
}

int walk_to(struct model *model, size_t i)
{
	const struct frame *frame = past_frame(model->past, i);

	if (!frame)
		return -ENOMEM;
	if (!model->frozen)
		model_freeze(model, true);
	if (!walk_is_on(model))
		model->live_set = model->set;
	frame_unref(model->shown);
	model->shown = frame;
	model->at = *past_cell(model->past, i);
	return frame->set == model->set ? 0 : model_load(model, frame->set, &model->chosen);
}

int walk_by(struct model *model, long n)
{
	size_t last = past_n(model->past) - 1, at, to;

	if (!model->shown || !past_n(model->past))
		return -ENOENT;
	at = walk_at(model);
	if (n < 0)
		to = (size_t)-n < at ? at - (size_t)-n : 0;
	else
		to = (size_t)n < last - at ? at + (size_t)n : last;
	return to == at ? -ENOENT : walk_to(model, to);
}

uint64_t walk_depth_ns(const struct model *model)
{
	if (!model->newest || !past_n(model->past))
		return 0;
	return model->newest->t_ns - past_cell(model->past, 0)->begin_ns;
}

/* ---- figures ---- */

static struct past_value value_in(const struct model *model, size_t i, const struct line *line,
				  int metric, unsigned slot)
{
	const struct past_query query = {
		.by = line->by,
		.index = line->index,
		.metric = metric,
		.event = metric < 0 ? model->set->type[model_type(model, line)].event[slot] : NULL,
	};

	return past_value(model->past, i, &query);
}

struct past_value walk_rate(const struct model *model, const struct line *line, unsigned slot)
{
	return value_in(model, walk_at(model), line, -1, slot);
}

struct past_value walk_metric(const struct model *model, const struct line *line, unsigned number)
{
	return value_in(model, walk_at(model), line, (int)number, 0);
}

/* The mean over cells from `from` to before `to`. */
static float mean_of(const struct model *model, const struct line *line, size_t from, size_t to)
{
	size_t step = (to - from) / SPARK_CELLS + 1;
	const struct event *event = set_event(model->set, model->slot);
	double sum = 0, scale = model->headline < 0 && event ? event->scale : 1;
	unsigned n = 0;

	for (size_t i = from; i < to; i += step) {
		struct past_value value = value_in(model, i, line, model->headline, model->slot);

		if (!quality_has_value(value.quality))
			continue;
		sum += value.mean;
		n++;
	}
	return n ? (float)(sum / n * scale) : NAN;
}

/* One column of a curve: of the cells that end in it, or the one that it lies in. */
static float column_of(const struct model *model, const struct line *line, uint64_t begin_ns,
		       uint64_t end_ns)
{
	size_t from = past_find(model->past, begin_ns + 1);
	size_t to = past_find(model->past, end_ns + 1);
	size_t last = walk_at(model);

	if (to > last + 1)
		to = last + 1;
	if (from < to)
		return mean_of(model, line, from, to);
	if (from <= last && past_cell(model->past, from)->begin_ns < end_ns)
		return mean_of(model, line, from, from + 1);
	return NAN;
}

void walk_history(const struct model *model, const struct line *line, float *ret, unsigned n)
{
	uint64_t cell_ns = model_cell_ns(model), end_ns = model->shown->t_ns + cell_ns / 2;

	for (unsigned i = n; i-- > 0; end_ns -= end_ns > cell_ns ? cell_ns : end_ns)
		ret[i] = end_ns < cell_ns ? NAN : column_of(model, line, end_ns - cell_ns, end_ns);
}
