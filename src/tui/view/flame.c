/* flame.c: the tree of the Hot view as flame rows: each function a box as wide as its share */
#include "tui/view/hot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbols/symbols.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"

/* Of the lines, those above the box that has the whole width take at most one in so many. */
enum { LINES_ABOVE = 3 };

bool flame_is_on(const struct hot_view *view)
{
	return view->flame.is_on && !view->function && view->rows;
}

const struct hot_row *flame_row(const struct hot_view *view)
{
	const struct flame *flame = &view->flame;

	return flame->cursor.at < flame->n ? flame->box[flame->cursor.at].row : NULL;
}

const char *flame_item(const struct flame *flame, unsigned i, char *buf, size_t size)
{
	return hot_row_name(flame->box[i].row, buf, size);
}

void flame_forget(struct flame *flame)
{
	if (flame->cursor.at < flame->n)
		flame->selected = flame->box[flame->cursor.at].key;
	flame->n = 0;
}

void flame_clear(struct flame *flame)
{
	free(flame->box);
	*flame = (struct flame){ 0 };
}

/* ---- where boxes are ---- */

/* What boxes are laid out in. */
struct flame_room {
	struct flame *flame;
	const struct hot_view *view;
	int depth, end; /* of the first and behind the last line */
	double columns; /* of a share of 1 */
};

static int compare_names(const void *a, const void *b)
{
	const struct flame_box *left = a, *right = b;
	char others[2][64];
	int order = strcmp(hot_row_name(left->row, others[0], sizeof(others[0])),
			   hot_row_name(right->row, others[1], sizeof(others[1])));

	return order ? order : (left->key > right->key) - (left->key < right->key);
}

static void add_box(struct flame *flame, const struct hot_row *row, unsigned above)
{
	const struct flame_box *parent = above == SHEET_NO_PARENT ? NULL : &flame->box[above];
	const struct flame_box box = { .row = row,
				       .key = hot_key_below(parent ? parent->key : 0, row),
				       .above = above,
				       .depth = parent ? parent->depth + 1 : 0 };

	(void)array_append((void **)&flame->box, &flame->cap, &flame->n, &box, sizeof(box));
}

/* Add rows as boxes side by side, by name, so that they keep their places; then what is below them. Those narrower than a
 * column are left out, so that the work is bounded by the screen. @row  the largest first, but for [others] */
static void add_level(struct flame_room *room, const struct hot_row *row, size_t n, unsigned above)
{
	struct flame *flame = room->flame;
	size_t first = flame->n;
	double at = above == SHEET_NO_PARENT ? 0 : flame->box[above].from;

	for (size_t i = 0; i < n; i++)
		if (row[i].share * room->columns >= 1 &&
		    (above != SHEET_NO_PARENT || hot_is_listed(room->view, &row[i])))
			add_box(flame, &row[i], above);

	size_t end = flame->n;

	if (end > first)
		qsort(flame->box + first, end - first, sizeof(*flame->box), compare_names);
	for (size_t i = first; i < end; i++) {
		struct flame_box *box = &flame->box[i];

		box->from = at;
		at += box->row->share;
		box->x = (int)(box->from * room->columns + 1e-6);
		box->width = (int)(at * room->columns + 1e-6) - box->x;
	}
	for (size_t i = first; i < end && flame->box[first].depth + 1 < room->end; i++)
		add_level(room, flame->box[i].row->below, flame->box[i].row->n_below, (unsigned)i);
}

static const struct hot_row *row_of(const struct hot_row *row, size_t n,
				    const struct function *function)
{
	for (size_t i = 0; i < n; i++)
		if (row[i].function == function)
			return &row[i];
	return NULL;
}

