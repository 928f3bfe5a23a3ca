/* row.c: parse rows into frames, optimized for speed: a session has millions of rows */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/num.h"
#include "pmu/sensors.h"
#include "session/format.h"
#include "session/read/internal.h"

enum field {
	FIELD_TICK,
	FIELD_TIME,
	FIELD_CPU,
	FIELD_TYPE,
	FIELD_PMU,
	FIELD_SLOT,
	FIELD_PID,
	FIELD_EVENT,
	FIELD_COUNT,
	FIELD_ENABLED,
	FIELD_RUNNING,
	FIELD_QUALITY,
	FIELD_ERROR, /* missing in files of older versions */
	N_FIELDS,
};

static const char *const field_name[N_FIELDS] = {
	"tick",  "time_s", "cpu",        "type",       "pmu",     "slot",  "pid",
	"event", "count",  "enabled_ns", "running_ns", "quality", "error",
};

struct field_text {
	char *at;
	size_t n;
};

/* A row; `begin` is the start of the line, for columns in messages. */
struct row {
	const char *begin;
	struct field_text field[N_FIELDS];
};

static int fail_field(const struct reader *reader, struct err *err, const struct row *row,
		      enum field field, const char *what)
{
	const struct field_text *text = &row->field[field];

	return reader_fail(reader, err, (size_t)(text->at - row->begin) + 1, "%s \"%.*s\": %s",
			   field_name[field], (int)text->n, text->at, what);
}

/* Split a row. @at  start of the field `first`; earlier fields are left unchanged */
static int row_split(const struct reader *reader, enum field first, char *at, char *end,
		     struct row *ret, struct err *err)
{
	for (unsigned i = first; i < N_FIELDS; i++) {
		struct field_text *field = &ret->field[i];
		char *stop;

		if (*at == '"') {
			stop = note_unquote(at);
			if (!stop)
				return reader_fail(reader, err, (size_t)(at - ret->begin) + 1,
						   "%s: unterminated quote", field_name[i]);
			*field = (struct field_text){ at, strlen(at) };
		} else {
			stop = i + 1 < N_FIELDS ? memchr(at, ',', (size_t)(end - at)) : end;
			stop = !stop && i == FIELD_QUALITY ? end : stop;
			field->at = at;
			field->n = stop ? (size_t)(stop - at) : 0;
		}
		if (stop == end && i >= FIELD_QUALITY)
			return 0;
		if (!stop || i + 1 == N_FIELDS || *stop != ',')
			return reader_fail(reader, err,
					   (size_t)((stop ? stop : end) - ret->begin) + 1,
					   "a row has %d fields: expected %s after %s", FIELD_ERROR,
					   i + 1 < N_FIELDS ? "a comma" : "nothing", field_name[i]);
		at = stop + 1;
	}
	return 0;
}

static bool parse_u64(const struct field_text *text, uint64_t *ret)
{
	return note_parse_u64(text->at, text->n, ret);
}

static bool is_text(const struct field_text *field, const char *text)
{
	/* the field may contain NUL bytes */
	return field->at && strlen(text) == field->n && memcmp(field->at, text, field->n) == 0;
}

static bool is_same_text(const struct field_text *a, const struct field_text *b)
{
	return a->at && b->at && a->n == b->n && memcmp(a->at, b->at, a->n) == 0;
}

static bool parse_quality(const struct field_text *text, enum quality *ret)
{
	*ret = QUALITY_OK;
	if (is_text(text, "ok")) /* nearly always */
		return true;
	for (; *ret < N_QUALITIES; ++*ret)
		if (is_text(text, quality_name(*ret)))
			return true;
	return false;
}

/* Find the core that stands for the row's type: counts of request.tasks have no CPU. */
static int find_type(const struct reader *reader, const struct row *row, unsigned *ret,
		     struct err *err)
{
	const struct machine *machine = &reader->machine;

