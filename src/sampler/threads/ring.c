#include "sampler/threads/internal.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Writer and reader use separate cache lines, so that neither slows the other down. */
struct ring {
	unsigned mask;
	size_t size;                   /* bytes per sample with its maximum of slots */
	_Alignas(64) atomic_uint tail; /* written by the core's thread */
	atomic_uint_least64_t dropped;
	_Alignas(64) atomic_uint head; /* written by the collector */
	_Alignas(64) char sample[];
};

struct ring *ring_new(unsigned depth, unsigned n_slots)
{
	size_t size = sample_size(n_slots);
	unsigned n = 4;

	while (n < depth)
		n *= 2;

	struct ring *ring = aligned_alloc(64, (sizeof(*ring) + n * size + 63) / 64 * 64);

	if (!ring)
		return NULL;
	ring->mask = n - 1;
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

static struct sample *sample_at(const struct ring *ring, unsigned number)
{
	return (struct sample *)(void *)(ring->sample + (number & ring->mask) * ring->size);
}

struct sample *ring_claim(struct ring *ring)
{
	unsigned tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	/* acquire: the reader is done with the place before it is overwritten */
	unsigned head = atomic_load_explicit(&ring->head, memory_order_acquire);

	return tail - head > ring->mask ? NULL : sample_at(ring, tail);
}

void ring_commit(struct ring *ring)
{
	unsigned tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

	assert(sample_size(sample_at(ring, tail)->n_slots) <= ring->size);
	/* release: the sample is written before the reader can see it */
	atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
}

void ring_drop(struct ring *ring)
{
	atomic_fetch_add_explicit(&ring->dropped, 1, memory_order_relaxed);
}

const struct sample *ring_peek(const struct ring *ring)
{
	unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	/* acquire: pairs with ring_commit */
	unsigned tail = atomic_load_explicit(&ring->tail, memory_order_acquire);

	return head == tail ? NULL : sample_at(ring, head);
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

	/* release: the sample is read before the writer may reuse its place */
	atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

uint64_t ring_dropped(const struct ring *ring)
{
	return atomic_load_explicit(&ring->dropped, memory_order_relaxed);
}
