
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "tui/widget/axis.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/screen/list.h"
#include "tui/widget/table.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"
#include "tui/view/graph.h"
#include "tui/history/timeline.h"
#include "tui/model/series.h"
#include "tui/view/views.h"

enum { CELLS_MAX = 512, TALL_MAX = 4, SCALES_MAX = (BY_TYPE + 1) * TYPES_MAX };

/* Marks for values from low to high: colours if the terminal has enough, else shades. */
struct ramp {
	unsigned n;
	const wchar_t *glyph; /* [n] */
	bool is_colored;      /* step i has role ROLE_RAMP + i */
	wchar_t top;          /* first line of tall rows, separates rows; 0: same as the others */
	wchar_t off;
};

/* Context of one drawing. */
struct map {
	struct tui *tui;
	struct ramp ramp;
	struct axis scale[SCALES_MAX]; /* index: scale_of a row */
	bool has_scale[SCALES_MAX];
	bool is_common; /* all rows share one scale: metrics are comparable */
	unsigned n_scales;
	struct bins bins;
	int x, y, width, height; /* of the cells */
	int n_rows, tall;        /* number of visible rows, lines per row */
	int n_axis;
};

static struct ramp ramp_of_terminal(void)
{
	if (draw_is_ascii())
		return (struct ramp){ THEME_RAMP, L".:-=+*#%@", theme_has_ramp(), 0, L'_' };
	if (theme_has_ramp())
		return (struct ramp){ THEME_RAMP, L"█████████", true, draw_has_eighths() ? L'▇' : 0,
				      L'·' };
	return (struct ramp){ 4, L"░▒▓█", false, 0, L'·' };
}

static enum role ramp_role(const struct ramp *ramp, unsigned step)
{
	return ramp->is_colored ? (enum role)(ROLE_RAMP + step) : ROLE_TEXT;
}

/* ---- rows ---- */

/* Get the track of a row. @return NULL: out of memory */
static const struct track *track_of(const struct map *map, unsigned i)
{
	const struct tracks *tracks = &map->tui->heat->tracks;
	const struct track *track = &tracks->track[i % tracks->n];

	return track->bins.n == map->bins.n ? track : NULL;
}

static unsigned last_row(const struct map *map)
{
	const struct model *model = &map->tui->model;
	unsigned end = model->row.top + (unsigned)map->n_rows;

	return end < model->n_lines ? end : model->n_lines;
}

static void heat_fill(struct map *map)
{
	struct heat *heat = map->tui->heat;
	const struct model *model = &map->tui->model;

	for (unsigned i = model->row.top; i < last_row(map); i++) {
		struct series series = { .line = model->line[i], .quantity = heat->quantity };
		struct history_query query = series_query(model, &series);

		track_fill(&heat->tracks.track[i % heat->tracks.n], model->history, &query,
			   &map->bins);
	}
}

/* ---- scales ---- */

/* Get the scale of a row. Metrics share one scale; rates have one per core type. A cluster's rate is
 * the sum of its cores', which would all be dark on the same scale, so clusters and types among
 * cores have their own scales. */
static unsigned scale_of(const struct map *map, unsigned row)
{
	const struct model *model = &map->tui->model;
	const struct line *line = &model->line[row];
	unsigned level = model->by == BY_CORE ? line->by : 0;

	return map->is_common ? 0 : model_type(model, line) + level * TYPES_MAX;
}

static double heat_value_of(const struct map *map, unsigned row, const struct history_value *value)
{
	const struct tui *tui = map->tui;

	return value->mean *
	       quantity_scale(&tui->model, &tui->heat->quantity, &tui->model.line[row]);
}