	for (unsigned i = 0; i < machine->n_cores; i++) {
		if (is_text(&row->field[FIELD_TYPE], machine->type[machine->core[i].type].name)) {
			*ret = i;
			return 0;
		}
	}
	return fail_field(reader, err, row, FIELD_TYPE, "not a type of the head");
}

static int find_core(const struct reader *reader, const struct row *row, unsigned *ret,
		     struct err *err)
{
	uint64_t cpu;

	if (!row->field[FIELD_CPU].n && reader->head.request.tasks)
		return find_type(reader, row, ret, err);
	if (!parse_u64(&row->field[FIELD_CPU], &cpu) || cpu >= NOTE_CPUS_MAX ||
	    reader->core_of_cpu[cpu] < 0)
		return fail_field(reader, err, row, FIELD_CPU, "not a CPU of the head");
	*ret = (unsigned)reader->core_of_cpu[cpu];
	if (!is_text(&row->field[FIELD_TYPE],
		     reader->machine.type[reader->machine.core[*ret].type].name))
		return fail_field(reader, err, row, FIELD_TYPE, "not the type of this CPU");
	return 0;
}

static int find_slot(const struct reader *reader, const struct row *row, unsigned type,
		     unsigned *ret, struct err *err)
{
	const struct set *set = &reader->set->of.set;
	const struct event *event;
	uint64_t slot;

	if (!parse_u64(&row->field[FIELD_SLOT], &slot) || slot >= set->n_slots ||
	    !(event = set->type[type].event[slot]))
		return fail_field(reader, err, row, FIELD_SLOT,
				  "the set above counts nothing in this slot");
	if (!is_text(&row->field[FIELD_EVENT], event->name))
		return fail_field(reader, err, row, FIELD_EVENT,
				  "not what the set above counts in this slot");
	*ret = (unsigned)slot;
	return 0;
}

static int read_count(const struct reader *reader, const struct row *row, struct count *ret,
		      struct err *err)
{
	struct count count = { .n_summed = 1 };
	uint64_t error = 0;

	if (!parse_quality(&row->field[FIELD_QUALITY], &count.quality))
		return fail_field(reader, err, row, FIELD_QUALITY, "not one of ok, scaled, …");
	if (quality_has_value(count.quality) ? !parse_u64(&row->field[FIELD_COUNT], &count.value)
					     : row->field[FIELD_COUNT].n)
		return fail_field(reader, err, row, FIELD_COUNT,
				  quality_has_value(count.quality)
					  ? "expected a whole number"
					  : "must be empty with this quality");
	if (!parse_u64(&row->field[FIELD_ENABLED], &count.enabled_ns))
		return fail_field(reader, err, row, FIELD_ENABLED, "expected a whole number");
	if (is_same_text(&row->field[FIELD_RUNNING], &row->field[FIELD_ENABLED]))
		count.running_ns = count.enabled_ns;
	else if (!parse_u64(&row->field[FIELD_RUNNING], &count.running_ns) ||
		 count.running_ns > count.enabled_ns)
		return fail_field(reader, err, row, FIELD_RUNNING,
				  "expected a whole number up to enabled_ns");
	if (row->field[FIELD_ERROR].n && !parse_u64(&row->field[FIELD_ERROR], &error))
		return fail_field(reader, err, row, FIELD_ERROR, "expected a whole number");
	count.error = (double)error;
	*ret = count;
	return 0;
}

/* Update a core's window. Counts of request.tasks are not enabled all the time: their window is from row to row. */
static void note_window(struct reader *reader, unsigned core, uint64_t t_ns, uint64_t enabled_ns)
{
	struct frame_core *to = &reader->frame->core[core];

	to->state = CORE_ON;
	to->t_ns = t_ns;
	if (enabled_ns > to->window_ns && !reader->head.request.tasks)
		to->window_ns = enabled_ns;
}

/* Add the core to the CPUs of a device. The head does not list them: they are the cores with its rows. */
static void note_device(const struct reader *reader, unsigned core, unsigned slot)
{
	unsigned type = reader->machine.core[core].type;
	const struct pmu *pmu = reader->set->of.set.type[type].event[slot]->pmu;

	if (pmu && pmu->kind == PMU_UNCORE)
		cpus_add(&((struct pmu *)pmu)->cpus, reader->machine.core[core].cpu);
}

