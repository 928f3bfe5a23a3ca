#include "tui/widget/layout.h"

#include "tui/widget/table.h"

enum {
	HEADLINE_WIDTH = 5,
	LEADING_WIDTH = 5,
	BAR_MIN = 6,
	BAR_MAX = 12,
	STACK_MIN = 9, /* a mark for estimates and 8 cells of an eighth */
	STACK_MAX = 17,
	BEFORE_BAR = 3, /* slots that take precedence over a bar */
	TASK_MIN = 8,
	TASK_MAX = 15,
	HISTORY_MIN = 8,
	HISTORY_USUAL = 20,
	HISTORY_MAX = 60,
	GAP_MAX = 3,
	AIRY_HEIGHT = 28,
	SLOT_COST = 1 + LAYOUT_COLUMN_WIDTH,
};

/* Widths being computed; 0: dropped. */
struct column_plan {
	int left; /* columns not yet assigned */
	int name, primary_metric, bar, task, history, gap;
	unsigned n_slots;
};

static void layout_grow(struct column_plan *plan, int *width, int least, int most)
{
	table_widen(&plan->left, 1, width, least, most);
}

static int bar_min(const struct layout_want *want)
{
	return want->has_parts ? STACK_MIN : BAR_MIN;
}

/* Take leading metrics: the first before a fourth slot, the next before a seventh. */
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

/* Take as many slots as fit from `first` on, or from where the selected one is among them. */
static void take_slots(struct column_plan *plan, const struct layout_want *want,
		       struct layout *layout)
{
	unsigned room = plan->left > 0 ? (unsigned)(plan->left / SLOT_COST) : 0;
	unsigned n = lesser(room, want->n_slots);
	struct cursor cursor = { .at = want->first, .top = want->first };

	if (want->selected < want->n_slots)
		cursor.at = want->selected;
	cursor_follow(&cursor, want->n_slots, n);
	plan->n_slots = n;
	plan->left -= (int)n * SLOT_COST;
	layout->first = cursor.top;
	layout->more_left = cursor.top > 0;
	layout->more_right = cursor.top + n < want->n_slots;
}

static void layout_spread(struct column_plan *plan, const struct layout_want *want)
{
	int n_slots = (int)plan->n_slots;

	if (want->has_bar)
		layout_grow(plan, &plan->bar, bar_min(want), bar_min(want));
	if (want->has_task)
		layout_grow(plan, &plan->task, TASK_MIN, TASK_MAX);
	if (want->has_sparkline)
		layout_grow(plan, &plan->history, HISTORY_MIN, HISTORY_USUAL);
	if (plan->bar && want->has_parts)
		layout_grow(plan, &plan->bar, 0, STACK_MAX);
	if (plan->history)
		layout_grow(plan, &plan->name, 0, want->name_max);
	while (n_slots && plan->gap < GAP_MAX && plan->left >= n_slots + HISTORY_USUAL) {
		plan->left -= n_slots;
		plan->gap++;
	}
	if (plan->history)
		layout_grow(plan, &plan->history, 0, HISTORY_MAX);
	if (plan->bar && !want->has_parts)
		layout_grow(plan, &plan->bar, 0, BAR_MAX);
}

static int layout_add(struct layout *layout, enum column_kind kind, unsigned slot, int x, int width)
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
		layout_grow(&plan, &plan.primary_metric, HEADLINE_WIDTH, HEADLINE_WIDTH);
	if (want->has_bar &&
	    plan.left > bar_min(want) +
				(int)lesser(want->n_slots, want->is_bar_selected ? 1 : BEFORE_BAR) *
					SLOT_COST)
		layout_grow(&plan, &plan.bar, bar_min(want), bar_min(want));
	take_leading(&plan, want, ret);
	take_slots(&plan, want, ret);
	layout_spread(&plan, want);

	int x = layout_add(ret, COLUMN_NAME, 0, 1, plan.name);

	for (unsigned i = 0; i < ret->n_leading; i++)
		x = layout_add(ret, COLUMN_METRIC, want->leading[i], x, LEADING_WIDTH);
	x = layout_add(ret, COLUMN_HEADLINE, want->primary_metric, x, plan.primary_metric);
	x = layout_add(ret, COLUMN_BAR, 0, x, plan.bar);
	x = layout_add(ret, COLUMN_HISTORY, 0, x, plan.history);
	for (unsigned i = 0; i < plan.n_slots; i++)
		x = layout_add(ret, want->slot[ret->first + i].kind,
			       want->slot[ret->first + i].slot, x + plan.gap - 1,
			       LAYOUT_COLUMN_WIDTH);
	layout_add(ret, COLUMN_TASK, 0, x + 1, plan.task ? plan.task - 1 : 0); /* after a mark */
}

static void layout_make_lines(const struct layout_want *want, struct layout *ret)
{
	int height = want->height;
	int parts = want->has_parts && height >= 18, blank = height >= 18 && !parts;
	int y;

	ret->n_header = height >= 14 ? 2 : 1;
	ret->view_y = ret->n_header + (height >= AIRY_HEIGHT);
	y = ret->n_header;
	ret->power_y = want->has_power && height >= 18 ? y++ : -1;
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
	layout_make_lines(want, ret);
}
