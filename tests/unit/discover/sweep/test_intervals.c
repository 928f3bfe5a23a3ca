/* test_intervals.c: 99 % intervals hold what really happens in 99 % of all tries, by kind of response */
#include "rig/sweep_rig.h"

#include "pmu/sim/run.h"

enum { MAPS = 30, NULLS = 12 };

enum response { NONE, CONSTANT, VARYING, N_RESPONSES };

static const char *const response_names[] = { "none", "constant", "varying" };

struct coverage {
	unsigned held[N_RESPONSES], n[N_RESPONSES];
};

/* What is counted without noise is a whole number, which any interval holds. */
static bool has_noise(const struct sim_effect *effect)
{
	double counts = effect->once + effect->per_unit + effect->per_trigger;

	return effect->jitter > 1 || effect->spread * counts > 0 || effect->surplus > 0;
}

static enum response response_of(const struct sim_effect *effect)
{
	if (effect->per_trigger == 0)
		return NONE;
	return effect->surplus > 0 || effect->is_time ? VARYING : CONSTANT;
}

/* All ids that respond to a kernel, and some that do not. */
static void choose(unsigned seed, const char *kernel, struct text *ret)
{
	unsigned n_none = 0;

	for (uint64_t id = 1; id <= UINT8_MAX; id++) {
		struct sim_effect effect = sim_hidden_effect(seed, SIM_P, id, kernel);

		if (has_noise(&effect) && (response_of(&effect) != NONE || n_none++ < NULLS))
			text_printf(ret, "%s0x%02x", ret->n ? "," : "", (unsigned)id);
	}
}

static void look_at(const struct finding *finding, const struct sim_effect *effect,
		    struct coverage *ret)
{
	enum response response = response_of(effect);
	double truth = effect->per_trigger * (1 + effect->surplus / 2);

	if (!has_noise(effect))
		return;
	ret->n[response]++;
	ret->held[response] += finding->estimate.low <= truth && finding->estimate.high >= truth;
}

static void try_kernel(unsigned seed, struct backend *sim, const char *kernel, struct coverage *ret)
{
	struct text ids = { 0 };

	choose(seed, kernel, &ids);

	struct findings findings = sweep_whole(
		&(struct sweep_request){ .backend = sim, .ids = ids.bytes, .kernels = kernel });

	for (size_t i = 0; i < findings.n; i++) {
		const struct finding *finding = &findings.finding[i];
		struct sim_effect effect =
			sim_hidden_effect(seed, finding->type, finding->id, kernel);

		look_at(finding, &effect, ret);
	}
	findings_fini(&findings);
	text_fini(&ids);
}

static void test_intervals_hold_the_truth(void **state)
{
	struct coverage coverage = { { 0 }, { 0 } };

	(void)state;
	needs_no_threads();
	for (unsigned seed = 1; seed <= MAPS; seed++) {
		char options[64];

		snprintf(options, sizeof(options), "hidden,clock=virtual,seed=%u", seed);

		struct backend *sim = sweep_sim(options);

		for (const struct kernel *kernel = kernel_table; kernel->name; kernel++)
			try_kernel(seed, sim, kernel->name, &coverage);
		backend_close(sim);
	}
	for (enum response i = 0; i < N_RESPONSES; i++) {
		double share = (double)coverage.held[i] / coverage.n[i];

		print_message("# %s: %u of %u, %.2f %%\n", response_names[i], coverage.held[i],
			      coverage.n[i], 100 * share);
		assert_true(coverage.n[i] > 1000);
		assert_true(share >= 0.985 && share <= 0.995);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intervals_hold_the_truth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
