/* functions.c: how the count of one event divides into functions, for stat --by function */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/num.h"
#include "session/format.h"
#include "session/format/functions.h"
#include "symbols/symbols.h"

/* ---- sums over frames ---- */

int function_table_add(struct function_table *table, const struct frame *frame,
		       const struct machine *machine)
{
	static const enum hot_key by_function[] = { HOT_BY_FUNCTION, HOT_BY_TASK, HOT_END },
				  by_caller[] = { HOT_BY_FUNCTION, HOT_BY_TASK, HOT_BY_CHAIN,
						  HOT_END },
				  by_stack[] = { HOT_BY_TASK, HOT_BY_CHAIN, HOT_BY_PLACE, HOT_END };
	const struct task_id in = { .is_task = true,
				    .by = BY_CGROUP,
				    .like = { .cgroup = table->in } };
	const struct hot_select select = { .of_root = table->of_root,
					   .task = table->in ? &in : NULL };
	int rc = 0;

	if (!frame->hot)
		return 0;
	table->window_ns += frame_window_ns(frame);
	table->n_types = machine->n_types;
	for (unsigned type = 0; !rc && type < machine->n_types; type++) {
		struct hot_sum *sum = &table->sum[type];

		sum->machine = machine;
		sum->type = type;
		sum->by = table->is_folded ? by_stack : table->tree ? by_caller : by_function;
		sum->tree = table->tree;
		sum->tasks.by = table->is_folded ? BY_COMMAND : BY_PROCESS;
		rc = hot_sum_add(sum, frame, &select);
	}
	return rc;
}

int function_table_end(struct function_table *table)
{
	for (unsigned type = 0; type < table->n_types; type++) {
		struct hot_rows *rows = hot_sum_rows(&table->sum[type], NULL, table->top);

		if (!rows)
			return -ENOMEM;
		if (!rows->n && rows->count.value)
			rows->row[rows->n++] =
				(struct hot_row){ .share = 1, .error = NAN, .count = rows->count };
		if (rows->lost.value)
			rows->row[rows->n++] =
				(struct hot_row){ .share = NAN, .error = NAN, .count = rows->lost };
		hot_rows_free(table->rows[type]);
		table->rows[type] = rows;
	}
	return 0;
}

void function_table_clear(struct function_table *table)
{
	for (unsigned type = 0; type < table->n_types; type++) {
		hot_sum_clear(&table->sum[type]);
		hot_rows_free(table->rows[type]);
	}
	*table = (struct function_table){ .is_folded = table->is_folded,
					  .tree = table->tree,
					  .of_root = table->of_root,
					  .in = table->in,
					  .top = table->top };
}

/* ---- text ---- */

enum { SHARE_WIDTH = 7, INDENT = 2 };

/* Widths of columns, from these on: names of C++ are of any length. */
struct widths {
	int function, object;
};

static const struct widths least_widths = { 40, 20 };

static const char *object_name(const struct hot_row *row)
{
	return row->function ? row->function->object->name : "";
}

static int mark_width(const struct hot_row *row)
{
	return row->function && row->function->is_kernel ? 2 : 0;
}

static const char *task_text(const struct hot_row *row, char *buf, size_t size)
{
	const struct core_task *task = row->task;

	if (!task || task->kind == TASK_OTHERS)
		return "";
	if (task->kind != TASK_THREAD)
		return task->comm;
	snprintf(buf, size, "%s %" PRIu32, task->comm, task->pid);
	return buf;
}

static const struct event *event_of(const struct function_table *table, unsigned type)
{
	return table->sum[type].event;
}

/* Get row i of the table: those of the types one after the other. @return NULL: no more */
static const struct hot_row *row_at(const struct function_table *table, size_t i,
				    unsigned *ret_type)
{
	for (unsigned type = 0; type < table->n_types; i -= table->rows[type++]->n)
		if (i < table->rows[type]->n) {
			*ret_type = type;
			return &table->rows[type]->row[i];
		}
	return NULL;
}

/* Format events per second of the window, or the sum, in the event's unit. */
static void shown_value(const struct format_context *context, const struct count *count,
			const struct event *event, char *buf, size_t size)
{
	uint64_t window_ns = context->is_summary ? 0 : context->functions->window_ns;
	double value = count_total(count).value * event->scale;

	num_si(window_ns ? value * 1e9 / (double)window_ns : value, 3, 8, buf, size);
}

