/* Sums of samples, and how a count divides into functions: nothing is lost, samples weigh their period, errors hold. */
#include "rig/tasks_rig.h"

#include <math.h>

#include "base/text.h"
#include "sampler/hot.h"
#include "symbols/symbols.h"

/* Shares of the functions f0 … f4, in %. */
static const double shares[] = { 50, 30, 15, 4, 1 };

enum { N_FUNCTIONS = ARRAY_SIZE(shares), N_TASKS = 9, COLUMN = 0, PERIOD = 1009 };

static const struct place *place(unsigned f, unsigned offset)
{
	char name[8];

	snprintf(name, sizeof(name), "f%u", f);
	return place_of("program", name, 16 * offset, false);
}

static const struct frame *next(struct rig *rig)
{
	const struct frame *frame;

	assert_int_equal(sampler_step(rig->sampler), 0);
	frame = queue_pop(rig->queue, NULL);
	assert_non_null(frame);
	give_tasks(frame, N_TASKS, 7);
	return frame;
}

static const struct frame *begin(struct rig *rig)
{
	rig_up(rig, "clock=virtual,seed=3", 100 * NS_PER_MS);
	return next(rig);
}

static void end(struct rig *rig, const struct frame *frame)
{
	frame_unref(frame);
	rig_down(rig);
}

static struct hot_rows *rows_of(const struct frame *frame, const struct machine *machine,
				unsigned type, const struct hot_select *select)
{
	return hot_rows_sum(&frame, 1, machine, type, select);
}

/* Give a frame room for samples. */
static struct frame_hot *give_hot(const struct frame *frame, size_t n)
{
	struct frame_hot *hot = calloc(1, sizeof(*hot) + n * sizeof(struct hot_spot));

	assert_non_null(hot);
	*hot = (struct frame_hot){ .column = COLUMN,
				   .spot = (struct hot_spot *)(hot + 1),
				   .refs = 1 };
	frame_hot_unref(frame->hot);
	((struct frame *)frame)->hot = hot;
	return hot;
}

static void add(struct frame_hot *hot, unsigned core, uint32_t task, const struct place *at,
		uint32_t n, double period)
{
	if (!n)
		return;
	hot->spot[hot->n++] = (struct hot_spot){ .core = (uint16_t)core,
						 .task = task,
						 .place = at,
						 .n = n,
						 .weight = n * period,
						 .weight2 = n * period * period };
	hot->n_samples += n;
}

/* Give each core of a frame a sample of each of its tasks in each function, times the function's share. */
static void give_shares(const struct frame *frame)
{
	struct frame_hot *hot = give_hot(frame, frame->tasks->n * N_FUNCTIONS);

	for (uint32_t i = 0; i < frame->tasks->n; i++)
		for (unsigned f = 0; f < N_FUNCTIONS; f++)
			add(hot, frame->tasks->task[i].core, i, place(f, 0), (uint32_t)shares[f],
			    PERIOD);
}

static uint64_t sum_of(const struct hot_rows *rows)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rows->n; i++)
		sum += rows->row[i].count.value;
	return sum;
}

static void rows_add_up_to_the_exact_count(void **state)
{
	struct rig rig;
	const struct frame *frame = begin(&rig);
	const struct machine *machine = &rig.backend->machine;

	(void)state;
	give_shares(frame);
	for (unsigned type = 0; type < machine->n_types; type++) {
		struct hot_rows *rows = rows_of(frame, machine, type, &(struct hot_select){ 0 });
		struct frame_row whole;
		double share = 0;

		frame_row(frame, machine, &rig.metrics, BY_TYPE, type, &whole);
		assert_int_equal(rows->count.value, whole.count[COLUMN].value);
		assert_true(count_rate(&rows->count).value ==
			    count_rate(&whole.count[COLUMN]).value);
		assert_int_equal(rows->n, N_FUNCTIONS);
		assert_int_equal(sum_of(rows), whole.count[COLUMN].value);
		for (unsigned i = 0; i < N_FUNCTIONS; i++) {
			share += rows->row[i].share;
			assert_int_equal(rows->row[i].function->name[1], '0' + i);
			assert_true(fabs(rows->row[i].share - shares[i] / 100) < 1e-9);
			/* several processes, none with more than half */
			assert_null(rows->row[i].task);
		}
		assert_true(fabs(share - 1) < 1e-9);
		hot_rows_free(rows);
	}
	end(&rig, frame);
}

