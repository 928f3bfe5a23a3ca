#include "tui/model/task_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "tui/model/baseline.h"
#include "tui/model/names.h"

/* ---- lines ---- */

static const struct cpus *cpus_of_place(const struct task_list *list, const struct machine *machine,
					struct cpus *buf)
{
	if (!list->has_place)
		return NULL;
	*buf = rows_cpus(machine, &list->place);
	return buf;
}

/* Write what filters search: "1310 1312 m1top P /user.slice m1top -d 1"; of a cgroup "system ssh
 * /system.slice/ssh.service P". */
static void searched_text(const struct task_list *list, const struct core_task *task,
			  const char *type, char *buf, size_t size)
{
	if (list->by != BY_CGROUP || task->kind != TASK_THREAD) {
		const struct user *user =
			list->users && task->tid ? users_find(list->users, task) : NULL;

		snprintf(buf, size, "%u %u %s %s %s %s", task->pid, task->tid, task->comm, type,
			 task->cgroup ? task->cgroup->path : "", user ? user->command : "");
		return;
	}
	cgroup_names(core_task_cgroup(task), buf, size);
	for (char *at = buf; (at = strchr(at, '/'));)
		*at = ' ';
	buf_printf(buf, size, " %s %s", task->cgroup->path, type);
}

/* Whether a line passes the filters. */
static bool passes(const struct task_list *list, const struct machine *machine,
		   const struct task_line *line)
{
	const struct core_task *task = line->row->task;
	char text[1024];

	if (list->has_only)
		return task_compare(task, &list->only, list->by) == 0;
	if (list->pid && task->pid != list->pid)
		return false;
	if (!list->filter[0])
		return true;
	searched_text(list, task, machine->type[line->type].name, text, sizeof(text));
	return rows_match(text, list->filter);
}

/* Whether a line is listed: always for a task, else if it has a figure. */
static bool has_anything(const struct task_list *list, const struct task_line *line)
{
	const struct frame *frame = list->frame;

	if (line->row->task->kind == TASK_THREAD)
		return true;
	for (unsigned i = 0; i < frame->n_slots; i++)
		if (task_row_count(list->rows, line->row, line->type, i).value)
			return true;
	return task_row_load(list->rows, line->row, line->type) > 0;
}

/* Get the change of the figure that a line is sorted by. */
static double change_to_sort(const struct task_list *list, const struct task_line *line)
{
	struct task_figures now, before;
	struct reading change;

	task_figures_make(list, list->model, line, &now);
	task_figures_before(list, line, &before);
	change = task_figures_change(list, &now, &before, list->sorted->change, list->slot);
	return quality_has_value(change.quality) ? change.value : NAN;
}

static void add_lines(struct task_list *list, const struct model *model, const struct task_row *row)
{
	for (unsigned type = 0; type < model->machine->n_types; type++) {
		struct task_line line = { .row = row, .type = type };

		if (!(row->types >> type & 1) || !passes(list, model->machine, &line) ||
		    !has_anything(list, &line))
			continue;
		if (list->before && list->sorted->change)
			line.by = change_to_sort(list, &line);
		else if (list->sorted->sort)
			line.by = list->sorted->sort(list, &line);
		list->line[list->n++] = line;
	}
}

/* ---- order ---- */

/* Compare lines: tasks before the other rows, those without a figure last, in either direction. */
static int task_list_compare(const void *a, const void *b, void *data)
{
	const struct task_line *left = a, *right = b;
	const struct task_list *list = data;
	bool has_left = !isnan(left->by), has_right = !isnan(right->by);
	int name = list->sorted->sort ? 0
				      : strcmp(core_task_name(left->row->task, list->by),
					       core_task_name(right->row->task, list->by));

	if (left->row->task->kind != right->row->task->kind)
		return task_order(left->row->task->kind, right->row->task->kind);
	if (has_left != has_right)
		return has_left ? -1 : 1;
	if (has_left && left->by != right->by)
		return (left->by < right->by) == list->is_ascending ? -1 : 1;
	if (name)
		return list->is_ascending ? name : -name;
	return task_order((uintptr_t)left->row, (uintptr_t)right->row);
}

/* ---- tree of cgroups ---- */

static const struct cgroup **folded_at(const struct task_list *list, const struct core_task *task)
{
	for (unsigned i = 0; task->kind == TASK_THREAD && i < FOLDED_MAX; i++)
		if (list->folded[i] && list->folded[i] == task->cgroup)
			return (const struct cgroup **)&list->folded[i];
	return NULL;
}

