/* history_rig.h: a session with its frames beside it, as truth, for tests of the history */
#ifndef HISTORY_RIG_H
#define HISTORY_RIG_H

#include "rig/sampler_rig.h"

#include "sampler/history.h"

enum { FRAMES = 1500 };

#define INTERVAL_NS (10 * NS_PER_MS)

struct story {
	struct rig rig;
	struct history *history;
	const struct frame *frame[FRAMES];
	size_t n;
};

static inline void tell(struct story *story, size_t n)
{
	while (story->n < n) {
		assert_int_equal(sampler_step(story->rig.sampler), 0);

		const struct frame *frame = queue_pop(story->rig.queue, NULL);

		for (; frame && story->n < n; frame = queue_pop(story->rig.queue, NULL)) {
			history_add(story->history, frame);
			story->frame[story->n++] = frame;
		}
	}
}

static inline void begin(struct story *story, const char *options, size_t budget)
{
	*story = (struct story){ .n = 0 };
	rig_up(&story->rig, options, INTERVAL_NS);
	assert_int_equal(history_new(&story->rig.backend->machine, &story->rig.metrics, budget,
				     &story->history),
			 0);
}

static inline void end(struct story *story)
{
	for (size_t i = 0; i < story->n; i++)
		frame_unref(story->frame[i]);
	history_free(story->history);
	rig_down(&story->rig);
}

#endif
