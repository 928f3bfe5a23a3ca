#include "sampler/hot.h"

#include <stdlib.h>

#include "base/ref.h"
#include "symbols/symbols.h"

const struct hot_chain hot_chain_lost = { 0 };

struct frame_hot *frame_hot_new(size_t n)
{
	struct frame_hot *hot = calloc(1, sizeof(*hot) + n * sizeof(*hot->spot));

	if (!hot)
		return NULL;
	hot->n = n;
	hot->spot = (struct hot_spot *)(hot + 1);
	atomic_init(&hot->refs, 1);
	return hot;
}

void frame_hot_unref(const struct frame_hot *hot)
{
	if (hot && ref_drop(&hot->refs))
		free((struct frame_hot *)hot);
}

void frame_hot_ask(const struct frame_hot *hot)
{
	for (size_t i = 0; i < hot->n; i++)
		(void)place_function_of(hot->spot[i].place, (uint32_t)hot->spot[i].n);
}

/* ---- spots ---- */

static int compare_key(const struct hot_spot *a, const struct hot_spot *b, enum hot_key key)
{
	switch (key) {
	case HOT_BY_CORE: return task_order(a->core, b->core);
	case HOT_BY_TASK: return task_order(a->task, b->task);
	case HOT_BY_PLACE: return task_order((uintptr_t)a->place, (uintptr_t)b->place);
	case HOT_BY_CHAIN: return task_order((uintptr_t)a->chain, (uintptr_t)b->chain);
	case HOT_BY_FUNCTION: return task_order((uintptr_t)a->function, (uintptr_t)b->function);
	default: return 0;
	}
}

static int compare_spots(const void *a, const void *b, void *by)
{
	int order = 0;

	for (const enum hot_key *key = by; !order && *key; key++)
		order = compare_key(a, b, *key);
	return order;
}

size_t hot_merge(struct hot_spot *spot, size_t n, const enum hot_key *by)
{
	size_t last = 0;

	if (!n)
		return 0;
	qsort_r(spot, n, sizeof(*spot), compare_spots, (void *)by);
	for (size_t i = 1; i < n; i++) {
		if (compare_spots(&spot[last], &spot[i], (void *)by) != 0) {
			spot[++last] = spot[i];
			continue;
		}
		spot[last].n += spot[i].n;
		spot[last].weight += spot[i].weight;
		spot[last].weight2 += spot[i].weight2;
	}
	return last + 1;
}

void hot_resolve(struct hot_spot *spot, size_t n)
{
	for (size_t i = 0; i < n; i++)
		spot[i].function = place_function(spot[i].place);
}