void task_list_fold(struct task_list *list, const struct task_line *line)
{
	const struct cgroup **at = folded_at(list, line->row->task);

	if (at)
		*at = NULL;
	else if (line->row->task->kind == TASK_THREAD)
		list->folded[list->n_folded++ % FOLDED_MAX] = line->row->task->cgroup;
	list->is_stale = true;
}

/* Lines in the order of the tree: those below a line follow it, in the order that they had. */
struct branches {
	size_t *first,
		*next; /* by line, in the order of the list: first below it; next below the same */
	struct task_line *line;
	unsigned n;
};

static void add_branch(struct task_list *list, struct branches *to, size_t i, unsigned depth)
{
	for (; i < list->n; i = to->next[i]) {
		struct task_line *line = &to->line[to->n++];

		*line = list->line[i];
		line->depth = depth;
		line->is_folded = to->first[i] < list->n && folded_at(list, line->row->task);
		if (!line->is_folded)
			add_branch(list, to, to->first[i], depth + 1);
	}
}

/* Put sorted lines in the order of the tree. A line whose upper one is filtered out is below the next one above. */
static bool make_tree(struct task_list *list, unsigned n_types)
{
	size_t n = list->n;
	AUTO_FREE size_t *memory = malloc((list->rows->n * n_types + 2 * n + 1) * sizeof(size_t));
	size_t *line_of = memory, top = n;
	struct branches to = { .line = calloc(n + 1, sizeof(*to.line)) };

	if (!memory || !to.line) {
		free(to.line);
		return false;
	}
	to.first = line_of + list->rows->n * n_types;
	to.next = to.first + n;
	for (size_t i = 0; i < list->rows->n * n_types; i++)
		line_of[i] = n;
	for (size_t i = 0; i < n; i++) {
		line_of[(size_t)(list->line[i].row - list->rows->row) * n_types +
			list->line[i].type] = i;
		to.first[i] = n;
	}
	for (size_t i = n; i-- > 0;) {
		size_t row = (size_t)(list->line[i].row - list->rows->row), above = n;

		while (above == n && list->rows->row[row].above != row) {
			row = list->rows->row[row].above;
			above = line_of[row * n_types + list->line[i].type];
		}
		to.next[i] = above < n ? to.first[above] : top;
		*(above < n ? &to.first[above] : &top) = i;
	}
	add_branch(list, &to, top, 0);
	free(list->line);
	list->line = to.line;
	list->n = to.n;
	return true;
}

/* ---- selection ---- */

unsigned task_list_number(const struct task_list *list, const struct task_line *line)
{
	const struct core_task *task = line->row->task;

	return list->by == BY_THREAD ? task->tid : list->by == BY_PROCESS ? task->pid : 0;
}

struct label task_list_name(const struct task_list *list, const struct task_line *line)
{
	unsigned number = task_list_number(list, line);

	if (list->by == BY_CGROUP && line->row->task->kind == TASK_THREAD)
		return name_cgroup(line->row->task->cgroup);
	return label_printf(number ? "%s %u" : "%s", line->row->task->comm, number);
}

bool task_list_is_selected(const struct task_list *list, const struct task_line *line)
{
	return line->type == list->selected_type &&
	       task_compare(line->row->task, &list->selected, list->by) == 0;
}

const struct task_line *task_list_selected(const struct task_list *list)
{
	return list->at.at < list->n ? &list->line[list->at.at] : NULL;
}

void task_list_select(struct task_list *list)
{
	const struct task_line *line = task_list_selected(list);

	if (!line)
		return;
	list->selected = *line->row->task;
	list->selected_type = line->type;
}

static void find_selected(struct task_list *list)
{
	list->was_at = list->at.at;
	/* a cursor on the first line stays there, whatever task that is */
	if (list->at.at == 0 && !list->is_followed)
		return;
	for (unsigned i = 0; i < list->n; i++)
		if (task_list_is_selected(list, &list->line[i])) {
			list->at.at = list->was_at = i;
			return;
		}
}

/* ---- the list ---- */

static struct task_rows *rows_of(const struct task_list *list, const struct machine *machine,
				 const struct frame *frame)
{
	struct cpus cpus;
	const struct cpus *on = list->follows_cores && list->cores_filter.text[0]
					? &list->cores_filter.cpus
					: cpus_of_place(list, machine, &cpus);

	return list->by == BY_CGROUP ? task_rows_tree(frame, machine, on)
				     : task_rows_new(frame, machine, list->by, on, false, list->in);
}

