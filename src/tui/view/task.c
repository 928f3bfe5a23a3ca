/* task.c: one task of the Tasks view in detail: its process, and keys that act on it */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/view/views.h"

const struct user *tasks_user(const struct tui *tui, const struct core_task *task)
{
	bool has_user = tui_is_of_this_machine(tui) && task->tid;

	return has_user ? users_find(&tui->tasks->users, task) : NULL;
}

void task_close(struct tui *tui)
{
	struct task_detail *detail = &tui->tasks->detail;

	process_close(&detail->process);
	for (unsigned type = 0; type < TYPES_MAX; type++)
		track_fini(&detail->past[type]);
	*detail = (struct task_detail){ 0 };
	tui->tasks->list.has_only = false;
	tui->tasks->list.is_stale = true;
}

void act_task(struct tui *tui, int key UNUSED)
{
	struct task_list *list = &tui->tasks->list;
	const struct task_line *line = task_list_selected(list);

	if (!line)
		return;
	task_close(tui);
	list->only = *line->row->task;
	list->has_only = true;
	tui->tasks->detail.before = list->at;
	tui->tasks->detail.type = line->type;
	list->at = (struct cursor){ 0 };
	list->was_at = 0;
	if (tasks_user(tui, &list->only) && list->by != BY_COMMAND)
		process_open(list->only.pid,
			     sampler_now_ns(tui->config->sampler) - list->only.first_ns,
			     &tui->tasks->detail.process);
	tui_show(tui, VIEW_TASK);
}

static void act_back(struct tui *tui, int key UNUSED)
{
	struct task_list *list = &tui->tasks->list;

	if (!list->is_followed)
		task_list_select(list);
	list->at = tui->tasks->detail.before;
	list->was_at = list->at.at;
	task_close(tui);
	tui_show(tui, VIEW_TASKS);
}

/* Return why there is no process to act on. @return NULL: there is one */
static const char *why_none(const struct tui *tui)
{
	const struct process *process = &tui->tasks->detail.process;

	if (process->pid)
		return process->has_ended ? "it has ended" : NULL;
	return tui_is_playing(tui)             ? "recorded: there is no process to act on"
	       : tui->model.machine->simulated ? "simulated: there is no process to act on"
					       : "no running process is known behind this row";
}

/* ---- actions: each returns 0, -EDOM for an invalid text, or an error of the process, and writes the
 * equivalent command ---- */

static int task_pin(struct tui *tui, const char *text, char *command, size_t size)
{
	struct process *process = &tui->tasks->detail.process;
	struct cpus cpus;
	char list[64];

	if (strcmp(text, "all") == 0)
		text = "cpu"; /* as a filter: each core */
	if (!machine_choose(tui->model.machine, text, &cpus) || !cpus_count(&cpus))
		return -EDOM;
	snprintf(command, size, "taskset -acp %s %u", cpus_format(&cpus, list, sizeof(list)),
		 process->pid);
	return process_set(process, &cpus, 0);
}

static int renice(struct tui *tui, const char *text, char *command, size_t size)
{
	struct process *process = &tui->tasks->detail.process;
	double nice;

	if (num_parse_double(text, &nice) || nice < -20 || nice > 19 || nice != (int)nice)
		return -EDOM;
	snprintf(command, size, "renice -n %d $(ls /proc/%u/task)", (int)nice, process->pid);
	return process_set(process, NULL, (int)nice);
}

static int send_signal(struct tui *tui, const char *text, char *command, size_t size)
{
	/* from 1 on; the same on aarch64, x86 and loong64. Source: signal(7) */
	const char *rest = "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM "
			   "STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH "
			   "IO PWR SYS";
	struct process *process = &tui->tasks->detail.process;
	uint64_t number = 1;
	char word[8];

	while (text_next_word(&rest, word, sizeof(word)) && ascii_casecmp(word, text) != 0)
		number++;
	if (number > 31 && (num_parse_u64(text, &number) || !number || number > 64))
		return -EDOM;
	snprintf(command, size, "kill -%s %u", text, process->pid);
	return process_signal(process, (int)number);
}

