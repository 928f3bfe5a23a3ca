/* test_log_control.c: what is said of a log that is begun, closed and gone */
#include "rig/log_rig.h"
#include "tui/tui.h"

static void what_is_said_agrees_with_the_header(void **state)
{
	(void)state;
	struct log_control control;
	struct messages messages = { 0 };
	struct err err = { "" };
	char header[200] = "";

	log_rig_open("seed=7,clock=virtual", 100);
	assert_int_equal(sampler_start(log_rig_setup.sampler, &log_rig_setup.first, &err), 0);
	control = (struct log_control){ .sampler = log_rig_setup.sampler,
					.metrics = &log_rig_setup.metrics,
					.path = log_rig_path,
					.limits = log_rig_no_limits };
	assert_int_equal(log_control_mark(&control, "too early", &err), -ENOENT);
	assert_int_equal(log_control_start(&control, &err), 0);
	log_rig_step(5);
	assert_int_equal(log_control_end(&control, &err), 0);

	/* the header has not been told yet that it is closed: so nor is it said that there is no log */
	assert_int_equal(log_control_mark(&control, "too late", &err), -EBUSY);
	assert_non_null(strstr(err.text, "being closed"));
	while (control.log)
		assert_int_equal(log_control_text(&control, header, sizeof(header), &err), 0);
	assert_string_equal(header, "");
	log_control_tell(&control, &messages);
	log_control_tell(&control, &messages);
	assert_int_equal(messages.n, 1);
	assert_int_equal(messages.ring[0].level, MESSAGE_RESULT);

	char wrote[200], replay[200];

	snprintf(wrote, sizeof(wrote), "wrote %s, ", log_rig_path);
	snprintf(replay, sizeof(replay), "/min; m1top replay %s", log_rig_path);
	assert_ptr_equal(strstr(messages.ring[0].text, wrote), messages.ring[0].text);
	assert_non_null(strstr(messages.ring[0].text, replay));
	sampler_stop(log_rig_setup.sampler);
	setup_close(&log_rig_setup);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_said_agrees_with_the_header,
						log_rig_make_folder, log_rig_remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
