/* verdicts.c: verdicts over all estimates: which are responses, and which ids are proportional to time */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "discover/findings.h"

/*
 * Apply Benjamini-Hochberg, which finds the last p with p ≤ rank / tries × rate. Estimates that
 * were left out have a p above the rate and cannot be it: only the number of tries changes, which
 * scales the rate.
 */
static int decide_all(struct findings *findings)
{
	AUTO_FREE struct estimate **all = calloc(findings->n + 1, sizeof(void *));
	double known = 0;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < findings->n; i++) {
		all[i] = &findings->finding[i].estimate;
		known += all[i]->verdict != VERDICT_UNKNOWN;
	}
	if (!findings->n_left_out)
		return estimates_decide(all, findings->n, FINDINGS_RATE);
	return estimates_decide(all, findings->n,
				FINDINGS_RATE * known / (known + (double)findings->n_left_out));
}

/* Compare by type, id and kernel. */
static int finding_order(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->type != y->type)
		return x->type - y->type;
	if (x->id != y->id)
		return x->id > y->id ? 1 : -1;
	return x->kernel - y->kernel;
}

/* ---- time ---- */

/* Counts and lengths of one id, for trigger and control of every kernel. */
struct points {
	double count[2 * KERNELS_MAX], length[2 * KERNELS_MAX];
	size_t n;
};

/*
 * Count the kernels that can tell: those with points, and those tried without a kept estimate, as
 * nothing responded. @n  kept estimates
 */
static unsigned n_conclusive(const struct findings *findings, unsigned type, size_t place, size_t n,
			     const struct points *points)
{
	size_t n_tried = 0;

	for (unsigned kernel = 0; kernel < findings->n_kernels; kernel++)
		n_tried += findings_tried(findings, type, kernel)[place];
	return (unsigned)(n_tried - n + (points->n + 1) / 2);
}

/*
 * Whether the counts are proportional to the lengths. Two kernels suffice. If only one kernel
 * exists, its trigger and control must agree. If it is the only one of several that responds, it is
 * not time: the others would have responded, too.
 */
static bool follows(const struct points *points, unsigned n_kernels, double *ret_ratio)
{
	return points->n >= (n_kernels > 1 ? 4 : 2) &&
	       estimate_is_of_cycles(points->count, points->length, points->n, ret_ratio);
}

/* Whether simple factors can be expected; not for work of the operating system and other programs. */
static bool is_simple(const struct findings *findings, const struct finding *finding)
{
	const struct kernel *kernel = kernel_find(findings->kernel[finding->kernel]);

	return kernel && !kernel->enters_system;
}

/*
 * Whether the id counts time rather than work. On a machine where all instructions take the same
 * time, such as an emulated one, every count of work is proportional to cycles. An id with as many
 * counts as cycles is time in any case.
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

static void verdicts_mark(struct finding *finding, size_t n, enum verdict verdict)
{
	for (size_t i = 0; i < n; i++)
		if (finding_responds(&finding[i]))
			finding[i].estimate.verdict = verdict;
}

static struct points points_of(const struct finding *finding, size_t n, bool by_cycles)
{
	struct points points = { .n = 0 };

	for (size_t i = 0; i < n && i < KERNELS_MAX; i++) {
		const double *length = by_cycles ? finding[i].cycles : finding[i].ns;

		for (unsigned kind = 0; kind < 2; kind++) {
			if (!isfinite(finding[i].count[kind]) || !(length[kind] > 0))
				continue;
			points.count[points.n] = finding[i].count[kind];
			points.length[points.n++] = length[kind];
		}
	}
	return points;
}

/* Mark an id that counts time. @finding  the n findings of one id on one type */
static void mark_time(struct findings *findings, struct finding *finding, size_t n)
{
	size_t place = (size_t)ids_find(&findings->ids, finding->id);
	struct findings_id *of_id = findings_of_id(findings, finding->type, place);
	struct points points = points_of(finding, n, true);
	bool has_cycles = points.n > 0;

	if (!has_cycles)
		points = points_of(finding, n, false);
	of_id->per_cycle = of_id->per_ns = 0;
	of_id->n_conclusive = n_conclusive(findings, finding->type, place, n, &points);
	/* if nothing responds, trigger and control took equally long */
	if (!responds(finding, n) ||
	    !follows(&points, of_id->n_conclusive, has_cycles ? &of_id->per_cycle : &of_id->per_ns))
		return;
	/* a factor beside cycles is work, but with one kernel it may be chance */
	if (!has_cycles)
		verdicts_mark(finding, n, VERDICT_TIME);
	else if (of_id->n_conclusive < 2 || counts_time(findings, finding, n, of_id->per_cycle))
		verdicts_mark(finding, n, VERDICT_CYCLES);
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
