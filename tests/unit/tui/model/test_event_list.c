/* The list of events: what a search finds first, legal counters, where Tab goes, and its columns. */
#include "rig/choice_rig.h"

#include <string.h>

#include "rig/sim_rig.h"
#include "tui/screen/event_row.h"

static void searching(void **state)
{
	static const char *const alias[] = { "BR_MIS_PRED_RETIRED", NULL };
	static const struct catalog_event event = {
		.name = "BRANCH_MISPRED_NONSPEC",
		.short_name = "BR-MISP",
		.brief = "Retired branches that were mispredicted",
		.what = "Counts each once",
		.pmu = "",
		.terms = "event=0xcb",
		.topic = "branch",
		.id = 0xcb,
		.alias = alias,
	};
	static const struct {
		const char *search;
		enum match match;
	} row[] = {
		{ "", MATCH_NAME },
		{ "  ", MATCH_NAME },
		{ "branch_mispred_nonspec", MATCH_EXACT },
		{ "br-misp", MATCH_EXACT },
		{ "br_mis_pred_retired", MATCH_EXACT },
		{ "0xcb", MATCH_EXACT },
		{ "cb", MATCH_EXACT },
		{ "branch", MATCH_PREFIX },
		{ "BR_MIS", MATCH_PREFIX },
		{ "mispred", MATCH_WORD },
		{ "misp branch", MATCH_WORD },
		{ "misp retired", MATCH_WORD },
		{ "ispred", MATCH_NAME },
		{ "each once", MATCH_TEXT },
		{ "misp once", MATCH_TEXT },
		{ "brmisnon", MATCH_FUZZY },
		{ "cache", MATCH_NONE },
		{ "mispred cache", MATCH_NONE },
		{ "0xcc", MATCH_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		print_message("\"%s\"\n", row[i].search);
		assert_int_equal(MATCH_OF(event_rank(&event, row[i].search)), row[i].match);
		/* it is told where the own names are not what was typed */
		assert_ptr_equal(event_found_alias(&event, row[i].search),
				 strncasecmp(row[i].search, "br_mis", 6) ? NULL : alias[0]);
	}
}

struct query {
	const struct event_list *list;
	const char *search;
};

static unsigned rank(const void *data, unsigned item)
{
	const struct query *query = data;

	return event_rank(query->list->choice[item].event, query->search);
}

/* over the M1's real catalogue */
static void what_is_found_first(void **state)
{
	static const struct {
		const char *search, *first;
	} row[] = {
		{ "0x8d", "INST_BRANCH" },
		{ "8d", "INST_BRANCH" },
		{ "inst_branch", "INST_BRANCH" },
		{ "branches", "INST_BRANCH" },
		{ "mis pred", "BRANCH_MISPRED_NONSPEC" },
		{ "pred mis cond", "BRANCH_COND_MISPRED_NONSPEC" },
		{ "brmis", "BRANCH_MISPRED_NONSPEC" },
		{ "l1dml", "L1D_CACHE_MISS_LD" },
		{ "instructions", "INST_ALL" },
		{ "cont swi", "context-switches" },
	};
	struct sim_rig rig = sim_rig_open("seed=1");
	struct event_list list;
	struct found found;

	(void)state;
	assert_int_equal(event_list_make(&rig.sim->machine, false, &list), 0);
	assert_int_equal(found_init(&found, list.n), 0);
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct query query = { &list, row[i].search };

		found_make(&found, list.n, rank, &query);
		print_message("\"%s\": %u found\n", row[i].search, found.n);
		assert_true(found.n > 0);
		assert_string_equal(list.choice[found.at[0].item].event->name, row[i].first);
	}
	found_fini(&found);
	event_list_fini(&list);
	sim_rig_close(&rig);
}

static struct model make_model(struct sim_rig *rig, const struct set *set)
{
	return (struct model){ .machine = &rig->sim->machine, .set = set };
}

static void each_event_is_listed_once(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=1");
	struct event_list list;

	(void)state;
	assert_int_equal(event_list_make(&rig.sim->machine, false, &list), 0);
	for (unsigned i = 0; i < list.n; i++) {
		assert_true((int)strlen(list.choice[i].event->name) <= list.name_width);
		assert_true(list.choice[i].group < list.n_groups);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(list.choice[i].event->name,
						list.choice[k].event->name);
	}
	assert_int_equal(find_choice(&list, "INST_BRANCH")->group,
			 find_choice(&list, "INST_BRANCH_CALL")->group);
	assert_int_not_equal(find_choice(&list, "INST_BRANCH")->group,
			     find_choice(&list, "cpu-clock")->group);
	event_list_fini(&list);
	sim_rig_close(&rig);
}

static unsigned item_of(const struct event_list *list, const char *name)
{
	return (unsigned)(find_choice(list, name) - list->choice);
}

