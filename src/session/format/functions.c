/* functions.c: how the count of one event divides into functions, for stat --by function */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/num.h"
#include "session/format.h"
#include "session/format/functions.h"
#include "symbols/symbols.h"

/* ---- sums over frames ---- */

static int compare_functions(const void *a, const void *b)
{
	const struct function_line *left = a, *right = b;

	if (left->type != right->type)
		return task_order(left->type, right->type);
	return task_order((uintptr_t)left->function, (uintptr_t)right->function);
}

/* Merge the lines of one function on one type: two addresses may have become one when its name was found.
 * @is_end  nothing is added afterwards */
static void lines_merge(struct function_table *table, bool is_end)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->n; i++) {
		table->line[i].function = place_function(table->line[i].place);
		if (is_end)
			table->line[i].function = function_shown(table->line[i].function);
	}
	if (table->n)
		qsort(table->line, table->n, sizeof(*table->line), compare_functions);
	for (size_t i = 0; i < table->n; i++) {
		struct function_line *last = kept ? &table->line[kept - 1] : NULL;
		const struct function_line *line = &table->line[i];

		if (!last || compare_functions(last, line) != 0) {
			table->line[kept++] = *line;
			continue;
		}
		if (task_compare(&last->task, &line->task, BY_PROCESS) != 0)
			last->task = line->weight > last->weight ? line->task : last->task;
		last->weight += line->weight;
		last->n += line->n;
	}
	table->n = kept;
}

static int add_type(struct function_table *table, const struct hot_rows *rows)
{
	struct function_total *total = &table->total[rows->type];
	double weight = (double)rows->count.value + rows->count.extra;
	int rc = 0;

	count_add_window(&total->count, &rows->count);
	count_add_window(&total->lost, &rows->lost);
	if (!rows->n)
		return 0;
	total->n_samples += rows->n_samples;
	total->weight += weight;
	if (rows->n_effective > 0)
		total->weight2 += weight * weight / rows->n_effective;
	for (size_t i = 0; !rc && i < rows->n; i++) {
		const struct hot_row *row = &rows->row[i];
		const struct function_line line = {
			.function = row->function,
			.place = row->place,
			.task = row->task ? *row->task : task_of_kind(TASK_OTHERS),
			.type = rows->type,
			.n = row->n,
			.weight = row->share * weight,
		};

		rc = array_append((void **)&table->line, &table->cap, &table->n, &line,
				  sizeof(line));
	}
	return rc;
}

int function_table_add(struct function_table *table, const struct frame *frame,
		       const struct machine *machine)
{
	const struct task_id in = { .is_task = true,
				    .by = BY_CGROUP,
				    .like = { .cgroup = table->in } };
	const struct hot_select select = { .of_root = table->of_root,
					   .task = table->in ? &in : NULL };
	int rc = 0;

	if (!frame->hot || (table->of && table->of != frame->of))
		return 0;
	if (!table->of)
		table->of = frame_set_ref(frame->of);
	table->column = frame->hot->column;
	table->window_ns += frame_window_ns(frame);
	table->n_lost += frame->hot->n_lost;
	table->n_throttled += frame->hot->n_throttled;
	for (unsigned type = 0; !rc && type < machine->n_types; type++) {
		struct hot_rows *rows = hot_rows_new(frame, machine, type, &select);

		rc = rows ? add_type(table, rows) : -ENOMEM;
		free(rows);
	}
	if (table->n > table->n_merged * 2 + 1024) {
		lines_merge(table, false);
		table->n_merged = table->n;
	}
	return rc;
}

/* Whether the line is [unattributed]. */
static bool is_lost(const struct function_line *line)
{
	return !line->function && line->task.kind == TASK_UNATTRIBUTED;
}

static int largest_first(const void *a, const void *b)
{
	const struct function_line *left = a, *right = b;

	if (left->type != right->type)
		return task_order(left->type, right->type);
	if (!left->function || !right->function)
		return (right->function != NULL) - (left->function != NULL) +
		       (is_lost(left) - is_lost(right));
	if (left->weight != right->weight)
		return left->weight < right->weight ? 1 : -1;
	return strcmp(left->function->name, right->function->name);
}

/* Sum the lines of a type beyond the first `top` into one. @i  first of the type  @return the end of its lines */
static size_t leave_out(struct function_table *table, size_t i, size_t *to)
{
	unsigned type = table->line[i].type, rank = 0;
	struct function_line others = { .type = type, .task = task_of_kind(TASK_OTHERS) };

	for (; i < table->n && table->line[i].type == type && !is_lost(&table->line[i]); i++) {
		if (!table->top || rank++ < table->top) {
			table->line[(*to)++] = table->line[i];
			continue;
		}
		others.weight += table->line[i].weight;
		others.n += table->line[i].n;
		others.n_functions++;
	}
	if (others.n_functions)
		table->line[(*to)++] = others;
	if (i < table->n && table->line[i].type == type)
		table->line[(*to)++] = table->line[i++];
	return i;
}