/* Get the number of decimals with which a count is exact in the event's unit: rows are to sum up to the total. */
static int exact_decimals(const struct event *event)
{
	return event->scale < 1 ? (int)ceil(-log10(event->scale)) : 0;
}

static void put_percent(struct text *out, double share)
{
	char number[16];

	snprintf(number, sizeof(number), "%.1f%%", 100 * share);
	text_right(out, isnan(share) ? "-" : number, SHARE_WIDTH);
}

/* Widen the columns to a row and those below it. */
static void widen(struct widths *widths, const struct hot_row *row, int indent)
{
	char buf[64];
	int function = text_columns(hot_row_name(row, buf, sizeof(buf))) + mark_width(row) + indent;
	int object = text_columns(object_name(row));

	widths->function = function > widths->function ? function : widths->function;
	widths->object = object > widths->object ? object : widths->object;
	for (size_t i = 0; i < row->n_below; i++)
		widen(widths, &row->below[i], indent + INDENT);
}

static struct widths widths_of(const struct function_table *table)
{
	struct widths widths = least_widths;
	const struct hot_row *row;
	unsigned type;

	for (size_t i = 0; (row = row_at(table, i, &type)); i++)
		widen(&widths, row, 0);
	return widths;
}

/* Write the exact count, by which the shares are to be read. */
static void put_total(const struct format_context *context, unsigned type,
		      const struct widths *widths, struct text *out)
{
	const struct function_table *table = context->functions;
	const struct hot_rows *rows = table->rows[type];
	const struct event *event = event_of(table, type);
	const char *per_s = context->is_summary ? "" : "/s";
	char number[16], unit[32];

	shown_value(context, &rows->count, event, number, sizeof(number));
	text_printf(out, "%s%s%s: 100%% = %s%s%s%s, %s; %" PRIu64 " samples", event->name,
		    context->machine->n_types > 1 ? " on " : "",
		    context->machine->n_types > 1 ? context->machine->type[type].name : "", number,
		    *event->unit ? " " : "", event->unit, per_s,
		    rows->lost.value                        ? "attributed"
		    : quality_is_exact(rows->count.quality) ? "counted"
							    : "estimated",
		    rows->n_samples);
	if (rows->n_lost)
		text_printf(out, ", %" PRIu64 " lost", rows->n_lost);
	if (rows->n_throttled)
		text_printf(out, ", throttled %" PRIu64 " times", rows->n_throttled);
	snprintf(unit, sizeof(unit), "%s%s", *event->unit || *per_s ? event->unit : "count", per_s);
	text_printf(out, "\n%8s%*s%*s%10s %-*s %-*s %s\n", "time", SHARE_WIDTH, "share",
		    SHARE_WIDTH + !context->ascii, context->ascii ? "+-" : "±", unit,
		    widths->function, "function", widths->object, "object", "task");
}

/* Write the line of a row, then those of its callers. */
static void put_row(const struct format_context *context, const struct frame *frame,
		    const struct event *event, const struct widths *widths,
		    const struct hot_row *row, int indent, struct text *out)
{
	char buf[64], number[16], marked[24];

	shown_value(context, &row->count, event, number, sizeof(number));
	snprintf(marked, sizeof(marked), "%s%s", quality_mark(row->count.quality), number);
	text_printf(out, "%8.3f", (double)frame->t_ns / 1e9);
	put_percent(out, row->share);
	put_percent(out, row->error);
	text_right(out, marked, 10);
	text_printf(out, " %*s%s", indent, "", mark_width(row) ? "k " : "");
	text_left(out, hot_row_name(row, buf, sizeof(buf)),
		  widths->function - mark_width(row) - indent);
	text_string(out, " ");
	text_left(out, object_name(row), widths->object);
	text_printf(out, " %s\n", task_text(row, buf, sizeof(buf)));
	for (size_t i = 0; i < row->n_below; i++)
		put_row(context, frame, event, widths, &row->below[i], indent + INDENT, out);
}

void functions_as_table(const struct format_context *context, const struct frame *frame,
			struct text *out)
{
	const struct function_table *table = context->functions;
	const struct widths widths = widths_of(table);
	const struct hot_row *row;
	unsigned type, last = TYPES_MAX;

