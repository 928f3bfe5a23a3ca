/* tasks.c: the Tasks view lists what ran in the displayed window, by thread, process, command or cgroup */
#include "tui/view/views.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "tui/counters/by_task.h"
#include "tui/view/graph.h"
#include "tui/model/baseline.h"
#include "tui/model/names.h"
#include "tui/screen/list.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/view/topdown.h"
#include "tui/view/figures.h"

/* ---- keys, and the list that they move in ---- */

static const char *const task_rows_name[] = {
	[BY_PROCESS] = "processes",
	[BY_THREAD] = "threads",
	[BY_COMMAND] = "commands",
	[BY_CGROUP] = "cgroups",
};

/* ---- kind of rows ---- */

static void show_by(struct tui *tui, enum task_by by)
{
	struct task_list *list = &tui->tasks->list;

	list->by = by;
	list->is_followed = false;
	list->is_stale = true;
	tui_say(tui, ROLE_TEXT, "rows are %s%s", task_rows_name[by],
		by == BY_COMMAND  ? ": all tasks of one name"
		: by == BY_CGROUP ? ": each with all below it"
				  : "");
}

static void act_by(struct tui *tui, int key UNUSED)
{
	enum task_by was = tui->tasks->list.by, by = (was + 1) % N_TASK_BY;
	struct err err = { "" };
	const char *why = NULL;

	if (by == BY_CGROUP)
		why = by_task_no_cgroups(tui, tui->tasks->list.frame, &err);
	show_by(tui, why ? BY_PROCESS : by);
	if (why)
		tui_say(tui, ROLE_TEXT, "rows are processes: %s", why);
}

static void act_fold_cgroup(struct tui *tui, int key UNUSED)
{
	const struct task_line *line = task_list_selected(&tui->tasks->list);

	if (tui->tasks->list.by != BY_CGROUP)
		tui_say(tui, ROLE_WARN, "only cgroups fold");
	else if (line)
		task_list_fold(&tui->tasks->list, line);
}

/* Show the tasks of the selected cgroup, or a task in detail. */
static void act_enter(struct tui *tui, int key)
{
	struct task_list *list = &tui->tasks->list;
	const struct task_line *line = task_list_selected(list);

	if (list->by != BY_CGROUP)
		act_task(tui, key);
	if (list->by != BY_CGROUP || !line || line->row->task->kind != TASK_THREAD)
		return;
	list->in = line->row->task->cgroup;
	list->filter[0] = '\0';
	list->at = (struct cursor){ 0 };
	show_by(tui, BY_PROCESS);
	tui_say(tui, ROLE_TEXT, "the processes in %s; %s shows all", name_cgroup(list->in).text,
		tui_key(tui, KEYS_ESCAPE).name);
}

/* ---- filter ---- */

static void set_filter(struct tui *tui, const char *text)
{
	struct task_list *list = &tui->tasks->list;

	text += strspn(text, " ");
	snprintf(list->filter, sizeof(list->filter), "%s", text);
	list->is_stale = true;
}

static void filter_entered(struct tui *tui, const char *text)
{
	if (*text)
		tui_say(tui, ROLE_TEXT, "%u row%s; %s shows all", tui->tasks->list.n,
			tui->tasks->list.n == 1 ? "" : "s", tui_key(tui, KEYS_ESCAPE).name);
}

static void act_filter_tasks(struct tui *tui, int key UNUSED)
{
	prompt_open(tui, &(struct prompt){ .question = "filter",
					   .hint = "clang   4711   kworker P",
					   .done = filter_entered,
					   .changed = set_filter });
}

static void act_all(struct tui *tui, int key UNUSED)
{
	struct task_list *list = &tui->tasks->list;

	if (list->in && !list->filter[0]) {
		list->in = NULL;
		show_by(tui, BY_CGROUP);
	} else if (list->filter[0] || list->pid) {
		if (!list->filter[0])
			list->pid = 0;
		set_filter(tui, "");
		tui_say(tui, ROLE_TEXT, "all tasks again");
	} else if (list->has_place) {
		list->has_place = false;
		list->is_stale = true;
		tui_say(tui, ROLE_TEXT, "the tasks of all cores again");
	} else if (list->is_followed) {
		act_follow(tui, 'F');
	}
}

/* ---- cells ---- */

enum { TASKS_PLAIN = 1, TASKS_TREE = 2, TASKS_ONE = 4, TASKS_ALL = 7 }; /* cgroups; the Task view */

/* Columns before the figures, from left to right. */
enum { TASK_NUMBER, TASK_USER, TASK_NAME, TASK_LOAD, TASK_TIMES, TASK_CGROUP = TASK_TIMES + 3 };
enum { TASK_ON = TASK_CGROUP + N_WAITS, TASK_PAST, N_FIXED };

/* Columns of figures. TASK_COUNTER as an order: by the selected counter, or time if tasks do not have that column. */
enum { TASK_HEADLINE = N_FIXED, TASK_LOST, TASK_COUNTER, N_TASK_COLUMNS };

