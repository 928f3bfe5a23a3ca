/* When an excursion begins and ends, by truth tables: a character a window, IPC on core 2 against a limit of 5; which
 * ones a full list has. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "rig/sampler_rig.h"
#include "sampler/excursions.h"

enum { CORES = 4, CORE = 2, WINDOW_MS = 100 };

static struct rig rig;
static struct frame_set *counted;

static int make_rig(void **state)
{
	(void)state;
	rig_make(&rig, "clock=virtual,seed=1,cores=4", WINDOW_MS * NS_PER_MS);
	set_add_activity(rig.events, &rig.first);
	assert_int_equal(
		frame_set_new(&rig.first, &rig.metrics, rig.backend->machine.n_types, &counted), 0);
	return 0;
}

static int free_rig(void **state)
{
	(void)state;
	frame_set_unref(counted);
	rig_down(&rig);
	return 0;
}

/* A digit is the IPC; "i" 8 on a core that is busy for 5 % of the time instead of 50 %; "-" not counted; an estimate of 6
 * that is wide (±50 %), narrow (±1 %) or of unknown error. */
static struct count instructions(char step)
{
	step = step == 'i' ? '8' : step;
	struct count count = { .value = 1000 * (uint64_t)(step - '0'),
			       .enabled_ns = WINDOW_MS * NS_PER_MS,
			       .running_ns = WINDOW_MS * NS_PER_MS,
			       .quality = QUALITY_OK };

	if (step == '-')
		count = (struct count){ .quality = QUALITY_NOT_COUNTED,
					.enabled_ns = WINDOW_MS * NS_PER_MS };
	else if (strchr("wnu", step)) /* 3000 in half of the window */
		count = (struct count){ .value = 3000,
					.enabled_ns = WINDOW_MS * NS_PER_MS,
					.running_ns = WINDOW_MS * NS_PER_MS / 2,
					.quality = QUALITY_SCALED,
					.error = step == 'w'   ? 1500
						 : step == 'n' ? 30
							       : 0 };
	return count;
}

static const struct frame *frame_of(char step, unsigned tick)
{
	struct frame *frame = frame_new(CORES, counted);

	frame->number = tick + 1;
	frame->interval_ns = WINDOW_MS * NS_PER_MS;
	frame->t_ns = (tick + 1) * frame->interval_ns;
	for (unsigned core = 0; core < CORES; core++) {
		struct count *count = &frame->count[core * frame->n_slots];

		frame->core[core] = (struct frame_core){ .state = CORE_ON,
							 .t_ns = frame->t_ns,
							 .window_ns = frame->interval_ns };
		count[0] = instructions('1');
		count[1] = instructions(core == CORE ? step : '1');
		for (unsigned slot = 2; slot < rig.first.n_slots; slot++) {
			const struct event *event = set_event(&rig.first, slot);

			if (event && strcmp(event->name, "active-time") == 0)
				count[slot] = (struct count){ .value = frame->interval_ns /
								       (step == 'i' ? 20 : 2),
							      .enabled_ns = frame->interval_ns,
							      .running_ns = frame->interval_ns,
							      .quality = QUALITY_OK };
		}
		metrics_eval(&rig.metrics, frame->bound, rig.backend->machine.core[core].type,
			     count, &frame->metric[core * frame->n_metrics]);
	}
	return frame;
}

static struct excursions *list_of(const char *condition)
{
	static struct excursions list;
	struct err err = { "" };

	list = (struct excursions){ .machine = &rig.backend->machine, .metrics = &rig.metrics };
	must(excursions_add(&list, condition, &err), &err);
	return &list;
}

static void feed(struct excursions *list, const char *steps, char *ret_open)
{
	for (unsigned i = 0; steps[i]; i++) {
		const struct frame *frame = frame_of(steps[i], i);
		const struct excursion *last;

		excursions_frame(list, frame, NULL, NULL);
		last = list->n_items ? &list->item[list->n_items - 1] : NULL;
		ret_open[i] = last && !last->is_over ? 'o' : '.';
		frame_unref(frame);
	}
	ret_open[strlen(steps)] = '\0';
}