static int find_names(const struct reader *reader, const struct row *row, struct read_names *ret,
		      struct err *err)
{
	unsigned core = 0, slot = 0;
	int rc = find_core(reader, row, &core, err);

	if (!rc)
		rc = find_slot(reader, row, reader->machine.core[core].type, &slot, err);
	ret->core = (uint16_t)core;
	ret->slot = (uint16_t)slot;
	return rc;
}

static struct count *count_of(const struct reader *reader, const struct read_names *names)
{
	return &reader->frame->count[(size_t)names->core * reader->frame->n_slots + names->slot];
}

static void put_count(struct reader *reader, const struct read_names *names, uint64_t t_ns,
		      const struct count *count)
{
	struct count *to = count_of(reader, names);

	*to = *count;
	if (count->quality == QUALITY_PARTIAL) {
		reader->frame->core[names->core].lacks_last = true;
		to->quality = QUALITY_OK;
	}
	reader->task_rows.core = names->core;
	note_device(reader, names->core, names->slot);
	note_window(reader, names->core, t_ns, count->enabled_ns);
}

static int take_count(struct reader *reader, const struct row *row, const struct read_names *names,
		      uint64_t t_ns, struct err *err)
{
	struct count count = { 0 };
	int rc = read_count(reader, row, &count, err);

	if (rc)
		return rc;
	if (count_of(reader, names)->quality != QUALITY_NONE)
		return fail_field(reader, err, row, FIELD_SLOT, "occurs twice in this tick");
	put_count(reader, names, t_ns, &count);
	return 0;
}

/* Add a task's part of the count of its core, whose row came before. */
static int take_task(struct reader *reader, const struct row *row, struct err *err)
{
	const struct field_text *pid = &row->field[FIELD_PID];
	const struct core_task *task;
	struct read_names names = { .n = 0 };
	struct count count = { 0 };
	const char *wrong;
	int64_t number;
	int rc;

	if (!note_parse_task(pid->at, pid->n, &number))
		return fail_field(reader, err, row, FIELD_PID, "no task has this number");
	task = task_names_find(&reader->names, number);
	if (!task)
		return fail_field(reader, err, row, FIELD_PID,
				  "no \"# task …\" note above says what it is");
	rc = find_names(reader, row, &names, err);
	if (!rc && (names.core != reader->task_rows.core ||
		    !quality_has_value(count_of(reader, &names)->quality)))
		return fail_field(reader, err, row, FIELD_PID,
				  "the row of its CPU that it is a part of does not stand above");
	if (!rc && !tasks_have_column(reader->frame->set, names.slot))
		return fail_field(reader, err, row, FIELD_PID, "this event is not counted by task");
	if (!rc)
		rc = read_count(reader, row, &count, err);
	if (!rc)
		rc = reader_add_task(reader, task, names.core, names.slot, &count, &wrong);
	if (rc == -ENOMEM)
		return err_set(err, ENOMEM, "out of memory");
	return rc || !wrong ? rc : fail_field(reader, err, row, FIELD_PID, wrong);
}

/* ---- repeated parts of rows: the stamp within a core, the names in every frame, the end in a mux group ---- */

static bool has_stamp(const struct reader *reader, const char *line, size_t n)
{
	return reader->frame && reader->n_stamp && n >= reader->n_stamp &&
	       memcmp(line, reader->stamp, reader->n_stamp) == 0;
}

/* Remember the stamp, "12,1.200000000,". */
static void learn_stamp(struct reader *reader, const char *line, size_t n)
{
	const char *comma = memchr(line, ',', n);
	const char *at = comma ? comma + 1 : line;
	const char *end = comma ? memchr(at, ',', n - (size_t)(at - line)) : NULL;

	reader->n_stamp = 0;
	if (!end || end - line >= (ptrdiff_t)sizeof(reader->stamp) ||
	    !note_parse_time(at, (size_t)(end - at), &reader->stamp_ns))
		return;
	reader->n_stamp = (size_t)(end + 1 - line);
	memcpy(reader->stamp, line, reader->n_stamp);
}

