#include "tui/screen/rows_keys.h"

#include <stdio.h>

#include "tui/term/key.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"

const char *rows_arrow(const struct order *order)
{
	return order->is_ascending ? "▴" : "▾";
}

const char *rows_order_text(const struct model *model, char *buf, size_t size)
{
	const struct order *order = &model->rows.order;
	const char *arrow = rows_arrow(order);
	int metric = order->by == ORDER_METRIC     ? (int)order->number
		     : order->by == ORDER_HEADLINE ? model->primary_metric
						   : -1;

	buf[0] = '\0';
	if (order->by == ORDER_SLOT)
		snprintf(buf, size, "%s %s", event_label(set_event(model->set, order->number)).text,
			 arrow);
	else if (metric >= 0)
		snprintf(buf, size, "%s %s", name_metric(model, (unsigned)metric), arrow);
	return buf;
}

static void say_order(struct tui *tui)
{
	const struct order *order = &tui->model.rows.order;
	char text[96];

	rows_order_text(&tui->model, text, sizeof(text));
	if (order->by == ORDER_MACHINE)
		tui_say(tui, ROLE_TEXT, "rows in the machine's order");
	else
		tui_say(tui, ROLE_TEXT, "sorted by %s, %s first; %s reverses, %s resets", text,
			order->is_ascending ? "the smallest" : "the largest",
			tui_key(tui, 'o').name, tui_key(tui, KEYS_ESCAPE).name);
}

void rows_sort_by(struct tui *tui, enum order_by by, unsigned number)
{
	rows_sort(&tui->model, by, number);
	say_order(tui);
}

/* All orders form a sequence: machine, headline, columns from left to right. */
void act_sort(struct tui *tui, int key)
{
	struct model *model = &tui->model;
	const struct order *order = &model->rows.order;
	unsigned slots = model->primary_metric >= 0 ? 2 : 1, n = slots + model_n_slots(model);
	unsigned at = order->by == ORDER_HEADLINE ? 1
		      : order->by == ORDER_SLOT   ? slots + order->number
						  : 0;
	struct shown column = { .kind = SHOWN_SLOT };

	do {
		at = (at + (key == '>' ? 1 : n - 1)) % n;
		column.number = at >= slots ? at - slots : 0;
	} while (at >= slots && !model_has_column(model, &column));
	if (at == 0)
		rows_sort_by(tui, ORDER_MACHINE, 0);
	else if (at < slots)
		rows_sort_by(tui, ORDER_HEADLINE, 0);
	else
		rows_sort_by(tui, ORDER_SLOT, at - slots);
}

void act_sort_selected(struct tui *tui, int key)
{
	(void)key;
	rows_sort_by(tui, ORDER_SLOT, tui->model.slot);
}

void act_turn_order(struct tui *tui, int key)
{
	(void)key;
	if (rows_reverse(&tui->model))
		say_order(tui);
	else
		tui_say(tui, ROLE_WARN, "rows are in the machine's order: %s sorts them",
			tui_key(tui, 's').name);
}

void act_fold(struct tui *tui, int key)
{
	struct model *model = &tui->model;

	(void)key;
	if (!rows_fold(model, model->row.at))
		tui_say(tui, ROLE_WARN,
			"only a cluster can be folded, while rows are cores in the machine's "
			"order");
}

void act_fold_all(struct tui *tui, int key)
{
	bool folded = !rows_has_folded(&tui->model);

	(void)key;
	rows_fold_all(&tui->model, folded);
	tui_say(tui, ROLE_TEXT, folded ? "clusters are folded" : "clusters are unfolded");
}

static void filter_typed(struct tui *tui, const char *text)
{
	rows_filter(&tui->model, text);
}

static void filter_entered(struct tui *tui, const char *text)
{
	if (*text && !tui->model.n_lines)
		tui_say(tui, ROLE_WARN, "no core matches \"%s\"; %s shows all", text,
			tui_key(tui, KEYS_ESCAPE).name);
	else if (*text)
		tui_say(tui, ROLE_TEXT, "%u of %u cores; %s shows all", rows_n_cores(&tui->model),
			tui->model.machine->n_cores, tui_key(tui, KEYS_ESCAPE).name);
}

static void filter_left(struct tui *tui)
{
	rows_filter(&tui->model, "");
}

void act_filter(struct tui *tui, int key)
{
	(void)key;
	prompt_open(tui, &(struct prompt){ .question = "filter",
					   .hint = "0-3,8   P,cluster 3   cpu5",
					   .done = filter_entered,
					   .changed = filter_typed,
					   .left = filter_left });
}

void act_escape(struct tui *tui, int key)
{
	(void)key;
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
	char name[32];

	name_line(model, line, false, name, sizeof(name));
	if (line->by == BY_CORE)
		snprintf(buf, size, "%s %s cluster %u", name,
			 model->machine->type[model_type(model, line)].name,
			 model->machine->core[line->index].cluster);
	else
		snprintf(buf, size, "%s", name);
	return buf;
}
