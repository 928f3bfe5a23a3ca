/* How a search means a name, which letters it marks, in which order items stand, recent choices. */
#include "rig/harness.h"

#include <string.h>

#include "tui/widget/match.h"
#include "tui/model/event_list.h"

static void words_in_names(void **state)
{
	static const struct {
		const char *name, *word;
		enum match match;
	} row[] = {
		{ "INST_BRANCH", "INST_BRANCH", MATCH_EXACT },
		{ "INST_BRANCH", "inst_branch", MATCH_EXACT },
		{ "INST_BRANCH", "inst", MATCH_PREFIX },
		{ "INST_BRANCH", "branch", MATCH_WORD },
		{ "cpu-clock", "CLOCK", MATCH_WORD },
		{ "INST_BRANCH", "ranch", MATCH_NAME },
		/* elsewhere it begins a word */
		{ "XTLB_L1D_TLB", "tlb", MATCH_WORD },
		{ "INST_BRANCH", "inbr", MATCH_FUZZY },
		{ "L1D_CACHE_MISS_LD", "l1dml", MATCH_FUZZY },
		{ "INST_BRANCH", "hcnarb", MATCH_NONE },
		{ "INST_BRANCH", "branches", MATCH_NONE },
		/* two letters are in almost every name */
		{ "INST_BRANCH", "ib", MATCH_NONE },
		{ "", "x", MATCH_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		print_message("%s in %s\n", row[i].word, row[i].name);
		assert_int_equal(MATCH_OF(match_name(row[i].name, row[i].word)), row[i].match);
	}
}

static void the_nearer_name_ranks_higher(void **state)
{
	static const struct {
		const char *word, *better, *worse;
	} row[] = {
		{ "cache", "CACHE", "CACHE_MISS" },
		{ "miss", "L1_MISS", "L1D_CACHE_MISS_LD" },
		{ "l1ml", "L1_MISS_LD", "L1D_CACHE_MISS_LD" },
		{ "mis", "BR_MIS", "BRANCH_MIS" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		print_message("%s\n", row[i].word);
		assert_true(match_name(row[i].better, row[i].word) >
			    match_name(row[i].worse, row[i].word));
		assert_int_not_equal(match_name(row[i].worse, row[i].word), 0);
	}
}

static void numbers(void **state)
{
	static const struct {
		uint64_t id;
		const char *word;
		enum match match;
	} row[] = {
		{ 0x8d, "0x8d", MATCH_EXACT },   { 0x8d, "0X8D", MATCH_EXACT },
		{ 0x8d, "8d", MATCH_EXACT },     { 0x8d, "8D", MATCH_EXACT },
		{ 0x8d, "0x008d", MATCH_EXACT }, { 0x8d, "0x8", MATCH_PREFIX },
		{ 0x8, "0x8", MATCH_EXACT },     { 0x8d, "0x", MATCH_NONE },
		{ 0x8d, "8", MATCH_NONE },       { 0x8d, "8dx", MATCH_NONE },
		{ 0x8d, "-8d", MATCH_NONE },     { 0x8d, "d8", MATCH_NONE },
		{ 0x8d, "0x8e", MATCH_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		print_message("%s\n", row[i].word);
		assert_int_equal(MATCH_OF(match_id(row[i].id, row[i].word)), row[i].match);
	}
}

static unsigned rank_name(const void *item, const char *word)
{
	return match_name(item, word);
}

static void all_words_in_any_order(void **state)
{
	static const struct {
		const char *search;
		enum match match;
	} row[] = {
		{ "", MATCH_NAME },
		{ "   ", MATCH_NAME },
		{ "br_mis", MATCH_PREFIX },
		{ " mis br ", MATCH_WORD },
		{ "br mis pred", MATCH_WORD },
		{ "br pred ret", MATCH_WORD },
		{ "br etire", MATCH_NAME },
		{ "br rtrd", MATCH_FUZZY },
		{ "br mis cache", MATCH_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		print_message("\"%s\"\n", row[i].search);
		assert_int_equal(
			MATCH_OF(match_words(row[i].search, rank_name, "BR_MIS_PRED_RETIRED")),
			row[i].match);
	}
}

static void letters(void **state)
{
	static const struct {
		const char *search, *text;
		bool is_name;
		const char *marked; /* below the letters meant */
	} row[] = {
		{ "branch", "INST_BRANCH", true, "     ******" },
		{ "branch inst", "INST_BRANCH", true, "**** ******" },
		{ "inbr", "INST_BRANCH", true, "**   **    " },
		{ "inbr", "INST_BRANCH", false, "           " },
		{ "", "INST_BRANCH", true, "           " },
		{ "8d", "0x8d", false, "  **" },
		/* the shortest stretch, not the first letters */
		{ "abc", "A_B_A_BXC", true, "    * * *" },
		{ "tlb", "XTLB_TLB", true, "     ***" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		bool letter[64];
		size_t n = strlen(row[i].text);

		print_message("\"%s\" in %s\n", row[i].search, row[i].text);
		match_letters(row[i].search, row[i].text, row[i].is_name, letter, n);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(letter[k], row[i].marked[k] == '*');
	}
}

static void letters_stay_in_their_array(void **state)
{
	bool letter[4] = { false, false, false, true };

	(void)state;
	match_letters("branch", "BRANCH", true, letter, 3);
	assert_true(letter[0] && letter[2]);
	match_letters("bnh", "BRANCH", true, letter, 3);
	assert_true(letter[3]);
}

static const char *const names[] = { "L1D_MISS", "INST",  "MISS",    "MISS_L1D",
				     "M_I_S_S",  "XMISS", "L1I_MISS" };

static unsigned rank_item(const void *search, unsigned item)
{
	return match_words(search, rank_name, names[item]);
}

static void found_in_order(void **state)
{
	static const unsigned by_miss[] = { 2, 3, 0, 6, 5, 4 };
	struct found found;

	(void)state;
	assert_int_equal(found_init(&found, ARRAY_SIZE(names)), 0);
	found_make(&found, ARRAY_SIZE(names), rank_item, "miss");
	assert_int_equal(found.n, ARRAY_SIZE(by_miss));
	for (unsigned i = 0; i < found.n; i++)
		assert_int_equal(found.at[i].item, by_miss[i]);
	found_make(&found, ARRAY_SIZE(names), rank_item, "");
	assert_int_equal(found.n, ARRAY_SIZE(names));
	for (unsigned i = 0; i < found.n; i++)
		assert_int_equal(found.at[i].item, i);
	found_fini(&found);
}

static void what_was_chosen_last_is_first(void **state)
{
	struct recents recents = { .n = 0 };

	(void)state;
	assert_int_equal(recents_rank(&recents, "A"), 0);
	recents_add(&recents, "A");
	recents_add(&recents, "B");
	recents_add(&recents, "a");
	assert_int_equal(recents.n, 2);
	assert_string_equal(recents.name[0], "a");
	assert_int_equal(recents_rank(&recents, "A"), RECENTS_MAX);
	assert_int_equal(recents_rank(&recents, "B"), RECENTS_MAX - 1);
	recents_add(&recents, recents.name[1]);
	assert_string_equal(recents.name[0], "B");
	assert_string_equal(recents.name[1], "a");
}

static void the_oldest_is_forgotten(void **state)
{
	struct recents recents = { .n = 0 };
	char name[8];

	(void)state;
	for (int i = 0; i < 2 * RECENTS_MAX; i++) {
		snprintf(name, sizeof(name), "E%d", i);
		recents_add(&recents, name);
	}
	assert_int_equal(recents.n, RECENTS_MAX);
	assert_string_equal(recents.name[0], name);
	snprintf(name, sizeof(name), "E%d", RECENTS_MAX);
	assert_string_equal(recents.name[RECENTS_MAX - 1], name);
	assert_int_equal(recents_rank(&recents, "E0"), 0);
}

static void a_kept_list_comes_back(void **state)
{
	static const char *const kept[] = { "A", "", "B", "A", "C" };
	char overlong[2 * EVENT_NAME_MAX];
	const char *const bad[] = { overlong };
	struct recents recents;

	(void)state;
	recents_set(&recents, kept, ARRAY_SIZE(kept));
	assert_int_equal(recents.n, 3);
	assert_string_equal(recents.name[0], "A");
	assert_string_equal(recents.name[1], "B");
	assert_string_equal(recents.name[2], "C");
	memset(overlong, 'x', sizeof(overlong));
	overlong[sizeof(overlong) - 1] = '\0';
	recents_set(&recents, bad, 1);
	assert_int_equal(recents.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_in_names),
		cmocka_unit_test(the_nearer_name_ranks_higher),
		cmocka_unit_test(numbers),
		cmocka_unit_test(all_words_in_any_order),
		cmocka_unit_test(letters),
		cmocka_unit_test(letters_stay_in_their_array),
		cmocka_unit_test(found_in_order),
		cmocka_unit_test(what_was_chosen_last_is_first),
		cmocka_unit_test(the_oldest_is_forgotten),
		cmocka_unit_test(a_kept_list_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
