/* Ring, queue and lateness histogram: nothing lost, nothing twice, drops counted. */
#include <pthread.h>
#include <stdatomic.h>
#include <poll.h>

#include "rig/harness.h"
#include "sampler/threads/internal.h"

enum { SAMPLES = 200000, N_SLOTS = 3 };

static void *writer(void *data)
{
	struct ring *ring = data;

	for (uint64_t i = 1; i <= SAMPLES; i++) {
		struct sample *sample = ring_claim(ring);

		if (!sample) {
			ring_drop(ring);
			continue;
		}
		sample->tick = i;
		sample->n_slots = N_SLOTS;
		sample->raw[N_SLOTS - 1].value = i * 3;
		ring_commit(ring);
	}
	atomic_thread_fence(memory_order_seq_cst);
	return NULL;
}

static void ring_two_threads(void **state)
{
	struct ring *ring = ring_new(4, sample_size(N_SLOTS)); /* tiny: it must run full */
	pthread_t thread;
	uint64_t last = 0, seen = 0;
	const struct sample *sample;

	(void)state;
	pthread_create(&thread, NULL, writer, ring);
	while (seen + ring_dropped(ring) < SAMPLES) {
		if (!(sample = ring_peek(ring)))
			continue;
		assert_true(sample->tick > last);
		assert_int_equal(sample->raw[N_SLOTS - 1].value, sample->tick * 3);
		last = sample->tick;
		ring_release(ring);
		seen++;
	}
	pthread_join(thread, NULL);
	assert_null(ring_peek(ring));
	assert_int_equal(seen + ring_dropped(ring), SAMPLES);
	ring_free(ring);
}

static void ring_full(void **state)
{
	struct ring *ring = ring_new(5, sample_size(N_SLOTS)); /* rounded up to 8 */

	(void)state;
	for (int i = 0; i < 8; i++) {
		struct sample *sample = ring_claim(ring);

		assert_non_null(sample);
		sample->n_slots = 1;
		ring_commit(ring);
	}
	assert_null(ring_claim(ring));
	ring_release(ring);
	assert_non_null(ring_claim(ring));
	ring_free(ring);
}

static bool readable(const struct queue *queue)
{
	struct pollfd fd = { .fd = queue_fd(queue), .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

/* One column, and it is never freed. */
static struct frame_set counted = { .set.n_slots = 1, .refs = 1 };

static void queue_full(void **state)
{
	struct queue *queue;
	uint64_t lost;

	(void)state;
	assert_int_equal(queue_new(2, &queue, NULL), 0);
	assert_null(queue_pop(queue, NULL));
	for (unsigned i = 1; i <= 5; i++) {
		struct frame *frame = frame_new(1, &counted);

		frame->number = i;
		queue_push(queue, frame);
		frame_unref(frame);
	}
	assert_false(readable(queue));
	queue_wake(queue);
	assert_true(readable(queue));
	assert_int_equal(queue_clear(queue), 2);
	assert_false(readable(queue));

	for (unsigned i = 1; i <= 2; i++) {
		const struct frame *frame = queue_pop(queue, &lost);

		assert_int_equal(frame->number, i);
		assert_int_equal(lost, 0);
		frame_unref(frame);
	}
	assert_null(queue_pop(queue, &lost));
	assert_int_equal(queue_lost(queue), 3); /* 3, 4 and 5, though no frame tells of them yet */

	struct frame *late = frame_new(1, &counted);

	late->number = 6;
	queue_push(queue, late);
	frame_unref(late);

	const struct frame *frame = queue_pop(queue, &lost);

	assert_int_equal(frame->number, 6);
	assert_int_equal(lost, 3);
	assert_int_equal(queue_lost(queue), 0);
	frame_unref(frame);
	queue_free(queue);
}

static void percentiles(void **state)
{
	static struct latency_histogram lateness;

	(void)state;
	assert_int_equal(latency_histogram_percentile(&lateness, 99), 0);
	for (uint32_t i = 1; i <= 1000; i++)
		latency_histogram_add(&lateness, i * 1000);

	uint32_t p50 = latency_histogram_percentile(&lateness, 50),
		 p99 = latency_histogram_percentile(&lateness, 99);

	assert_in_range(p50, 500000, 565000); /* an upper bound, at most 13 % above */
	assert_in_range(p99, 990000, 1120000);
	latency_histogram_add(&lateness, UINT32_MAX);
	assert_int_equal(latency_histogram_percentile(&lateness, 100), UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ring_two_threads),
		cmocka_unit_test(ring_full),
		cmocka_unit_test(queue_full),
		cmocka_unit_test(percentiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
