/* hot.c: the Hot view divides the selected counter of one row into functions, and one function into its
 * lines or addresses */
#include "tui/view/hot.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/num.h"
#include "sampler/hot.h"
#include "sampler/sampler.h"
#include "session/format.h"
#include "session/sink.h"
#include "symbols/symbols.h"
#include "tui/counters/assign.h"
#include "tui/counters/by_task.h"
#include "tui/model/names.h"
#include "tui/screen/list.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/widget/match.h"

/* Figures are of this time before the shown frame, or of the frames that are kept. */
#define HOT_WINDOW_NS (5 * NS_PER_S)

/* ---- what is divided ---- */

bool hot_is_shown(const struct tui *tui)
{
	return tui->view == VIEW_HOT || (tui_view(tui)->is_text && tui->back == VIEW_HOT);
}

const struct event *hot_event(const struct tui *tui)
{
	const struct set *set = tui->model.set;
	unsigned slot = by_task_slot(tui);

	return slot < set->n_slots ? set->type[tui->hot->type].event[slot] : NULL;
}

/* Name the row: "cpu6", "rsync 50000 on cpu6". */
static struct label selection_name(const struct tui *tui)
{
	const struct hot_view *view = tui->hot;
	const struct core_task *task = &view->task.like;
	struct label place = name_row(&tui->model, &view->place, false), name = place;
	unsigned number = view->task.by == BY_PROCESS  ? task->pid
			  : view->task.by == BY_THREAD ? task->tid
						       : 0;

	if (!view->task.is_task)
		return place;
	name = label_printf(number ? "%s %u" : "%s", core_task_name(task, view->task.by), number);
	return tui->model.machine->n_types > 1
		       ? label_printf("%.250s on %.200s", name.text, place.text)
		       : name;
}

void hot_frame(struct tui *tui, const struct frame *frame)
{
	struct hot_view *view = tui->hot;
	unsigned n = 0;

	if (tui->model.frozen)
		return;
	while (n < view->n_frames &&
	       (!hot_is_shown(tui) || view->frame[n]->set->chains != frame->set->chains ||
		view->frame[n]->t_ns + HOT_WINDOW_NS <= frame->t_ns ||
		view->frame[n]->t_ns >= frame->t_ns || view->n_frames - n >= HOT_FRAMES_MAX))
		frame_unref(view->frame[n++]);
	view->n_frames -= n;
	for (unsigned i = 0; n && i < view->n_frames; i++)
		view->frame[i] = view->frame[i + n];
	if (hot_is_shown(tui) && frame->hot)
		view->frame[view->n_frames++] = frame_ref(frame);
}

void hot_fini(struct hot_view *view)
{
	for (unsigned i = 0; i < view->n_frames; i++)
		frame_unref(view->frame[i]);
	frame_unref(view->shown);
	hot_rows_free(view->rows);
	free(view->open);
	flame_clear(&view->flame);
	sheet_fini(&view->sheet);
	*view = (struct hot_view){ 0 };
}

/* ---- keys of rows ---- */

uint64_t hot_key_below(uint64_t above, const struct hot_row *row)
{
	return above ? hash_mix(above, (uintptr_t)row->function) : (uintptr_t)row->function;
}

/* Find an opened row. @return n_open: it is closed */
static size_t find_open(const struct hot_view *view, uint64_t key)
{
	size_t i = 0;

	while (i < view->n_open && view->open[i] != key)
		i++;
	return i;
}

bool hot_is_open(const struct hot_view *view, uint64_t key)
{
	return find_open(view, key) < view->n_open;
}

bool hot_is_code(const struct function *function)
{
	return function && function->object->name[0];
}

/* ---- following the shown frame ---- */

/* Whether a frame has samples of the selected counter, and not still of the one before. */
static bool has_samples(const struct tui *tui, const struct frame *frame)
{
	const struct event *wanted = hot_event(tui), *sampled;

	if (!frame || !frame->hot || !wanted)
		return false;
	sampled = frame->set->type[tui->hot->type].event[frame->hot->column];
	return sampled && event_counts_as(sampled, wanted);
}

