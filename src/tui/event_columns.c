#include "tui/event_columns.h"

enum { NAME_MIN = 16, ID_WIDTH = 6, WHERE_WIDTH = 3, BRIEF_MIN = 12, BRIEF_USUAL = 40, GAP = 2 };

/* A column of this width with the gap before it. @return false: there is no room for it */
static bool take(struct event_columns *columns, enum event_column which, int width, int *left)
{
	if (width <= 0)
		return true;
	if (width + GAP > *left)
		return false;
	columns->at[which].width = width;
	*left -= width + GAP;
	return true;
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

void event_columns_make(const struct event_want *want, int x, struct event_columns *ret)
{
	struct event_columns columns = { .at = { { 0 } } };
	int name = least(least(want->name, NAME_MIN), want->width);
	int left = want->width - name;

	bool has_all = take(&columns, EVENT_DOTS, want->n_dots, &left) &&
		       take(&columns, EVENT_ID, ID_WIDTH, &left) &&
		       take(&columns, EVENT_WHERE, WHERE_WIDTH, &left) &&
		       take(&columns, EVENT_RATE, want->rate, &left);
	int more = least(left, want->name - name);

	left -= more;
	columns.at[EVENT_NAME].width = name + more;
	if (has_all && left >= want->topic + BRIEF_USUAL + 2 * GAP)
		take(&columns, EVENT_TOPIC, want->topic, &left);
	if (has_all && left >= BRIEF_MIN + GAP)
		take(&columns, EVENT_BRIEF, left - GAP, &left);
	for (int i = 0; i < N_EVENT_COLUMNS; i++) {
		columns.at[i].x = x;
		x += columns.at[i].width ? columns.at[i].width + GAP : 0;
	}
	*ret = columns;
}
