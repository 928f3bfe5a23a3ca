#include "tui/live/loop.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "tui/counters/by_task.h"
#include "tui/history/playing.h"
#include "tui/keys.h"
#include "tui/model/baseline.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/term/mouse.h"
#include "tui/term/terminal.h"
#include "tui/view/topdown.h"
#include "tui/view/views.h"
#include "tui/widget/table.h"

enum {
	DRAW_EVERY_MS = 100 /* newer figures; keys at once */,
	CHORES_EVERY_MS = 1000,
	REPAIR_EVERY_MS = 5000
};

/* Block the signals that the loop reads from a descriptor; called before any thread is created.
 * @return the descriptor, for the caller to close; or -errno */
static int take_signals(sigset_t *ret_before, struct err *err)
{
	static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(handled); i++)
		sigaddset(&set, handled[i]);
	pthread_sigmask(SIG_BLOCK, &set, ret_before);

	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);

	return fd >= 0 ? fd : err_set(err, errno, "signalfd: %s", strerror(errno));
}

/* Handle a signal. @return whether it ends the program */
static bool answer_signal(int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return false;
	switch (info.ssi_signo) {
	case SIGTSTP: terminal_suspend(); return false;
	case SIGCONT: terminal_repaint(); return false;
	case SIGWINCH: terminal_resize(); return false;
	default: return true;
	}
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

/* Format the legal and actual counters: "fits PMC5-7  driver will use PMC5". */
static struct label legal_text(const struct tui *tui, const struct event *event)
{
	const struct line *line = model_selected(&tui->model);
	unsigned type = line ? model_type(&tui->model, line) : 0;
	const struct core_type *core_type = &tui->model.machine->type[type];
	uint8_t counter = tui->model.set->type[type].counter[tui->model.slot];
	struct label legal = { "" };
	char counters[64];

	if (event->needs_counter && event->counters)
		legal = label_printf("%s %s", event->is_forced ? "forced onto" : "fits",
				     counters_text(event->counters, counters, sizeof(counters)));
	else if (event->needs_counter)
		legal = label_printf("fits any counter");
	if (event->needs_counter && core_type->first_fit && counter != COUNTER_NONE)
		return label_printf("%s   driver will use PMC%u", legal.text, counter);
	return legal;
}

static void draw_event(const struct tui *tui, int y)
{
	const struct event *event = selected_event(tui);
	int x = 1, end = COLS - 1;

	x += draw_text(y, x, end - x, ROLE_SELECTED, name_slot(&tui->model, tui->model.slot).text);
	x += 2;
	if (!event) {
		draw_printf(y, x, end - x, ROLE_DIM, "counts nothing: press %s to choose an event",
			    tui_key(tui, 'e').name);
		return;
	}

	struct label legal = legal_text(tui, event);

	if (end - x - draw_columns(legal.text) < 30)
		legal.text[0] = '\0';
	end -= draw_columns(legal.text);
	draw_text(y, end, COLS - end, ROLE_DIM, legal.text);
	x += draw_text(y, x, end - x - 2, ROLE_TOTAL, event->name) + 1;
	if (event->needs_counter)
		x += draw_printf(y, x, end - x - 2, ROLE_TEXT, "0x%" PRIx64, event->config[0]);
	x += 2;
	if (*event->refused)
		draw_text(y, x, end - x - 2, ROLE_WARN, event->refused);
	else if (event->known)
		draw_text(y, x, end - x - 2, ROLE_DIM, event->known->brief);
}

static int draw_labelled(int y, int x, const char *label, struct reading reading, const char *unit)
{
	int end = COLS - 1;

	if (end - x < 8 + draw_columns(label))
		return x;
	x += draw_text(y, x, end - x, ROLE_DIM, label);
	x += draw_text(y, x, end - x, ROLE_TEXT, figure_with_unit(reading, unit, 8).text);
	return x + 3;
}

/* Draw the minimum and maximum of a history cell that merges several frames. */
static void draw_range(const struct tui *tui, int y, int x, const struct line *line,
		       const struct quantity *quantity, const char *unit)
{
	const struct series series = { .line = *line, .quantity = *quantity };
	const struct history_value value = series_value(&tui->model, &series);

	if (tui->model.at.n_frames < 2)
		return;
	x = draw_labelled(y, x, "min ", (struct reading){ value.min, value.quality }, unit);
	x = draw_labelled(y, x, "max ", (struct reading){ value.max, value.quality }, unit);
	draw_printf(y, x, COLS - 1 - x, ROLE_DIM, "in %u frames", (unsigned)tui->model.at.n_frames);
}

/* Calculate the mean rate over all windows, per second. @return 0 if nothing was counted */
static double running_stats_mean(const struct running_stats *running_stats)
{
	if (!running_stats->window_ns)
		return 0;
	return running_stats->area / (double)running_stats->window_ns;
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

/* Draw the value of a metric, and the counter whose functions H shows for it. */
static void draw_metric_row(const struct tui *tui, int y, int x, const struct line *line,
			    unsigned number)
{
	const struct model *model = &tui->model;
	const struct quantity quantity = quantity_of_metric(number);
	const struct label unit = quantity_unit(model, &quantity);
	unsigned slot = model_sampled_slot(model, line);
	struct frame_row row;

	if (!model_row(model, line, &row))
		return;
	x = draw_labelled(y, x, "", model_metric(model, &row, (int)number), unit.text);
	if (scrub_is_on(model))
		draw_range(tui, y, x, line, &quantity, unit.text);
	else if (slot < COLUMNS_MAX)
		draw_printf(y, x, COLS - 1 - x, ROLE_DIM, "%s: functions by %s",
			    tui_key(tui, 'H').name, event_label(set_event(model->set, slot)).text);
}

static void status_draw_row(const struct tui *tui, int y)
{
	const struct model *model = &tui->model;
	const struct line *line = model_selected(model);
	const struct event *event = selected_event(tui);
	const struct quantity quantity = quantity_of_slot(model, model->slot);
	int metric = line ? model_selected_metric(model, line) : -1;
	struct frame_row row;
	char error[32];

	if (!line || (metric < 0 && (!event || model->selected.by != ORDER_SLOT)))
		return;

	int x = 1 + draw_text(y, 1, COLS - 2, ROLE_TOTAL, name_row(model, line, false).text) + 2;

	x = draw_siblings(tui, y, x, line);
	if (metric >= 0)
		draw_metric_row(tui, y, x, line, (unsigned)metric);
	if (metric >= 0 || !model_row(model, line, &row))
		return;

	struct label unit = figure_unit(event, SHOW_RATE);
	struct reading now = model_figure(model, &row, model->slot, SHOW_RATE);
	/* a frame with other columns has no such count */
	const struct count none = { 0 },
			   *of = now.quality == QUALITY_SCALED ? &row.count[model->slot] : &none;

	num_error(now.value, count_error_below(of), count_error(of), false, error, sizeof(error));
	x = draw_labelled(y, x, "", now,
			  label_printf("%s%s%s", unit.text, *error ? " " : "", error).text);
	if (now.quality == QUALITY_PENDING)
		return; /* the statistics are still those of the previous event */
	if (model->baseline) {
		struct reading before = baseline_slot(model, &row, model->slot, SHOW_RATE);

		x = draw_labelled(y, x, "baseline ", before, unit.text);
	}

	struct reading per_ki = model_figure(model, &row, model->slot, SHOW_PER_KI);

	if (quality_has_value(per_ki.quality))
		x = draw_labelled(y, x, "", per_ki, COLS < 100 ? "/ki" : "per 1000 instructions");
	x = draw_own(tui, y, x, line);
	if (scrub_is_on(model))
		draw_range(tui, y, x, line, &quantity, unit.text);
	else
		draw_stats(tui, y, x, line, event, unit.text);
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

/*
 * Draw as many hints as fit, from the right edge on.
 *
 * @hint  the first ones are dropped last; a NULL key ends
 * @x     left limit
 * @end   column after the last one
 * @return  column before which more hints can end
 */
static int hints_draw(const struct hint *hint, const struct keymap *keymap, int y, int x, int end)
{
	for (; hint->key; hint++) {
		char key[48];

		keymap_hint_text(keymap, hint->key, key, sizeof(key));
		if (strcmp(key, KEYMAP_NONE) == 0)
			continue;

		int width = draw_columns(key) + 1 + draw_columns(hint->what);

		if (end - width < x)
			return end;
		end -= width;
		draw_text(y, end, width, ROLE_KEY, key);
		draw_right(y, end, width, ROLE_DIM, hint->what);
		mouse_hint(y, end, width, key);
		end -= 2;
	}
	return end;
}

/* Draw the visible range of the list, then key hints. */
static void draw_hints(struct tui *tui, int y, int x)
{
	static const struct hint sideways[] = { { "( )", "columns" }, { 0 } };
	unsigned n = 0;
	const struct cursor *cursor = tui_view(tui)->list ? tui_view(tui)->list(tui, &n) : NULL;
	struct label range = { "" };
	int end = COLS - 1;

	if (cursor && tui->n_seen && n > tui->n_seen) /* not all items are visible */
		range = label_printf("%u–%u of %u", cursor->top + 1, cursor->top + tui->n_seen, n);
	if (COLS >= RANGE_MIN_WIDTH && *range.text && end - x > draw_columns(range.text)) {
		draw_right(y, x, end - x, ROLE_DIM, range.text);
		end -= draw_columns(range.text) + 2;
	}
	if (table_take_cut())
		end = hints_draw(sideways, tui->config->keymap, y, x, end);
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

/* Draw the detail lines about the selected column and row, and the status line. */
static void status_draw(struct tui *tui)
{
	const struct layout *layout = &tui->layout;
	const struct line *line = model_selected(&tui->model);
	int y = layout->detail_y, metric = line ? model_selected_metric(&tui->model, line) : -1;

	if (tui_view(tui)->parts & TOTALS && layout->n_detail > 2)
		topdown_detail(tui, y++);
	if (tui_view(tui)->parts & TOTALS && tui->model.selected.by != ORDER_SLOT)
		metrics_draw_line(&tui->model, metric, y++);
	else if (tui_view(tui)->parts & TOTALS)
		draw_event(tui, y++);
	if (tui_view(tui)->parts & TOTALS && y < layout->status_y)
		status_draw_row(tui, y);
	draw_status(tui);
}

/* ---- loop ---- */

struct loop {
	struct tui *tui;
	const struct loop_source *source;
	uint64_t draw_ns;  /* time of the next drawing, CLOCK_MONOTONIC; 0: none */
	uint64_t drawn_ns; /* time of the last drawing */
	uint64_t whole_ns; /* time of the last that wrote every line */
};

/* Draw the screen into curses. */
static void loop_draw(struct loop *loop)
{
	struct tui *tui = loop->tui;
	struct label text;

	loop->source->fit(tui);
	erase();
	mouse_clear();
	tui->n_seen = 0;
	if (tui->layout.too_small) {
		/* what fits even a small terminal */
		text = label_printf("need %dx%d: %dx%d is too small", LAYOUT_MIN_WIDTH,
				    LAYOUT_MIN_HEIGHT, COLS, LINES);
		draw_wrapped(0, 0, COLS, LINES, ROLE_WARN, text.text);
	} else {
		loop->source->header(tui);
		tui_view(tui)->draw(tui);
		status_draw(tui);
		if (tui->overlay && tui->overlay->draw)
			tui->overlay->draw(tui);
	}
	wnoutrefresh(stdscr);
}

/* Write every line now and then: another program, such as wall, may have written on the terminal. */
static void loop_repair(struct loop *loop, uint64_t now_ns)
{
	if (now_ns < loop->whole_ns + REPAIR_EVERY_MS * NS_PER_MS)
		return;
	loop->whole_ns = now_ns;
	redrawwin(stdscr);
}

uint64_t loop_earlier(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

static void loop_note(struct loop *loop, enum redraw redraw, uint64_t now_ns)
{
	uint64_t at = loop->drawn_ns + DRAW_EVERY_MS * NS_PER_MS;

	if (redraw == REDRAW_NOW)
		loop->draw_ns = now_ns;
	if (redraw == REDRAW_LIMITED)
		loop->draw_ns = loop_earlier(loop->draw_ns, at > now_ns ? at : now_ns);
}

/* Handle a mouse action. Overlays ignore the wheel. */
static bool press(struct tui *tui, int key)
{
	bool is_wheel = key == KEYS_WHEEL_UP || key == KEYS_WHEEL_DOWN;

	return !(is_wheel && tui->overlay) && keys_dispatch(tui, key);
}

/* Handle a key. @return whether it was one */
static bool take_key(struct tui *tui, int key, const struct mouse *mouse)
{
	if (key == KEY_RESIZE || (key == KEYS_MOUSE && !mouse->button))
		return false;
	tui->banner_seen = true;
	if (!tui->overlay)
		tui->status[0] = '\0';
	if (key == KEYS_MOUSE)
		mouse_dispatch(mouse, press, tui);
	else
		keys_dispatch(tui, key);
	return true;
}

static int next_key(const struct loop *loop, struct mouse *ret_mouse)
{
	const struct loop_source *source = loop->source;

	return source->holds_keys && source->holds_keys(loop->tui) ? 0 : keys_read(ret_mouse);
}

/* Handle keys, for a bounded time: a signal or a frame may wait behind many slow ones. */
static enum redraw take_keys(struct loop *loop)
{
	const uint64_t until = clock_now_ns() + DRAW_EVERY_MS * NS_PER_MS;
	enum redraw redraw = REDRAW_NONE;
	struct mouse mouse;
	int key;

	while (!loop->tui->leave && (key = next_key(loop, &mouse))) {
		/* a key acts on the screen that the previous key made, even if it was not shown */
		if (redraw)
			loop_draw(loop);
		if (take_key(loop->tui, key, &mouse))
			redraw = REDRAW_NOW;
		if (clock_now_ns() >= until)
			return REDRAW_NOW;
	}
	return redraw;
}

/* Calculate the time that poll may sleep: until a drawing or an action of the source is due, ms. */
static int sleep_ms(const struct loop *loop)
{
	uint64_t now = clock_now_ns();
	uint64_t draw_ns = tty_buffer_waits_for() < 0 ? loop->draw_ns : 0;
	uint64_t next = loop_earlier(draw_ns, loop->source->wake_ns(loop->tui, now));

	return next <= now ? 0 : (int)((next - now + NS_PER_MS - 1) / NS_PER_MS);
}

static void poll_once(struct loop *loop, struct pollfd *fds)
{
	const struct loop_source *source = loop->source;
	struct tui *tui = loop->tui;
	uint64_t now = clock_now_ns();

	if (source->step)
		loop_note(loop, source->step(tui, now), now);
	fds[3].fd = tty_buffer_waits_for();

	int ready = poll(fds, 4, sleep_ms(loop));

	now = clock_now_ns();
	if (source->take)
		loop_note(loop, source->take(tui, now), now);
	if (ready > 0 && fds[2].revents) {
		tui->leave |= answer_signal(fds[2].fd);
		loop->draw_ns = now;
	}
	loop_note(loop, take_keys(loop), now);
	if (now >= loop->drawn_ns + CHORES_EVERY_MS * NS_PER_MS)
		loop->draw_ns = now;
	if (ready > 0 && fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		tui->leave = true;
	if (ready > 0 && fds[3].revents)
		tty_buffer_flush();
}

static void live_loop_run(struct tui *tui, const struct loop_source *source, int signal_fd)
{
	struct loop loop = { .tui = tui, .source = source, .draw_ns = 1 };
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = source->fd ? source->fd(tui) : -1, .events = POLLIN },
		{ .fd = signal_fd, .events = POLLIN },
		{ .fd = -1, .events = POLLOUT }, /* terminal output is pending */
	};

	if (source->begin)
		source->begin(tui);
	for (;;) {
		uint64_t now = clock_now_ns();

		if (loop.draw_ns && now >= loop.draw_ns &&
		    (tty_buffer_waits_for() < 0 || tty_buffer_flush())) {
			loop_repair(&loop, now);
			loop_draw(&loop);
			doupdate();
			tty_buffer_flush();
			loop.draw_ns = 0;
			loop.drawn_ns = now;
		}
		if (tui->leave)
			return;
		poll_once(&loop, fds);
	}
}

static int loop_show(struct tui *tui, const struct loop_source *source, int signal_fd,
		     struct err *err)
{
	const struct tui_config *config = tui->config;
	int r = source->start(tui, err);

	if (r < 0)
		return r;
	r = terminal_start(config->ascii, config->theme, config->mouse, err);
	if (r == 0)
		live_loop_run(tui, source, signal_fd);
	terminal_stop();
	if (source->stop)
		source->stop(tui);
	return r;
}

int loop_run(struct tui *tui, const struct loop_source *source, struct err *err)
{
	sigset_t before;
	int r = terminal_check(err);

	if (r < 0)
		return r;

	AUTO_FD int signal_fd = take_signals(&before, err);

	if (signal_fd < 0)
		return signal_fd;
	r = loop_show(tui, source, signal_fd, err);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}
