/* hot_sum.c: samples summed over frames, and how an exact count divides by them into functions or places */
#include "sampler/hot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "symbols/symbols.h"

/* Of the normal distribution: 95 of 100 values are within so many standard deviations. */
#define Z95          1.959964

/* Rows of a tree with less of its function are in [others], as in perf report. */
#define SHARE_LISTED .005

/* From so many new spots on they are merged. */
enum { SPOTS_MIN = 4096 };

/* ---- frames ---- */

static bool has_core(const struct hot_sum *sum, const struct hot_select *select, unsigned core)
{
	const struct core *of = &sum->machine->core[core];

	return of->type == sum->type && (!select->on || cpus_has(select->on, of->cpu));
}

static bool selects_tasks(const struct hot_select *select)
{
	return select->task || select->of_root;
}

static bool has_task(const struct hot_select *select, const struct core_task *task)
{
	return (!select->task || task_id_has(select->task, task)) &&
	       (!select->of_root || task->is_of_root);
}

/* Whether a task's counts may be those of selected tasks. */
static bool is_lost(const struct hot_select *select, const struct core_task *task)
{
	return (task->kind == TASK_UNATTRIBUTED || task->kind == TASK_OTHERS) &&
	       (!select->task || select->task->like.kind == TASK_THREAD) &&
	       (!select->of_root || task->is_of_root);
}

/* Add what the selected tasks counted, and what they may lack, extended to the window of the frame. */
static void add_tasks(struct hot_sum *sum, const struct frame *frame,
		      const struct hot_select *select, uint64_t window_ns, struct count *of_frame)
{
	const struct frame_tasks *tasks = frame->tasks;
	struct count lost = { .quality = QUALITY_NONE }, one;

	for (size_t i = 0; tasks && i < tasks->n; i++) {
		bool may_be = is_lost(select, &tasks->task[i]);

		if (!has_core(sum, select, tasks->task[i].core) ||
		    !(may_be || has_task(select, &tasks->task[i])))
			continue;
		core_task_count(frame, i, frame->hot->column, &one);
		count_add_window(may_be ? &lost : of_frame, &one);
	}
	count_widen(of_frame, window_ns);
	count_widen(&lost, window_ns);
	count_add_window(&sum->lost, &lost);
}

/* Add the exact count of the selection in a frame. */
static void add_count(struct hot_sum *sum, const struct frame *frame,
		      const struct hot_select *select)
{
	struct count of_frame = { .quality = QUALITY_NONE };
	uint64_t window_ns = 0;
	bool is_late = false;

	for (unsigned core = 0; core < frame->n_cores; core++) {
		if (!has_core(sum, select, core))
			continue;
		is_late |= frame->core[core].state == CORE_LATE;
		if (frame->core[core].window_ns > window_ns)
			window_ns = frame->core[core].window_ns;
		if (!selects_tasks(select))
			count_add_core(&of_frame, &frame_counts(frame, core)[frame->hot->column]);
	}
	if (selects_tasks(select))
		add_tasks(sum, frame, select, window_ns, &of_frame);
	if (is_late)
		of_frame.quality = quality_worst(of_frame.quality, QUALITY_PENDING);
	count_add_last(&sum->count, &of_frame);
}

/* Compute by how much the weights of a core are stretched. @i, @end  its spots */
static double stretch_of(const struct frame *frame, size_t i, size_t end)
{
	const struct hot_spot *spot = frame->hot->spot;
	const struct count *count = &frame_counts(frame, spot[i].core)[frame->hot->column];
	double weight = 0, weight2 = 0;

	for (; i < end; i++) {
		weight += spot[i].weight;
		weight2 += spot[i].weight2;
	}
	/* weight2 / weight is the mean period */
	if (!quality_has_value(count->quality) || weight <= 0 ||
	    (double)count->value - weight <= 2 * weight2 / weight)
		return 1;
	return (double)count->value / weight;
}

static bool has_key(const struct hot_sum *sum, enum hot_key key)
{
	const enum hot_key *at = sum->by;

	while (*at && *at != key)
		at++;
	return *at;
}

