#include "discover/run/experiment.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/num.h"

/* rounds of repeating slow runs; failed runs after which a length is given up, e.g. one longer
 * than a timer tick */
enum { SLOW_ROUNDS = 3, GIVEN_UP_MAX = 3 };

/* One repeat. */
struct trial {
	unsigned length;   /* index into the plan */
	bool is_done;      /* both runs were made undisturbed */
	struct run run[2]; /* control, trigger */
};

struct experiment {
	struct runner *runner;
	const struct kernel *kernel;
	const struct experiment_plan *plan;
	const atomic_bool *stop;
	unsigned n_slots;
	int cycles;
	uint64_t random;
	struct trial *trial;
	size_t n_trials;
	unsigned given_up[LENGTHS_MAX], succeeded[LENGTHS_MAX];
	struct experiment_result result;
};

void experiment_plan_init(bool is_quick, struct experiment_plan *ret)
{
	static const struct experiment_plan full = { { 1, 100, 1000, 10000, 100000 }, 5, 7, 1 };
	static const struct experiment_plan quick = { { 1, 1000, 10000 }, 3, 5, 1 };

	*ret = is_quick ? quick : full;
}

/*
 * Limit the lengths. A kernel that cannot run long uses its maximum, well above the previous
 * length, as the slope depends mostly on these two.
 */
void experiment_cap(const struct kernel *kernel, struct experiment_plan *plan)
{
	uint64_t max = (uint64_t)((double)kernel->n_max * kernel->triggers);
	unsigned n = 0;

	while (n < plan->n_lengths && plan->length[n] <= max)
		n++;
	if (n < plan->n_lengths && n && plan->length[n - 1] < max) {
		while (n > 1 && plan->length[n - 1] > max / 3)
			n--;
		plan->length[n++] = max;
	}
	if (n == 2 && max > 3) {
		plan->length[2] = plan->length[1];
		plan->length[1] = (max + 1) / 2;
		n = 3;
	}
	if (!n)
		plan->length[n++] = 1;
	plan->n_lengths = n;
}

/* ---- runs ---- */

/* @return 1 done, 0 disturbed each time, -errno */
static int run_undisturbed(struct experiment *x, bool is_trigger, uint64_t n, struct run *ret)
{
	for (unsigned i = 0; i < TRIES_MAX; i++) {
		int rc = runner_run(x->runner, is_trigger, n, ret);

		if (rc)
			return rc;
		x->result.n_runs++;
		if (!ret->disturbance)
			return 1;
		x->result.rejected[ret->disturbance]++;
		if (is_stopped(x->stop))
			return -ECANCELED;
	}
	return 0;
}

static int run_trial(struct experiment *x, struct trial *trial)
{
	uint64_t n = x->plan->length[trial->length];
	bool first = random_next(&x->random) & 1;

	trial->is_done = false;
	if (is_stopped(x->stop))
		return -ECANCELED;
	if (!x->succeeded[trial->length] && x->given_up[trial->length] >= GIVEN_UP_MAX)
		return 0; /* it takes longer than the core is ever undisturbed */

	int rc = run_undisturbed(x, first, n, &trial->run[first]);

	if (rc > 0)
		rc = run_undisturbed(x, !first, n, &trial->run[!first]);
	if (rc < 0)
		return rc;
	trial->is_done = rc;
	x->succeeded[trial->length] += rc > 0;
	x->given_up[trial->length] += rc == 0;
	return 0;
}

static void shuffle(struct experiment *x)
{
	for (size_t i = x->n_trials; i > 1; i--) {
		size_t j = random_below(&x->random, i);
		struct trial held = x->trial[i - 1];

		x->trial[i - 1] = x->trial[j];
		x->trial[j] = held;
	}
}

static int run_all(struct experiment *x)
{
	int rc = 0;

	for (size_t i = 0; i < x->n_trials; i++)
		x->trial[i].length = (unsigned)(i % x->plan->n_lengths);
	shuffle(x);
	for (size_t i = 0; i < x->n_trials && !rc; i++)
		rc = run_trial(x, &x->trial[i]);
	return rc;
}

/* ---- slow runs ---- */

/* Return a run's cycles, or ns if cycles are not counted, which also show that another task ran. */
static double experiment_length_of(const struct experiment *x, const struct trial *trial, int kind)
{
	const struct run *run = &trial->run[kind];

	return (double)(x->cycles >= 0 ? run->count[x->cycles] : run->ns);
}

static size_t mark_slow_of(struct experiment *x, unsigned length, int kind, double *value)
{
	size_t n = 0, n_slow = 0;

	for (size_t i = 0; i < x->n_trials; i++)
		if (x->trial[i].is_done && x->trial[i].length == length)
			value[n++] = experiment_length_of(x, &x->trial[i], kind);
	if (n < 3)
		return 0;

	double middle, reach = outlier_limit(value, n, 0, &middle);
	double limit = middle + fmax(reach, middle / 200 + 3); /* at least half a percent */

	for (size_t i = 0; i < x->n_trials; i++) {
		struct trial *trial = &x->trial[i];

		if (!trial->is_done || trial->length != length ||
		    experiment_length_of(x, trial, kind) <= limit)
			continue;
		trial->run[kind].disturbance = DISTURBED_SLOW;
		n_slow++;
	}
	return n_slow;
}

