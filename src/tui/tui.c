#include "tui/tui.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "sampler/excursions.h"
#include "tui/counters/assign.h"
#include "tui/counters/by_task.h"
#include "tui/counters/rotation.h"
#include "tui/history/playing.h"
#include "tui/history/time_keys.h"
#include "tui/history/timeline.h"
#include "tui/keys.h"
#include "tui/live/loop.h"
#include "tui/overlay/chooser.h"
#include "tui/overlay/picker.h"
#include "tui/screen/list.h"
#include "tui/screen/state.h"
#include "tui/settings.h"
#include "tui/term/draw.h"
#include "tui/term/mouse.h"
#include "tui/view/figures.h"
#include "tui/view/graph.h"
#include "tui/view/views.h"

/* minimum width for a separate line with the machine, above the tabs */
enum { WIDE = 100 };

static bool is_wide(void)
{
	return COLS >= WIDE;
}

/* ---- header: settings in words ---- */

enum { PARTS_MAX = 12, STAYS = -1 };

struct header_part {
	int drop_order; /* parts are shortened in this order, from 0; STAYS: never */
	char text[160];
	char brief[64];  /* replacement of `text` when shortened */
	const char *key; /* a click presses it; NULL: none */
};

struct sentence {
	struct header_part part[PARTS_MAX];
	unsigned n;
};

/* Add a part. @return the part, whose `brief` may be set */
static struct header_part *header_add(struct sentence *sentence, int drop_order, const char *fmt,
				      ...) __attribute__((format(printf, 3, 4)));

static struct header_part *header_add(struct sentence *sentence, int drop_order, const char *fmt,
				      ...)
{
	struct header_part *part = &sentence->part[sentence->n++];
	va_list args;

	*part = (struct header_part){ .drop_order = drop_order };
	va_start(args, fmt);
	vsnprintf(part->text, sizeof(part->text), fmt, args);
	va_end(args);
	return part;
}

/* Add the machine, if it has no line of its own. */
static void add_machine(struct sentence *sentence, const struct machine *machine)
{
	char cores[48];
	struct header_part *part;

	machine_cores_text(machine, cores, sizeof(cores));
	part = header_add(sentence, 4, "%s · %s", machine->model, cores);
	snprintf(part->brief, sizeof(part->brief), "%.31s", cores);
}

/* Add load, memory and run queue if no counter tells how busy the machine is. */
static void add_load(struct sentence *sentence, const struct tui *tui)
{
	char load[64], memory[4096], runnable[16] = "", used[16], all[16];
	const char *rest = load, *available;
	uint64_t total_kib, available_kib;
	struct header_part *part;
	int n;

	if (!tui_is_of_this_machine(tui) || machine_has_core_pmu(tui->model.machine) ||
	    tui->model.frozen || sysfs_read("", "/proc/loadavg", load, sizeof(load)) < 0 ||
	    sysfs_read("", "/proc/meminfo", memory, sizeof(memory)) < 0 ||
	    !(available = strstr(memory, "MemAvailable:")) ||
	    !text_word_u64(memory, 1, &total_kib) || !text_word_u64(available, 1, &available_kib))
		return;
	for (unsigned i = 0; i < 4; i++) /* Source: proc_loadavg(5) */
		text_next_word(&rest, runnable, sizeof(runnable));
	n = (int)strcspn(load, " ");
	part = header_add(sentence, 6, "load %.*s · mem %s/%s · %.*s runnable", n, load,
			  num_bytes((total_kib - available_kib) * 1024, used, sizeof(used)),
			  num_bytes(total_kib * 1024, all, sizeof(all)),
			  (int)strcspn(runnable, "/"), runnable);
	if (!tui_view(tui)->describe)
		snprintf(part->brief, sizeof(part->brief), "load %.*s", n, load);
}

