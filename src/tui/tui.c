#include "tui/tui.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "tui/counters/by_task.h"
#include "tui/counters/rotation.h"
#include "tui/keys.h"
#include "tui/live/lines.h"
#include "tui/live/loop.h"
#include "tui/overlay/chooser.h"
#include "tui/overlay/picker.h"
#include "tui/screen/state.h"
#include "tui/settings.h"
#include "tui/history/graph.h"
#include "tui/history/playing.h"
#include "tui/history/time_keys.h"
#include "tui/history/timeline.h"
#include "tui/view/figures.h"
#include "tui/view/views.h"

enum {
	HISTORY_BYTES = 32 * 1024 * 1024,
	QUEUE_DEPTH = 256,
	DRAIN_MS = 10, /* longest drain before keys and drawing */
	CHORES_EVERY_MS = 1000,
	FIRST_MS = 100,
};

static void say_new_messages(struct tui *tui)
{
	static const enum role role[] = {
		[MESSAGE_INFO] = ROLE_TEXT,
		[MESSAGE_RESULT] = ROLE_GOOD,
		[MESSAGE_WARNING] = ROLE_WARN,
		[MESSAGE_ERROR] = ROLE_ERROR,
	};
	const struct messages *messages = tui->config->messages;

	if (messages->n == tui->messages_seen)
		return;
	tui->messages_seen = messages->n;

	const struct message *last = messages_at(messages, messages->n - 1);

	tui_say(tui, role[last->level], "%s", last->text);
}

/* Add every queued frame to totals and history; the last one becomes the picture. */
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
		by_task_frame(tui, frame);
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
static enum picture step_machine(struct tui *tui, uint64_t now)
{
	const struct backend *backend = sampler_backend(tui->config->sampler);
	uint64_t wait_ns = backend->halt_after ? 0 : sampler_interval(tui->config->sampler);

	if (!backend->virtual_clock || tui->halted)
		return PICTURE_SAME;
	if (!tui->step_ns)
		tui->step_ns = now + wait_ns;
	if (now < tui->step_ns)
		return PICTURE_SAME;
	tui->halted = sampler_step(tui->config->sampler) == -ENODATA;
	tui->step_ns = tui->halted ? 0 : now + wait_ns;
	return tui->halted ? PICTURE_OTHER : PICTURE_SAME;
}

/* Schedule the end of the first windows, so that the first figures do not take a whole interval. */
static void expect_first(struct tui *tui)
{
	const struct sampler *sampler = tui->config->sampler;
	bool is_live = !tui_is_playing(tui) && !sampler_backend(sampler)->virtual_clock;

	/* with -n every frame is a whole one */
	if (is_live && !tui->config->count && sampler_interval(sampler) > 2 * FIRST_MS * NS_PER_MS)
		tui->first_ns = clock_now_ns() + FIRST_MS * NS_PER_MS;
}

static void take_first(struct tui *tui, uint64_t now)
{
	if (!tui->first_ns || now < tui->first_ns)
		return;
	tui->first_ns = 0;
	sampler_cut(tui->config->sampler);
}

static bool shows_tasks(const struct tui *tui)
{
	return tui->view == VIEW_TASKS || (tui->view == VIEW_GRAPH && graph_has_tasks(tui->graph));
}

static enum picture step(struct tui *tui, uint64_t now)
{
	enum picture picture;

	take_first(tui, now);

	if (!tui_is_playing(tui))
		picture = step_machine(tui, now);
	else
		picture = playing_turn(tui, now, &tui->step_ns) ? PICTURE_NEWER : PICTURE_SAME;
	if (by_task_update(tui, shows_tasks(tui), now))
		picture = PICTURE_OTHER;
	return preview_turn(tui, now) ? PICTURE_OTHER : picture;
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

static enum picture tui_take(struct tui *tui, uint64_t now UNUSED)
{
	bool is_written;

	sampler_service(tui->config->sampler);
	is_written = tui->writing->file && !writing_turn(tui);
	if (tui_drain(tui) && !is_written)
		return PICTURE_NEWER;
	return is_written ? PICTURE_OTHER : PICTURE_SAME;
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
	if (tui->view == VIEW_TASKS)
		tasks_follow(tui);
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

	if (tui->config->settings)
		settings_apply(tui->config->settings, tui);
	if (tui->config->pid)
		tasks_show_process(tui, tui->config->pid);
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
	heat_fini(tui->heat);
	task_list_fini(&tui->tasks->list);
	model_fini(&tui->model);
}

static int make_model(struct tui *tui)
{
	const struct tui_config *config = tui->config;
	const struct machine *machine = &sampler_backend(config->sampler)->machine;
	int r = model_init(&tui->model, machine, config->metrics, sampler_set(config->sampler),
			   config->by == BY_DEVICE ? BY_CORE : config->by,
			   config->history_bytes ? config->history_bytes : HISTORY_BYTES);

	if (r < 0)
		return r;
	tui->model.privilege = config->privilege;
	tui->model.baseline = config->baseline;
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
	rows_begin(&tui->model, (unsigned)LINES);
	if (tui->config->settings)
		settings_apply_rows(tui->config->settings, tui);
	tui_refresh_log(tui);
	playing_start(tui);
	expect_first(tui);
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
		.views = view_table,
		.view = config->by == BY_DEVICE ? VIEW_UNCORE : VIEW_CORES,
		.metrics = &parts.metrics,
		.events = &parts.events,
		.tasks = &parts.tasks,
		.by_task = &parts.by_task,
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
