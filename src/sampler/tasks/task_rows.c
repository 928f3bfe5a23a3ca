#include "sampler/task_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

/* ---- numbers across frames ---- */

/* Hash the fields that task_compare compares. */
static uint64_t hash_of(const struct core_task *task, enum task_by by)
{
	uint64_t key = by == BY_CGROUP    ? (uintptr_t)core_task_cgroup(task)
		       : by == BY_PROCESS ? task->pid
					  : task->tid;

	if (by == BY_COMMAND)
		return hash_text(task->kind, task->comm);
	return hash_mix(task->kind, task->kind == TASK_THREAD ? key : 0);
}

ptrdiff_t task_index_find(const struct task_index *index, const struct core_task *task)
{
	void *item;

	hash_each(&index->numbers, hash_of(task, index->by), item)
		if (task_compare(&index->task[hash_number(item)], task, index->by) == 0)
			return (ptrdiff_t)hash_number(item);
	return -1;
}

ptrdiff_t task_index_take(struct task_index *index, const struct core_task *task)
{
	ptrdiff_t number = task_index_find(index, task);

	if (number >= 0)
		return number;
	if (array_reserve((void **)&index->task, &index->cap, index->n, sizeof(*task)) ||
	    hash_add(&index->numbers, hash_of(task, index->by), hash_item(index->n)))
		return -ENOMEM;
	index->task[index->n] = *task;
	return (ptrdiff_t)index->n++;
}

void task_index_clear(struct task_index *index)
{
	free(index->task);
	hash_fini(&index->numbers);
	*index = (struct task_index){ .by = index->by };
}

/* ---- sums of a frame ---- */

/* Order parts by row, then by core. @by enum task_by */
static int compare_parts(const void *a, const void *b, void *by)
{
	const struct core_task *const *left = a, *const *right = b;
	int by_row = task_compare(*left, *right, *(const enum task_by *)by);

	return by_row ? by_row : task_order((uintptr_t)*left, (uintptr_t)*right);
}

static int compare_rows(const void *a, const void *b)
{
	const struct task_row *left = a, *right = b;

	if (left->task->kind != right->task->kind)
		return task_order(left->task->kind, right->task->kind);
	if (left->time_ns != right->time_ns)
		return task_order(right->time_ns, left->time_ns);
	return task_order(left->task->tid, right->task->tid);
}

static size_t index_of(const struct task_rows *rows, const struct core_task *part)
{
	return (size_t)(part - rows->frame->tasks->task);
}

static unsigned task_rows_type_of(const struct task_rows *rows, const struct core_task *part)
{
	return rows->machine->core[part->core].type;
}

static uint64_t time_of(const struct task_rows *rows, const struct core_task *part)
{
	return core_task_time_ns(rows->frame->tasks, index_of(rows, part));
}

static bool is_better_name(const struct task_rows *rows, const struct core_task *part,
			   const struct core_task *than, enum task_by by)
{
	bool is_main = part->tid == part->pid, was_main = than->tid == than->pid;

	if (by == BY_PROCESS && is_main != was_main)
		return is_main;
	return time_of(rows, part) > time_of(rows, than);
}

static struct task_row task_rows_row_of(const struct task_rows *rows,
					const struct core_task *const *part, size_t n_parts,
					enum task_by by)
{
	struct task_row row = { .task = part[0], .part = part, .n_parts = n_parts };

	for (size_t i = 0; i < n_parts; i++) {
		if (is_better_name(rows, part[i], row.task, by))
			row.task = part[i];
		row.time_ns += time_of(rows, part[i]);
		row.types |= UINT32_C(1) << task_rows_type_of(rows, part[i]);
	}
	return row;
}

static bool is_in(const struct core_task *task, const struct cgroup *in)
{
	return !in || task->kind == TASK_UNATTRIBUTED || task->kind == TASK_OTHERS ||
	       (task->kind == TASK_THREAD && cgroup_is_in(core_task_cgroup(task), in));
}

/* Note what the other rows may lack. */
static void add_missing(struct task_rows *rows, const struct core_task *part)
{
	unsigned type = task_rows_type_of(rows, part);

	if (part->kind == TASK_UNATTRIBUTED || part->kind == TASK_OTHERS)
		frame_task_columns(rows->frame->tasks, index_of(rows, part),
				   part->kind == TASK_OTHERS ? &rows->merged[type]
							     : &rows->lost[type]);
}

/* Note what the rows lack of cores without counts, whose tasks a session does not have. @on  only these; NULL: all
 * @has_tasks  by core */
static void add_missing_cores(struct task_rows *rows, const struct cpus *on, const bool *has_tasks)
{
	const struct frame *frame = rows->frame;

	for (unsigned core = 0; core < frame->n_cores; core++) {
		if (has_tasks[core] || (on && !cpus_has(on, rows->machine->core[core].cpu)))
			continue;
		for (unsigned i = 0; i < frame->n_slots; i++) {
			const struct count *count = &frame_counts(frame, core)[i];

			if (count_is_requested(count) && !quality_has_value(count->quality))
				column_set_add(&rows->missing[rows->machine->core[core].type], i);
		}
	}
}

