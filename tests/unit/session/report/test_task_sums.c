/* Who had most of a session: commands and processes add up to what the types counted, to the unit. */
#include "rig/summary_rig.h"

#include "base/cleanup.h"
#include "rig/mux_rig.h"
#include "session/report/report.h"

#define INTERVAL_NS (100 * NS_PER_MS)

enum { FRAMES = 40 };

static void record(struct rig *rig, struct text *ret)
{
	struct format_context context;
	const struct frame *last = NULL;

	format_context_init(&context, rig->sampler, &rig->metrics);
	format_csv.begin(&context, ret);
	for (unsigned i = 0; i < FRAMES; i++) {
		const struct frame *frame;

		assert_int_equal(sampler_step(rig->sampler), 0);
		if (i == FRAMES / 2 && set_n_mux(&rig->first) == 1)
			rig_change(rig, 5, "INST_BRANCH_TAKEN");
		while ((frame = queue_pop(rig->queue, NULL))) {
			format_csv.frame(&context, frame, ret);
			frame_unref(last);
			last = frame;
		}
	}
	frame_unref(last);
}

static const struct summary_figure *figure_of(const struct told *told,
					      const struct task_figure *figure)
{
	for (size_t i = 0; i < told->summary.n_rows; i++) {
		const struct summary_row *row = &told->summary.row[i];

		for (size_t k = 0; row->by == BY_TYPE && row->type == figure->type && k < row->n;
		     k++)
			if (row->figure[k].event && !row->figure[k].nth &&
			    event_is_same(row->figure[k].event, figure->event))
				return &row->figure[k];
	}
	fail_msg("%s is no figure of the type", figure->event->name);
	return NULL;
}

static void sums_are_those_of_types(const struct told *told, const struct task_sums *sums)
{
	assert_true(sums->tasks.n > 3 && sums->n_figures > 10);
	for (size_t i = 0; i < sums->n_figures; i++) {
		const struct summary_figure *whole = figure_of(told, &sums->figure[i]);
		uint64_t sum = 0;
		double share = 0;

		for (size_t k = 0; k < sums->tasks.n; k++) {
			if (i < sums->sum[k].n_counts)
				sum += sums->sum[k].count[i].value;
			share += task_sums_share(sums, &sums->sum[k], i);
		}
		assert_true(sum == whole->sum.value);
		assert_true(!sum || fabs(share - 1) < 1e-9);
	}
}

static void largest_come_first(const struct task_sums *sums)
{
	const struct task_sum *top[REPORT_TASKS_MANY];

	for (size_t i = 0; i < sums->n_figures; i++) {
		size_t n = task_sums_top(sums, i, REPORT_TASKS_MANY, top);

		assert_int_equal(n, task_sums_n(sums, i));
		for (size_t k = 1; k < n; k++)
			assert_true(task_sums_total(sums, top[k - 1], i).value >=
				    task_sums_total(sums, top[k], i).value);
		assert_true(task_sums_top(sums, i, 2, top) <= 2);
		for (size_t k = 0; k < sums->tasks.n && n; k++)
			assert_true(task_sums_total(sums, &sums->sum[k], i).value <=
				    task_sums_total(sums, top[0], i).value);
	}
}

static void commands_and_processes_add_up(void **state)
{
	static const struct {
		const char *options;
		unsigned n_mux;
	} row[] = {
		{ "clock=virtual,seed=3", 0 },
		{ "clock=virtual,seed=5,offline=1@1-2", 0 },
		{ "clock=virtual,seed=3,cores=4", 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct text text = { 0 };
		struct told told;
		struct rig rig;

		rig_make(&rig, row[i].options, INTERVAL_NS);
		if (row[i].n_mux)
			rig.first = make_mux(&rig, row[i].n_mux);
		rig.first.by_task = true;
		rig_start(&rig);
		record(&rig, &text);
		told_make(&told, &text, NULL);
		sums_are_those_of_types(&told, &told.summary.commands);
		sums_are_those_of_types(&told, &told.summary.processes);
		largest_come_first(&told.summary.commands);
		largest_come_first(&told.summary.processes);
		told_end(&told);
		text_fini(&text);
		rig_down(&rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_and_processes_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
