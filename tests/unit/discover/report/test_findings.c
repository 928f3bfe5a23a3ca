/* test_findings.c: reports written and read back, refused when damaged, compared, made events of */
#include "rig/sweep_rig.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "discover/findings.h"
#include "rig/catalog_check.h"

static struct findings of_seed(const char *options, const char *ids, const char *kernels)
{
	struct backend *sim = sweep_sim(options);
	char text[64];
	struct findings findings;

	snprintf(text, sizeof(text), "sim:%s", options);
	findings = sweep_whole(&(struct sweep_request){
		.backend = sim, .backend_text = text, .ids = ids, .kernels = kernels });
	backend_close(sim);
	return findings;
}

static struct text printed(const struct findings *findings)
{
	struct text text = { 0 };

	findings_print(findings, &text);
	assert_false(text.failed);
	return text;
}

/* ---- there and back ---- */

static void test_round_trip(void **state)
{
	struct findings findings = of_seed("hidden,seed=3", "0x00-0x3f,0x80-0xff", "nop,load");
	struct text first, second;
	struct findings again;
	struct err err = { "" };

	(void)state;
	snprintf(findings.note[0][1], KERNEL_NOTE_MAX, "left out: no memory");
	snprintf(findings.note[1][0], KERNEL_NOTE_MAX, "64 MiB not locked");
	first = printed(&findings);
	if (findings_parse("r.json", first.bytes, first.n, &again, &err))
		fail_msg("%s", err.text);
	second = printed(&again);
	assert_string_equal(first.bytes, second.bytes);
	assert_memory_equal(again.note, findings.note, sizeof(again.note));
	assert_int_equal(again.n, findings.n);
	assert_int_equal(again.n_runs, findings.n_runs);
	assert_true(again.is_complete);
	assert_string_equal(again.machine.backend, "sim:hidden,seed=3");
	for (size_t i = 0; i < findings.n; i++)
		assert_memory_equal(&again.finding[i].estimate.slope,
				    &findings.finding[i].estimate.slope, sizeof(double));
	text_fini(&first);
	text_fini(&second);
	findings_fini(&findings);
	findings_fini(&again);
}

/* Of one id and kernel on one type, both of which are called "cpu". */
static struct findings of_namesakes(void)
{
	struct findings findings = { .n_types = 1, .n_kernels = 1, .plan = { { 1, 2 }, 2, 7, 1 } };

	snprintf(findings.type[0].name, sizeof(findings.type[0].name), "cpu");
	snprintf(findings.kernel[0], sizeof(findings.kernel[0]), "cpu");
	snprintf(findings.note[0][0], KERNEL_NOTE_MAX, "left out");
	assert_int_equal(ids_all(0, &findings.ids), 0);
	assert_int_equal(findings_make_room(&findings), 0);
	return findings;
}

/* The user's kernel may be called like a core type. */
static void test_namesakes(void **state)
{
	static const struct {
		const char *notes, *says; /* NULL: it is read, with the note */
	} rows[] = {
		{ "{\"cpu\": {\"cpu\": \"left out\"}}", NULL },
		{ "{\"cpu\": 1}", "r.json: $.notes.cpu: not an object" },
		{ "{\"cpu\": {\"cpu\": {}}}", "r.json: $.notes.cpu.cpu: not a string" },
	};
	struct findings findings = of_namesakes();
	struct text whole = printed(&findings);
	const char *notes = strstr(whole.bytes, "\"notes\": ") + strlen("\"notes\": ");
	const char *behind = strstr(notes, ",\n  \"masks_tried\"");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct findings again = { 0 };
		struct text text = { 0 };
		struct err err = { "" };

		text_add(&text, whole.bytes, (size_t)(notes - whole.bytes));
		text_printf(&text, "%s%s", rows[i].notes, behind);
		findings_parse("r.json", text.bytes, text.n, &again, &err);
		assert_string_equal(err.text, rows[i].says ? rows[i].says : "");
		if (!rows[i].says)
			assert_string_equal(again.note[0][0], "left out");
		findings_fini(&again);
		text_fini(&text);
	}
	text_fini(&whole);
	findings_fini(&findings);
}

