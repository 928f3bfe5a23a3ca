#include "session/reader.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "pmu/activity.h"
#include "pmu/sensors.h"
#include "session/format/row_name.h"
#include "session/read/internal.h"

/* ---- notes ---- */

const struct note_kind *reader_kind_of(const struct note_kind *kinds, size_t n, const char *line)
{
	for (size_t i = 0; i < n; i++)
		if (note_is(line, kinds[i].word))
			return &kinds[i];
	return NULL;
}

int reader_note(const struct note_kind *kind, struct reader *reader, char *line, struct err *err)
{
	struct note note = { .machine = &reader->machine,
			     .core_of_cpu = reader->core_of_cpu,
			     .path = lines_path(reader->lines),
			     .line = lines_number(reader->lines),
			     .schema = note_schema_of(kind->word),
			     .err = err };

	union {
		struct machine machine;
		struct pmu pmu;
		struct note_set set;
		struct frame frame;
	} read;

	memset(&read, 0, sizeof(read));
	if (!note_parse(&note, line))
		note_read(&note, &read);
	if (!note.rc && (reader->frame || !kind->is_of_frame))
		kind->take(reader, &note, &read);
	return note.rc;
}

/* ---- the head: the recorded machine ---- */

/* Parse "2020-11-17T12:00:00.000+00:00". @return 0 or -EINVAL */
static int parse_time(const char *text, uint64_t *ret)
{
	struct tm tm = { 0 }, zone = { 0 };
	char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	unsigned long ms = end && *end == '.' && isdigit((unsigned char)end[1])
				   ? strtoul(end + 1, &end, 10)
				   : 1000;

	if (ms > 999 || !strchr("+-", *end) || !strptime(end, "%z", &zone))
		return -EINVAL;

	int64_t wall_s = (int64_t)timegm(&tm) - zone.tm_gmtoff;

	if (wall_s < 0)
		return -EINVAL;
	*ret = (uint64_t)wall_s * NS_PER_S + ms * NS_PER_MS;
	return 0;
}

static void take_host(struct reader *reader, struct note *note, const void *from)
{
	struct session_head *head = &reader->head;

	*head = *(const struct session_head *)from;
	if (parse_time(head->started, &head->started_wall_ns))
		note_fail(note, note_word(note, 8),
			  "expected started and an RFC 3339 time with milliseconds");
	reader->interval_ns = head->interval_ns;
}

static void take_machine(struct reader *reader, struct note *note, UNUSED const void *from)
{
	note_read(note, &reader->machine);
}

/* ---- types and cores ---- */

static void take_type(struct reader *reader, struct note *note, const void *from)
{
	struct machine *machine = &reader->machine;
	const struct core_type *type = from;

	if (machine->n_types == TYPES_MAX)
		note_fail(note, NULL, "more than %d core types", TYPES_MAX);
	if (note->rc)
		return;
	if (type->pmu)
		((struct pmu *)type->pmu)->kind = PMU_CORE;
	machine->type[machine->n_types++] = *type;
}

static void take_cpu(struct reader *reader, struct note *note, const void *from)
{
	struct machine *machine = &reader->machine;
	struct core core = *(const struct core *)from;

	if (reader->core_of_cpu[core.cpu] >= 0)
		note_fail(note, note_word(note, 1), "CPU %u is listed twice", core.cpu);
	if (machine->n_cores == CORES_MAX)
		note_fail(note, NULL, "more than %d CPUs", CORES_MAX);
	if (!note->rc && ARRAY_RESERVE(machine->core, reader->cap_cores, machine->n_cores))
		note_no_memory(note);
	if (note->rc)
		return;
	if (core.thread0 == UINT_MAX)
		core.thread0 = core.cpu;
	if (core.cluster >= machine->n_clusters)
		machine->n_clusters = core.cluster + 1;
	reader->core_of_cpu[core.cpu] = (int16_t)machine->n_cores;
	machine->core[machine->n_cores++] = core;
}

