#include "tui/view/topdown.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "tui/counters/assign.h"
#include "tui/history/timeline.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/view/graph.h"

/* Whether every part has a metric, which requires the counters for it. */
static bool parts_are_known(const struct metrics *metrics)
{
	for (unsigned i = 0; i < metrics->n_parts; i++)
		if (metrics->part[i].number < 0)
			return false;
	return metrics->n_parts > 0;
}

static bool has_preset(const struct machine *machine, const char *name)
{
	for (unsigned type = 0; type < machine->n_types; type++)
		if (catalog_preset_find(machine->type[type].catalog, name))
			return true;
	return false;
}

/* Get the position of the counted preset in the part's list. @return -1: not in the list */
static int counted_in(const struct model *model, unsigned part)
{
	const char *const *preset = model->metrics->part[part].known->preset;

	for (int i = 0; preset && preset[i]; i++)
		if (strcmp(preset[i], model->set->preset) == 0)
			return i;
	return -1;
}

/* Get the preset that explains a part: the first one that the machine has, or the next if that is
 * already counted. @return NULL: there is none */
static const char *parts_preset(const struct model *model, unsigned part)
{
	const char *const *preset = model->metrics->part[part].known->preset;
	int at = counted_in(model, part), n = 0;

	while (preset && preset[n])
		n++;
	for (int i = 1; i <= n; i++) {
		int next = (at + i) % n;

		if (next != at && has_preset(model->machine, preset[next]))
			return preset[next];
	}
	return NULL;
}

/* ---- bar and details ---- */

enum { WIDTH_MAX = 64 };

/* Marks of the parts, which distinguish them without colour. */
static const wchar_t part_marks[] = L"█▓▒░";

void topdown_fit(const double *share, unsigned n, int width, int *ret)
{
	double all = 0, sum = 0;
	int end = 0;

	for (unsigned i = 0; i < n; i++)
		all += share[i];
	for (unsigned i = 0; i < n; i++) {
		sum += share[i] / fmax(all, 1);

		int next = (int)lround(sum * width);

		ret[i] = next - end;
		end = next;
	}
}

/* Draw the bar from the left; the rest stays empty. */
static void draw_stack(int y, int x, int width, const double *share, unsigned n)
{
	wchar_t cells[WIDTH_MAX];
	int columns[THEME_PARTS];

	topdown_fit(share, n, width < WIDTH_MAX ? width : WIDTH_MAX, columns);
	for (unsigned i = 0; i < n; x += columns[i++]) {
		for (int k = 0; k < columns[i]; k++)
			cells[k] = part_marks[i];
		draw_glyphs(y, x, columns[i], (enum role)(ROLE_PART + (int)i), cells);
	}
}

/* Format a share in whole percent; small shares are at least 1 %. */
static struct label share_text(const struct row_parts *parts, unsigned part)
{
	double percent = parts->share[part] * 100;

	return label_printf("%s%.0f %%", parts->is_estimate ? "~" : "",
			    percent > 0 ? fmax(percent, 1) : 0);
}

void topdown_heading(int y, int x, int width, bool is_selected, const char *arrow)
{
	const char *text = width > 15 ? "where cycles go" : "TOPDOWN";
	enum role role = is_selected ? ROLE_SELECTED : ROLE_HEADING;
	int end = x + 1 + draw_text(y, x + 1, width - 1, role, text);

	if (is_selected)
		draw_text(y, x, 1, role, "▸");
	if (arrow || is_selected)
		draw_text(y, end, 1, arrow ? ROLE_KEY : role, arrow ? arrow : "◂");
}

void topdown_draw(const struct tui *tui, const struct frame_row *row, int y, int x, int width)
{
	struct row_parts parts;

	if (!model_parts(&tui->model, row, &parts))
		return;
	if (parts.is_estimate)
		draw_text(y, x, 1, ROLE_DIM, "~");
	draw_stack(y, x + 1, width - 1, parts.share, parts.n);
}

/* Format the selected row's name: "cpu5". */
static struct label name_selected(const struct tui *tui)
{
	return name_row(&tui->model, model_selected(&tui->model), false);
}

static bool selected_parts(const struct tui *tui, struct row_parts *ret)
{
	const struct line *line = model_selected(&tui->model);
	struct frame_row row;

	return line && model_row(&tui->model, line, &row) && model_parts(&tui->model, &row, ret);
}