static void find_behind(struct tui *tui)
{
	tui->by_task->behind = model_sampled_slot(&tui->model, &tui->hot->place);
	tui->by_task->behind_set = tui->model.set->number;
}

/* Find the column behind the selected one in a new set, once a frame of it is there. */
static void follow_set(struct tui *tui)
{
	const struct model *model = &tui->model;

	if (!tui_is_playing(tui) && model->shown &&
	    tui->by_task->behind_set != model->set->number &&
	    model->shown->set->number == model->set->number)
		find_behind(tui);
}

/* Get the frames that the rows are made of. @return their number; 0: they have no samples */
static unsigned hot_frames(const struct tui *tui, const struct frame *const **ret)
{
	const struct hot_view *view = tui->hot;
	bool is_one = scrub_is_on(&tui->model) || !view->n_frames;
	unsigned n = is_one ? 1 : view->n_frames;

	*ret = is_one ? &view->shown : view->frame;
	return has_samples(tui, (*ret)[n - 1]) ? n : 0;
}

/* Get what the rows divide. @on  room for its CPUs */
static struct hot_select hot_selection(const struct tui *tui, struct cpus *on)
{
	const struct hot_view *view = tui->hot;

	*on = rows_cpus(tui->model.machine, &view->place);
	return (struct hot_select){ .on = on,
				    .task = view->task.is_task ? &view->task : NULL,
				    .function = view->function };
}

void hot_follow(struct tui *tui)
{
	struct hot_view *view = tui->hot;
	const struct frame *shown = tui->model.shown, *const * frame;
	struct hot_select select;
	struct cpus on;
	unsigned n;

	follow_set(tui);
	if (shown == view->shown && !view->is_stale && view->slot == by_task_slot(tui))
		return;
	frame_unref(view->shown);
	view->shown = shown ? frame_ref(shown) : NULL;
	view->slot = by_task_slot(tui);
	n = hot_frames(tui, &frame);
	select = hot_selection(tui, &on);
	select.tree = n && frame[n - 1]->set->chains ? view->tree : HOT_FLAT;
	flame_forget(&view->flame);
	hot_rows_free(view->rows);
	view->rows = n ? hot_rows_sum(frame, n, tui->model.machine, view->type, &select) : NULL;
	view->window_ns = n ? frame[n - 1]->t_ns - frame[0]->t_ns + frame_window_ns(frame[0]) : 0;
	/* lines are known later; until then the addresses stand there */
	view->is_stale = view->function && view->lines_rc == -EAGAIN;
	if (view->rows)
		hot_fill_sheet(tui);
}

/* ---- drawing ---- */

/* Return the digit of the first counter that can be sampled. @return -1: none */
static int nearest_digit(const struct tui *tui, const struct event **ret)
{
	const struct set *set = tui->model.set;

	for (int i = 0; i < DIGIT_COLUMNS; i++) {
		unsigned column = model_column(&tui->model, (unsigned)i);

		if (column >= set->n_slots)
			continue;
		*ret = set->type[tui->hot->type].event[column];
		if (!event_no_samples(*ret))
			return i;
	}
	return -1;
}

/* Explain why there are no rows. */
static struct label none_text(const struct tui *tui)
{
	const struct event *event = hot_event(tui), *nearest = NULL;
	const char *no_samples = event_no_samples(event),
		   *name = event ? event->name : "the selected counter";
	struct err err = { "" };
	int digit = nearest_digit(tui, &nearest);

	if (tui_is_playing(tui))
		return label_printf("at this time the session has no functions");
	if (tui->model.frozen)
		return label_printf("no functions at this time: the history does not keep them; "
				    "%s returns to live",
				    tui_key(tui, KEY_END).name);
	if (backend_can_sample(sampler_backend(tui->config->sampler), &err) < 0)
		return label_printf("%s", err.text);
	if (no_samples && digit >= 0)
		return label_printf("%s cannot be sampled: %s; %s takes %s, which can be", name,
				    no_samples, tui_key(tui, '0' + digit).name, nearest->name);
	if (no_samples)
		return label_printf("%s cannot be sampled: %s; %s chooses another event", name,
				    no_samples, tui_key(tui, 'e').name);
	if (by_task_none(tui))
		return label_printf("%s", by_task_none(tui));
	if (tui->hot->rows && tui->hot->function)
		return label_printf("%s has no samples of its own", tui->hot->function->name);
	if (tui->hot->rows)
		return label_printf("no samples yet: %s happened hardly ever here", name);
	return label_printf("waiting for the first samples of %s …", name);
}

