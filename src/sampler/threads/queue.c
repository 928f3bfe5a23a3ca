#include "sampler/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct entry {
	const struct frame *frame;
	uint64_t lost; /* frames lost before this one because the queue was full */
};

struct queue {
	int fd;
	unsigned depth;
	atomic_uint_least64_t lost; /* written by the collector: not reported to the consumer yet */
	bool pushed;                /* collector only: the consumer has to be woken */
	atomic_uint tail;           /* written by the collector */
	atomic_uint head;           /* written by the consumer */
	struct entry entry[];
};

int queue_new(unsigned frames, struct queue **ret, struct err *err)
{
	unsigned depth = 1;

	/* power of two: indices stay correct when the 32-bit counters wrap */
	while (depth < frames)
		depth *= 2;

	struct queue *queue = calloc(1, sizeof(*queue) + depth * sizeof(struct entry));

	if (!queue)
		return err_set(err, ENOMEM, "out of memory");
	queue->depth = depth;
	queue->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (queue->fd < 0) {
		int rc = err_set(err, errno, "eventfd: %s", strerror(errno));

		free(queue);
		return rc;
	}
	*ret = queue;
	return 0;
}

void queue_free(struct queue *queue)
{
	const struct frame *frame;

	if (!queue)
		return;
	while ((frame = queue_pop(queue, NULL)))
		frame_unref(frame);
	close(queue->fd);
	free(queue);
}

void queue_push(struct queue *queue, const struct frame *frame)
{
	unsigned tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);
	/* acquire: the consumer has taken the entry before we overwrite it */
	unsigned head = atomic_load_explicit(&queue->head, memory_order_acquire);

	queue->pushed = true;
	if (tail - head == queue->depth) {
		atomic_fetch_add_explicit(&queue->lost, 1, memory_order_relaxed);
		return;
	}
	queue->entry[tail % queue->depth] =
		(struct entry){ .frame = frame_ref(frame),
				.lost = atomic_exchange_explicit(&queue->lost, 0,
								 memory_order_relaxed) };
	/* release: the entry is written before the consumer can see it */
	atomic_store_explicit(&queue->tail, tail + 1, memory_order_release);
}

void queue_wake(struct queue *queue)
{
	uint64_t one = 1;

	if (!queue->pushed)
		return;
	queue->pushed = false;
	/* a full eventfd counter (never reached) is still readable: nothing to do */
	if (write(queue->fd, &one, sizeof(one)) < 0)
		return;
}

const struct frame *queue_pop(struct queue *queue, uint64_t *ret_lost)
{
	unsigned head = atomic_load_explicit(&queue->head, memory_order_relaxed);
	/* acquire: pairs with queue_push */
	unsigned tail = atomic_load_explicit(&queue->tail, memory_order_acquire);

	if (head == tail)
		return NULL;

	struct entry entry = queue->entry[head % queue->depth];

	atomic_store_explicit(&queue->head, head + 1, memory_order_release);
	if (ret_lost)
		*ret_lost = entry.lost;
	return entry.frame;
}

uint64_t queue_lost(const struct queue *queue)
{
	return atomic_load_explicit(&queue->lost, memory_order_relaxed);
}

int queue_fd(const struct queue *queue)
{
	return queue->fd;
}

unsigned queue_clear(struct queue *queue)
{
	uint64_t n;
	/* EAGAIN: nothing was pushed since; frames may still be queued */
	ssize_t ignored = read(queue->fd, &n, sizeof(n));

	(void)ignored;
	/* acquire: pairs with queue_push. After the read: any frame not counted here wakes again */
	return atomic_load_explicit(&queue->tail, memory_order_acquire) -
	       atomic_load_explicit(&queue->head, memory_order_relaxed);
}