/* Get the number of a spot's task. @return UINT32_MAX: not distinguished, or unknown; -ENOMEM */
static int64_t take_task(struct hot_sum *sum, const struct core_task *task)
{
	ptrdiff_t number;

	if (!task || !has_key(sum, HOT_BY_TASK))
		return UINT32_MAX;
	number = task_index_take(&sum->tasks, task);
	/* the main thread's name is the one set by exec */
	if (number >= 0 && task->tid == task->pid)
		memcpy(sum->tasks.task[number].comm, task->comm, TASK_COMM_SIZE);
	return number;
}

static int add_spot(struct hot_sum *sum, const struct frame *frame, const struct hot_select *select,
		    struct hot_spot spot, double stretch)
{
	bool is_known = frame->tasks && spot.task < frame->tasks->n;
	const struct core_task *task = is_known ? &frame->tasks->task[spot.task] : NULL;
	uint32_t n = (uint32_t)spot.n;
	int64_t number;

	if (selects_tasks(select) && (!task || !has_task(select, task)))
		return 0;
	number = take_task(sum, task);
	if (number < 0)
		return -ENOMEM;
	spot.task = (uint32_t)number;
	spot.function = place_function_of(spot.place, n);
	for (unsigned i = 0; has_key(sum, HOT_BY_CHAIN) && spot.chain && i < spot.chain->n; i++)
		(void)place_function_of(spot.chain->caller[i], n);
	sum->events += spot.weight;
	spot.weight *= stretch;
	spot.weight2 *= stretch * stretch;
	return array_append((void **)&sum->spot, &sum->cap, &sum->n, &spot, sizeof(spot));
}

static void merge(struct hot_sum *sum)
{
	if (has_key(sum, HOT_BY_FUNCTION))
		hot_resolve(sum->spot, sum->n);
	sum->n = hot_merge(sum->spot, sum->n, sum->by);
}

/* Let spots below the mean be those of [others], and forget tasks without spots. @return 0 or -ENOMEM */
static int forget_tasks(struct hot_sum *sum)
{
	const struct core_task others = task_of_kind(TASK_OTHERS);
	struct task_index all = sum->tasks;
	double mean = 0;
	int rc = 0;

	sum->tasks = (struct task_index){ .by = all.by };
	for (size_t i = 0; i < sum->n; i++)
		mean += sum->spot[i].weight / (double)sum->n;
	for (size_t i = 0; !rc && i < sum->n; i++) {
		struct hot_spot *spot = &sum->spot[i];
		int64_t number = UINT32_MAX;

		if (spot->task < all.n)
			number = take_task(sum,
					   spot->weight < mean ? &others : &all.task[spot->task]);
		rc = number < 0 ? -ENOMEM : 0;
		spot->task = (uint32_t)number;
	}
	task_index_clear(&all);
	merge(sum);
	return rc;
}

/* Merge the spots once there are twice as many. @return 0 or -ENOMEM */
static int keep_small(struct hot_sum *sum)
{
	int rc = 0;

	if (sum->n <= 2 * sum->n_merged + SPOTS_MIN)
		return 0;
	merge(sum);
	if (sum->n > HOT_SPOTS_MAX && has_key(sum, HOT_BY_TASK))
		rc = forget_tasks(sum);
	sum->n_merged = sum->n;
	return rc;
}

int hot_sum_add(struct hot_sum *sum, const struct frame *frame, const struct hot_select *select)
{
	const struct frame_hot *hot = frame->hot;
	const struct event *event = hot ? frame->set->type[sum->type].event[hot->column] : NULL;
	int rc = 0;

	if (!event || (sum->event && !event_counts_as(event, sum->event)))
		return 0;
	if (!sum->of)
		sum->of = frame_set_ref(frame->of);
	if (!sum->event)
		sum->event = event;
	add_count(sum, frame, select);
	for (size_t i = 0, end; !rc && i < hot->n; i = end) {
		double stretch;

		for (end = i + 1; end < hot->n && hot->spot[end].core == hot->spot[i].core;)
			end++;
		if (!has_core(sum, select, hot->spot[i].core))
			continue;
		stretch = stretch_of(frame, i, end);
		for (size_t at = i; !rc && at < end; at++)
			rc = add_spot(sum, frame, select, hot->spot[at], stretch);
	}
	sum->n_lost += hot->n_lost;
	sum->n_throttled += hot->n_throttled;
	return rc ? rc : keep_small(sum);
}

