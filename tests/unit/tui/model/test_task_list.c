/* The list of the Tasks view: who stands in it, in which order, and who stays selected. */
#include "rig/tasks_rig.h"

#include <math.h>

#include "tui/model/model.h"
#include "tui/model/task_list.h"

enum { N_TASKS = 30, N_THREADS = N_TASKS - 3, SLOT = 6 };

struct screen {
	struct rig rig;
	struct model model;
	struct task_list list;
	const struct task_column *order;
};

static double counted(const struct task_list *list, const struct task_line *line)
{
	return (double)task_row_count(list->rows, line->row, line->type, SLOT).value;
}

static double headline(const struct task_list *list, const struct task_line *line)
{
	struct task_figures figures;
	struct reading reading;

	task_figures_make(list, list->model, line, &figures);
	reading = frame_row_metric(&figures.row, list->model->primary_metric);
	return quality_has_value(reading.quality) ? reading.value : NAN;
}

static const struct task_column by_count = { .sort = counted }, by_headline = { .sort = headline };

/* The next frame; `alter` may do something to its tasks. */
static void look(struct screen *screen, unsigned seed, void (*alter)(struct frame_tasks *tasks))
{
	const struct frame *frame;

	assert_int_equal(sampler_step(screen->rig.sampler), 0);
	frame = queue_pop(screen->rig.queue, NULL);
	assert_non_null(frame);
	give_tasks(frame, N_TASKS, seed);
	if (alter)
		alter((struct frame_tasks *)frame->tasks);
	model_feed(&screen->model, frame);
	task_list_follow(&screen->list, &screen->model, screen->order);
}

static void begin(struct screen *screen)
{
	*screen = (struct screen){ .list.by = BY_THREAD, .order = &by_count };
	rig_up(&screen->rig, "clock=virtual,seed=3", 100 * NS_PER_MS);
	assert_int_equal(model_init(&screen->model, &screen->rig.backend->machine,
				    &screen->rig.metrics, sampler_set(screen->rig.sampler), BY_CORE,
				    1 << 20),
			 0);
	model_select(&screen->model, ORDER_SLOT, SLOT);
	look(screen, 1, NULL);
}

static void end(struct screen *screen)
{
	task_list_fini(&screen->list);
	model_fini(&screen->model);
	rig_down(&screen->rig);
}

static void remake(struct screen *screen)
{
	screen->list.is_stale = true;
	task_list_follow(&screen->list, &screen->model, screen->order);
}

static void most_of_the_selected_counter_comes_first(void **state)
{
	struct screen screen;
	const struct task_list *list = &screen.list;

	(void)state;
	begin(&screen);
	assert_int_equal(list->n, 2 * N_TASKS);
	assert_int_equal(list->n_tasks, N_THREADS);
	for (unsigned i = 1; i < 2 * N_THREADS; i++) {
		struct count more = task_row_count(list->rows, list->line[i - 1].row,
						   list->line[i - 1].type, SLOT);
		struct count less =
			task_row_count(list->rows, list->line[i].row, list->line[i].type, SLOT);

		assert_true(more.value >= less.value);
		assert_int_equal(list->line[i].row->task->kind, TASK_THREAD);
	}
	assert_int_equal(list->line[2 * N_THREADS].row->task->kind, TASK_IDLE);
	end(&screen);
}

static void the_headline_sorts_them(void **state)
{
	struct screen screen;
	double before = INFINITY;

	(void)state;
	begin(&screen);
	screen.order = &by_headline;
	remake(&screen);
	for (unsigned i = 0; i < 2 * N_THREADS; i++) {
		struct task_figures figures;
		struct reading reading;

		task_figures_make(&screen.list, &screen.model, &screen.list.line[i], &figures);
		reading = frame_row_metric(&figures.row, screen.model.primary_metric);
		if (!quality_has_value(reading.quality))
			break;
		assert_true(reading.value <= before);
		before = reading.value;
	}
	assert_true(before < INFINITY);
	end(&screen);
}

/* Of each type they are shares of all that its cores counted. */
static void shares_are_of_a_type(void **state)
{
	struct screen screen;
	double sum[2] = { 0, 0 };

	(void)state;
	begin(&screen);
	for (unsigned i = 0; i < screen.list.n; i++) {
		const struct task_line *line = &screen.list.line[i];
		struct task_figures figures;

		task_figures_make(&screen.list, &screen.model, line, &figures);
		sum[line->type] +=
			task_figures_share(&screen.list, &screen.model, &figures, 0).value;
	}
	assert_true(fabs(sum[0] - 100) < 1e-3 && fabs(sum[1] - 100) < 1e-3);
	end(&screen);
}

/* Rates are of the picture's window, so that they add up to those of the cores. */
static void rates_add_up_to_the_cores(void **state)
{
	struct screen screen;
	double sum[2] = { 0, 0 };

	(void)state;
	begin(&screen);
	for (unsigned i = 0; i < screen.list.n; i++) {
		const struct task_line *line = &screen.list.line[i];
		struct task_figures figures;

		task_figures_make(&screen.list, &screen.model, line, &figures);
		if (quality_has_value(figures.count[0].quality))
			sum[line->type] +=
				model_figure(&screen.model, &figures.row, 0, SHOW_RATE).value;
	}
	for (unsigned type = 0; type < 2; type++) {
		struct frame_row row;
		double rate;

		model_row(&screen.model, &(struct line){ .by = BY_TYPE, .index = type }, &row);
		rate = model_figure(&screen.model, &row, 0, SHOW_RATE).value;
		assert_true(fabs(sum[type] / rate - 1) < 1e-3);
	}
	end(&screen);
}