static const struct deed {
	int key;
	const char *what, *hint;
	int (*act)(struct tui *tui, const char *text, char *command, size_t size);
} deeds[] = {
	{ 'c', "cores for", "P   0-3,8   all", task_pin },
	{ 'n', "nice value for", "-20 to 19", renice },
	{ KEY_F(9), "signal for", "TERM KILL INT HUP STOP CONT … or 1-64", send_signal },
};

static void typed(struct tui *tui, const char *text)
{
	const struct task_detail *detail = &tui->tasks->detail;
	const struct user *user = tasks_user(tui, &tui->tasks->list.only);
	char command[128];
	int rc = detail->deed->act(tui, text, command, sizeof(command));

	if (!rc)
		tui_say(tui, ROLE_GOOD, "done: %s", command);
	else if (rc == -EDOM || rc == -ESRCH)
		tui_say(tui, ROLE_ERROR, "nothing was done: %s",
			rc == -EDOM ? detail->deed->hint : "the task has ended");
	else if (rc != -EPERM &&
		 rc != -EACCES) /* EINVAL: a kernel thread, cores outside its cpuset */
		tui_say(tui, ROLE_ERROR, "%s: %s", command, strerror(-rc));
	else
		tui_say(tui, ROLE_ERROR,
			"%s: the task belongs to %s, and m1top acts as uid %u without root's "
			"rights; type: sudo %s",
			strerror(-rc), user ? user->name : "?", geteuid(), command);
}

static void act_deed(struct tui *tui, int key)
{
	struct task_detail *detail = &tui->tasks->detail;
	const char *why = why_none(tui);

	if (key == 'c' && detail->process.pid == (uint32_t)getpid())
		why = "m1top's threads are pinned to the cores that they read";
	if (why) {
		tui_say(tui, ROLE_WARN, "%s", why);
		return;
	}
	for (detail->deed = deeds; detail->deed->key != key; detail->deed++)
		;
	snprintf(detail->question, sizeof(detail->question), "%s %s %u", detail->deed->what,
		 tui->tasks->list.only.comm, detail->process.pid);
	prompt_open(tui, &(struct prompt){ detail->question, detail->deed->hint, .done = typed });
}

void act_follow(struct tui *tui, int key)
{
	struct task_list *list = &tui->tasks->list;
	const struct task_line *line = task_list_selected(list);

	if (list->is_followed || !line) {
		list->is_followed = false;
		tui_say(tui, ROLE_TEXT, "following nobody");
		return;
	}
	task_list_select(list);
	list->is_followed = true;
	list->was_at = list->at.at;
	tui_say(tui, ROLE_TEXT, "following %s; %s ends that", task_list_name(list, line).text,
		tui_key(tui, key).name);
}

static const char group[] = "In Task";

const struct key task_keys[] = {
	OWN_KEY("c", group, "pin all its threads to cores: P   0-3,8", act_deed, 'c'),
	OWN_KEY("n", group, "renice all its threads: set their nice value", act_deed, 'n'),
	OWN_KEY("F9", group, "kill it, or send it another signal: TERM   9", act_deed, KEY_F(9)),
	OWN_KEY("F", group, "follow it in Tasks", act_follow, 'F'),
	OWN_KEY("Esc", group, "back to Tasks", act_back, KEYS_ESCAPE),
	{ 0 },
};

/* Read the waiting of now. @tid  0: of the process  @return NONE while the screen shows the past */
static struct waiting waiting_now(struct tui *tui, uint32_t pid, uint32_t tid)
{
	if (tui->model.frozen)
		return (struct waiting){ .quality = QUALITY_NONE };
	return waits_read(&tui->tasks->waits, pid, tid, clock_now_ns());
}

struct waiting tasks_waiting(struct tui *tui, const struct task_list *list,
			     const struct task_line *line)
{
	const struct core_task *task = line->row->task;
	struct waiting is = waits_of_row(list->frame, list->rows, line->row, line->type);

	if (is.quality == QUALITY_NONE && tui_is_of_this_machine(tui) && task->tid &&
	    (list->by == BY_THREAD || list->by == BY_PROCESS))
		is = waiting_now(tui, task->pid, list->by == BY_THREAD ? task->tid : 0);
	return is;
}

struct waiting cgroup_waiting(struct tui *tui, const struct core_task *task)
{
	if (tui->model.frozen || task->kind != TASK_THREAD)
		return (struct waiting){ .quality = QUALITY_NONE };
	return waits_read_cgroup(&tui->tasks->waits, core_task_cgroup(task), clock_now_ns());
}

