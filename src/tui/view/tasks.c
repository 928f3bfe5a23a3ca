/* the tasks that ran in the picture's window, by thread, process or command: who did it */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "tui/counting/by_task.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/time/graph.h"
#include "tui/view/tasks_view.h"

/* ---- beneath ---- */

/* Its time on a core. @part  the first there; then the first elsewhere */
static uint64_t time_on_core(const struct task_list *list, const struct task_row *row, size_t *part)
{
	const struct frame_tasks *tasks = list->frame->tasks;
	unsigned core = row->part[*part]->core;
	uint64_t ns = 0;

	for (; *part < row->n_parts && row->part[*part]->core == core; ++*part)
		ns += core_task_time_ns(tasks, (size_t)(row->part[*part] - tasks->task));
	return ns;
}

/* "cpu4 51.0 %  cpu5 40.2 %" */
static void draw_where(const struct tui *tui, const struct task_line *line, int y, int x)
{
	enum { WIDTH = 16 };
	const struct machine *machine = tui->model.machine;
	const struct task_list *list = &tui->tasks->list;

	for (size_t i = 0; i < line->row->n_parts && x + WIDTH < COLS;) {
		unsigned core = line->row->part[i]->core;
		uint64_t ns = time_on_core(list, line->row, &i);
		uint64_t window_ns = list->frame->core[core].window_ns;

		if (machine->core[core].type == line->type && window_ns)
			x += draw_printf(y, x, COLS - 1 - x, ROLE_TEXT, "cpu%u %.1f %%",
					 machine->core[core].cpu,
					 100.0 * (double)ns / (double)window_ns) +
			     2;
	}
}

/* "clang 4711  14.9M/s  7.3 per 1000 instructions  cpu5 99.1 %" */
static void draw_selected(const struct tui *tui, const struct task_line *line, int y)
{
	const struct model *model = &tui->model;
	const struct task_list *list = &tui->tasks->list;
	const struct event *event = model->set->type[line->type].event[model->slot];
	struct task_figures figures;
	struct reading rate, per_ki;
	char text[64], unit[32];
	int x = 1 +
		draw_text(y, 1, COLS - 2, ROLE_TOTAL, task_name(list, line, text, sizeof(text))) +
		2;

	task_figures_make(list, model, line, &figures);
	rate = model_figure(model, &figures.row, model->slot, SHOW_RATE);
	per_ki = model_figure(model, &figures.row, model->slot, SHOW_PER_KI);
	figure_unit(event, SHOW_RATE, unit, sizeof(unit));
	if (quality_has_value(rate.quality))
		x += draw_text(y, x, COLS - 1 - x, ROLE_TEXT,
			       figure_with_unit(rate, unit, 8, text, sizeof(text))) +
		     2;
	if (quality_has_value(per_ki.quality))
		x += draw_printf(y, x, COLS - 1 - x, ROLE_TEXT, "%s%s",
				 figure_text(per_ki, 6, text, sizeof(text)),
				 COLS < 100 ? "/ki" : " per 1000 instructions") +
		     2;
	draw_where(tui, line, y, x);
}

/* What is selected: the counter, the task. */
static void draw_detail(const struct tui *tui, const struct layout *layout)
{
	const struct model *model = &tui->model;
	const struct task_line *line = task_list_selected(&tui->tasks->list);
	const struct event *event = set_event(model->set, model->slot);
	int y = layout->detail_y;
	char slot[32];

	if (event && layout->n_detail > 1)
		draw_printf(y++, 1, COLS - 2, ROLE_TEXT, "%s  %s  %s",
			    name_slot(model, model->slot, slot, sizeof(slot)), event->name,
			    event->known ? event->known->brief : "");
	if (line)
		draw_selected(tui, line, y);
}

/* Why there is nothing to show. */
static const char *none_text(const struct tui *tui, char *buf, size_t size)
{
	const struct by_task *by_task = tui->by_task;

	if (tui_is_playing(tui))
		snprintf(buf, size, "at this time the session has no tasks");
	else if (tui->model.yielded)
		snprintf(buf, size, "nothing is counted: the counters are yielded");
	else if (by_task->refused[0])
		snprintf(buf, size, "%s", by_task->refused);
	else if (tui->model.frozen)
		snprintf(buf, size, "tasks were not wanted then; %s returns to live",
			 tui_key(tui, KEY_END).name);
	else if (tui->tasks->list.frame)
		snprintf(buf, size, "no task matches every word; %s shows all",
			 tui_key(tui, KEYS_ESCAPE).name);
	else
		snprintf(buf, size, "waiting for the first figures of tasks …");
	return buf;
}

