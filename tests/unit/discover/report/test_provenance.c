/* test_provenance.c: where findings came from: when, under what, and of whose kernel */
#include "rig/sweep_rig.h"

#include <stdlib.h>

#include "discover/findings.h"

static struct findings swept(struct backend *sim, const char *ids, const struct findings *old)
{
	return sweep_whole(&(struct sweep_request){
		.backend = sim, .ids = ids, .kernels = "nop,load", .is_quick = true, .old = old });
}

/* Written and read back. */
static struct findings again(const struct findings *findings)
{
	struct text text = { 0 };
	struct findings ret;
	struct err err = { "" };

	findings_print(findings, &text);
	if (findings_parse("r.json", text.bytes, text.n, &ret, &err))
		fail_msg("%s", err.text);
	text_fini(&text);
	return ret;
}

/* One that was made on another kernel by another m1top, some time ago. */
static struct findings of_old_times(struct backend *sim)
{
	struct findings findings = swept(sim, "1-4", NULL), ret;

	snprintf(findings.machine.kernel, sizeof(findings.machine.kernel), "Linux 5.4.0-old");
	snprintf(findings.machine.m1top, sizeof(findings.machine.m1top), "0.0.1");
	snprintf(findings.machine.date, sizeof(findings.machine.date), "2020");
	snprintf(findings.note[1][1], KERNEL_NOTE_MAX, "64 MiB not locked");
	ret = again(&findings);
	findings_fini(&findings);
	return ret;
}

static void check_beginning(const struct findings *findings)
{
	assert_string_equal(findings->machine.kernel, "Linux 5.4.0-old");
	assert_string_equal(findings->machine.m1top, "0.0.1");
	assert_string_equal(findings->machine.date, "2020");
}

/* Nothing was left to do, and nothing is said to have been done. */
static void test_resumed_without_a_run(void **state)
{
	struct backend *sim = sweep_sim("hidden,seed=1");
	struct findings old = of_old_times(sim), now = swept(sim, NULL, &old);
	struct findings read = again(&now);

	(void)state;
	assert_int_equal(now.n_runs, old.n_runs);
	check_beginning(&read);
	assert_string_equal(read.note[1][1], "64 MiB not locked");
	assert_int_equal(read.n_sessions, 0);
	findings_fini(&old);
	findings_fini(&now);
	findings_fini(&read);
	backend_close(sim);
}

/* Later parts are told apart by the runs that were made before them; the same again is one. */
static void test_sessions(void **state)
{
	struct backend *sim = sweep_sim("hidden,seed=1");
	struct findings old = of_old_times(sim), more = swept(sim, "5", &old);
	struct findings read = again(&more), most = swept(sim, "6", &read), last = again(&most);
	struct findings_session session;

	(void)state;
	check_beginning(&last);
	assert_int_equal(last.n_sessions, 1);
	findings_last_session(&last, &session);
	assert_string_equal(session.m1top, M1TOP_VERSION);
	assert_string_equal(session.date, more.session[0].date);
	assert_int_equal(session.after_runs, old.n_runs);
	assert_true(last.n_runs > more.n_runs && more.n_runs > old.n_runs);
	findings_fini(&old);
	findings_fini(&more);
	findings_fini(&read);
	findings_fini(&most);
	findings_fini(&last);
	backend_close(sim);
}

static void test_many_sessions(void **state)
{
	struct backend *sim = sweep_sim("hidden,seed=1");
	struct findings findings = of_old_times(sim);

	(void)state;
	for (unsigned i = 0; i < SESSIONS_MAX + 3; i++) {
		char id[8];

		snprintf(id, sizeof(id), "%u", 5 + i);

		struct findings more = swept(sim, id, &findings);

		findings_fini(&findings);
		findings = again(&more);
		findings_fini(&more);
		/* as if it had been another one again */
		snprintf(findings.session[findings.n_sessions - 1].m1top, 32, "0.0.%u", 2 + i);
	}
	assert_int_equal(findings.n_sessions, SESSIONS_MAX);
	assert_string_equal(findings.session[0].m1top, "0.0.2");
	check_beginning(&findings);
	findings_fini(&findings);
	backend_close(sim);
}

/* ---- kernels of the user's ---- */

static struct findings with_custom(struct backend *sim, const struct custom_origin *custom)
{
	struct findings findings = swept(sim, "1-4", NULL), ret;

	snprintf(findings.kernel[1], KERNEL_NAME_MAX, "own");
	findings.custom = *custom;
	ret = again(&findings);
	findings_fini(&findings);
	return ret;
}

static void test_custom(void **state)
{
	static const struct custom_origin rows[] = {
		{ .name = "own", .trigger = "a \"b\"\n", .control = "true" },
		{ .name = "own", .assembly = "/k.S", .hash = UINT64_MAX },
	};
	struct backend *sim = sweep_sim("hidden,seed=1");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct findings read = with_custom(sim, &rows[i]);

		assert_memory_equal(&read.custom, &rows[i], sizeof(read.custom));
		findings_fini(&read);
	}
	backend_close(sim);
}

static void test_damaged_custom(void **state)
{
	static const struct custom_origin custom = { .name = "own",
						     .trigger = "a",
						     .control = "b" };
	static const struct {
		const char *from, *says;
	} rows[] = {
		{ "{\"name\": \"own\"", "$.options.own.name: none of the kernels" },
		{ "\"trigger\"", "$.options.own.trigger: missing" },
		{ "\"control\"", "$.options.own.control: missing" },
	};
	struct backend *sim = sweep_sim("hidden,seed=1");
	struct findings findings = with_custom(sim, &custom);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text text = { 0 };
		struct findings ret;
		struct err err = { "" };
		char *at;

		findings_print(&findings, &text);
		at = strstr(text.bytes, rows[i].from);
		assert_non_null(at);
		at[strlen(rows[i].from) - 2] = '_';
		assert_int_equal(findings_parse("r.json", text.bytes, text.n, &ret, &err), -EINVAL);
		if (!strstr(err.text, rows[i].says))
			fail_msg("row %zu: %s", i, err.text);
		text_fini(&text);
	}
	findings_fini(&findings);
	backend_close(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resumed_without_a_run), cmocka_unit_test(test_sessions),
		cmocka_unit_test(test_many_sessions),         cmocka_unit_test(test_custom),
		cmocka_unit_test(test_damaged_custom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
