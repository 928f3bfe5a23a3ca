/* Rows of the screen on a simulated machine: sorted, filtered, folded; columns; yielded counters. */
#include "rig/model_rig.h"

#include <string.h>

static struct reading figure(const struct model *model, unsigned line, unsigned slot)
{
	struct frame_row row;

	assert_true(model_row(model, &model->line[line], &row));
	return model_figure(model, &row, slot, model->show);
}

static void assert_sorted(const struct model *model, unsigned slot, bool is_ascending)
{
	for (unsigned i = 1; i < model->n_lines; i++) {
		struct reading a = figure(model, i - 1, slot), b = figure(model, i, slot);

		assert_int_equal(model->line[i].by, BY_CORE);
		if (!quality_has_value(b.quality))
			continue;
		assert_true(quality_has_value(a.quality));
		assert_true(is_ascending ? a.value <= b.value : a.value >= b.value);
	}
}

static void cores_are_sorted_without_their_clusters(void **state)
{
	struct screen screen;
	struct model *model = &screen.model;

	(void)state;
	screen_begin(&screen, "seed=7,cores=128,clock=virtual,offline=5@0-100", 1);
	screen_look(&screen, 2);
	assert_int_equal(model->n_lines, 128 + 32 + 2);
	rows_sort(model, ORDER_SLOT, 5);
	assert_int_equal(model->n_lines, 128);
	assert_sorted(model, 5, false);
	rows_sort(model, ORDER_SLOT, 5);
	assert_sorted(model, 5, true);
	/* without a figure a core is last in either direction */
	assert_int_equal(model->line[127].index, 5);
	rows_sort(model, ORDER_SLOT, 5);
	assert_int_equal(model->line[127].index, 5);
	assert_sorted(model, 5, false);
	rows_sort(model, ORDER_MACHINE, 0);
	assert_int_equal(model->n_lines, 128 + 32 + 2);
	screen_end(&screen);
}

/* Sorted again after a second, not before; the selected core stays selected. */
static void sorted_rows_jump_once_a_second(void **state)
{
	struct screen screen;
	struct model *model = &screen.model;
	struct line before[256];
	unsigned n_changes = 0;

	(void)state;
	screen_begin(&screen, "seed=3,cores=128,clock=virtual", 1);
	screen_look(&screen, 2);
	rows_sort(model, ORDER_HEADLINE, 0);
	model->row.at = 40;
	for (unsigned tick = 1; tick <= 40; tick++) {
		unsigned selected = model->line[model->row.at].index;
		size_t size = model->n_lines * sizeof(*before);

		memcpy(before, model->line, size);
		screen_look(&screen, 1);
		assert_int_equal(model->line[model->row.at].index, selected);
		if (memcmp(before, model->line, size) == 0)
			continue;
		n_changes++;
		assert_int_equal(tick % 10, 0);
	}
	assert_in_range(n_changes, 1, 4);
	/* who stays at the top sees who is first */
	model->row.at = 0;
	screen_look(&screen, 10);
	assert_int_equal(model->row.at, 0);
	screen_end(&screen);
}

/* Until its next window, which is the longer, a late core has the figures of its last one, and so has its cluster. */
static void a_late_core_shows_its_last_window(void **state)
{
	struct screen screen;
	struct model *model = &screen.model;
	struct frame_row row;

	(void)state;
	screen_begin(&screen, "seed=7,cores=8,clock=virtual", 1);
	screen_look(&screen, 2);
	((struct frame *)model->newest)->core[0].state = CORE_LATE;
	for (unsigned i = 0; i < model->n_lines; i++) {
		const struct line *line = &model->line[i];
		unsigned core = frame_first_core(model->machine, line->by, line->index);

		assert_true(model_row(model, line, &row));
		assert_int_equal(row.is_earlier, !core);
		assert_int_equal(row.t_ns, (core ? model->newest : model->earlier)->t_ns);
		assert_true(quality_has_value(figure(model, i, 5).quality));
	}
	screen_look(&screen, 1);
	assert_true(model_row(model, model->line, &row));
	assert_false(row.is_earlier);
	screen_end(&screen);
}

