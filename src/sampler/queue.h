/* queue.h: frames from the collector to one consumer; bounded; a full queue is counted, not hidden */
#ifndef SAMPLER_QUEUE_H
#define SAMPLER_QUEUE_H

#include "sampler/frame.h"

struct queue;

/** @frames  how many it holds, rounded up to a power of two  @return 0, -ENOMEM or -errno */
int queue_new(unsigned frames, struct queue **ret, struct err *err);

/** Drop what is left in it. NULL is accepted. */
void queue_free(struct queue *queue);

/** Put a frame in, taking a reference; the collector. A full queue counts it as lost instead. */
void queue_push(struct queue *queue, const struct frame *frame);

/** Wake the consumer once for all that was pushed; the collector, at the end of a batch. */
void queue_wake(struct queue *queue);

/**
 * The oldest frame; the consumer, which then owns the reference.
 *
 * @ret_lost  frames lost just before this one because the queue was full (may be NULL)
 * @return    NULL when empty
 */
const struct frame *queue_pop(struct queue *queue, uint64_t *ret_lost);

/** Frames lost since the newest one that is or was in the queue: what queue_pop cannot tell at the
 * end, when no further frame comes. */
uint64_t queue_lost(const struct queue *queue);

/** Readable when frames were pushed; the consumer clears it with queue_clear. */
int queue_fd(const struct queue *queue);

/**
 * Make queue_fd unreadable; call before draining.
 *
 * @return frames in it. Who takes only those comes to an end, however fast more of them come.
 */
unsigned queue_clear(struct queue *queue);

#endif