static void a_core_or_task_has_its_own_count(void **state)
{
	struct rig rig;
	const struct frame *frame = begin(&rig);
	const struct machine *machine = &rig.backend->machine;
	struct cpus on = { { 0 } };
	struct task_id task = { true, BY_PROCESS, frame->tasks->task[3] };
	struct hot_rows *rows;
	uint64_t value = 0;

	(void)state;
	give_shares(frame);
	cpus_add(&on, machine->core[1].cpu);
	rows = rows_of(frame, machine, machine->core[1].type, &(struct hot_select){ .on = &on });
	assert_int_equal(rows->count.value, frame_counts(frame, 1)[COLUMN].value);
	assert_int_equal(sum_of(rows), rows->count.value);
	assert_int_equal(rows->n_samples, N_TASKS * 100);
	hot_rows_free(rows);

	for (size_t i = 0; i < frame->tasks->n; i++)
		if (frame->tasks->task[i].core == 1 && task_id_has(&task, &frame->tasks->task[i]))
			value += frame->tasks->value[i * frame->n_slots + COLUMN];
	rows = rows_of(frame, machine, machine->core[1].type,
		       &(struct hot_select){ .on = &on, .task = &task });
	assert_int_equal(rows->count.value, value);
	assert_int_equal(sum_of(rows), value);
	assert_int_equal(rows->n, N_FUNCTIONS);
	assert_int_equal(rows->row[0].task->pid, task.like.pid);
	hot_rows_free(rows);
	end(&rig, frame);
}

static void a_function_divides_into_its_places(void **state)
{
	struct rig rig;
	const struct frame *frame = begin(&rig);
	struct frame_hot *hot = give_hot(frame, 3);
	struct hot_select select = { .function = place_function(place(0, 0)) };
	struct hot_rows *rows;

	(void)state;
	add(hot, 0, UINT32_MAX, place(0, 0), 10, PERIOD);
	add(hot, 0, UINT32_MAX, place(0, 1), 30, PERIOD);
	add(hot, 0, UINT32_MAX, place(1, 0), 40, PERIOD);
	rows = rows_of(frame, &rig.backend->machine, rig.backend->machine.core[0].type, &select);
	assert_int_equal(rows->n, 2);
	assert_ptr_equal(rows->row[0].place, place(0, 1));
	assert_true(fabs(rows->row[0].share - 0.75) < 1e-9);
	assert_int_equal(sum_of(rows), rows->count.value);
	hot_rows_free(rows);
	end(&rig, frame);
}

static void a_sample_weighs_its_period(void **state)
{
	struct rig rig;
	const struct frame *frame = begin(&rig);
	struct frame_hot *hot = give_hot(frame, 2);
	struct hot_rows *rows;

	(void)state;
	add(hot, 0, UINT32_MAX, place(0, 0), 10, 3000);
	add(hot, 0, UINT32_MAX, place(1, 0), 10, 1000);
	rows = rows_of(frame, &rig.backend->machine, rig.backend->machine.core[0].type,
		       &(struct hot_select){ 0 });
	assert_true(fabs(rows->row[0].share - 0.75) < 1e-9);
	/* unequal weights say less than as many equal ones */
	assert_true(fabs(rows->n_effective - 16) < 1e-9);
	hot_rows_free(rows);
	end(&rig, frame);
}

/* Two cores count alike, but one of them lost nine of ten samples: it weighs what it counted. */
static void throttled_samples_weigh_their_count(void **state)
{
	struct rig rig;
	const struct frame *frame = begin(&rig);
	struct frame_hot *hot = give_hot(frame, 2);
	uint64_t counted = 1000000;
	struct cpus on = { { 0 } };
	struct hot_rows *rows;

	(void)state;
	for (unsigned core = 0; core < 2; core++) {
		frame->count[core * frame->n_slots + COLUMN].value = counted;
		cpus_add(&on, rig.backend->machine.core[core].cpu);
	}
	add(hot, 0, UINT32_MAX, place(0, 0), 1000, 1000);
	add(hot, 1, UINT32_MAX, place(1, 0), 100, 1000);
	rows = rows_of(frame, &rig.backend->machine, rig.backend->machine.core[0].type,
		       &(struct hot_select){ .on = &on });
	assert_int_equal(rows->row[0].count.value, counted);
	assert_int_equal(rows->row[1].count.value, counted);
	assert_true(rows->n_effective < 400);
	hot_rows_free(rows);
	end(&rig, frame);
}