static void add_rows(struct sentence *sentence, const struct model *model)
{
	const char *filter = model->rows.filter.text;
	unsigned n = rows_n_cores(model), all = model->machine->n_cores;
	struct label order = rows_order_text(model);

	if (*filter) {
		struct header_part *part =
			header_add(sentence, 5, "filter: %s (%u of %u)", filter, n, all);

		snprintf(part->brief, sizeof(part->brief), "%u of %u cores", n, all);
		part->key = "\\";
	}
	if (*order.text)
		header_add(sentence, 2, "%s", order.text)->key = "o";
}

/* Add the name of the counted set, and the time until the rotation's next preset. */
static void add_counted(struct sentence *sentence, const struct tui *tui)
{
	const struct model *model = &tui->model;
	uint64_t left_ns = rotation_left_ns(tui);
	unsigned n_mux = set_n_mux(model->set);

	if (*model->set->preset)
		header_add(sentence, 6, "%s", model->set->preset)->key = "P";
	else if (model->chosen.n)
		header_add(sentence, 6, "%u metric%s", model->chosen.n,
			   model->chosen.n > 1 ? "s" : "")
			->key = "M";
	if (left_ns && !model->frozen)
		header_add(sentence, STAYS, "next in %u s",
			   (unsigned)((left_ns + NS_PER_S - 1) / NS_PER_S));
	if (n_mux > 1)
		header_add(sentence, 7, "%u multiplexed sets", n_mux);
}

static void header_collect(const struct tui *tui, struct sentence *sentence)
{
	const struct model *model = &tui->model;
	uint64_t interval_ns = scrub_is_on(model) ? model->shown->interval_ns
						  : sampler_interval(tui->config->sampler);
	unsigned n_new = excursions_n_new(tui->config->excursions, tui->excursions_seen);
	struct header_part *part;
	char interval[32], text[160];

	if (!is_wide())
		add_machine(sentence, model->machine);
	add_load(sentence, tui);
	if (tui_view(tui)->describe) {
		part = header_add(sentence, 9, "%s",
				  tui_view(tui)->describe(tui, false, text, sizeof(text)));
		tui_view(tui)->describe(tui, true, part->brief, sizeof(part->brief));
	} else {
		add_rows(sentence, model);
	}
	if (tui_shows_changes(tui))
		header_add(sentence, STAYS, "change from %s", baseline_name(model->baseline));
	header_add(sentence, STAYS, "every %s",
		   interval_text(interval_ns, interval, sizeof(interval)))
		->key = "d";
	add_counted(sentence, tui);
	if (n_new)
		header_add(sentence, 5, "%s: %u new", tui_key(tui, 'X').name, n_new)->key = "X";
	if (!tui_is_playing(tui))
		header_add(sentence, model->privilege == PRIVILEGE_BOTH ? 3 : 8, "%s",
			   privilege_name[model->privilege])
			->key = "K";
	if (!tui_view(tui)->describe)
		header_add(sentence, 1, "by %s", frame_by_name(model->by))->key = "t";
}

static const char *header_join(const struct sentence *sentence, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < sentence->n && n < size; i++)
		if (*sentence->part[i].text)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " · " : "",
					      sentence->part[i].text);
	return buf;
}

/*
 * Format the settings: "filter: 0-3 (4 of 8) · IPC ▾ · every 1 s · branch · next in 5 s ·
 * user+kernel · by core". If that is too long, parts are shortened or left out, the least important
 * first; interval and countdown stay.
 *
 * @room    columns
 * @return  buf
 */
static const char *settings_text(struct sentence *sentence, int room, char *buf, size_t size)
{
	for (int next = 0;
	     draw_columns(header_join(sentence, buf, size)) > room && next <= PARTS_MAX; next++)
		for (unsigned i = 0; i < sentence->n; i++)
			if (sentence->part[i].drop_order == next)
				memcpy(sentence->part[i].text, sentence->part[i].brief,
				       sizeof(sentence->part[i].brief));
	if (!is_wide() && draw_columns(buf) > room) /* drop the machine, the first part */
		sentence->part[0].text[0] = '\0';
	return header_join(sentence, buf, size);
}