#define WAITING_MIN 5.0 /* percent of a CPU; less is no loss to speak of */

bool tasks_waiting_text(struct tui *tui, unsigned n, char *buf, size_t size)
{
	const struct task_list *list = &tui->tasks->list;
	const struct model *model = &tui->model;
	const struct task_line *most = NULL;
	struct task_figures figures;
	struct row_parts parts;
	double percent = WAITING_MIN;

	for (unsigned i = list->at.top; i < list->n && i < list->at.top + n; i++) {
		struct waiting is = tasks_waiting(tui, list, &list->line[i]);

		if (!quality_has_value(is.quality) || is.share[WAITS_WAIT] < percent)
			continue;
		most = &list->line[i];
		percent = is.share[WAITS_WAIT];
	}
	if (!most)
		return false;
	task_figures_make(list, model, most, &figures);

	bool has_loss = model_parts(model, &figures.row, &parts) && parts.loss >= 0;

	snprintf(buf, size, "%s: %.0f %% ready without a CPU, more than %s%s%s",
		 task_list_name(list, most).text, percent, has_loss ? "its " : "it runs",
		 has_loss ? model->metrics->part[parts.loss].known->name : "",
		 has_loss ? " loses" : "");
	return percent > 100 * figures.load * (has_loss ? parts.share[parts.loss] : 1);
}

/* Write how long its threads ran and waited for a CPU; "": not known yet. */
static const char *waits_text(struct tui *tui, uint32_t pid, char *buf, size_t size)
{
	struct waiting is = waiting_now(tui, pid, 0);

	buf[0] = '\0';
	if (quality_is_exact(is.quality))
		snprintf(buf, size, "   ran %s%.1f %%, waited %s%.1f %% for a CPU",
			 quality_mark(is.quality), is.share[WAITS_RUN], quality_mark(is.quality),
			 is.share[WAITS_WAIT]);
	return buf;
}

int task_draw(struct tui *tui, int y, int n)
{
	const struct core_task *task = &tui->tasks->list.only;
	struct process *process = &tui->tasks->detail.process;
	const struct user *user = tasks_user(tui, task);
	enum task_by by = tui->tasks->list.by;
	unsigned number = by == BY_THREAD ? task->tid : by == BY_PROCESS ? task->pid : 0;
	char age[32], cpus[64], faults[16], waits[64], text[640];
	int x, used = 0;

	process_read(process);
	x = 4 +
	    draw_printf(y, 1, COLS - 2, ROLE_TOTAL, number ? "%s %u" : "%s", task->comm, number);
	if (why_none(tui))
		used = draw_wrapped(y, x, COLS - 1 - x, n, ROLE_WARN, why_none(tui));
	if (!process->pid)
		return used;
	snprintf(text, sizeof(text),
		 "%s   %" PRIu64
		 " thread%s   %s%s   nice %d   may run on %s   %s page faults, %" PRIu64
		 " from disk%s%s",
		 user ? user->name : "-", process->n_threads, process->n_threads == 1 ? "" : "s",
		 duration_text(process->age_ns, age, sizeof(age)),
		 waits_text(tui, process->pid, waits, sizeof(waits)), process->nice,
		 cpus_format(&process->cpus, cpus, sizeof(cpus)),
		 num_si((double)(process->minor + process->major), 3, 5, faults, sizeof(faults)),
		 process->major, *process->cgroup ? "   cgroup " : "", process->cgroup);
	used += draw_wrapped(y + used, x, COLS - 1 - x, n - used, ROLE_TEXT, text);
	return used + draw_wrapped(y + used, 1, COLS - 2, n - used, ROLE_TEXT, process->command);
}

/* ---- the selected task, below the tasks ---- */

struct label tasks_where(const struct model *model, const struct task_line *line, bool is_brief)
{
	const struct machine *machine = model->machine;
	const char *type = machine->type[line->type].name;
	struct cpus cpus = { { 0 } };
	char list[32];