static const struct task_column columns[N_TASK_COLUMNS];

static bool is_detail(const struct tui *tui)
{
	return tui->view == VIEW_TASK && tui->tasks->list.has_only;
}

enum { WHERE_WIDTH = 7, SHARE_WIDTH = 7, NAME_WIDTH = 15, NAME_MAX_WIDTH = 120, PAST_MAX = 20 };

#define PAST_NS (60 * NS_PER_S)

/* Context of one drawing. */
struct tasks_table {
	struct tui *tui;
	const struct task_list *list;
	struct layout layout;
	struct column fixed[N_FIXED]; /* width 0: left out */
	int share_x;                  /* 0: left out */
};

/* ---- lines ---- */

/* Context of the cells of one line. */
struct task_cells {
	const struct tasks_table *table;
	const struct task_line *line;
	const struct column *at; /* place of the cell */
	struct task_figures figures;
	struct task_figures before; /* in the baseline */
	enum role role;
	int y;
};

/* Format a change since the baseline; "new": the task was first seen after it. */
static struct label change_text(const struct task_cells *cells, enum task_change change,
				unsigned slot)
{
	const struct task_list *list = cells->table->list;
	struct reading reading =
		task_figures_change(list, &cells->figures, &cells->before, change, slot);

	if (change != CHANGE_TIME && !cells->before.row.bound &&
	    cells->line->row->task->first_ns > list->baseline->t_ns)
		return label_printf("new");
	if (change == CHANGE_TIME && reading.value > 899) /* points, never a factor */
		return label_printf("%+.0f", reading.value);
	return baseline_text(reading, LAYOUT_CELL_WIDTH);
}

static struct label number_text(const struct task_cells *cells)
{
	unsigned number = task_list_number(cells->table->list, cells->line);

	return label_printf(number ? "%u" : "-", number);
}

static struct label user_text(const struct task_cells *cells)
{
	const struct user *user = tasks_user(cells->table->tui, cells->line->row->task);

	return label_printf("%s", user && cells->table->list->by != BY_COMMAND ? user->name : "-");
}

static struct label where_text(const struct task_cells *cells)
{
	return tasks_where(&cells->table->tui->model, cells->line, cells->at->width < WHERE_WIDTH);
}

/* Format the load; "-" for idle and [unattributed], which may include idle time. */
static struct label load_text(const struct task_cells *cells)
{
	double percent = cells->figures.load * 100;

	if (cells->line->row->task->kind == TASK_IDLE ||
	    cells->line->row->task->kind == TASK_UNATTRIBUTED)
		return label_printf("-");
	if (cells->table->list->before)
		return change_text(cells, CHANGE_TIME, 0);
	return label_printf(percent < 9.95 ? "%.1f" : "%.0f", percent);
}

/* Format a time of a task, or a figure of a cgroup, by the place of the column. */
static struct label wait_text(const struct task_cells *cells)
{
	struct tui *tui = cells->table->tui;
	unsigned i = (unsigned)(cells->at - cells->table->fixed);
	struct waiting is = i < TASK_CGROUP ? tasks_waiting(tui, cells->table->list, cells->line)
					    : cgroup_waiting(tui, cells->line->row->task);
	double value = is.share[i < TASK_CGROUP ? i - TASK_TIMES : i - TASK_CGROUP];

	if (!quality_has_value(is.quality) || isnan(value))
		return label_printf("%s", is.quality == QUALITY_PENDING ? "…" : "-");
	return label_printf(value < 9.95 ? "%s%.1f" : "%s%.0f", quality_mark(is.quality), value);
}

/* Format a cgroup's name below that of the one above it, or its path if that is filtered out; "+": folded. */
static struct label branch_text(const struct task_cells *cells)
{
	const struct task_line *line = cells->line;
	const struct cgroup *cgroup = line->row->task->cgroup;
	return label_printf("%*s%s%s", (int)(line->depth < 40 ? line->depth : 40), "",
			    cgroup->depth > 1 && !line->depth ? name_cgroup(cgroup).text
							      : cgroup->name,
			    line->is_folded ? " +" : "");
}

/* Get the name, or in a wide column the command line of a process. */
static struct label comm_text(const struct task_cells *cells)
{
	const struct core_task *task = cells->line->row->task;
	bool is_wide = cells->at->width > NAME_WIDTH && cells->table->list->by == BY_PROCESS;
	const struct user *user = is_wide ? tasks_user(cells->table->tui, task) : NULL;

	_Static_assert(sizeof(((struct label *)0)->text) > 4 * NAME_MAX_WIDTH, "UTF-8 fits");
	if (cells->table->list->by == BY_CGROUP && task->kind == TASK_THREAD)
		return branch_text(cells);
	return label_printf("%s", user && *user->command ? user->command : task->comm);
}