/* The headline and the rate of the selected counter. */
static unsigned tasks_selected(const struct tui *tui, struct series ret[2])
{
	const struct task_list *list = &tui->tasks->list;
	const struct task_line *line = task_list_selected(list);
	unsigned n = 0, n_kept = 0;

	if (line)
		n = series_of_line(&tui->model,
				   &(struct line){ .by = BY_TYPE, .index = line->type }, ret);
	for (unsigned i = 0; i < n; i++) {
		int metric = ret[i].quantity.metric;
		bool has = metric >= 0 ? task_list_has_metric(&tui->model, metric)
				       : tasks_have_column(list->frame->set, tui->model.slot);

		if (!has)
			continue;
		ret[n_kept] = ret[i];
		ret[n_kept++].task = (struct task_id){ true, list->by, *line->row->task };
	}
	return n_kept;
}

static void tasks_draw(struct tui *tui)
{
	const struct task_list *list = &tui->tasks->list;
	struct series series[2];
	struct layout layout;
	char text[256];
	int y, end;

	y = tasks_table_draw(tui, &layout) + 1;
	end = layout.rows_y + layout.n_rows;
	if (list->n) {
		mini_graph_draw(tui, series, tasks_selected(tui, series), y, end - y);
		draw_detail(tui, &layout);
	} else {
		draw_wrapped(layout.rows_y, 1, COLS - 2, layout.n_rows, ROLE_DIM,
			     none_text(tui, text, sizeof(text)));
	}
}

/* ---- for the other parts ---- */

/* "41 processes on cpu5 · filter: clang · 2.1k switches/s cost 0.2 %" */
static const char *tasks_said(const struct tui *tui, bool is_brief, char *buf, size_t size)
{
	const struct task_list *list = &tui->tasks->list;
	char rate[16], where[48] = "", name[32], filter[80] = "";

	if (list->has_place)
		snprintf(where, sizeof(where), " on %s",
			 name_row(&tui->model, &list->place, is_brief, name, sizeof(name)));
	if (list->filter[0])
		snprintf(filter, sizeof(filter), " · filter: %s", list->filter);
	buf[0] = '\0';
	if (!list->frame)
		return buf;

	double cost = (double)list->frame->tasks->cost_share * 100;
	int places = cost < 0.995 ? 2 : cost < 9.95;

	if (is_brief)
		snprintf(buf, size, "%u ran%s · cost %.*f %%", list->n_tasks, where, places, cost);
	else
		snprintf(buf, size, "%u %s%s%s · %s switches/s cost %.*f %%", list->n_tasks,
			 task_rows_name[list->by], where, filter,
			 num_si(by_task_switches_per_s(list->frame), 3, 5, rate, sizeof(rate)),
			 places, cost);
	return buf;
}

/* Cores do it for all. */
static bool tasks_select(struct tui *tui, const struct quantity *quantity)
{
	(void)tui, (void)quantity;
	return false;
}

static struct cursor *tasks_list(struct tui *tui, unsigned *ret_n)
{
	*ret_n = tui->tasks->list.n;
	return &tui->tasks->list.at;
}

static const char *tasks_item(const struct tui *tui, unsigned i, char *buf, size_t size)
{
	const struct task_list *list = &tui->tasks->list;
	const struct core_task *task = list->line[i].row->task;

	snprintf(buf, size, "%u %u %s", task->pid, task->tid, task->comm);
	return buf;
}

const struct view view_tasks = {
	.name = "Tasks",
	.what = "who did it: counts by process and thread",
	.has_counter = true,
	.hint = { { "?", "help" },
		  { "H", "threads" },
		  { "Tab", "view" },
		  { "\\", "filter" },
		  { "F", "follow" },
		  { "a", "graph" },
		  { "/", "search" },
		  { "s", "sort" } },
	.draw = tasks_draw,
	.said = tasks_said,
	.selected = tasks_selected,
	.select = tasks_select,
	.keys = { tasks_keys },
	.list = tasks_list,
	.item = tasks_item,
};