/* Take a device's model, so that event data of other models is not used for it. */
static void take_pmu(UNUSED struct reader *reader, struct note *note, const void *from)
{
	const struct pmu *like = from;
	struct pmu *pmu = note_pmu(note, like->name);

	if (pmu)
		memcpy(pmu->identifier, like->identifier, sizeof(pmu->identifier));
}

/* Take a source of activity; others belong to later versions. */
static void take_source(struct reader *reader, struct note *note, const void *from)
{
	const struct note_source *source = from;
	struct pmu *pmu = note_pmu(note, ACTIVITY_PMU);

	if (!note->rc &&
	    activity_recorded(&reader->machine, pmu, source->type, source->path, source->events))
		note_no_memory(note);
}

static void take_sensor(struct reader *reader, struct note *note, const void *from)
{
	struct sensor sensor = { .kind = SENSOR_POWER };
	const struct note_sensor *is = from;

	while (sensor.kind < N_SENSOR_KINDS &&
	       strcmp(is->kind, sensor_forms[sensor.kind].name) != 0)
		sensor.kind++;
	if (sensor.kind == N_SENSOR_KINDS)
		note_fail(note, note_word(note, 1), "expected power, temperature, fan or pressure");
	if (note->rc)
		return;
	snprintf(sensor.name, sizeof(sensor.name), "%s", is->name);
	sensors_add(&reader->machine, &sensor);
}

/* Take literals; unknown ones belong to later versions. */
static void take_literals(struct reader *reader, UNUSED struct note *note, const void *from)
{
	struct literals *literals = &reader->literals;
	const struct note_literals *is = from;

	literals->is_known[is->type] = true;
	memcpy(literals->value[is->type], is->value, sizeof(is->value));
}

static void take_request(struct reader *reader, struct note *note, const void *from)
{
	struct session_request *request = &reader->head.request;
	const char **text[] = { &request->preset, &request->metrics, &request->extra,
				&request->tasks };

	if (reader->requested[0])
		return;
	*request = *(const struct session_request *)from;
	for (size_t i = 0; i < ARRAY_SIZE(text); i++) {
		reader->requested[i] = strdup(*text[i] ? *text[i] : "");
		if (!reader->requested[i])
			note_no_memory(note);
		*text[i] = *text[i] ? reader->requested[i] : NULL;
	}
}

static const struct note_kind *reader_head_note(const char *line)
{
	static const struct note_kind kinds[] = {
		{ "host", take_host, NOTE_ENDS_FRAME, false },
		{ "machine", take_machine, NOTE_ENDS_FRAME, false },
		{ "type", take_type, NOTE_ENDS_FRAME, false },
		{ "cpu", take_cpu, NOTE_ENDS_FRAME, false },
		{ "source " ACTIVITY_PMU, take_source, NOTE_ENDS_FRAME, false },
		{ "pmu", take_pmu, NOTE_ENDS_FRAME, false },
		{ "sensor", take_sensor, NOTE_ENDS_FRAME, false },
		{ "literals", take_literals, NOTE_ENDS_FRAME, false },
		{ "asked", take_request, NOTE_ENDS_FRAME, false },
	};

	return reader_kind_of(kinds, ARRAY_SIZE(kinds), line);
}

/* Check that all clusters and types have cores: one without would give an empty row. */
static int check_cores(const struct reader *reader, struct err *err)
{
	const struct machine *machine = &reader->machine;
	bool has_cluster[CORES_MAX] = { false }, has_type[TYPES_MAX] = { false };

	for (unsigned i = 0; i < machine->n_cores; i++) {
		has_cluster[machine->core[i].cluster] = true;
		has_type[machine->core[i].type] = true;
	}
	for (unsigned i = 0; i < machine->n_clusters; i++)
		if (!has_cluster[i])
			return reader_fail(reader, err, 1, "no CPU above is in cluster %u", i);
	for (unsigned i = 0; i < machine->n_types; i++)
		if (!has_type[i])
			return reader_fail(reader, err, 1, "no CPU above is of type %s",
					   machine->type[i].name);
	return 0;
}