void hot_sum_clear(struct hot_sum *sum)
{
	frame_set_unref(sum->of);
	free(sum->spot);
	task_index_clear(&sum->tasks);
	*sum = (struct hot_sum){
		.machine = sum->machine,
		.type = sum->type,
		.by = sum->by,
		.tree = sum->tree,
		.tasks = sum->tasks,
	};
}

/* ---- rows ---- */

/* Order rows by share; equal ones by name and address, which are the same in every run. */
static int compare_rows(const void *a, const void *b)
{
	const struct hot_row *left = a, *right = b;
	int by = left->share == right->share ? 0 : left->share < right->share ? 1 : -1;

	if (!by)
		by = strcmp(left->function->name, right->function->name);
	if (!by)
		by = strcmp(left->function->object->name, right->function->object->name);
	return by ? by : task_order(place_address(left->place), place_address(right->place));
}

/* Add a spot to the part of its function's code. */
static void add_part(const struct hot_spot *spot, double *part)
{
	const struct function *function = spot->function;
	uint64_t at = place_address(spot->place) - function->start;

	if (function->size && at < function->size)
		part[(size_t)((double)at / (double)function->size * HOT_PARTS)] += spot->weight;
}

static bool is_same_row(const struct hot_spot *a, const struct hot_spot *b, bool by_place)
{
	return a->function == b->function && (!by_place || a->place == b->place);
}

/* Sum the spots of one row, which are in the order of their tasks, into `row`, its share still a weight.
 * @ret_task  room for its task  @return the end of its spots */
static size_t sum_row(const struct hot_sum *sum, const struct hot_spot *spot, size_t n,
		      bool by_place, size_t first, struct hot_row *row, struct core_task *ret_task)
{
	double largest = 0, of_task = 0;
	uint32_t task = UINT32_MAX;
	size_t i = first;

	*row = (struct hot_row){ .function = spot[i].function, .place = spot[i].place };
	for (; i < n && is_same_row(&spot[first], &spot[i], by_place); i++) {
		row->n += spot[i].n;
		row->share += spot[i].weight;
		add_part(&spot[i], row->part);
		of_task = i > first && spot[i].task == spot[i - 1].task ? of_task + spot[i].weight
									: spot[i].weight;
		if (of_task > largest) {
			largest = of_task;
			task = spot[i].task;
		}
	}
	if (2 * largest > row->share && task < sum->tasks.n) {
		*ret_task = sum->tasks.task[task];
		row->task = ret_task;
	}
	return i;
}

double hot_rows_error(const struct hot_rows *rows, double share)
{
	double n = rows->n_effective + Z95 * Z95;
	double middle = (rows->n_effective * share + Z95 * Z95 / 2) / n;

	return Z95 * sqrt(fmax(0, middle * (1 - middle)) / n) + fabs(middle - share);
}

bool hot_rows_differ(const struct hot_rows *rows, double a, double b)
{
	/* variance of the difference of two shares of the same samples */
	double variance = (a + b - (a - b) * (a - b)) / fmax(1, rows->n_effective);

	return fabs(a - b) > Z95 * sqrt(fmax(0, variance));
}

/* Get a share of a count. @value  its events */
static struct count count_share(const struct count *whole, double share, uint64_t value)
{
	struct count count = *whole;

	count.value = value;
	count.rates *= share;
	count.extra *= share;
	count.error *= share;
	return count;
}

static void free_below(struct hot_row *row)
{
	for (size_t i = 0; i < row->n_below; i++)
		free_below(&row->below[i]);
	free(row->below);
}

