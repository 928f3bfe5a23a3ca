/* hot.h: samples of one event in the window of a frame, by core, task and place in the code */
#ifndef SAMPLER_HOT_H
#define SAMPLER_HOT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct place;

/** Callers of a place, the nearest first. Interned: one object each, until the program ends. */
struct hot_chain {
	unsigned n;
	const struct place *caller[];
};

/** Samples of one task at one place on one core. */
struct hot_spot {
	uint16_t core;
	uint32_t task; /* index in frame->tasks->task; UINT32_MAX: not among them */
	const struct place *place;
	const struct hot_chain *chain; /* NULL without set.chains */
	uint32_t n;                    /* samples */
	double weight, weight2;        /* sum of their periods, of the squares */
};

/**
 * Samples of the event in column `column` of the frame's set. Constant once published. They tell how an exact count
 * divides, never the count itself: the sum of the weights differs from it by up to a period a task.
 */
struct frame_hot {
	unsigned column;
	uint64_t n_samples; /* sum over all spots */
	uint64_t n_lost;    /* in the window: no room in the kernel's buffer, or here */
	uint64_t
		n_throttled; /* times that the kernel stopped sampling, see perf_event_max_sample_rate */
	size_t n;
	struct hot_spot *spot; /* by core, task, place */
	atomic_uint refs;
};

/** Take another reference. NULL is accepted. @return hot */
const struct frame_hot *frame_hot_ref(const struct frame_hot *hot);

/** Drop a reference; the last one frees the samples. NULL is accepted. Any thread. */
void frame_hot_unref(const struct frame_hot *hot);

#endif
