/* history_rig.c: a session with its frames beside it, as truth, for tests of the history */
#include "rig/history_rig.h"

void story_tell(struct story *story, size_t n)
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

void story_begin(struct story *story, const char *options, size_t budget)
{
	*story = (struct story){ .n = 0 };
	rig_up(&story->rig, options, INTERVAL_NS);
	assert_int_equal(history_new(&story->rig.backend->machine, &story->rig.metrics, budget,
				     &story->history),
			 0);
}

void story_end(struct story *story)
{
	for (size_t i = 0; i < story->n; i++)
		frame_unref(story->frame[i]);
	history_free(story->history);
	rig_down(&story->rig);
}