static void make_scales(struct map *map)
{
	const struct model *model = &map->tui->model;
	double low[SCALES_MAX], high[SCALES_MAX];

	for (unsigned i = 0; i < SCALES_MAX; i++)
		low[i] = high[i] = map->tui->heat->fits ? (double)NAN : 0;
	for (unsigned row = model->row.top; row < last_row(map); row++) {
		const struct track *track = track_of(map, row);
		unsigned scale = scale_of(map, row);

		for (unsigned i = 0; track && i < track->bins.n; i++) {
			double value = heat_value_of(map, row, &track->value[i]);

			if (!quality_has_value(track->value[i].quality))
				continue;
			low[scale] = fmin(low[scale], value);
			high[scale] = fmax(high[scale], value);
			map->n_scales += !map->has_scale[scale];
			map->has_scale[scale] = true;
		}
	}
	for (unsigned i = 0; i < SCALES_MAX; i++)
		if (map->has_scale[i])
			map->scale[i] = axis_make(low[i], high[i], AXIS_TICKS_MAX);
}

/* ---- cells ---- */

struct look {
	wchar_t glyph;
	enum role role;
};

static struct look look_of(const struct map *map, unsigned row, const struct history_value *value)
{
	const struct axis *scale = &map->scale[scale_of(map, row)];

	if (value->quality == QUALITY_OFF)
		return (struct look){ map->ramp.off, ROLE_DIM };
	if (!quality_has_value(value->quality))
		return (struct look){ L' ', ROLE_TEXT };

	double share = (heat_value_of(map, row, value) - scale->low) / (scale->high - scale->low);
	double step = fmin(fmax(floor(share * map->ramp.n), 0), map->ramp.n - 1);

	return (struct look){ map->ramp.glyph[(unsigned)step],
			      ramp_role(&map->ramp, (unsigned)step) };
}

/* Draw a row's cells, with one call per run of cells of the same role. */
static void heat_draw_cells(const struct map *map, unsigned row, const struct track *track, int y,
			    bool is_top)
{
	wchar_t glyph[CELLS_MAX];
	int n = 0, width = map->width < CELLS_MAX ? map->width : CELLS_MAX;

	for (int i = 0; i < width; i++) {
		struct look look = look_of(map, row, &track->value[i]);
		bool is_last = i + 1 == width;

		glyph[n++] = is_top && look.glyph == L'█' ? map->ramp.top : look.glyph;
		if (!is_last && look_of(map, row, &track->value[i + 1]).role == look.role)
			continue;
		draw_glyphs(y, map->x + i + 1 - n, n, look.role, glyph);
		n = 0;
	}
}

static int height(const void *data, unsigned row)
{
	const struct map *map = data;

	return map->tui->model.line[row].is_heading ? 1 : map->tall;
}

static void heat_draw_row(const void *data, unsigned row, int y)
{
	const struct map *map = data;
	const struct model *model = &map->tui->model;
	const struct line *line = &model->line[row];
	const struct track *track = track_of(map, row);

	draw_text(y, 1, map->x - 2, line->by == BY_CORE ? ROLE_TEXT : ROLE_TOTAL,
		  name_line(model, line, true).text);
	for (int i = 0; track && i < height(map, row); i++)
		heat_draw_cells(map, row, track, y + i, !i && map->tall > 1 && map->ramp.top);
}

static const struct table_ops row_ops = {
	.draw = heat_draw_row,
	.height = height,
	.mark = ROLE_KEY,
};

/* ---- title, scales, details ---- */

static void heat_draw_title(const struct map *map)
{
	struct tui *tui = map->tui;
	int y = map->y - 1, x = 1, end = COLS - 1;
	struct label text = timeline_text(tui);

	x += draw_text(y, x, end - x, ROLE_TITLE,
		       quantity_name(&tui->model, &tui->heat->quantity).text);
	if (!quantity_says_unit(&tui->model, &tui->heat->quantity))
		x += 1 + draw_text(y, x + 1, end - x - 1, ROLE_DIM,
				   quantity_unit(&tui->model, &tui->heat->quantity).text);
	if (end - x > draw_columns(text.text) + 2)
		draw_right(y, x, end - x, ROLE_DIM, text.text);
}

/* Name a scale by its rows: "E: ", "all: ", "E cl: ", "E total: "; "" if there is only one. */
static struct label scale_name(const struct map *map, unsigned number)
{
	const struct machine *machine = map->tui->model.machine;
	const char *brief = machine_level[number / TYPES_MAX].brief;
	const char *level = number / TYPES_MAX == BY_TYPE ? "total" : brief ? brief : "";
	const char *type = machine->n_types < 2 ? ""
			   : map->is_common     ? "all"
						: machine->type[number % TYPES_MAX].name;