/* Draw the row and the counter, and what is 100 %: "cpu6  PMC5 BR-MISP     100 % = 56.2M/s, counted in 5 s". */
static void draw_title(const struct tui *tui, int y)
{
	const struct hot_view *view = tui->hot;
	const struct event *event = hot_event(tui);
	const struct function *function = view->function;
	struct label text;
	int end = COLS - 1, x = 1;

	if (event && view->rows && quality_has_value(view->rows->count.quality)) {
		struct reading rate = count_rate(&view->rows->count);

		rate.value *= event->scale;
		text = figure_with_unit(rate, figure_unit(event, SHOW_RATE).text, 8);
		text = COLS < 60 ? label_printf("100 %% = %.100s", text.text)
				 : label_printf("100 %% = %.100s, %s in %.2g s", text.text,
						function ? "estimated" : "counted",
						(double)view->window_ns / 1e9);
		end -= draw_right(y, x, end - x, ROLE_TEXT, text.text) + 2;
	}
	x += draw_text(y, x, end - x, ROLE_SELECTED, selection_name(tui).text) + 2;
	if (function)
		draw_printf(y, x, end - x, ROLE_TOTAL, "%s%s", function->is_kernel ? "k " : "",
			    function->name);
	else if (view->slot < COLUMNS_MAX)
		draw_text(y, x, end - x, ROLE_TOTAL, name_heading(&tui->model, view->slot).text);
}

/* Draw how it is sampled: "a sample every 19.0k · 1.0k samples/s · cost 0.3 %". */
static void draw_sampling(const struct tui *tui, int y)
{
	const struct hot_view *view = tui->hot;
	const struct hot_rows *rows = view->rows;
	const struct event *event = hot_event(tui);
	const struct frame_tasks *tasks = view->shown->tasks;
	double cost = tasks ? (double)tasks->cost_share * 100 : 0;
	char period[16], per_s[16];
	int x = 1;

	num_si(rows->period * (event ? event->scale : 1), 3, 5, period, sizeof(period));
	num_si((double)rows->n_samples * 1e9 / (double)view->window_ns, 2, 4, per_s, sizeof(per_s));
	x += draw_printf(y, x, COLS - 1 - x, ROLE_DIM,
			 "a sample every %s%s%s · %s samples/s · cost %.*f %% of a core", period,
			 event && *event->unit ? " " : "", event ? event->unit : "", per_s,
			 cost < 0.995 ? 2 : cost < 9.95, cost);
	if (rows->n_throttled)
		x += draw_printf(y, x, COLS - 1 - x, ROLE_WARN, " · throttled %" PRIu64 "×",
				 rows->n_throttled);
	if (rows->n_lost)
		draw_printf(y, x, COLS - 1 - x, ROLE_WARN, " · %" PRIu64 " lost", rows->n_lost);
}

/* Draw the sum of the functions that are not listed, below the others. */
static void draw_rest(const struct hot_view *view, int y)
{
	char name[64];

	if (view->n_rest)
		draw_printf(y, 2, COLS - 3, ROLE_DIM, "%.*f %%  %s %s",
			    (int)num_decimals(view->rest * 100, 1), view->rest * 100,
			    hot_row_name(&(struct hot_row){ .n_functions = view->n_rest }, name,
					 sizeof(name)),
			    view->filter[0] ? "without the words of the filter"
					    : "with fewer than 4 samples each");
}

/* Functions of the kernel in which interrupts are enabled: their beginnings. Samples that were due before are
 * taken there, unless they come as NMI. */