void hot_rows_free(struct hot_rows *rows)
{
	for (size_t i = 0; rows && i < rows->n; i++)
		free_below(&rows->row[i]);
	free(rows);
}

/* Sum the rows beyond the first `top` into one. */
static void leave_out(struct hot_row *row, size_t *n, size_t top)
{
	struct hot_row rest = { .n_functions = (unsigned)(*n - top) };

	for (size_t i = top; i < *n; i++) {
		rest.n += row[i].n;
		rest.share += row[i].share;
		free_below(&row[i]);
	}
	row[top] = rest;
	*n = top + 1;
}

/* Fill in the errors, and divide the value of all rows: each row's is a difference of the rounded running sum. */
static void divide(const struct hot_rows *rows, struct hot_row *row, size_t n, double share,
		   uint64_t value)
{
	const struct count *whole = &rows->count;
	uint64_t before = 0;
	double sum = 0;

	for (const struct hot_row *end = row + n; row < end; row++) {
		uint64_t until;

		sum += row->share;
		until = row + 1 == end ? value
				       : (uint64_t)(fmin(sum / share, 1) * (double)value + 0.5);
		row->error = hot_rows_error(rows, row->share);
		row->count = count_share(whole, row->share, until - before);
		row->count.error =
			hypot(row->count.error, row->error * ((double)whole->value + whole->extra));
		before = until;
		divide(rows, row->below, row->n_below, row->share, row->count.value);
	}
}

/* ---- stacks ---- */

/* Rows that stand for what is not in a chain. */
enum chain_end { NO_POINTERS, TOO_DEEP, NOT_STORED, NO_CALLERS, SELF, N_ENDS };

static const struct object no_object = { "", "" };

#define END(text)                                                      \
	{                                                              \
		.object = &no_object, .name = (text), .is_named = true \
	}

static const struct function end_functions[N_ENDS] = {
	[NO_POINTERS] = END("[no frame pointers]"),
	[TOO_DEEP] = END("[deeper]"),
	[NOT_STORED] = END("[callers not stored]"),
	[NO_CALLERS] = END("[no callers]"),
	[SELF] = END("[self]"),
};

/* Whether the last function of a stack is where its program or thread begins. The chain does not say: code without frame
 * pointers may have left anything in the register. */
static bool is_at_entry(const struct function *const *stack, size_t n)
{
	const struct function *last = stack[n - 1], *callee = n > 1 ? stack[n - 2] : NULL;

	if (!last->is_entry || !strstr(last->name, "clone"))
		return last->is_entry;
	/* else it is the parent's system call */
	return callee && (!callee->is_kernel || strncmp(callee->name, "ret_from_fork", 13) == 0);
}

/* Whether it is code: without frame pointers a chain goes on with numbers of the stack. */
static bool is_code(const struct function *function)
{
	return strcmp(function->object->name, "[unknown]") != 0;
}

/* Find what stands for the callers that a chain lacks. @return N_ENDS: nothing, it is complete */
static enum chain_end end_of(const struct hot_chain *chain, const struct function *const *stack,
			     size_t n)
{
	if (chain == &hot_chain_lost)
		return NOT_STORED;
	/* a process's chain goes on in the user's code */
	if (stack[n - 1]->is_kernel || is_at_entry(stack, n))
		return N_ENDS;
	return chain && chain->n + 1 >= CHAIN_MAX ? TOO_DEEP : NO_POINTERS;
}

enum { STACK_MAX = CHAIN_MAX + 2 };

/* Get the functions of a spot's stack from the sample's to the outermost, direct recursion once. @return number of them */
static size_t stack_of(const struct hot_spot *spot, const struct function **ret)
{
	const struct hot_chain *chain = spot->chain;
	enum chain_end end;
	size_t n = 1;

	ret[0] = spot->function;
	for (unsigned i = 0; chain && i < chain->n && !is_at_entry(ret, n); i++) {
		ret[n] = function_shown(place_function(chain->caller[i]));
		if (!is_code(ret[n]))
			break;
		n += ret[n] != ret[n - 1];
	}
	end = end_of(chain, ret, n);
	if (end != N_ENDS)
		ret[n++] = &end_functions[end];
	return n;
}

