/* hot_rows.c: rows of the Hot view: functions with their callers or callees, lines or addresses of one */
#include "tui/view/hot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "sampler/sampler.h"
#include "symbols/symbols.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"
#include "tui/widget/match.h"

static const struct sheet_column function_columns[] = {
	[HOT_RANK] = { .title = "RANK", .drop_order = 6, .is_right = true },
	[HOT_SHARE] = { .title = "SHARE", .is_right = true },
	[HOT_ERROR] = { .title = "±", .drop_order = 2, .is_right = true },
	[HOT_RATE] = { .title = "/s", .drop_order = 3, .is_right = true },
	[HOT_NAME] = { .title = "FUNCTION", .least = 16 },
	[HOT_OBJECT] = { .title = "OBJECT", .drop_order = 4, .least = 12 },
	[HOT_TASK] = { .title = "TASK", .drop_order = 5, .least = 15 },
	[HOT_PART] = { .title = "WHERE", .drop_order = 7 },
};

#define PLACE_COLUMNS(name, beside)                                                  \
	{                                                                            \
		[HOT_RANK] = { .title = "RANK", .drop_order = 4, .is_right = true }, \
		[HOT_SHARE] = { .title = "SHARE", .is_right = true },                \
		[HOT_ERROR] = { .title = "±", .drop_order = 1, .is_right = true },   \
		[HOT_RATE] = { .title = "/s", .drop_order = 2, .is_right = true },   \
		[HOT_NAME] = { .title = name, .least = 16 },                         \
		[HOT_OBJECT] = { .title = beside, .drop_order = 3, .least = 12 },    \
	}

static const struct sheet_column line_columns[] = PLACE_COLUMNS("LINE", "INLINED");
static const struct sheet_column address_columns[] = PLACE_COLUMNS("ADDRESS", "OFFSET");
static const struct sheet_column instruction_columns[] = PLACE_COLUMNS("INSTRUCTION", "OFFSET");

/* Context of a filling. */
struct hot_fill {
	const struct tui *tui;
	struct text_table table;
	const struct hot_row
		*first;   /* of the present rank: those that do not differ from it have it, too */
	unsigned rank, n; /* of that row; rows without parents */
};

/* Begin a row with the figures of all levels. */
static void add_figures(struct hot_fill *fill, const struct hot_row *row, uint64_t key,
			unsigned parent)
{
	const struct hot_rows *rows = fill->tui->hot->rows;
	const struct event *event = hot_event(fill->tui);
	struct text_table *table = &fill->table;
	struct reading rate = count_rate(&row->count);
	double share = row->share * 100, error = row->error * 100;

	if (parent == SHEET_NO_PARENT &&
	    (!fill->first || hot_rows_differ(rows, fill->first->share, row->share))) {
		fill->first = row;
		fill->rank = fill->n + 1;
	}
	fill->n += parent == SHEET_NO_PARENT;
	rate.value *= event ? event->scale : 1;
	text_table_row(table, key, parent);
	text_table_cell(table, ROLE_DIM, fill->rank, "%s",
			parent == SHEET_NO_PARENT ? label_printf("%u", fill->rank).text : "");
	text_table_cell(table, ROLE_HEADLINE, share, "%.*f %%", (int)num_decimals(share, 1), share);
	text_table_cell(table, ROLE_DIM, error, "%.*f", error < 0.05 ? 2 : 1, error);
	text_table_cell(table, ROLE_TEXT, rate.value, "%s", figure_text(rate, 7).text);
}

static struct label task_name(const struct core_task *task)
{
	if (!task)
		return label_printf("-");
	return label_printf(task->pid ? "%s %u" : "%s", task->comm, task->pid);
}

/* Format the parts of a function's code as a curve. */
static struct label parts_text(const struct hot_row *row)
{
	static const char level[][4] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	struct label label = { "" };
	double top = 0;

