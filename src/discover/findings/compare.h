/* compare.h: what two reports say about the same ids and kernels */
#ifndef DISCOVER_FINDINGS_COMPARE_H
#define DISCOVER_FINDINGS_COMPARE_H

#include "discover/findings/findings.h"

/** One answer that differs. */
struct findings_difference {
	uint64_t id;
	unsigned type[2];      /* places in each one's list of types */
	const char *kernel;    /* NULL: it is the counters that differ */
	struct estimate of[2]; /* VERDICT_NONE where none was kept */
	uint64_t counters[2];  /* where it is the counters */
};

struct findings_comparison {
	struct findings_difference *difference; /* by type, id and kernel */
	size_t n, cap;
	size_t n_same;     /* answers that are the same, of ids that respond */
	size_t n_compared; /* questions that both asked */
	const char
		*apart; /* a kernel of the user's that is another in each, so not compared; NULL */
};

/**
 * Compare what both have tried: types of the same name, or the only one of each.
 *
 * @a, @b   decided; outlive the result
 * @ret     release with findings_compared_fini
 * @return  0; -EINVAL nothing was tried by both; -ENOMEM
 */
int findings_compare(const struct findings *a, const struct findings *b,
		     struct findings_comparison *ret, struct err *err);

/** NULL is accepted. */
void findings_compared_fini(struct findings_comparison *compared);

#endif
