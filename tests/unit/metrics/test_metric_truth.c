/* Every metric of every preset, XScale's modes among them, as a frame of the simulated M1 has it,
 * against what the simulation did: formulas by event number, written down apart from events/. */
#include <math.h>
#include <string.h>

#include "rig/sim_control.h"
#include "rig/sampler_rig.h"

/* The window in seconds, beside event numbers. */
enum { SECONDS = 0x100 };

enum kind {
	PLAIN,
	NOT_NEGATIVE,
	PER_SLOT,
	NOT_RARE, /* an upper bound; undefined where one of 1000 instructions or fewer was it */
};

/* scale × sum / sum; a minus takes away, 0 ends */
static const struct formula {
	const char *metric;
	double scale;
	int above[5], below[4];
	enum kind kind;
} formulas[] = {
	{ "IPC", 1, { 0x8c }, { 0x02 }, PLAIN },
	{ "CPI", 1, { 0x02 }, { 0x8c }, PLAIN },
	{ "uops_per_inst", 1, { 0x01 }, { 0x8c }, PLAIN },
	{ "uops_per_cycle", 1, { 0x01 }, { 0x02 }, PLAIN },
	{ "retire_share", 100, { 0x01 }, { 0x02 }, PER_SLOT },
	{ "branch_share", 100, { 0x8d }, { 0x8c }, PLAIN },
	{ "branch_mpki", 1000, { 0xcb }, { 0x8c }, PLAIN },
	{ "branch_miss_ratio", 100, { 0xcb }, { 0x8d }, PLAIN },
	{ "branch_miss_cond_share", 100, { 0xc5 }, { 0xcb }, PLAIN },
	{ "branch_indir_miss_ratio", 100, { 0xc6, -0xc8 }, { 0x93 }, PLAIN },
	{ "branch_ret_miss_ratio", 100, { 0xc8 }, { 0x8f }, PLAIN },
	{ "call_share", 100, { 0x8e }, { 0x8c }, PLAIN },
	{ "calls_per_return", 1, { 0x8e }, { 0x8f }, PLAIN },
	{ "branch_taken_ratio", 100, { 0x90 }, { 0x8d }, PLAIN },
	{ "flush_other_pki", 1000, { 0x84 }, { 0x8c }, PLAIN },
	{ "l1d_load_mpki", 1000, { 0xbf }, { 0x8c }, PLAIN },
	{ "l1d_store_mpki", 1000, { 0xc0 }, { 0x8c }, PLAIN },
	{ "l1d_mpki", 1000, { 0xa3 }, { 0x8c }, PLAIN },
	{ "l1d_miss_ratio", 100, { 0xbf, 0xc0 }, { 0x9b }, PLAIN },
	{ "l1d_spec_miss_ratio", 100, { 0xa3, 0xa2 }, { 0xa6, 0xa7 }, PLAIN },
	{ "l1d_misses_per_retired", 1, { 0xa3 }, { 0xbf }, PLAIN },
	{ "l1d_writeback_pki", 1000, { 0xa8 }, { 0x8c }, PLAIN },
	{ "l1d_writeback_bandwidth", 64e-6, { 0xa8 }, { SECONDS }, PLAIN },
	{ "l1d_tlb_mpki", 1000, { 0xc1 }, { 0x8c }, PLAIN },
	{ "l1d_tlb_miss_ratio", 100, { 0xc1 }, { 0x9b }, PLAIN },
	{ "l1d_tlb_fill_pki", 1000, { 0x05 }, { 0x8c }, PLAIN },
	{ "l2_tlb_data_mpki", 1000, { 0x0b }, { 0x8c }, PLAIN },
	{ "walk_data_pki", 1000, { 0x08 }, { 0x8c }, PLAIN },
	{ "l2_tlb_data_miss_ratio", 100, { 0x0b }, { 0x05 }, PLAIN },
	{ "mem_order_pki", 1000, { 0xc4 }, { 0x8c }, PLAIN },
	{ "line_cross_share", 100, { 0xb1 }, { 0xa6, 0xa7 }, PLAIN },
	{ "page_cross_share", 100, { 0xb2 }, { 0xa6, 0xa7 }, PLAIN },
	{ "atomic_fail_ratio", 100, { 0xb4 }, { 0xb4, 0xb3 }, PLAIN },
	{ "barrier_pki", 1000, { 0x9c }, { 0x8c }, PLAIN },
	{ "nontemporal_share", 100, { 0xe6, 0xe5 }, { 0xa6, 0xa7 }, PLAIN },
	{ "l1i_mpki", 1000, { 0xdb }, { 0x8c }, PLAIN },
	{ "l1i_tlb_mpki", 1000, { 0xd4 }, { 0x8c }, PLAIN },
	{ "l2_tlb_inst_mpki", 1000, { 0x0a }, { 0x8c }, PLAIN },
	{ "walk_inst_pki", 1000, { 0x07 }, { 0x8c }, PLAIN },
	{ "bubble_share", 100, { 0xd6 }, { 0x02 }, PLAIN },
	{ "bubble_per_l1i_miss", 1, { 0xd6 }, { 0xdb }, NOT_RARE },
	{ "bubble_per_mispredict", 1, { 0xd6 }, { 0xcb }, PLAIN },
	{ "fetch_restart_pki", 1000, { 0xde }, { 0x8c }, PLAIN },
	{ "stall_share", 100, { 0x76 }, { 0x02 }, PLAIN },
	{ "stall_dispatch_share", 100, { 0x70 }, { 0x02 }, PLAIN },
	{ "stall_other_share", 100, { 0x76, -0x70 }, { 0x02 }, PLAIN },
	{ "rewind_share", 100, { 0x75 }, { 0x02 }, PLAIN },
	{ "rewind_per_mispredict", 1, { 0x75 }, { 0xcb }, PLAIN },
	{ "uop_int_share", 100, { 0x7c }, { 0x7c, 0x7d, 0x7e }, PLAIN },
	{ "uop_ldst_share", 100, { 0x7d }, { 0x7c, 0x7d, 0x7e }, PLAIN },
	{ "uop_simd_share", 100, { 0x7e }, { 0x7c, 0x7d, 0x7e }, PLAIN },
	{ "speculation_overhead", 100, { 0x7c, 0x7d, 0x7e, -0x01 }, { 0x01 }, NOT_NEGATIVE },
	{ "irq_pending_share", 100, { 0x6c }, { 0x02 }, PLAIN },
	{ "load_share", 100, { 0x95, 0x98 }, { 0x8c }, PLAIN },
	{ "store_share", 100, { 0x96, 0x99 }, { 0x8c }, PLAIN },
	{ "nonload_share", 100, { 0x9b, -0x95, -0x98 }, { 0x8c }, PLAIN },
	{ "simd_memory_share", 100, { 0x98, 0x99 }, { 0x8c }, PLAIN },
	{ "simd_share", 100, { 0x9a }, { 0x8c }, PLAIN },
	{ "int_share", 100, { 0x97 }, { 0x8c }, PLAIN },
	{ "xscale_icache_miss_ratio", 100, { 0xdb }, { 0x8c }, PLAIN },
	{ "xscale_dcache_miss_ratio", 100, { 0xbf, 0xc0 }, { 0x9b }, PLAIN },
	{ "xscale_dcache_spec_miss_ratio", 100, { 0xa2, 0xa3 }, { 0xa6, 0xa7 }, PLAIN },
	{ "xscale_dtlb_spec_miss_ratio", 100, { 0x05 }, { 0xa6, 0xa7 }, PLAIN },
	{ "xscale_fetch_latency", 1, { 0xd6 }, { 0xdb }, NOT_RARE },
	{ "xscale_fetch_share", 100, { 0xd6 }, { 0x02 }, PLAIN },
	{ "xscale_bus_share", 100, { 0x70 }, { 0x02 }, PLAIN },
	{ "xscale_stall_share", 100, { 0x76 }, { 0x02 }, PLAIN },
	{ "xscale_writeback_pki", 1000, { 0xa8 }, { 0x8c }, PLAIN },
	{ "xscale_itlb_miss_ratio", 100, { 0xd4 }, { 0x8c }, PLAIN },
};