	return label_printf("%s%s%s%s", type, *type && *level ? " " : "", level,
			    *type || *level ? ": " : "");
}

/* Draw a scale: "E: 0 ░▒▓█ 2G". @return columns used; 0: there is no room */
static int draw_scale(const struct map *map, unsigned number, int y, int x)
{
	const struct axis *scale = &map->scale[number];
	struct label name = scale_name(map, number), low = axis_label(scale, 0);
	struct label high = axis_label(scale, scale->n - 1);
	int begin = x, each = COLS >= 80 && map->n_scales <= 2 ? 2 : 1; /* columns per step */

	if (COLS - 1 - x < draw_columns(name.text) + each * (int)map->ramp.n +
				   draw_columns(low.text) + draw_columns(high.text) + 2)
		return 0;
	x += draw_text(y, x, COLS - x, ROLE_TOTAL, name.text);
	x += draw_text(y, x, COLS - x, ROLE_TEXT, low.text) + 1;
	for (unsigned i = 0; i < map->ramp.n * (unsigned)each; i++, x++)
		draw_glyphs(y, x, 1, ramp_role(&map->ramp, i / (unsigned)each),
			    &map->ramp.glyph[i / (unsigned)each]);
	x += 1 + draw_text(y, x + 1, COLS - x - 1, ROLE_TEXT, high.text);
	return x - begin;
}

static void draw_scales(const struct map *map, int y)
{
	const wchar_t off[] = { map->ramp.off, L'\0' };
	int x = map->x, used = 1;

	for (unsigned i = 0; i < SCALES_MAX && used; i++) {
		if (!map->has_scale[i])
			continue;
		used = draw_scale(map, i, y, x);
		x += used + 2;
	}
	if (COLS - x < 26)
		return;
	draw_glyphs(y, x, 1, ROLE_DIM, off);
	draw_text(y, x + 2, COLS - x - 2, ROLE_DIM, "off   blank: not counted");
}

/* Get the series of the selected row. @return false: there is none */
static bool heat_selected(const struct tui *tui, struct series *ret)
{
	const struct line *line = model_selected(&tui->model);

	if (!line)
		return false;
	*ret = (struct series){ .line = *line, .quantity = tui->heat->quantity };
	return true;
}

/* Draw the figure at the selected row and time. */
static void heat_draw_detail(const struct map *map, int y)
{
	const struct tui *tui = map->tui;
	const struct model *model = &tui->model;
	struct series series;
	int x = 1;

	if (!heat_selected(tui, &series))
		return;

	struct history_value value = series_value(model, &series);

	x += draw_text(y, x, COLS - 1 - x, ROLE_TOTAL, series_row_name(model, &series).text) + 2;
	x += draw_printf(
		     y, x, COLS - 1 - x, ROLE_TEXT, "%s %s%s",
		     quantity_name(model, &series.quantity).text,
		     quantity_text(&series.quantity, (struct reading){ value.mean, value.quality })
			     .text,
		     quality_has_value(value.quality) ? quantity_unit(model, &series.quantity).text
						      : "") +
	     3;
	if (value.quality != QUALITY_OK && COLS - x > 24)
		draw_text(y, x, COLS - 1 - x, ROLE_DIM, figure_meaning(value.quality));
}

/* Calculate the height of rows; they are taller if all rows fit. */
static void make_rows(struct map *map, int room)
{
	const struct model *model = &map->tui->model;
	int n = (int)model->n_lines, n_headings = 0;

	for (unsigned i = 0; i < model->n_lines; i++)
		n_headings += model->line[i].is_heading;
	map->tall = n > n_headings ? (room - n_headings) / (n - n_headings) : 1;
	map->tall = map->tall < 1 ? 1 : map->tall > TALL_MAX ? TALL_MAX : map->tall;
	map->n_rows = n < room ? n : room;
	map->height = n < room ? n_headings + (n - n_headings) * map->tall : room;
}

