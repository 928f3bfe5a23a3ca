#include "tui/live/lines.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "sampler/sampler.h"
#include "tui/counters/by_task.h"
#include "tui/counters/assign.h"
#include "tui/counters/rotation.h"
#include "tui/history/playing.h"
#include "tui/history/time_keys.h"
#include "tui/model/baseline.h"
#include "tui/model/names.h"
#include "tui/screen/list.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/term/keymap.h"
#include "tui/term/mouse.h"
#include "tui/view/topdown.h"

/* minimum width for a separate line with the machine, above the tabs */
enum { WIDE = 100 };

static bool is_wide(void)
{
	return COLS >= WIDE;
}

/* ---- settings in words ---- */

enum { PARTS_MAX = 10, STAYS = 0 };

struct header_part {
	int drop_order; /* parts are shortened in this order, from 1; STAYS: never */
	char text[160];
	char brief[64]; /* replacement of `text` when shortened */
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

static void add_rows(struct sentence *sentence, const struct model *model)
{
	const char *filter = model->rows.filter.text;
	unsigned n = rows_n_cores(model), all = model->machine->n_cores;
	char order[64];

	if (*filter) {
		struct header_part *part =
			header_add(sentence, 5, "filter: %s (%u of %u)", filter, n, all);

		snprintf(part->brief, sizeof(part->brief), "%u of %u cores", n, all);
	}
	if (*rows_order_text(model, order, sizeof(order)))
		header_add(sentence, 2, "%s", order);
}

static void add_said(struct sentence *sentence, const struct tui *tui)
{
	char text[160];
	struct header_part *part =
		header_add(sentence, 9, "%s", tui_view(tui)->said(tui, false, text, sizeof(text)));

	tui_view(tui)->said(tui, true, part->brief, sizeof(part->brief));
}

/* Add the name of the counted set, and the time until the rotation's next preset. */
static void add_counted(struct sentence *sentence, const struct tui *tui)
{
	const struct model *model = &tui->model;
	uint64_t left_ns = rotation_left_ns(tui);
	unsigned n_mux = set_n_mux(model->set);

	if (*model->set->preset)
		header_add(sentence, 6, "%s", model->set->preset);
	else if (model->chosen.n)
		header_add(sentence, 6, "%u metric%s", model->chosen.n,
			   model->chosen.n > 1 ? "s" : "");
	if (left_ns && !model->frozen)
		header_add(sentence, STAYS, "next in %u s",
			   (unsigned)((left_ns + NS_PER_S - 1) / NS_PER_S));
	if (n_mux > 1)
		header_add(sentence, 7, "%u multiplexed sets", n_mux);
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
	if (tui_shows_changes(tui))
		header_add(sentence, STAYS, "change from %s", baseline_name(model->baseline));
	header_add(sentence, STAYS, "every %s",
		   interval_text(interval_ns, interval, sizeof(interval)));
	add_counted(sentence, tui);
	if (!tui_is_playing(tui))
		header_add(sentence, model->privilege == PRIVILEGE_BOTH ? 3 : 8, "%s",
			   privilege_name[model->privilege]);
	if (!tui_view(tui)->said)
		header_add(sentence, 1, "by %s", frame_by_name[model->by]);
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

static void header_leave_out(struct sentence *sentence, int drop_order)
{
	for (unsigned i = 0; i < sentence->n; i++) {
		struct header_part *part = &sentence->part[i];

		if (part->drop_order == drop_order)
			memcpy(part->text, part->brief, sizeof(part->brief));
	}
}

/*
 * Format the settings: "filter: 0-3 (4 of 8) · IPC ▾ · every 1 s · branch · next in 5 s ·
 * user+kernel · by core". If that is too long, parts are shortened or left out, the least important
 * first; interval and countdown stay.
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
		header_leave_out(&sentence, next);
	if (!is_wide() && draw_columns(buf) > room) /* drop the machine, the first part */
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

/* Calculate the width of the tabs from `first` to `last`, with a blank on both sides of each. */
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

/* Format m1top's own share of the selected counter: ", 0.3 % of BR-MISP". @return buf */
static const char *own_counter_text(const struct tui *tui, char *buf, size_t size)
{
	const struct event *event = set_event(tui->model.set, tui->model.slot);
	double share;

	buf[0] = '\0';
	if (by_task_own_share(tui, NULL, &share))
		snprintf(buf, size, ", %.2f %% of %s", share * 100, event_label(event).text);
	return buf;
}

/* Format own cost and lateness, up to `most`; "-" if not measured.
 * @counter  see own_counter_text @return buf */
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

/* Draw a text that ends before column `end`. @return its first column */
static int draw_before(int y, int end, enum role role, const char *text)
{
	int width = draw_columns(text);

	draw_text(y, end - width, width, role, text);
	return end - width;
}

/* Draw the distance from live, if there is no second line for it. @return its first column */
static int draw_back(const struct tui *tui, int x)
{
	char text[32];

	if (tui->layout.n_header > 1 || tui_is_playing(tui) ||
	    !*time_text(tui, true, text, sizeof(text)))
		return x;
	return draw_before(0, x - 1, ROLE_WARN, text);
}

/* Get the room at the right end of line 1, beside the tabs. */
static int room_at_end(const struct tui *tui)
{
	return is_wide() ? COLS : COLS - tabs_width(tui, 0, N_VIEWS - 1);
}

/* Draw the right end of line 1 for a recorded session: position and clock. @return columns used */
static int draw_position(const struct tui *tui)
{
	char clock[32], text[128];
	int x = COLS - 1, width = draw_columns(playing_text(tui, text, sizeof(text)));

	clock_text(tui, clock, sizeof(clock));
	if (!tui->model.machine->simulated && width + draw_columns(clock) + 3 <= room_at_end(tui))
		x = draw_before(0, x, ROLE_TEXT, clock) - 2;
	x = draw_before(0, x, ROLE_WARN, text);
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
	char clock[32], buf[192];
	int x = draw_before(0, COLS - 1, tui->model.frozen ? ROLE_WARN : ROLE_TEXT,
			    clock_text(tui, clock, sizeof(clock)));

	x = draw_back(tui, x);

	/* there is no second line for it */
	bool says_changes = tui_shows_changes(tui) && tui->layout.n_header < 2 && !tui->log[0];
	int room = is_wide() ? COLS / 3 : room_at_end(tui) - (COLS - x) - 3;
	const char *log = says_changes ? "changes" : log_text(tui->log, room, buf, sizeof(buf));

	x = draw_before(0, x - 2, tui->log[0] ? ROLE_GOOD : ROLE_DIM, log);
	return COLS - x;
}

/* Format flags for figures that are not live or not of this machine. @return buf */
static const char *flags_text(const struct tui *tui, char *buf, size_t size)
{
	bool is_simulated = tui->model.machine->simulated, is_playing = tui_is_playing(tui);

	snprintf(buf, size, "%s%s%s", is_simulated ? "SIMULATED" : "",
		 is_simulated && is_playing ? " " : "", is_playing ? "REPLAY" : "");
	return buf;
}

static void header_draw_title(struct tui *tui, int end)
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

/* Draw line 1 of a narrow screen; without a second line also the flags that it would begin with. */
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

/* Draw the beginning of line 2. @return columns used */
static int draw_beginning(const struct tui *tui)
{
	char flags[32];

	if (is_wide())
		return draw_tabs(tui, 1, COLS);

	int width = draw_text(1, 1, COLS - 2, ROLE_WARN, flags_text(tui, flags, sizeof(flags)));

	return 1 + (width ? width + 2 : 0);
}

/* Draw the cost, shortened to leave `needed` columns. @return its first column */
static int draw_cost(const struct tui *tui, int y, int needed)
{
	char text[128], own[64];
	int width, most = COST_WAKEUPS;

	own_counter_text(tui, own, sizeof(own));
	do
		width = draw_columns(cost_text(tui, (enum cost)most, own, text, sizeof(text)));
	while (COLS - 3 - width < needed && most-- > COST_OWN);
	return draw_before(y, COLS - 1, ROLE_DIM, text);
}

/* Calculate the width of the flags after the settings, which are never truncated. */
static int flags_width(const struct tui *tui)
{
	return (tui->model.frozen && !scrub_is_on(&tui->model) ? 8 : 0) +
	       (tui->model.yielded ? 9 : 0) + (tui->halted ? 8 : 0);
}

/* Draw the distance from live in place of the cost, which the history does not keep.
 * @return its first column */
static int draw_moment(const struct tui *tui, int y)
{
	char text[96];

	return draw_before(y, COLS - 1, ROLE_WARN, time_text(tui, false, text, sizeof(text)));
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
		header_draw_title(tui, COLS - used - 1);
	else
		draw_views(tui, COLS - used - 1);
	if (tui->layout.n_header > 1)
		draw_settings(tui);
}

/* ---- detail and status lines ---- */

enum { RANGE_MIN_WIDTH = 60 };

/* Get the event of the selected slot on the selected row's core type. */
static const struct event *selected_event(const struct tui *tui)
{
	const struct model *model = &tui->model;
	const struct line *line = model_selected(model);

	if (!line)
		return set_event(model->set, model->slot);
	return model->set->type[model_type(model, line)].event[model->slot];
}

/* Format the legal and actual counters: "legal on PMC5-7  driver will use PMC5". @return buf */
static const char *legal_text(const struct tui *tui, const struct event *event, char *buf,
			      size_t size)
{
	const struct line *line = model_selected(&tui->model);
	unsigned type = line ? model_type(&tui->model, line) : 0;
	const struct core_type *core_type = &tui->model.machine->type[type];
	uint8_t counter = tui->model.set->type[type].counter[tui->model.slot];
	char legal[64];

	buf[0] = '\0';
	if (!event->needs_counter)
		return buf;
	if (event->counters)
		snprintf(legal, sizeof(legal), "%s %s",
			 event->is_forced ? "forced onto" : "legal on",
			 counters_text(event->counters, buf, size));
	else
		snprintf(legal, sizeof(legal), "legal on any counter");
	if (core_type->first_fit && counter != COUNTER_NONE)
		snprintf(buf, size, "%s   driver will use PMC%u", legal, counter);
	else
		snprintf(buf, size, "%s", legal);
	return buf;
}

static void draw_event(const struct tui *tui, int y)
{
	const struct event *event = selected_event(tui);
	char slot[32], id[32], legal[160];
	int x = 1, end = COLS - 1;

	x += draw_text(y, x, end - x, ROLE_SELECTED,
		       name_slot(&tui->model, tui->model.slot, slot, sizeof(slot)));
	x += 2;
	if (!event) {
		draw_printf(y, x, end - x, ROLE_DIM, "counts nothing: press %s to choose an event",
			    tui_key(tui, 'e').name);
		return;
	}
	legal_text(tui, event, legal, sizeof(legal));
	if (end - x - draw_columns(legal) < 30)
		legal[0] = '\0';
	end -= draw_columns(legal);
	draw_text(y, end, COLS - end, ROLE_DIM, legal);
	x += draw_text(y, x, end - x - 2, ROLE_TOTAL, event->name) + 1;
	x += draw_text(y, x, end - x - 2, ROLE_TEXT, name_id(event, id, sizeof(id))) + 2;
	if (*event->refused)
		draw_text(y, x, end - x - 2, ROLE_WARN, event->refused);
	else if (event->known)
		draw_text(y, x, end - x - 2, ROLE_DIM, event->known->brief);
}

static int draw_labelled(int y, int x, const char *label, struct reading reading, const char *unit)
{
	char text[64];
	int end = COLS - 1;

	if (end - x < 8 + draw_columns(label))
		return x;
	figure_with_unit(reading, unit, 8, text, sizeof(text));
	x += draw_text(y, x, end - x, ROLE_DIM, label);
	x += draw_text(y, x, end - x, ROLE_TEXT, text);
	return x + 3;
}

/* Draw the minimum and maximum of a history cell that merges several frames. */
static void draw_range(const struct tui *tui, int y, int x, const struct line *line,
		       const char *unit)
{
	const struct series series = { .line = *line,
				       .quantity = quantity_of_slot(&tui->model, tui->model.slot) };
	const struct history_value value = series_value(&tui->model, &series);

	if (tui->model.at.n_frames < 2)
		return;
	x = draw_labelled(y, x, "min ", (struct reading){ value.min, value.quality }, unit);
	x = draw_labelled(y, x, "max ", (struct reading){ value.max, value.quality }, unit);
	draw_printf(y, x, COLS - 1 - x, ROLE_DIM, "in %u frames", (unsigned)tui->model.at.n_frames);
}

/* Draw the totals since the last reset (key z), in the event's unit. */
static void draw_stats(const struct tui *tui, int y, int x, const struct line *line,
		       const struct event *event, const char *unit)
{
	const struct running_stats *running_stats = model_stats(&tui->model, line, tui->model.slot);
	struct reading total = count_total(&running_stats->sum);
	struct {
		const char *label;
		struct reading reading;
		const char *unit;
	} part[] = {
		{ "min ", running_stats->min, unit },
		{ "mean ", { running_stats_mean(running_stats), total.quality }, unit },
		{ "max ", running_stats->max, unit },
		{ "total ", total, event->unit },
	};

	for (size_t i = 0; running_stats->n && i < ARRAY_SIZE(part); i++) {
		part[i].reading.value *= event->scale;
		x = draw_labelled(y, x, part[i].label, part[i].reading, part[i].unit);
	}
}

/* Draw m1top's own share, while counts are attributed to tasks. @return next free column */
static int draw_own(const struct tui *tui, int y, int x, const struct line *line)
{
	double share;

	if (COLS - x < 16 || !by_task_own_share(tui, line, &share))
		return x;
	x += draw_text(y, x, COLS - 1 - x, ROLE_DIM, "own ");
	return x + draw_printf(y, x, COLS - 1 - x, ROLE_TEXT, "%.2f %%", share * 100) + 3;
}

/* Draw the SMT siblings of a core, which share its counters. @return next free column */
static int draw_siblings(const struct tui *tui, int y, int x, const struct line *line)
{
	char cpus[32] = "";

	if (line->by == BY_CORE)
		machine_siblings(tui->model.machine, line->index, cpus, sizeof(cpus));
	if (!*cpus)
		return x;
	return x + 3 +
	       draw_printf(y, x, COLS - 1 - x, ROLE_DIM, "%s cpu%s",
			   COLS < 100 ? "sibling" : "SMT sibling of", cpus);
}

static void status_draw_row(const struct tui *tui, int y)
{
	const struct model *model = &tui->model;
	const struct line *line = model_selected(model);
	const struct event *event = selected_event(tui);
	struct frame_row row;
	char name[32], unit[48], error[16], with_error[sizeof(unit) + sizeof(error)];

	if (!line || !event)
		return;

	int x = 1 +
		draw_text(y, 1, COLS - 2, ROLE_TOTAL,
			  name_row(model, line, false, name, sizeof(name))) +
		2;

	x = draw_siblings(tui, y, x, line);
	if (!model_row(model, line, &row))
		return;
	figure_unit(event, SHOW_RATE, unit, sizeof(unit));

	struct reading now = model_figure(model, &row, model->slot, SHOW_RATE);

	double is_off_by = /* a frame with other columns has no such count */
		now.quality == QUALITY_SCALED ? count_error(&row.count[model->slot]) : 0;

	num_error(is_off_by, false, error, sizeof(error));
	snprintf(with_error, sizeof(with_error), "%s%s%s", unit, *error ? " " : "", error);
	x = draw_labelled(y, x, "", now, with_error);
	if (now.quality == QUALITY_PENDING)
		return; /* the statistics are still those of the previous event */
	if (model->baseline) {
		struct reading before = baseline_slot(model, &row, model->slot, SHOW_RATE);

		x = draw_labelled(y, x, "baseline ", before, unit);
	}

	struct reading per_ki = model_figure(model, &row, model->slot, SHOW_PER_KI);

	if (quality_has_value(per_ki.quality))
		x = draw_labelled(y, x, "", per_ki, COLS < 100 ? "/ki" : "per 1000 instructions");
	x = draw_own(tui, y, x, line);
	if (scrub_is_on(model))
		draw_range(tui, y, x, line, unit);
	else
		draw_stats(tui, y, x, line, event, unit);
}

/* Get the hints. Those for moving in time replace those of the view, except in text views. */
static const struct hint *hints(const struct tui *tui)
{
	static const struct hint walking[] = { { "?", "help" },
					       { "End", "live" },
					       { "← →", "back, forward" },
					       { "w", "write" },
					       { 0 } };

	if (tui_view(tui)->key == pager_key)
		return tui_view(tui)->hint;
	if (tui_is_playing(tui))
		return playing_hints;
	return scrub_is_on(&tui->model) ? walking : tui_view(tui)->hint;
}

/* Draw the visible range of the list, then key hints. */
static void draw_hints(struct tui *tui, int y, int x)
{
	int end = COLS - 1;
	char range[32];

	if (COLS >= RANGE_MIN_WIDTH && *list_range(tui, tui->n_seen, range, sizeof(range)) &&
	    end - x > draw_columns(range)) {
		draw_right(y, x, end - x, ROLE_DIM, range);
		end -= draw_columns(range) + 2;
	}
	hints_draw(hints(tui), tui->config->keymap, y, x, end);
}

/* Draw the status message; if it is longer than a line, it also covers the lines above. */
static void draw_status(struct tui *tui)
{
	const struct layout *layout = &tui->layout;
	int width = COLS - 2, most = layout->n_detail + 1;
	int n_lines = draw_wrapped(-1, 1, width, most, tui->status_role, tui->status);

	if (n_lines <= 1) {
		int used = draw_text(layout->status_y, 1, width, tui->status_role, tui->status);

		draw_hints(tui, layout->status_y, used + 3);
		return;
	}
	for (int y = layout->status_y - n_lines + 1; y <= layout->status_y; y++)
		draw_printf(y, 0, COLS, ROLE_TEXT, "%*s", COLS, "");
	draw_wrapped(layout->status_y - n_lines + 1, 1, width, most, tui->status_role, tui->status);
}

void status_draw(struct tui *tui)
{
	const struct layout *layout = &tui->layout;
	int y = layout->detail_y;

	if (tui_view(tui)->has_detail && layout->n_detail > 2)
		topdown_detail(tui, y++);
	if (tui_view(tui)->has_detail)
		draw_event(tui, y++);
	if (tui_view(tui)->has_detail && y < layout->status_y)
		status_draw_row(tui, y);
	draw_status(tui);
}
