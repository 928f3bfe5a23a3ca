/* ring.c: lock-free rings: samples from a core's thread to the collector, frames from there to a consumer */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sampler/threads/internal.h"

/* Writer and reader use separate cache lines, so that neither slows the other down. */
struct ring {
	_Alignas(64) atomic_uint tail; /* written by the writer */
	atomic_uint_least64_t dropped;
	unsigned mask;                 /* beside tail, which both sides read with it */
	size_t size;                   /* bytes per entry */
	_Alignas(64) atomic_uint head; /* written by the reader */
	_Alignas(64) char entry[];
};

/* Get the number of entries, a power of two: indices stay correct when the 32-bit counters wrap. */
static unsigned ring_depth(unsigned depth)
{
	unsigned n = 1;

	while (n < depth)
		n *= 2;
	return n;
}

size_t ring_bytes(unsigned depth, size_t size)
{
	return (sizeof(struct ring) + ring_depth(depth) * size + 63) / 64 * 64;
}

struct ring *ring_new(unsigned depth, size_t size)
{
	void *memory = aligned_alloc(64, ring_bytes(depth, size));

	return memory ? ring_init(memory, depth, size) : NULL;
}

struct ring *ring_init(void *memory, unsigned depth, size_t size)
{
	struct ring *ring = memory;

	ring->mask = ring_depth(depth) - 1;
	ring->size = size;
	atomic_init(&ring->tail, 0);
	atomic_init(&ring->head, 0);
	atomic_init(&ring->dropped, 0);
	return ring;
}

void ring_free(struct ring *ring)
{
	free(ring);
}

static void *ring_at(const struct ring *ring, unsigned number)
{
	return (void *)(ring->entry + (number & ring->mask) * ring->size);
}

void *ring_claim(struct ring *ring)
{
	unsigned tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	/* acquire: the reader is done with the place before it is overwritten */
	unsigned head = atomic_load_explicit(&ring->head, memory_order_acquire);

	return tail - head > ring->mask ? NULL : ring_at(ring, tail);
}

void ring_commit(struct ring *ring)
{
	unsigned tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

	/* release: the entry is written before the reader can see it */
	atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
}

void ring_drop(struct ring *ring)
{
	atomic_fetch_add_explicit(&ring->dropped, 1, memory_order_relaxed);
}

const void *ring_peek(const struct ring *ring)
{
	return ring_n(ring) ? ring_at(ring, atomic_load_explicit(&ring->head, memory_order_relaxed))
			    : NULL;
}

void ring_prefetch(const struct ring *ring)
{
	__builtin_prefetch(&ring->tail);
	__builtin_prefetch(&ring->head);
}

void ring_prefetch_entry(const struct ring *ring)
{
	const char *entry = ring_at(ring, atomic_load_explicit(&ring->head, memory_order_relaxed));

	for (size_t i = 0; i < ring->size; i += 64)
		__builtin_prefetch(entry + i, 1);
}

unsigned ring_n(const struct ring *ring)
{
	/* acquire: pairs with ring_commit */
	return atomic_load_explicit(&ring->tail, memory_order_acquire) -
	       atomic_load_explicit(&ring->head, memory_order_relaxed);
}

void ring_release(struct ring *ring)
{
	unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	/* release: the entry is read before the writer may reuse its place */
	atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

uint64_t ring_dropped(const struct ring *ring)
{
	return atomic_load_explicit(&ring->dropped, memory_order_relaxed);
}

/* ---- frames for a consumer ---- */

struct entry {
	const struct frame *frame;
	uint64_t lost; /* frames lost before this one because the queue was full */
};

struct queue {
	int fd;
	bool pushed;                /* collector only: the consumer has to be woken */
	atomic_uint_least64_t lost; /* written by the collector: not reported to the consumer yet */
	struct ring *ring;          /* of struct entry */
};

int queue_new(unsigned depth, struct queue **ret, struct err *err)
{
	struct queue *queue = calloc(1, sizeof(*queue));

	if (queue)
		queue->ring = ring_new(depth, sizeof(struct entry));
	if (!queue || !queue->ring) {
		free(queue);
		return err_set(err, ENOMEM, "out of memory");
	}
	queue->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (queue->fd < 0) {
		int rc = err_set(err, errno, "eventfd: %s", strerror(errno));

		ring_free(queue->ring);
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
	ring_free(queue->ring);
	free(queue);
}

void queue_push(struct queue *queue, const struct frame *frame)
{
	struct entry *entry = ring_claim(queue->ring);

	queue->pushed = true;
	if (!entry) {
		atomic_fetch_add_explicit(&queue->lost, 1, memory_order_relaxed);
		return;
	}
	entry->frame = frame_ref(frame);
	entry->lost = atomic_exchange_explicit(&queue->lost, 0, memory_order_relaxed);
	ring_commit(queue->ring);
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
	const struct entry *first = ring_peek(queue->ring);

	if (!first)
		return NULL;

	const struct frame *frame = first->frame;

	if (ret_lost)
		*ret_lost = first->lost;
	ring_release(queue->ring);
	return frame;
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
	/* after the read: any frame not counted here wakes again */
	return ring_n(queue->ring);
}
