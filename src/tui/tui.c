#include "tui/tui.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "tui/draw.h"
#include "tui/fit.h"
#include "tui/header.h"
#include "tui/keymap.h"
#include "tui/keys.h"
#include "tui/mouse.h"
#include "tui/names.h"
#include "tui/outlet.h"
#include "tui/settings.h"
#include "tui/signals.h"
#include "tui/state.h"
#include "tui/status.h"
#include "tui/terminal.h"

enum {
	HISTORY_BYTES = 32 * 1024 * 1024,
	QUEUE_DEPTH = 256,
	DRAW_EVERY_MS = 100, /* new figures are drawn no more often; keys at once */
	DRAIN_MS = 10,       /* then keys and the picture have their turn */
	CHORES_EVERY_MS = 1000,
};

/* When things are due, on CLOCK_MONOTONIC; 0: not. */
struct due {
	uint64_t draw_ns;  /* the picture has changed */
	uint64_t step_ns;  /* virtual clock: the next tick */
	uint64_t drawn_ns; /* when it was last drawn */
};

void tui_say(struct tui *tui, enum role role, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(tui->status, sizeof(tui->status), fmt, args);
	va_end(args);
	tui->status_role = role;
}

struct key_text tui_key(const struct tui *tui, int code)
{
	struct key_text text;

	keymap_key_text(tui->config->keymap, code, text.name, sizeof(text.name));
	return text;
}

void tui_show(struct tui *tui, const struct view *view)
{
	tui->view = view;
	tui->scroll = 0;
	if (view->enter)
		view->enter(tui);
}

void tui_refresh_log(struct tui *tui)
{
	const struct tui_log *log = &tui->config->log;
	struct err err = { 0 };

	if (!log->status)
		return;

	int ended = log->status(log->data, tui->log, sizeof(tui->log), &err);

	if (ended < 0)
		messages_add(tui->config->messages, MESSAGE_ERROR, "%s", err.text);
	else if (ended)
		tui_say(tui, ROLE_TEXT, "closed %s: m1top report sums it up, replay shows it",
			tui->log);
	if (ended)
		tui->log[0] = '\0';
}

static void draw(struct tui *tui)
{
	rows_follow(&tui->model);
	metrics_follow(tui);
	fit_make(tui);
	erase();
	mouse_clear();
	tui->n_seen = 0;
	if (tui->layout.too_small) {
		draw_too_small();
	} else {
		header_draw(tui);
		tui->view->draw(tui);
		status_draw(tui);
		if (tui->overlay)
			tui->overlay->draw(tui);
	}
	wnoutrefresh(stdscr);
	terminal_show();
}

static void say_new_messages(struct tui *tui)
{
	static const enum role role[] = { ROLE_TEXT, ROLE_WARN, ROLE_ERROR };
	const struct messages *messages = tui->config->messages;

	if (messages->n == tui->messages_seen)
		return;
	tui->messages_seen = messages->n;

	const struct message *last = messages_at(messages, messages->n - 1);

	tui_say(tui, role[last->level], "%s", last->text);
}

/* Every frame goes into totals and history; the last one is the picture. */
bool tui_drain(struct tui *tui)
{
	uint64_t until_ns = clock_now_ns() + DRAIN_MS * NS_PER_MS, lost;
	const struct frame *frame;
	bool any = false;

	tui->is_behind = false;
	for (unsigned n = queue_clear(tui->queue); n && !tui->is_behind; n--) {
		frame = queue_pop(tui->queue, &lost);
		if (lost)
			messages_add(tui->config->messages, MESSAGE_WARNING,
				     "frames come too fast for the screen: its totals and past "
				     "lack some; a log has them");
		if (tui->config->watch && !preview_owns(tui, frame))
			watch_frame(tui->config->watch, frame);
		preview_frame(tui, frame);
		rotation_frame(tui, frame);
		playing_frame(tui, frame);
		model_feed(&tui->model, frame);
		any = true;
		if (tui->config->count && ++tui->frames_seen >= tui->config->count)
			tui->leave = true;
		tui->is_behind = clock_now_ns() >= until_ns;
	}
	if (any)
		tui_refresh_log(tui);
	return any;
}