static const struct function *outermost_of(const struct hot_spot *spot)
{
	const struct function *function[STACK_MAX] = { NULL };

	return function[stack_of(spot, function) - 1];
}

/* Copy the spots of a function, or all, with the functions that are shown now, or those that their stacks begin with.
 * @return number of them */
static size_t copy_spots(const struct hot_sum *sum, const struct function *function,
			 struct hot_spot *ret, bool from_roots)
{
	size_t n = 0;

	for (size_t i = 0; i < sum->n; i++) {
		ret[n] = sum->spot[i];
		ret[n].function = function_shown(place_function(ret[n].place));
		if (from_roots)
			ret[n].function = outermost_of(&ret[n]);
		n += !function || ret[n].function == function;
	}
	return n;
}

/* ---- trees ---- */

/* Samples of one stack. */
struct call_stack {
	const struct hot_spot *spot;
	size_t depth;
	const struct function **function; /* in the order of the tree */
};

/* Get the function of a stack at a depth. @return NULL: it ends before */
static const struct function *function_at(const struct call_stack *stack, size_t depth)
{
	return depth < stack->depth ? stack->function[depth] : NULL;
}

static int compare_stacks(const void *a, const void *b)
{
	const struct call_stack *left = a, *right = b;
	int order = 0;

	for (size_t i = 0; !order && (i < left->depth || i < right->depth); i++)
		order = task_order((uintptr_t)function_at(left, i),
				   (uintptr_t)function_at(right, i));
	return order;
}

/* Count the stacks that have the first one's function at a depth. */
static size_t count_alike(const struct call_stack *stack, size_t n, size_t depth)
{
	size_t end = n ? 1 : 0;

	while (end < n && function_at(&stack[end], depth) == function_at(stack, depth))
		end++;
	return end;
}

/* A tree under construction. */
struct call_tree {
	double weight, least; /* of all samples; of the rows that are not in [others] */
	enum chain_end end;   /* of the stacks that end where others go on */
};

static bool is_listed(const struct call_tree *tree, const struct hot_row *row)
{
	return row->n >= HOT_SAMPLES_LISTED && row->share >= tree->least;
}

/* Move the rows that are listed before the others. @return number of them */
static size_t list_first(const struct call_tree *tree, struct hot_row *row, size_t n)
{
	size_t n_listed = 0;

	for (size_t i = 0; i < n; i++) {
		const struct hot_row moved = row[i];

		if (!is_listed(tree, &moved))
			continue;
		row[i] = row[n_listed];
		row[n_listed++] = moved;
	}
	return n_listed;
}

static void list_below(const struct call_tree *tree, struct hot_row *row)
{
	size_t top = list_first(tree, row->below, row->n_below);

	qsort(row->below, top, sizeof(*row->below), compare_rows);
	if (top < row->n_below)
		leave_out(row->below, &row->n_below, top);
}

/* Divide a row by its stacks, which are sorted and alike above a depth. @return 0 or -ENOMEM */
static int add_below(const struct call_tree *tree, struct hot_row *row,
		     const struct call_stack *stack, size_t n, size_t depth)
{
	size_t n_rows = 0, n_alike;
	int rc = 0;

	for (size_t i = 0; i < n; i += count_alike(stack + i, n - i, depth))
		n_rows++;
	if (!is_listed(tree, row) || (n_rows == 1 && !function_at(stack, depth)))
		return 0;
	row->below = calloc(n_rows + 1, sizeof(*row->below));
	if (!row->below)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < n; i += n_alike) {
		struct hot_row *below = &row->below[row->n_below++];

		n_alike = count_alike(stack + i, n - i, depth);
		below->function = function_at(&stack[i], depth);
		below->place = stack[i].spot->place;
		for (size_t k = i; k < i + n_alike; k++) {
			below->n += stack[k].spot->n;
			below->share += stack[k].spot->weight / tree->weight;
		}
		if (below->function)
			rc = add_below(tree, below, stack + i, n_alike, depth + 1);
		else
			below->function = &end_functions[tree->end];
	}
	list_below(tree, row);
	return rc;
}