/* Make the rows of the baseline, if it has tasks. */
static void make_before(struct task_list *list, const struct machine *machine)
{
	list->before_of.by = list->by;
	list->before = list->baseline ? rows_of(list, machine, list->baseline) : NULL;
	for (size_t i = 0; list->before && i < list->before->n; i++)
		if (task_index_take(&list->before_of, list->before->row[i].task) < 0)
			return; /* out of memory: the others are unknown */
}

static bool task_list_make(struct task_list *list, const struct model *model)
{
	const struct machine *machine = model->machine;

	list->rows = rows_of(list, machine, list->frame);
	if (!list->rows)
		return false;
	make_before(list, machine);
	list->line = calloc(list->rows->n * machine->n_types + 1, sizeof(*list->line));
	if (!list->line)
		return false;
	for (size_t i = 0; i < list->rows->n; i++) {
		list->n_tasks += list->rows->row[i].task->kind == TASK_THREAD;
		add_lines(list, model, &list->rows->row[i]);
	}
	qsort_r(list->line, list->n, sizeof(*list->line), task_list_compare, list);
	return list->by != BY_CGROUP || make_tree(list, machine->n_types);
}

void task_list_fini(struct task_list *list)
{
	if (!list)
		return;
	frame_unref(list->frame);
	frame_unref(list->baseline);
	task_index_clear(&list->before_of);
	free(list->before);
	free(list->rows);
	free(list->line);
	list->frame = list->baseline = NULL;
	list->rows = list->before = NULL;
	list->line = NULL;
	list->n = list->n_tasks = 0;
}

void task_list_follow(struct task_list *list, const struct model *model,
		      const struct task_column *order)
{
	bool has_tasks = model->shown && model->shown->tasks && !model->yielded;
	const struct frame *frame = has_tasks ? model->shown : NULL;

	if (!list->is_stale && frame == list->frame && list->slot == model->slot &&
	    list->sorted == order && list->show == model->show &&
	    list->baseline == (frame ? baseline_tasks(model->baseline) : NULL) &&
	    memcmp(&list->cores_filter, &model->rows.filter, sizeof(list->cores_filter)) == 0)
		return;
	if (list->n && list->at.at != list->was_at) /* the cursor has moved */
		list->is_followed = false;
	if (!list->is_followed)
		task_list_select(list);
	task_list_fini(list);
	list->is_stale = false;
	list->slot = model->slot;
	list->model = model;
	list->sorted = order;
	list->show = model->show;
	list->cores_filter = model->rows.filter;
	if (!frame)
		return;
	list->frame = frame_ref(frame);
	if (baseline_tasks(model->baseline))
		list->baseline = frame_ref(baseline_tasks(model->baseline));
	if (!task_list_make(list, model))
		task_list_fini(list);
	cursor_follow(&list->at, list->n, 0);
	find_selected(list);
}

bool task_line_has_ended(const struct task_line *line)
{
	for (size_t i = 0; i < line->row->n_parts; i++)
		if (line->row->part[i]->tid == line->row->task->tid && line->row->part[i]->ended_ns)
			return true;
	return false;
}

/* ---- figures ---- */

static void row_of_place(const struct task_list *list, const struct model *model, unsigned type,
			 struct frame_row *ret)
{
	struct line line = { .by = BY_TYPE, .index = type };

	if (list->has_place)
		line = list->place;
	frame_row(list->frame, model->machine, model->metrics, line.by, line.index, ret);
}

void task_figures_make(const struct task_list *list, const struct model *model,
		       const struct task_line *line, struct task_figures *ret)
{
	struct count_windows windows = { 0 };

	row_of_place(list, model, line->type, &ret->row);
	ret->row.state = CORE_ON;
	ret->row.count = ret->count;
	ret->row.metric = ret->metric;
	ret->load = task_row_load(list->rows, line->row, line->type);
	task_row_counts(list->rows, line->row, line->type, ret->count);
	if (task_row_add_windows(list->rows, line->row, line->type, &windows))
		windows.n = 0; /* out of memory: from the sums */
	metrics_eval_windows(model->metrics, list->frame->bound, line->type, ret->count, &windows,
			     ret->metric);
	count_windows_fini(&windows);
	for (unsigned i = 0; i < list->frame->n_slots; i++)
		count_widen(&ret->count[i],
			    count_task_window_ns(&ret->count[i], ret->row.window_ns));
}

