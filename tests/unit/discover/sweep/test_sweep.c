/* test_sweep.c: whole sweeps of machines whose events only the seed knows, held against the answer */
#include "rig/sim_control.h"
#include "rig/sweep_rig.h"

#include <poll.h>
#include <stdlib.h>

#include "discover/findings.h"

/* All the seeds that discover is measured by where there is time: with CI set, unsanitized. */
enum { SEEDS = 3, SEEDS_ALL = 20 };

static unsigned choose_seeds(void)
{
	const char *san = getenv("SAN");

	if (san && *san)
		return 1;
	return getenv("CI") ? SEEDS_ALL : SEEDS;
}

struct score {
	unsigned responding, found; /* ids on a type: all their kernels are right */
	unsigned answers, right;    /* kernels of these */
	unsigned invented;
	unsigned masks, masks_wrong, masks_missed;
	uint64_t n_runs, ns;
};

/* What speculates counts more than k by another amount each time: k or no simple factor, not less. */
static bool is_right(const struct sim_answer *answer, const struct estimate *e)
{
	if (answer->kind == SIM_SPECULATES)
		return e->verdict == VERDICT_RELATED ||
		       (e->verdict == VERDICT_CONSISTENT && e->k == answer->k);
	return e->verdict == VERDICT_CONSISTENT && e->k == answer->k;
}

static bool is_claim(const struct sim_answer *answer, const struct finding *finding)
{
	if (answer->kind == SIM_CYCLES) /* it does take time: only a claim of a factor is wrong */
		return finding->estimate.verdict == VERDICT_CONSISTENT;
	return finding_responds(finding);
}

static void tell(const struct finding *finding, const char *kernel, double k)
{
	const struct estimate *e = &finding->estimate;

	print_message("# 0x%02x, %s, type %u: %s, %g (%g to %g), p %g, where k is %g\n",
		      (unsigned)finding->id, kernel, finding->type,
		      estimate_verdict_name[e->verdict], e->slope, e->low, e->high, e->p, k);
}

static void score_id(struct backend *sim, const struct findings *findings, unsigned type,
		     uint64_t id, struct score *score)
{
	unsigned answers = 0, right = 0;

	for (unsigned kernel = 0; kernel < findings->n_kernels; kernel++) {
		const char *name = findings->kernel[kernel];
		struct sim_answer answer = sim_truth_of_id(sim, type, id, name);
		const struct finding *finding = sweep_finding(findings, type, name, id);

		assert_non_null(finding);
		if (answer.k == 0) {
			if (is_claim(&answer, finding)) {
				score->invented++;
				tell(finding, name, 0);
			}
			continue;
		}
		answers++;
		if (is_right(&answer, &finding->estimate))
			right++;
		else
			tell(finding, name, answer.k);
	}
	score->responding += answers > 0;
	score->found += answers > 0 && answers == right;
	score->answers += answers;
	score->right += right;
}

static bool is_stirred(struct backend *sim, unsigned type, uint64_t id)
{
	for (const struct kernel *kernel = kernel_table; kernel->name; kernel++)
		if (sim_truth_of_id(sim, type, id, kernel->name).k > 0)
			return true;
	return false;
}

static void score_mask(struct backend *sim, const struct findings *findings, unsigned type,
		       size_t place, struct score *score)
{
	const struct findings_id *of_id = findings_of_id(findings, type, place);
	uint64_t id = findings->ids.id[place];
	struct sim_answer answer = sim_truth_of_id(sim, type, id, "");

	assert_true(of_id->is_mask_done);
	if (of_id->mask.source == MASK_UNKNOWN) {
		score->masks_missed += is_stirred(sim, type, id);
		return;
	}
	score->masks++;
	score->masks_wrong += of_id->mask.counters != (answer.counters & 0x3fc);
}

static struct score sweep_seed(unsigned seed)
{
	char options[64];
	struct score score = { 0 };
	uint64_t from_ns = clock_now_ns();

	snprintf(options, sizeof(options), "hidden,seed=%u", seed);

	struct backend *sim = sweep_sim(options);
	struct findings findings = sweep_whole(&(struct sweep_request){ .backend = sim });

	score.ns = clock_now_ns() - from_ns;
	score.n_runs = findings.n_runs;
	assert_int_equal(findings.ids.n, 256);
	assert_true(findings.is_complete);
	for (unsigned type = 0; type < findings.n_types; type++)
		for (size_t i = 0; i < findings.ids.n; i++) {
			score_id(sim, &findings, type, findings.ids.id[i], &score);
			score_mask(sim, &findings, type, i, &score);
		}
	findings_fini(&findings);
	backend_close(sim);
	return score;
}