/* Draw the settings; a click on one presses its key. @return columns used */
static int draw_sentence(struct sentence *sentence, int x, int room)
{
	char text[384];
	int used =
		draw_text(1, x, room, ROLE_TEXT, settings_text(sentence, room, text, sizeof(text)));

	for (unsigned i = 0; i < sentence->n; i++) {
		const struct header_part *part = &sentence->part[i];

		if (part->key)
			mouse_hint(1, x, draw_columns(part->text), part->key);
		x += *part->text ? draw_columns(part->text) + 3 : 0;
	}
	return used;
}

/* ---- header: tabs ---- */

static void click_tab(struct tui *tui, int number)
{
	tui_show(tui, (enum view_id)number);
}

static bool has_tab(const struct tui *tui, enum view_id id)
{
	return (!tui->views[id]->is_text && id != VIEW_TASK && id != VIEW_HOT) || id == tui->view;
}

/* Calculate the width of the tabs from `first` to `last`, with a blank on both sides of each. */
static int tabs_width(const struct tui *tui, enum view_id first, enum view_id last)
{
	int width = 0;

	for (enum view_id id = first; id <= last; id++)
		if (has_tab(tui, id))
			width += draw_columns(tui->views[id]->name) + 2;
	return width;
}

static void draw_tab(const struct tui *tui, enum view_id id, int y, int x, int end)
{
	const struct view *view = tui->views[id];
	enum role role = tui_has_nothing_for(tui, id) ? ROLE_DIM : ROLE_KEY;

	if (id == tui->view)
		draw_printf(y, x, end - x, ROLE_CURSOR, " %s ", view->name);
	else
		draw_text(y, x + 1, end - x - 1, role, view->name);
	mouse_area(y, x, 1, draw_columns(view->name) + 2, click_tab, (int)id);
}

/* Draw the names of the views. The current one is marked and always visible; others are drawn if
 * they fit, with "‹" or "›" if some do not. @return columns used */
static int draw_tabs(const struct tui *tui, int y, int end)
{
	enum view_id first = 0, id;
	int x = 0;

	while (first < tui->view && tabs_width(tui, first, tui->view) + 1 > end)
		first++;
	for (id = first; id < N_VIEWS; id++) {
		int width = tabs_width(tui, id, id);

		if (x + width > end && id != tui->view)
			break;
		if (width)
			draw_tab(tui, id, y, x, end);
		x += width;
	}
	if (first)
		draw_text(y, 0, 1, ROLE_KEY, "‹");
	if (id < N_VIEWS && tabs_width(tui, id, N_VIEWS - 1))
		draw_text(y, x++, 1, ROLE_KEY, "›");
	return x + 2;
}

/* ---- header: the two lines ---- */

static struct label clock_text(const struct tui *tui)
{
	const struct sampler *sampler = tui->config->sampler;
	const struct frame *frame = tui->model.shown;
	bool is_old = tui->model.frozen || sampler_backend(sampler)->virtual_clock;
	uint64_t t_ns = is_old ? (frame ? frame->t_ns : 0) : sampler_now_ns(sampler);

	return time_text(tui, t_ns);
}

static struct label late_text(const struct frame *frame)
{
	if (frame->late_max_ns == UINT32_MAX)
		return label_printf("> 4 s");
	if (frame->late_max_ns >= NS_PER_MS)
		return label_printf("%.1f ms", frame->late_max_ns / 1e6);
	return label_printf("%.0f µs", frame->late_max_ns / 1e3);
}

enum cost { COST_OWN, COST_COUNTER, COST_LATE, COST_WAKEUPS };

/* Format m1top's own share of the selected counter: ", 0.3 % of BR-MISP". */
static struct label own_counter_text(const struct tui *tui)
{
	const struct event *event = set_event(tui->model.set, tui->model.slot);
	double share;

	if (tui->model.selected.by != ORDER_SLOT || !by_task_own_share(tui, NULL, &share))
		return (struct label){ "" };
	return label_printf(", %.2f %% of %s", share * 100, event_label(event).text);
}

/* Format own cost and lateness, up to `most`; "-" if not measured.
 * @counter  see own_counter_text */