static const char *part_name(const struct tui *tui, unsigned part)
{
	return tui->model.metrics->part[part].known->name;
}

/* Format the largest loss: "front end ~30 % is the largest loss: b shows why". */
static struct label loss_text(const struct tui *tui, const struct row_parts *parts)
{
	char why[64] = "";

	if (parts->loss < 0)
		return label_printf("nothing was lost");
	if (parts_preset(&tui->model, (unsigned)parts->loss))
		snprintf(why, sizeof(why), ": %s shows why", tui_key(tui, 'b').name);
	return label_printf("%s %s is the largest loss%s", part_name(tui, (unsigned)parts->loss),
			    share_text(parts, (unsigned)parts->loss).text, why);
}

/* Draw the legend: "█ useful ~27 %  ▓ front end ~30 %  …".
 * @y  below 0: measure only  @return columns */
static int draw_legend(const struct tui *tui, const struct row_parts *parts, bool has_shares, int y,
		       int x)
{
	int begin = x;

	for (unsigned i = 0; i < parts->n; i++) {
		enum role role = (int)i == parts->loss ? ROLE_TOTAL : ROLE_DIM;
		struct label share = has_shares ? share_text(parts, i) : (struct label){ "" };
		struct label text = label_printf(" %s%s%s", part_name(tui, i),
						 has_shares ? " " : "", share.text);

		if (y >= 0) {
			draw_glyphs(y, x, 1, (enum role)(ROLE_PART + (int)i), &part_marks[i]);
			draw_text(y, x + 1, COLS - x - 1, role, text.text);
		}
		x += 1 + draw_columns(text.text) + 2;
	}
	return x - 2 - begin;
}

void topdown_detail(const struct tui *tui, int y)
{
	struct label text, rest = { "" };
	struct row_parts parts;
	int x = 1, end = COLS - 1, all, names, width;

	if (!selected_parts(tui, &parts))
		return;
	text = label_printf("%s  %s", name_selected(tui).text, loss_text(tui, &parts).text);
	width = draw_columns(text.text) + 3;
	all = draw_legend(tui, &parts, true, -1, 0);
	names = draw_legend(tui, &parts, false, -1, 0);
	if (width + names > end - x) {
		draw_legend(tui, &parts, true, y, x);
		return;
	}
	draw_text(y, x, end - x, ROLE_TEXT, text.text);
	x += width;
	x += draw_legend(tui, &parts, all <= end - x, y, x) + 3;
	/* the share that no part has, or the total if it exceeds 100 % */
	if (parts.sum > 1.005)
		rest = label_printf("together %.0f %%", parts.sum * 100);
	else if (parts.sum < 0.995)
		rest = label_printf("%.0f %% in no part", (1 - parts.sum) * 100);
	if (draw_columns(rest.text) <= end - x)
		draw_text(y, x, end - x, ROLE_DIM, rest.text);
}

/* ---- over time ---- */

enum {
	BANDS_COLUMNS = 200, /* least size of a terminal that has them */
	BANDS_LINES = 50,
	BAND_LEAST = 3, /* lines */
};

/* Rows with one band each. */
struct bands {
	struct tui *tui;
	struct bins bins;
	enum frame_by by;
	unsigned n;
};

/* Choose the rows: clusters, or core types if there is no room for clusters. @return false: there is none for either */
static bool bands_choose(struct bands *bands, int height)
{
	const struct machine *machine = bands->tui->model.machine;

	bands->by = BY_CLUSTER;
	bands->n = machine->n_clusters;
	if (height < (int)bands->n * (BAND_LEAST + 1)) {
		bands->by = BY_TYPE;
		bands->n = machine->n_types;
	}
	return height >= (int)bands->n * (BAND_LEAST + 1);
}

static bool bands_fill(const struct bands *bands)
{
	const struct model *model = &bands->tui->model;
	unsigned n_parts = model->metrics->n_parts;
	int rc = !tracks_keep(&bands->tui->bands, bands->n * n_parts);

	for (unsigned i = 0; !rc && i < bands->n * n_parts; i++) {
		int number = model->metrics->part[i % n_parts].number;
		struct series series = { .line = { .by = bands->by, .index = i / n_parts },
					 .quantity = quantity_of_metric((unsigned)number) };
		struct history_query query = series_query(model, &series);

		rc = track_fill(&bands->tui->bands.track[i], model->history, &query, &bands->bins);
	}
	return !rc;
}