void task_figures_before(const struct task_list *list, const struct task_line *line,
			 struct task_figures *ret)
{
	ptrdiff_t number = task_index_find(&list->before_of, line->row->task);
	struct task_list then = *list;
	struct task_line old = *line;

	*ret = (struct task_figures){ 0 };
	if (number < 0)
		return;
	then.frame = list->baseline;
	then.rows = list->before;
	old.row = &list->before->row[number];
	task_figures_make(&then, list->model, &old, ret);
}

struct reading task_figures_change(const struct task_list *list, const struct task_figures *now,
				   const struct task_figures *before, enum task_change change,
				   unsigned slot)
{
	const struct model *model = list->model;
	unsigned type = now->row.type;
	bool has_others = column_set_next(&list->before->merged[type], -1) >= 0;
	const struct event *event = list->frame->set->type[type].event[slot],
			   *was_event = list->baseline->set->type[type].event[slot];
	const struct reading none = { .quality = QUALITY_NOT_COUNTED },
			     load = { now->load * 100, QUALITY_OK },
			     was = { before->load * 100, has_others ? QUALITY_SCALED : QUALITY_OK };
	enum show show = model->show == SHOW_COUNT ? SHOW_RATE : model->show;
	int metric = model->primary_metric;
	struct reading ret;

	if (change == CHANGE_TIME)
		return baseline_change(load, was, true);
	if (!before->row.bound)
		return none;
	if (change == CHANGE_METRIC)
		return baseline_change(model_metric(model, &now->row, metric),
				       frame_row_metric(&before->row, metric),
				       metric_is_share(&model->metrics->metric[metric]));
	if (!event || !was_event || !event_is_same(event, was_event))
		return none;
	ret = baseline_change(model_figure(model, &now->row, slot, show),
			      figure_of(&before->row, list->baseline->set, slot, show), false);
	if (ret.quality == QUALITY_PARTIAL) /* part of either may be in [others] */
		ret.quality = QUALITY_SCALED;
	return ret;
}

struct reading task_figures_share(const struct task_list *list, const struct model *model,
				  const struct task_figures *figures, unsigned slot)
{
	const struct count *part = &figures->count[slot], *whole;
	struct frame_row row;
	struct reading share;

	if (slot >= list->frame->n_slots)
		return (struct reading){ .quality = QUALITY_NONE };
	row_of_place(list, model, figures->row.type, &row);
	whole = &row.count[slot];
	share.quality = quality_worst(part->quality, whole->quality);
	if (quality_has_value(share.quality) && !whole->value)
		share.quality = QUALITY_UNDEFINED;
	/* not extrapolated: both were counted in the same parts of the window */
	share.value = (double)part->value * 100 / (whole->value ? (double)whole->value : 1);
	return share;
}

bool task_list_has_metric(const struct model *model, int number)
{
	const struct frame *frame = model->shown;
	int column = frame ? metrics_column(frame->bound, number) : -1;
	bool has = false;

	for (unsigned type = 0; column >= 0 && type < model->machine->n_types; type++) {
		const struct metric_binding *binding = frame->bound->binding[type][column];

		has |= binding != NULL;
		for (int slot = -1;
		     binding && (slot = column_set_next(&binding->slots, slot)) >= 0;)
			if (!tasks_have_column(frame->set, (unsigned)slot))
				return false;
	}
	return has;
}

bool task_share_of_process(const struct model *model, const struct line *line, uint32_t pid,
			   double *ret)
{
	const struct frame *frame = model->shown;
	uint64_t by_core[CORES_MAX], own = 0;
	unsigned slot = model->slot;
	struct frame_row row;

	if (!frame || !frame->tasks || slot >= frame->n_slots ||
	    !tasks_have_column(frame->set, slot) || !model_row(model, line, &row) ||
	    row.is_earlier || !quality_has_value(row.count[slot].quality) || !row.count[slot].value)
		return false;
	frame_tasks_of_process(frame, pid, slot, by_core);
	frame_row_each(model->machine, line->by, line->index, core)
		own += by_core[core];
	*ret = (double)own / (double)row.count[slot].value;
	return true;
}

const struct core_task *task_of_core(const struct frame *frame, unsigned core)
{
	const struct frame_tasks *tasks = frame->tasks;
	size_t low = 0, high = tasks ? tasks->n : 0;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (tasks->task[middle].core < core)
			low = middle + 1;
		else
			high = middle;
	}
	for (; tasks && low < tasks->n && tasks->task[low].core == core; low++)
		if (tasks->task[low].kind == TASK_THREAD)
			return &tasks->task[low];
	return NULL;
}
