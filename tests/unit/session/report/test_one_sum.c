/* test_one_sum.c: a session with every standing, and its totals in every verb: one total, one quality.
 */
#include "rig/summary_rig.h"

#include "base/clock.h"
#include "session/format.h"
#include "session/report/report.h"
#include "session/openmetrics.h"
#include "tui/model/model.h"

enum { FRAMES = 40 };

#define INTERVAL_NS (100 * NS_PER_MS)
/* cpu1's branches not counted for a second, and never on cpu0; cpu2's reads lost; cpu3 off; cpu4 lost
 * from the first read on; the others without a fault. */
#define SESSION \
	"clock=virtual,seed=7,steal=1.5@1-2,steal=0.5@0-9,offline=3@1-2,lost=2@2-3,lost=4@0-9"

/* What some verb says a row's event comes to. */
struct said {
	double total; /* without meaning unless the quality has a value */
	enum quality quality;
};

/* Frames as they come: of the sampler that counts, or of the file. */
struct watched {
	const struct machine *machine;
	const struct metrics *metrics;
	struct frame_sum by_core, by_type;
	struct totals totals;
	struct running_stats running_stats[2 * CORES_MAX]
					  [COLUMNS_MAX]; /* cores, and types behind them */
};

static void watch(struct watched *watched, const struct frame *frame)
{
	const struct machine *machine = watched->machine;

	assert_int_equal(frame_sum_add(&watched->by_core, frame, machine, watched->metrics), 0);
	assert_int_equal(frame_sum_add(&watched->by_type, frame, machine, watched->metrics), 0);
	assert_int_equal(totals_add(&watched->totals, frame, 0), 0);
	for (enum frame_by by = BY_CORE; by <= BY_TYPE; by += BY_TYPE - BY_CORE) {
		for (unsigned i = 0; i < frame_n_rows(machine, frame->set, by); i++) {
			struct frame_row row;

			frame_row(frame, machine, watched->metrics, by, i, &row);
			for (unsigned slot = 0; slot < frame->n_slots; slot++)
				running_stats_add(
					&watched->running_stats[by == BY_CORE ? i : CORES_MAX + i]
							       [slot],
					&row, slot);
		}
	}
}

static struct watched *watch_begin(const struct machine *machine, const struct metrics *metrics)
{
	struct watched *watched = calloc(1, sizeof(*watched));

	assert_non_null(watched);
	watched->machine = machine;
	watched->metrics = metrics;
	watched->by_type.by = BY_TYPE;
	totals_init(&watched->totals, machine, 0, 0);
	return watched;
}

static void watch_end(struct watched *watched)
{
	frame_sum_fini(&watched->by_core);
	frame_sum_fini(&watched->by_type);
	totals_fini(&watched->totals);
	free(watched);
}

static enum quality quality_named(const char *name)
{
	enum quality quality = QUALITY_NONE;

	while (quality + 1 < N_QUALITIES && strcmp(quality_name(quality), name) != 0)
		quality++;
	return quality;
}

static struct said said_of(const struct count *count)
{
	struct reading total = count_total(count);

	return (struct said){ total.value, total.quality };
}

/* stat --summary -j: the line of this row and slot. */
static struct said of_json_summary(struct watched *watched, bool by_type, unsigned i, unsigned slot)
{
	struct frame_sum *sum = by_type ? &watched->by_type : &watched->by_core;
	struct format_context context = { .machine = watched->machine,
					  .metrics = watched->metrics,
					  .by = sum->by };
	struct said said = { .quality = QUALITY_NONE };
	struct text out = { 0 };
	char row[64], at[32];

	if (by_type)
		snprintf(row, sizeof(row), "\"core-type\" : \"%s\"",
			 watched->machine->type[i].name);
	else
		snprintf(row, sizeof(row), "\"cpu\" : \"%u\"", watched->machine->core[i].cpu);
	snprintf(at, sizeof(at), "\"slot\" : %u,", slot);
	assert_int_equal(frame_sum_end(sum, watched->machine, watched->metrics), 0);
	format_json.summary(&context, sum->frame, &out);
	for (char *rest = out.bytes, *line; (line = strsep(&rest, "\n"));) {
		const char *value = strstr(line, "\"counter-value\" : \"");
		char *quality = strstr(line, "\"quality\" : \"");

		if (!strstr(line, row) || !strstr(line, at) || !value || !quality)
			continue;
		said.total = strtod(value + strlen("\"counter-value\" : \""), NULL);
		quality += strlen("\"quality\" : \"");
		quality[strcspn(quality, "\"")] = '\0';
		said.quality = quality_named(quality);
	}
	text_fini(&out);
	return said;
}

