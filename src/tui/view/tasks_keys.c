/* tasks_keys.c: the keys of the Tasks view, and the list that they move in */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "tui/counting/by_task.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"
#include "tui/view/tasks_view.h"

const char *const task_rows_name[] = {
	[BY_PROCESS] = "processes",
	[BY_THREAD] = "threads",
	[BY_COMMAND] = "commands",
};

static struct task_list *list_of(const struct tui *tui)
{
	return &tui->tasks->list;
}

const char *task_name(const struct task_list *list, const struct task_line *line, char *buf,
		      size_t size)
{
	unsigned number = task_list_number(list, line);

	if (number)
		snprintf(buf, size, "%s %u", line->row->task->comm, number);
	else
		snprintf(buf, size, "%s", line->row->task->comm);
	return buf;
}

static void tell_end(struct tui *tui, const struct task_list *list)
{
	const struct task_line *line = task_list_selected(list);
	char name[48];

	if (list->is_followed && line && task_list_is_selected(list, line) &&
	    task_line_has_ended(line))
		tui_say(tui, ROLE_WARN, "%s has ended", task_name(list, line, name, sizeof(name)));
}

void tasks_follow(struct tui *tui)
{
	struct task_list *list = list_of(tui);
	const struct frame *before = list->frame;

	task_list_follow(list, &tui->model);
	if (list->frame != before)
		tell_end(tui, list);
}

/* ---- what rows are ---- */

static void show_by(struct tui *tui, enum task_by by)
{
	struct task_list *list = list_of(tui);

	list->by = by;
	list->is_followed = false;
	list->is_stale = true;
	tui_say(tui, ROLE_TEXT, "rows are %s%s", task_rows_name[by],
		by == BY_COMMAND ? ": all tasks of one name" : "");
}

static void act_by(struct tui *tui, int key)
{
	static const enum task_by next[] = {
		[BY_PROCESS] = BY_THREAD, [BY_THREAD] = BY_COMMAND, [BY_COMMAND] = BY_PROCESS
	};

	(void)key;
	show_by(tui, next[list_of(tui)->by]);
}

static void act_threads(struct tui *tui, int key)
{
	(void)key;
	show_by(tui, list_of(tui)->by == BY_THREAD ? BY_PROCESS : BY_THREAD);
}

/* ---- in which order ---- */

static void say_order(struct tui *tui)
{
	const struct task_list *list = list_of(tui);
	const struct model *model = &tui->model;
	const char *name = list->order == TASKS_BY_TIME ? "time on cores"
			   : list->order == TASKS_BY_COUNTER
				   ? event_label(set_event(model->set, model->slot)).text
				   : name_metric(model, (unsigned)model->primary_metric);

	tui_say(tui, ROLE_TEXT, "sorted by %s, %s first; %s reverses", name,
		list->is_ascending ? "the smallest" : "the largest", tui_key(tui, 'o').name);
}

static void sort_by(struct tui *tui, enum task_order order)
{
	struct task_list *list = list_of(tui);

	list->is_ascending = order == list->order && !list->is_ascending;
	list->order = order;
	list->is_stale = true;
	say_order(tui);
}

static void act_order(struct tui *tui, int key)
{
	(void)key;
	sort_by(tui, key == 'o' ? list_of(tui)->order : TASKS_BY_COUNTER);
}

static bool has_order(const struct tui *tui, enum task_order order)
{
	return order != TASKS_BY_HEADLINE ||
	       task_list_has_metric(&tui->model, tui->model.primary_metric);
}

/* Orders stand as their columns do: time, IPC, the selected counter. */
static void act_order_beside(struct tui *tui, int key)
{
	static const enum task_order order[] = { TASKS_BY_TIME, TASKS_BY_HEADLINE,
						 TASKS_BY_COUNTER };
	const struct task_list *list = list_of(tui);
	size_t n = ARRAY_SIZE(order), at = 0;

	while (at + 1 < n && order[at] != list->order)
		at++;
	do
		at = (at + (key == '>' ? 1 : n - 1)) % n;
	while (!has_order(tui, order[at]));
	sort_by(tui, order[at]);
}

/* ---- which of them ---- */

static void set_filter(struct tui *tui, const char *text)
{
	struct task_list *list = list_of(tui);

	text += strspn(text, " ");
	snprintf(list->filter, sizeof(list->filter), "%s", text);
	list->is_stale = true;
}

static void filter_entered(struct tui *tui, const char *text)
{
	if (*text)
		tui_say(tui, ROLE_TEXT, "%u row%s; %s shows all", list_of(tui)->n,
			list_of(tui)->n == 1 ? "" : "s", tui_key(tui, KEYS_ESCAPE).name);
}

static void filter_left(struct tui *tui)
{
	set_filter(tui, "");
}

static void act_filter_tasks(struct tui *tui, int key)
{
	(void)key;
	prompt_open(tui, &(struct prompt){ .question = "filter",
					   .hint = "clang   4711   kworker P",
					   .done = filter_entered,
					   .changed = set_filter,
					   .left = filter_left });
}

static void act_all(struct tui *tui, int key)
{
	struct task_list *list = list_of(tui);

	(void)key;
	if (list->filter[0]) {
		set_filter(tui, "");
		tui_say(tui, ROLE_TEXT, "all tasks again");
	} else if (list->has_place) {
		list->has_place = false;
		list->is_stale = true;
		tui_say(tui, ROLE_TEXT, "the tasks of all cores again");
	} else if (list->is_followed) {
		list->is_followed = false;
		tui_say(tui, ROLE_TEXT, "following nobody");
	}
}

static void act_follow(struct tui *tui, int key)
{
	struct task_list *list = list_of(tui);
	const struct task_line *line = task_list_selected(list);
	char name[48];

	(void)key;
	if (list->is_followed || !line) {
		list->is_followed = false;
		tui_say(tui, ROLE_TEXT, "following nobody");
		return;
	}
	task_list_select(list);
	list->is_followed = true;
	list->was_at = list->at.at;
	tui_say(tui, ROLE_TEXT, "following %s; %s ends that",
		task_name(list, line, name, sizeof(name)), tui_key(tui, key).name);
}

void act_tasks(struct tui *tui, int key)
{
	struct task_list *list = list_of(tui);
	const struct line *line = model_selected(&tui->model);
	char name[32];

	(void)key;
	tui_show(tui, VIEW_TASKS);
	list->at = (struct cursor){ 0 };
	list->is_stale = true;
	list->has_place = line;
	if (!line)
		return;
	list->place = *line;
	tui_say(tui, ROLE_TEXT, "what ran on %s; %s: on all cores",
		name_row(&tui->model, line, false, name, sizeof(name)),
		tui_key(tui, KEYS_ESCAPE).name);
}

static const char group[] = "In Tasks";

const struct key tasks_keys[] = {
	OWN_KEY("H", group, "threads or processes", act_threads, 'H'),
	OWN_KEY("t", group, "rows by process, thread, command", act_by, 't'),
	OWN_KEY("s o", group, "sort by the selected counter; reverse", act_order, 's', 'o'),
	OWN_KEY("< >", group, "sort by time, by IPC, by the selected counter", act_order_beside,
		'<', '>'),
	OWN_KEY("F", group, "follow the selected task", act_follow, 'F'),
	OWN_KEY("\\ F4", group, "show only some tasks: clang   4711", act_filter_tasks, '\\',
		KEY_F(4)),
	OWN_KEY("Esc", group, "show all tasks, then those of all cores", act_all, KEYS_ESCAPE),
	OWN_KEY("T", group, "attribute to tasks in every view, at any cost", act_insist, 'T'),
	{ 0 },
};
