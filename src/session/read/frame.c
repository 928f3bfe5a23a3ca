/* frame.c: the rows of a tick are put together to a frame */
#include <errno.h>

#include "session/read/internal.h"

int reader_begin_frame(struct reader *reader, struct err *err)
{
	if (reader->frame)
		return 0;
	if (!reader->set)
		return reader_fail(reader, err, 1,
				   "no \"# set …\" note above says what is counted");

	int rc = reader_bind_set(reader, err);

	if (rc)
		return rc;

	struct frame *frame = frame_new(reader->machine.n_cores, &reader->set->of);

	if (!frame)
		return err_set(err, ENOMEM, "out of memory");
	frame->interval_ns = reader->interval_ns;
	frame->gap = reader->gap;
	frame->n_missed = reader->n_missed;
	reader->gap = GAP_NONE;
	reader->n_missed = 0;
	for (unsigned core = 0; core < frame->n_cores; core++)
		frame->core[core].state = reader->core[core].is_off ? CORE_OFF : CORE_LATE;
	reader->frame = frame;
	reader->n_rows = reader->n_stamp = 0;
	reader_forget_tasks(reader);
	return 0;
}

/* Files of before wrote no time beside what got lost. */
static void tell_lost(const struct frame *frame, unsigned core)
{
	struct count *count = frame->count + (size_t)core * frame->n_slots;

	for (unsigned i = 0; i < frame->n_slots; i++)
		if (count[i].quality == QUALITY_LOST && !count[i].enabled_ns)
			count[i].enabled_ns = frame->core[core].window_ns;
}

static void finish_core(struct reader *reader, struct frame *frame, unsigned core)
{
	struct frame_core *is = &frame->core[core];
	struct count *count = frame->count + (size_t)core * frame->n_slots;

	if (is->state == CORE_ON) {
		if (!is->window_ns && is->t_ns > reader->core[core].last_t_ns)
			is->window_ns = is->t_ns - reader->core[core].last_t_ns;
		reader->core[core].last_t_ns = is->t_ns;
		tell_lost(frame, core);
		metrics_eval(&reader->metrics, frame->bound, reader->machine.core[core].type, count,
			     frame->metric + (size_t)core * frame->n_metrics);
	}
	for (unsigned i = 0; is->state == CORE_OFF && i < frame->n_slots; i++)
		count[i].quality = QUALITY_OFF;
	if (is->t_ns > frame->t_ns)
		frame->t_ns = is->t_ns;
}

static bool is_counted_here(const struct event *event)
{
	return event && !*event->refused && !event_is_of_device(event);
}

/* Does a core lack some of its counts? Of what devices count most cores have none. */
static bool lacks_counts(const struct reader *reader, unsigned core)
{
	const struct frame *frame = reader->frame;
	const struct placement *placement = &frame->set->type[reader->machine.core[core].type];

	for (unsigned i = 0; i < frame->n_slots; i++)
		if (is_counted_here(placement->event[i]) &&
		    !frame->count[(size_t)core * frame->n_slots + i].quality)
			return true;
	return false;
}

/* Is a core of the frame there with some of its counts, and not with all of them? */
static bool is_partial(const struct reader *reader)
{
	for (unsigned core = 0; core < reader->frame->n_cores; core++)
		if (reader->frame->core[core].state == CORE_ON && lacks_counts(reader, core))
			return true;
	return reader_lacks_tasks(reader);
}

int reader_finish_frame(struct reader *reader, struct err *err)
{
	struct frame *frame = reader->frame;
	int rc = reader_finish_tasks(reader, err);

	if (rc)
		return rc;
	reader->is_partial = is_partial(reader);
	frame->number = reader->tick ? reader->tick : reader->last_tick + 1;
	for (unsigned core = 0; core < frame->n_cores; core++)
		finish_core(reader, frame, core);
	if (reader->has_note_t) /* exactly; reads are a little later */
		frame->t_ns = reader->note_t_ns;
	/* but one that was very late was read behind the next tick, and time never goes back */
	if (frame->t_ns < reader->last_end_ns)
		frame->t_ns = reader->last_end_ns;
	reader->last_end_ns = frame->t_ns;
	reader->has_note_t = false;
	reader->last_tick = frame->number;
	reader->tick = 0;
	reader->frame = NULL;
	reader->item = (struct session_item){
		.what = SESSION_FRAME, .frame = frame, .t_ns = frame->t_ns, .text = ""
	};
	return 0;
}

int reader_end_frames(struct reader *reader, struct err *err)
{
	int rc = -EINVAL;

	if (!reader->frame)
		return 0;
	if (reader->is_partial || !is_partial(reader))
		rc = reader_finish_frame(reader, err);
	if (rc != -EINVAL)
		return rc;
	frame_unref(reader->frame);
	reader->frame = NULL;
	reader->is_cut = true;
	return 0;
}