static void only_what_ran_on_a_core(void **state)
{
	struct screen screen;

	(void)state;
	begin(&screen);
	screen.list.has_place = true;
	screen.list.place = (struct line){ .by = BY_CORE, .index = 5 };
	remake(&screen);
	assert_int_equal(screen.list.n, N_TASKS);
	for (unsigned i = 0; i < screen.list.n; i++) {
		assert_int_equal(screen.list.line[i].row->n_parts, 1);
		assert_int_equal(screen.list.line[i].row->part[0]->core, 5);
	}
	screen.list.place = (struct line){ .by = BY_CLUSTER, .index = 0 };
	remake(&screen);
	assert_int_equal(screen.list.n, N_TASKS);
	assert_int_equal(screen.list.line[0].row->n_parts, 4);
	end(&screen);
}

static void a_filter_has_words(void **state)
{
	struct screen screen;

	(void)state;
	begin(&screen);
	snprintf(screen.list.filter, sizeof(screen.list.filter), "c1 P");
	remake(&screen);
	assert_true(screen.list.n > 0);
	for (unsigned i = 0; i < screen.list.n; i++) {
		assert_string_equal(screen.list.line[i].row->task->comm, "c1");
		assert_int_equal(screen.list.line[i].type, 1);
	}
	snprintf(screen.list.filter, sizeof(screen.list.filter), "104");
	remake(&screen);
	assert_int_equal(screen.list.n, 2);
	end(&screen);
}

static void end_thread_110(struct frame_tasks *tasks)
{
	for (size_t i = 0; i < tasks->n; i++)
		if (tasks->task[i].tid == 110)
			tasks->task[i].ended_ns = 1;
}

/* It ran no more. */
static void leave_out_110(struct frame_tasks *tasks)
{
	for (size_t i = 0; i < tasks->n; i++)
		if (tasks->task[i].tid == 110)
			tasks->task[i].tid = 111;
}

static void select_thread(struct screen *screen, unsigned tid)
{
	for (unsigned i = 0; i < screen->list.n; i++)
		if (screen->list.line[i].row->task->tid == tid)
			screen->list.at.at = i;
}

static const struct core_task *selected(const struct screen *screen)
{
	return task_list_selected(&screen->list)->row->task;
}

static void who_is_selected_stays_so(void **state)
{
	struct screen screen;

	(void)state;
	begin(&screen);
	select_thread(&screen, 110);
	for (unsigned seed = 2; seed < 12; seed++) {
		look(&screen, seed, NULL);
		assert_int_equal(selected(&screen)->tid, 110);
	}
	end(&screen);
}

static void who_is_followed_is_found_again(void **state)
{
	struct screen screen;

	(void)state;
	begin(&screen);
	select_thread(&screen, 110);
	task_list_select(&screen.list);
	screen.list.is_followed = true;
	screen.list.was_at = screen.list.at.at;
	look(&screen, 2, leave_out_110);
	assert_false(task_list_is_selected(&screen.list, task_list_selected(&screen.list)));
	look(&screen, 3, NULL);
	assert_int_equal(selected(&screen)->tid, 110);
	assert_false(task_line_has_ended(task_list_selected(&screen.list)));
	look(&screen, 4, end_thread_110);
	assert_true(task_line_has_ended(task_list_selected(&screen.list)));
	screen.list.at.at++; /* an arrow: somebody else */
	look(&screen, 5, NULL);
	assert_false(screen.list.is_followed);
	assert_int_not_equal(selected(&screen)->tid, 110);
	end(&screen);
}

static void who_had_most_of_a_core(void **state)
{
	struct screen screen;
	const struct frame *frame;

	(void)state;
	begin(&screen);
	frame = screen.model.shown;
	for (unsigned core = 0; core < frame->n_cores; core++) {
		const struct core_task *task = task_of_core(frame, core);

		assert_int_equal(task->core, core);
		assert_int_equal(task->tid, 100);
	}
	end(&screen);
}

static void the_past_has_tasks(void **state)
{
	struct screen screen;

	(void)state;
	begin(&screen);
	look(&screen, 2, NULL);
	look(&screen, 3, NULL);
	assert_int_equal(scrub_by(&screen.model, -2), 0);
	task_list_follow(&screen.list, &screen.model, screen.order);
	assert_ptr_equal(screen.list.frame, screen.model.shown);
	assert_true(screen.list.n > 0);
	end(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(most_of_the_selected_counter_comes_first),
		cmocka_unit_test(the_headline_sorts_them),
		cmocka_unit_test(shares_are_of_a_type),
		cmocka_unit_test(rates_add_up_to_the_cores),
		cmocka_unit_test(only_what_ran_on_a_core),
		cmocka_unit_test(a_filter_has_words),
		cmocka_unit_test(who_is_selected_stays_so),
		cmocka_unit_test(who_is_followed_is_found_again),
		cmocka_unit_test(who_had_most_of_a_core),
		cmocka_unit_test(the_past_has_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