/* serve has the counters of cores: what a query makes of them. */
static struct said of_totals(const struct watched *watched, unsigned core, unsigned slot)
{
	struct total total = totals_of(&watched->totals, core, slot);

	return said_of(&total.sum);
}

/* ---- report ---- */

/* The first cell of the event's line below the row's heading: "12345", "~12345", "-". */
static struct said of_text(const struct report *report, const char *row, const char *event)
{
	struct said said = { .quality = QUALITY_NONE };
	struct text out = { 0 };
	const char *at;
	char heading[64];

	report_text(report, &out);
	text_add(&out, "", 1);
	snprintf(heading, sizeof(heading), "\n%s%s", row, strchr(row, ' ') ? "\n" : "  cpu");
	at = strstr(out.bytes, heading);
	at = at ? strstr(at, event) : NULL;
	if (at) {
		at += strlen(event);
		at += strspn(at, " ");
		said.quality = *at == '~'                 ? QUALITY_SCALED
			       : *at == '-' || *at == 'n' ? QUALITY_NOT_COUNTED
							  : QUALITY_OK;
		said.total = strtod(at + (*at == '~'), NULL);
	}
	text_fini(&out);
	return said;
}

/* @out  JSON, which is released */
static struct said in_json(struct text *out, const char *row, const char *event)
{
	struct said said = { .quality = QUALITY_NONE };
	char *at, key[64];

	text_add(out, "", 1);
	snprintf(key, sizeof(key), "\"name\":\"%s\"", row);
	at = strstr(out->bytes, "\"rows\"");
	at = at ? strstr(at, key) : NULL;
	snprintf(key, sizeof(key), "\"event\":\"%s\"", event);
	at = at ? strstr(at, key) : NULL;
	if (at) {
		char *quality = strstr(at, "\"quality\":\"") + strlen("\"quality\":\"");

		said.total = strtod(strstr(at, "\"total\":") + strlen("\"total\":"), NULL);
		quality[strcspn(quality, "\"")] = '\0';
		said.quality = quality_named(quality);
	}
	text_fini(out);
	return said;
}

static struct said of_html(const struct report *report, const char *row, const char *event)
{
	struct text out = { 0 };
	struct err err = { "" };

	must(report_html(report, &out, &err), &err);
	return in_json(&out, row, event);
}

static struct said of_json(const struct report *report, const char *row, const char *event)
{
	struct text out = { 0 };

	report_json(report, &out);
	return in_json(&out, row, event);
}

/* ---- all of them ---- */

static const char *text_of(struct said said, char *buf, size_t size)
{
	if (quality_has_value(said.quality))
		snprintf(buf, size, "%.0f %s", said.total, quality_name(said.quality));
	else
		snprintf(buf, size, "%s", quality_name(said.quality));
	return buf;
}

/* Text has one sign for all that has no value, and whole numbers. */
static bool are_same(struct said is, struct said wanted)
{
	if (quality_has_value(is.quality) != quality_has_value(wanted.quality))
		return false;
	return !quality_has_value(is.quality) ||
	       (is.quality == wanted.quality && fabs(is.total - wanted.total) < 1);
}

static void check_same(const char *row, const char *event, struct said wanted,
		       const struct said *said, const char *const *verb, size_t n)
{
	char is[64], should[64];

	print_message("# %-5s %-18s %s\n", row, event, text_of(wanted, should, sizeof(should)));
	for (size_t i = 0; i < n; i++)
		if (!are_same(said[i], wanted))
			fail_msg("%s %s: %s says %s, not %s", row, event, verb[i],
				 text_of(said[i], is, sizeof(is)), should);
}