static void frames_add_up(void **state)
{
	struct rig rig;
	const struct frame *frame[3] = { begin(&rig), next(&rig), next(&rig) };
	const struct machine *machine = &rig.backend->machine;
	struct hot_rows *rows;
	uint64_t value = 0;

	(void)state;
	give_shares(frame[0]);
	give_shares(frame[2]); /* the one between has no samples */
	for (unsigned core = 0; core < machine->n_cores; core++)
		if (machine->core[core].type == 0)
			value += frame_counts(frame[0], core)[COLUMN].value +
				 frame_counts(frame[2], core)[COLUMN].value;
	rows = hot_rows_sum(frame, ARRAY_SIZE(frame), machine, 0, &(struct hot_select){ 0 });
	assert_int_equal(rows->count.value, value);
	assert_int_equal(sum_of(rows), value);
	hot_rows_free(rows);
	frame_unref(frame[1]);
	frame_unref(frame[2]);
	end(&rig, frame[0]);
}

/* ---- sums ---- */

static const enum hot_key by_function[] = { HOT_BY_FUNCTION, HOT_BY_TASK, HOT_END };

static void spots_of_equal_keys_are_one(void **state)
{
	static const enum hot_key by_core[] = { HOT_BY_CORE, HOT_END },
				  by_place[] = { HOT_BY_PLACE, HOT_BY_CORE, HOT_END };
	struct hot_spot spot[] = {
		{ .core = 1, .place = place(0, 0), .n = 1, .weight = 2, .weight2 = 4 },
		{ .core = 0, .place = place(0, 1), .n = 2, .weight = 6, .weight2 = 18 },
		{ .core = 1, .place = place(1, 0), .n = 3, .weight = 3, .weight2 = 3 },
		{ .core = 1, .place = place(0, 0), .n = 4, .weight = 4, .weight2 = 4 },
	};

	(void)state;
	assert_int_equal(hot_merge(spot, 0, by_place), 0);
	assert_int_equal(hot_merge(spot, 4, by_place), 3);
	assert_int_equal(hot_merge(spot, 3, by_core), 2);
	assert_int_equal(spot[0].n, 2);
	assert_int_equal(spot[1].n, 8);
	assert_true(spot[1].weight == 9 && spot[1].weight2 == 11);
}

/* The process of a function is that of most samples, not that of the frame with most; the rest is one row. */
static void a_sum_is_of_all_its_frames(void **state)
{
	struct rig rig;
	const struct frame *frame[3] = { begin(&rig), next(&rig), next(&rig) };
	const struct machine *machine = &rig.backend->machine;
	struct hot_sum sum = { .machine = machine,
			       .type = machine->core[0].type,
			       .by = by_function };
	struct hot_rows *rows;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(frame); i++) {
		struct frame_hot *hot = give_hot(frame[i], 4);

		/* tasks 0 to 2 are one process, 3 to 5 another */
		add(hot, 0, i < 2 ? i : 3, place(0, 0), i < 2 ? 30 : 50, PERIOD);
		add(hot, 0, 4, place(1, i), 20, PERIOD);
		add(hot, 0, 0, place(2, 0), 2, PERIOD);
		add(hot, 0, UINT32_MAX, place(3, 0), 1, PERIOD);
		hot->n_lost = 5;
		assert_int_equal(hot_sum_add(&sum, frame[i], &(struct hot_select){ 0 }), 0);
	}
	rows = hot_sum_rows(&sum, NULL, 2);
	assert_int_equal(rows->n, 3);
	assert_int_equal(rows->n_samples, 110 + 3 * 23);
	assert_int_equal(rows->n_lost, 15);
	assert_int_equal(rows->row[0].task->pid, frame[0]->tasks->task[0].pid);
	assert_int_equal(rows->row[1].task->pid, frame[0]->tasks->task[4].pid);
	assert_int_equal(rows->row[1].n, 60);
	assert_null(rows->row[2].function);
	assert_int_equal(rows->row[2].n_functions, 2);
	assert_int_equal(rows->row[2].n, 9);
	assert_int_equal(sum_of(rows), rows->count.value);
	hot_rows_free(rows);
	hot_sum_clear(&sum);
	assert_int_equal(sum.n, 0);
	assert_ptr_equal(sum.by, by_function);
	frame_unref(frame[1]);
	frame_unref(frame[2]);
	end(&rig, frame[0]);
}