static const struct choice *judge(struct sim_rig *rig, const struct event_list *list,
				  const char *name)
{
	return event_list_check(list, item_of(list, name), rig->events, PRIVILEGE_BOTH);
}

static bool is_legal(struct sim_rig *rig, const struct event_list *list, const char *name)
{
	return event_list_is_legal(list, item_of(list, name), &rig->sim->machine);
}

static void what_fits_and_what_moves(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=1");
	struct set set =
		sim_rig_set(&rig, "PMC5=INST_BRANCH,PMC6=BRANCH_MISPRED_NONSPEC,PMC7=ST_UNIT_UOP");
	struct model model = make_model(&rig, &set);
	struct event_list list;

	(void)state;
	assert_int_equal(event_list_make(&rig.sim->machine, false, &list), 0);
	event_list_set_target(&list, &model, 5);
	assert_true(judge(&rig, &list, "BRANCH_MISPRED_NONSPEC")->fits);
	assert_non_null(strstr(find_choice(&list, "BRANCH_MISPRED_NONSPEC")->moves, "6→5"));
	assert_true(judge(&rig, &list, "INST_BRANCH_CALL")->fits);
	event_list_set_target(&list, &model, 2);
	assert_false(judge(&rig, &list, "INST_BRANCH_CALL")->fits);
	assert_true(judge(&rig, &list, "LD_UNIT_UOP")->fits);
	assert_string_equal(find_choice(&list, "LD_UNIT_UOP")->moves, "");
	assert_false(is_legal(&rig, &list, "INST_BRANCH_CALL"));
	assert_true(is_legal(&rig, &list, "LD_UNIT_UOP"));
	assert_true(is_legal(&rig, &list, "active-cycles"));
	/* neither is there a PMU for it here */
	assert_false(is_legal(&rig, &list, "cpu-clock"));
	assert_false(is_legal(&rig, &list, "SMMU_TLB_MISS"));
	event_list_set_target(&list, &model, 11);
	assert_false(is_legal(&rig, &list, "LD_UNIT_UOP"));
	assert_true(is_legal(&rig, &list, "active-cycles"));
	assert_true(judge(&rig, &list, "active-cycles")->fits);
	event_list_fini(&list);
	sim_rig_close(&rig);
}

static void legal_counters(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=1");
	struct event_list list;

	(void)state;
	assert_int_equal(event_list_make(&rig.sim->machine, false, &list), 0);
	assert_int_equal(event_first_counter(&rig.sim->machine), 2);
	assert_int_equal(columns_n_counters(&rig.sim->machine), 10);
	for (unsigned counter = 2; counter < 10; counter++) {
		bool is_branch = counter >= 5 && counter <= 7;

		assert_int_equal(event_is_legal(find_choice(&list, "INST_BRANCH")->event, counter),
				 is_branch);
		assert_true(event_is_legal(find_choice(&list, "LD_UNIT_UOP")->event, counter));
		assert_false(event_is_legal(find_choice(&list, "cpu-clock")->event, counter));
	}
	event_list_fini(&list);
	sim_rig_close(&rig);
}

/* Where a function leads an event from a column. */
struct way {
	const char *event;
	unsigned from, to;
};

typedef unsigned way_fn(const struct model *model, struct event_table *events,
			const struct catalog_event *event, unsigned slot);

static void check_ways(const char *counted, way_fn *lead, const struct way *row, size_t n)
{
	struct sim_rig rig = sim_rig_open("seed=1");
	struct set set = sim_rig_set(&rig, counted);
	struct model model = make_model(&rig, &set);
	struct event_list list;

	assert_int_equal(event_list_make(&rig.sim->machine, false, &list), 0);
	for (size_t i = 0; i < n; i++) {
		print_message("%s from %u\n", row[i].event, row[i].from);
		assert_int_equal(lead(&model, rig.events, find_choice(&list, row[i].event)->event,
				      row[i].from),
				 row[i].to);
	}
	event_list_fini(&list);
	sim_rig_close(&rig);
}

static void tab_goes_round_the_legal_counters(void **state)
{
	static const struct way row[] = {
		{ "INST_BRANCH_CALL", 2, 5 }, { "INST_BRANCH_CALL", 5, 6 },
		{ "INST_BRANCH_CALL", 7, 5 }, { "LD_UNIT_UOP", 2, 3 },
		{ "LD_UNIT_UOP", 9, 2 },
	};

	(void)state;
	check_ways("cycles,instructions,PMC5=INST_BRANCH", event_next_slot, row, ARRAY_SIZE(row));
}

static void where_an_event_is_counted(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=1");
	struct set set = sim_rig_set(&rig, "cycles,instructions,PMC5=INST_BRANCH");
	struct model model = make_model(&rig, &set);
	struct event_list list;

	(void)state;
	assert_int_equal(event_list_make(&rig.sim->machine, false, &list), 0);
	assert_int_equal(event_column_of(&model, find_choice(&list, "INST_BRANCH")->event), 5);
	assert_int_equal(event_column_of(&model, find_choice(&list, "INST_BRANCH_CALL")->event),
			 -1);
	event_list_fini(&list);
	sim_rig_close(&rig);
}