static const char *const enablers[] = {
	"_raw_spin_unlock_irq",
	"_raw_read_unlock_irq",
	"_raw_write_unlock_irq",
	"finish_task_switch",
	"do_idle",
	"default_idle",
	"cpu_idle",
	"arch_cpu_idle",
	"cpuidle_",
	"__do_softirq",
	"handle_softirqs",
	"irqentry_",
	"exit_to_user_mode",
	"el0_",
	"el1_",
	"arch_local_irq_",
	"local_irq_",
	"__local_bh_enable_ip",
	"asm_",
	"pv_native_safe_halt",
};

static bool enables_interrupts(const struct function *function)
{
	for (size_t i = 0; function->is_kernel && i < ARRAY_SIZE(enablers); i++)
		if (strncmp(function->name, enablers[i], strlen(enablers[i])) == 0)
			return true;
	return false;
}

/* Find the row of a key below another one, as far as rows are opened. @return NULL: none */
static const struct hot_row *find_row(const struct hot_view *view, const struct hot_row *row,
				      size_t n, uint64_t above, uint64_t key)
{
	const struct hot_row *found = NULL;

	for (size_t i = 0; row && !found && i < n; i++) {
		uint64_t own = hot_key_below(above, &row[i]);

		found = own == key ? &row[i]
			: hot_is_open(view, own)
				? find_row(view, row[i].below, row[i].n_below, own, key)
				: NULL;
	}
	return found;
}

/* Find the selected function. @return NULL: none */
static const struct hot_row *selected_row(const struct hot_view *view)
{
	uint64_t key;

	if (flame_is_on(view))
		return flame_row(view);
	if (view->function || !view->rows || !sheet_key(&view->sheet, &key))
		return NULL;
	return find_row(view, view->rows->row, view->rows->n, 0, key);
}

/* Say what the rows of a function lack. */
static const char *division_text(const struct hot_view *view)
{
	bool is_source = view->division == CODE_SOURCE;

	switch (view->lines_rc) {
	case 0: return "a sample is late by some instructions: it may be due to one before";
	case -EAGAIN:
		return is_source ? "its source lines are being read …"
				 : "its instructions are being read …";
	case -ENOTSUP:
		if (!is_source)
			return "instructions need libcapstone, and a processor that it knows";
	}
	return is_source ? "its object has no table of source lines"
			 : "its object has no file that instructions could be read from";
}

/* Draw the selected function in full, and what its figures do not say. */
static void hot_draw_detail(const struct tui *tui, int y, int n_lines)
{
	const struct hot_view *view = tui->hot;
	const struct hot_row *row = selected_row(view);
	const struct function *function = row ? row->function : view->function;
	char why[256];
	int x = 1;

	if (!function || n_lines < 1)
		return;
	if (row && flame_is_on(view))
		x += draw_printf(y, x, COLS - 2, ROLE_HEADLINE, "%.1f %% ± %.1f", row->share * 100,
				 row->error * 100) +
		     2;
	if (row)
		x += draw_printf(y, x, COLS - 1 - x, ROLE_TEXT, "%" PRIu64 " sample%s", row->n,
				 row->n == 1 ? "" : "s") +
		     2;
	x += draw_text(y, x, COLS - 1 - x, ROLE_TOTAL, function->name) + 2;
	draw_printf(y, x, COLS - 1 - x, ROLE_DIM, "%s%s", *function->object->path ? "in " : "",
		    function->object->path);
	if (n_lines < 2)
		return;
	if (enables_interrupts(function))
		draw_text(y + 1, 1, COLS - 2, ROLE_WARN,
			  "interrupts are enabled here: its samples may be due to code before "
			  "that ran without them");
	else if (function->is_kernel && !function->is_named &&
		 symbols_kernel_is_hidden(why, sizeof(why)))
		draw_text(y + 1, 1, COLS - 2, ROLE_WARN, why);
	else if (view->function && (view->lines_rc || view->division == CODE_ASSEMBLY))
		draw_text(y + 1, 1, COLS - 2, ROLE_DIM, division_text(view));
	else if (flame_is_on(view) && view->shown->set->chains)
		draw_text(y + 1, 1, COLS - 2, ROLE_DIM,
			  "Enter shows the box in the whole width, then one level more");
	else
		draw_text(y + 1, 1, COLS - 2, ROLE_DIM,
			  view->tree && !view->shown->set->chains
				  ? "stacks are recorded from now on: rows with callers get a +"
				  : "rows of one RANK do not differ beyond their errors");
}