/* What was lost makes the count of all frames "at least", also where the selection has none in that frame. */
static void what_was_lost_marks_the_count(void **state)
{
	struct rig rig;
	const struct frame *frame[2] = { begin(&rig), next(&rig) };
	const struct machine *machine = &rig.backend->machine;
	struct task_id task = { true, BY_PROCESS, frame[0]->tasks->task[3] };
	const struct hot_select select = { .task = &task };

	(void)state;
	for (unsigned lost = 0; lost < 2; lost++) {
		struct hot_rows *rows;

		for (unsigned f = 0; f < ARRAY_SIZE(frame); f++) {
			struct core_task *of = (struct core_task *)frame[f]->tasks->task;

			for (size_t i = 0; i < frame[f]->tasks->n; i++)
				if (of[i].kind != TASK_THREAD)
					of[i].kind = TASK_IDLE;
				else if (f && lost && task_id_has(&task, &of[i]))
					of[i].kind = TASK_UNATTRIBUTED;
			give_shares(frame[f]);
		}
		rows = hot_rows_sum(frame, 2, machine, machine->core[1].type, &select);
		assert_int_equal(rows->lost.value != 0, lost);
		assert_int_equal(rows->count.quality, lost ? QUALITY_PARTIAL : QUALITY_OK);
		hot_rows_free(rows);
	}
	frame_unref(frame[1]);
	end(&rig, frame[0]);
}

/* Processes come and go for weeks: small ones are forgotten, their samples and those of a large one are not. */
static void a_sum_is_bounded(void **state)
{
	enum { N = 1 << 15, FRAMES = 3 * HOT_SPOTS_MAX / N };
	struct rig rig;
	const struct frame *frame = begin(&rig);
	const struct machine *machine = &rig.backend->machine;
	struct hot_sum sum = { .machine = machine,
			       .type = machine->core[0].type,
			       .by = by_function };
	struct hot_rows *rows;

	(void)state;
	give_tasks(frame, N, 7);
	for (unsigned k = 0; k < FRAMES; k++) {
		struct frame_hot *hot = give_hot(frame, N);

		for (uint32_t i = 1; i < N; i++) {
			frame->tasks->task[i].pid = N * (k + 1) + i;
			add(hot, 0, i, place(i % 2, 0), 1, PERIOD);
		}
		add(hot, 0, 0, place(0, 0), N, PERIOD);
		assert_int_equal(hot_sum_add(&sum, frame, &(struct hot_select){ 0 }), 0);
		assert_true(sum.n <= 2 * HOT_SPOTS_MAX + N);
		assert_true(sum.tasks.n <= 2 * HOT_SPOTS_MAX + N);
	}
	rows = hot_sum_rows(&sum, NULL, 0);
	assert_int_equal(rows->n_samples, FRAMES * (2 * N - 1));
	assert_int_equal(rows->n, 2);
	assert_int_equal(rows->row[0].n, FRAMES * (N + N / 2 - 1));
	assert_non_null(rows->row[0].task);
	assert_int_equal(rows->row[0].task->pid, frame->tasks->task[0].pid);
	hot_rows_free(rows);
	hot_sum_clear(&sum);
	end(&rig, frame);
}

/* ---- trees ---- */

static const struct place *at(const char *name, bool is_kernel)
{
	return place_of(is_kernel ? "kernel" : "program", name, 7, is_kernel);
}

/* Add samples of a stack: "leaf a main", the kernel's functions after "k:". */
static void add_stack(struct frame_hot *hot, const char *stack, uint32_t n)
{
	struct hot_chain *chain = test_calloc(1, sizeof(*chain) + 8 * sizeof(void *));
	const struct place *leaf = NULL;
	char name[32];

	while (text_next_word(&stack, name, sizeof(name))) {
		bool is_kernel = strncmp(name, "k:", 2) == 0;
		const struct place *place = at(name + (is_kernel ? 2 : 0), is_kernel);

		if (leaf)
			chain->caller[chain->n++] = place;
		else
			leaf = place;
	}
	add(hot, 0, UINT32_MAX, leaf, n, PERIOD);
	hot->spot[hot->n - 1].chain = chain;
}

