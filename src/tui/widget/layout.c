#include "tui/widget/layout.h"

#include <stddef.h>

#include "tui/widget/table.h"

enum {
	HEADLINE_WIDTH = 5,
	LEADING_WIDTH = 5,
	BAR_MIN = 6,
	BAR_MAX = 12,
	STACK_MIN = 9, /* a mark for estimates and cells of an eighth */
	STACK_MAX = 17,
	BEFORE_BAR = 3, /* so many slots are worth more than a bar */
	TASK_MIN = 8,
	TASK_MAX = 15,
	HISTORY_MIN = 8,
	HISTORY_USUAL = 20,
	HISTORY_MAX = 60,
	GAP_MAX = 3,
	AIRY_HEIGHT = 28,
	SLOT_COST = 1 + LAYOUT_COLUMN_WIDTH,
};

/* Widths in the making; 0: given way. */
struct column_plan {
	int left; /* columns not yet given away */
	int name, primary_metric, bar, task, history, gap;
	unsigned n_slots;
};

static void grow(struct column_plan *plan, int *width, int least, int most)
{
	table_widen(&plan->left, 1, width, least, most);
}

static int bar_min(const struct layout_want *want)
{
	return want->has_parts ? STACK_MIN : BAR_MIN;
}

/* The first is worth more than a fourth slot, the next more than a seventh. */
static void take_leading(struct column_plan *plan, const struct layout_want *want,
			 struct layout *layout)
{
	for (unsigned i = 0; i < want->n_leading; i++) {
		int slots = (int)lesser(want->n_slots, BEFORE_BAR * (i + 1)) * SLOT_COST;

		if (plan->left < 1 + LEADING_WIDTH + slots)
			return;
		plan->left -= 1 + LEADING_WIDTH;
		layout->n_leading++;
	}
}

/* As many as fit side by side from `first` on, or from where the selected one is among them. */
static void take_slots(struct column_plan *plan, const struct layout_want *want,
		       struct layout *layout)
{
	unsigned room = plan->left > 0 ? (unsigned)(plan->left / SLOT_COST) : 0;
	unsigned n = lesser(room, want->n_slots), first = want->first;

	if (want->selected < want->n_slots && first > want->selected)
		first = want->selected;
	if (want->selected < want->n_slots && first + n <= want->selected)
		first = want->selected + 1 - n;
	first = lesser(first, want->n_slots - n);
	plan->n_slots = n;
	plan->left -= (int)n * SLOT_COST;
	layout->first = first;
	layout->more_left = first > 0;
	layout->more_right = first + n < want->n_slots;
}

static void spread(struct column_plan *plan, const struct layout_want *want)
{
	int n_slots = (int)plan->n_slots;

	if (want->has_bar)
		grow(plan, &plan->bar, bar_min(want), bar_min(want));
	if (want->has_task)
		grow(plan, &plan->task, TASK_MIN, TASK_MAX);
	if (want->has_sparkline)
		grow(plan, &plan->history, HISTORY_MIN, HISTORY_USUAL);
	if (plan->bar && want->has_parts)
		grow(plan, &plan->bar, 0, STACK_MAX);
	if (plan->history)
		grow(plan, &plan->name, 0, want->name_max);
	while (n_slots && plan->gap < GAP_MAX && plan->left >= n_slots + HISTORY_USUAL) {
		plan->left -= n_slots;
		plan->gap++;
	}
	if (plan->history)
		grow(plan, &plan->history, 0, HISTORY_MAX);
	if (plan->bar && !want->has_parts)
		grow(plan, &plan->bar, 0, BAR_MAX);
}

static int add(struct layout *layout, enum column_kind kind, unsigned slot, int x, int width)
{
	if (!width)
		return x;
	layout->column[layout->n_columns++] =
		(struct column){ .kind = kind, .slot = slot, .x = x, .width = width };
	return x + width + 1;
}

static void make_columns(const struct layout_want *want, struct layout *ret)
{
	/* a free column at both ends */
	struct column_plan plan = { .left = want->width - 2 - want->name_min,
				    .name = want->name_min };

	plan.gap = 1;
	if (want->has_primary_metric)
		grow(&plan, &plan.primary_metric, HEADLINE_WIDTH, HEADLINE_WIDTH);
	if (want->has_bar &&
	    plan.left > bar_min(want) + (int)lesser(want->n_slots, BEFORE_BAR) * SLOT_COST)
		grow(&plan, &plan.bar, bar_min(want), bar_min(want));
	take_leading(&plan, want, ret);
	take_slots(&plan, want, ret);
	spread(&plan, want);

	int x = add(ret, COLUMN_NAME, 0, 1, plan.name);

	for (unsigned i = 0; i < ret->n_leading; i++)
		x = add(ret, COLUMN_METRIC, want->leading[i], x, LEADING_WIDTH);
	x = add(ret, COLUMN_HEADLINE, 0, x, plan.primary_metric);
	x = add(ret, COLUMN_BAR, 0, x, plan.bar);
	x = add(ret, COLUMN_HISTORY, 0, x, plan.history);
	for (unsigned i = 0; i < plan.n_slots; i++)
		x = add(ret, COLUMN_SLOT, ret->first + i, x + plan.gap - 1, LAYOUT_COLUMN_WIDTH);
	add(ret, COLUMN_TASK, 0, x + 1, plan.task ? plan.task - 1 : 0); /* behind a mark */
}

static void make_lines(const struct layout_want *want, struct layout *ret)
{
	int height = want->height;
	int parts = want->has_parts && height >= 18, blank = height >= 18 && !parts;
	int y;

	ret->n_header = height >= 14 ? 2 : 1;
	ret->view_y = ret->n_header + (height >= AIRY_HEIGHT);
	y = ret->n_header;
	ret->number_y = y++;
	ret->heading_y = y++;
	ret->units_y = height >= 18 || (want->has_units && height >= 12) ? y++ : -1;
	ret->rows_y = y;
	ret->status_y = height - 1;
	ret->n_detail = (height >= 14 ? 2 : 1) + parts;
	ret->detail_y = ret->status_y - ret->n_detail;
	ret->n_rows = ret->detail_y - blank - ret->rows_y;
}

void layout_make(const struct layout_want *want, struct layout *ret)
{
	*ret = (struct layout){ .units_y = -1 };
	ret->has_parts = want->has_parts;
	ret->too_small = want->width < LAYOUT_MIN_WIDTH || want->height < LAYOUT_MIN_HEIGHT;
	if (ret->too_small)
		return;
	make_columns(want, ret);
	make_lines(want, ret);
}

const struct column *layout_find(const struct layout *layout, enum column_kind kind)
{
	for (unsigned i = 0; i < layout->n_columns; i++)
		if (layout->column[i].kind == kind)
			return &layout->column[i];
	return NULL;
}