static void filters_leave_what_they_say(void **state)
{
	static const struct {
		int line;
		const char *text;
		unsigned n_cores, n_lines;
	} row[] = {
		{ __LINE__, "", 8, 10 },           { __LINE__, "0-3", 4, 5 },
		{ __LINE__, "2-5", 4, 4 },         { __LINE__, "7", 1, 1 },
		{ __LINE__, "P", 4, 5 },           { __LINE__, "p", 4, 5 },
		{ __LINE__, "cpu3", 1, 1 },        { __LINE__, "CPU", 8, 10 },
		{ __LINE__, "cluster 1", 4, 5 },   { __LINE__, "cl 1", 4, 5 },
		{ __LINE__, "E cluster 1", 0, 0 }, { __LINE__, "nothing", 0, 0 },
		{ __LINE__, "100-200", 0, 0 },     { __LINE__, "P,cluster 0", 8, 10 },
		{ __LINE__, "cpu1, 6-7", 3, 3 },   { __LINE__, "cluster 1,5,cpu6", 4, 5 },
		{ __LINE__, "E,", 4, 5 },          { __LINE__, "0,nothing", 1, 1 },
	};
	struct screen screen;

	(void)state;
	screen_begin(&screen, "seed=7,clock=virtual", 1);
	screen_look(&screen, 2);
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		rows_filter(&screen.model, row[i].text);
		if (rows_n_cores(&screen.model) != row[i].n_cores ||
		    screen.model.n_lines != row[i].n_lines)
			fail_msg("line %d: %u cores, %u lines", row[i].line,
				 rows_n_cores(&screen.model), screen.model.n_lines);
	}
	/* by type, a row stands whose cores are meant */
	rows_filter(&screen.model, "P");
	assert_int_equal(model_group(&screen.model, BY_TYPE), 0);
	assert_int_equal(screen.model.n_lines, 1);
	screen_end(&screen);
}

static void clusters_fold(void **state)
{
	struct screen screen;
	struct model *model = &screen.model;

	(void)state;
	screen_begin(&screen, "seed=7,clock=virtual", 1);
	screen_look(&screen, 2);
	assert_true(rows_fold(model, 2)); /* a core of cluster 0 */
	assert_int_equal(model->n_lines, 1 + 5);
	assert_int_equal(model->row.at, 0);
	assert_false(model->line[0].is_heading);
	assert_true(model->line[1].is_heading);
	rows_fold_all(model, true);
	assert_int_equal(model->n_lines, 2);
	assert_true(rows_has_folded(model));
	rows_fold_all(model, false);
	assert_int_equal(model->n_lines, 10);
	rows_sort(model, ORDER_HEADLINE, 0);
	assert_false(rows_fold(model, 0));
	/* a machine that the screen holds begins unfolded */
	rows_sort(model, ORDER_MACHINE, 0);
	rows_begin(model, 6);
	assert_int_equal(model->n_lines, 10);
	screen_end(&screen);
}

