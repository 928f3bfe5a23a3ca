#include "tui/header.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "tui/time/interval.h"
#include "tui/screen/rows_keys.h"
#include "tui/counting/rotation.h"
#include "tui/counting/by_task.h"
#include "tui/counting/counter_keys.h"
#include "tui/model/baseline.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/term/mouse.h"
#include "tui/time/time_keys.h"
#include "tui/screen/state.h"
#include "tui/model/scrub.h"
#include "tui/time/playing.h"

/* From here on the machine has a line above the tabs. */
enum { WIDE = 100 };

static bool is_wide(void)
{
	return COLS >= WIDE;
}

static bool shows_changes(const struct tui *tui)
{
	return tui->model.baseline && tui_view(tui)->has_changes;
}

/* ---- what is shown and how, in words ---- */

enum { PARTS_MAX = 10, STAYS = 0 };

struct header_part {
	int gives_way; /* 1: the first to go; STAYS */
	char text[160];
	char brief[64]; /* what stays of it then */
};

struct sentence {
	struct header_part part[PARTS_MAX];
	unsigned n;
};

/* @return it, for a brief form */
static struct header_part *add(struct sentence *sentence, int gives_way, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static struct header_part *add(struct sentence *sentence, int gives_way, const char *fmt, ...)
{
	struct header_part *part = &sentence->part[sentence->n++];
	va_list args;

	*part = (struct header_part){ .gives_way = gives_way };
	va_start(args, fmt);
	vsnprintf(part->text, sizeof(part->text), fmt, args);
	va_end(args);
	return part;
}

/* Where it has no line of its own. */
static void add_machine(struct sentence *sentence, const struct machine *machine)
{
	char cores[48];
	struct header_part *part;

	machine_cores_text(machine, cores, sizeof(cores));
	part = add(sentence, 4, "%s · %s", machine->model, cores);
	snprintf(part->brief, sizeof(part->brief), "%.31s", cores);
}

static void add_rows(struct sentence *sentence, const struct model *model)
{
	const char *filter = model->rows.filter.text;
	unsigned n = rows_n_cores(model), all = model->machine->n_cores;
	char order[64];

	if (*filter) {
		struct header_part *part =
			add(sentence, 5, "filter: %s (%u of %u)", filter, n, all);

		snprintf(part->brief, sizeof(part->brief), "%u of %u cores", n, all);
	}
	if (*rows_order_text(model, order, sizeof(order)))
		add(sentence, 2, "%s", order);
}

static void add_said(struct sentence *sentence, const struct tui *tui)
{
	char text[160];
	struct header_part *part =
		add(sentence, 9, "%s", tui_view(tui)->said(tui, false, text, sizeof(text)));

	tui_view(tui)->said(tui, true, part->brief, sizeof(part->brief));
}

/* What is counted, where it has a name, and for how long yet. */
static void add_counted(struct sentence *sentence, const struct tui *tui)
{
	const struct model *model = &tui->model;
	uint64_t left_ns = rotation_left_ns(tui);
	unsigned n_mux = set_n_mux(model->set);

	if (*model->set->preset)
		add(sentence, 6, "%s", model->set->preset);
	else if (model->chosen.n)
		add(sentence, 6, "%u metric%s", model->chosen.n, model->chosen.n > 1 ? "s" : "");
	if (left_ns && !model->frozen)
		add(sentence, STAYS, "next in %u s",
		    (unsigned)((left_ns + NS_PER_S - 1) / NS_PER_S));
	if (n_mux > 1)
		add(sentence, 7, "%u multiplexed sets", n_mux);
}

static void collect(const struct tui *tui, struct sentence *sentence)
{
	const struct model *model = &tui->model;
	uint64_t interval_ns = scrub_is_on(model) ? model->shown->interval_ns
						  : sampler_interval(tui->config->sampler);
	char interval[32];

	if (!is_wide())
		add_machine(sentence, model->machine);
	if (tui_view(tui)->said)
		add_said(sentence, tui);
	else
		add_rows(sentence, model);
	if (shows_changes(tui))
		add(sentence, STAYS, "change from %s", baseline_name(model->baseline));
	add(sentence, STAYS, "every %s", interval_text(interval_ns, interval, sizeof(interval)));
	add_counted(sentence, tui);
	if (!tui_is_playing(tui))
		add(sentence, model->privilege == PRIVILEGE_BOTH ? 3 : 8, "%s",
		    privilege_name[model->privilege]);
	if (!tui_view(tui)->said)
		add(sentence, 1, "by %s", frame_by_name[model->by]);
}

static const char *join(const struct sentence *sentence, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < sentence->n && n < size; i++)
		if (*sentence->part[i].text)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " · " : "",
					      sentence->part[i].text);
	return buf;
}