/* List the series of a line that tasks have: headline, and last what is selected. */
static unsigned tasks_series(const struct tui *tui, const struct task_line *line,
			     struct series ret[2])
{
	const struct task_list *list = &tui->tasks->list;
	const struct line of = { .by = BY_TYPE, .index = line ? line->type : 0 };
	unsigned n = line ? series_of_line(&tui->model, &of, ret) : 0, n_kept = 0;

	for (unsigned i = 0; i < n; i++) {
		int metric = ret[i].quantity.metric;
		bool has = metric >= 0 ? task_list_has_metric(&tui->model, metric)
				       : tasks_have_column(list->frame->set, tui->model.slot);

		if (!has)
			continue;
		ret[n_kept] = ret[i];
		ret[n_kept++].task = (struct task_id){ true, list->by, *line->row->task };
	}
	if (line && !n_kept && tasks_have_column(list->frame->set, tui->model.slot)) /* of a time */
		ret[n_kept++] = (struct series){ of,
						 quantity_of_slot(&tui->model, tui->model.slot),
						 { true, list->by, *line->row->task } };
	return n_kept;
}

/* Draw the last minute of what is selected, if tasks have that, else of the headline. */
static void draw_past(const struct task_cells *cells, const struct column *column)
{
	const struct tui *tui = cells->table->tui;
	unsigned n = (unsigned)column->width;
	float value[PAST_MAX], top = 0;
	struct series series[2];
	unsigned n_series = tasks_series(tui, cells->line, series);

	if (!n_series)
		return;
	model_past(&tui->model, &series[n_series - 1], PAST_NS / n,
		   &tui->tasks->detail.past[cells->line->type], value, n);
	for (unsigned i = 0; i < n; i++)
		top = fmaxf(top, value[i]);
	figures_curve(cells->y, column->x, value, n, top);
}

static enum role tasks_cell_role(const struct task_cells *cells, enum quality quality,
				 enum role role)
{
	return quality_has_value(quality) && cells->role == ROLE_TEXT ? role : ROLE_DIM;
}

static void draw_headline(const struct task_cells *cells, const struct column *column)
{
	const struct model *model = &cells->table->tui->model;
	struct reading reading = model_metric(model, &cells->figures.row, model->primary_metric);
	struct label text = cells->table->list->before
				    ? change_text(cells, CHANGE_METRIC, 0)
				    : figures_text(cells->table->tui, column, reading);

	draw_right(cells->y, column->x, column->width,
		   tasks_cell_role(cells, reading.quality, ROLE_HEADLINE), text.text);
}

static void draw_parts(const struct task_cells *cells, const struct column *column)
{
	topdown_draw(cells->table->tui, &cells->figures.row, cells->y, column->x, column->width);
}

static void draw_share(const struct task_cells *cells, unsigned slot)
{
	const struct tasks_table *table = cells->table;
	const struct model *model = &table->tui->model;
	struct reading share =
		is_detail(table->tui)
			? model_figure(model, &cells->figures.row, slot, SHOW_PER_KI)
			: task_figures_share(table->list, model, &cells->figures, slot);
	bool is_whole = model->machine->n_types < 2 || table->list->has_place;
	const char *whole = is_whole ? "" : model->machine->type[cells->figures.row.type].name;
	const char *mark = quality_mark(share.quality);
	char text[64];

	if (is_detail(table->tui))
		snprintf(text, sizeof(text), "%s", figure_text(share, SHARE_WIDTH).text);
	else if (!quality_has_value(share.quality))
		snprintf(text, sizeof(text), "%s", mark);
	else
		snprintf(text, sizeof(text), "%s%.*f%s%s", mark, share.value < 99.95, share.value,
			 *whole ? " " : "", whole);
	draw_right(cells->y, table->share_x, SHARE_WIDTH,
		   tasks_cell_role(cells, share.quality, ROLE_SELECTED), text);
}

static void draw_counter(const struct task_cells *cells, const struct column *column)
{
	const struct model *model = &cells->table->tui->model;
	bool is_selected = model_is_selected(model, ORDER_SLOT, column->slot);
	struct reading reading =
		model_figure(model, &cells->figures.row, column->slot, model->show);
	struct label text = cells->table->list->before
				    ? change_text(cells, CHANGE_EVENT, column->slot)
				    : figure_text(reading, LAYOUT_CELL_WIDTH);

	draw_right(cells->y, column->x, column->width,
		   tasks_cell_role(cells, reading.quality, is_selected ? ROLE_SELECTED : ROLE_TEXT),
		   text.text);
	if (is_selected && cells->table->share_x)
		draw_share(cells, column->slot);
}

/* ---- numbers to sort by ---- */

static double number_sort(const struct task_list *list, const struct task_line *line)
{
	return task_list_number(list, line);
}

static double load_sort(const struct task_list *list, const struct task_line *line)
{
	return task_row_load(list->rows, line->row, line->type);
}

static double core_sort(const struct task_list *list, const struct task_line *line)
{
	double least = NAN;

	for (size_t i = 0; i < line->row->n_parts; i++)
		if (list->model->machine->core[line->row->part[i]->core].type == line->type)
			least = fmin(least, line->row->part[i]->core);
	return least;
}

