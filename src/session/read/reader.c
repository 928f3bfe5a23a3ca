#include "session/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "session/read/internal.h"

static const char heading[] =
	"tick,time_s,cpu,type,pmu,slot,pid,event,count,enabled_ns,running_ns,quality,error";

/* Whether the line is the heading; older versions had no error column. */
static bool is_heading(const char *line)
{
	size_t n = strlen(line);

	return (n == sizeof(heading) - 1 || n == sizeof(heading) - sizeof(",error")) &&
	       memcmp(line, heading, n) == 0;
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
			rc = reader->has_metrics ? 0 : note_take(kind, reader, line, err);
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

static int open_lines(const char *path, bool with_older, struct lines **ret, struct err *ret_said,
		      struct err *err)
{
	char **paths;
	size_t n;

	if (!with_older)
		return lines_open(path, ret, err);

	int rc = rotated_files_find(path, &paths, &n, ret_said, err);

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
	reader->machine.recorded = reader->machine.pmus.is_recorded = true;
	reader->part = part == READER_WITH_OLDER ? 0 : part;

	int rc = open_lines(path, part == READER_WITH_OLDER, &reader->lines, &reader->said, err);

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
	reader->held = NULL;
	reader->set = NULL;
	reader->tick = reader->last_tick = reader->last_end_ns = 0;
	reader->interval_ns = reader->head.interval_ns;
	reader->gap = GAP_NONE;
	reader->n_missed = 0;
	reader->has_note_t = reader->has_more = reader->is_done = reader->has_heading = false;
	reader->is_partial = reader->is_cut = false;
	reader->is_second_pass = true;
	task_names_clear(&reader->names);
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
	free_sets(reader);
	if (reader->has_metrics)
		metrics_fini(&reader->metrics);
	machine_fini(&reader->machine);
	free(reader->preset);
	free(reader->asked_metrics);
	free(reader->tasks);
	free(reader->beside);
	free(reader->core);
	reader_free_tasks(reader);
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

static void remember_mistake(struct reader *reader, const struct err *err)
{
	reader->mistake = lines_position(reader->lines, NULL);
	if (err)
		reader->mistake_says = *err;
}

/* Process a line as take_line does, but fail again at a line that failed before. */
static int take_checked(struct reader *reader, char *line, size_t n, struct err *err)
{
	if (reader->mistake.number && is_mistake(reader))
		return err_set(err, EINVAL, "%s", reader->mistake_says.text);

	int rc = reader_take_line(reader, line, n, err);

	if (rc == -EINVAL)
		remember_mistake(reader, err);
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
		.asked = reader->head.asked,
		.backend = reader->head.backend,
		.interval_ns = reader->head.interval_ns,
		.started_wall_ns = reader->head.started_wall_ns,
	};
	snprintf(ret->host, sizeof(ret->host), "%s", reader->head.host);
	snprintf(ret->kernel, sizeof(ret->kernel), "%s", reader->head.kernel);
}

const struct set *reader_first_set(const struct reader *reader)
{
	return reader->first ? &reader->first->of.set : NULL;
}

const char *reader_said(const struct reader *reader)
{
	return reader->said.text;
}

bool reader_is_cut(const struct reader *reader)
{
	return reader->is_cut || lines_are_cut(reader->lines);
}

bool reader_has_more(const struct reader *reader)
{
	return reader->has_more;
}