/* Create the metrics. Sessions without "# literals" lack some of the machine's values; those of this host are never
 * used. */
static int make_metrics(struct reader *reader, struct err *err)
{
	struct literals literals;

	literals_read("", &reader->machine, &literals);
	for (unsigned type = 0; type < reader->machine.n_types; type++) {
		if (!reader->literals.is_known[type])
			continue;
		literals.is_known[type] = true;
		memcpy(literals.value[type], reader->literals.value[type],
		       sizeof(literals.value[type]));
	}
	return metrics_make_with_literals(&reader->machine, &literals, &reader->metrics, err);
}

/* Load catalogues and metrics once the head is complete; repeated calls do nothing. @return 0 or -errno */
static int reader_end_head(struct reader *reader, struct err *err)
{
	struct machine *machine = &reader->machine;

	if (reader->has_metrics)
		return 0;
	if (!machine->n_cores || !reader->interval_ns)
		return reader_fail(reader, err, 1, "the session's head ends here without %s",
				   machine->n_cores ? "\"# host …\"" : "\"# cpu …\"");

	machine->recorded = true;

	int rc = check_cores(reader, err);

	machine_number(machine);
	if (!rc)
		rc = machine_load_catalogs(machine, reader->events_dir, err);
	if (!rc)
		rc = make_metrics(reader, err);
	if (rc)
		return rc;
	reader->has_metrics = true;
	reader->core = calloc(machine->n_cores, sizeof(*reader->core));
	return reader->core ? 0 : err_set(err, ENOMEM, "out of memory");
}

/* Whether the line is the heading; older versions had no error column. */
static bool is_heading(const char *line)
{
	size_t n = strlen(line);

	return (n == sizeof(csv_heading) - 1 || n == sizeof(csv_heading) - sizeof(",error")) &&
	       memcmp(line, csv_heading, n) == 0;
}

/* ---- lines ---- */

/* @ret  NULL at the end */
static int next_line(struct reader *reader, char **ret, size_t *ret_n, struct err *err)
{
	if (!reader->held)
		return lines_next(reader->lines, ret, ret_n, err);
	*ret = reader->held;
	*ret_n = reader->held_n;
	reader->held = NULL;
	return 0;
}

static void hold(struct reader *reader, char *line, size_t n)
{
	reader->held = line;
	reader->held_n = n;
}

/* ---- opening ---- */

bool reader_begins_session(const char *line)
{
	return strncmp(line, "# m1top session ", 16) == 0;
}

static int check_version(const struct reader *reader, const char *line, struct err *err)
{
	uint64_t version;

	if (line[strcspn(line, "\r")])
		return reader_fail(reader, err, (unsigned)strcspn(line, "\r") + 1,
				   "lines end in CR LF: another program has rewritten the file, a "
				   "session has only LF");
	if (num_parse_u64(line + 16, &version) || !version)
		return reader_fail(reader, err, 17, "expected the number of a format");
	if (version > 1)
		return reader_fail(reader, err, 17,
				   "format %" PRIu64
				   " is newer than this m1top, which reads format 1",
				   version);
	return 0;
}

/* Read to the line after "# m1top session 1" of the given part. */
static int find_part(struct reader *reader, unsigned part, struct err *err)
{
	unsigned n = 0;
	char *line;
	size_t size;

	for (;;) {
		int rc = lines_next(reader->lines, &line, &size, err);

		if (rc)
			return rc;
		if (!line && n)
			return err_set(err, ENOENT, "%s: it has %u session%s, no session %u",
				       lines_path(reader->lines), n, n == 1 ? "" : "s", part + 1);
		if (!line)
			return err_set(err, EINVAL, "%s: the file is empty, not a session",
				       lines_path(reader->lines));
		if (!n && !reader_begins_session(line))
			return strncmp(line, "\xef\xbb\xbf", 3) == 0
				       ? reader_fail(reader, err, 1,
						     "it begins with a byte order mark: another "
						     "program has rewritten the file")
				       : reader_fail(reader, err, 1,
						     "not a session file, which begins with \"# "
						     "m1top session 1\"");
		if (reader_begins_session(line) && n++ == part)
			return check_version(reader, line, err);
	}
}