static void free_stacks(struct frame_hot *hot)
{
	for (size_t i = 0; i < hot->n; i++)
		test_free((void *)hot->spot[i].chain);
}

/* Print a tree, and verify that each row has as much as those below it. */
static void put_tree(const struct hot_row *row, unsigned depth, struct text *out)
{
	uint64_t value = 0, n = 0;
	double share = 0;

	text_printf(out, "%*s%s%s %llu\n", (int)depth, "",
		    row->function && row->function->is_kernel ? "k:" : "",
		    row->function ? row->function->name : "[others]", (unsigned long long)row->n);
	for (size_t i = 0; i < row->n_below; i++) {
		value += row->below[i].count.value;
		n += row->below[i].n;
		share += row->below[i].share;
		put_tree(&row->below[i], depth + 1, out);
	}
	assert_true(!row->n_below || value == row->count.value);
	assert_true(!row->n_below || n == row->n);
	assert_true(!row->n_below || fabs(share - row->share) < 1e-9);
}

struct tree_case {
	const char *title;
	struct {
		const char *stack;
		uint32_t n;
	} samples[6];
	const char *callers, *callees;
};

static const struct tree_case tree_cases[] = {
	{ "three callers of one function",
	  { { "leaf a main", 600 }, { "leaf b main", 300 }, { "leaf c main", 100 } },
	  "leaf 1000\n a 600\n  main 600\n b 300\n  main 300\n c 100\n  main 100\n",
	  "main 1000\n a 600\n  leaf 600\n b 300\n  leaf 300\n c 100\n  leaf 100\n" },
	{ "direct recursion is one row, as often as it calls itself",
	  { { "leaf a main", 10 }, { "leaf a a a main", 30 }, { "a a main", 20 } },
	  "leaf 40\n a 40\n  main 40\na 20\n main 20\n",
	  "main 60\n a 60\n  leaf 40\n  [self] 20\n" },
	{ "of mutual recursion each call is one",
	  { { "a b a main", 10 } },
	  "a 10\n b 10\n  a 10\n   main 10\n",
	  "main 10\n a 10\n  b 10\n   a 10\n" },
	{ "a sibling call leaves its caller out, as it is not on the stack",
	  { { "leaf a main", 50 }, { "leaf main", 50 } },
	  "leaf 100\n a 50\n  main 50\n main 50\n",
	  "main 100\n a 50\n  leaf 50\n leaf 50\n" },
	{ "the kernel's part goes on in the user's code, or ends",
	  { { "k:copy k:entry a main", 40 }, { "k:copy k:kthread", 60 } },
	  "k:copy 100\n k:kthread 60\n k:entry 40\n  a 40\n   main 40\n",
	  "k:kthread 60\n k:copy 60\nmain 40\n a 40\n  k:entry 40\n   k:copy 40\n" },
	{ "chains that end early; what is beyond the thread's function is left out",
	  { { "leaf", 10 }, { "leaf a", 20 }, { "leaf b start_thread clone3 c", 30 } },
	  "leaf 60\n b 30\n  start_thread 30\n a 20\n  [no frame pointers] 20\n [no frame "
	  "pointers] 10\n",
	  "[no frame pointers] 30\n a 20\n  leaf 20\n leaf 10\nstart_thread 30\n b 30\n  leaf "
	  "30\n" },
	{ "clone is a system call of the parent, or the beginning of its child",
	  { { "k:copy k:entry clone3", 10 },
	    { "k:copy k:entry clone3 spawn main", 20 },
	    { "k:tail k:ret_from_fork_asm clone3 x", 30 } },
	  "k:copy 30\n k:entry 30\n  clone3 30\n   spawn 20\n    main 20\n   [no frame pointers] "
	  "10\nk:tail 30\n k:ret_from_fork_asm 30\n  clone3 30\n",
	  "clone3 30\n k:ret_from_fork_asm 30\n  k:tail 30\nmain 20\n spawn 20\n  clone3 20\n   "
	  "k:entry 20\n    k:copy 20\n[no frame pointers] 10\n clone3 10\n  k:entry 10\n   k:copy "
	  "10\n" },
	{ "a thread that another function than start_thread begins",
	  { { "leaf run clone x", 10 }, { "clone", 10 } },
	  "clone 10\n [no frame pointers] 10\nleaf 10\n run 10\n  clone 10\n",
	  "[no frame pointers] 10\n clone 10\nclone 10\n run 10\n  leaf 10\n" },
	{ "small ones are one row",
	  { { "leaf a main", 990 }, { "leaf b main", 4 }, { "leaf c main", 6 } },
	  "leaf 1000\n a 990\n  main 990\n c 6\n  main 6\n [others] 4\n",
	  "main 1000\n a 990\n  leaf 990\n c 6\n  leaf 6\n [others] 4\n" },
	{ "of few samples nothing is divided", { { "leaf a main", 3 } }, "leaf 3\n", "main 3\n" },
};