static void click_heading(struct tui *tui, int column)
{
	sheet_sort_by(&tui->hot->sheet, (unsigned)column,
		      column == HOT_SHARE || column == HOT_ERROR || column == HOT_RATE);
}

static void click_row(struct tui *tui, int at)
{
	tui->hot->sheet.cursor.at = (unsigned)at;
}

static void hot_draw(struct tui *tui)
{
	static const struct sheet_clicks clicks = { click_heading, click_row, RETURN };
	struct hot_view *view = tui->hot;
	const struct layout *layout = &tui->layout;
	int n_detail = LINES >= 16 ? 2 : LINES >= 12 ? 1 : 0;
	int y = layout->view_y, detail_y = layout->status_y - n_detail;

	draw_title(tui, y++);
	if (view->rows && view->rows->n && LINES >= 16)
		draw_sampling(tui, y++);
	if (!view->rows || !view->rows->n) {
		draw_wrapped(y + 1, 1, COLS - 2, 4, ROLE_DIM, none_text(tui).text);
		return;
	}
	if (flame_is_on(view)) {
		flame_draw(tui, y + 1, detail_y - (LINES >= 20));
		hot_draw_detail(tui, detail_y, n_detail);
		return;
	}
	y = sheet_draw(&view->sheet, &clicks, y, detail_y - (LINES >= 20) - (view->n_rest > 0));
	tui->n_seen = view->sheet.n_seen;
	draw_rest(view, y);
	hot_draw_detail(tui, detail_y, n_detail);
}

/* ---- keys ---- */

/* Show another selection or level: its rows are made again. */
static void hot_begin(struct tui *tui)
{
	sheet_fini(&tui->hot->sheet);
	tui->hot->is_stale = true;
	tui->hot->lines_rc = -EAGAIN;
}

/* Take the row that is selected in the present view. @return false: none */
static bool take_selection(struct tui *tui)
{
	struct hot_view *view = tui->hot;
	bool is_tasks = tui->view == VIEW_TASKS || tui->view == VIEW_TASK;
	struct series series[2] = { { .line = { .by = BY_DEVICE } } };
	const struct line *line = model_selected(&tui->model);

	if (tui_view(tui)->list == rows_list && line)
		series[0].line = *line;
	else if (!is_tasks)
		tui_selected(tui, series);
	else if (!tui_view(tui)->selected(tui, series))
		return false;
	if (series[0].line.by == BY_DEVICE)
		return false;
	view->task = series[0].task;
	view->place = series[0].line;
	view->type = model_type(&tui->model, &view->place);
	return true;
}

/* Choose the counter behind the selected column; without one count cycles, or the clock of the cores. */
static void choose_behind(struct tui *tui)
{
	struct model *model = &tui->model;
	struct order selected = model->selected;
	unsigned slot = model->slot, *behind = &tui->by_task->behind;
	const struct frame *shown = model->shown;

	find_behind(tui);
	if (tui_is_playing(tui) && shown && shown->hot)
		*behind = shown->hot->column;
	else if (*behind == COLUMNS_MAX && !tui_is_playing(tui) &&
		 !assign_event(tui, SLOT_FREE,
			       machine_has_core_pmu(model->machine) ? "cycles" : "cpu-clock"))
		*behind = model->slot;
	model->selected = selected;
	model->slot = slot;
}

void act_hot(struct tui *tui, int key)
{
	struct hot_view *view = tui->hot;

	if (tui->view == VIEW_HOT) {
		tui_show(tui, view->from);
		return;
	}
	if (!take_selection(tui)) {
		tui_say(tui, ROLE_WARN,
			"select a row of cores or a task first: %s shows the functions behind it",
			tui_key(tui, key).name);
		return;
	}
	view->from = tui->view;
	choose_behind(tui);
	view->function = NULL;
	view->tree = HOT_FLAT;
	tui->by_task->chains = false;
	flame_clear(&view->flame);
	view->n_open = 0;
	view->filter[0] = '\0';
	view->is_open = true;
	hot_begin(tui);
	tui_show(tui, VIEW_HOT);
}