/* Read the head and the first set; the line after them is held. */
static int read_head(struct reader *reader, struct err *err)
{
	char *line;
	size_t n;
	int rc;

	while (!(rc = lines_next(reader->lines, &line, &n, err)) && line) {
		const struct note_kind *kind = reader_head_note(line);

		if (kind) {
			rc = reader->has_metrics ? 0 : reader_note(kind, reader, line, err);
		} else if (note_is(line, "set")) {
			rc = reader_end_head(reader, err);
			rc = rc ? rc : reader_take_note(reader, line, err);
		} else if (line[0] != '#' || reader_begins_session(line) || reader->set) {
			hold(reader, line, n);
			break;
		}
		if (rc)
			return rc;
	}
	return rc ? rc : reader_end_head(reader, err);
}

static int open_lines(const char *path, bool with_older, struct lines **ret,
		      struct err *ret_warning, struct err *err)
{
	char **paths;
	size_t n;

	if (!with_older)
		return lines_open(path, ret, err);

	int rc = rotated_files_find(path, &paths, &n, ret_warning, err);

	if (rc)
		return rc;
	rc = lines_open_all(paths, n, ret, err);
	rotated_files_free(paths, n);
	return rc;
}

int reader_open(const char *path, unsigned part, const char *events_dir, struct reader **ret,
		struct err *err)
{
	struct reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return err_set(err, ENOMEM, "out of memory");
	memset(reader->core_of_cpu, -1, sizeof(reader->core_of_cpu));
	reader->events_dir = events_dir;
	reader->names.by = BY_ID;
	reader->machine.recorded = reader->machine.pmus.is_recorded = true;
	reader->part = part == READER_WITH_OLDER ? 0 : part;

	int rc = open_lines(path, part == READER_WITH_OLDER, &reader->lines, &reader->warning, err);

	if (!rc)
		rc = find_part(reader, reader->part, err);
	if (!rc)
		rc = read_head(reader, err);
	if (rc) {
		reader_close(reader);
		return rc;
	}
	reader->first = reader->set;
	*ret = reader;
	return 0;
}

void reader_forget_position(struct reader *reader)
{
	frame_unref(reader->frame);
	reader->frame = NULL;
	sensed_unref(reader->sensed);
	reader->sensed = NULL;
	reader->held = NULL;
	reader->set = NULL;
	reader->tick = reader->last_tick = reader->last_end_ns = 0;
	reader->interval_ns = reader->head.interval_ns;
	reader->gap = GAP_NONE;
	reader->n_missed = 0;
	reader->has_note_t = reader->has_more = reader->is_done = reader->has_heading = false;
	reader->is_partial = reader->is_cut = false;
	reader->is_second_pass = true;
	task_index_clear(&reader->names);
	memset(reader->core, 0, reader->machine.n_cores * sizeof(*reader->core));
}

int reader_rewind(struct reader *reader, struct err *err)
{
	const struct lines_position beginning = { .file = 0 };
	int rc = lines_seek(reader->lines, &beginning, err);

	if (rc)
		return rc;
	reader_forget_position(reader);
	rc = find_part(reader, reader->part, err);
	return rc ? rc : read_head(reader, err);
}

static void free_sets(struct reader *reader)
{
	while (reader->sets) {
		struct read_set *next = reader->sets->next;

		if (reader->sets->is_bound)
			metrics_bound_fini(&reader->sets->of.bound);
		free(reader->sets->names);
		free(reader->sets->noted);
		free(reader->sets);
		reader->sets = next;
	}
	while (reader->events) {
		struct read_event *next = reader->events->next;

		free(reader->events);
		reader->events = next;
	}
}