static const struct {
	const char *condition, *steps, *open;
	unsigned n;
} tables[] = {
	/* a step up and down */
	{ "IPC>5 for 200ms", "1188811111", "...ooo....", 1 },
	/* noise around the limit does not begin one, nor end it */
	{ "IPC>5 for 200ms", "1818181811", "..........", 0 },
	{ "IPC>5 for 200ms", "8818188111", ".ooooooo..", 1 },
	{ "IPC>5 for 200ms", "8811188811", ".oo...ooo.", 2 },
	/* without a time one window is enough, to begin and to end */
	{ "IPC>5", "18181", ".o.o.", 2 },
	/* so is one window that is longer than the time */
	{ "IPC>5 for 20ms", "18181", ".o.o.", 2 },
	/* windows without a value neither begin nor end it */
	{ "IPC>5 for 200ms", "18-8811111", "....oo....", 1 },
	{ "IPC>5 for 200ms", "88--1-111", ".oooooo..", 1 },
	{ "IPC>5 for 200ms", "8-8-8-8-", "........", 0 },
	/* a value at the limit is not beyond it */
	{ "IPC>5", "5555", "....", 0 },
	/* an estimate counts if all of its bar is on one side */
	{ "IPC>5 for 200ms", "nnnn", ".ooo", 1 },
	{ "IPC>5 for 200ms", "wwww", "....", 0 },
	{ "IPC>5 for 200ms", "uuuu", "....", 0 },
	{ "IPC>5 for 200ms", "88wwuu11", ".oooooo.", 1 },
	/* the other side */
	{ "IPC<1 for 200ms by core", "1100011", "...ooo.", 1 },
};

static void truth_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		struct excursions *list = list_of(tables[i].condition);
		char open[32];

		feed(list, tables[i].steps, open);
		if (strcmp(open, tables[i].open) != 0 || list->n_begun != tables[i].n)
			fail_msg("%s, %s: %s with %u, not %s with %u", tables[i].condition,
				 tables[i].steps, open, (unsigned)list->n_begun, tables[i].open,
				 tables[i].n);
		excursions_fini(list);
	}
}

static void begin_length_and_worst(void **state)
{
	struct excursions *list = list_of("IPC>5 for 200ms");
	const struct excursion *excursion;
	char open[32], text[64];

	(void)state;
	feed(list, "1879-6111", open);
	assert_int_equal(list->n_begun, 1);
	excursion = &list->item[0];
	assert_string_equal(excursion->row, "cpu2");
	assert_int_equal(excursion->t_ns, 2 * WINDOW_MS * NS_PER_MS);
	assert_int_equal(excursion->beyond_ns, 4 * WINDOW_MS * NS_PER_MS);
	assert_string_equal(excursion_text(list, excursion, text, sizeof(text)),
			    "cpu2   IPC          9 > 5");
	assert_int_equal(list->n_items, 1);
	excursions_fini(list);
}

/* Cores of one type are summed before the comparison. */
static void rows_of_types(void **state)
{
	struct excursions *list = list_of("IPC>4 by type");
	char open[32];

	(void)state;
	feed(list, "1881", open);
	assert_string_equal(open, ".oo.");
	assert_string_equal(list->item[0].row, "P");
	excursions_fini(list);
}

/* The session was read again from an earlier moment: nothing is listed twice. */
static void read_again(void **state)
{
	struct excursions *list = list_of("IPC>5 for 200ms");
	char open[32];

	(void)state;
	feed(list, "11888111", open);
	feed(list, "11888111", open);
	assert_int_equal(list->n_begun, 1);
	excursions_fini(list);
}

/* Make a list with IPC > 5 for 200 ms as the threshold of a metric. */
static struct excursions *threshold(void)
{
	struct excursions *list = list_of("IPC>5 for 200ms");

	list->condition[0].is_threshold = true;
	list->utilisation = metrics_find(list->metrics, "Utilisation");
	list->busy_pct = EXCURSIONS_BUSY_PCT;
	return list;
}