/* @return NULL: to be looked up */
static const struct read_names *known_names(const struct reader *reader, const char *line, size_t n)
{
	const struct read_names *names;

	if (!reader->n_stamp || reader->n_rows >= reader->set->n_names)
		return NULL;
	names = &reader->set->names[reader->n_rows];
	if (!names->n || n < reader->n_stamp + names->n ||
	    memcmp(line + reader->n_stamp, names->text, names->n) != 0)
		return NULL;
	/* a duplicate count is looked up, so that the error has the column of its slot */
	return names->is_metric || !count_of(reader, names)->quality ? names : NULL;
}

/* Remember the row's names. @plain  no quotes: unquoting has modified the line */
static int learn_names(struct reader *reader, const struct row *row, bool plain,
		       struct read_names *names)
{
	const char *begin = row->field[FIELD_CPU].at;
	size_t n = (size_t)(row->field[FIELD_COUNT].at - begin);
	struct read_set *set = reader->set;

	if (plain && n <= sizeof(names->text)) {
		names->n = (uint8_t)n;
		memcpy(names->text, begin, n);
	}
	if (reader->n_rows < set->n_names) {
		set->names[reader->n_rows] = *names;
		return 0;
	}
	return ARRAY_APPEND(set->names, set->cap_names, set->n_names, *names);
}

/* Remember the text after the count, ",100000000,100000000,ok,". */
static void learn_end(struct reader *reader, const struct row *row, const char *end,
		      const struct count *count)
{
	const char *begin = row->field[FIELD_ENABLED].at - 1;
	size_t n = (size_t)(end - begin);

	reader->n_end = n <= sizeof(reader->end) && quality_has_value(count->quality) ? n : 0;
	memcpy(reader->end, begin, reader->n_end);
	reader->end_count = *count;
}

/* Parse a count whose row ends like the one remembered. @return false: the row must be split */
static bool parse_repeated(const struct reader *reader, char *at, size_t n, struct count *ret)
{
	if (!reader->n_end || n <= reader->n_end ||
	    memcmp(at + n - reader->n_end, reader->end, reader->n_end) != 0)
		return false;
	*ret = reader->end_count;
	return parse_u64(&(struct field_text){ at, n - reader->n_end }, &ret->value);
}

/* Check the tick before the row is parsed: a row of another tick is parsed later.
 * @return 0; 1: of another tick than the open frame */
static int take_tick(struct reader *reader, char *line, size_t n, struct err *err)
{
	const char *comma = memchr(line, ',', n);
	struct row row = { .begin = line };
	uint64_t tick;

	row.field[FIELD_TICK] = (struct field_text){ line, comma ? (size_t)(comma - line) : n };
	if (!parse_u64(&row.field[FIELD_TICK], &tick) || !tick)
		return fail_field(reader, err, &row, FIELD_TICK, "must be a number, 1 or more");
	if (tick == reader->tick)
		return 0;
	if (reader->frame && reader->tick)
		return 1;
	if (tick <= reader->last_tick)
		return fail_field(reader, err, &row, FIELD_TICK, "not later than the previous one");

	int rc = reader_begin_frame(reader, err);

	if (!rc)
		reader->tick = tick;
	return rc;
}

/* Whether a field is a sensor's name; earlier versions wrote names twice, which sensors_add tells apart. */
static bool is_sensor(const struct field_text *field, const char *name)
{
	return is_text(field, name) ||
	       (field->at && field->n < strlen(name) && memcmp(field->at, name, field->n) == 0 &&
		name[field->n] == ' ');
}