static void test_hidden_machines(void **state)
{
	unsigned n_seeds = choose_seeds();
	unsigned responding = 0, found = 0;

	(void)state;
	for (unsigned seed = 1; seed <= n_seeds; seed++) {
		struct score s = sweep_seed(seed);

		print_message("# seed %u: %u of %u ids with every factor right, %u of %u answers, "
			      "%u invented; %u masks, %u wrong, %u missed; %llu runs, %.1f s\n",
			      seed, s.found, s.responding, s.right, s.answers, s.invented, s.masks,
			      s.masks_wrong, s.masks_missed, (unsigned long long)s.n_runs,
			      (double)s.ns / 1e9);
		assert_int_equal(s.invented, 0);
		assert_int_equal(s.masks_wrong, 0);
		assert_int_equal(s.masks_missed, 0);
		assert_true(s.responding > 50);
		responding += s.responding;
		found += s.found;
	}
	assert_true((double)found >= 0.99 * responding);
}

/* ---- one kernel ---- */

static void check_events(struct backend *sim, const struct findings *findings)
{
	struct findings_events events;
	struct text text = { 0 };

	findings_print_events(findings, &text, &events);
	assert_true(events.n_factors > 0 && events.n_unsure > 0);
	for (size_t i = 0; i < findings->ids.n; i++) {
		uint64_t id = findings->ids.id[i];
		char name[32];

		snprintf(name, sizeof(name), "\"UNKNOWN_%02X_", (unsigned)id);
		if (sim_truth_of_id(sim, 0, id, "").kind == SIM_CYCLES && strstr(text.bytes, name))
			fail_msg("0x%02x counts cycles, and is an event", (unsigned)id);
	}
	text_fini(&text);
}

/* As a kernel of one's own runs. Nothing is invented; one answer in sixty is in proportion to cycles in
 * trigger and control, and is told as that. */
static void test_one_kernel(void **state)
{
	static const char *const kernels[] = { "nop", "load", "div" };
	unsigned n_seeds = choose_seeds();
	struct score score = { 0 };

	(void)state;
	for (unsigned seed = 1; seed <= n_seeds; seed++)
		for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
			char options[64];

			snprintf(options, sizeof(options), "hidden,seed=%u", seed);

			struct backend *sim = sweep_sim(options);
			struct findings findings = sweep_whole(
				&(struct sweep_request){ .backend = sim, .kernels = kernels[i] });

			for (unsigned type = 0; type < findings.n_types; type++)
				for (size_t j = 0; j < findings.ids.n; j++)
					score_id(sim, &findings, type, findings.ids.id[j], &score);
			check_events(sim, &findings);
			findings_fini(&findings);
			backend_close(sim);
		}
	print_message("# %u of %u answers, %u invented\n", score.right, score.answers,
		      score.invented);
	assert_int_equal(score.invented, 0);
	assert_true(score.answers > 20 * n_seeds);
	assert_true(score.right >= 0.95 * score.answers);
}

/* ---- going on ---- */

static void wait_until(struct sweep *sweep, double share)
{
	struct sweep_progress progress = { 0 };

	while (progress.share < share && !progress.is_over) {
		poll(NULL, 0, 1);
		sweep_get_progress(sweep, &progress);
	}
}

static const char some_ids[] = "0x00-0x7f", some_kernels[] = "nop,load,store,fma";

/* Stopped somewhere in the second type, which is slow, and gone on: nothing is missing, nothing was done twice. */
static void test_stopped_and_resumed(void **state)
{
	struct backend *sim = sweep_sim("hidden,seed=4");
	struct sweep_request request = { .backend = sim, .ids = some_ids, .kernels = some_kernels };
	struct sweep *sweep = sweep_make(&request);
	struct findings half, whole, never;
	struct err err = { "" };

	(void)state;
	assert_int_equal(sim_slow_read(sim, 7, NS_PER_MS), 0);
	assert_int_equal(sweep_start(sweep, &err), 0);
	wait_until(sweep, 0.55);
	sweep_stop(sweep);
	assert_int_equal(sweep_result(sweep, &err), -ECANCELED);
	assert_int_equal(sweep_findings(sweep, &half, NULL), 0);
	sweep_free(sweep);
	assert_false(half.is_complete);
	assert_true(half.n > 0 && half.n < 2 * 4 * 128);

	assert_int_equal(sim_slow_read(sim, 7, 0), 0);
	request = (struct sweep_request){ .backend = sim, .old = &half };
	whole = sweep_whole(&request);
	assert_true(whole.is_complete);
	assert_int_equal(whole.n, 2 * 4 * 128);
	assert_true(whole.n_runs > half.n_runs);

	/* the same orders and draws: only the simulation's noise differs */
	request =
		(struct sweep_request){ .backend = sim, .ids = some_ids, .kernels = some_kernels };
	never = sweep_whole(&request);
	for (size_t i = 0; i < whole.n; i++) {
		assert_int_equal(whole.finding[i].id, never.finding[i].id);
		assert_int_equal(finding_responds(&whole.finding[i]),
				 finding_responds(&never.finding[i]));
	}
	findings_fini(&half);
	findings_fini(&whole);
	findings_fini(&never);
	backend_close(sim);
}

