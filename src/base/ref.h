/* ref.h: reference counts of objects that are constant but for their count */
#ifndef BASE_REF_H
#define BASE_REF_H

#include <stdatomic.h>
#include <stdbool.h>

/** Take another reference. Any thread that has one. */
static inline void ref_take(const atomic_uint *refs)
{
	atomic_fetch_add_explicit((atomic_uint *)refs, 1, memory_order_relaxed);
}

/** Drop a reference. Any thread. @return true: it was the last, the caller frees the object */
static inline bool ref_drop(const atomic_uint *refs)
{
	/* acq_rel: the thread that frees has seen the last use by every other holder */
	return atomic_fetch_sub_explicit((atomic_uint *)refs, 1, memory_order_acq_rel) == 1;
}

#endif
