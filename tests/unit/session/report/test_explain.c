/* test_explain.c: what explains the cycles per instruction: against a regression over the simulation's windows, and
 * rates against what happened. */
#include "rig/sim_control.h"
#include "rig/summary_rig.h"

#include "base/clock.h"
#include "session/report/explain.h"

enum { FRAMES = 400, SLOT_CYCLES = 0, SLOT_INSTRUCTIONS = 1 };

/* One series of windows. */
struct windows {
	double x[FRAMES], y[FRAMES];
	size_t n;
};

static void add(struct windows *windows, const struct count *count, unsigned slot)
{
	double instructions = (double)count[SLOT_INSTRUCTIONS].value;

	windows->x[windows->n] = 1000 * (double)count[slot].value / instructions;
	windows->y[windows->n++] = (double)count[SLOT_CYCLES].value / instructions;
}

static double mean_of(const double *value, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += value[i];
	return sum / (double)n;
}

static double product(const double *a, const double *b, size_t n)
{
	double sum = 0, x = mean_of(a, n), y = mean_of(b, n);

	for (size_t i = 0; i < n; i++)
		sum += (a[i] - x) * (b[i] - y);
	return sum;
}

static const struct explained *explained_of(const struct explain *explain, unsigned type,
					    const char *event)
{
	for (size_t i = 0; i < explain->n; i++)
		if (explain->event[i].type == type &&
		    strcmp(explain->event[i].event->name, event) == 0)
			return &explain->event[i];
	return NULL;
}

static void check_event(const struct explained *is, const struct windows *windows, double per_kinst)
{
	double xx = product(windows->x, windows->x, windows->n);
	double yy = product(windows->y, windows->y, windows->n);
	double xy = product(windows->x, windows->y, windows->n);

	assert_non_null(is);
	assert_int_equal(is->rate.n, windows->n);
	assert_true(fabs(is->per_kinst - per_kinst) < 1e-6 * per_kinst);
	if (isnan(is->share))
		return;
	assert_true(fabs(is->share - xy * xy / xx / yy) < 1e-6);
	assert_true(fabs(is->cycles - 1000 * xy / xx) < 1e-6 * fabs(is->cycles));
	assert_true(is->low <= is->share && is->share <= is->high);
}

static void shares_are_those_of_a_regression(void **state)
{
	static struct windows windows[TYPES_MAX][COLUMNS_MAX];
	static struct explain explain;
	const struct frame *frame;
	double happened[TYPES_MAX][COLUMNS_MAX] = { { 0 } };
	const struct machine *machine;
	unsigned n_checked = 0;
	struct rig rig;

	(void)state;
	rig_up(&rig, "clock=virtual,seed=7", 100 * NS_PER_MS);
	machine = &rig.backend->machine;
	explain.machine = machine;
	explain.metrics = &rig.metrics;
	for (unsigned i = 0; i < FRAMES - 1; i++) {
		assert_int_equal(sampler_step(rig.sampler), 0);
		while ((frame = queue_pop(rig.queue, NULL))) {
			explain_add(&explain, frame);
			for (unsigned t = 0; t < machine->n_types; t++) {
				struct frame_row row;

				frame_row(frame, machine, &rig.metrics, BY_TYPE, t, &row);
				for (unsigned slot = 0; slot < frame->n_slots; slot++) {
					add(&windows[t][slot], row.count, slot);
					happened[t][slot] += (double)row.count[slot].value;
				}
			}
			frame_unref(frame);
		}
	}
	explain_end(&explain);
	assert_false(explain.failed);
	for (unsigned t = 0; t < machine->n_types; t++)
		for (unsigned slot = SLOT_INSTRUCTIONS + 1; slot < rig.first.n_slots; slot++) {
			const struct event *event = rig.first.type[t].event[slot];

			if (!event || !event->needs_counter)
				continue;
			check_event(explained_of(&explain, t, event->name), &windows[t][slot],
				    1000 * happened[t][slot] / happened[t][SLOT_INSTRUCTIONS]);
			n_checked++;
		}
	assert_true(n_checked >= 16);
	for (size_t i = 1; i < explain.n; i++) { /* the largest share of a type stands first */
		const struct explained *is = &explain.event[i];

		assert_false(is->type == is[-1].type && is->low > 0 &&
			     (!(is[-1].low > 0) || is->share > is[-1].share));
	}
	explain_fini(&explain);
	rig_down(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_those_of_a_regression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