/* Divide the counts: values are differences of the rounded running sum, so that they add up exactly. */
static void divide(struct function_table *table)
{
	unsigned type = TYPES_MAX;
	uint64_t before = 0;
	double sum = 0;

	for (size_t i = 0; i < table->n; i++) {
		struct function_line *line = &table->line[i];
		const struct function_total *total = &table->total[line->type];
		struct hot_rows rows = { .n_effective = total->weight2 > 0
								? total->weight * total->weight /
									  total->weight2
								: 0 };
		bool is_last = i + 1 == table->n || table->line[i + 1].type != line->type ||
			       is_lost(&table->line[i + 1]);
		uint64_t until;

		if (is_lost(line)) {
			line->share = line->error = NAN;
			line->count = total->lost;
			continue;
		}

		if (line->type != type) {
			type = line->type;
			before = 0;
			sum = 0;
		}
		line->share = total->weight > 0 ? line->weight / total->weight : 1;
		line->error = line->n ? hot_rows_error(&rows, line->share) : NAN;
		sum += line->share;
		until = is_last ? total->count.value
				: (uint64_t)(fmin(sum, 1) * (double)total->count.value + 0.5);
		line->count = total->count;
		line->count.value = until - before;
		line->count.rates *= line->share;
		line->count.extra *= line->share;
		before = until;
	}
}

int function_table_end(struct function_table *table)
{
	size_t n = 0;

	lines_merge(table, true);
	for (unsigned type = 0; type < TYPES_MAX; type++) {
		const struct function_total *total = &table->total[type];
		const struct function_line none = { .type = type,
						    .task = task_of_kind(TASK_OTHERS) };
		const struct function_line lost = { .type = type,
						    .task = task_of_kind(TASK_UNATTRIBUTED) };

		if ((total->count.value && total->weight <= 0 &&
		     array_append((void **)&table->line, &table->cap, &table->n, &none,
				  sizeof(none))) ||
		    (total->lost.value && array_append((void **)&table->line, &table->cap,
						       &table->n, &lost, sizeof(lost))))
			return -ENOMEM;
	}
	if (table->n)
		qsort(table->line, table->n, sizeof(*table->line), largest_first);
	for (size_t i = 0; i < table->n;)
		i = leave_out(table, i, &n);
	table->n = n;
	divide(table);
	return 0;
}

void function_table_clear(struct function_table *table)
{
	frame_set_unref(table->of);
	free(table->line);
	*table = (struct function_table){ .of_root = table->of_root,
					  .in = table->in,
					  .top = table->top };
}

/* ---- text ---- */

enum { FUNCTION_WIDTH = 40, OBJECT_WIDTH = 20, SHARE_WIDTH = 7 };

static const char *function_name(const struct function_line *line, char *buf, size_t size)
{
	if (line->function)
		return line->function->name;
	if (line->n_functions)
		snprintf(buf, size, "[others], %u functions", line->n_functions);
	else
		snprintf(buf, size, "%s", is_lost(line) ? line->task.comm : "[no samples]");
	return buf;
}

static const char *object_name(const struct function_line *line)
{
	return line->function ? line->function->object->name : "";
}

static const char *task_text(const struct function_line *line, char *buf, size_t size)
{
	const struct core_task *task = &line->task;

	if (task->kind == TASK_OTHERS || is_lost(line))
		return "";
	if (task->kind != TASK_THREAD)
		return task->comm;
	snprintf(buf, size, "%s %" PRIu32, task->comm, task->pid);
	return buf;
}

