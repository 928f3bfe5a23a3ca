/* The choice between backends, with two of the test's own in place of the real members. */
#include "rig/machines.h"

#include <errno.h>

#include "pmu/backend.h"

static int perf_probe_result, n_closed;
static bool perf_has_note;

static int fake_perf_probe(const struct backend_config *config, struct err *err)
{
	(void)config;
	if (perf_probe_result == -EACCES)
		return err_set(err, EACCES, "run this line");
	if (perf_probe_result == -EMFILE)
		return err_set(err, EMFILE, "raise the limit");
	return perf_probe_result ? err_set(err, ENODEV, "no counters") : 0;
}

static int fake_sim_probe(const struct backend_config *config, struct err *err)
{
	(void)config;
	(void)err;
	return 0;
}

static int fake_open(const struct backend_ops *ops, struct backend **ret)
{
	struct backend *backend = calloc(1, sizeof(*backend));

	assert_non_null(backend);
	backend->ops = ops;
	*ret = backend;
	return 0;
}

static int fake_perf_open(const struct backend_config *config, struct backend **ret,
			  struct err *err)
{
	if (config->options)
		return err_set(err, EINVAL, "perf has no option \"%s\"", config->options);
	fake_open(&backend_perf, ret);
	if (perf_has_note)
		err_set(&(*ret)->note, ENODEV, "software events only");
	return 0;
}

static int fake_sim_open(const struct backend_config *config, struct backend **ret, struct err *err)
{
	(void)config;
	(void)err;
	return fake_open(&backend_sim, ret);
}

static void fake_close(struct backend *backend)
{
	n_closed++;
	free(backend);
}

const struct backend_ops backend_perf = {
	.name = "perf",
	.probe = fake_perf_probe,
	.open = fake_perf_open,
	.close = fake_close,
};

const struct backend_ops backend_sim = {
	.only_by_name = true,
	.name = "sim",
	.probe = fake_sim_probe,
	.open = fake_sim_open,
	.close = fake_close,
};

static void expect_open(const char *name, const char *opened)
{
	struct backend_config config = { .name = name };
	struct backend *backend = NULL;
	struct err err = { "" };

	if (backend_open(&config, &backend, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(backend->ops->name, opened);
	n_closed = 0;
	backend_close(backend);
	assert_int_equal(n_closed, 1);
}

static void expect_failure(const char *name, const char *options, int code, const char *says)
{
	struct backend_config config = { .name = name, .options = options };
	struct backend *backend = NULL;
	struct err err = { "" };

	assert_int_equal(backend_open(&config, &backend, &err), -code);
	assert_null(backend);
	if (!strstr(err.text, says))
		fail_msg("%s", err.text);
}

static void the_first_usable_is_chosen(void **state)
{
	(void)state;
	perf_probe_result = 0;
	expect_open(NULL, "perf");
	expect_open("", "perf");
	backend_close(NULL);
}

static void simulation_only_by_name(void **state)
{
	(void)state;
	perf_probe_result = -ENODEV;
	expect_failure(NULL, NULL, ENODEV, "m1top --demo");
	expect_open("sim", "sim");
}

static void what_is_not_permitted_says_how(void **state)
{
	(void)state;
	perf_probe_result = -EACCES;
	expect_failure(NULL, NULL, EACCES, "run this line");
	perf_probe_result = -EMFILE;
	expect_failure(NULL, NULL, EMFILE, "raise the limit");
}

static void a_name_is_taken_at_its_word(void **state)
{
	(void)state;
	perf_probe_result = 0;
	expect_failure("perv", NULL, EINVAL,
		       "no backend is named \"perv\"; available: apple, perf, sim");
	expect_failure("perf", "x=1", EINVAL, "perf has no option \"x=1\"");
}

static void a_note_is_kept(void **state)
{
	struct backend_config config = { 0 };
	struct backend *backend;

	(void)state;
	perf_probe_result = 0;
	perf_has_note = true;
	assert_int_equal(backend_open(&config, &backend, NULL), 0);
	assert_string_equal(backend->note.text, "software events only");
	backend_close(backend);
	perf_has_note = false;
}

static void names_and_options_are_split(void **state)
{
	char name[32];
	const char *options = "";

	(void)state;
	backend_split("sim", name, sizeof(name), &options);
	assert_string_equal(name, "sim");
	assert_null(options);
	backend_split("sim:cores=128,seed=7", name, sizeof(name), &options);
	assert_string_equal(name, "sim");
	assert_string_equal(options, "cores=128,seed=7");
	backend_split("a-name-that-is-longer-than-the-buffer:x", name, sizeof(name), &options);
	assert_int_equal(strlen(name), 31);
	assert_string_equal(options, "x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_usable_is_chosen),
		cmocka_unit_test(simulation_only_by_name),
		cmocka_unit_test(what_is_not_permitted_says_how),
		cmocka_unit_test(a_name_is_taken_at_its_word),
		cmocka_unit_test(a_note_is_kept),
		cmocka_unit_test(names_and_options_are_split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