void reader_close(struct reader *reader)
{
	if (!reader)
		return;
	frame_unref(reader->frame);
	sensed_unref(reader->sensed);
	free_sets(reader);
	if (reader->has_metrics)
		metrics_fini(&reader->metrics);
	machine_fini(&reader->machine);
	for (size_t i = 0; i < ARRAY_SIZE(reader->requested); i++)
		free(reader->requested[i]);
	free(reader->core);
	free(reader->hot.of.spot);
	free(reader->task_rows.task);
	free(reader->task_rows.value);
	free(reader->task_rows.time_ns);
	task_index_clear(&reader->names);
	lines_close(reader->lines);
	free(reader);
}

/* ---- items ---- */

static int reader_take_line(struct reader *reader, char *line, size_t n, struct err *err)
{
	int rc;

	if (line[0] == '#') {
		if (!reader_note_ends_frame(reader, line))
			return reader_take_note(reader, line, err);
		hold(reader, line, n);
		return reader_finish_frame(reader, err);
	}
	if (!reader->has_heading && !reader->frame && is_heading(line)) {
		reader->has_heading = true;
		return 0;
	}
	rc = reader_take_row(reader, line, n, err);
	if (rc == 1) {
		hold(reader, line, n);
		rc = reader_finish_frame(reader, err);
	}
	return rc;
}

/* Whether reading failed at this line before. On a second pass a set is known by now and would pass; it ends the frame
 * before it first. */
static bool is_mistake(const struct reader *reader)
{
	struct lines_position here = lines_position(reader->lines, NULL);

	return !reader->frame && here.number == reader->mistake.number &&
	       here.file == reader->mistake.file;
}

/* Process a line as take_line does, but fail again at a line that failed before. */
static int take_checked(struct reader *reader, char *line, size_t n, struct err *err)
{
	if (reader->mistake.number && is_mistake(reader))
		return err_set(err, EINVAL, "%s", reader->mistake_says.text);

	int rc = reader_take_line(reader, line, n, err);

	if (rc == -EINVAL) {
		reader->mistake = lines_position(reader->lines, NULL);
		if (err)
			reader->mistake_says = *err;
	}
	return rc;
}

int reader_next(struct reader *reader, struct session_item *ret, struct err *err)
{
	reader->item = (struct session_item){ .what = SESSION_END, .text = "" };
	while (!reader->is_done && reader->item.what == SESSION_END) {
		char *line = NULL;
		size_t n = 0;
		int rc = next_line(reader, &line, &n, err);

		if (!rc && line)
			rc = take_checked(reader, line, n, err);
		if (rc) {
			reader->is_done = true;
			return rc;
		}
		if (!line) {
			reader->is_done = true;
			rc = reader_end_frames(reader, err);
			if (rc)
				return rc;
		}
	}
	*ret = reader->item;
	return 0;
}

const struct machine *reader_machine(const struct reader *reader)
{
	return &reader->machine;
}

struct metrics *reader_metrics(struct reader *reader)
{
	return &reader->metrics;
}

const struct session_head *reader_head(const struct reader *reader)
{
	return &reader->head;
}

void reader_format_context(const struct reader *reader, struct format_context *ret)
{
	*ret = (struct format_context){
		.machine = &reader->machine,
		.metrics = &reader->metrics,
		.first = reader_first_set(reader),
		.head = reader->head,
	};
}

const struct set *reader_first_set(const struct reader *reader)
{
	return reader->first ? &reader->first->of.set : NULL;
}

const char *reader_warning(const struct reader *reader)
{
	return reader->warning.text;
}

bool reader_is_cut(const struct reader *reader)
{
	return reader->is_cut || lines_are_cut(reader->lines);
}

bool reader_has_more(const struct reader *reader)
{
	return reader->has_more;
}
