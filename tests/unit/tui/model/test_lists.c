/* Lists of the screen: cursors, the order of metrics, presets to rotate through, figures of a row. */
#include "rig/harness.h"

#include "rig/sim_rig.h"
#include "tui/widget/cursor.h"
#include "tui/model/figure.h"
#include "tui/term/key.h"
#include "tui/model/columns.h"
#include "tui/model/presets.h"

static void a_cursor_moves_within_its_list(void **state)
{
	static const struct {
		int key;
		unsigned from, to;
	} row[] = {
		{ KEY_DOWN, 0, 1 },  { KEY_DOWN, 9, 9 },  { KEY_UP, 0, 0 },    { KEY_UP, 5, 4 },
		{ KEY_NPAGE, 0, 4 }, { KEY_NPAGE, 7, 9 }, { KEY_PPAGE, 3, 0 }, { KEY_PPAGE, 9, 5 },
		{ KEY_HOME, 7, 0 },  { KEY_END, 0, 9 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct cursor cursor = { .at = row[i].from };

		print_message("row %zu\n", i);
		assert_true(cursor_key(&cursor, row[i].key, 10, 4));
		assert_int_equal(cursor.at, row[i].to);
	}
	assert_false(cursor_key(&(struct cursor){ 0 }, 'x', 10, 4));
	assert_int_equal(cursor_letter('j'), KEY_DOWN);
	assert_int_equal(cursor_letter('G'), KEY_END);
	assert_int_equal(cursor_letter('x'), 'x');
}

static void a_cursor_is_always_seen(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 12; n++) {
		for (unsigned n_seen = 1; n_seen < 14; n_seen++) {
			for (unsigned at = 0; at < 15; at++) {
				struct cursor cursor = { .at = at, .top = 14 - at };

				cursor_follow(&cursor, n, n_seen);
				assert_true(cursor.at < n || (n == 0 && cursor.at == 0));
				assert_true(cursor.top <= cursor.at);
				assert_true(cursor.at < cursor.top + n_seen);
				assert_true(cursor.top == 0 || cursor.top + n_seen <= n);
			}
		}
	}
}

static void empty_lists_have_cursors_too(void **state)
{
	struct cursor cursor = { 0 };

	(void)state;
	assert_true(cursor_key(&cursor, KEY_END, 0, 8));
	assert_true(cursor_key(&cursor, KEY_DOWN, 0, 8));
	assert_int_equal(cursor.at, 0);
}

static unsigned number_of(const struct metrics *metrics, const char *name)
{
	int number = metrics_find(metrics, name);

	assert_true(number >= 0);
	return (unsigned)number;
}

static struct metrics make_metrics(struct sim_rig *rig)
{
	struct metrics metrics;

	assert_int_equal(metrics_make(&rig->sim->machine, &metrics, &rig->err), 0);
	return metrics;
}

static void metrics_chosen_stand_first(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=1");
	struct metrics metrics = make_metrics(&rig);
	struct set set = sim_rig_set(&rig, "INST_BRANCH,BRANCH_MISPRED_NONSPEC");
	struct metric_list chosen = { 0 }, list;

	(void)state;
	metric_list_add(&chosen, number_of(&metrics, "branch_miss_ratio"));
	metric_list_add(&chosen, number_of(&metrics, "l1i_mpki")); /* not counted */
	assert_int_equal(metric_list_of_set(&metrics, &set, &chosen, &list), 0);
	assert_int_equal(list.number[0], number_of(&metrics, "branch_miss_ratio"));
	assert_int_equal(list.n_leading, 1);
	assert_true(list.n >= 1);
	assert_false(metric_list_has(&list, number_of(&metrics, "l1i_mpki")));
	for (unsigned i = 0; i < list.n; i++)
		for (unsigned k = 0; k < i; k++)
			assert_int_not_equal(list.number[i], list.number[k]);
	metrics_fini(&metrics);
	sim_rig_close(&rig);
}