static void act_lines(struct tui *tui, int key UNUSED)
{
	struct hot_view *view = tui->hot;
	const struct hot_row *row = selected_row(view);

	if (view->function) {
		view->division = view->division == CODE_SOURCE ? CODE_ASSEMBLY : CODE_SOURCE;
		hot_begin(tui);
	} else if (row && hot_is_code(row->function)) {
		view->function = row->function;
		view->division = CODE_SOURCE;
		view->before = view->sheet.cursor;
		hot_begin(tui);
	} else if (row) {
		tui_say(tui, ROLE_WARN, "%s is not a function: it has no source lines; select one",
			row->function ? row->function->name : "[others]");
	}
}

/* Begin to record stacks. @first  the tree that is shown unless one is  @return false: the picture does not follow, and has none */
static bool begin_tree(struct tui *tui, enum hot_tree first)
{
	struct hot_view *view = tui->hot;
	bool is_past = tui_is_playing(tui) || scrub_is_on(&tui->model);

	if (is_past || (tui->model.frozen && !(view->shown && view->shown->set->chains))) {
		tui_say(tui, ROLE_WARN,
			is_past ? "callers are known only live: neither the history nor sessions "
				  "keep them"
				: "the frozen picture has no callers: they are recorded once it is "
				  "live");
		return false;
	}
	if (view->tree == HOT_FLAT)
		view->tree = first;
	tui->by_task->chains = true;
	view->is_stale = true;
	return true;
}

static void act_open(struct tui *tui, int key UNUSED)
{
	struct hot_view *view = tui->hot;
	uint64_t of;

	if (flame_is_on(view)) {
		flame_zoom(view);
		return;
	}
	if (!selected_row(view) || !sheet_key(&view->sheet, &of) || !begin_tree(tui, HOT_CALLERS))
		return;
	if (hot_is_open(view, of))
		view->open[find_open(view, of)] = view->open[--view->n_open];
	else if (array_append((void **)&view->open, &view->open_cap, &view->n_open, &of,
			      sizeof(of)))
		tui_say(tui, ROLE_ERROR, "out of memory");
}

static void act_turn(struct tui *tui, int key UNUSED)
{
	struct hot_view *view = tui->hot;
	bool was_callees = view->tree == HOT_CALLEES;

	if (view->function || !begin_tree(tui, HOT_CALLERS))
		return;
	view->tree = was_callees ? HOT_CALLERS : HOT_CALLEES;
	flame_unzoom(view);
	view->n_open = 0;
	hot_begin(tui);
	tui_say(tui, ROLE_TEXT,
		was_callees ? "functions with samples, above their callers"
			    : "functions that stacks begin with, above those they call");
}

static void act_flame(struct tui *tui, int key)
{
	struct hot_view *view = tui->hot;
	bool was_flat = view->tree == HOT_FLAT;

	if (view->function || (!view->flame.is_on && !begin_tree(tui, HOT_CALLEES)))
		return;
	view->flame.is_on = !view->flame.is_on;
	if (was_flat)
		hot_begin(tui);
	if (view->flame.is_on)
		tui_say(tui, ROLE_TEXT,
			"widths are shares: arrows select, Enter zooms, %s shows rows",
			tui_key(tui, key).name);
}

enum { NAMES_MS = 300 }; /* wait for names that are written */

