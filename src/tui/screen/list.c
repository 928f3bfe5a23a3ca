#include "tui/screen/list.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "tui/model/names.h"
#include "tui/term/key.h"
#include "tui/widget/match.h"
#include "tui/screen/state.h"

static struct cursor *list_of(struct tui *tui, unsigned *ret_n)
{
	*ret_n = 0;
	return tui_view(tui)->list ? tui_view(tui)->list(tui, ret_n) : NULL;
}

static void click_item(struct tui *tui, int item)
{
	unsigned n;
	struct cursor *cursor = list_of(tui, &n);

	if (cursor && (unsigned)item < n)
		cursor->at = (unsigned)item;
}

int list_draw(struct tui *tui, const struct table_ops *ops, const void *data, int y, int n_seen)
{
	struct table_rows rows = { .ops = ops,
				   .data = data,
				   .y = y,
				   .n_seen = n_seen,
				   .x = ops->mark == ROLE_SELECTED,
				   .width = COLS,
				   .has_arrows = n_seen > 1,
				   .click = click_item,
				   .opens = tui_view(tui)->opens };

	if (!rows.opens)
		rows.opens = RETURN;
	rows.cursor = list_of(tui, &rows.n);
	return table_rows_draw(&rows);
}

void act_move(struct tui *tui, int key)
{
	unsigned n, page = tui->layout.n_rows > 1 ? (unsigned)tui->layout.n_rows - 1 : 1;
	struct cursor *cursor = list_of(tui, &n);

	if (key != KEY_HOME && key != KEY_END)
		key = cursor_letter(key);
	if (cursor)
		cursor_key(cursor, key, n, page);
}

/* Find the next match, cyclically, from the `first`-th item after the selected one.
 * @step  1 or -1 @return false: no match */
static bool find_in_list(struct tui *tui, unsigned first, int step)
{
	char text[1024];
	unsigned n;
	struct cursor *cursor = list_of(tui, &n);

	for (unsigned i = first; cursor && i < n + first; i++) {
		unsigned by = i % n, at = (cursor->at + (step > 0 ? by : n - by)) % n;

		if (!match_has(tui_view(tui)->item(tui, at, text, sizeof(text)), tui->search.text))
			continue;
		cursor->at = at;
		return true;
	}
	return false;
}

/* Search with all clusters unfolded; then restore the folds, except for the cluster of a match. */
static bool list_find(struct tui *tui, unsigned first, int step)
{
	static const struct cpus none;
	const struct cpus before = tui->model.rows.folded;
	bool is_found;

	if (tui_view(tui)->list != rows_list)
		return find_in_list(tui, first, step);
	rows_fold_as(&tui->model, &none);
	is_found = find_in_list(tui, first, step);
	rows_fold_around(&tui->model, &before);
	return is_found;
}

static void go_back(struct tui *tui)
{
	unsigned n;
	struct cursor *cursor = list_of(tui, &n);

	if (tui_view(tui)->list == rows_list)
		rows_fold_as(&tui->model, &tui->search.folded);
	if (cursor)
		cursor->at = tui->search.before;
}

static void typed(struct tui *tui, const char *text)
{
	if (*text) /* n finds it also after Esc */
		snprintf(tui->search.text, sizeof(tui->search.text), "%s", text);
	go_back(tui);
	if (*text)
		list_find(tui, 0, 1);
}

static void say_missing(struct tui *tui)
{
	tui_say(tui, ROLE_WARN, "no match for \"%s\"", tui->search.text);
}

/* Search the list; without a match the list of the view that continues it. */
static void entered(struct tui *tui, const char *text)
{
	enum view_id below = tui_view(tui)->below;

	if (!*text || list_find(tui, 0, 1))
		return;
	if (below) {
		tui_show(tui, below);
		if (find_in_list(tui, 0, 1))
			return;
		tui_show(tui, tui->back);
	}
	say_missing(tui);
}

void act_search(struct tui *tui, int key UNUSED)
{
	unsigned n;
	const struct cursor *cursor = list_of(tui, &n);

	if (!cursor) {
		tui_say(tui, ROLE_WARN, "there is nothing to search in this view");
		return;
	}
	tui->search.before = cursor->at;
	tui->search.folded = tui->model.rows.folded;
	prompt_open(tui, &(struct prompt){ .question = "search",
					   .hint = "then n, N: next, previous",
					   .done = entered,
					   .changed = typed });
}

void act_search_again(struct tui *tui, int key)
{
	unsigned n;
	const struct cursor *cursor = list_of(tui, &n);
	int step = key == 'n' ? 1 : -1;

	if (!tui->search.text[0])
		tui_say(tui, ROLE_WARN, "nothing has been searched for yet: %s searches",
			tui_key(tui, '/').name);
	else if (cursor && n && !list_find(tui, 1, step))
		say_missing(tui);
}

/* ---- rows ---- */

const char *rows_arrow(const struct order *order)
{
	return order->is_ascending ? "▴" : "▾";
}

struct label rows_order_text(const struct model *model)
{
	const struct order *order = &model->rows.order;
	const char *arrow = rows_arrow(order);
	int metric = order->by == ORDER_METRIC     ? (int)order->number
		     : order->by == ORDER_HEADLINE ? model->primary_metric
						   : -1;

	if (order->by == ORDER_BAR)
		return label_printf("cycles lost %s", arrow);
	if (order->by == ORDER_SLOT)
		return label_printf("%s %s", event_label(set_event(model->set, order->number)).text,
				    arrow);
	if (metric >= 0)
		return label_printf("%s %s", name_metric(model, (unsigned)metric), arrow);
	return (struct label){ "" };
}

void rows_sort_by(struct tui *tui, enum order_by by, unsigned number)
{
	const struct order *order = &tui->model.rows.order;

	rows_sort(&tui->model, by, number);
	if (order->by == ORDER_MACHINE)
		tui_say(tui, ROLE_TEXT, "rows in the machine's order");
	else
		tui_say(tui, ROLE_TEXT, "sorted by %s, %s first; %s reverses, %s resets",
			rows_order_text(&tui->model).text,
			order->is_ascending ? "the smallest" : "the largest",
			tui_key(tui, 'o').name, tui_key(tui, KEYS_ESCAPE).name);
}

void rows_act_restore(struct tui *tui, int key UNUSED)
{
	if (tui->model.rows.filter.text[0]) {
		tui_say(tui, ROLE_TEXT, "all rows again");
		rows_filter(&tui->model, "");
	} else if (tui->model.rows.order.by != ORDER_MACHINE) {
		rows_sort_by(tui, ORDER_MACHINE, 0);
	}
}

struct cursor *rows_list(struct tui *tui, unsigned *ret_n)
{
	*ret_n = tui->model.n_lines;
	return &tui->model.row;
}

/* Format an item: "cpu5 P cluster 1". @return buf */
const char *rows_item(const struct tui *tui, unsigned i, char *buf, size_t size)
{
	const struct model *model = &tui->model;
	const struct line *line = &model->line[i];
	struct label name = name_line(model, line, false);

	if (line->by == BY_CORE)
		snprintf(buf, size, "%s %s cluster %u", name.text,
			 model->machine->type[model_type(model, line)].name,
			 model->machine->core[line->index].cluster);
	else
		snprintf(buf, size, "%s", name.text);
	return buf;
}