static void what_cannot_be_there_goes_elsewhere(void **state)
{
	static const struct way row[] = {
		{ "BRANCH_MISPRED_NONSPEC", 2, 6 }, /* where it is counted */
		{ "INST_BRANCH_CALL", 2, 7 },       /* a free one rather than PMC5 */
		{ "CORE_ACTIVE_CYCLE", 3, 0 },
		{ "RETIRE_UOP", 3, 7 },
	};

	(void)state;
	check_ways("PMC5=INST_BRANCH,PMC6=BRANCH_MISPRED_NONSPEC", event_best_slot, row,
		   ARRAY_SIZE(row));
}

/* On each device that has it, and no counter gives way. */
static void events_of_devices(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=1,smmu=2");
	struct set set = sim_rig_set(&rig, "cycles,instructions,PMC5=INST_BRANCH"), next;
	struct model model = make_model(&rig, &set);
	struct event_list list;
	unsigned slot;

	(void)state;
	assert_int_equal(event_list_make(&rig.sim->machine, false, &list), 0);
	event_list_set_target(&list, &model, 2);
	assert_true(is_legal(&rig, &list, "SMMU_TLB_MISS"));
	assert_true(judge(&rig, &list, "SMMU_TLB_MISS")->fits);
	assert_int_equal(find_choice(&list, "SMMU_TLB_MISS")->slot, 10);
	event_list_set_target(&list, &model, SLOT_FREE);
	assert_true(judge(&rig, &list, "SMMU_TLB_MISS")->fits);
	assert_false(is_legal(&rig, &list, "INST_BRANCH"));
	assert_int_equal(set_choose(rig.events, &set, 2, "SMMU_TLB_MISS", PRIVILEGE_BOTH, &slot,
				    &next, &rig.err),
			 0);
	assert_string_equal(set_event(&next, 5)->name, "INST_BRANCH");
	assert_null(set_event(&next, 2));
	assert_string_equal(set_event(&next, 10)->name, "smmuv3_pmcg_2b440/SMMU_TLB_MISS/");
	assert_string_equal(set_event(&next, 11)->name, "smmuv3_pmcg_2b442/SMMU_TLB_MISS/");
	event_list_fini(&list);
	sim_rig_close(&rig);
}

static bool has(const struct event_columns *columns, enum event_column which)
{
	return columns->at[which].width > 0;
}

/* At every width: nothing overlaps or leaves its place, and things give way in their order. */
static void columns_give_way_in_order(void **state)
{
	static const enum event_column order[] = { EVENT_TOPIC, EVENT_BRIEF, EVENT_RATE,
						   EVENT_WHERE, EVENT_ID,    EVENT_DOTS };
	const struct event_want m1 = { .name = 33, .n_dots = 8, .rate = 12, .topic = 10 };

	(void)state;
	for (int width = 10; width < 220; width++) {
		struct event_want want = m1;
		struct event_columns columns;
		int free_x = 3;

		want.width = width;
		event_columns_make(&want, 3, &columns);
		assert_true(has(&columns, EVENT_NAME));
		for (int i = 0; i < N_EVENT_COLUMNS; i++) {
			if (!columns.at[i].width)
				continue;
			assert_true(columns.at[i].x >= free_x);
			free_x = columns.at[i].x + columns.at[i].width + 1;
		}
		assert_true(free_x - 1 <= 3 + width);
		for (size_t i = 0; i + 1 < ARRAY_SIZE(order); i++)
			assert_true(!has(&columns, order[i]) || has(&columns, order[i + 1]));
		if (has(&columns, EVENT_BRIEF))
			assert_int_equal(columns.at[EVENT_NAME].width, m1.name);
	}
}

static void a_wide_list_has_all_columns(void **state)
{
	const struct event_want want = {
		.width = 196, .name = 33, .n_dots = 8, .rate = 12, .topic = 10
	};
	struct event_columns columns;

	(void)state;
	event_columns_make(&want, 0, &columns);
	for (int i = 0; i < N_EVENT_COLUMNS; i++)
		assert_true(has(&columns, (enum event_column)i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(searching),
		cmocka_unit_test(what_is_found_first),
		cmocka_unit_test(each_event_is_listed_once),
		cmocka_unit_test(what_fits_and_what_moves),
		cmocka_unit_test(legal_counters),
		cmocka_unit_test(tab_goes_round_the_legal_counters),
		cmocka_unit_test(where_an_event_is_counted),
		cmocka_unit_test(what_cannot_be_there_goes_elsewhere),
		cmocka_unit_test(events_of_devices),
		cmocka_unit_test(columns_give_way_in_order),
		cmocka_unit_test(a_wide_list_has_all_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
