#include "sampler/frame.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

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
	atomic_fetch_add_explicit(&of->refs, 1, memory_order_relaxed);
	return of;
}

void frame_set_unref(struct frame_set *of)
{
	/* acq_rel: whoever frees has seen every other holder's last use */
	if (!of || atomic_fetch_sub_explicit(&of->refs, 1, memory_order_acq_rel) > 1)
		return;
	metrics_bound_fini(&of->bound);
	free(of);
}

struct frame *frame_new(unsigned n_cores, struct frame_set *of)
{
	unsigned n_slots = of->set.n_slots, n_metrics = of->bound.n;
	size_t cores = n_cores * sizeof(struct frame_core);
	size_t counts = (size_t)n_cores * n_slots * sizeof(struct count);
	size_t metrics = (size_t)n_cores * n_metrics * sizeof(struct reading);
	char *memory = calloc(1, sizeof(struct frame) + cores + counts + metrics);

	if (!memory)
		return NULL;

	struct frame *frame = (struct frame *)memory;

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
	/* the count, and what is lazy, are all in a published frame that still changes */
	atomic_fetch_add_explicit((atomic_uint *)&frame->refs, 1, memory_order_relaxed);
	return frame;
}

void frame_unref(const struct frame *frame)
{
	if (!frame)
		return;
	/* acq_rel: whoever frees has seen every other holder's last use */
	if (atomic_fetch_sub_explicit((atomic_uint *)&frame->refs, 1, memory_order_acq_rel) == 1) {
		frame_free_rows((struct frame *)frame);
		frame_tasks_unref(frame->tasks);
		frame_set_unref(frame->of);
		free((struct frame *)frame);
	}
}

uint64_t frame_window_ns(const struct frame *frame)
{
	uint64_t longest_ns = 0;

	for (unsigned i = 0; i < frame->n_cores; i++)
		if (frame->core[i].window_ns > longest_ns)
			longest_ns = frame->core[i].window_ns;
	return longest_ns;
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