static struct label cost_text(const struct tui *tui, enum cost most, const char *counter)
{
	const struct frame *frame = tui_is_playing(tui) ? playing_cost(tui) : tui->model.shown;
	bool is_measured = frame && (tui_is_playing(tui) ||
				     !sampler_backend(tui->config->sampler)->virtual_clock);
	struct label late = is_measured ? late_text(frame) : (struct label){ "-" };
	char own[16] = "-", wakeups[32] = "";

	if (is_measured && frame->own_known) {
		snprintf(own, sizeof(own), "%.2f %%", (double)frame->own_core_share * 100);
		snprintf(wakeups, sizeof(wakeups), "  %.0f wake-ups/s",
			 (double)frame->own_wakeups_per_s);
	}
	return label_printf("own %s%s%s%s%s", own, most >= COST_COUNTER ? counter : "",
			    most >= COST_WAKEUPS ? wakeups : "", most >= COST_LATE ? "  late " : "",
			    most >= COST_LATE ? late.text : "");
}

/* Draw a text that ends before column `end`. @return its first column */
static int draw_before(int y, int end, enum role role, const char *text)
{
	int width = draw_columns(text);

	draw_text(y, end - width, width, role, text);
	return end - width;
}

/* Get the room at the right end of line 1, beside the tabs. */
static int room_at_end(const struct tui *tui)
{
	return is_wide() ? COLS : COLS - tabs_width(tui, 0, N_VIEWS - 1);
}

/* Draw the right end of line 1 for a recorded session: position and clock. @return columns used */
static int draw_position(const struct tui *tui)
{
	struct label clock = clock_text(tui), text = playing_text(tui);
	int x = COLS - 1, width = draw_columns(text.text);

	if (!tui->model.machine->simulated &&
	    width + draw_columns(clock.text) + 3 <= room_at_end(tui))
		x = draw_before(0, x, ROLE_TEXT, clock.text) - 2;
	x = draw_before(0, x, ROLE_WARN, text.text);
	if (!is_wide())
		return COLS - x;
	width = draw_columns(tui->config->recorded.name);
	width = width < COLS / 4 ? width : COLS / 4;
	x -= width + 2;
	draw_text(0, x, width, ROLE_TEXT, tui->config->recorded.name);
	return COLS - x;
}

/* Format the log's state, as much as fits: "● ./run.csv 1.2MB", "● log 1.2MB", "●".
 * @return buf or a literal */
static const char *log_text(const char *log, int room, char *buf, size_t size)
{
	const char *bytes = strrchr(log, ' ');

	if (!*log)
		return room < 8 ? "○" : "○ no log";
	snprintf(buf, size, "● %s", log);
	if (draw_columns(buf) > room)
		snprintf(buf, size, "● log%s", bytes ? bytes : "");
	return draw_columns(buf) > room ? "●" : buf;
}

/* Draw the right end of line 1: log and clock. @return columns used */
static int draw_log_and_clock(const struct tui *tui)
{
	struct label back = age_text(tui, true);
	char buf[192];
	int x = draw_before(0, COLS - 1, tui->model.frozen ? ROLE_WARN : ROLE_TEXT,
			    clock_text(tui).text);

	/* without a second line the distance from live and the kind of figures are here */
	if (tui->layout.n_header < 2 && *back.text)
		x = draw_before(0, x - 1, ROLE_WARN, back.text);

	bool says_changes = tui_shows_changes(tui) && tui->layout.n_header < 2 && !tui->log[0];
	int room = is_wide() ? COLS / 3 : room_at_end(tui) - (COLS - x) - 3;
	const char *log = says_changes ? "changes" : log_text(tui->log, room, buf, sizeof(buf));

	room = x;
	x = draw_before(0, x - 2, tui->log[0] ? ROLE_GOOD : ROLE_DIM, log);
	mouse_hint(0, x, room - x, "l");
	return COLS - x;
}

/* Format flags for figures that are not live or not of this machine. */
static struct label flags_text(const struct tui *tui)
{
	bool is_simulated = tui->model.machine->simulated, is_playing = tui_is_playing(tui);

	return label_printf("%s%s%s", is_simulated ? "SIMULATED" : "",
			    is_simulated && is_playing ? " " : "", is_playing ? "REPLAY" : "");
}

