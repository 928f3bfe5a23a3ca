/* history_rig.h: a session with its frames beside it, as truth, for tests of the history */
#ifndef HISTORY_RIG_H
#define HISTORY_RIG_H

#include "rig/sampler_rig.h"

#include "sampler/history.h"

enum { FRAMES = 1500 };

#define INTERVAL_NS (10 * NS_PER_MS)

/** A session, its frames and their history. */
struct story {
	struct rig rig;
	struct history *history;
	const struct frame *frame[FRAMES];
	size_t n;
};

/** Step the sampler until the story has n frames. */
void story_tell(struct story *story, size_t n);

/** Start a story. @options  of the simulation; @budget  bytes of the history */
void story_begin(struct story *story, const char *options, size_t budget);

/** Free a story and its frames. */
void story_end(struct story *story);

#endif