static void check_tree(const struct rig *rig, const struct frame *frame,
		       const struct tree_case *row, enum hot_tree tree, const char *expected)
{
	struct frame_hot *hot = give_hot(frame, ARRAY_SIZE(row->samples));
	const struct machine *machine = &rig->backend->machine;
	struct text text = { 0 };
	struct hot_rows *rows;

	for (size_t i = 0; i < ARRAY_SIZE(row->samples) && row->samples[i].n; i++)
		add_stack(hot, row->samples[i].stack, row->samples[i].n);
	rows = rows_of(frame, machine, machine->core[0].type, &(struct hot_select){ .tree = tree });
	assert_int_equal(sum_of(rows), rows->count.value);
	for (size_t i = 0; i < rows->n; i++)
		put_tree(&rows->row[i], 0, &text);
	print_message("%s\n", row->title);
	assert_string_equal(text.bytes, expected);
	text_fini(&text);
	hot_rows_free(rows);
	free_stacks(hot);
}

static void functions_divide_into_callers_and_callees(void **state)
{
	struct rig rig;
	const struct frame *frame = begin(&rig);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tree_cases); i++) {
		/* a prime, so that shares are no whole numbers of events */
		frame->count[COLUMN].value = 1000003;
		check_tree(&rig, frame, &tree_cases[i], HOT_CALLERS, tree_cases[i].callers);
		check_tree(&rig, frame, &tree_cases[i], HOT_CALLEES, tree_cases[i].callees);
	}
	end(&rig, frame);
}

/* Few samples of a long period, such as the first ones of a task, are [others], not those below them. */
static void rows_of_few_heavy_samples_hide_no_others(void **state)
{
	struct rig rig;
	const struct frame *frame = begin(&rig);
	struct frame_hot *hot = give_hot(frame, 3);
	const struct machine *machine = &rig.backend->machine;
	struct text text = { 0 };
	struct hot_rows *rows;

	(void)state;
	add_stack(hot, "leaf a main", 3);
	hot->spot[0].weight *= 1000;
	hot->spot[0].weight2 *= 1e6;
	add_stack(hot, "leaf b main", 60);
	add_stack(hot, "leaf c main", 40);
	rows = rows_of(frame, machine, machine->core[0].type,
		       &(struct hot_select){ .tree = HOT_CALLERS });
	put_tree(&rows->row[0], 0, &text);
	assert_string_equal(text.bytes,
			    "leaf 103\n b 60\n  main 60\n c 40\n  main 40\n [others] 3\n");
	text_fini(&text);
	hot_rows_free(rows);
	free_stacks(hot);
	end(&rig, frame);
}

/* What is no code, what was cut and what found no room. */
static void rows_stand_for_what_chains_lack(void **state)
{
	static const struct {
		const char *object;
		unsigned n;
		bool is_lost;
		const char *expected;
	} cases[] = {
		{ "[unknown]", 1, false, "leaf 100\n [no frame pointers] 100\n" },
		{ "program", CHAIN_MAX - 1, false, "leaf 100\n 0x20 100\n  [deeper] 100\n" },
		{ "program", 0, true, "leaf 100\n [callers not stored] 100\n" },
	};
	struct hot_chain *chain = test_calloc(1, sizeof(*chain) + CHAIN_MAX * sizeof(void *));
	struct rig rig;
	const struct frame *frame = begin(&rig);
	const struct machine *machine = &rig.backend->machine;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct frame_hot *hot = give_hot(frame, 1);
		struct text text = { 0 };
		struct hot_rows *rows;

		chain->n = cases[i].n;
		for (unsigned k = 0; k < chain->n; k++)
			chain->caller[k] = place_of(cases[i].object, "0x20", 32, false);
		add(hot, 0, UINT32_MAX, at("leaf", false), 100, PERIOD);
		hot->spot[0].chain = cases[i].is_lost ? &hot_chain_lost : chain;
		rows = rows_of(frame, machine, machine->core[0].type,
			       &(struct hot_select){ .tree = HOT_CALLERS });
		put_tree(&rows->row[0], 0, &text);
		assert_string_equal(text.bytes, cases[i].expected);
		text_fini(&text);
		hot_rows_free(rows);
	}
	test_free(chain);
	end(&rig, frame);
}