	for (unsigned i = 0; i < HOT_PARTS; i++)
		top = fmax(top, row->part[i]);
	for (unsigned i = 0; top > 0 && i < HOT_PARTS; i++)
		memcpy(label.text + strlen(level[0]) * i,
		       level[(size_t)(row->part[i] / top * 7.999)], sizeof(level[0]));
	return label;
}

/* Add a function and, if it is opened, what is below it. "+": something is. */
static void add_function(struct hot_fill *fill, const struct hot_row *row, uint64_t above,
			 unsigned parent)
{
	const struct function *function = row->function;
	struct text_table *table = &fill->table;
	uint64_t key = hot_key_below(above, row);
	bool opens = hot_is_open(fill->tui->hot, key);
	unsigned at = (unsigned)table->n;
	int indent, most = COLS / 10; /* names of deep levels need room, too */
	char others[64];

	add_figures(fill, row, key, parent);
	indent = table->failed ? 0 : 2 * (int)table->row[at].depth;
	indent = indent < most ? indent : most;
	text_table_cell(table, hot_is_code(function) && function->is_named ? ROLE_TEXT : ROLE_DIM,
			0, "%*s%s%s%s", indent, "", function && function->is_kernel ? "k " : "",
			hot_row_name(row, others, sizeof(others)),
			row->n_below && !opens ? " +" : "");
	text_table_cell(table, ROLE_TEXT, 0, "%s", function ? function->object->name : "");
	text_table_cell(table, ROLE_DIM, 0, "%s", above ? "" : task_name(row->task).text);
	text_table_cell(table, ROLE_DIM, 0, "%s", parts_text(row).text);
	for (size_t i = 0; opens && i < row->n_below; i++)
		add_function(fill, &row->below[i], key, at);
}

bool hot_is_listed(const struct hot_view *view, const struct hot_row *row)
{
	char text[1024];

	if (!view->filter[0])
		return row->n >= HOT_SAMPLES_LISTED || view->rows->n <= HOT_SAMPLES_LISTED;
	snprintf(text, sizeof(text), "%s %s %s", row->function->name, row->function->object->name,
		 task_name(row->task).text);
	return match_has(text, view->filter);
}

static void fill_functions(struct hot_fill *fill)
{
	struct hot_view *view = fill->tui->hot;

	text_table_init(&fill->table, function_columns, ARRAY_SIZE(function_columns));
	for (size_t i = 0; i < view->rows->n; i++) {
		const struct hot_row *row = &view->rows->row[i];

		if (hot_is_listed(view, row)) {
			add_function(fill, row, 0, SHEET_NO_PARENT);
			view->n_listed++;
		} else {
			view->rest += row->share;
			view->n_rest++;
		}
	}
}

/* ---- lines or addresses of a function ---- */

static const struct code_line *line_of(const struct code_lines *lines, const struct hot_row *row)
{
	return lines ? code_lines_at(lines, place_address(row->place)) : NULL;
}

/* A row and its line. */
struct lined {
	const struct code_line *line; /* NULL: none */
	size_t row;                   /* its number, the largest share first */
};

static int compare_lines(const struct lined *a, const struct lined *b)
{
	if (!a->line || !b->line)
		return (a->line != NULL) - (b->line != NULL);
	return a->line->line != b->line->line ? (a->line->line < b->line->line ? -1 : 1)
					      : strcmp(a->line->file, b->line->file);
}

static int compare_lines_and_rows(const void *a, const void *b)
{
	const struct lined *left = a, *right = b;
	int order = compare_lines(left, right);

	return order ? order : (left->row > right->row) - (left->row < right->row);
}

static int compare_shares(const void *a, const void *b)
{
	const struct hot_row *left = a, *right = b;

	return (left->share < right->share) - (left->share > right->share);
}