static void leave_out(struct sentence *sentence, int gives_way)
{
	for (unsigned i = 0; i < sentence->n; i++) {
		struct header_part *part = &sentence->part[i];

		if (part->gives_way == gives_way)
			memcpy(part->text, part->brief, sizeof(part->brief));
	}
}

/*
 * "filter: 0-3 (4 of 8) · IPC ▾ · every 1 s · branch · next in 5 s · user+kernel · by core". Where
 * that is too long whole parts are left out, the least telling first; interval and countdown stay.
 *
 * @room    columns
 * @return  buf
 */
static const char *settings_text(const struct tui *tui, int room, char *buf, size_t size)
{
	struct sentence sentence = { .n = 0 };

	collect(tui, &sentence);
	for (int next = 1; draw_columns(join(&sentence, buf, size)) > room && next <= PARTS_MAX;
	     next++)
		leave_out(&sentence, next);
	if (!is_wide() && draw_columns(buf) > room) /* the machine, which stands first */
		sentence.part[0].text[0] = '\0';
	return join(&sentence, buf, size);
}

/* ---- tabs ---- */

static void click_tab(void *screen, int number)
{
	tui_show(screen, (enum view_id)number);
}

static bool has_tab(const struct tui *tui, enum view_id id)
{
	return !tui->views[id]->is_hidden_tab || id == tui->view;
}