static double value_of(struct reading reading)
{
	return quality_has_value(reading.quality) ? reading.value : NAN;
}

/* Compute the headline metric alone: there may be thousands of lines to sort. */
static double headline_sort(const struct task_list *list, const struct task_line *line)
{
	const struct metrics_bound *bound = list->frame->bound;
	int number = list->model->primary_metric, column = metrics_column(bound, number);
	const struct metric_binding *binding =
		column < 0 ? NULL : bound->binding[line->type][column];

	if (!binding)
		return NAN;
	return value_of(task_row_metric(list->rows, line->row, line->type,
					list->model->metrics->metric[number].program[line->type],
					binding));
}

static double lost_sort(const struct task_list *list, const struct task_line *line)
{
	struct task_figures figures;

	task_figures_make(list, list->model, line, &figures);
	return value_of(model_lost(list->model, &figures.row));
}

static double counter_sort(const struct task_list *list, const struct task_line *line)
{
	struct task_figures figures;
	struct count count;

	if (list->slot >= list->frame->n_slots || !tasks_have_column(list->frame->set, list->slot))
		return load_sort(list, line);
	if (list->show == SHOW_PER_KI) {
		task_figures_make(list, list->model, line, &figures);
		return value_of(model_figure(list->model, &figures.row, list->slot, list->show));
	}
	count = task_row_count(list->rows, line->row, line->type, list->slot);
	if (list->show == SHOW_COUNT)
		return value_of(count_total(&count));
	return value_of(count_total(&count)) / (double)count_task_window_ns(&count, 1);
}

/* ---- headings ---- */

static const struct task_column *order_of(const struct task_list *list, const struct model *model)
{
	enum order_by by = model->selected.by;

	if (list->order)
		return list->order;
	if (by == ORDER_BAR || by == ORDER_SLOT)
		return &columns[by == ORDER_BAR ? TASK_LOST : TASK_COUNTER];
	return &columns[by == ORDER_HEADLINE && !model_is_primary_share(model) ? TASK_HEADLINE
									       : TASK_LOAD];
}

static void say_order(struct tui *tui)
{
	const struct task_list *list = &tui->tasks->list;
	const struct model *model = &tui->model;
	const struct event_label label = event_label(set_event(model->set, model->slot));
	const struct task_column *column = order_of(list, model);
	const char *name = column->order;

	if (!name)
		name = column == &columns[TASK_COUNTER]
			       ? label.text
			       : name_metric(model, (unsigned)model->primary_metric);
	tui_say(tui, ROLE_TEXT, "sorted by %s, %s first; %s reverses", name,
		list->is_ascending ? "the smallest" : "the largest", tui_key(tui, 'o').name);
}

/* @column  NULL: the selected one */
static void sort_by(struct tui *tui, const struct task_column *column)
{
	struct task_list *list = &tui->tasks->list;
	const struct task_column *before = order_of(list, &tui->model);

	list->order = column;
	column = order_of(list, &tui->model);
	list->is_ascending = column == before ? !list->is_ascending : column->is_ascending;
	list->is_stale = true;
	say_order(tui);
}

static void click_counter(struct tui *tui, int slot)
{
	model_select(&tui->model, ORDER_SLOT, (unsigned)slot);
	tui->tasks->list.order = &columns[TASK_COUNTER];
	tui->tasks->list.is_stale = true;
}

static void click_order(struct tui *tui, int column)
{
	sort_by(tui, &columns[column]);
}

static const char *arrow(const struct tasks_table *table, unsigned column)
{
	if (table->list->sorted != &columns[column])
		return NULL;
	return table->list->is_ascending ? "▴" : "▾";
}

static void draw_headline_head(const struct tasks_table *table, const struct column *column)
{
	const struct model *model = &table->tui->model;
	struct table_heading heading = figures_heading(&table->layout, column);

	heading.text = name_metric(model, (unsigned)model->primary_metric);
	heading.arrow = arrow(table, TASK_HEADLINE);
	if (table->list->before)
		heading.unit = baseline_unit(model->metrics->metric[model->primary_metric].unit);
	table_heading_draw(&heading);
}

static void draw_counter_head(const struct tasks_table *table, const struct column *column)
{
	const struct layout *layout = &table->layout;
	bool is_selected = model_is_selected(&table->tui->model, ORDER_SLOT, column->slot);

	figures_slot_heading(table->tui, layout, column,
			     is_selected ? arrow(table, TASK_COUNTER) : NULL, click_counter);
	if (!is_selected || !table->share_x)
		return;
	draw_right(layout->heading_y, table->share_x, SHARE_WIDTH, ROLE_SELECTED,
		   is_detail(table->tui) ? "/ki" : "share");
	if (is_detail(table->tui))
		return;
	/* of the place of the list, all cores, or the type in the cell */
	draw_right(layout->units_y, table->share_x, SHARE_WIDTH, ROLE_DIM,
		   table->list->has_place                   ? "% here"
		   : table->tui->model.machine->n_types < 2 ? "% all"
							    : "% of");
}