/* A threshold's excursion is one until the value was back for 10 s. */
static void ten_seconds_back_end_it(void **state)
{
	struct excursions *list = threshold();
	char steps[256], open[sizeof(steps)];

	(void)state;
	snprintf(steps, sizeof(steps), "88%099d8%0100d88", 0, 0);
	feed(list, steps, open);
	assert_int_equal(strspn(open + 1, "o"), 1 + 99 + 1 + 99);
	assert_string_equal(open + 1 + 200, "..o");
	assert_int_equal(list->n_begun, 2);
	assert_int_equal(list->item[0].beyond_ns, 3 * WINDOW_MS * NS_PER_MS);
	excursions_fini(list);
}

/* A core below the floor has no excursion beyond a threshold, but one beyond a limit of --on. */
static void hardly_busy_cores(void **state)
{
	struct excursions *list = threshold();
	char open[32];

	(void)state;
	feed(list, "iiii8i88", open);
	assert_string_equal(open, ".......o");
	excursions_fini(list);
	list = threshold();
	list->busy_pct = 4;
	feed(list, "iiii", open);
	assert_string_equal(open, ".ooo");
	excursions_fini(list);
	list = threshold();
	list->condition[0].is_threshold = false;
	feed(list, "iiii", open);
	assert_string_equal(open, ".ooo");
	excursions_fini(list);
}

/* The first and the last four are the farthest beyond the limit: they stay in a full list. */
static void the_most_costly_are_listed(void **state)
{
	enum { CHEAP = EXCURSIONS_MAX + 3, N = 1 + CHEAP + 4 };
	struct excursions *list = list_of("IPC>5");
	char steps[2 * N + 1], open[sizeof(steps)];
	unsigned n_costly = 0;

	(void)state;
	for (unsigned i = 0; i < N; i++)
		memcpy(steps + (size_t)2 * i, i == 0 || i > CHEAP ? "19" : "18", 3);
	feed(list, steps, open);
	assert_int_equal(list->n_begun, N);
	assert_int_equal(list->n_items, EXCURSIONS_MAX);
	for (unsigned i = 0; i < list->n_items; i++)
		n_costly += list->item[i].worst.value > 8;
	assert_int_equal(n_costly, 5);
	assert_int_equal(excursions_n_new(list, EXCURSIONS_MAX), 4);
	excursions_fini(list);
}

static const struct {
	const char *text, *why;
} faults[] = {
	{ "IPC", "column 4: \"\" needs > or <" },
	{ ">5", "column 1: \"\" is not a metric" },
	{ "", "needs > or <" },
	{ "IPC>", "column 5: \"\" needs > or < and a number" },
	{ "IPC>5x", "column 5: \"5x\" needs > or < and a number" },
	{ "IPC> 5 for soon", "column 12: \"soon\" is not a time" },
	{ "IPC>5 for 1s by device", "column 17: \"device\" is not core" },
	{ "IPD >5", "column 1: \"IPD\" is not a metric here" },
	{ "IPC foo >5", "column 1: \"IPC foo\" is not a metric here" },
	{ "A/B>5", "\"A/B\" is not a metric" },
};

static void faults_are_placed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct excursions *list = list_of("IPC>5");
		struct err err = { "" };

		assert_true(excursions_add(list, faults[i].text, &err) < 0);
		if (!strstr(err.text, faults[i].why))
			fail_msg("\"%s\": %s", faults[i].text, err.text);
		excursions_fini(list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truth_tables),
		cmocka_unit_test(begin_length_and_worst),
		cmocka_unit_test(rows_of_types),
		cmocka_unit_test(read_again),
		cmocka_unit_test(ten_seconds_back_end_it),
		cmocka_unit_test(hardly_busy_cores),
		cmocka_unit_test(the_most_costly_are_listed),
		cmocka_unit_test(faults_are_placed),
	};

	return cmocka_run_group_tests(tests, make_rig, free_rig);
}