/* Each mode of the manual that is a preset, and the statistics that it is there for. */
static const struct {
	const char *preset, *metric[2];
} modes[] = {
	{ "xscale-icache", { "xscale_icache_miss_ratio", "CPI" } },
	{ "xscale-dcache", { "xscale_dcache_miss_ratio" } },
	{ "xscale-fetch", { "xscale_fetch_latency", "xscale_fetch_share" } },
};

/* One core's window. */
struct window {
	const struct rig *rig;
	unsigned core;
	uint64_t from_ns, to_ns;
};

static double happened(const struct window *window, int what)
{
	if (what == SECONDS)
		return (double)(window->to_ns - window->from_ns) / 1e9;
	return (double)sim_truth(window->rig->backend, window->core, (uint64_t)what, PRIVILEGE_BOTH,
				 window->from_ns, window->to_ns);
}

static double sum(const struct window *window, const int *what)
{
	double total = 0;

	for (; *what; what++)
		total += *what > 0 ? happened(window, *what) : -happened(window, -*what);
	return total;
}

static double truth(const struct window *window, const struct formula *formula)
{
	const struct machine *machine = &window->rig->backend->machine;
	bool is_p = machine->type[machine->core[window->core].type].name[0] == 'P';
	double value = formula->scale * sum(window, formula->above) / sum(window, formula->below);

	if (formula->kind == PER_SLOT)
		value /= is_p ? 8 : 4;
	return formula->kind == NOT_NEGATIVE ? fmax(0, value) : value;
}

static const struct formula *formula_of(const char *metric)
{
	for (size_t i = 0; i < ARRAY_SIZE(formulas); i++)
		if (strcmp(formulas[i].metric, metric) == 0)
			return &formulas[i];
	fail_msg("%s: no truth is known of it", metric);
	return NULL;
}