static void test_resumed_with_more(void **state)
{
	struct backend *sim = sweep_sim("hidden,seed=5");
	struct findings first = sweep_whole(&(struct sweep_request){
		.backend = sim, .ids = "0x10-0x1f", .kernels = "nop", .is_quick = true });
	struct findings more = sweep_whole(&(struct sweep_request){
		.backend = sim, .ids = "0x20", .kernels = "load", .old = &first });

	(void)state;
	assert_int_equal(first.n, 2 * 16);
	assert_int_equal(more.ids.n, 17);
	assert_int_equal(more.n_kernels, 2);
	assert_int_equal(more.n, 2 * 17 * 2);
	assert_true(more.is_quick);
	assert_int_equal(more.plan.n_lengths, first.plan.n_lengths);
	for (size_t i = 0; i < first.n; i++) {
		const struct finding *was = &first.finding[i];
		const struct finding *is = sweep_finding(&more, was->type, "nop", was->id);

		assert_memory_equal(&was->estimate.slope, &is->estimate.slope, sizeof(double));
	}
	findings_fini(&first);
	findings_fini(&more);
	backend_close(sim);
}

/* ---- what is refused ---- */

static void test_refusals(void **state)
{
	struct backend *sim = sweep_sim("hidden,seed=1");
	struct findings other = { .machine = { .model = "another", .backend = "sim" } };
	struct findings seed2 =
		sweep_whole(&(struct sweep_request){ .backend = sim,
						     .backend_text = "sim:hidden,seed=2",
						     .ids = "1",
						     .kernels = "nop" });
	struct findings big = sweep_whole(
		&(struct sweep_request){ .backend = sim, .ids = "1", .kernels = "nop" });
	struct findings beyond = sweep_whole(
		&(struct sweep_request){ .backend = sim, .ids = "1", .kernels = "nop" });
	const struct {
		struct sweep_request request;
		int rc;
		const char *says;
	} rows[] = {
		{ { .ids = "0x100" }, -EINVAL, "event ids of apple_icestorm_pmu end at 0xff" },
		{ { .ids = "0x20-0x10" }, -EINVAL, "\"0x20-0x10\" is not a list of event ids" },
		{ { .kernels = "load,lode" }, -EINVAL, "no kernel is named \"lode\"" },
		{ { .kernels = "," }, -EINVAL, "no kernel is named \"\"" },
		{ { .old = &other }, -EINVAL, "another machine: another" },
		{ { .old = &seed2 }, -EINVAL, "made with --backend sim:hidden,seed=2" },
		{ { .old = &seed2, .backend_text = "sim:seed=2" }, -EINVAL, "made with --backend" },
		{ { .old = &seed2, .backend_text = "perf:hidden,seed=2" },
		  -EINVAL,
		  "made with --backend" },
		{ { .old = &big }, -EINVAL, "its big cores are missing here" },
		{ { .old = &beyond }, -EINVAL, "event ids of apple_icestorm_pmu end at 0xff" },
	};

	(void)state;
	snprintf(big.type[1].name, sizeof(big.type[1].name), "big");
	beyond.ids.id[0] = 0x100;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sweep_request request = rows[i].request;
		struct sweep *sweep = NULL;
		struct err err = { "" };

		request.backend = sim;
		assert_int_equal(sweep_new(&request, &sweep, &err), rows[i].rc);
		if (!strstr(err.text, rows[i].says))
			fail_msg("row %zu: %s", i, err.text);
	}
	findings_fini(&seed2);
	findings_fini(&big);
	findings_fini(&beyond);
	backend_close(sim);
}

/* ---- trouble meanwhile ---- */

/* The last core of a type is taken, of those that are online. */
static void test_core_offline_from_the_beginning(void **state)
{
	struct backend *sim = sweep_sim("hidden,seed=1");

	(void)state;
	sim_core_offline(sim, 7, true);
	sim_core_offline(sim, 6, true);

	struct findings findings = sweep_whole(
		&(struct sweep_request){ .backend = sim, .ids = "1", .kernels = "nop" });

	assert_int_equal(findings.type[0].cpu, 3);
	assert_int_equal(findings.type[1].cpu, 5);
	assert_int_equal(findings.n, 2);
	findings_fini(&findings);
	backend_close(sim);
}