static void header_draw_title(struct tui *tui, int end)
{
	const struct machine *machine = tui->model.machine;
	const struct backend *backend = sampler_backend(tui->config->sampler);
	struct label flags = flags_text(tui);
	char cores[48], where[128];
	int x = 1 + draw_text(0, 1, end - 1, ROLE_TITLE, "m1top") + 2;
	int tail = draw_columns(flags.text) + 1, room;

	machine_cores_text(machine, cores, sizeof(cores));
	snprintf(where, sizeof(where), " · %s · %s%s", cores, backend->ops->name,
		 sampler_lacks_real_time(tui->config->sampler) ? " · not real-time" : "");
	room = end - x - tail - draw_columns(where);
	if (room >= 8)
		x += draw_text(0, x, room, ROLE_TEXT, machine->model);
	else
		memmove(where, where + strlen(" · "), strlen(where + strlen(" · ")) + 1);
	if (end - x - tail >= draw_columns(where))
		x += draw_text(0, x, end - x - tail, ROLE_TEXT, where);
	draw_text(0, x + 1, end - x - 1, ROLE_WARN, flags.text);
}

/* Draw line 1 of a narrow screen; without a second line also the flags that it would begin with. */
static void draw_views(const struct tui *tui, int end)
{
	struct label flags = flags_text(tui);
	int width = draw_columns(flags.text);

	if (tui->layout.n_header > 1 || tabs_width(tui, tui->view, tui->view) + width + 2 > end)
		width = 0;
	if (width)
		draw_text(0, end - width, width, ROLE_WARN, flags.text);
	draw_tabs(tui, 0, width ? end - width - 2 : end);
}

/* Draw the cost, shortened to leave `needed` columns. @return its first column */
static int draw_cost(const struct tui *tui, int y, int needed)
{
	struct label text, own = own_counter_text(tui);
	int most = COST_WAKEUPS;

	do
		text = cost_text(tui, (enum cost)most, own.text);
	while (COLS - 3 - draw_columns(text.text) < needed && most-- > COST_OWN);
	return draw_before(y, COLS - 1, ROLE_DIM, text.text);
}

static void draw_settings(struct tui *tui)
{
	struct sentence sentence;
	char settings[384];
	bool is_past = scrub_is_on(&tui->model) && !tui_is_playing(tui);
	struct label flags = flags_text(tui);
	int x = is_wide() ? draw_tabs(tui, 1, COLS) : 1;

	if (!is_wide() && COLS >= 80 && !is_past)
		x += draw_text(1, x, COLS - x, ROLE_TITLE, "m1top") + 2;
	if (!is_wide() && *flags.text)
		x += draw_text(1, x, COLS - x, ROLE_WARN, flags.text) + 2;

	sentence.n = 0;
	header_collect(tui, &sentence);

	int needed = x + draw_columns(header_join(&sentence, settings, sizeof(settings))) + 8;
	/* the history does not keep the cost */
	int end = is_past ? draw_before(1, COLS - 1, ROLE_WARN, age_text(tui, false).text)
			  : draw_cost(tui, 1, needed);
	/* flags are never truncated */
	int room = end - x - 1 - (tui->model.frozen ? 8 : 0) - (tui->model.yielded ? 9 : 0) -
		   (tui->halted ? 8 : 0);

	x += draw_sentence(&sentence, x, room);
	if (is_past || tui->model.frozen)
		x += draw_text(1, x, end - x - 1, ROLE_WARN, is_past ? "  PAST" : "  FROZEN");
	if (tui->model.yielded)
		x += draw_text(1, x, end - x - 1, ROLE_WARN, "  YIELDED");
	if (tui->halted)
		x += draw_text(1, x, end - x - 1, ROLE_DIM, "  halted");
	if (tui->config->banner && !tui->banner_seen)
		draw_printf(1, x, end - x - 2, ROLE_WARN, "  %s", tui->config->banner);
}

