#include "tui/history/timeline.h"

#include <stdio.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "tui/widget/axis.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/term/mouse.h"
#include "tui/model/series.h"
#include "tui/screen/state.h"
#include "tui/history/playing.h"

enum { USUAL_INTERVALS = 100, LEAST_INTERVALS = 5 };

/* Zoom steps. */
static const uint64_t ladder_ms[] = {
	10,     20,      50,      100,     200,      500,      1000,
	2000,   5000,    10000,   30000,   60000,    120000,   300000,
	600000, 1800000, 3600000, 7200000, 18000000, 36000000, 86400000,
};

static uint64_t newest_ns(const struct model *model)
{
	return model->newest ? model->newest->t_ns : 0;
}

static uint64_t oldest_ns(const struct model *model)
{
	return history_n(model->history) ? history_bucket(model->history, 0)->begin_ns : 0;
}

static uint64_t whole_ns(const struct model *model)
{
	uint64_t begin_ns = oldest_ns(model), end_ns = newest_ns(model);

	/* a recording that starts over has no newest frame */
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

static uint64_t interval_ns(const struct model *model)
{
	return model->newest ? model->newest->interval_ns : NS_PER_S;
}

/* Return the smallest zoom step of at least least_ns. @return UINT64_MAX: none */
static uint64_t step_from(uint64_t least_ns)
{
	for (size_t i = 0; i < ARRAY_SIZE(ladder_ms); i++)
		if (ladder_ms[i] * NS_PER_MS >= least_ns)
			return ladder_ms[i] * NS_PER_MS;
	return UINT64_MAX;
}

/* Return the displayed time, ns. */
static uint64_t timeline_span(const struct timeline *timeline, const struct model *model)
{
	uint64_t least_ns = LEAST_INTERVALS * interval_ns(model), span_ns = timeline->span_ns;
	uint64_t usual_ns = USUAL_INTERVALS * interval_ns(model);

	if (!span_ns)
		span_ns = step_from(usual_ns < whole_ns(model) ? usual_ns : whole_ns(model));
	if (span_ns == UINT64_MAX)
		span_ns = whole_ns(model);
	return span_ns > least_ns ? span_ns : least_ns;
}

/* Return the end of the time axis: that of the newest frame; while frozen the previous end, or half an
 * axis after the shown time if that is out of sight. */
static uint64_t end_ns(const struct timeline *timeline, const struct model *model, uint64_t span_ns)
{
	uint64_t now_ns = newest_ns(model), end_ns = timeline->end_ns;

	if (!model->frozen || !model->shown || !end_ns)
		return now_ns;

	uint64_t at_ns = model->shown->t_ns;

	if (at_ns <= end_ns && at_ns + span_ns > end_ns)
		return end_ns;

	uint64_t middle_ns = at_ns + span_ns / 2, first_ns = oldest_ns(model) + span_ns;

	if (middle_ns < first_ns)
		middle_ns = first_ns;
	return middle_ns < now_ns ? middle_ns : now_ns;
}

/* Round up to a multiple of about an eighth, so that bins of a growing session do not change with every
 * frame. */
static uint64_t growing(uint64_t bin_ns)
{
	uint64_t unit = 1;

	while (unit * 16 <= bin_ns)
		unit *= 2;
	return (bin_ns + unit - 1) / unit * unit;
}

void timeline_bins(struct timeline *timeline, const struct model *model, unsigned n,
		   struct bins *ret)
{
	uint64_t span_ns = timeline_span(timeline, model);
	uint64_t bin_ns = span_ns / n ? span_ns / n : 1;

	if (timeline->span_ns == UINT64_MAX)
		bin_ns = growing(bin_ns + 1);
	timeline->end_ns = end_ns(timeline, model, span_ns);

	int64_t last = timeline->end_ns ? (int64_t)((timeline->end_ns - 1) / bin_ns) : 0;

	*ret = (struct bins){ .bin_ns = bin_ns, .first = last + 1 - (int64_t)n, .n = n };
}

/* Return the bin in which t_ns lies. @return -1: not visible */
static int bin_of(const struct bins *bins, uint64_t t_ns)
{
	int64_t i = t_ns ? (int64_t)((t_ns - 1) / bins->bin_ns) - bins->first : -1;

	return i >= 0 && i < bins->n ? (int)i : -1;
}

int timeline_cursor(const struct bins *bins, const struct model *model)
{
	return model->shown ? bin_of(bins, model->shown->t_ns) : -1;
}

static uint64_t zoomed(const struct tui *tui, int step)
{
	uint64_t now_ns = timeline_span(tui->timeline, &tui->model);
	uint64_t least_ns = LEAST_INTERVALS * interval_ns(&tui->model);

	if (step > 0)
		return tui->timeline->span_ns == UINT64_MAX || now_ns >= whole_ns(&tui->model)
			       ? UINT64_MAX
			       : step_from(now_ns + 1);
	for (size_t i = ARRAY_SIZE(ladder_ms); i-- > 0;)
		if (ladder_ms[i] * NS_PER_MS < now_ns && ladder_ms[i] * NS_PER_MS >= least_ns)
			return ladder_ms[i] * NS_PER_MS;
	return tui->timeline->span_ns;
}

static void act_zoom(struct tui *tui, int key)
{
	tui->timeline->span_ns = zoomed(tui, key == '-' ? 1 : -1);
	tui_say(tui, ROLE_TEXT, "%s visible%s",
		axis_span(timeline_span(tui->timeline, &tui->model)).text,
		tui->timeline->span_ns == UINT64_MAX ? ": the whole session" : "");
}

/* Select a quantity in all views that have it. */
static void select_quantity(struct tui *tui, const struct quantity *quantity)
{
	for (enum view_id id = 0; id < N_VIEWS; id++)
		if (tui->views[id]->select && tui->views[id]->select(tui, quantity))
			tui->acted = id;
}

/* Get the i-th counted quantity. @return false: there are no more */
static bool quantity_at(const struct model *model, unsigned i, struct quantity *ret)
{
	if (i < model->metric.n) {
		*ret = quantity_of_metric(model->metric.number[i]);
		return true;
	}
	i -= model->metric.n;
	for (unsigned slot = 0; slot < model->set->n_slots; slot++) {
		if (set_event(model->set, slot) && !set_is_of_device(model->set, slot) &&
		    i-- == 0) {
			*ret = quantity_of_slot(model, slot);
			return true;
		}
	}
	return false;
}

/* Step to the next (1) or previous (-1) quantity counted by cores: metrics, then columns. */
static void quantity_step(const struct model *model, int step, struct quantity *quantity)
{
	unsigned n = 0, at = 0;
	struct quantity other;
	bool is_there = false;

	for (; quantity_at(model, n, &other); n++) {
		if (quantity_is(&other, quantity))
			at = n;
		is_there |= quantity_is(&other, quantity);
	}
	if (n)
		quantity_at(model, is_there ? (at + n + (unsigned)step) % n : 0, quantity);
}

static void act_quantity(struct tui *tui, int key)
{
	struct quantity *quantity = tui_view(tui)->quantity(tui);
	unsigned slot = (unsigned)(key - '0'), column = model_column(&tui->model, slot);

	if (!quantity)
		return;
	if (key == ']' || key == '[')
		quantity_step(&tui->model, key == ']' ? 1 : -1, quantity);
	else if (column < tui->model.set->n_slots && set_event(tui->model.set, column))
		*quantity = quantity_of_slot(&tui->model, column);
	else
		tui_say(tui, ROLE_WARN, "counter %u counts nothing", slot);
	select_quantity(tui, quantity);
}

static const char group[] = "In Graph and Heat";

const struct key timeline_keys[] = {
	OWN_KEY("+ -", group, "zoom: from a few frames to the whole session", act_zoom, '+', '=',
		'-'),
	OWN_KEY("] [", group, "next, previous metric or counter", act_quantity, ']', '['),
	OWN_KEY("0-9", group, "the rate of that counter", act_quantity, '0', '1', '2', '3', '4',
		'5', '6', '7', '8', '9'),
	{ 0 },
};

/* ---- clicks ---- */

/* Find the last cell that ends in these bins, else the one that spans them. */
static size_t cell_in(const struct history *history, uint64_t begin_ns, uint64_t end_ns)
{
	size_t i = history_find(history, end_ns);

	if (i == history_n(history) || (i > 0 && history_bucket(history, i)->t_ns > end_ns &&
					history_bucket(history, i - 1)->t_ns > begin_ns))
		i--;
	return i;
}

static void click(struct tui *tui, int width)
{
	const struct bins *bins = &tui->timeline->bins;
	const struct history *history = tui->model.history;
	int64_t each = (int64_t)bins->n / width;
	int64_t begin = (bins->first + mouse_column() * each) * (int64_t)bins->bin_ns;
	int64_t end = begin + each * (int64_t)bins->bin_ns;

	if (end > 0 && history_n(history)) {
		size_t i = cell_in(history, begin > 0 ? (uint64_t)begin : 0, (uint64_t)end);

		playing_go(tui, history_bucket(history, i)->t_ns);
	}
}

void timeline_area(struct tui *tui, const struct bins *bins, int y, int x, int height, int width)
{
	tui->timeline->bins = *bins;
	mouse_area(y, x, height, width, click, width);
}

/* ---- drawing ---- */

/* Return the offset from session time to labels: the time of day of the start. For a recording labels
 * start at the beginning of the file, as in the header. */
static int64_t offset_ns(const struct tui *tui)
{
	const struct sampler *sampler = tui->config->sampler;
	uint64_t wall_ns = sampler_started_wall_ns(sampler);
	time_t s = (time_t)(wall_ns / NS_PER_S);
	struct tm tm;

	if (tui_is_playing(tui))
		return -(int64_t)tui->playing->begin_ns;
	if (sampler_backend(sampler)->virtual_clock)
		return 0;
	localtime_r(&s, &tm);
	return (int64_t)((uint64_t)(tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec) * NS_PER_S +
			 wall_ns % NS_PER_S);
}

static enum axis_clock clock_of(const struct tui *tui)
{
	return sampler_backend(tui->config->sampler)->virtual_clock ? AXIS_OF_SESSION : AXIS_OF_DAY;
}

/* Draw labels under their ticks; skip those that would be cut or too close to another. */
static void draw_labels(const struct tui *tui, const struct bins *bins, int y, int tick_y, int x,
			int width)
{
	int64_t offset = offset_ns(tui);
	int64_t cell_ns = (int64_t)bins->bin_ns * bins->n / width;
	int64_t begin = bins->first * (int64_t)bins->bin_ns;
	int64_t step = (int64_t)axis_time_step((uint64_t)cell_ns * 12);
	int64_t t = (begin + offset + step - 1) / step * step;
	int free_x = 0;

	for (; t - offset <= begin + cell_ns * width; t += step) {
		int at = x + (int)((t - offset - begin) / cell_ns);

		if (t < 0 || t - offset < 0 || at < x || at >= x + width)
			continue;

		struct label text =
			axis_time_label(clock_of(tui), (uint64_t)t, (uint64_t)step, !free_x);
		int used = draw_columns(text.text), left = at - used / 2;

		if (tick_y >= 0)
			draw_text(tick_y, at, 1, ROLE_DIM, "┬");
		if (left < free_x || left + used > COLS - 1)
			continue;
		draw_text(y, left, used, ROLE_DIM, text.text);
		free_x = left + used + 2;
	}
}

static void draw_changes(const struct tui *tui, const struct bins *bins, int y, int x, int width)
{
	const struct history *history = tui->model.history;
	int64_t begin = bins->first * (int64_t)bins->bin_ns;
	size_t i = begin > 0 ? history_find(history, (uint64_t)begin + 1) : 0;

	for (; i < history_n(history); i++) {
		const struct bucket *cell = history_bucket(history, i);
		int bin = bin_of(bins, cell->t_ns);

		if (i && bin >= 0 && cell->set != history_bucket(history, i - 1)->set)
			draw_text(y, x + bin * width / (int)bins->n, 1, ROLE_WARN, "◇");
	}
}

void timeline_draw_axis(const struct tui *tui, const struct bins *bins, int y, int n_lines, int x,
			int width)
{
	int cursor = timeline_cursor(bins, &tui->model);

	if (n_lines > 1) {
		for (int i = 0; i < width; i++)
			draw_text(y, x + i, 1, ROLE_DIM, "─");
		draw_text(y, x - 1, 1, ROLE_DIM, "└");
	}
	draw_labels(tui, bins, y + n_lines - 1, n_lines > 1 ? y : -1, x, width);
	if (n_lines > 1)
		draw_changes(tui, bins, y, x, width);
	if (n_lines > 1 && cursor >= 0)
		draw_text(y, x + cursor * width / (int)bins->n, 1, ROLE_KEY, "↑");
}

void timeline_draw_nothing(const struct tui *tui)
{
	draw_printf(tui->layout.n_header + 1, 1, COLS - 2, ROLE_DIM,
		    "nothing is counted: choose a preset with %s or metrics with %s",
		    tui_key(tui, 'P').name, tui_key(tui, 'M').name);
}

/* Format the shown time and its window: "12:30:17, window 1.0 s". */
static struct label shown_time_text(const struct tui *tui)
{
	const struct frame *frame = tui->model.shown;
	size_t i = frame ? history_find(tui->model.history, frame->t_ns) : 0;

	if (!frame || i == history_n(tui->model.history))
		return (struct label){ "" };

	const struct bucket *cell = history_bucket(tui->model.history, i);
	uint64_t t_ns = frame->t_ns + (uint64_t)offset_ns(tui);

	return label_printf("%s, window %s",
			    axis_time_label(clock_of(tui), t_ns, frame->interval_ns, true).text,
			    axis_span(cell->t_ns - cell->begin_ns).text);
}

struct label timeline_text(const struct tui *tui)
{
	struct label span = axis_span(timeline_span(tui->timeline, &tui->model));
	struct label at = shown_time_text(tui);

	return label_printf(COLS < 60 || !*at.text ? "%s" : "%s   at %s", span.text, at.text);
}