static void test_core_gone(void **state)
{
	struct backend *sim = sweep_sim("hidden,seed=1");
	struct sweep *sweep = sweep_make(&(struct sweep_request){
		.backend = sim, .ids = some_ids, .kernels = some_kernels });
	struct findings findings;
	struct err err = { "" };

	(void)state;
	assert_int_equal(sim_slow_read(sim, 3, NS_PER_MS), 0);
	assert_int_equal(sweep_start(sweep, &err), 0);
	wait_until(sweep, 0.15);
	sim_core_offline(sim, 3, true);
	assert_int_equal(sweep_result(sweep, &err), -ENODEV);
	assert_non_null(strstr(err.text, "3"));
	assert_int_equal(sweep_findings(sweep, &findings, NULL), 0);
	assert_true(findings.n > 0);
	assert_false(findings.is_complete);
	findings_fini(&findings);
	sweep_free(sweep);
	backend_close(sim);
}

/* A counter that somebody else has: its runs are lost, and what is on it stays unknown. */
static unsigned n_unknown(const struct findings *findings, unsigned type)
{
	unsigned n = 0;

	for (size_t i = 0; i < findings->n; i++)
		n += findings->finding[i].type == type &&
		     findings->finding[i].estimate.verdict == VERDICT_UNKNOWN;
	return n;
}

/* Somebody else has counters of the core that is used: the ids go on those that are left. */
static void test_counters_stolen(void **state)
{
	static const struct {
		unsigned first, last;
		bool is_any_left;
	} rows[] = { { 7, 7, true }, { 2, 9, false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct backend *sim = sweep_sim("hidden,seed=1");

		for (unsigned counter = rows[i].first; counter <= rows[i].last; counter++)
			sim_steal(sim, 3, counter, true);

		struct findings findings = sweep_whole(&(struct sweep_request){
			.backend = sim, .ids = "0x01-0x20", .kernels = "nop", .is_quick = true });

		assert_int_equal(n_unknown(&findings, 0), rows[i].is_any_left ? 0 : 0x20);
		assert_int_equal(n_unknown(&findings, 1), 0);
		assert_int_equal(findings.rejected[DISTURBED_LOST] > 0, !rows[i].is_any_left);
		findings_fini(&findings);
		backend_close(sim);
	}
}

static void test_only_masks(void **state)
{
	struct backend *sim = sweep_sim("hidden,seed=1");
	struct findings findings = sweep_whole(
		&(struct sweep_request){ .backend = sim, .ids = "0x01-0x40", .only_masks = true });
	unsigned found = 0;

	(void)state;
	assert_int_equal(findings.n_kernels, 0);
	assert_int_equal(findings.n, 0);
	for (size_t i = 0; i < findings.ids.n; i++)
		found += findings_of_id(&findings, 0, i)->mask.source == MASK_BY_COUNTING;
	assert_true(found > 10);
	findings_fini(&findings);
	backend_close(sim);
}

/* What is known of an M1: loads and stores, and that no cycles are claimed for anything else. */
static void test_known_machine(void **state)
{
	struct backend *sim = sweep_sim("seed=1");
	struct findings findings = sweep_whole(
		&(struct sweep_request){ .backend = sim, .kernels = "nop,load,store,add" });
	static const struct {
		const char *kernel;
		uint64_t id;
	} ones[] = { { "load", 0x95 }, { "store", 0x96 }, { "nop", 0x8c }, { "add", 0x97 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ones); i++)
		for (unsigned type = 0; type < 2; type++) {
			const struct finding *finding =
				sweep_finding(&findings, type, ones[i].kernel, ones[i].id);

			assert_int_equal(finding->estimate.verdict, VERDICT_CONSISTENT);
			assert_true(finding->estimate.k == 1);
		}
	assert_true(findings_of_id(&findings, 0, 0x02)->per_cycle > 0.95);
	assert_string_equal(findings_of_id(&findings, 0, 0x95)->label, "INST_INT_LD");
	assert_false(findings_of_id(&findings, 0, 0x95)->is_conflict);
	findings_fini(&findings);
	backend_close(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hidden_machines),
		cmocka_unit_test(test_one_kernel),
		cmocka_unit_test(test_stopped_and_resumed),
		cmocka_unit_test(test_resumed_with_more),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_core_offline_from_the_beginning),
		cmocka_unit_test(test_core_gone),
		cmocka_unit_test(test_counters_stolen),
		cmocka_unit_test(test_only_masks),
		cmocka_unit_test(test_known_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