/*
 * Draw the view. If there is little room, parts give way in this order: height of rows, note on marks, displayed time,
 * ticks, scales after the first, rows (which scroll). Time labels, the first scale and the selected
 * figure stay.
 */
static void heat_draw(struct tui *tui)
{
	struct map map = { .tui = tui, .ramp = ramp_of_terminal() };
	struct series series;
	int y;

	if (!tui->heat->is_chosen) {
		timeline_draw_nothing(tui);
		return;
	}
	map.x = tui->model.name_brief + 3;
	map.width = COLS - 1 - map.x;
	map.y = tui->layout.view_y + 1;
	map.n_axis = LINES >= 14 ? TIMELINE_AXIS_LINES : 1;
	make_rows(&map, tui->layout.status_y - 2 - map.n_axis - map.y);
	map.is_common = tui->heat->quantity.metric >= 0;
	cursor_follow(&tui->model.row, tui->model.n_lines, (unsigned)map.n_rows);
	timeline_bins(tui->timeline, &tui->model, (unsigned)map.width, &map.bins);
	if (!tracks_keep(&tui->heat->tracks, (unsigned)map.n_rows))
		return;
	heat_fill(&map);
	make_scales(&map);
	heat_draw_title(&map);
	list_draw(tui, &row_ops, &map, map.y, map.n_rows);
	timeline_area(tui, &map.bins, map.y, map.x, map.height, map.width);
	timeline_draw_axis(tui, &map.bins, map.y + map.height, map.n_axis, map.x, map.width);
	draw_scales(&map, map.y + map.height + map.n_axis);
	y = map.y + map.height + map.n_axis + 2;
	if (heat_selected(tui, &series))
		mini_graph_draw(tui, &series, 1, y, tui->layout.status_y - 1 - y);
	heat_draw_detail(&map, tui->layout.status_y - 1);
}

/* ---- keys ---- */

/* Take over the selection of other views if it has changed. */
static void heat_enter(struct tui *tui)
{
	struct heat *heat = tui->heat;
	struct series selected[2];
	unsigned n = tui_selected(tui, selected);

	if (n && quantity_device(&selected[n - 1].quantity)) /* rows are cores */
		n = tui->views[VIEW_CORES]->selected(tui, selected);
	/* the counter follows the headline */
	if (!n || (heat->is_chosen && quantity_is(&heat->followed, &selected[n - 1].quantity)))
		return;
	heat->followed = heat->quantity = selected[n - 1].quantity;
	heat->is_chosen = true;
}

static struct quantity *heat_quantity(struct tui *tui)
{
	return tui->heat->is_chosen ? &tui->heat->quantity : NULL;
}

/* Key a: add the selected row to the graph; x: remove it. */
static void act_graphed(struct tui *tui, int key)
{
	struct series series;

	if (!tui->heat->is_chosen || !heat_selected(tui, &series))
		return;
	if (key == 'a')
		graph_take(tui, &series, 1);
	else
		graph_drop(tui, &series);
}

static void act_scale(struct tui *tui, int key UNUSED)
{
	struct heat *heat = tui->heat;

	heat->fits = !heat->fits;
	tui_say(tui, ROLE_TEXT,
		heat->fits ? "the scale starts at the smallest visible"
			   : "the scale starts at zero");
}

static const char group[] = "In Heat";

static const struct key keys[] = {
	OWN_KEY("a x", group, "add the selected row to the graph, remove it", act_graphed, 'a',
		'x'),
	OWN_KEY("y", group, "scale from zero, from the smallest visible", act_scale, 'y'),
	{ 0 },
};

const struct view view_heat = {
	.name = "Heat",
	.what = "one figure of every core over time, as colour",
	.hint = { { "?", "help" },
		  { "+ -", "zoom" },
		  { "] [", "what" },
		  { "y", "scale" },
		  { "Tab", "view" } },
	.enter = heat_enter,
	.draw = heat_draw,
	.keys = { timeline_keys, keys },
	.quantity = heat_quantity,
	.parts = ROWS,
	.list = rows_list,
	.item = rows_item,
};