/* What is unknown is null, and read back as that. */
static void test_unknown_is_null(void **state)
{
	static const struct {
		struct mask mask;
		const char *says;
	} rows[] = {
		{ { .above = 0xff }, "\"found\": null, \"counters\": null" },
		{ { .source = MASK_BY_DRIVER, .copies = 2, .above = 0xff },
		  "\"found\": \"driver\", \"counters\": null, \"copies\": 2, \"above\": null" },
		{ { .source = MASK_BY_COUNTING, .counters = 0xe0, .above = 0xff },
		  "\"found\": \"counting\", \"counters\": [5, 6, 7]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct findings findings = of_namesakes(), again = { 0 };
		struct err err = { "" };

		findings.of_id[0].is_known = findings.of_id[0].is_mask_done = true;
		findings.of_id[0].mask = rows[i].mask;

		struct text text = printed(&findings);

		assert_non_null(strstr(text.bytes, "\"choosable\": null"));
		if (!strstr(text.bytes, rows[i].says))
			fail_msg("row %zu: %s", i, text.bytes);
		if (findings_parse("r.json", text.bytes, text.n, &again, &err))
			fail_msg("%s", err.text);
		assert_int_equal(again.of_id[0].mask.source, rows[i].mask.source);
		assert_true(again.of_id[0].mask.counters == rows[i].mask.counters);
		assert_int_equal(again.of_id[0].mask.copies, rows[i].mask.copies);
		text_fini(&text);
		findings_fini(&findings);
		findings_fini(&again);
	}
}

/* With many ids, what shows nothing is not kept, and counts among the tries all the same. */
static void test_left_out(void **state)
{
	struct findings findings = { .n_types = 1, .n_kernels = 1, .plan = { { 1, 2 }, 2, 7, 1 } };
	struct finding quiet = { .estimate = { .p = 0.7, .k = NAN, .verdict = VERDICT_NONE } };
	const struct finding unknown = { .id = 0xffff, .estimate = { .p = 1, .k = NAN } };
	struct finding loud = quiet, faint = quiet;
	struct findings again, copy;
	struct err err = { "" };

	(void)state;
	snprintf(findings.type[0].name, sizeof(findings.type[0].name), "cpu");
	snprintf(findings.kernel[0], sizeof(findings.kernel[0]), "nop");
	assert_int_equal(ids_all(0xffff, &findings.ids), 0);
	assert_int_equal(findings_make_room(&findings), 0);
	loud.estimate = (struct estimate){ .slope = 1,
					   .low = 1,
					   .high = 1,
					   .n_largest = 100,
					   .verdict = VERDICT_NONE,
					   .n_pairs = 35 };
	faint.estimate = loud.estimate;
	faint.estimate.p = 1e-5; /* a discovery among a thousand tries, not among 65536 */
	for (unsigned id = 0; id < 0xffff; id++) {
		struct finding *finding = id == 8 ? &loud : id == 9 ? &faint : &quiet;

		finding->id = id;
		assert_int_equal(findings_add(&findings, finding), 0);
	}
	assert_int_equal(findings_add(&findings, &unknown), 0);
	assert_int_equal(findings.n, 2);
	assert_int_equal(findings.n_left_out, 0xffff - 2);
	assert_int_equal(findings_copy(&findings, &copy), 0);
	assert_int_equal(findings_decide(&copy), 0);
	assert_int_equal(copy.finding[0].estimate.verdict, VERDICT_CONSISTENT);
	assert_int_equal(copy.finding[1].estimate.verdict, VERDICT_NONE);

	struct text text = printed(&copy);

	if (findings_parse("r.json", text.bytes, text.n, &again, &err))
		fail_msg("%s", err.text);
	assert_int_equal(again.n_left_out, findings.n_left_out);
	assert_true(findings_tried(&again, 0, 0)[0xfffe]);
	assert_false(findings_tried(&again, 0, 0)[0xffff]);
	text_fini(&text);
	findings_fini(&findings);
	findings_fini(&copy);
	findings_fini(&again);
}

/* ---- damage ---- */

/* `from` in the report, once, as `to`. */
static struct text damaged(const struct text *whole, const char *from, const char *to)
{
	const char *at = strstr(whole->bytes, from);
	struct text text = { 0 };

	if (!at)
		fail_msg("the report has no %s", from);
	text_printf(&text, "%.*s%s%s", (int)(at - whole->bytes), whole->bytes, to,
		    at + strlen(from));
	return text;
}

static void test_damaged(void **state)
{
	static const struct {
		const char *from, *to, *says;
	} rows[] = {
		{ "\"m1top_discover\": 1", "\"m1top_discover\": 2",
		  "r.json: $.m1top_discover: a format that this m1top does not know" },
		{ "\"m1top_discover\": 1,", "", "r.json: $.m1top_discover: missing" },
		{ "{\n", "[\n", "r.json:2: not valid JSON from here" },
		{ "\"model\": \"", "\"model\": 7, \"x\": \"",
		  "r.json: $.machine.model: not a string" },
		{ "\"ids\": \"0x90-0x9f\"", "\"ids\": \"0x90-\"",
		  "r.json: $.options.ids: \"0x90-\" is not a list of event ids" },
		{ "\"lengths\": [1,", "\"lengths\": [0,",
		  "r.json: $.options.lengths: not a list of lengths" },
		{ "\"lengths\": [1,", "\"lengths\": [1.5,",
		  "r.json: $.options.lengths: not a list of lengths" },
		{ "\"lengths\": [1,", "\"lengths\": [200,",
		  "r.json: $.options.lengths: not a list of lengths" },
		{ "\"seconds\": ", "\"seconds\": 1e300, \"x\": ", "r.json: $.seconds: not a time" },
		{ "\"repeats\": 7", "\"repeats\": 1", "r.json: $.options.repeats: too few" },
		{ "\"slow\": ", "\"slow\": -",
		  "r.json: $.rejected.slow: not a whole number in its range" },
		{ "\"complete\": true", "\"complete\": 1",
		  "r.json: $.complete: neither true nor false" },
		{ "\"found\": \"counting\"", "\"found\": \"guess\"",
		  "r.json: $.events[0].found: not a way to find counters" },
		{ "\"estimates\": [\n    {\"type\": \"E\"",
		  "\"estimates\": [\n    {\"type\": \"X\"",
		  "r.json: $.estimates[0].type: none of the types" },
		{ "\"kernel\": \"load\", \"id\": \"0x91\"",
		  "\"kernel\": \"load\", \"id\": \"0x81\"",
		  "r.json: $.estimates[1].id: none of the ids" },
		{ "\"kernel\": \"load\", \"id\": \"0x91\"",
		  "\"kernel\": \"load\", \"id\": \"0x90\"",
		  "r.json: $.estimates, kernel load: an id occurs twice" },
		{ "\"verdict\": \"none\"", "\"verdict\": \"hit\"", ".verdict: not a verdict" },
		{ "\"p\": ", "\"p\": 2", ".p: not from 0 to 1" },
		{ "\"slope\": ", "\"slope\": \"much\", \"x\": ", ".slope: not a number" },
		{ "\"slope\": ", "\"slope\": null, \"x\": ",
		  ".slope: null, though it has a verdict" },
		{ "\"kernel\": \"load\", \"ids\": \"0x90-0x9f\"",
		  "\"kernel\": \"load\", \"ids\": \"0x91-0x9f\"",
		  "r.json: $.estimates[0].id: not among those that were tried" },
		{ "\"counts\": [", "\"counts\": [3, ", ".counts: not two numbers" },
		{ "\n}\n", "\n}\n{}", "unexpected data after the report" },
	};
	struct findings findings = of_seed("hidden,seed=3", "0x90-0x9f", "load");
	struct text whole = printed(&findings);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text text = damaged(&whole, rows[i].from, rows[i].to);
		struct findings ret = { 0 };
		struct err err = { "" };

		assert_int_equal(findings_parse("r.json", text.bytes, text.n, &ret, &err), -EINVAL);
		if (!strstr(err.text, rows[i].says))
			fail_msg("row %zu: %s", i, err.text);
		text_fini(&text);
	}
	text_fini(&whole);
	findings_fini(&findings);
}