/* An overlay has no idea of its own of the wheel. */
static unsigned press(void *screen, int key)
{
	struct tui *tui = screen;
	bool is_wheel = key == KEYS_WHEEL_UP || key == KEYS_WHEEL_DOWN;

	return is_wheel && tui->overlay ? DID_NOTHING : keys_dispatch(tui, key);
}

/* @return DID_… */
static unsigned take_key(struct tui *tui, int key, const struct mouse *mouse)
{
	if (key == KEY_RESIZE || (key == KEYS_MOUSE && !mouse->button))
		return DID_NOTHING;
	tui->banner_seen = true;
	if (!tui->overlay)
		tui->status[0] = '\0';
	return (key == KEYS_MOUSE ? mouse_dispatch(mouse, press, tui) : keys_dispatch(tui, key)) |
	       DID_REDRAW;
}

/* @return has anything been done? */
static bool take_keys(struct tui *tui)
{
	struct mouse mouse;
	bool any = false;

	for (int key = keys_read(&mouse); key; key = keys_read(&mouse)) {
		/* a click means what stands there now */
		if (any && key == KEYS_MOUSE)
			draw(tui);

		unsigned did = take_key(tui, key, &mouse);

		if (did & DID_QUIT)
			tui->leave = true;
		any |= did != DID_NOTHING;
	}
	return any;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

/* How long poll may sleep: until a drawing or a tick is due, at most until the next chores. */
static int sleep_ms(const struct tui *tui, const struct due *due)
{
	uint64_t now = clock_now_ns();
	uint64_t draw_ns = outlet_waits_for() < 0 ? due->draw_ns : 0;
	uint64_t next = earlier(earlier(draw_ns, due->step_ns), preview_due_ns(tui));
	uint64_t latest = now + CHORES_EVERY_MS * NS_PER_MS;

	/* with frames at least once a second these bring the chores and the clock with them */
	if (!next && !due->step_ns && !tui->halted &&
	    sampler_interval(tui->config->sampler) <= NS_PER_S)
		latest = now + 3 * (CHORES_EVERY_MS * NS_PER_MS);
	if (tui->writing.is_on || tui->is_behind)
		return 0;
	if (!next || next > latest)
		next = latest;
	return next <= now ? 0 : (int)((next - now + NS_PER_MS - 1) / NS_PER_MS);
}

/* New figures, which are not drawn too often. */
static void draw_soon(struct due *due, uint64_t now)
{
	uint64_t at = due->drawn_ns + DRAW_EVERY_MS * NS_PER_MS;

	due->draw_ns = earlier(due->draw_ns, at > now ? at : now);
}

/* Virtual clock: the machine goes on by one tick a wall-clock interval, or, when it will halt, gets
 * there at once. */
static void step(struct tui *tui, struct due *due)
{
	uint64_t now = clock_now_ns();
	const struct backend *backend = sampler_backend(tui->config->sampler);
	uint64_t wait_ns = backend->halt_after ? 0 : sampler_interval(tui->config->sampler);

	if (playing_is_on(tui)) {
		if (playing_turn(tui, now, &due->step_ns))
			draw_soon(due, now);
		return;
	}
	if (!backend->virtual_clock)
		return;
	if (tui->halted) {
		due->step_ns = 0;
		return;
	}
	if (!due->step_ns)
		due->step_ns = now + wait_ns;
	if (now < due->step_ns)
		return;
	tui->halted = sampler_step(tui->config->sampler) == -ENODATA;
	due->step_ns = tui->halted ? 0 : now + wait_ns;
	if (tui->halted)
		due->draw_ns = now;
}

static void draw_when_due(struct tui *tui, struct due *due)
{
	uint64_t now = clock_now_ns();

	if (!due->draw_ns || now < due->draw_ns || !outlet_flush())
		return;
	draw(tui);
	due->draw_ns = 0;
	due->drawn_ns = now;
}

static void turn(struct tui *tui, struct pollfd *fds, struct due *due)
{
	step(tui, due);

	fds[3].fd = outlet_waits_for();

	int ready = poll(fds, 4, sleep_ms(tui, due));
	uint64_t now = clock_now_ns();

	sampler_service(tui->config->sampler);
	if (tui->writing.is_on && !writing_turn(tui))
		due->draw_ns = now;
	if (tui_drain(tui))
		draw_soon(due, now);
	if (ready > 0 && fds[2].revents) {
		tui->leave |= signals_answer(fds[2].fd);
		due->draw_ns = now;
	}
	if (take_keys(tui) || now >= due->drawn_ns + CHORES_EVERY_MS * NS_PER_MS)
		due->draw_ns = now;
	if (preview_turn(tui, now))
		due->draw_ns = now;
	if (ready > 0 && fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		tui->leave = true;
	if (ready > 0 && fds[3].revents)
		outlet_flush();
	say_new_messages(tui);
	draw_when_due(tui, due);
}

static void loop(struct tui *tui, int signal_fd)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = queue_fd(tui->queue), .events = POLLIN },
		{ .fd = signal_fd, .events = POLLIN },
		{ .fd = -1, .events = POLLOUT }, /* a terminal that is behind */
	};
	struct due due = { .draw_ns = 1 };

	draw_when_due(tui, &due);
	while (!tui->leave)
		turn(tui, fds, &due);
	writing_finish(tui);
}