	for (size_t i = 0; (row = row_at(table, i, &type)); i++) {
		if (type != last)
			put_total(context, type, &widths, out);
		last = type;
		put_row(context, frame, event_of(table, type), &widths, row, 0, out);
	}
	if (last != TYPES_MAX)
		text_string(out, "\n");
}

static void put_field(struct text *out, const char *sep, const char *value)
{
	text_string(out, sep);
	for (; *value; value++) /* as perf does, a separator in a name is replaced */
		text_printf(out, "%c", strchr(sep, *value) ? '_' : *value);
}

void functions_as_csv(const struct format_context *context, const struct frame *frame,
		      const char *sep, struct text *out)
{
	const struct function_table *table = context->functions;
	const struct hot_row *row;
	unsigned type;

	for (size_t i = 0; (row = row_at(table, i, &type)); i++) {
		const struct event *event = event_of(table, type);
		char buf[64];

		if (!context->is_summary)
			text_printf(out, "%.9f%s", (double)frame->t_ns / 1e9, sep);
		text_printf(out, "%.*f", exact_decimals(event),
			    count_total(&row->count).value * event->scale);
		put_field(out, sep, event->name);
		text_string(out, sep);
		if (!isnan(row->share))
			text_printf(out, "%.3f", 100 * row->share);
		text_string(out, sep);
		if (!isnan(row->error))
			text_printf(out, "%.3f", 100 * row->error);
		text_printf(out, "%s%" PRIu64, sep, row->n);
		put_field(out, sep, hot_row_name(row, buf, sizeof(buf)));
		put_field(out, sep, object_name(row));
		put_field(out, sep, task_text(row, buf, sizeof(buf)));
		if (context->machine->n_types > 1)
			put_field(out, sep, context->machine->type[type].name);
		put_field(out, sep, quality_name(row->count.quality));
		text_string(out, "\n");
	}
}

/* Append what a function and each of its callers have, and their callers. */
static void put_members(const struct json *json, const struct event *event,
			const struct hot_row *row)
{
	json_printf(json, "counter-value", "\"%.*f\"", exact_decimals(event),
		    count_total(&row->count).value * event->scale);
	json_text(json, "unit", event->unit);
	json_text(json, "event", event->name);
	json_number(json, "share-pct", 6, 100 * row->share);
	json_number(json, "error-pct", 6, 100 * row->error);
	json_u64(json, "samples", row->n);
}

static void put_function(const struct json *json, const struct hot_row *row)
{
	const char *path = row->function ? row->function->object->path : "";
	char buf[64];

	json_text(json, "function", hot_row_name(row, buf, sizeof(buf)));
	json_text(json, "object", *path ? path : NULL);
	json_bool(json, "kernel", row->function && row->function->is_kernel);
}

static void put_callers(const struct json *json, const struct event *event,
			const struct hot_row *row)
{
	if (!row->n_below)
		return;
	json_begin(json, "callers", "[");
	for (size_t i = 0; i < row->n_below; i++) {
		json_begin(json, NULL, "{");
		put_function(json, &row->below[i]);
		put_members(json, event, &row->below[i]);
		put_callers(json, event, &row->below[i]);
		json_end(json, "}");
	}
	json_end(json, "]");
}

void functions_as_json(const struct format_context *context, const struct frame *frame,
		       struct text *out)
{
	const struct function_table *table = context->functions;
	const struct json json = { out, " ", " : " };
	const struct hot_row *row;
	unsigned type;

	for (size_t i = 0; (row = row_at(table, i, &type)); i++) {
		const struct event *event = event_of(table, type);
		const struct core_task *task =
			row->task && row->task->kind != TASK_OTHERS ? row->task : NULL;

		json_begin(&json, NULL, "{");
		if (!context->is_summary)
			json_printf(&json, "interval", "%.9f", (double)frame->t_ns / 1e9);
		put_function(&json, row);
		json_text(&json, "comm", task ? task->comm : NULL);
		if (task && task->kind == TASK_THREAD)
			json_u64(&json, "pid", task->pid);
		put_members(&json, event, row);
		json_text(&json, "type", context->machine->type[type].name);
		json_text(&json, "quality", quality_name(row->count.quality));
		put_callers(&json, event, row);
		json_end(&json, "}\n");
	}
}
