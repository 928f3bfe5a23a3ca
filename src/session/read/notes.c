/* notes.c: the notes between the rows: gaps, marks, cores that went and came */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "session/read/internal.h"
#include "session/format/row_name.h"

uint64_t note_time(struct note *note)
{
	const struct note_word *word = note_word(note, 1);
	uint64_t t_ns = 0;

	if (!word || !reader_parse_time(word->value, strlen(word->value), &t_ns))
		note_fail(note, word, "expected a time in seconds");
	return t_ns;
}

void reader_expect_at(struct reader *reader, uint64_t t_ns)
{
	reader->note_t_ns = t_ns;
	reader->has_note_t = true;
}

static void take_interval(struct reader *reader, struct note *note)
{
	uint64_t t_ns = note_time(note);

	if (!note->rc && !reader_parse_interval(note_word(note, 2), &reader->interval_ns))
		note_fail(note, note_word(note, 2), "expected an interval in ms");
	if (!note->rc)
		reader_expect_at(reader, t_ns);
}

/* "(log too slow)" is the rest of the line: several words. */
static void gap_reason(const struct note *note, char *buf, size_t size)
{
	size_t used = 0;

	for (size_t i = 4; note_word(note, i) && used < size; i++) {
		int n = snprintf(buf + used, size - used, "%s%s", used ? " " : "",
				 note_word(note, i)->value);

		used += n > 0 ? (size_t)n : 0;
	}
	used = strlen(buf);
	if (used > 1 && buf[0] == '(' && buf[used - 1] == ')') {
		buf[used - 1] = '\0';
		memmove(buf, buf + 1, used - 1);
	}
}

static void take_gap(struct reader *reader, struct note *note)
{
	const struct note_word *word = note_word(note, 2);
	uint64_t t_ns = note_time(note), n = 0;

	if (!word || num_parse_u64(word->value, &n))
		note_fail(note, word, "expected a number of frames");
	if (note->rc)
		return;
	reader->text[0] = '\0';
	gap_reason(note, reader->text, sizeof(reader->text));
	if (reader->set && strcmp(reader->text, GAP_YIELDED) == 0)
		reader->set->is_again = true;
	if (strcmp(reader->text, "missed") != 0 && strcmp(reader->text, "suspended") != 0) {
		reader->item = (struct session_item){
			.what = SESSION_GAP, .t_ns = t_ns, .n = n, .text = reader->text
		};
		return;
	}
	reader->gap = reader->text[0] == 'm' ? GAP_MISSED : GAP_SUSPENDED;
	reader->n_missed = n;
	reader_expect_at(reader, t_ns);
}

static void take_mark(struct reader *reader, struct note *note)
{
	const struct note_word *word = note_word(note, 2);
	uint64_t t_ns = note_time(note);

	if (note->rc)
		return;
	snprintf(reader->text, sizeof(reader->text), "%s", word ? word->value : "");
	reader->item =
		(struct session_item){ .what = SESSION_MARK, .t_ns = t_ns, .text = reader->text };
}

/* It stands before the core's rows, in the midst of the frame that it is true from. */
static void take_power(struct reader *reader, struct note *note)
{
	const struct note_word *word = note_word(note, 3);
	bool is_off = strcmp(note->word[0].value, "off") == 0;
	uint64_t t_ns = note_time(note), cpu = 0;

	if (!word || num_parse_u64(word->value, &cpu) || cpu >= READER_CPUS_MAX ||
	    reader->core_of_cpu[cpu] < 0)
		note_fail(note, word, "expected a CPU of the head");
	if (!note->rc)
		note->rc = reader_begin_frame(reader, note->err);
	if (note->rc)
		return;

	unsigned core = (unsigned)reader->core_of_cpu[cpu];

	reader->core[core].is_off = is_off;
	reader->frame->core[core].state = is_off ? CORE_OFF : CORE_LATE;
	reader_expect_at(reader, t_ns);
}

/* Its value times `unit`, 0 to `most`; 0 where it is missing. */
static double value_of(const struct note *note, const char *key, double unit, double most)
{
	const struct note_word *word = note_value(note, key);
	double value = 0;

	if (word && num_parse_double(word->value, &value))
		return 0;
	return fmax(0, fmin(value * unit, most));
}

