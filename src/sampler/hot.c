#include "sampler/hot.h"

#include <stdlib.h>

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
	/* only `refs` of published samples still changes */
	if (hot)
		atomic_fetch_add_explicit((atomic_uint *)&hot->refs, 1, memory_order_relaxed);
	return hot;
}

void frame_hot_unref(const struct frame_hot *hot)
{
	/* acq_rel: the thread that frees has seen the last use by every other holder */
	if (hot &&
	    atomic_fetch_sub_explicit((atomic_uint *)&hot->refs, 1, memory_order_acq_rel) == 1)
		free((struct frame_hot *)hot);
}