static void draw_bar_head(const struct tasks_table *table, const struct column *column)
{
	topdown_heading(table->layout.heading_y, column->x, column->width,
			model_is_selected(&table->tui->model, ORDER_BAR, 0),
			arrow(table, TASK_LOST));
}

/* ---- the columns ---- */

#define LIVE(lists, width_, key_, title_, what_, hides)                       \
	{                                                                     \
		lists, width_, 0, 60, wait_text, .is_live = true,             \
						 .of = { key_,                \
							 title_,              \
							 "in Tasks: " what_,  \
							 .is_right = true,    \
							 .is_hidden = hides } \
	}
#define TIME(number, ...) [TASK_TIMES + (number)] = LIVE(TASKS_ALL, 6, __VA_ARGS__)
#define CGROUP(figure_, ...) \
	[TASK_CGROUP + CGROUP_##figure_] = LIVE(TASKS_TREE, 7, __VA_ARGS__, true)

static const struct task_column columns[N_TASK_COLUMNS] = {
	[TASK_NUMBER] = { TASKS_PLAIN, 7, .text = number_text, .sort = number_sort, .order = "id",
			  .is_ascending = true,
			  .of = { "pid", "PID",
				  "in Tasks: process id, or thread id if rows are threads",
				  .is_right = true } },
	[TASK_USER] = { TASKS_PLAIN, 8, 0, 100, user_text, .is_live = true,
			.of = { "user", "USER",
				.what = "in Tasks: user of the process, on this machine" } },
	[TASK_NAME] = { TASKS_PLAIN | TASKS_TREE, NAME_WIDTH, 10, 50, comm_text, .order = "name",
			.is_ascending = true, .of = { .title = "TASK" } },
	[TASK_LOAD] = { TASKS_ALL, 5, 0, 50, load_text, .sort = load_sort, .order = "time on cores",
			.change = CHANGE_TIME,
			.of = { "cpu%", "CPU%",
				"in Tasks: time on cores, 100: one core all the time",
				.is_right = true } },
	TIME(WAITS_RUN, "run%", "RUN%", "time on a CPU, of its threads", true),
	TIME(WAITS_WAIT, "wait%", "WAIT%", "time ready without a CPU, of its threads", true),
	TIME(WAITS_SLEEP, "sleep%", "SLEEP%", "the rest of the time of its threads", true),
	CGROUP(THROTTLED, "throttled%", "THROT%", "time that its limit stopped it, of one CPU"),
	CGROUP(CPU, "pressure-cpu", "P-CPU%", "time in which some task waited for a CPU"),
	CGROUP(MEMORY, "pressure-memory", "P-MEM%", "time in which some task waited for memory"),
	CGROUP(IO, "pressure-io", "P-IO%", "time in which some task waited for a device"),
	CGROUP(LIMIT, "limit%", "LIMIT%", "time on CPUs that it may use, 100: one CPU (cpu.max)"),
	[TASK_ON] = { TASKS_ALL, WHERE_WIDTH, 2, 76, where_text, .sort = core_sort, .order = "core",
		      .is_ascending = true,
		      .of = { "on", "ON",
			      .what = "in Tasks: type and numbers of the cores that it ran on" } },
	[TASK_PAST] = { TASKS_ONE, PAST_MAX, 9, 100, .draw = draw_past,
			.of = { .key = "history", .title = "last 60 s" } },
	[TASK_HEADLINE] = { 0, .draw = draw_headline, .head = draw_headline_head,
			    .sort = headline_sort, .change = CHANGE_METRIC },
	[TASK_LOST] = { 0, .draw = draw_parts, .head = draw_bar_head, .sort = lost_sort,
			.order = "cycles lost" },
	[TASK_COUNTER] = { 0, .draw = draw_counter, .head = draw_counter_head, .sort = counter_sort,
			   .change = CHANGE_EVENT },
};

static const struct sheet_column *tasks_column(unsigned i)
{
	return i < N_TASK_COLUMNS ? &columns[i].of : NULL;
}

static unsigned where(const struct tui *tui)
{
	if (tui->view == VIEW_TASKS && tui->tasks->list.by == BY_CGROUP)
		return TASKS_TREE;
	return is_detail(tui) ? TASKS_ONE : TASKS_PLAIN;
}

/* Whether a column's figures are neither in the frame nor of this machine. */
static bool lacks_source(const struct tui *tui, size_t i)
{
	const struct task_list *list = &tui->tasks->list;
	bool is_time = i < TASK_CGROUP && i >= TASK_TIMES;

	if (is_time && list->n &&
	    waits_of_row(list->frame, list->rows, list->line[0].row, list->line[0].type).quality)
		return false;
	return columns[i].is_live &&
	       (!tui_is_of_this_machine(tui) || (is_time && where(tui) == TASKS_TREE));
}

static int width_of(const struct tui *tui, size_t i)
{
	const struct task_column *column = &columns[i];
	bool is_brief = COLS < column->below;

	if ((column->of.key && !columns_shows(&tui->model.columns, column->of.key)) ||
	    !(column->where & where(tui)) || lacks_source(tui, i) ||
	    (i == TASK_ON && is_brief && tui->model.machine->n_types < 2))
		return 0;
	return is_brief ? column->brief : column->width;
}

/* @spare  columns for longer names */
static int place_fixed(struct tasks_table *table, int spare)
{
	int x = 1;

	for (unsigned i = 0; i < N_FIXED; i++) {
		int width = width_of(table->tui, i) + (i == TASK_NAME ? spare : 0);

		table->fixed[i] = (struct column){ .x = x, .width = width };
		x += width ? width + 1 : 0;
	}
	return x - 2;
}

/* Place the share after the selected column, and move the columns on its right. */
static void place_share(struct tasks_table *table)
{
	struct layout *layout = &table->layout;
	unsigned slot = table->tui->model.slot;

	for (unsigned i = 0; i < layout->n_columns; i++) {
		struct column *column = &layout->column[i];

		if (table->share_x)
			column->x += SHARE_WIDTH + 1;
		else if (column->kind == COLUMN_SLOT && column->slot == slot)
			table->share_x = column->x + column->width + 1;
	}
}

static void tasks_place(struct tasks_table *table)
{
	bool has_share = COLS >= 60 && table->tui->model.selected.by == ORDER_SLOT;
	int share = has_share ? SHARE_WIDTH + 1 : 0, spare;
	const struct column *last;

	figures_fit_tasks(table->tui, place_fixed(table, 0), share, &table->layout);
	last = &table->layout.column[table->layout.n_columns - 1];
	spare = COLS - share - 1 - last->x - last->width;
	if (spare > 0 && where(table->tui) != TASKS_ONE &&
	    (tui_is_of_this_machine(table->tui) || where(table->tui) == TASKS_TREE)) {
		spare = spare < NAME_MAX_WIDTH ? spare : NAME_MAX_WIDTH;
		figures_fit_tasks(table->tui, place_fixed(table, spare), share, &table->layout);
	}
	if (share)
		place_share(table);
}

static void draw_head(const struct tasks_table *table, unsigned i, const struct column *at)
{
	const struct task_column *column = &columns[i];
	bool is_tid = i == TASK_NUMBER && table->list->by == BY_THREAD,
	     is_right = column->of.is_right;
	const char *text = is_tid ? "TID" : column->of.title, *sorted = arrow(table, i);
	int y = table->layout.heading_y;

	if (column->head)
		column->head(table, at);
	else
		table_text_draw(y, at->x, at->width, is_right, ROLE_HEADING, text);
	if (sorted && !column->head)
		draw_text(y, at->x + (is_right ? at->width : (int)strlen(text)), 1, ROLE_KEY,
			  sorted);
	if ((column->order || column->sort) && i != TASK_COUNTER)
		mouse_area(y, at->x, 1, at->width, click_order, (int)i);
}

/* Columns of figures, by kind. */
static const unsigned figure[] = {
	[COLUMN_HEADLINE] = TASK_HEADLINE, [COLUMN_BAR] = TASK_LOST, [COLUMN_SLOT] = TASK_COUNTER
};

static void draw_heads(const struct tasks_table *table)
{
	const struct layout *layout = &table->layout;

	for (unsigned i = 0; i < N_FIXED; i++)
		if (table->fixed[i].width)
			draw_head(table, i, &table->fixed[i]);
	for (unsigned i = 1; i < layout->n_columns; i++) /* after the leading column */
		draw_head(table, figure[layout->column[i].kind], &layout->column[i]);
	table_more_draw(layout->heading_y, layout->column[0].x + layout->column[0].width,
			layout->more_left, layout->more_right);
}

static void tasks_draw_line(const void *data, unsigned i, int y)
{
	const struct tasks_table *table = data;
	const struct task_line *line = &table->list->line[i];
	struct task_cells cells; /* 60 kB: only what is read is set */

	cells.table = table;
	cells.line = line;
	cells.role = line->row->task->kind == TASK_THREAD ? ROLE_TEXT : ROLE_DIM;
	cells.y = y;
	task_figures_make(table->list, &table->tui->model, line, &cells.figures);
	if (table->list->before)
		task_figures_before(table->list, line, &cells.before);
	for (unsigned n = 0; n < N_FIXED; n++) {
		cells.at = &table->fixed[n];
		if (cells.at->width && columns[n].draw)
			columns[n].draw(&cells, cells.at);
		else if (cells.at->width)
			table_text_draw(y, cells.at->x, cells.at->width, columns[n].of.is_right,
					cells.role, columns[n].text(&cells).text);
	}
	for (unsigned n = 1; n < table->layout.n_columns; n++)
		columns[figure[table->layout.column[n].kind]].draw(&cells,
								   &table->layout.column[n]);
}

/* ---- order ---- */

static void act_order(struct tui *tui, int key)
{
	sort_by(tui, key == 'o' ? tui->tasks->list.order : NULL);
}

static void act_order_next(struct tui *tui, int key)
{
	const struct model *model = &tui->model;
	size_t at = (size_t)(order_of(&tui->tasks->list, model) - columns);

	do
		at = (at + (key == '>' ? 1 : N_TASK_COLUMNS - 1)) % N_TASK_COLUMNS;
	while (at < N_FIXED          ? !columns[at].order || !width_of(tui, at)
	       : at == TASK_HEADLINE ? !task_list_has_metric(model, model->primary_metric)
				     : at == TASK_LOST && !model_has_parts(model));
	sort_by(tui, &columns[at]);
}

static const char group[] = "In Tasks";

static const struct key keys[] = {
	OWN_KEY("Enter", group, "details of the selected task; a cgroup's tasks", act_enter, RETURN,
		NEWLINE, KEY_ENTER),
	OWN_KEY("t", group, "rows by process, thread, command, cgroup", act_by, 't'),
	OWN_KEY("f", group, "fold or unfold the selected cgroup", act_fold_cgroup, 'f'),
	OWN_KEY("s o", group, "sort by the selected column; reverse", act_order, 's', 'o'),
	OWN_KEY("< >", group, "sort by the column to the left, right", act_order_next, '<', '>'),
	OWN_KEY("F", group, "follow the selected task", act_follow, 'F'),
	OWN_KEY("\\ F4", group, "filter: names, command lines, cgroups: clang   4711",
		act_filter_tasks, '\\', KEY_F(4)),
	OWN_KEY("Esc", group, "show all tasks, then those of all cores", act_all, KEYS_ESCAPE),
	OWN_KEY("T", group, "tasks in every view, at any cost", act_force_attribution, 'T'),
	{ 0 },
};

/* Explain why no task is shown. */
static const char *none_text(const struct tui *tui, char *buf, size_t size)
{
	if (tui_is_playing(tui))
		snprintf(buf, size, "at this time the session has no tasks");
	else if (by_task_none(tui))
		snprintf(buf, size, "%s", by_task_none(tui));
	else if (tui->model.frozen)
		snprintf(buf, size, "tasks were not wanted then; %s returns to live",
			 tui_key(tui, KEY_END).name);
	else if (tui->tasks->list.frame && is_detail(tui))
		snprintf(buf, size, "it did not run in this interval");
	else if (tui->tasks->list.frame)
		snprintf(buf, size, "no such task ran in this window; %s shows all",
			 tui_key(tui, KEYS_ESCAPE).name);
	else
		snprintf(buf, size, "waiting for the first figures of tasks …");
	return buf;
}

static unsigned tasks_selected(const struct tui *tui, struct series ret[2])
{
	const struct task_list *list = &tui->tasks->list;
	const struct task_row row = { .task = &list->only };
	const struct task_line only = { .row = &row, .type = tui->tasks->detail.type };
	const struct task_line *line = task_list_selected(list);

	return tasks_series(tui, line || !list->frame || !is_detail(tui) ? line : &only, ret);
}

static void tasks_draw(struct tui *tui)
{
	const struct table_ops ops = { .draw = tasks_draw_line,
				       .mark = ROLE_KEY,
				       .is_highlighted = !is_detail(tui) };
	struct tasks_table table = { .tui = tui, .list = &tui->tasks->list };
	struct layout *layout = &table.layout;
	struct series series[2];
	char text[256];
	int y, down;

	tasks_place(&table);
	down = is_detail(tui) ? task_draw(tui, layout->number_y, layout->n_rows / 3) : 0;
	layout->number_y += down;
	layout->heading_y += down;
	layout->units_y += layout->units_y < 0 ? 0 : down;
	layout->rows_y += down;
	layout->n_rows -= down;
	draw_heads(&table);
	if (table.list->n && table.fixed[TASK_TIMES + WAITS_WAIT].width && layout->n_rows > 2 &&
	    tasks_waiting_text(tui, (unsigned)layout->n_rows, text, sizeof(text)))
		draw_text(layout->rows_y + --layout->n_rows, 1, COLS - 2, ROLE_TEXT, text);
	if (table.list->n)
		y = list_draw(tui, &ops, &table, layout->rows_y, layout->n_rows) + 1;
	else
		y = layout->rows_y + 1 +
		    draw_wrapped(layout->rows_y, 1, COLS - 2, layout->n_rows, ROLE_DIM,
				 none_text(tui, text, sizeof(text)));
	tui->n_seen = table.list->n && layout->n_rows > 0 ? (unsigned)layout->n_rows : 0;
	mini_graph_draw(tui, series, tasks_selected(tui, series), y,
			layout->rows_y + layout->n_rows - y);
	task_draw_detail(tui, layout->detail_y, layout->n_detail);
}

static void click_below(struct tui *tui, int number UNUSED)
{
	tui_show(tui, VIEW_TASKS);
}

int tasks_draw_below(struct tui *tui, int y, int end)
{
	struct task_list *list = &tui->tasks->below;
	struct tasks_table table = { .tui = tui, .list = list };
	int top;

	list->follows_cores = true;
	task_list_follow(list, &tui->model, order_of(list, &tui->model));
	if (!list->n || list->line[0].row->task->kind != TASK_THREAD)
		return y;
	tasks_place(&table);
	table.layout.number_y = table.layout.units_y = -1;
	table.layout.heading_y = y++;
	table.layout.n_rows = 0;
	table.layout.rows_y = y;
	draw_heads(&table);
	top = y;
	for (unsigned i = 0; i < list->n && list->line[i].row->task->kind == TASK_THREAD && y < end;
	     i++)
		tasks_draw_line(&table, i, y++);
	mouse_area(top, 0, y - top, COLS, click_below, 0);
	return y + 1;
}

/* ---- interface to the screen ---- */

void tasks_follow(struct tui *tui)
{
	struct task_list *list = &tui->tasks->list;
	const struct frame *before = list->frame;
	const struct task_line *line;

	list->users = tui_is_of_this_machine(tui) ? &tui->tasks->users : NULL;
	task_list_follow(list, &tui->model, order_of(list, &tui->model));
	if (list->frame == before)
		return;
	line = task_list_selected(list);
	if (list->is_followed && line && task_list_is_selected(list, line) &&
	    task_line_has_ended(line))
		tui_say(tui, ROLE_WARN, "%s has ended", task_list_name(list, line).text);
	/* while they are alive; more would displace each other */
	for (unsigned i = 0; i < list->n && i < USERS_MAX; i++)
		tasks_user(tui, list->line[i].row->task);
}

/* Describe the rows for the header: "41 processes on cpu5 · filter: clang · 2.1k switches/s cost
 * 0.2 %". */
static const char *tasks_describe(const struct tui *tui, bool is_brief, char *buf, size_t size)
{
	const struct task_list *list = &tui->tasks->list;
	char rate[16], where[48] = "", filter[80] = "";

	if (list->has_place)
		snprintf(where, sizeof(where), " on %s",
			 name_row(&tui->model, &list->place, is_brief).text);
	if (list->filter[0])
		snprintf(filter, sizeof(filter), " · filter: %s", list->filter);
	else if (list->in)
		snprintf(filter, sizeof(filter), " in %s", list->in->name);
	else if (list->pid)
		snprintf(filter, sizeof(filter), " · only %u", list->pid);
	buf[0] = '\0';
	if (!list->frame)
		return buf;

	double cost = (double)list->frame->tasks->cost_share * 100;
	int places = cost < 0.995 ? 2 : cost < 9.95;
	const char *own = list->frame->tasks->own_window_ns ? "own " : "";

	if (is_brief)
		snprintf(buf, size, "%u %sran%s · cost %.*f %%", list->n_tasks, own, where, places,
			 cost);
	else
		snprintf(buf, size, "%u %s%s%s%s · %s switches/s cost %.*f %%", list->n_tasks, own,
			 task_rows_name[list->by], where, filter,
			 num_si(by_task_switches_per_s(list->frame), 3, 5, rate, sizeof(rate)),
			 places, cost);
	return buf;
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

	snprintf(buf, size, "%u %u %s", task->pid, task->tid, core_task_name(task, list->by));
	return buf;
}

static bool has_no_task(const struct tui *tui)
{
	return !tui->tasks->list.has_only;
}

/* Leave the detail by another key than its own. */
static void tasks_enter(struct tui *tui)
{
	if (tui->tasks->list.has_only)
		task_close(tui);
	tasks_follow(tui);
}

const struct view view_tasks = {
	.name = "Tasks",
	.what = "who did it: counts by process and thread",
	.has_counter = true,
	.parts = COLUMNS | UNITS | CHANGES,
	.hint = { { "?", "help" },
		  { "q", "quit" },
		  { "Enter", "details" },
		  { "H", "hot" },
		  { "Tab", "view" },
		  { "\\", "filter" },
		  { "X", "excursions" },
		  { "F", "follow" },
		  { "a", "graph" },
		  { "/", "search" },
		  { "s", "sort" },
		  { "B", "baseline" } },
	.enter = tasks_enter,
	.draw = tasks_draw,
	.column = tasks_column,
	.describe = tasks_describe,
	.selected = tasks_selected,
	.keys = { keys },
	.list = tasks_list,
	.item = tasks_item,
};

const struct view view_task = {
	.name = "Task",
	.what = "one task in detail: Enter in Tasks",
	.has_counter = true,
	.parts = COLUMNS | UNITS | CHANGES,
	.hint = { { "?", "help" },
		  { "Esc", "back" },
		  { "c", "pin" },
		  { "n", "nice" },
		  { "F9", "signal" },
		  { "F", "follow" } },
	.is_empty = has_no_task,
	.draw = tasks_draw,
	.describe = tasks_describe,
	.selected = tasks_selected,
	.keys = { task_keys },
	.list = tasks_list,
	.item = tasks_item,
};