/* Draw tui->layout.n_header lines. */
static void header_draw(struct tui *tui)
{
	int used = tui_is_playing(tui) ? draw_position(tui) : draw_log_and_clock(tui);

	if (is_wide())
		header_draw_title(tui, COLS - used - 1);
	else
		draw_views(tui, COLS - used - 1);
	if (tui->layout.n_header > 1)
		draw_settings(tui);
}

/* ---- the loop's source ---- */

enum {
	HISTORY_BYTES = 32 * 1024 * 1024,
	QUEUE_DEPTH = 256,
	DRAIN_MS = 10, /* longest drain before keys and drawing */
	CHORES_EVERY_MS = 1000,
	FIRST_MS = 100,
};

static void say_new_messages(struct tui *tui)
{
	const struct messages *messages = tui->config->messages;

	if (messages->n == tui->messages_seen)
		return;
	tui->messages_seen = messages->n;

	const struct message *last = messages_at(messages, messages->n - 1);

	if (last->level > MESSAGE_NOTE || !*tui->status)
		tui_say(tui, message_role[last->level], "%s", last->text);
}

/* Look for excursions, and show what their actions count. */
static void act_armed(struct tui *tui, const struct frame *frame)
{
	uint32_t before = sampler_set(tui->config->sampler)->number;
	const struct set *counted;

	tui->config->frame(tui->config->armed, frame);
	counted = sampler_set(tui->config->sampler);
	if (counted->number != before && !tui->model.frozen)
		model_load(&tui->model, counted, &tui->model.chosen);
}

/* Add every queued frame to totals and history; the last one is shown. */
static bool tui_drain(struct tui *tui)
{
	uint64_t until_ns = clock_now_ns() + DRAIN_MS * NS_PER_MS, lost;
	const struct frame *frame;
	bool any = false;

	tui->is_behind = false;
	for (unsigned n = queue_clear(tui->queue); n && !tui->is_behind; n--) {
		frame = queue_pop(tui->queue, &lost);
		if (lost)
			messages_add(tui->config->messages, MESSAGE_WARNING,
				     "frames come too fast for the screen: its totals and history "
				     "miss some; a log has them");
		if (tui->config->watch && !preview_owns(tui, frame))
			watch_frame(tui->config->watch, frame);
		preview_frame(tui, frame);
		rotation_frame(tui, frame);
		playing_frame(tui, frame);
		act_armed(tui, frame);
		by_task_frame(tui, frame);
		hot_frame(tui, frame);
		model_feed(&tui->model, frame);
		any = true;
		tui->leave |= sampler_backend(tui->config->sampler)->ended.text[0] != '\0';
		if (tui->config->count && ++tui->frames_seen >= tui->config->count)
			tui->leave = true;
		tui->is_behind = clock_now_ns() >= until_ns;
	}
	return any;
}

/* Advance a virtual clock by one tick per interval of wall-clock time, without a wait if the machine
 * has a time at which it halts. */
static enum redraw step_machine(struct tui *tui, uint64_t now)
{
	const struct backend *backend = sampler_backend(tui->config->sampler);
	uint64_t wait_ns = backend->halt_after ? 0 : sampler_interval(tui->config->sampler);

	if (!backend->virtual_clock || tui->halted)
		return REDRAW_NONE;
	if (!tui->step_ns)
		tui->step_ns = now + wait_ns;
	if (now < tui->step_ns)
		return REDRAW_NONE;
	tui->halted = sampler_step(tui->config->sampler) == -ENODATA;
	tui->step_ns = tui->halted ? 0 : now + wait_ns;
	return tui->halted ? REDRAW_NOW : REDRAW_NONE;
}

static enum redraw step(struct tui *tui, uint64_t now)
{
	bool shows_tasks = tui->view == VIEW_TASKS || tui->view == VIEW_TASK ||
			   (tui->view == VIEW_CORES && tui->has_tasks_below) || hot_is_shown(tui);
	enum redraw redraw = REDRAW_NONE;
	bool has_changed;