/* Lay the boxes out: those above the one with the whole width have it, too. */
static void lay_out(struct hot_view *view, struct flame_room *room, int n_lines)
{
	struct flame *flame = room->flame;
	const struct hot_row *row = view->rows->row, *zoomed;
	size_t n = view->rows->n;
	int width = (int)room->columns, depth = 0;
	unsigned above = SHEET_NO_PARENT;

	while (depth < (int)flame->n_zoom && (zoomed = row_of(row, n, flame->zoom[depth]))) {
		add_box(flame, zoomed, above);
		if (flame->n != (size_t)depth + 1)
			return; /* out of memory */
		above = (unsigned)depth++;
		flame->box[above].width = width;
		room->columns = width / zoomed->share;
		row = zoomed->below;
		n = zoomed->n_below;
	}
	room->depth = depth - 1 > n_lines / LINES_ABOVE ? depth - 1 - n_lines / LINES_ABOVE : 0;
	room->end = room->depth + n_lines;
	add_level(room, row, n, above);
	for (unsigned i = 0; i < flame->n; i++)
		if (flame->box[i].key == flame->selected)
			flame->cursor.at = i;
	if (flame->cursor.at >= flame->n)
		flame->cursor.at = 0;
	if (flame->n && flame->box[flame->cursor.at].depth < room->depth)
		room->depth = flame->box[flame->cursor.at].depth;
	room->end = room->depth + n_lines;
}

/* ---- drawing ---- */

static void click_box(struct tui *tui, int i)
{
	tui->hot->flame.cursor.at = (unsigned)i;
}

static void draw_box(const struct flame *flame, unsigned i, int y)
{
	const struct flame_box *box = &flame->box[i];
	const struct function *function = box->row->function;
	bool is_selected = i == flame->cursor.at;
	char name[1024], others[64];

	snprintf(name, sizeof(name), "%s%s%s", is_selected ? "▸" : "▏",
		 function && function->is_kernel ? "k " : "",
		 hot_row_name(box->row, others, sizeof(others)));
	draw_filled(y, box->x, box->width,
		    is_selected ? ROLE_SELECTED : theme_level(box->row->share), name);
	mouse_area(y, box->x, 1, box->width, click_box, (int)i);
	mouse_opens(RETURN);
}

void flame_draw(struct tui *tui, int y, int end)
{
	struct hot_view *view = tui->hot;
	struct flame *flame = &view->flame;
	struct flame_room room = { .flame = flame, .view = view, .columns = COLS };

	flame_forget(flame);
	lay_out(view, &room, end - y);
	for (unsigned i = 0; i < flame->n; i++) {
		int depth = flame->box[i].depth;

		if (depth >= room.depth && depth < room.end)
			draw_box(flame, i, y + depth - room.depth);
	}
}

/* ---- keys ---- */

/* Whether box a is the nearer one of two that an arrow leads to. */
static bool is_nearer(int key, const struct flame_box *a, const struct flame_box *b)
{
	return key == KEY_DOWN ? a->width > b->width : key == KEY_LEFT ? a->x > b->x : a->x < b->x;
}

bool flame_take_arrow(struct hot_view *view, int key)
{
	struct flame *flame = &view->flame;
	unsigned at = flame->cursor.at, to = at;

	if (key != KEY_UP && key != KEY_DOWN && key != KEY_LEFT && key != KEY_RIGHT)
		return false;
	for (unsigned i = 0; i < flame->n; i++) {
		const struct flame_box *box = &flame->box[i], *from = &flame->box[at];
		bool is_there = key == KEY_UP     ? i == from->above
				: key == KEY_DOWN ? box->above == at
						  : box->depth == from->depth &&
							    (key == KEY_LEFT ? box->x < from->x
									     : box->x > from->x);

		if (is_there && (to == at || is_nearer(key, box, &flame->box[to])))
			to = i;
	}
	flame->cursor.at = to;
	return true;
}

void flame_zoom(struct hot_view *view)
{
	struct flame *flame = &view->flame;
	unsigned at = flame->cursor.at;
	int depth = at < flame->n ? flame->box[at].depth : FLAME_DEPTH_MAX;

	if (depth >= FLAME_DEPTH_MAX || !flame->box[at].row->function)
		return;
	if (flame->n_zoom == (unsigned)depth + 1) {
		flame->n_zoom--;
		return;
	}
	flame->n_zoom = (unsigned)depth + 1;
	for (unsigned i = at; i != SHEET_NO_PARENT; i = flame->box[i].above)
		flame->zoom[flame->box[i].depth] = flame->box[i].row->function;
}

bool flame_unzoom(struct hot_view *view)
{
	bool was_zoomed = view->flame.n_zoom > 0;

	view->flame.n_zoom = 0;
	return was_zoomed;
}