/* ---- errors ---- */

/* Draw the function of a sample. */
static unsigned draw(void)
{
	double at = 100 * ((double)random() / ((double)RAND_MAX + 1));
	unsigned f = 0;

	while (f + 1 < N_FUNCTIONS && at >= shares[f])
		at -= shares[f++];
	return f;
}

/* Draw n samples, and count for each function whether its share is within the error. */
static void trial(const struct rig *rig, const struct frame *frame, unsigned n, unsigned *within)
{
	struct frame_hot *hot = give_hot(frame, N_FUNCTIONS);
	uint32_t drawn[N_FUNCTIONS] = { 0 };
	const struct machine *machine = &rig->backend->machine;
	struct hot_rows *rows;

	for (unsigned i = 0; i < n; i++)
		drawn[draw()]++;
	for (unsigned f = 0; f < N_FUNCTIONS; f++)
		add(hot, 0, UINT32_MAX, place(f, 0), drawn[f], PERIOD);
	frame->count[COLUMN].value = (uint64_t)n * PERIOD;
	rows = rows_of(frame, machine, machine->core[0].type, &(struct hot_select){ 0 });
	for (unsigned f = 0; f < N_FUNCTIONS; f++)
		within[f] += !drawn[f] && shares[f] / 100 <= hot_rows_error(rows, 0);
	for (size_t i = 0; i < rows->n; i++) {
		unsigned f = (unsigned)(rows->row[i].function->name[1] - '0');

		within[f] += fabs(rows->row[i].share - shares[f] / 100) <= rows->row[i].error;
	}
	hot_rows_free(rows);
}

static void errors_hold_in_95_of_100_trials(void **state)
{
	static const unsigned n_samples[] = { 30, 100, 300, 1000 };
	enum { N_TRIALS = 4000 };
	struct rig rig;
	const struct frame *frame = begin(&rig);

	(void)state;
	srandom(1);
	for (unsigned i = 0; i < ARRAY_SIZE(n_samples); i++) {
		unsigned within[N_FUNCTIONS] = { 0 };

		for (unsigned t = 0; t < N_TRIALS; t++)
			trial(&rig, frame, n_samples[i], within);
		for (unsigned f = 0; f < N_FUNCTIONS; f++) {
			print_message("%4u samples, %2.0f %%: within the error %.1f %%\n",
				      n_samples[i], shares[f], 100.0 * within[f] / N_TRIALS);
			/* 95 %, less four standard deviations of the trials */
			assert_true(within[f] > (0.95 - 4 * 0.00345) * N_TRIALS);
		}
	}
	end(&rig, frame);
}

static void close_rows_do_not_differ(void **state)
{
	struct hot_rows rows = { .n_effective = 1000 };

	(void)state;
	assert_false(hot_rows_differ(&rows, 0.12, 0.10));
	assert_true(hot_rows_differ(&rows, 0.16, 0.10));
	rows.n_effective = 100000;
	assert_true(hot_rows_differ(&rows, 0.12, 0.10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_add_up_to_the_exact_count),
		cmocka_unit_test(a_core_or_task_has_its_own_count),
		cmocka_unit_test(a_function_divides_into_its_places),
		cmocka_unit_test(a_sample_weighs_its_period),
		cmocka_unit_test(throttled_samples_weigh_their_count),
		cmocka_unit_test(frames_add_up),
		cmocka_unit_test(spots_of_equal_keys_are_one),
		cmocka_unit_test(a_sum_is_of_all_its_frames),
		cmocka_unit_test(what_was_lost_marks_the_count),
		cmocka_unit_test(a_sum_is_bounded),
		cmocka_unit_test(functions_divide_into_callers_and_callees),
		cmocka_unit_test(rows_of_few_heavy_samples_hide_no_others),
		cmocka_unit_test(rows_stand_for_what_chains_lack),
		cmocka_unit_test(errors_hold_in_95_of_100_trials),
		cmocka_unit_test(close_rows_do_not_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