static const struct event *event_of(const struct function_table *table, unsigned type)
{
	return table->of->set.type[type].event[table->column];
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

/* Write the exact count, by which the shares are to be read. */
static void put_total(const struct format_context *context, unsigned type, struct text *out)
{
	const struct function_table *table = context->functions;
	const struct function_total *total = &table->total[type];
	const struct event *event = event_of(table, type);
	const char *per_s = context->is_summary ? "" : "/s";
	char number[16], unit[32];

	shown_value(context, &total->count, event, number, sizeof(number));
	text_printf(out, "%s%s%s: 100%% = %s%s%s%s, %s; %" PRIu64 " samples", event->name,
		    context->machine->n_types > 1 ? " on " : "",
		    context->machine->n_types > 1 ? context->machine->type[type].name : "", number,
		    *event->unit ? " " : "", event->unit, per_s,
		    total->lost.value ? "attributed" : "counted", total->n_samples);
	if (table->n_lost)
		text_printf(out, ", %" PRIu64 " lost", table->n_lost);
	if (table->n_throttled)
		text_printf(out, ", throttled %" PRIu64 " times", table->n_throttled);
	snprintf(unit, sizeof(unit), "%s%s", *event->unit || *per_s ? event->unit : "count", per_s);
	text_printf(out, "\n%8s%*s%*s%10s %-*s %-*s %s\n", "time", SHARE_WIDTH, "share",
		    SHARE_WIDTH + !context->ascii, context->ascii ? "+-" : "±", unit,
		    FUNCTION_WIDTH, "function", OBJECT_WIDTH, "object", "task");
}

void functions_as_table(const struct format_context *context, const struct frame *frame,
			struct text *out)
{
	const struct function_table *table = context->functions;

	for (size_t i = 0; i < table->n; i++) {
		const struct function_line *line = &table->line[i];
		const struct event *event = event_of(table, line->type);
		char buf[64], number[16], marked[24];

		if (!i || line->type != table->line[i - 1].type)
			put_total(context, line->type, out);
		shown_value(context, &line->count, event, number, sizeof(number));
		snprintf(marked, sizeof(marked), "%s%s", quality_mark(line->count.quality), number);
		text_printf(out, "%8.3f", (double)frame->t_ns / 1e9);
		put_percent(out, line->share);
		put_percent(out, line->error);
		text_right(out, marked, 10);
		text_printf(out, " %s", line->function && line->function->is_kernel ? "k " : "");
		text_left(out, function_name(line, buf, sizeof(buf)),
			  FUNCTION_WIDTH - 2 * (line->function && line->function->is_kernel));
		text_string(out, " ");
		text_left(out, object_name(line), OBJECT_WIDTH);
		text_printf(out, " %s\n", task_text(line, buf, sizeof(buf)));
	}
	if (table->n)
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

	for (size_t i = 0; i < table->n; i++) {
		const struct function_line *line = &table->line[i];
		const struct event *event = event_of(table, line->type);
		char buf[64];

		if (!context->is_summary)
			text_printf(out, "%.9f%s", (double)frame->t_ns / 1e9, sep);
		text_printf(out, "%.*f", exact_decimals(event),
			    count_total(&line->count).value * event->scale);
		put_field(out, sep, event->name);
		text_string(out, sep);
		if (!isnan(line->share))
			text_printf(out, "%.3f", 100 * line->share);
		text_string(out, sep);
		if (!isnan(line->error))
			text_printf(out, "%.3f", 100 * line->error);
		text_printf(out, "%s%" PRIu64, sep, line->n);
		put_field(out, sep, function_name(line, buf, sizeof(buf)));
		put_field(out, sep, object_name(line));
		put_field(out, sep, task_text(line, buf, sizeof(buf)));
		if (context->machine->n_types > 1)
			put_field(out, sep, context->machine->type[line->type].name);
		text_string(out, "\n");
	}
}

void functions_as_json(const struct format_context *context, const struct frame *frame,
		       struct text *out)
{
	const struct function_table *table = context->functions;
	const struct json json = { out, " ", " : " };

	for (size_t i = 0; i < table->n; i++) {
		const struct function_line *line = &table->line[i];
		const struct event *event = event_of(table, line->type);
		bool has_task = line->task.kind != TASK_OTHERS && !is_lost(line);
		char buf[64];

		json_begin(&json, NULL, "{");
		if (!context->is_summary)
			json_printf(&json, "interval", "%.9f", (double)frame->t_ns / 1e9);
		json_text(&json, "function", function_name(line, buf, sizeof(buf)));
		json_text(&json, "object", line->function ? line->function->object->path : NULL);
		json_bool(&json, "kernel", line->function && line->function->is_kernel);
		json_text(&json, "comm", has_task ? line->task.comm : NULL);
		if (line->task.kind == TASK_THREAD)
			json_u64(&json, "pid", line->task.pid);
		json_printf(&json, "counter-value", "\"%.*f\"", exact_decimals(event),
			    count_total(&line->count).value * event->scale);
		json_text(&json, "unit", event->unit);
		json_text(&json, "event", event->name);
		json_number(&json, "share-pct", 6, 100 * line->share);
		json_number(&json, "error-pct", 6, 100 * line->error);
		json_u64(&json, "samples", line->n);
		json_text(&json, "type", context->machine->type[line->type].name);
		json_text(&json, "quality", quality_name(line->count.quality));
		json_end(&json, "}\n");
	}
}