	for (size_t i = 0; i < line->row->n_parts; i++) {
		const struct core *core = &machine->core[line->row->part[i]->core];

		if (core->type == line->type)
			cpus_add(&cpus, core->cpu);
	}
	cpus_format(&cpus, list, sizeof(list));
	if (machine->n_types < 2)
		return label_printf("%s", list);
	return is_brief ? label_printf("%s", type) : label_printf("%s %s", type, list);
}

/* Draw the shares of cores: "cpu4 51.0 %  cpu5 40.2 %". */
static void draw_where(const struct tui *tui, const struct task_line *line, int y, int x)
{
	enum { WIDTH = 16 };
	const struct machine *machine = tui->model.machine;
	const struct frame *frame = tui->tasks->list.frame;
	const struct task_row *row = line->row;

	for (unsigned core = 0; core < machine->n_cores && x + WIDTH < COLS; core++) {
		uint64_t ns = 0, window_ns = frame->core[core].window_ns;

		if (machine->core[core].type != line->type)
			continue;
		for (size_t i = 0; i < row->n_parts; i++)
			if (row->part[i]->core == core)
				ns += core_task_time_ns(
					frame->tasks, (size_t)(row->part[i] - frame->tasks->task));
		if (ns && window_ns)
			x += draw_printf(y, x, COLS - 1 - x, ROLE_TEXT, "cpu%u %.1f %%",
					 machine->core[core].cpu,
					 100.0 * (double)ns / (double)window_ns) +
			     2;
	}
}

/* Draw the selected task: "clang 4711  14.9M/s  7.3 per 1000 instructions  cpu5 99.1 %". */
static void draw_selected(const struct tui *tui, const struct task_line *line, int metric, int y)
{
	const struct model *model = &tui->model;
	const struct task_list *list = &tui->tasks->list;
	const struct quantity quantity = metric < 0 ? quantity_of_slot(model, model->slot)
						    : quantity_of_metric((unsigned)metric);
	struct label unit = quantity_unit(model, &quantity);
	struct task_figures figures;
	struct reading rate = { .quality = QUALITY_NONE }, per_ki = rate, cycles;
	int x = 1 + draw_text(y, 1, COLS - 2, ROLE_TOTAL, task_list_name(list, line).text) + 2;

	task_figures_make(list, model, line, &figures);
	if (metric >= 0)
		rate = model_metric(model, &figures.row, metric);
	else if (model->selected.by == ORDER_SLOT)
		rate = model_figure(model, &figures.row, model->slot, SHOW_RATE);
	if (metric < 0 && quality_has_value(rate.quality))
		per_ki = model_figure(model, &figures.row, model->slot, SHOW_PER_KI);
	if (quality_has_value(rate.quality))
		x += draw_text(y, x, COLS - 1 - x, ROLE_TEXT,
			       figure_with_unit(rate, unit.text, 8).text) +
		     2;
	if (quality_has_value(per_ki.quality))
		x += draw_printf(y, x, COLS - 1 - x, ROLE_TEXT, "%s%s", figure_text(per_ki, 6).text,
				 COLS < 100 ? "/ki" : " per 1000 instructions") +
		     2;
	cycles = model_cycles(model, &figures.row);
	if (quality_has_value(cycles.quality) && line->row->task->kind == TASK_THREAD &&
	    figures.load > 0 && model->privilege == PRIVILEGE_BOTH && x + 10 < COLS)
		x += draw_printf(y, x, COLS - 1 - x, ROLE_TEXT, "%s%.2f GHz",
				 quality_mark(cycles.quality), cycles.value / figures.load / 1e9) +
		     2;
	draw_where(tui, line, y, x);
}

void task_draw_detail(const struct tui *tui, int y, int n)
{
	const struct model *model = &tui->model;
	const struct task_line *line = task_list_selected(&tui->tasks->list);
	const struct event *event = set_event(model->set, model->slot);
	const struct line of = { .by = BY_TYPE, .index = line ? line->type : 0 };
	int metric = model_selected_metric(model, &of);

	if (n > 1 && model->selected.by != ORDER_SLOT)
		metrics_draw_line(model, metric, y++);
	else if (event && n > 1)
		draw_printf(y++, 1, COLS - 2, ROLE_TEXT, "%s  %s  %s",
			    name_slot(model, model->slot).text, event->name,
			    event->known ? event->known->brief : "");
	if (line)
		draw_selected(tui, line, metric, y);
}