/* Wherever a write was cut off, nothing is taken for a report. */
static void test_cut_off(void **state)
{
	struct findings findings = of_seed("hidden,seed=3", "0x90-0x91", "load");
	struct text whole = printed(&findings);

	(void)state;
	for (size_t n = 0; n + 2 < whole.n; n += 7) {
		struct findings ret;
		struct err err = { "" };
		char *part = strndup(whole.bytes, n);

		if (findings_parse("r.json", part, n, &ret, &err) != -EINVAL)
			fail_msg("%zu of %zu bytes are a report", n, whole.n);
		free(part);
	}
	text_fini(&whole);
	findings_fini(&findings);
}

/* ---- events ---- */

static void write_file(const char *dir, const char *name, const char *bytes)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(bytes, file);
	fclose(file);
}

static void make_folder(const char *root, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

/* What a sweep makes of a machine without names is event data that loads, strictly. */
static void test_events_load(void **state)
{
	struct findings findings = of_seed("hidden,seed=7", NULL, "load,store,nop,call-return");
	struct text text = { 0 }, problems = { 0 };
	struct findings_events events;
	char root[] = "/tmp/m1top-events-XXXXXX", command[64];
	struct catalog *catalog = NULL;
	struct err err = { "" };

	(void)state;
	findings_print_events(&findings, &text, &events);
	assert_true(events.n_factors > 5 && events.n_time > 0 && events.n_related > 0);

	size_t n = events.n_factors + events.n_time + events.n_related;

	assert_non_null(mkdtemp(root));
	make_folder(root, "arm64");
	make_folder(root, "arm64/found");
	make_folder(root, "arm64/found/x");
	write_file(root, "arm64/mapfile.csv",
		   "Family-model,Version,Filename,EventType\n"
		   "0x00000000611f0230,v1,found/x,core\n");
	write_file(root, "arm64/found/x/found.json", text.bytes);
	if (catalog_check(root, NULL, &problems, &err) != 0)
		fail_msg("%s%s", err.text, problems.bytes ? problems.bytes : "");
	if (catalog_load(root, "arm64", "0x00000000611f0230", &catalog, &err))
		fail_msg("%s", err.text);
	assert_true(catalog->n_events >= n);
	for (size_t i = 0; i < catalog->n_events; i++) {
		const struct catalog_event *event = &catalog->event[i];
		char start[32];

		if (strncmp(event->name, "UNKNOWN_", 8) != 0)
			continue;
		snprintf(start, sizeof(start), "UNKNOWN_%02llX_", (unsigned long long)event->id);
		assert_memory_equal(event->name, start, strlen(start));
		assert_non_null(strstr(event->what, " on "));
		assert_true(event->counters != 0);
	}
	catalog_free(catalog);
	text_fini(&text);
	text_fini(&problems);
	findings_fini(&findings);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

/* An id that the catalogue knows needs no other name. */
static void test_events_known(void **state)
{
	struct findings findings = of_seed("seed=1", "0x90-0x9f", "load,store");
	struct findings_events events;
	struct text text = { 0 };

	(void)state;
	assert_true(findings_n_responding(&findings) >= 3);
	findings_print_events(&findings, &text, &events);
	assert_int_equal(events.n_factors + events.n_time + events.n_related, 0);
	assert_string_equal(text.bytes, "[\n]\n");
	text_fini(&text);
	findings_fini(&findings);
}

/* ---- ids ---- */

static void test_ids(void **state)
{
	static const struct {
		const char *text, *says; /* NULL: refused */
	} rows[] = {
		{ "0x10", "0x10" },
		{ "16", "0x10" },
		{ "0x10-0x12,0x11,0x14,3", "0x03,0x10-0x12,0x14" },
		{ "0-0xffff", "0x00-0xffff" },
		{ "", NULL },
		{ ",", NULL },
		{ "1,", NULL },
		{ "2-1", NULL },
		{ "0x", NULL },
		{ "-1", NULL },
		{ "0x1-", NULL },
		{ "0-0xffffffffff", NULL },
		{ "load", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text text = { 0 };
		struct ids ids;
		struct err err = { "" };
		int rc = ids_parse(rows[i].text, &ids, &err);

		if (!rows[i].says) {
			if (!rc)
				fail_msg("\"%s\" was taken", rows[i].text);
			assert_true(err.text[0]);
			continue;
		}
		assert_int_equal(rc, 0);
		ids_print(&ids, NULL, &text);
		assert_string_equal(text.bytes, rows[i].says);
		ids_fini(&ids);
		text_fini(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_namesakes),
		cmocka_unit_test(test_unknown_is_null),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_events_load),
		cmocka_unit_test(test_events_known),
		cmocka_unit_test(test_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