/* Fill in the functions of stacks, and sort them. @function  room for all  */
static void fill_stacks(enum hot_tree tree, const struct hot_spot *spot, size_t n,
			struct call_stack *stack, const struct function **function)
{
	for (size_t i = 0; i < n; i++) {
		size_t depth = stack_of(&spot[i], function);

		stack[i] = (struct call_stack){ &spot[i], depth, function };
		for (size_t k = 0; tree == HOT_CALLEES && k < depth / 2; k++) {
			const struct function *swapped = function[k];

			function[k] = function[depth - 1 - k];
			function[depth - 1 - k] = swapped;
		}
		function += depth;
	}
	qsort(stack, n, sizeof(*stack), compare_stacks);
}

/* Divide rows, which are in the order of their functions. @return 0 or -ENOMEM */
static int add_trees(const struct hot_sum *sum, struct hot_rows *rows, double weight)
{
	static const enum hot_key by_chain[] = { HOT_BY_FUNCTION, HOT_BY_CHAIN, HOT_END };
	AUTO_FREE struct hot_spot *spot = calloc(sum->n + 1, sizeof(*spot));
	size_t n = hot_merge(spot, spot ? copy_spots(sum, NULL, spot, false) : 0, by_chain);
	AUTO_FREE struct call_stack *stack = calloc(n + 1, sizeof(*stack));
	AUTO_FREE const struct function **function = NULL;
	size_t n_functions = 1, at = 0;
	int rc = 0;

	for (size_t i = 0; spot && i < n; i++)
		n_functions += 2 + (spot[i].chain ? spot[i].chain->n : 0);
	function = calloc(n_functions, sizeof(const struct function *));
	if (!spot || !stack || !function)
		return -ENOMEM;
	fill_stacks(sum->tree, spot, n, stack, function);
	for (size_t i = 0, n_alike; !rc && i < rows->n; i++) {
		struct call_tree tree = { weight, rows->row[i].share * SHARE_LISTED,
					  sum->tree == HOT_CALLERS ? NO_CALLERS : SELF };

		/* a name that was read meanwhile moves a stack to another row */
		while (at < n &&
		       (uintptr_t)stack[at].function[0] < (uintptr_t)rows->row[i].function)
			at++;
		n_alike = count_alike(stack + at, n - at, 0);
		if (n_alike && stack[at].function[0] == rows->row[i].function)
			rc = add_below(&tree, &rows->row[i], stack + at, n_alike, 1);
		if (sum->tree == HOT_CALLEES)
			memset(rows->row[i].part, 0, sizeof(rows->row[i].part));
	}
	return rc;
}

/* ---- rows of a sum ---- */

const char *hot_row_name(const struct hot_row *row, char *buf, size_t size)
{
	if (row->function)
		return row->function->name;
	if (!row->n_functions)
		return isnan(row->share) ? task_kind_name[TASK_UNATTRIBUTED] : "[no samples]";
	snprintf(buf, size, "[others], %u function%s", row->n_functions,
		 row->n_functions == 1 ? "" : "s");
	return buf;
}

/* Count the rows of spots, which are in their order. */
static size_t count_rows(const struct hot_spot *spot, size_t n, bool by_place)
{
	size_t n_rows = n ? 1 : 0;

	for (size_t i = 1; i < n; i++)
		n_rows += !is_same_row(&spot[i - 1], &spot[i], by_place);
	return n_rows;
}