/* Metrics of -M stand first, and are what is to be seen. */
static int choose_first(struct tui *tui)
{
	const struct metrics_selection *chosen = tui->config->chosen;
	struct metric_list list = { 0 };

	for (size_t i = 0; chosen && i < chosen->n; i++)
		metric_list_add(&list, chosen->number[i]);
	if (list.n)
		tui->view = &view_metrics;

	int r = model_load(&tui->model, tui->model.set, &list);

	if (tui->config->settings)
		settings_apply(tui->config->settings, tui);
	return r;
}

static int show(struct tui *tui, int signal_fd, struct err *err)
{
	const struct tui_config *config = tui->config;
	const struct backend *backend = sampler_backend(config->sampler);
	int r = sampler_start(config->sampler, config->first, err);

	if (r < 0)
		return r;
	r = model_init(&tui->model, &backend->machine, config->metrics,
		       sampler_set(config->sampler), config->by == BY_DEVICE ? BY_CORE : config->by,
		       config->history_bytes ? config->history_bytes : HISTORY_BYTES);
	if (r < 0) {
		err_set(err, ENOMEM, "out of memory");
		goto stop;
	}
	tui->model.levels = config->levels;
	r = presets_make(&backend->machine, &tui->presets);
	if (r == 0)
		r = choose_first(tui);
	if (r < 0) {
		err_set(err, ENOMEM, "out of memory");
		goto stop;
	}
	r = terminal_start(config->ascii, config->theme, config->mouse, err);
	if (r < 0)
		goto stop;
	rows_begin(&tui->model, (unsigned)LINES);
	if (config->settings)
		settings_apply_rows(config->settings, tui);
	tui_refresh_log(tui);
	playing_start(tui);
	loop(tui, signal_fd);
stop:
	sampler_stop(config->sampler);
	terminal_stop();
	chooser_close(tui);
	events_view_fini(&tui->events);
	playing_stop(tui);
	presets_fini(&tui->presets);
	graph_fini(&tui->graph);
	graph_fini(&tui->beneath);
	heat_fini(&tui->heat);
	model_fini(&tui->model);
	return r;
}

int tui_run(const struct tui_config *config, struct err *err)
{
	bool by_device = config->by == BY_DEVICE; /* a view of its own */
	struct tui tui = { .config = config, .view = by_device ? &view_uncore : view_table[0] };
	sigset_t before;
	int r = terminal_check(err);

	if (r < 0)
		return r;

	AUTO_FD int signal_fd = signals_take(&before, err);

	if (signal_fd < 0)
		return signal_fd;
	r = sampler_subscribe(config->sampler, QUEUE_DEPTH, &tui.queue, err);
	if (r == 0) {
		r = show(&tui, signal_fd, err);
		sampler_unsubscribe(config->sampler, tui.queue);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}