/* What the tabs from `first` up to `last` take, a blank on both sides of each. */
static int tabs_width(const struct tui *tui, enum view_id first, enum view_id last)
{
	int width = 0;

	for (enum view_id id = first; id <= last; id++)
		width += has_tab(tui, id) ? draw_columns(tui->views[id]->name) + 2 : 0;
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

/* The views by name, the present one marked and always in sight; as many of the others as fit, with
 * marks where there are more. @return columns used */
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

/* ---- the two lines ---- */

static const char *clock_text(const struct tui *tui, char *buf, size_t size)
{
	const struct sampler *sampler = tui->config->sampler;
	const struct frame *frame = tui->model.shown;
	bool is_old = tui->model.frozen || sampler_backend(sampler)->virtual_clock;
	uint64_t t_ns = is_old ? (frame ? frame->t_ns : 0) : sampler_now_ns(sampler);

	return time_of_picture(tui, t_ns, buf, size);
}

static const char *late_text(const struct frame *frame, char *buf, size_t size)
{
	if (frame->late_max_ns == UINT32_MAX)
		snprintf(buf, size, "> 4 s");
	else if (frame->late_max_ns >= NS_PER_MS)
		snprintf(buf, size, "%.1f ms", frame->late_max_ns / 1e6);
	else
		snprintf(buf, size, "%.0f µs", frame->late_max_ns / 1e3);
	return buf;
}

enum cost { COST_OWN, COST_COUNTER, COST_LATE, COST_WAKEUPS };

/* ", 0.3 % of BR-MISP": m1top's own part of the selected counter. */
static const char *own_counter_text(const struct tui *tui, char *buf, size_t size)
{
	const struct event *event = set_event(tui->model.set, tui->model.slot);
	double share;

	buf[0] = '\0';
	if (by_task_own_share(tui, NULL, &share))
		snprintf(buf, size, ", %.2f %% of %s", share * 100, event_label(event).text);
	return buf;
}

/* Own cost and lateness, up to so much of it: what no clock measures is not shown. @counter  own_counter_text */
static const char *cost_text(const struct tui *tui, enum cost most, const char *counter, char *buf,
			     size_t size)
{
	const struct frame *frame = tui_is_playing(tui) ? playing_cost(tui) : tui->model.shown;
	bool is_measured = frame && (tui_is_playing(tui) ||
				     !sampler_backend(tui->config->sampler)->virtual_clock);
	char late[16] = "-", own[16] = "-", wakeups[32] = "";

	if (is_measured)
		late_text(frame, late, sizeof(late));
	if (is_measured && frame->own_known) {
		snprintf(own, sizeof(own), "%.2f %%", (double)frame->own_core_share * 100);
		snprintf(wakeups, sizeof(wakeups), "  %.0f wake-ups/s",
			 (double)frame->own_wakeups_per_s);
	}
	snprintf(buf, size, "own %s%s%s%s%s", own, most >= COST_COUNTER ? counter : "",
		 most >= COST_WAKEUPS ? wakeups : "", most >= COST_LATE ? "  late " : "",
		 most >= COST_LATE ? late : "");
	return buf;
}

/* How far back, where there is no second line for it. @return where it begins */
static int draw_back(const struct tui *tui, int x)
{
	char text[32];
	int width = draw_columns(time_text(tui, true, text, sizeof(text)));

	if (tui->layout.n_header > 1 || tui_is_playing(tui) || !width)
		return x;
	x -= width + 1;
	draw_text(0, x, width, ROLE_WARN, text);
	return x;
}

/* Of line 1, beside the tabs. */
static int room_at_end(const struct tui *tui)
{
	return is_wide() ? COLS : COLS - tabs_width(tui, 0, N_VIEWS - 1);
}

/* Right-hand end of line 1 of a recorded session: where it is. @return columns used */
static int draw_position(const struct tui *tui)
{
	char clock[32], text[128];
	int x = COLS - 1, width = draw_columns(playing_text(tui, text, sizeof(text)));

	clock_text(tui, clock, sizeof(clock));
	if (!tui->model.machine->simulated && width + draw_columns(clock) + 3 <= room_at_end(tui)) {
		x -= draw_columns(clock);
		draw_text(0, x, COLS - 1 - x, ROLE_TEXT, clock);
		x -= 2;
	}
	x -= width;
	draw_text(0, x, width, ROLE_WARN, text);
	if (!is_wide())
		return COLS - x;
	width = draw_columns(tui->config->recorded.name);
	width = width < COLS / 4 ? width : COLS / 4;
	x -= width + 2;
	draw_text(0, x, width, ROLE_TEXT, tui->config->recorded.name);
	return COLS - x;
}

/* "● ./run.csv 1.2MB", or as much of it as fits whole: "● log 1.2MB", "●". */
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

/* Right-hand end of line 1: log and clock. @return columns used */
static int draw_log_and_clock(const struct tui *tui)
{
	char clock[32], buf[192];
	int x = COLS - 1;

	clock_text(tui, clock, sizeof(clock));
	x -= draw_columns(clock);
	draw_text(0, x, COLS - 1 - x, tui->model.frozen ? ROLE_WARN : ROLE_TEXT, clock);
	x = draw_back(tui, x);

	/* where there is no second line for it */
	bool says_changes = shows_changes(tui) && tui->layout.n_header < 2 && !tui->log[0];
	int room = is_wide() ? COLS / 3 : room_at_end(tui) - (COLS - x) - 3;
	const char *log = says_changes ? "changes" : log_text(tui->log, room, buf, sizeof(buf));
	int width = draw_columns(log);

	x -= width + 2;
	draw_text(0, x, width, tui->log[0] ? ROLE_GOOD : ROLE_DIM, log);
	return COLS - x;
}

/* What the figures are not: of this machine, of now. @return buf */
static const char *flags_text(const struct tui *tui, char *buf, size_t size)
{
	bool is_simulated = tui->model.machine->simulated, is_playing = tui_is_playing(tui);

	snprintf(buf, size, "%s%s%s", is_simulated ? "SIMULATED" : "",
		 is_simulated && is_playing ? " " : "", is_playing ? "REPLAY" : "");
	return buf;
}

static void draw_title(struct tui *tui, int end)
{
	const struct machine *machine = tui->model.machine;
	const struct backend *backend = sampler_backend(tui->config->sampler);
	char cores[48], flags[32], where[128];
	int x = 1 + draw_text(0, 1, end - 1, ROLE_TITLE, "m1top") + 2;
	int tail = draw_columns(flags_text(tui, flags, sizeof(flags))) + 1, room;

	machine_cores_text(machine, cores, sizeof(cores));
	snprintf(where, sizeof(where), " · %s · %s", cores, backend->ops->name);
	room = end - x - tail - draw_columns(where);
	if (room >= 8)
		x += draw_text(0, x, room, ROLE_TEXT, machine->model);
	else
		memmove(where, where + strlen(" · "), strlen(where + strlen(" · ")) + 1);
	if (end - x - tail >= draw_columns(where))
		x += draw_text(0, x, end - x - tail, ROLE_TEXT, where);
	draw_text(0, x + 1, end - x - 1, ROLE_WARN, flags);
}

/* Line 1 of a narrow screen; without a second one what that begins with, too. */
static void draw_views(const struct tui *tui, int end)
{
	char flags[32];
	int width = draw_columns(flags_text(tui, flags, sizeof(flags)));

	if (tui->layout.n_header > 1 || tabs_width(tui, tui->view, tui->view) + width + 2 > end)
		width = 0;
	if (width)
		draw_text(0, end - width, width, ROLE_WARN, flags);
	draw_tabs(tui, 0, width ? end - width - 2 : end);
}

/* What line 2 begins with. @return columns used */
static int draw_beginning(const struct tui *tui)
{
	char flags[32];

	if (is_wide())
		return draw_tabs(tui, 1, COLS);

	int width = draw_text(1, 1, COLS - 2, ROLE_WARN, flags_text(tui, flags, sizeof(flags)));

	return 1 + (width ? width + 2 : 0);
}

/* As much of the cost as leaves room for `needed` columns. @return where it begins */
static int draw_cost(const struct tui *tui, int y, int needed)
{
	char text[128], own[64];
	int width, most = COST_WAKEUPS;

	own_counter_text(tui, own, sizeof(own));
	do
		width = draw_columns(cost_text(tui, (enum cost)most, own, text, sizeof(text)));
	while (COLS - 3 - width < needed && most-- > COST_OWN);
	draw_text(y, COLS - 1 - width, width, ROLE_DIM, text);
	return COLS - 1 - width;
}

/* What the words behind the settings take: they are never cut. */
static int flags_width(const struct tui *tui)
{
	return (tui->model.frozen && !scrub_is_on(&tui->model) ? 8 : 0) +
	       (tui->model.yielded ? 9 : 0) + (tui->halted ? 8 : 0);
}

/* How far back the picture is, in place of the cost, which is not kept. @return where it begins */
static int draw_moment(const struct tui *tui, int y)
{
	char text[96];
	int width;

	width = draw_columns(time_text(tui, false, text, sizeof(text)));
	draw_text(y, COLS - 1 - width, width, ROLE_WARN, text);
	return COLS - 1 - width;
}

static void draw_settings(struct tui *tui)
{
	char settings[384];
	bool is_past = scrub_is_on(&tui->model) && !tui_is_playing(tui);
	int x = draw_beginning(tui);
	int needed = x + draw_columns(settings_text(tui, INT_MAX, settings, sizeof(settings))) + 8;
	int end = is_past ? draw_moment(tui, 1) : draw_cost(tui, 1, needed);
	int room = end - x - 1 - flags_width(tui);

	x += draw_text(1, x, room, ROLE_TEXT, settings_text(tui, room, settings, sizeof(settings)));
	if (tui->model.frozen && !scrub_is_on(&tui->model))
		x += draw_text(1, x, end - x - 1, ROLE_WARN, "  FROZEN");
	if (tui->model.yielded)
		x += draw_text(1, x, end - x - 1, ROLE_WARN, "  YIELDED");
	if (tui->halted)
		x += draw_text(1, x, end - x - 1, ROLE_DIM, "  halted");
	if (tui->config->banner && !tui->banner_seen)
		draw_printf(1, x, end - x - 2, ROLE_WARN, "  %s", tui->config->banner);
}

void header_draw(struct tui *tui)
{
	int used = tui_is_playing(tui) ? draw_position(tui) : draw_log_and_clock(tui);

	if (is_wide())
		draw_title(tui, COLS - used - 1);
	else
		draw_views(tui, COLS - used - 1);
	if (tui->layout.n_header > 1)
		draw_settings(tui);
}
