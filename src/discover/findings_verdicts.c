/* What all estimates together say: which are answers, and which ids go with time. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "discover/findings.h"

static size_t n_known(const struct findings *findings)
{
	size_t n = 0;

	for (size_t i = 0; i < findings->n; i++)
		n += findings->finding[i].estimate.verdict != VERDICT_UNKNOWN;
	return n;
}

/*
 * Benjamini and Hochberg look for the last p with p ≤ rank / tries × rate. What was left out has a p
 * above the rate and is never it: only the number of tries matters, which the rate can carry.
 */
static int decide_all(struct findings *findings)
{
	AUTO_FREE struct estimate **all = calloc(findings->n + 1, sizeof(void *));
	double known = (double)n_known(findings);

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < findings->n; i++)
		all[i] = &findings->finding[i].estimate;
	if (!findings->n_left_out)
		return estimates_decide(all, findings->n, FINDINGS_RATE);
	return estimates_decide(all, findings->n,
				FINDINGS_RATE * known / (known + (double)findings->n_left_out));
}

static int by_place(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->type != y->type)
		return x->type - y->type;
	if (x->id != y->id)
		return x->id > y->id ? 1 : -1;
	return x->kernel - y->kernel;
}

/* ---- time ---- */

/* What goes with time has a count and a length for trigger and control of every kernel. */
struct points {
	double count[2 * KERNELS_MAX], length[2 * KERNELS_MAX];
	size_t n;
};

static void add_points(const double *count, const double *length, struct points *ret)
{
	for (unsigned kind = 0; kind < 2; kind++) {
		if (!isfinite(count[kind]) || !(length[kind] > 0))
			continue;
		ret->count[ret->n] = count[kind];
		ret->length[ret->n++] = length[kind];
	}
}

unsigned findings_n_kernels_tried(const struct findings *findings, unsigned type, size_t place)
{
	unsigned n = 0;

	for (unsigned kernel = 0; kernel < findings->n_kernels; kernel++)
		n += findings_is_tried(findings, type, kernel, place);
	return n;
}

/*
 * Two kernels tell by themselves. Where one was tried, its trigger and its control have to; where more
 * were, and one is left that responds, it is not time: that would have made the others respond, too.
 */
static bool follows(const struct points *points, unsigned n_tried, double *ret_ratio)
{
	return points->n >= (n_tried > 1 ? 4 : 2) &&
	       estimate_is_of_cycles(points->count, points->length, points->n, ret_ratio);
}

/* The operating system and other programs do nothing by simple factors. */
static bool is_simple(const struct findings *findings, const struct finding *finding)
{
	const struct kernel *kernel = kernel_find(findings->kernel[finding->kernel]);

	return kernel && !kernel->enters_system;
}

/*
 * On a machine where all instructions take the same time, as an emulated one, every count of work is
 * in proportion to cycles. It is time all the same if it is as many as cycles.
 */
static bool counts_time(const struct findings *findings, const struct finding *finding, size_t n,
			double per_cycle)
{
	bool is_time = true;

	if (fabs(per_cycle - 1) < 0.03)
		return true;
	for (size_t i = 0; i < n; i++) {
		if (!finding_responds(&finding[i]) || !is_simple(findings, &finding[i]))
			continue;
		if (!estimate_may_be_of_work(&finding[i].estimate, per_cycle))
			return true;
		is_time = false;
	}
	return is_time;
}

static void mark(struct finding *finding, size_t n, enum verdict verdict)
{
	for (size_t i = 0; i < n; i++)
		if (finding_responds(&finding[i]))
			finding[i].estimate.verdict = verdict;
}

/* @finding  the n of one id on one type */
static void mark_time(struct findings *findings, struct finding *finding, size_t n)
{
	size_t place = (size_t)ids_find(&findings->ids, finding->id);
	struct findings_id *of_id = findings_of_id(findings, finding->type, place);
	unsigned n_tried = findings_n_kernels_tried(findings, finding->type, place);
	struct points by_cycles = { .n = 0 }, by_ns = { .n = 0 };

	of_id->per_cycle = of_id->per_ns = 0;
	for (size_t i = 0; i < n && i < KERNELS_MAX; i++) {
		add_points(finding[i].count, finding[i].cycles, &by_cycles);
		add_points(finding[i].count, finding[i].ns, &by_ns);
	}
	if (follows(&by_cycles, n_tried, &of_id->per_cycle)) {
		/* one kernel's simple factors may be chance */
		if (n_tried < 2 || counts_time(findings, finding, n, of_id->per_cycle))
			mark(finding, n, VERDICT_CYCLES);
	} else if (!by_cycles.n && follows(&by_ns, n_tried, &of_id->per_ns)) {
		mark(finding, n, VERDICT_TIME);
	}
}

int findings_decide(struct findings *findings)
{
	int rc = decide_all(findings);

	if (rc)
		return rc;
	if (findings->n)
		qsort(findings->finding, findings->n, sizeof(*findings->finding), by_place);
	for (size_t i = 0, n; i < findings->n; i += n) {
		struct finding *first = &findings->finding[i];

		for (n = 1; i + n < findings->n && first[n].type == first->type &&
			    first[n].id == first->id;)
			n++;
		mark_time(findings, first, n);
	}
	return 0;
}