static size_t list_parts(struct task_rows *rows, const struct cpus *on, bool of_root,
			 const struct cgroup *in, const struct core_task **ret)
{
	const struct frame_tasks *tasks = rows->frame->tasks;
	bool has_tasks[CORES_MAX] = { false };
	size_t n = 0;

	for (size_t i = 0; i < tasks->n; i++) {
		has_tasks[tasks->task[i].core] = true;
		if ((!on || cpus_has(on, rows->machine->core[tasks->task[i].core].cpu)) &&
		    (!of_root || tasks->task[i].is_of_root) && is_in(&tasks->task[i], in)) {
			add_missing(rows, &tasks->task[i]);
			ret[n++] = &tasks->task[i];
		}
	}
	add_missing_cores(rows, on, has_tasks);
	if (!tasks->own_window_ns)
		rows->late_types = frame_late_types(rows->frame, rows->machine, on);
	return n;
}

/* Return the end of the parts that are equal to part i. */
static size_t end_of_equal(const struct core_task *const *part, size_t i, size_t n, enum task_by by)
{
	size_t end = i + 1;

	while (end < n && !task_compare(part[i], part[end], by))
		end++;
	return end;
}

struct task_rows *task_rows_new(const struct frame *frame, const struct machine *machine,
				enum task_by by, const struct cpus *on, bool of_root,
				const struct cgroup *in)
{
	size_t n = frame->tasks->n, end;
	struct task_rows *rows =
		malloc(sizeof(*rows) + n * sizeof(struct task_row) + n * sizeof(void *));

	if (!rows)
		return NULL;
	*rows = (struct task_rows){ .frame = frame,
				    .machine = machine,
				    .row = (struct task_row *)(rows + 1) };

	const struct core_task **part = (const struct core_task **)(rows->row + n);

	n = list_parts(rows, on, of_root, in, part);
	qsort_r(part, n, sizeof(void *), compare_parts, &by);
	for (size_t i = 0; i < n; i = end) {
		end = end_of_equal(part, i, n, by);
		rows->row[rows->n++] = task_rows_row_of(rows, part + i, end - i, by);
	}
	qsort(rows->row, rows->n, sizeof(*rows->row), compare_rows);
	return rows;
}

/* ---- tree ---- */

enum { NONE_ABOVE = -1 };

/* Rows that parts are added to: the innermost one, and what is above it. */
struct tree {
	struct task_rows *rows;
	struct core_task *name; /* by row: the task that names it */
	const struct core_task *const *part;
	ptrdiff_t at; /* innermost open row; NONE_ABOVE */
};

/* Return the most rows that a tree can have. */
static size_t tree_rows_max(const struct core_task *const *part, size_t n)
{
	size_t n_rows = 0;

	for (size_t i = 0; i < n; i = end_of_equal(part, i, n, BY_CGROUP))
		n_rows += part[i]->kind == TASK_THREAD ? core_task_cgroup(part[i])->depth + 1 : 1;
	return n_rows;
}

/* Begin a row with part i, below the innermost one. */
static void tree_open(struct tree *tree, struct core_task name, size_t i)
{
	size_t n = tree->rows->n++;

	tree->name[n] = name;
	tree->rows->row[n] = (struct task_row){ .part = tree->part + i,
						.above = tree->at < 0 ? n : (size_t)tree->at };
	tree->at = (ptrdiff_t)n;
}

/* End the innermost row before part i. */
static void tree_close(struct tree *tree, size_t i)
{
	struct task_row *row = &tree->rows->row[tree->at];
	size_t above = row->above;

	*row = task_rows_row_of(tree->rows, row->part, (size_t)(tree->part + i - row->part),
				BY_CGROUP);
	row->task = &tree->name[tree->at];
	row->above = above;
	tree->at = above == (size_t)tree->at ? NONE_ABOVE : (ptrdiff_t)above;
}

/* Open the rows above a cgroup that are not, then its own. */
static void tree_open_cgroup(struct tree *tree, const struct cgroup *cgroup, size_t i)
{
	if (tree->at >= 0 && tree->name[tree->at].cgroup == cgroup)
		return;
	if (cgroup->parent)
		tree_open_cgroup(tree, cgroup->parent, i);
	tree_open(tree, (struct core_task){ .cgroup = cgroup, .core = tree->part[i]->core }, i);
}

static void tree_fill(struct tree *tree, size_t n)
{
	const struct core_task *const *part = tree->part;

	for (size_t i = 0; i < n; i = end_of_equal(part, i, n, BY_CGROUP)) {
		const struct cgroup *cgroup = core_task_cgroup(part[i]);
		bool is_thread = part[i]->kind == TASK_THREAD;

		while (tree->at >= 0 && !(is_thread && tree->name[tree->at].kind == TASK_THREAD &&
					  cgroup_is_in(cgroup, tree->name[tree->at].cgroup)))
			tree_close(tree, i);
		if (is_thread)
			tree_open_cgroup(tree, cgroup, i);
		else
			tree_open(tree, *part[i], i);
	}
	while (tree->at >= 0)
		tree_close(tree, n);
}

