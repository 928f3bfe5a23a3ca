#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "discover/sweep.h"
#include "pmu/sim.h"

static struct backend *open_sim(const char *options)
{
	struct backend_config config = { .name = "sim", .options = options };
	struct backend *backend = NULL;
	struct err err = { "" };

	if (backend_open(&config, &backend, &err))
		fail_msg("%s", err.text);
	return backend;
}

/* A sweep to its end. */
static struct findings sweep_all(const struct sweep_request *request)
{
	struct sweep *sweep = NULL;
	struct findings findings;
	struct err err = { "" };

	if (sweep_new(request, &sweep, &err) || sweep_start(sweep, &err) ||
	    sweep_result(sweep, &err))
		fail_msg("%s", err.text);
	assert_int_equal(sweep_findings(sweep, &findings), 0);
	sweep_free(sweep);
	return findings;
}

struct score {
	unsigned responding, found, invented, masks_wrong, masks;
};

static void score_finding(struct backend *backend, const struct findings *findings,
			  const struct finding *finding, struct score *score)
{
	struct sim_answer answer = sim_truth_of_id(backend, finding->type, finding->id,
						   findings->kernel[finding->kernel]);
	const struct estimate *e = &finding->estimate;
	bool responds = answer.k != 0;

	if (answer.kind == SIM_CYCLES) {
		score->invented += e->verdict == VERDICT_CONSISTENT;
		return;
	}
	score->responding += responds;
	if (answer.kind == SIM_COUNTS && responds)
		score->found += e->verdict == VERDICT_CONSISTENT && e->k == answer.k;
	else if (responds)
		score->found += e->verdict == VERDICT_RELATED;
	else
		score->invented += finding_responds(finding);
	if ((responds && answer.kind == SIM_COUNTS && e->k != answer.k) || (responds && !(finding_responds(finding))) || (!responds && finding_responds(finding)))
		print_message("id %02x kernel %s type %u truth kind %d k %g: %s k %g slope %g [%g %g] p %g "
			      "pairs %u\n",
			      (unsigned)finding->id, findings->kernel[finding->kernel],
			      finding->type, answer.kind, answer.k, estimate_verdict_name(e->verdict), e->k,
			      e->slope, e->low, e->high, e->p, e->n_pairs);
}

static void score_masks(struct backend *backend, const struct findings *findings,
			struct score *score)
{
	for (unsigned type = 0; type < findings->n_types; type++)
		for (size_t i = 0; i < findings->ids.n; i++) {
			const struct findings_id *of_id = findings_of_id(findings, type, i);
			struct sim_answer answer =
				sim_truth_of_id(backend, type, findings->ids.id[i], "nop");

			if (of_id->mask.source == MASK_UNKNOWN)
				continue;
			score->masks++;
			score->masks_wrong += of_id->mask.counters != (answer.counters & 0x3fc);
		}
}

static void test_hidden(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 2; seed++) {
		char options[64];
		struct score score = { 0 };
		uint64_t from = clock_now_ns();

		snprintf(options, sizeof(options), "hidden,seed=%u", seed);

		struct backend *backend = open_sim(options);
		struct findings findings = sweep_all(&(struct sweep_request){ .backend = backend });

		for (size_t i = 0; i < findings.n; i++)
			score_finding(backend, &findings, &findings.finding[i], &score);
		score_masks(backend, &findings, &score);
		print_message("seed %u: %zu findings, %u respond, %u found, %u invented, masks %u, wrong %u, "
			      "%.1f s, %llu runs, rejected i %llu s %llu\n",
			      seed, findings.n, score.responding, score.found, score.invented,
			      score.masks, score.masks_wrong, (double)(clock_now_ns() - from) / 1e9,
			      (unsigned long long)findings.n_runs,
			      (unsigned long long)findings.rejected[DISTURBED_INTERRUPTED],
			      (unsigned long long)findings.rejected[DISTURBED_SLOW]);
		findings_fini(&findings);
		backend_close(backend);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