	if (tui->first_ns && now >= tui->first_ns) {
		tui->first_ns = 0;
		sampler_cut(tui->config->sampler);
	}
	for (unsigned i = 0; tui->view == VIEW_GRAPH && i < tui->graph->n; i++)
		shows_tasks |= tui->graph->series[i].task.is_task;
	/* before the machine's next tick, so that its frame has what is shown */
	has_changed = by_task_update(tui, shows_tasks, hot_is_shown(tui), now);
	if (!tui_is_playing(tui))
		redraw = step_machine(tui, now);
	else if (playing_turn(tui, now, &tui->step_ns))
		redraw = REDRAW_LIMITED;
	has_changed |= preview_turn(tui, now);
	return has_changed ? REDRAW_NOW : redraw;
}

/* Return when the next tick is due, at the latest the time of the next chores. */
static uint64_t wake_ns(const struct tui *tui, uint64_t now)
{
	uint64_t next =
		loop_earlier(loop_earlier(tui->step_ns, tui->first_ns), tui->preview->due_ns);
	next = loop_earlier(next, by_task_due_ns(tui));
	uint64_t latest = now + CHORES_EVERY_MS * NS_PER_MS;

	/* with an interval up to 1 s frames wake the loop for the chores and the clock */
	if (!next && !tui->halted && sampler_interval(tui->config->sampler) <= NS_PER_S)
		latest = now + 3 * (CHORES_EVERY_MS * NS_PER_MS);
	if (tui->writing->file || tui->is_behind)
		return now;
	return next && next < latest ? next : latest;
}

static enum redraw tui_take(struct tui *tui, uint64_t now UNUSED)
{
	bool is_written;

	sampler_service(tui->config->sampler);
	is_written = tui->writing->file && !writing_turn(tui);
	if (tui_drain(tui) && !is_written)
		return REDRAW_LIMITED;
	return is_written ? REDRAW_NOW : REDRAW_NONE;
}

/* Whether keys must wait: a machine with a time at which it halts gets there first, so that a script
 * of keys always starts from the same state. */
static bool holds_keys(const struct tui *tui)
{
	return sampler_backend(tui->config->sampler)->halt_after && !tui_is_playing(tui) &&
	       (!tui->halted || tui->is_behind);
}

static void fit(struct tui *tui)
{
	tui_refresh_log(tui);
	say_new_messages(tui);
	rows_follow(&tui->model);
	metrics_follow(tui);
	if (tui->view == VIEW_TASKS || tui->view == VIEW_TASK)
		tasks_follow(tui);
	if (tui->view == VIEW_HOT)
		hot_follow(tui);
	figures_fit(tui);
}

/* Put the metrics of -M first and show the Metrics view; apply the settings. */
static int choose_first(struct tui *tui)
{
	const struct metrics_selection *chosen = tui->config->chosen;
	struct metric_list list = { 0 };

	for (size_t i = 0; chosen && i < chosen->n; i++)
		metric_list_add(&list, chosen->number[i]);
	if (list.n)
		tui->view = VIEW_METRICS;

	int r = model_load(&tui->model, tui->model.set, &list);

	tui->settings_changed = tui->config->settings_given;
	if (tui->config->settings)
		settings_apply(tui->config->settings, tui, false);
	if (tui->config->pid) {
		tui_show(tui, VIEW_TASKS);
		tui->tasks->list.pid = tui->config->pid;
		tui_say(tui, ROLE_TEXT, "process %u; %s: all tasks", tui->config->pid,
			tui_key(tui, KEYS_ESCAPE).name);
	}
	return r;
}

static void screen_stop(struct tui *tui)
{
	while (writing_turn(tui))
		;
	sampler_stop(tui->config->sampler);
	sampler_unsubscribe(tui->config->sampler, tui->queue);
	chooser_close(tui);
	events_view_fini(tui->events);
	playing_stop(tui);
	presets_fini(&tui->presets);
	baseline_end(tui);
	graph_fini(tui->graph);
	graph_fini(tui->mini_graph);
	tracks_fini(&tui->heat->tracks);
	tracks_fini(&tui->bands);
	task_close(tui);
	hot_fini(tui->hot);
	task_list_fini(&tui->tasks->list);
	task_list_fini(&tui->tasks->below);
	waits_fini(&tui->tasks->waits);
	model_fini(&tui->model);
}