/* Draw one bin as a stack, the first part at the bottom; nothing if a part has no value. */
static void draw_bin(const struct bands *bands, const struct track *track, unsigned bin, int bottom,
		     int x, int height)
{
	const struct model *model = &bands->tui->model;
	double share[METRIC_PARTS_MAX];
	int lines[THEME_PARTS];
	unsigned n = model->metrics->n_parts;

	for (unsigned i = 0; i < n; i++) {
		if (!quality_has_value(track[i].value[bin].quality))
			return;
		share[i] = metrics_share_of(model->metrics, i, track[i].value[bin].mean);
	}
	topdown_fit(share, n, height, lines);
	for (unsigned i = 0; i < n; i++)
		for (int k = 0; k < lines[i]; k++)
			draw_glyphs(bottom--, x, 1, (enum role)(ROLE_PART + (int)i),
				    &part_marks[i]);
}

bool topdown_draw_bands(struct tui *tui, int y, int height)
{
	struct bands bands = { .tui = tui };
	int x = GRAPH_LABELS, width = COLS - 1 - x, bottom = y + height - TIMELINE_AXIS_LINES;

	if (COLS < BANDS_COLUMNS || LINES < BANDS_LINES || tui->graph->is_composed ||
	    !model_has_parts(&tui->model) || !bands_choose(&bands, bottom - y - 1))
		return false;
	timeline_bins(tui->timeline, &tui->model, (unsigned)width, &bands.bins);
	if (!bands_fill(&bands))
		return false;
	draw_text(y, 1, width, ROLE_HEADING, "where cycles go");
	draw_right(y, x, width, ROLE_DIM, timeline_text(tui).text);
	y++;
	for (unsigned i = 0; i < bands.n; i++) {
		struct line line = { .by = bands.by, .index = i };
		int lines = (bottom - y) / (int)(bands.n - i) - 1;

		draw_text(y, 1, x - 1, ROLE_TEXT, name_row(&tui->model, &line, true).text);
		for (unsigned bin = 0; bin < bands.bins.n; bin++)
			draw_bin(&bands, &tui->bands.track[i * tui->model.metrics->n_parts], bin,
				 y + lines - 1, x + (int)bin, lines);
		timeline_area(tui, &bands.bins, y, x, lines, width);
		y += lines + 1;
	}
	timeline_draw_axis(tui, &bands.bins, bottom, TIMELINE_AXIS_LINES, x, width);
	return true;
}

/* Count the preset that explains a part. @parts  NULL: the top-down parts are not counted now */
static void topdown_explain(struct tui *tui, const struct row_parts *parts, unsigned part)
{
	const char *preset = parts_preset(&tui->model, part), *aside;

	if (!preset) {
		tui_say(tui, ROLE_WARN, "no preset here says why %s is so large",
			part_name(tui, part));
		return;
	}
	if (assign_preset(tui, preset, &aside) < 0)
		return;
	assign_show(tui);
	if (parts)
		tui_say(tui, ROLE_TEXT, "counting preset %s: why %s is %s of %s; %s goes back%s",
			preset, part_name(tui, part), share_text(parts, part).text,
			name_selected(tui).text, tui_key(tui, 'u').name, aside);
	else
		tui_say(tui, ROLE_TEXT, "counting preset %s: more about %s; %s goes back%s", preset,
			part_name(tui, part), tui_key(tui, 'u').name, aside);
}

void act_explain(struct tui *tui, int key UNUSED)
{
	struct row_parts parts;
	bool is_known = selected_parts(tui, &parts);
	int part = is_known ? parts.loss : -1;

	/* else what the counted preset explains */
	for (unsigned i = tui->model.metrics->n_parts; !is_known && i-- > 0;)
		if (counted_in(&tui->model, i) >= 0)
			part = (int)i;

	if (part >= 0)
		topdown_explain(tui, is_known ? &parts : NULL, (unsigned)part);
	else if (is_known)
		tui_say(tui, ROLE_WARN, "nothing was lost: there is nothing to explain");
	else if (model_has_parts(&tui->model))
		tui_say(tui, ROLE_WARN,
			"no row with figures is selected: there is nothing to explain");
	else if (parts_are_known(tui->model.metrics))
		tui_say(tui, ROLE_WARN,
			"where the cycles of this row go is not counted: %s TopdownL1 counts it",
			tui_key(tui, 'M').name);
	else
		tui_say(tui, ROLE_WARN, "where cycles go cannot be counted on this machine");
}