/* Make rows of spots, which are in their order; shares are still weights. @return NULL: out of memory */
static struct hot_rows *rows_of(const struct hot_sum *sum, const struct hot_spot *spot, size_t n,
				bool by_place)
{
	size_t n_rows = count_rows(spot, n, by_place) + HOT_ROWS_MORE;
	struct hot_rows *rows =
		calloc(1, sizeof(*rows) + n_rows * (sizeof(*rows->row) + sizeof(struct core_task)));
	struct core_task *task;

	if (!rows)
		return NULL;
	*rows = (struct hot_rows){ .count = sum->count,
				   .lost = sum->lost,
				   .n_throttled = sum->n_throttled,
				   .n_lost = sum->n_lost,
				   .row = (struct hot_row *)(rows + 1) };
	count_end(&rows->count);
	if (rows->lost.value && rows->count.quality == QUALITY_OK)
		rows->count.quality = QUALITY_PARTIAL;
	task = (struct core_task *)(rows->row + n_rows);
	for (size_t i = 0; i < n; rows->n++) {
		i = sum_row(sum, spot, n, by_place, i, &rows->row[rows->n], &task[rows->n]);
		rows->n_samples += rows->row[rows->n].n;
	}
	return rows;
}

static double weight_of(const struct hot_spot *spot, size_t n)
{
	double weight = 0;

	for (size_t i = 0; i < n; i++)
		weight += spot[i].weight;
	return weight;
}

struct hot_rows *hot_sum_rows(const struct hot_sum *sum, const struct function *function,
			      unsigned top)
{
	static const enum hot_key by_function[] = { HOT_BY_FUNCTION, HOT_BY_TASK, HOT_BY_PLACE,
						    HOT_END };
	static const enum hot_key by_place[] = { HOT_BY_PLACE, HOT_BY_TASK, HOT_END };
	AUTO_FREE struct hot_spot *spot = calloc(sum->n + 1, sizeof(*spot));
	bool from_roots = sum->tree == HOT_CALLEES && !function;
	size_t n = spot ? copy_spots(sum, function, spot, from_roots) : 0;
	double weight = weight_of(spot, n), all = weight_of(sum->spot, sum->n), weight2 = 0;
	struct hot_rows *rows;

	for (size_t i = 0; i < n; i++)
		weight2 += spot[i].weight2;
	n = hot_merge(spot, n, function ? by_place : by_function);
	rows = spot ? rows_of(sum, spot, n, function) : NULL;
	if (!rows)
		return NULL;
	for (size_t i = 0; i < rows->n; i++)
		rows->row[i].share /= weight;
	if (sum->tree && !function && add_trees(sum, rows, weight)) {
		hot_rows_free(rows);
		return NULL;
	}
	rows->n_effective = weight2 > 0 ? weight * weight / weight2 : 0;
	rows->period = rows->n_samples ? weight / all * sum->events / (double)rows->n_samples : 0;
	if (function && weight < all)
		rows->count =
			count_share(&rows->count, weight / all,
				    (uint64_t)(weight / all * (double)rows->count.value + 0.5));
	qsort(rows->row, rows->n, sizeof(*rows->row), compare_rows);
	if (top && rows->n > top)
		leave_out(rows->row, &rows->n, top);
	divide(rows, rows->row, rows->n, 1, rows->count.value);
	return rows;
}

int hot_sum_add_all(struct hot_sum *sum, const struct frame *const *frame, size_t n,
		    const struct hot_select *select)
{
	static const enum hot_key by_place[] = { HOT_BY_TASK, HOT_BY_PLACE, HOT_END },
				  by_stack[] = { HOT_BY_TASK, HOT_BY_PLACE, HOT_BY_CHAIN, HOT_END };
	const struct frame *last = n ? frame[n - 1] : NULL;
	int rc = 0;

	sum->by = select->tree ? by_stack : by_place;
	sum->tree = select->tree;
	if (last && last->hot)
		sum->event = last->set->type[sum->type].event[last->hot->column];
	for (size_t i = 0; !rc && sum->event && i < n; i++)
		rc = hot_sum_add(sum, frame[i], select);
	return rc;
}

struct hot_rows *hot_rows_sum(const struct frame *const *frame, size_t n,
			      const struct machine *machine, unsigned type,
			      const struct hot_select *select)
{
	struct hot_sum sum = { .machine = machine, .type = type };
	struct hot_rows *rows = NULL;

	if (!hot_sum_add_all(&sum, frame, n, select))
		rows = hot_sum_rows(&sum, select->function, 0);
	hot_sum_clear(&sum);
	return rows;
}