static void compare_figure(struct watched *live, struct watched *replayed,
			   const struct report *report, bool by_type, unsigned i, unsigned slot)
{
	static const char *const verb[] = {
		"stat --summary",
		"replay --to-stat --summary",
		"the screen",
		"the screen's replay",
		"report",
		"report --json",
		"report --html",
		"serve",
		"serve, of the replay",
	};
	const struct machine *machine = live->machine;
	unsigned type = by_type ? i : machine->core[i].type, at = by_type ? CORES_MAX + i : i;
	const struct event *event = live->by_core.frame->set->type[type].event[slot];
	const struct running_stats *running_stats = &live->running_stats[at][slot];
	char row[32];

	if (by_type)
		snprintf(row, sizeof(row), "%s", machine->type[i].name);
	else
		snprintf(row, sizeof(row), "%s cpu%u", machine->type[type].name,
			 machine->core[i].cpu);

	const struct said said[] = {
		of_json_summary(live, by_type, i, slot),
		of_json_summary(replayed, by_type, i, slot),
		said_of(&running_stats->sum),
		said_of(&replayed->running_stats[at][slot].sum),
		of_text(report, row, event->name),
		of_json(report, row, event->name),
		of_html(report, row, event->name),
		by_type ? said_of(&running_stats->sum) : of_totals(live, i, slot),
		by_type ? said_of(&running_stats->sum) : of_totals(replayed, i, slot),
	};

	check_same(row, event->name, said[0], said, verb, ARRAY_SIZE(said));
}

/* The reader stays open: the sums are of its sets. */
static struct reader *read_again(const struct told *told, struct watched **ret)
{
	struct session_item item = { .what = SESSION_FRAME };
	struct reader *reader;
	struct err err = { "" };

	must(reader_open(told->path, 0, NULL, &reader, &err), &err);
	*ret = watch_begin(reader_machine(reader), reader_metrics(reader));
	while (item.what != SESSION_END) {
		must(reader_next(reader, &item, &err), &err);
		if (item.what == SESSION_FRAME)
			watch(*ret, item.frame);
		frame_unref(item.frame);
	}
	return reader;
}

/* Counts while it is watched, and as a session file. */
static void record(struct rig *rig, struct watched *live, struct text *ret)
{
	struct format_context context;
	const struct frame *frame;

	format_context_init(&context, rig->sampler, &rig->metrics);
	format_csv.begin(&context, ret);
	for (unsigned i = 0; i < FRAMES; i++) {
		assert_int_equal(sampler_step(rig->sampler), 0);
		while ((frame = queue_pop(rig->queue, NULL))) {
			format_csv.frame(&context, frame, ret);
			watch(live, frame);
			frame_unref(frame);
		}
	}
}

/* Counters that somebody else had, reads that were lost, cores that were off, and all well. */
static void one_total_and_one_quality(void **state)
{
	struct report report = { .n = 1 };
	struct watched *live, *replayed;
	struct text text = { 0 };
	struct reader *reader;
	struct told told;
	struct rig rig;
	bool has[N_QUALITIES] = { false };

	(void)state;
	rig_up(&rig, SESSION, INTERVAL_NS);
	live = watch_begin(&rig.backend->machine, &rig.metrics);
	record(&rig, live, &text);
	told_make(&told, &text, NULL);
	reader = read_again(&told, &replayed);
	report.summary[0] = &told.summary;
	assert_int_equal(history_new_even(told.summary.machine, told.summary.metrics, 100, 1 << 20,
					  &report.history[0]),
			 0);
	for (unsigned slot = 0; slot < live->by_core.frame->n_slots; slot++) {
		for (unsigned i = 0; i < live->machine->n_cores; i++) {
			has[frame_counts(live->by_core.frame, i)[slot].quality] = true;
			if (set_event(live->by_core.frame->set, slot))
				compare_figure(live, replayed, &report, false, i, slot);
		}
		for (unsigned i = 0; i < live->machine->n_types; i++)
			if (set_event(live->by_core.frame->set, slot))
				compare_figure(live, replayed, &report, true, i, slot);
	}
	assert_true(has[QUALITY_OK] && has[QUALITY_SCALED] && has[QUALITY_NOT_COUNTED] &&
		    has[QUALITY_LOST]);
	history_free(report.history[0]);
	watch_end(live);
	watch_end(replayed);
	reader_close(reader);
	told_end(&told);
	text_fini(&text);
	rig_down(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_total_and_one_quality),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
