#include "tui/model/scrub.h"

#include <errno.h>

bool scrub_is_on(const struct model *model)
{
	return model->at.n_frames;
}

size_t scrub_at(const struct model *model)
{
	const struct history *history = model->history;
	size_t n = history_n(history);
	size_t i = history_find(history, model->shown->t_ns);

	/* a frame that ended with a change may be of the same moment as the one before */
	while (i < n && history_bucket(history, i)->number + history_bucket(history, i)->n_frames <=
				model->shown->number)
		i++;
	return i < n || !n ? i : n - 1;
}

int scrub_to(struct model *model, size_t i)
{
	const struct frame *frame = history_frame(model->history, i);

	if (!frame)
		return -ENOMEM;
	if (!model->frozen)
		model_freeze(model, true);
	frame_unref(model->shown);
	model->shown = frame;
	model->at = *history_bucket(model->history, i);
	return model_show_set(model, frame->set);
}

int scrub_by(struct model *model, long n)
{
	size_t last = history_n(model->history) - 1, at, to;

	if (!model->shown || !history_n(model->history))
		return -ENOENT;
	at = scrub_at(model);
	if (n < 0)
		to = (size_t)-n < at ? at - (size_t)-n : 0;
	else
		to = (size_t)n < last - at ? at + (size_t)n : last;
	return to == at ? -ENOENT : scrub_to(model, to);
}

uint64_t scrub_depth_ns(const struct model *model)
{
	if (!model->newest || !history_n(model->history))
		return 0;
	return model->newest->t_ns - history_bucket(model->history, 0)->begin_ns;
}
