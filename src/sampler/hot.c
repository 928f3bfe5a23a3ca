#include "sampler/hot.h"

#include <stdlib.h>

#include "base/ref.h"
#include "symbols/symbols.h"

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

const struct frame_hot *frame_hot_ref(const struct frame_hot *hot)
{
	if (hot)
		ref_take(&hot->refs);
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
		(void)place_function_of(hot->spot[i].place, hot->spot[i].n);
}