static int make_model(struct tui *tui)
{
	const struct tui_config *config = tui->config;
	const struct machine *machine = &sampler_backend(config->sampler)->machine;
	int r = model_init(&tui->model, machine, config->metrics, sampler_set(config->sampler),
			   frame_n_rows(machine, NULL, config->by) ? config->by : BY_CORE,
			   config->history_bytes ? config->history_bytes : HISTORY_BYTES);

	if (r < 0)
		return r;
	for (enum view_id id = 0; id < N_VIEWS; id++)
		for (unsigned i = 0; tui->views[id]->column && tui->views[id]->column(i); i++)
			columns_fix(&tui->model.columns, tui->views[id]->column(i));
	model_reset_columns(&tui->model);
	tui->model.privilege = config->privilege;
	tui->model.baseline = config->baseline;
	tui->model.excursions = config->excursions;
	r = presets_make(machine, &tui->presets);
	return r < 0 ? r : choose_first(tui);
}

static int tui_start(struct tui *tui, struct err *err)
{
	const struct tui_config *config = tui->config;
	int r = sampler_subscribe(config->sampler, QUEUE_DEPTH, &tui->queue, err);

	if (r < 0)
		return r;
	r = sampler_start(config->sampler, config->first, err);
	if (r == 0 && make_model(tui) < 0)
		r = err_set(err, ENOMEM, "out of memory");
	if (r < 0)
		screen_stop(tui);
	return r;
}

static void tui_begin(struct tui *tui)
{
	const struct sampler *sampler = tui->config->sampler;

	rows_begin(&tui->model, (unsigned)LINES);
	if (tui->config->settings)
		settings_apply(tui->config->settings, tui, true);
	tui_refresh_log(tui);
	playing_start(tui);
	/* the first figures do not take a whole interval; with -n every frame is a whole one */
	if (!tui_is_playing(tui) && !sampler_backend(sampler)->virtual_clock &&
	    !tui->config->count && sampler_interval(sampler) > 2 * FIRST_MS * NS_PER_MS)
		tui->first_ns = clock_now_ns() + FIRST_MS * NS_PER_MS;
}

static int frames_fd(const struct tui *tui)
{
	return queue_fd(tui->queue);
}

/* State of the parts of the screen. */
struct parts {
	struct metrics_view metrics;
	struct events_view events;
	struct tasks_view tasks;
	struct by_task by_task;
	struct hot_view hot;
	struct timeline timeline;
	struct graph graph, mini_graph;
	struct heat heat;
	struct chooser chooser;
	struct picker picker;
	struct preview preview;
	struct metric_chooser metric_chooser;
	struct rotation rotation;
	struct playing playing;
	struct writing writing;
};

int tui_run(const struct tui_config *config, struct err *err)
{
	struct parts parts = { 0 };
	struct tui tui = {
		.config = config,
		.drain = tui_drain,
		.keys = key_table,
		.settings = setting_table,
		.views = view_table,
		.view = config->by == BY_DEVICE ? VIEW_UNCORE : VIEW_CORES,
		.metrics = &parts.metrics,
		.events = &parts.events,
		.tasks = &parts.tasks,
		.by_task = &parts.by_task,
		.hot = &parts.hot,
		.timeline = &parts.timeline,
		.graph = &parts.graph,
		.mini_graph = &parts.mini_graph,
		.heat = &parts.heat,
		.chooser = &parts.chooser,
		.picker = &parts.picker,
		.preview = &parts.preview,
		.metric_chooser = &parts.metric_chooser,
		.rotation = &parts.rotation,
		.playing = &parts.playing,
		.writing = &parts.writing,
	};
	static const struct loop_source source = {
		.start = tui_start,
		.begin = tui_begin,
		.stop = screen_stop,
		.fd = frames_fd,
		.step = step,
		.wake_ns = wake_ns,
		.take = tui_take,
		.holds_keys = holds_keys,
		.fit = fit,
		.header = header_draw,
	};

	return loop_run(&tui, &source, err);
}