/* Write the stacks behind the rows. */
static void write_stacks(struct tui *tui, const char *path)
{
	struct hot_view *view = tui->hot;
	struct hot_sum sum = { .machine = tui->model.machine, .type = view->type };
	struct cpus on;
	struct hot_select select = hot_selection(tui, &on);
	const struct frame *const *frame;
	unsigned n = hot_frames(tui, &frame);
	struct symbols *symbols = sampler_symbols(tui->config->sampler);
	AUTO_TEXT struct text text = { 0 };
	struct sink *sink = NULL;
	struct err err = { "out of memory" };
	int rc;

	if (!*path)
		return;
	if (!n || (symbols && !symbols_wait(symbols, NAMES_MS))) {
		tui_say(tui, ROLE_WARN,
			n ? "names are still being read: press w again"
			  : "there are no samples at this time");
		return;
	}
	select.tree = HOT_CALLERS;
	rc = hot_sum_add_all(&sum, frame, n, &select);
	folded_put(&sum, 1, &text);
	hot_sum_clear(&sum);
	if (!rc && !text.failed && !(rc = sink_open(path, SINK_NEW, &sink, &err))) {
		sink_keep_whole(sink);
		rc = sink_write(sink, text.bytes ? text.bytes : "", text.n, &err);
		rc = sink_close(sink, rc ? NULL : &err) || rc;
	}
	if (rc || text.failed)
		tui_say(tui, ROLE_ERROR, "%s", err.text);
	else
		tui_say(tui, ROLE_GOOD, "wrote %s: stacks for flamegraph.pl, inferno, speedscope",
			path);
}

static void act_write_stacks(struct tui *tui, int key UNUSED)
{
	const struct hot_view *view = tui->hot;

	if (!view->rows || !view->rows->n || !view->shown->set->chains) {
		tui_say(tui, ROLE_WARN, "no stacks are recorded yet: %s begins",
			tui_key(tui, 'F').name);
		return;
	}
	prompt_open(tui, &(struct prompt){ .question = "write folded stacks to",
					   .hint = "compressed as NAME.zst",
					   .done = write_stacks });
	tui->prompt.input.n = (size_t)snprintf(tui->prompt.input.text,
					       sizeof(tui->prompt.input.text), "stacks.folded");
}

/* Right opens a row, Left closes it or goes to the one above it; else both move in time. */
static bool hot_take_key(struct tui *tui, int key)
{
	struct hot_view *view = tui->hot;
	struct sheet *sheet = &view->sheet;
	const struct hot_row *row = selected_row(view);
	uint64_t of;

	if (flame_is_on(view))
		return flame_take_arrow(view, key);
	if (!row || (key != KEY_LEFT && key != KEY_RIGHT) || tui->model.frozen ||
	    !sheet_key(sheet, &of))
		return false;
	unsigned parent = sheet->table.row[sheet->order[sheet->cursor.at]].parent;

	if (hot_is_open(view, of) ? key == KEY_LEFT
				  : key == KEY_RIGHT && (row->n_below || view->tree == HOT_FLAT)) {
		act_open(tui, key);
		return true;
	}
	if (key != KEY_LEFT || parent == SHEET_NO_PARENT)
		return false;
	while (sheet->order[sheet->cursor.at] != parent)
		sheet->cursor.at--;
	return true;
}

static void set_filter(struct tui *tui, const char *text)
{
	snprintf(tui->hot->filter, sizeof(tui->hot->filter), "%s", text);
	tui->hot->is_stale = true;
}

static void filter_entered(struct tui *tui, const char *text)
{
	if (*text)
		tui_say(tui, ROLE_TEXT, "%zu of %zu functions; %s shows all", tui->hot->n_listed,
			tui->hot->n_listed + tui->hot->n_rest, tui_key(tui, KEYS_ESCAPE).name);
}

static void act_filter_functions(struct tui *tui, int key UNUSED)
{
	prompt_open(tui, &(struct prompt){ .question = "filter",
					   .hint = "words of function, object, task",
					   .done = filter_entered,
					   .changed = set_filter });
}

/* End the function's lines, then the filter, then the view. */
static void act_leave(struct tui *tui, int key UNUSED)
{
	struct hot_view *view = tui->hot;

	if (view->function) {
		view->function = NULL;
		hot_begin(tui);
		view->sheet.cursor = view->before;
	} else if (view->flame.is_on) {
		view->flame.is_on = flame_unzoom(view);
	} else if (view->filter[0]) {
		set_filter(tui, "");
	} else {
		tui_show(tui, view->from);
	}
}