/* Take a reading of a sensor; the frame keeps all of one time. */
static int take_reading(struct reader *reader, const struct row *row, struct err *err)
{
	const struct sensors *sensors = reader->machine.sensors;
	struct sensed *sensed = (struct sensed *)reader->frame->sensed;
	const struct field_text *time = &row->field[FIELD_TIME];
	char number[32];
	uint64_t i;

	snprintf(number, sizeof(number), "%.*s", (int)row->field[FIELD_COUNT].n,
		 row->field[FIELD_COUNT].at);
	if (!sensors || !parse_u64(&row->field[FIELD_SLOT], &i) || i >= sensors->n ||
	    !is_sensor(&row->field[FIELD_EVENT], sensors->sensor[i].name))
		return fail_field(reader, err, row, FIELD_EVENT, "not this sensor in the head");
	if (!sensed)
		reader->frame->sensed = sensed = sensed_new(sensors->n);
	if (!sensed)
		return err_set(err, ENOMEM, "out of memory");
	sensed->value[i] = NAN;
	if ((*number && num_parse_double(number, &sensed->value[i])) ||
	    !note_parse_time(time->at, time->n, &sensed->t_ns))
		return fail_field(reader, err, row, FIELD_COUNT, "expected a number, after a time");
	return 0;
}

/* Take a row whose names differ from those of the row at its position in the last frame. */
static int take_new(struct reader *reader, char *line, size_t n, struct err *err)
{
	bool is_plain = !memchr(line, '"', n);
	struct row row = { .begin = line };
	struct read_names names = { .n = 0 };
	uint64_t t_ns;
	int rc = row_split(reader, FIELD_TICK, line, line + n, &row, err);

	if (rc)
		return rc;
	if (row.field[FIELD_PID].n && (row.field[FIELD_CPU].n || reader->frame->set->by_task))
		return take_task(reader, &row, err);
	if (is_text(&row.field[FIELD_PMU], SENSOR_ROW) && !row.field[FIELD_CPU].n)
		return take_reading(reader, &row, err);
	names.is_metric = is_text(&row.field[FIELD_PMU], "metric"); /* evaluated again */
	if (!names.is_metric) {
		if (!note_parse_time(row.field[FIELD_TIME].at, row.field[FIELD_TIME].n, &t_ns))
			return fail_field(reader, err, &row, FIELD_TIME, "expected seconds");
		rc = find_names(reader, &row, &names, err);
		if (!rc)
			rc = take_count(reader, &row, &names, t_ns, err);
	}
	if (!rc && learn_names(reader, &row, is_plain, &names))
		rc = err_set(err, ENOMEM, "out of memory");
	reader->n_rows++;
	return rc;
}

static int take_known(struct reader *reader, const struct read_names *names, char *line, size_t n,
		      struct err *err)
{
	char *at = line + reader->n_stamp + names->n, *end = line + n;
	struct row row = { .begin = line };
	struct count count;
	bool is_plain;
	int rc;

	if (!names->is_metric && parse_repeated(reader, at, (size_t)(end - at), &count)) {
		put_count(reader, names, reader->stamp_ns, &count);
		return 0;
	}
	is_plain = !memchr(at, '"', (size_t)(end - at));
	rc = row_split(reader, FIELD_COUNT, at, end, &row, err);
	if (rc || names->is_metric)
		return rc;
	rc = take_count(reader, &row, names, reader->stamp_ns, err);
	if (!rc && is_plain)
		learn_end(reader, &row, end, count_of(reader, names));
	return rc;
}

int reader_take_row(struct reader *reader, char *line, size_t n, struct err *err)
{
	const struct read_names *names;
	int rc = 0;

	if (!reader->set)
		return reader_fail(reader, err, 1, "a row without a \"# set …\" note above");
	if (!has_stamp(reader, line, n)) {
		rc = take_tick(reader, line, n, err);
		if (rc)
			return rc;
		learn_stamp(reader, line, n);
	}
	names = known_names(reader, line, n);
	if (!names)
		return take_new(reader, line, n, err);
	reader->n_rows++;
	return take_known(reader, names, line, n, err);
}