/* Behind the rows of the frame that it is about. */
static void take_own(struct reader *reader, struct note *note)
{
	struct frame *frame = reader->frame;
	uint64_t t_ns = note_time(note);

	if (note->rc || !frame)
		return;
	frame->own_known = true;
	frame->own_core_share = (float)value_of(note, "core_pct", 0.01, CPUS_MAX);
	frame->own_total_share = (float)value_of(note, "total_pct", 0.01, CPUS_MAX);
	frame->own_wakeups_per_s = (float)value_of(note, "wakeups_s", 1, 1e9);
	frame->late_max_ns = (uint32_t)value_of(note, "late_max_us", 1e3, UINT32_MAX);
	frame->late_p99_ns = (uint32_t)value_of(note, "late_p99_us", 1e3, UINT32_MAX);
	frame->n_dropped = (uint64_t)value_of(note, "dropped", 1, 1e18);
	reader_expect_at(reader, t_ns);
}

/* An expression that the screen was given as it ran: "# asked" has those of the start. One that does not
 * compile is not there. */
static void define(struct reader *reader, const char *name, const char *expr)
{
	struct metrics_selection selection = { .n = 0 };
	struct text defined = { 0 };

	text_printf(&defined, "%s=%s", name, expr);
	if (!defined.failed)
		metrics_select(&reader->metrics, defined.bytes, &selection, NULL);
	metrics_selection_fini(&selection);
	text_fini(&defined);
}

/* Behind the set that gives it, once for each type. */
static void take_metric(struct reader *reader, struct note *note)
{
	const struct note_word *name = note_word(note, 1), *expr = note_value(note, "expr");
	struct read_set *set = reader->set;

	if (!name || !expr)
		return;
	if (metrics_find(&reader->metrics, name->value) < 0 && reader->n_tried++ < METRICS_OWN_MAX)
		define(reader, name->value, expr->value);

	int found = metrics_find(&reader->metrics, name->value);
	uint16_t number = (uint16_t)found;

	if (found >= 0 && set && !set->is_bound &&
	    array_append((void **)&set->noted, &set->cap_noted, &set->n_noted, &number,
			 sizeof(number)))
		note_no_memory(note);
}

static const struct note_kind *kind_of(const char *line)
{
	static const struct note_kind kinds[] = {
		{ "interval", take_interval, NOTE_ENDS_FRAME },
		{ "gap", take_gap, NOTE_ENDS_FRAME },
		{ "mark", take_mark, NOTE_ENDS_FRAME },
		{ "off", take_power, NOTE_ENDS_EARLIER_FRAME },
		{ "on", take_power, NOTE_ENDS_EARLIER_FRAME },
		{ "own", take_own, NOTE_ENDS_EARLIER_FRAME },
		{ "set", reader_take_set, NOTE_ENDS_FRAME },
		{ "metric", take_metric, NOTE_ENDS_FRAME },
		{ "task", reader_take_task, NOTE_IN_FRAME },
		{ "exit", reader_take_exit, NOTE_IN_FRAME },
		{ "tasks", reader_take_tasks, NOTE_IN_FRAME },
	};

	return note_kind_of(kinds, ARRAY_SIZE(kinds), line);
}

/* Is a note about a later frame than the one that is open? Reads come at the tick or after it. */
static bool is_later(const struct reader *reader, const char *line)
{
	const char *at = strchr(line + 2, ' ');
	uint64_t t_ns, latest_ns = 0;

	if (!reader->tick || !at || !reader_parse_time(at + 1, strcspn(at + 1, " "), &t_ns))
		return false;
	for (unsigned core = 0; core < reader->frame->n_cores; core++)
		if (reader->frame->core[core].t_ns > latest_ns)
			latest_ns = reader->frame->core[core].t_ns;
	return t_ns > latest_ns;
}

bool reader_note_ends_frame(const struct reader *reader, const char *line)
{
	const struct note_kind *kind = kind_of(line);

	if (!reader->frame)
		return false;
	if (kind)
		return kind->place == NOTE_ENDS_FRAME ||
		       (kind->place == NOTE_ENDS_EARLIER_FRAME && is_later(reader, line));
	return reader_begins_session(line);
}

/* At the beginning of a file it is the session that goes on: what is counted is told once more. */
static void begin_next(struct reader *reader)
{
	if (lines_number(reader->lines) > 1) {
		reader->has_more = reader->is_done = true;
		return;
	}
	reader->has_heading = false;
	if (reader->set)
		reader->set->is_again = true;
}

int reader_take_note(struct reader *reader, char *line, struct err *err)
{
	const struct note_kind *kind = kind_of(line);

	if (kind)
		return note_take(kind, reader, line, err);
	if (reader_begins_session(line))
		begin_next(reader);
	return 0;
}