/* Mark slow runs. Both kinds are rated before any is removed, so that one does not hide the other. */
static int mark_slow(struct experiment *x, size_t *ret_n)
{
	AUTO_FREE double *value = calloc(x->n_trials, sizeof(*value));

	if (!value)
		return -ENOMEM;
	*ret_n = 0;
	for (unsigned length = 0; length < x->plan->n_lengths; length++)
		for (int kind = 0; kind < 2; kind++)
			*ret_n += mark_slow_of(x, length, kind, value);
	for (size_t i = 0; i < x->n_trials; i++) {
		struct trial *trial = &x->trial[i];

		if (trial->is_done && (trial->run[0].disturbance || trial->run[1].disturbance))
			trial->is_done = false;
	}
	x->result.rejected[DISTURBED_SLOW] += *ret_n;
	return 0;
}

/* Repeat slow runs; the last round only removes those still slow. */
static int redo_slow(struct experiment *x)
{
	size_t n = 1;
	int rc = 0;

	for (unsigned round = 0; round <= SLOW_ROUNDS && n && !rc; round++) {
		rc = mark_slow(x, &n);
		for (size_t i = 0; round < SLOW_ROUNDS && i < x->n_trials && !rc; i++) {
			struct trial *trial = &x->trial[i];

			if (!trial->is_done && (trial->run[0].disturbance == DISTURBED_SLOW ||
						trial->run[1].disturbance == DISTURBED_SLOW))
				rc = run_trial(x, trial);
		}
	}
	return rc;
}

/* ---- estimates ---- */

static size_t make_pairs(const struct experiment *x, unsigned slot, struct pair *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n_trials; i++) {
		const struct trial *trial = &x->trial[i];
		const struct run *control = &trial->run[0], *trigger = &trial->run[1];

		if (!trial->is_done || control->state[slot] != RAW_OK ||
		    trigger->state[slot] != RAW_OK)
			continue;
		ret[n++] = (struct pair){
			.n = runner_triggers(x->kernel, x->plan->length[trial->length]),
			.trigger = (double)trigger->count[slot],
			.control = (double)control->count[slot],
		};
	}
	return n;
}

static int estimate_all(struct experiment *x)
{
	AUTO_FREE struct pair *pair = calloc(x->n_trials, sizeof(*pair));

	if (!pair)
		return -ENOMEM;
	for (unsigned slot = 0; slot < x->n_slots; slot++)
		estimate_make(pair, make_pairs(x, slot, pair), &x->result.estimate[slot]);
	return 0;
}

/* Return the longest length that was run undisturbed; -1 if there is none. */
static int longest(const struct experiment *x)
{
	int length = -1;

	for (size_t i = 0; i < x->n_trials; i++)
		if (x->trial[i].is_done && (int)x->trial[i].length > length)
			length = (int)x->trial[i].length;
	return length;
}

/* Return the median of the runs of a length. @slot  -1: of their time */
static double typical(const struct experiment *x, int length, int slot, int kind, double *value)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n_trials; i++) {
		const struct trial *trial = &x->trial[i];
		const struct run *run = &trial->run[kind];

		if (!trial->is_done || (int)trial->length != length)
			continue;
		if (slot < 0 || run->state[slot] == RAW_OK)
			value[n++] = (double)(slot < 0 ? run->ns : run->count[slot]);
	}
	return n ? median_of(value, n) : NAN;
}

static int find_typical(struct experiment *x)
{
	AUTO_FREE double *value = calloc(x->n_trials, sizeof(*value));
	int length = longest(x);

	if (!value)
		return -ENOMEM;
	for (unsigned slot = 0; slot < x->n_slots; slot++)
		for (int kind = 0; kind < 2; kind++)
			x->result.typical[slot][kind] = typical(x, length, (int)slot, kind, value);
	for (int kind = 0; kind < 2; kind++)
		x->result.typical_ns[kind] = typical(x, length, -1, kind, value);
	return 0;
}

int experiment_run(struct runner *runner, const struct kernel *kernel, unsigned n_slots, int cycles,
		   const struct experiment_plan *plan, const atomic_bool *stop,
		   struct experiment_result *ret)
{
	struct experiment x = {
		.runner = runner,
		.kernel = kernel,
		.plan = plan,
		.stop = stop,
		.n_slots = n_slots,
		.cycles = cycles,
		.random = plan->seed,
		.n_trials = (size_t)plan->n_lengths * plan->repeats,
	};
	AUTO_FREE struct trial *trial = calloc(x.n_trials, sizeof(*trial));

	if (!trial)
		return -ENOMEM;
	x.trial = trial;

	int rc = run_all(&x);

	if (!rc)
		rc = redo_slow(&x);
	if (!rc)
		rc = estimate_all(&x);
	if (!rc)
		rc = find_typical(&x);
	if (rc)
		return rc;
	*ret = x.result;
	return 0;
}

/* ---- costs ---- */

static double cost_of(struct runner *runner, const struct kernel *kernel,
		      const struct experiment_plan *plan)
{
	struct experiment_plan capped = *plan;
	double ns = 0;

	if (runner_use(runner, kernel, NULL))
		return 0;
	experiment_cap(kernel, &capped);
	for (unsigned i = 0; i < capped.n_lengths; i++)
		ns += (double)runner_cost_ns(runner, capped.length[i]);
	return ns;
}

void costs_measure(struct runner *runner, const struct kernel *const *kernel, unsigned n,
		   const struct experiment_plan *plan, struct costs *ret)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++) {
		ret->before[i] = sum;
		sum += cost_of(runner, kernel[i], plan);
	}
	ret->before[n] = sum;
	for (unsigned i = 0; i <= n; i++)
		ret->before[i] = sum > 0 ? ret->before[i] / sum : (double)i / n;
}

double costs_share(const struct costs *costs, unsigned kernel, double in_kernel)
{
	const double *before = &costs->before[kernel];

	return before[0] + in_kernel * (before[1] - before[0]);
}
