/* bucket_task.c: what a task did in a stretch of the history */
#include <math.h>

#include "sampler/bucket.h"

/* What it counted, in stretches that tell. */
struct task_past {
	struct count count[COLUMNS_MAX];
	uint64_t window_ns; /* of all these stretches; 0: there are none */
};

static uint64_t window_of(const struct history_layout *keeper, const struct kept_bucket *bucket,
			  unsigned type)
{
	uint64_t longest_ns = 0;

	for (unsigned core = 0; core < keeper->machine->n_cores; core++)
		if (keeper->machine->core[core].type == type &&
		    bucket->core[core].window_ns > longest_ns)
			longest_ns = bucket->core[core].window_ns;
	return longest_ns;
}

static void add_part(const struct kept_bucket *bucket, size_t i, uint64_t slots,
		     struct task_past *past)
{
	for (uint64_t left = slots; left; left &= left - 1) {
		unsigned slot = (unsigned)__builtin_ctzll(left);
		struct count core, one;

		bucket_count(bucket, bucket->tasks->task[i].core, slot, &core);
		task_count(bucket->tasks, bucket->is.set, i, slot, core.quality, &one);
		count_add_window(&past->count[slot], &one);
	}
}

static void add_bucket(const struct history_layout *keeper, const struct kept_bucket *bucket,
		       const struct task_id *id, unsigned type, uint64_t slots,
		       struct task_past *past)
{
	const struct frame_tasks *tasks = bucket->tasks;
	bool is_there = false, has_others = false;

	for (size_t i = 0; tasks && i < tasks->n; i++) {
		const struct core_task *task = &tasks->task[i];

		if (keeper->machine->core[task->core].type != type)
			continue;
		has_others |= task->kind == TASK_OTHERS;
		if (task_compare(task, &id->like, id->by) != 0)
			continue;
		is_there = true;
		add_part(bucket, i, slots, past);
	}
	if (tasks && (is_there || !has_others))
		past->window_ns += window_of(keeper, bucket, type);
}

static struct reading rate_of(const struct count *count, uint64_t window_ns)
{
	struct reading total = count_total(count);

	if (count->quality == QUALITY_NONE) /* it did not run */
		return (struct reading){ .quality = QUALITY_OK };
	total.value *= 1e9 / (double)window_ns;
	return total;
}

static struct reading mean_of(const struct history_layout *keeper,
			      const struct kept_bucket *const *bucket, size_t n,
			      const struct history_query *query, unsigned type, unsigned column)
{
	const struct metrics_bound *bound = bucket[0]->is.bound;
	const struct metric_binding *binding =
		query->metric >= 0 ? bound->binding[type][column] : NULL;
	uint64_t slots = binding ? binding->slots : UINT64_C(1) << column;
	struct task_past past = { .window_ns = 0 };
	struct reading reading = { .quality = QUALITY_NONE };

	for (size_t i = 0; i < n; i++)
		add_bucket(keeper, bucket[i], &query->task, type, slots, &past);
	if (!past.window_ns || (query->metric >= 0 && !binding))
		return reading;
	if (!binding)
		return rate_of(&past.count[column], past.window_ns);

	const struct metric *metric = &keeper->metrics->metric[query->metric];

	reading = metric_eval(metric->program[type], binding, past.count);
	reading.value *= metric->scale;
	return reading;
}

struct history_value bucket_task(const struct history_layout *keeper,
				 const struct kept_bucket *const *bucket, size_t n,
				 const struct history_query *query, unsigned type, unsigned column)
{
	struct reading mean = mean_of(keeper, bucket, n, query, type, column);
	struct history_value ret = { mean.value, mean.value, mean.value, mean.quality };

	for (size_t i = 0; n > 1 && quality_has_value(mean.quality) && i < n; i++) {
		struct reading one = mean_of(keeper, bucket + i, 1, query, type, column);

		if (!quality_has_value(one.quality))
			continue;
		ret.min = fmin(ret.min, one.value);
		ret.max = fmax(ret.max, one.value);
	}
	return ret;
}