static void act_hot_order(struct tui *tui, int key)
{
	struct sheet *sheet = &tui->hot->sheet;
	unsigned n = sheet->table.n_columns;
	unsigned column = key == 's'   ? HOT_SHARE
			  : key == '>' ? sheet->column + 1
			  : key == '<' ? sheet->column + n - 1
				       : sheet->column;

	if (!n)
		return;
	if (flame_is_on(tui->hot)) {
		tui_say(tui, ROLE_WARN, "boxes are in the order of their names: %s shows rows",
			tui_key(tui, 'F').name);
		return;
	}
	click_heading(tui, (int)(column % n));
	tui_say(tui, ROLE_TEXT, "by %s, the %s first", sheet->table.column[column % n].title,
		sheet->is_descending ? "largest" : "smallest");
}

static const char group[] = "In Hot";

static const struct key keys[] = {
	OWN_KEY("Enter", group, "callers of the function below it; again: close. Also → ←",
		act_open, RETURN, NEWLINE, KEY_ENTER),
	OWN_KEY("a", group, "source lines of the function; again: its instructions", act_lines,
		'a'),
	OWN_KEY("c", group, "from callers to callees, and back", act_turn, 'c'),
	OWN_KEY("F", group, "flame rows of the tree; again: back", act_flame, 'F'),
	OWN_KEY("w", group, "write these stacks, folded as for flamegraph.pl", act_write_stacks,
		'w'),
	OWN_KEY("s o", group, "sort by the share; reverse", act_hot_order, 's', 'o'),
	OWN_KEY("< >", group, "sort by the column to the left, right", act_hot_order, '<', '>'),
	OWN_KEY("\\ F4", group, "filter: show only some functions: memcpy   libz",
		act_filter_functions, '\\', KEY_F(4)),
	OWN_KEY("Esc", group, "back: to the functions, to all of them, to the view before",
		act_leave, KEYS_ESCAPE),
	{ 0 },
};

/* ---- interface to the screen ---- */

/* Describe the rows for the header: "31 functions · filter: libz". */
static const char *hot_describe(const struct tui *tui, bool is_brief, char *buf, size_t size)
{
	const struct hot_view *view = tui->hot;

	static const char *const what[][2] = { { "function", "functions" },
					       { "line", "lines" },
					       { "instruction", "instructions" },
					       { "address", "addresses" },
					       { "root", "roots" } };
	unsigned level = view->function              ? (view->lines_rc ? 3 : 1 + view->division)
			 : view->tree == HOT_CALLEES ? 4
						     : 0;
	size_t n = !view->rows ? 0 : view->function ? view->sheet.table.n : view->n_listed;

	snprintf(buf, size, "%zu %s%s%s", n, what[level][n != 1],
		 view->filter[0] && !is_brief ? " · filter: " : "", is_brief ? "" : view->filter);
	return buf;
}

static struct cursor *hot_list(struct tui *tui, unsigned *ret_n)
{
	struct hot_view *view = tui->hot;

	*ret_n = flame_is_on(view) ? (unsigned)view->flame.n
		 : view->rows      ? (unsigned)view->sheet.table.n
				   : 0;
	return flame_is_on(view) ? &view->flame.cursor : &view->sheet.cursor;
}

static const char *hot_item(const struct tui *tui, unsigned i, char *buf, size_t size)
{
	const struct sheet *sheet = &tui->hot->sheet;

	if (flame_is_on(tui->hot))
		return flame_item(&tui->hot->flame, i, buf, size);
	return text_table_row_text(&sheet->table, sheet->order[i], buf, size);
}

static bool hot_is_closed(const struct tui *tui)
{
	return !tui->hot->is_open || tui->view != VIEW_HOT;
}

const struct view view_hot = {
	.name = "Hot",
	.what = "functions behind the selected column of the row that it was opened from",
	.has_counter = true,
	.hint = { { "?", "help" },
		  { "Enter", "callers" },
		  { "a", "lines" },
		  { "Esc", "back" },
		  { "c", "callees" },
		  { "F", "flame" },
		  { "0-9", "counter" },
		  { "\\", "filter" },
		  { "/", "search" },
		  { "s", "sort" } },
	.is_empty = hot_is_closed,
	.draw = hot_draw,
	.describe = hot_describe,
	.keys = { keys },
	.key = hot_take_key,
	.list = hot_list,
	.item = hot_item,
};
