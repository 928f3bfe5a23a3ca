/* What all estimates together say: which are answers, and which ids go with time. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "discover/findings/findings.h"

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

int finding_order(const void *a, const void *b)
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

/*
 * Kernels that have a say: those with points, and those that were tried and whose estimates were not
 * kept, as nothing responded. @n  estimates that were kept
 */
static unsigned n_telling(const struct findings *findings, unsigned type, size_t place, size_t n,
			  const struct points *points)
{
	size_t n_tried = 0;

	for (unsigned kernel = 0; kernel < findings->n_kernels; kernel++)
		n_tried += findings_is_tried(findings, type, kernel, place);
	return (unsigned)(n_tried - n + (points->n + 1) / 2);
}

/*
 * Two kernels tell by themselves. Where there is one, its trigger and its control have to; where one is
 * left of several, as the only one that responds, it is not time: others would have responded, too.
 */
static bool follows(const struct points *points, unsigned n_kernels, double *ret_ratio)
{
	return points->n >= (n_kernels > 1 ? 4 : 2) &&
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

static bool responds(const struct finding *finding, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (finding_responds(&finding[i]))
			return true;
	return false;
}

static void mark(struct finding *finding, size_t n, enum verdict verdict)
{
	for (size_t i = 0; i < n; i++)
		if (finding_responds(&finding[i]))
			finding[i].estimate.verdict = verdict;
}

static struct points points_of(const struct finding *finding, size_t n, bool by_cycles)
{
	struct points points = { .n = 0 };

	for (size_t i = 0; i < n && i < KERNELS_MAX; i++)
		add_points(finding[i].count, by_cycles ? finding[i].cycles : finding[i].ns,
			   &points);
	return points;
}

/* @finding  the n of one id on one type */
static void mark_time(struct findings *findings, struct finding *finding, size_t n)
{
	size_t place = (size_t)ids_find(&findings->ids, finding->id);
	struct findings_id *of_id = findings_of_id(findings, finding->type, place);
	struct points points = points_of(finding, n, true);
	bool has_cycles = points.n > 0;

	if (!has_cycles)
		points = points_of(finding, n, false);
	of_id->per_cycle = of_id->per_ns = 0;
	of_id->n_telling = n_telling(findings, finding->type, place, n, &points);
	/* where nothing responds, trigger and control took as long as each other */
	if (!responds(finding, n) ||
	    !follows(&points, of_id->n_telling, has_cycles ? &of_id->per_cycle : &of_id->per_ns))
		return;
	/* a factor beside cycles is work, but with one kernel it may be chance */
	if (!has_cycles)
		mark(finding, n, VERDICT_TIME);
	else if (of_id->n_telling < 2 || counts_time(findings, finding, n, of_id->per_cycle))
		mark(finding, n, VERDICT_CYCLES);
}

int findings_decide(struct findings *findings)
{
	int rc = decide_all(findings);

	if (rc)
		return rc;
	if (findings->n)
		qsort(findings->finding, findings->n, sizeof(*findings->finding), finding_order);
	for (size_t i = 0, n; i < findings->n; i += n) {
		struct finding *first = &findings->finding[i];

		for (n = 1; i + n < findings->n && first[n].type == first->type &&
			    first[n].id == first->id;)
			n++;
		mark_time(findings, first, n);
	}
	return 0;
}