static void a_presets_metrics_stand_first(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=1");
	struct metrics metrics = make_metrics(&rig);
	struct metric_list none = { 0 }, list;
	const struct catalog_preset *preset =
		catalog_preset_find(rig.sim->machine.type[0].catalog, "branch");
	struct set set;

	(void)state;
	assert_int_equal(set_preset(rig.events, "branch", PRIVILEGE_BOTH, &set, &rig.err), 0);
	assert_int_equal(metric_list_of_set(&metrics, &set, &none, &list), 0);
	assert_non_null(preset->metric);
	for (unsigned i = 0; preset->metric[i]; i++)
		assert_string_equal(metrics.metric[list.number[i]].name, preset->metric[i]);
	assert_true(list.n_leading > 1);
	assert_true(list.n > list.n_leading);
	metrics_fini(&metrics);
	sim_rig_close(&rig);
}

/* Metrics with their groups, on two core types. */
static struct metric grouped(const char *name, const char *p, const char *e)
{
	return (struct metric){ .name = name, .groups = { p, e } };
}

/* As on Alder Lake: icache_misses is below fetch_latency on one type, below ifetch_latency on the other. */
static void parts_stand_below_what_they_divide(void **state)
{
	enum { CORE, IPC, BACKEND, DRAM, MEMORY, FETCH, ICACHE, IFETCH, A, B, N };
	struct metric metric[N] = {
		[CORE] = grouped("core", "TopdownL2;backend_group", NULL),
		[IPC] = grouped("IPC", "Summary", "Summary"),
		[BACKEND] = grouped("backend", "TmaL1;TopdownL1;tma_L1_group", "TopdownL1"),
		[DRAM] = grouped("dram", "memory_group", NULL),
		[MEMORY] = grouped("memory", "Backend;Backend_Group;backend_groups", NULL),
		[FETCH] = grouped("fetch", "TopdownL2", NULL),
		[ICACHE] = grouped("icache", "fetch_group", "ifetch_group"),
		[IFETCH] = grouped("ifetch", NULL, "TopdownL2"),
		[A] = grouped("a", "b_group", NULL),
		[B] = grouped("b", "a_group;b_group", NULL),
	};
	static const struct {
		uint16_t number;
		uint8_t depth;
		int8_t above;
	} row[N] = { { IPC, 0, -1 }, { BACKEND, 0, -1 }, { CORE, 1, 1 },   { MEMORY, 1, 1 },
		     { DRAM, 2, 3 }, { FETCH, 0, -1 },   { ICACHE, 1, 5 }, { IFETCH, 0, -1 },
		     { A, 0, -1 },   { B, 1, 8 } };
	const struct metrics metrics = { .metric = metric, .n = N };
	struct metric_list list = { .n_leading = 3 };
	uint8_t depth[METRICS_BOUND_MAX];

	(void)state;
	for (unsigned i = 0; i < N; i++)
		metric_list_add(&list, i);
	metric_list_nest(&metrics, &list, depth);
	assert_int_equal(list.n, N);
	assert_int_equal(list.n_leading, 5); /* core, IPC and backend, with all that divides it */
	for (unsigned i = 0; i < N; i++) {
		print_message("row %u\n", i);
		assert_int_equal(list.number[i], row[i].number);
		assert_int_equal(depth[i], row[i].depth);
		assert_int_equal(metric_list_above(depth, i), row[i].above);
	}
	assert_string_equal(metric_first_level(&metric[BACKEND]), "TopdownL1");
	assert_null(metric_first_level(&metric[CORE]));
	assert_true(metric_divides(&metric[ICACHE], &metric[IFETCH], -1));
	assert_true(metric_divides(&metric[ICACHE], &metric[IFETCH], 1));
	assert_false(metric_divides(&metric[ICACHE], &metric[IFETCH], 0));
	assert_false(metric_divides(&metric[B], &metric[B], -1));
}

static void a_list_has_each_metric_once(void **state)
{
	struct metric_list list = { 0 };

	(void)state;
	metric_list_add(&list, 7);
	metric_list_add(&list, 3);
	metric_list_add(&list, 7);
	assert_int_equal(list.n, 2);
	metric_list_remove(&list, 7);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.number[0], 3);
	for (unsigned i = 0; i < 300; i++)
		metric_list_add(&list, i);
	assert_int_equal(list.n, METRICS_BOUND_MAX);
}