/* On a large machine whose clusters are its sockets, last-level caches fold; on a small one clusters. */
static void caches_fold_on_large_chiplets(void **state)
{
	static const struct {
		const char *options;
		enum frame_by by;
		unsigned n_folded;
	} row[] = {
		{ "clock=virtual,cores=128,sockets=2,nodes=2,llcs=16", BY_LLC, 2 + 2 * 16 },
		{ "clock=virtual,cores=64,sockets=2,llcs=16", BY_CLUSTER, 2 + 2 * 2 },
		{ "clock=virtual,cores=128,sockets=2,nodes=8", BY_CLUSTER, 2 + 128 / 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct screen screen;
		struct model *model = &screen.model;

		screen_begin(&screen, row[i].options, 1);
		screen_look(&screen, 2);
		assert_int_equal(rows_heading(model), row[i].by);
		rows_fold_all(model, true);
		assert_int_equal(model->n_lines, row[i].n_folded);
		assert_int_equal(model->line[1].by, row[i].by);
		assert_true(rows_fold(model, 2)); /* opens the second heading */
		assert_int_equal(model->line[3].by, BY_CORE);
		assert_int_equal(frame_row_of_core(model->machine, row[i].by, model->line[3].index),
				 1);
		screen_end(&screen);
	}
}

/* A type of several clusters has a line of its own above them, where all its cores are in; that of one
 * cluster is the cluster's. */
static void types_have_totals(void **state)
{
	struct screen screen;
	struct model *model = &screen.model;

	(void)state;
	screen_begin(&screen, "seed=7,cores=32,clock=virtual", 1);
	screen_look(&screen, 2);
	assert_int_equal(model->n_lines, 32 + 8 + 2);
	assert_int_equal(model->line[0].by, BY_TYPE);
	assert_int_equal(model->line[1].by, BY_CLUSTER);
	assert_int_equal(model->line[1 + 16 + 4].by, BY_TYPE);
	assert_int_equal(model->line[1 + 16 + 4].index, 1);
	assert_false(rows_fold(model, 0));
	rows_fold_all(model, true);
	assert_int_equal(model->n_lines, 8 + 2);
	rows_filter(model, "1-31"); /* not all of E */
	assert_int_equal(model->n_lines, 3 + 3 + 1 + 4);
	assert_int_equal(model->line[0].by, BY_CORE);
	screen_end(&screen);
}

/* What a search does: it looks at all rows and then leaves unfolded what it has selected. */
static void a_search_unfolds_one_cluster(void **state)
{
	const struct cpus none = { { 0 } };
	struct screen screen;
	struct model *model = &screen.model;
	struct cpus before;

	(void)state;
	screen_begin(&screen, "seed=7,clock=virtual", 1);
	screen_look(&screen, 2);
	rows_fold_all(model, true);
	before = model->rows.folded;
	model->row.at = 1; /* cluster 1 */
	rows_fold_as(model, &none);
	assert_int_equal(model->n_lines, 10);
	assert_int_equal(model->row.at, 5);
	/* a heading is seen anyway */
	rows_fold_around(model, &before);
	assert_int_equal(model->n_lines, 2);
	assert_int_equal(model->row.at, 1);
	rows_fold_as(model, &none);
	model->row.at = 7;
	rows_fold_around(model, &before);
	assert_int_equal(model->n_lines, 2 + 4);
	assert_int_equal(model->row.at, 3);
	assert_true(rows_is_folded(model, 0));
	assert_false(rows_is_folded(model, 1));
	rows_fold_as(model, &before);
	assert_int_equal(model->n_lines, 2);
	screen_end(&screen);
}

static void words_are_contained(void **state)
{
	(void)state;
	assert_true(rows_match("P cluster 12 cpu5", "clus 12"));
	assert_true(rows_match("P cluster 12 cpu5", "cpu5 p"));
	assert_true(rows_match("P cluster 12 cpu5", "LUST pu5"));
	assert_false(rows_match("P cluster 12 cpu5", "u"));
	assert_false(rows_match("P cluster 12 cpu5", "1"));
	assert_false(rows_match("P cluster 12 cpu5", "5"));
	assert_true(rows_match("P cluster 12 cpu5", "  "));
}

/* Counters that were yielded come back with the same events; totals go on. */
static void yielded_counters_come_back(void **state)
{
	static const struct set nothing;
	struct screen screen;
	struct model *model = &screen.model;
	struct err err = { "" };

	(void)state;
	screen_begin(&screen, "seed=7,clock=virtual", 1);
	screen_look(&screen, 2);

	const struct line *line = &model->line[1];
	uint64_t n = model_stats(model, line, 0)->n;

	assert_true(n > 0);
	must(sampler_load(screen.rig.sampler, &nothing, &err), &err);
	model->yielded = true;
	screen_look(&screen, 5);
	assert_int_equal(model->shown->n_slots, 0);
	assert_int_equal(figure(model, 1, 0).quality, QUALITY_NOT_COUNTED);
	rows_sort(model, ORDER_SLOT, 3);
	rows_sort(model, ORDER_MACHINE, 0);
	uint64_t during = model_stats(model, line, 0)->n;

	must(sampler_load(screen.rig.sampler, model->set, &err), &err);
	model->yielded = false;
	assert_int_equal(sampler_set(screen.rig.sampler)->number, model->set->number);
	screen_look(&screen, 5);
	assert_int_equal(figure(model, 1, 0).quality, QUALITY_OK);
	assert_true(during >= n && during <= n + 1);
	assert_true(model_stats(model, line, 0)->n >= during + 4);
	screen_end(&screen);
}

static bool is_shown(const struct columns *columns, enum shown_kind kind, unsigned number)
{
	int at = columns_find(columns, kind, number);

	return at >= 0 && !columns->item[at].is_hidden;
}

static void columns_stay_as_they_were_chosen(void **state)
{
	static const struct sheet_column fixed[] = { { .key = "ipc" },
						     { .title = "TASK" },
						     { .key = "user", .is_hidden = true },
						     { .key = "ipc" } };
	enum { N_FIXED = 2 };
	struct columns columns = { 0 };
	struct metric_list metrics = { .n = 2, .number = { 4, 9 } },
			   other = { .n = 1, .number = { 7 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		columns_fix(&columns, &fixed[i]);
	columns_update(&columns, 3, &metrics);
	assert_int_equal(columns.n, N_FIXED + 3 + 2);
	assert_true(columns_shows(&columns, "ipc"));
	assert_false(columns_shows(&columns, "user"));
	assert_false(columns_shows(&columns, "on"));
	assert_true(is_shown(&columns, SHOWN_SLOT, 2));
	assert_false(is_shown(&columns, SHOWN_METRIC, 9));
	columns.item[columns_find(&columns, SHOWN_METRIC, 9)].is_hidden = false;
	columns.item[columns_find(&columns, SHOWN_SLOT, 1)].is_hidden = true;
	assert_int_equal(columns_move(&columns, N_FIXED + 2, -1), N_FIXED + 1);
	/* another set: the metric that nobody chose goes, a new slot comes behind the slots */
	columns_update(&columns, 4, &other);
	assert_int_equal(columns_find(&columns, SHOWN_METRIC, 4), -1);
	assert_true(is_shown(&columns, SHOWN_METRIC, 9));
	assert_int_equal(columns.item[N_FIXED + 3].number, 3);
	assert_int_equal(columns.item[N_FIXED + 1].number, 2);
	assert_false(is_shown(&columns, SHOWN_SLOT, 1));
	/* the fixed ones stay */
	assert_int_equal(columns_move(&columns, N_FIXED, -1), N_FIXED);
	assert_int_equal(columns_move(&columns, 0, 1), 0);
}

/* What a frame of 1024 cores costs is said. */
static void a_large_machine_is_sorted(void **state)
{
	struct screen screen;
	const struct frame *frame;
	uint64_t began_ns, feed_ns, sort_ns;

	(void)state;
	screen_begin(&screen, "seed=7,cores=1024,clock=virtual", 1);
	screen_look(&screen, 2);
	assert_int_equal(sampler_step(screen.rig.sampler), 0);
	frame = queue_pop(screen.rig.queue, NULL);
	assert_non_null(frame);
	began_ns = clock_now_ns();
	model_feed(&screen.model, frame);
	feed_ns = clock_now_ns() - began_ns;
	began_ns = clock_now_ns();
	rows_sort(&screen.model, ORDER_SLOT, 5);
	sort_ns = clock_now_ns() - began_ns;
	print_message("# 1024 cores: a frame %.2f ms, sorting %.2f ms\n", (double)feed_ns / 1e6,
		      (double)sort_ns / 1e6);
	assert_sorted(&screen.model, 5, false);
	screen_end(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cores_are_sorted_without_their_clusters),
		cmocka_unit_test(sorted_rows_jump_once_a_second),
		cmocka_unit_test(a_late_core_shows_its_last_window),
		cmocka_unit_test(filters_leave_what_they_say),
		cmocka_unit_test(clusters_fold),
		cmocka_unit_test(caches_fold_on_large_chiplets),
		cmocka_unit_test(types_have_totals),
		cmocka_unit_test(a_search_unfolds_one_cluster),
		cmocka_unit_test(words_are_contained),
		cmocka_unit_test(yielded_counters_come_back),
		cmocka_unit_test(columns_stay_as_they_were_chosen),
		cmocka_unit_test(a_large_machine_is_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