struct running_stats {
	unsigned n_frames, n_compared, n_positive[ARRAY_SIZE(formulas)];
};

static bool is_too_rare(const struct window *window, const struct formula *formula)
{
	return formula->kind == NOT_RARE &&
	       1000 * sum(window, formula->below) <= happened(window, 0x8c);
}

static void check_metric(const struct window *window, const struct frame *frame, const char *metric,
			 struct running_stats *running_stats)
{
	const struct formula *formula = formula_of(metric);
	int column = metrics_column(frame->bound, metrics_find(&window->rig->metrics, metric));

	if (column < 0)
		fail_msg("%s: %s has no column", frame->set->preset, metric);

	struct reading shown = frame_metrics(frame, window->core)[column];
	double value = truth(window, formula);

	if (is_too_rare(window, formula)) {
		assert_int_equal(shown.quality, QUALITY_UNDEFINED);
		return;
	}
	if (shown.quality != (formula->kind == NOT_RARE ? QUALITY_SCALED : QUALITY_OK) ||
	    fabs(shown.value - value) > 1e-9 * fabs(value))
		fail_msg("%s of %s, core %u: %s %.17g, truth %.17g", metric, frame->set->preset,
			 window->core, quality_name(shown.quality), shown.value, value);
	running_stats->n_compared++;
	running_stats->n_positive[formula - formulas] += value > 0;
}

static void check_frame(const struct rig *rig, const struct frame *frame,
			const struct catalog_preset *preset, struct running_stats *running_stats)
{
	for (unsigned core = 0; core < frame->n_cores; core++) {
		const struct frame_core *fc = &frame->core[core];
		uint64_t to = rig->sampler->start_ns + fc->t_ns;
		const struct window window = { rig, core, to - fc->window_ns, to };

		assert_int_equal(fc->state, CORE_ON);
		for (const char *const *metric = preset->metric; *metric; metric++)
			check_metric(&window, frame, *metric, running_stats);
	}
	running_stats->n_frames++;
}

static void load_preset(struct rig *rig, const char *name)
{
	struct err err = { "" };
	struct set set;

	must(set_preset(rig->events, name, PRIVILEGE_BOTH, &set, &err), &err);
	must(sampler_load(rig->sampler, &set, &err), &err);
}

/* Some seconds of one preset, in which every core goes through phases of its load. */
static void measure(struct rig *rig, const struct catalog_preset *preset,
		    struct running_stats *running_stats)
{
	const struct frame *frame;

	load_preset(rig, preset->name);
	for (unsigned tick = 0; tick < 8; tick++) {
		assert_int_equal(sampler_step(rig->sampler), 0);
		while ((frame = queue_pop(rig->queue, NULL))) {
			if (!strcmp(frame->set->preset, preset->name))
				check_frame(rig, frame, preset, running_stats);
			frame_unref(frame);
		}
	}
}

static void every_preset_tells_the_truth(void **state)
{
	struct running_stats running_stats = { 0 };
	struct rig rig;

	(void)state;
	rig_up(&rig, "clock=virtual,seed=8", 700 * NS_PER_MS);

	const struct catalog *catalog = rig.backend->machine.type[0].catalog;

	for (size_t i = 0; i < catalog->n_presets; i++)
		measure(&rig, &catalog->preset[i], &running_stats);
	print_message("# %u figures compared in %u frames of %zu presets\n",
		      running_stats.n_compared, running_stats.n_frames, catalog->n_presets);
	assert_true(running_stats.n_frames >= 7 * catalog->n_presets);
	/* nothing was right because nothing happens */
	for (size_t i = 0; i < ARRAY_SIZE(formulas); i++)
		if (!running_stats.n_positive[i])
			fail_msg("%s was never above 0", formulas[i].metric);
	rig_down(&rig);
}

static bool is_metric_of(const struct catalog_preset *preset, const char *name)
{
	for (const char *const *metric = preset->metric; *metric; metric++)
		if (strcmp(*metric, name) == 0)
			return true;
	return false;
}

/* Beside them the combined presets, which have most of them in one or two sets. */
static void every_mode_has_its_statistics(void **state)
{
	struct rig rig;

	(void)state;
	rig_up(&rig, "clock=virtual", NS_PER_S);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		for (unsigned type = 0; type < rig.backend->machine.n_types; type++) {
			const struct catalog *catalog = rig.backend->machine.type[type].catalog;
			const struct catalog_preset *preset =
				catalog_preset_find(catalog, modes[i].preset);

			assert_non_null(preset);
			assert_true(strlen(preset->what) > strlen(preset->brief));
			assert_true(is_metric_of(preset, modes[i].metric[0]));
			if (modes[i].metric[1])
				assert_true(is_metric_of(preset, modes[i].metric[1]));
		}
	rig_down(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_preset_tells_the_truth),
		cmocka_unit_test(every_mode_has_its_statistics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