struct task_rows *task_rows_tree(const struct frame *frame, const struct machine *machine,
				 const struct cpus *on)
{
	enum task_by by = BY_CGROUP;
	struct task_rows all = { .frame = frame, .machine = machine }, *rows;
	AUTO_FREE const struct core_task **part = malloc((frame->tasks->n + 1) * sizeof(void *));
	size_t n, n_rows;

	if (!part)
		return NULL;
	n = list_parts(&all, on, false, NULL, part);
	qsort_r(part, n, sizeof(void *), compare_parts, &by);
	n_rows = tree_rows_max(part, n);
	rows = malloc(sizeof(*rows) + n_rows * sizeof(struct task_row) +
		      n_rows * sizeof(struct core_task) + n * sizeof(void *));
	if (!rows)
		return NULL;
	*rows = all;
	rows->row = (struct task_row *)(rows + 1);

	struct core_task *name = (struct core_task *)(rows->row + n_rows);
	const struct core_task **kept = (const struct core_task **)(name + n_rows);
	struct tree tree = { rows, name, kept, NONE_ABOVE };

	memcpy(kept, part, n * sizeof(void *));
	tree_fill(&tree, n);
	return rows;
}

/* ---- counts of a row ---- */

/* Get one column of a part of a row. */
static void part_count(const struct task_rows *rows, const struct task_row *row,
		       const struct core_task *part, unsigned column, struct count *ret)
{
	unsigned type = task_rows_type_of(rows, part), kind = row->task->kind;

	core_task_count(rows->frame, index_of(rows, part), column, ret);
	if (ret->quality == QUALITY_OK &&
	    (rows->late_types >> type & 1 || column_set_has(&rows->missing[type], column) ||
	     (kind != TASK_UNATTRIBUTED && column_set_has(&rows->lost[type], column)) ||
	     (kind == TASK_THREAD && column_set_has(&rows->merged[type], column))))
		ret->quality = QUALITY_PARTIAL;
}

static uint64_t window_of(const struct task_rows *rows, const struct core_task *part)
{
	uint64_t own_ns = rows->frame->tasks->own_window_ns;

	return own_ns ? own_ns : rows->frame->core[part->core].window_ns;
}

struct count task_row_count(const struct task_rows *rows, const struct task_row *row, unsigned type,
			    unsigned column)
{
	struct count sum = { .quality = QUALITY_NONE };

	for (size_t i = 0; i < row->n_parts; i++) {
		uint64_t window_ns = window_of(rows, row->part[i]);
		struct count one;

		if (task_rows_type_of(rows, row->part[i]) != type)
			continue;
		/* a task runs on one core at a time: its times on the cores add up like windows */
		part_count(rows, row, row->part[i], column, &one);
		one.rates = window_ns ? (double)one.value * 1e9 / (double)window_ns : 0;
		count_add_window(&sum, &one);
	}
	return sum;
}

void task_row_counts(const struct task_rows *rows, const struct task_row *row, unsigned type,
		     struct count *ret)
{
	for (unsigned column = 0; column < rows->frame->n_slots; column++)
		ret[column] = task_row_count(rows, row, type, column);
}

int task_row_add_windows(const struct task_rows *rows, const struct task_row *row, unsigned type,
			 struct count_windows *windows)
{
	unsigned n_slots = rows->frame->n_slots;
	int rc = 0;

	for (size_t i = 0; !rc && i < row->n_parts; i++) {
		struct count count[COLUMNS_MAX];

		if (task_rows_type_of(rows, row->part[i]) != type)
			continue;
		for (unsigned column = 0; column < n_slots; column++)
			part_count(rows, row, row->part[i], column, &count[column]);
		rc = count_windows_add(windows, count, n_slots);
	}
	return rc;
}

struct reading task_row_metric(const struct task_rows *rows, const struct task_row *row,
			       unsigned type, const struct metric_program *program,
			       const struct metric_binding *binding)
{
	size_t size = rows->frame->n_slots * sizeof(struct count);
	struct count one[COLUMNS_MAX], sum[COLUMNS_MAX];

	memset(one, 0, size);
	memset(sum, 0, size);
	for (size_t i = 0; i < row->n_parts; i++) {
		if (task_rows_type_of(rows, row->part[i]) != type)
			continue;
		column_set_each(&binding->slots, column) {
			part_count(rows, row, row->part[i], (unsigned)column, &one[column]);
		}
		metric_add_window(program, binding, one, sum);
	}
	return metric_eval(program, binding, sum);
}

double task_row_load(const struct task_rows *rows, const struct task_row *row, unsigned type)
{
	double load = 0;

	for (size_t i = 0; i < row->n_parts; i++) {
		const struct core_task *part = row->part[i];
		uint64_t window_ns = window_of(rows, part);

		if (task_rows_type_of(rows, part) == type && window_ns)
			load += (double)time_of(rows, part) / (double)window_ns;
	}
	return load;
}