/* Move the samples of rows on one line to the largest of them; a row without a line stays alone. @return 0, -ENOMEM */
static int merge_lines(struct hot_rows *rows, const struct code_lines *lines)
{
	AUTO_FREE struct lined *lined = calloc(rows->n + 1, sizeof(*lined));
	struct hot_row *to = NULL;
	size_t n = 0;

	if (!lined)
		return -ENOMEM;
	for (size_t i = 0; i < rows->n; i++)
		lined[i] = (struct lined){ line_of(lines, &rows->row[i]), i };
	qsort(lined, rows->n, sizeof(*lined), compare_lines_and_rows);
	for (size_t i = 0; i < rows->n; i++) {
		struct hot_row *row = &rows->row[lined[i].row];

		if (!i || !lined[i].line || compare_lines(&lined[i - 1], &lined[i]) != 0) {
			to = row;
			continue;
		}
		to->n += row->n;
		to->share += row->share;
		to->count.value += row->count.value;
		to->count.rates += row->count.rates;
		to->error = hot_rows_error(rows, to->share);
		row->n = 0;
	}
	for (size_t i = 0; i < rows->n; i++)
		if (rows->row[i].n)
			rows->row[n++] = rows->row[i];
	rows->n = n;
	qsort(rows->row, n, sizeof(*rows->row), compare_shares);
	return 0;
}

static void add_place(struct hot_fill *fill, const struct hot_row *row,
		      const struct code_line *line)
{
	const struct function *function = row->function;
	uint64_t at = place_address(row->place);

	if (!line || fill->tui->hot->division == CODE_ASSEMBLY) {
		add_figures(fill, row, (uintptr_t)row->place, SHEET_NO_PARENT);
		text_table_cell(&fill->table, ROLE_TEXT, (double)(at - function->start),
				"%#llx%s%s", (unsigned long long)at, line ? "  " : "",
				line ? line->file : "");
		text_table_cell(&fill->table, ROLE_DIM, 0, "+%#llx",
				(unsigned long long)(at - function->start));
		return;
	}
	add_figures(fill, row, (uint64_t)line->line << 32 | (uint32_t)(uintptr_t)line->file,
		    SHEET_NO_PARENT);
	text_table_cell(&fill->table, ROLE_TEXT, line->line, "%s:%u", basename(line->file),
			line->line);
	text_table_cell(&fill->table, ROLE_DIM, 0, "%s",
			line->n_inlined ? line->inlined[0].function : "-");
}

/* Fill in the lines or instructions of the function, or its addresses as long as it has none. */
static void fill_places(struct hot_fill *fill)
{
	struct hot_view *view = fill->tui->hot;
	struct symbols *symbols = sampler_symbols(fill->tui->config->sampler);
	const struct code_lines *lines = NULL;

	view->lines_rc =
		symbols ? symbols_lines(symbols, view->function, view->division, &lines) : -ENODATA;
	if (lines && view->division == CODE_SOURCE && merge_lines(view->rows, lines))
		lines = NULL;
	text_table_init(&fill->table,
			!lines                          ? address_columns
			: view->division == CODE_SOURCE ? line_columns
							: instruction_columns,
			ARRAY_SIZE(line_columns));
	for (size_t i = 0; i < view->rows->n; i++)
		add_place(fill, &view->rows->row[i], line_of(lines, &view->rows->row[i]));
}

void hot_fill_sheet(struct tui *tui)
{
	struct hot_view *view = tui->hot;
	struct hot_fill fill = { .tui = tui };
	bool in_order = view->function && view->division == CODE_ASSEMBLY; /* of addresses */

	view->rest = 0;
	view->n_rest = 0;
	view->n_listed = 0;
	if (view->function)
		fill_places(&fill);
	else
		fill_functions(&fill);
	fill.table.sorted_by = in_order ? HOT_NAME : HOT_SHARE;
	if (!view->sheet.order)
		view->sheet.is_descending = !in_order;
	if (sheet_take(&view->sheet, &fill.table))
		tui_say(tui, ROLE_ERROR, "out of memory");
}