static void each_preset_once_in_the_files_order(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=1");
	struct presets presets;

	(void)state;
	assert_int_equal(presets_make(&rig.sim->machine, &presets), 0);
	assert_true(presets.n > 5);
	assert_string_equal(presets.preset[0].known->name, "overview");
	for (unsigned i = 0; i < presets.n; i++)
		assert_int_equal(presets_find(&presets, presets.preset[i].known->name), i);
	assert_int_equal(presets_find(&presets, "no such preset"), -1);
	presets_fini(&presets);
	sim_rig_close(&rig);
}

static void rotation_goes_round(void **state)
{
	const struct catalog_preset usual = { .group = "" }, variant = { .group = "XScale" };
	struct preset preset[] = { { .known = &usual },
				   { .known = &usual },
				   { .known = &usual },
				   { .known = &usual },
				   { .known = &variant } };
	struct presets presets = { .preset = preset, .n = 5 };

	(void)state;
	assert_int_equal(presets_next(&presets, -1), 0);
	assert_int_equal(presets_next(&presets, 0), 1);
	assert_int_equal(presets_next(&presets, 3), 0);
	preset[1].is_refused = true;
	assert_int_equal(presets_next(&presets, 0), 2);
	preset[0].is_ticked = preset[3].is_ticked = true;
	assert_int_equal(presets_n_ticked(&presets), 2);
	assert_int_equal(presets_next(&presets, 0), 3);
	assert_int_equal(presets_next(&presets, 3), 0);
	assert_int_equal(presets_next(&presets, 2), 3); /* the present one is not ticked */
	preset[3].is_ticked = false;
	assert_int_equal(presets_next(&presets, 0), -1); /* there is no other */
	preset[4].is_ticked = true;                      /* a variant is one that is asked for */
	assert_int_equal(presets_next(&presets, 0), 4);
	preset[4].is_ticked = false;
	preset[0].is_refused = true;
	assert_int_equal(presets_next(&presets, 2), -1);
	assert_int_equal(presets_next(&(struct presets){ 0 }, -1), -1);
}

static void figures_of_a_row(void **state)
{
	static const struct {
		double largest, value;
		enum quality quality;
		const char *text; /* in five columns */
	} row[] = {
		{ 0.012, 0.0042, QUALITY_OK, "0.004" },
		{ 0.012, 0.0042, QUALITY_SCALED, "<0.01" },
		{ 5, 2.284, QUALITY_OK, "2.28" },
		{ 5, 2.284, QUALITY_SCALED, "~2.28" },
		{ 48, 2.284, QUALITY_OK, "2.3" },
		{ 48, 48.26, QUALITY_SCALED, "~48.3" },
		{ 480, 2.284, QUALITY_OK, "2" },
		{ 99999, 99999, QUALITY_OK, "99999" },
		{ 99999, 99999, QUALITY_SCALED, "~100k" },
		{ 4.2e9, 4.2e9, QUALITY_OK, "4.20G" },
		{ 4.2e9, 4.2e9, QUALITY_SCALED, "~4.2G" },
		{ 5, -0.5, QUALITY_OK, "-0.50" },
		{ 0, 0, QUALITY_OK, "0.00" },
		{ 5, 1, QUALITY_UNDEFINED, "-" },
		{ 5, 1, QUALITY_NOT_SUPPORTED, "n/s" },
		{ 5, 1, QUALITY_OFF, "off" },
		{ 5, 1, QUALITY_PENDING, "…" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct reading reading = { .value = row[i].value, .quality = row[i].quality };
		struct label text;

		print_message("row %zu\n", i);
		text = figure_metric(reading, figure_decimals(row[i].largest), 5);
		assert_string_equal(text.text, row[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cursor_moves_within_its_list),
		cmocka_unit_test(a_cursor_is_always_seen),
		cmocka_unit_test(empty_lists_have_cursors_too),
		cmocka_unit_test(metrics_chosen_stand_first),
		cmocka_unit_test(a_presets_metrics_stand_first),
		cmocka_unit_test(parts_stand_below_what_they_divide),
		cmocka_unit_test(a_list_has_each_metric_once),
		cmocka_unit_test(each_preset_once_in_the_files_order),
		cmocka_unit_test(rotation_goes_round),
		cmocka_unit_test(figures_of_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
