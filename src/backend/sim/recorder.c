#include "backend/sim/recorder.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct record {
	bool is_note;
	union {
		struct task_note note;
		struct {
			struct task_switch one;
			uint64_t value[CORE_SLOTS_MAX];
		};
	};
};

struct sim_recorder {
	size_t mask;
	atomic_size_t tail; /* written by the core's thread */
	atomic_size_t head; /* written by the reader */
	struct record record[];
};

struct sim_recorder *sim_recorder_of(_Atomic(struct sim_recorder *) *place, size_t n)
{
	struct sim_recorder *recorder = atomic_load_explicit(place, memory_order_relaxed);

	size_t size = 1;

	if (recorder)
		return recorder;
	while (size < n)
		size *= 2;
	recorder = calloc(1, sizeof(*recorder) + size * sizeof(recorder->record[0]));
	if (recorder)
		recorder->mask = size - 1;
	/* release: whoever finds it sees it complete */
	atomic_store_explicit(place, recorder, memory_order_release);
	return recorder;
}

void sim_recorder_free(struct sim_recorder *recorder)
{
	free(recorder);
}

/* @return NULL: full */
static struct record *claim(struct sim_recorder *recorder)
{
	size_t tail = atomic_load_explicit(&recorder->tail, memory_order_relaxed);
	/* acquire: the reader has done with the place */
	size_t head = atomic_load_explicit(&recorder->head, memory_order_acquire);

	return tail - head > recorder->mask ? NULL : &recorder->record[tail & recorder->mask];
}

static void commit(struct sim_recorder *recorder)
{
	/* release: the record is written before it can be seen */
	atomic_fetch_add_explicit(&recorder->tail, 1, memory_order_release);
}

void sim_recorder_switch(struct sim_recorder *recorder, const struct task_switch *one)
{
	struct record *record = claim(recorder);

	assert(one->n_slots <= CORE_SLOTS_MAX);
	if (!record)
		return;
	record->is_note = false;
	record->one = *one;
	memcpy(record->value, one->value, one->n_slots * sizeof(one->value[0]));
	record->one.value = record->value;
	commit(recorder);
}

void sim_recorder_note(struct sim_recorder *recorder, const struct task_note *note)
{
	struct record *record = claim(recorder);

	if (!record)
		return;
	record->is_note = true;
	record->note = *note;
	commit(recorder);
}

static bool hand_over(const struct record *record, const struct switch_sink *sink)
{
	if (!record->is_note)
		return sink->take_switch(sink->data, &record->one);
	sink->take_note(sink->data, &record->note);
	return true;
}

void sim_recorder_drain(struct sim_recorder *recorder, const struct switch_sink *sink)
{
	size_t head = atomic_load_explicit(&recorder->head, memory_order_relaxed);
	/* acquire: the records are written */
	size_t tail = atomic_load_explicit(&recorder->tail, memory_order_acquire);

	while (head != tail && hand_over(&recorder->record[head & recorder->mask], sink))
		head++;
	/* release: their places can be written again */
	atomic_store_explicit(&recorder->head, head, memory_order_release);
}
