#include "session/write/history_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/num.h"
#include "session/write/frame_writer.h"

struct history_file {
	const struct history *history;
	struct frame_writer writer;
	size_t next, n; /* cells */
	uint64_t n_frames;
};

int history_file_open(const struct history *history, const struct format_context *context,
		      const char *path, struct history_file **ret, struct err *err)
{
	struct history_file *file;
	struct sink *sink;
	int rc;

	if (!history_n(history))
		return err_set(err, ENODATA, "nothing has been counted yet");
	file = calloc(1, sizeof(*file));
	if (!file)
		return err_set(err, ENOMEM, "out of memory");
	file->history = history;
	file->n = history_n(history);
	file->writer.format = &format_csv;
	file->writer.context = *context;
	file->writer.context.first = history_bucket(history, 0)->set;
	file->writer.context.bound = history_bucket(history, 0)->bound;
	file->writer.context.interval_ns = history_bucket(history, 0)->interval_ns;
	file->writer.context.asked.of_sets = true;
	rc = sink_open(path, SINK_NEW, &sink, err);
	if (rc == -EEXIST)
		err_set(err, EEXIST, "%s exists: choose another name", path);
	if (!rc)
		rc = frame_writer_begin(&file->writer, sink, NULL, err);
	if (rc) {
		frame_writer_close(&file->writer, NULL);
		free(file);
		return rc;
	}
	*ret = file;
	return 0;
}

static int write_cell(struct history_file *file, struct err *err)
{
	const struct frame *frame = history_frame(file->history, file->next);
	int rc = frame ? frame_writer_frame(&file->writer, frame, err)
		       : err_set(err, ENOMEM, "%s: out of memory", sink_path(file->writer.sink));

	frame_unref(frame);
	file->n_frames += history_bucket(file->history, file->next)->n_frames;
	file->next++;
	return rc;
}

int history_file_write(struct history_file *file, uint64_t budget_ns, struct err *err)
{
	uint64_t end_ns = clock_now_ns() + budget_ns;
	int rc = 0;

	while (!rc && file->next < file->n && clock_now_ns() < end_ns)
		rc = write_cell(file, err);
	return rc ? rc : file->next < file->n;
}

/* Older cells are several frames each: then there are fewer than were counted. */
static void say(const struct history_file *file, struct err *ret)
{
	const struct sink *sink = file->writer.sink;
	char bytes[16], from[48] = "";

	num_bytes(sink_size(sink), bytes, sizeof(bytes));
	if (file->n_frames > file->next)
		snprintf(from, sizeof(from), ", merged from %" PRIu64, file->n_frames);
	err_set(ret, 0, "wrote %s, %zu frames%s, %s; m1top replay %s", sink_path(sink), file->next,
		from, bytes, sink_path(sink));
}

int history_file_close(struct history_file *file, struct err *ret_said, struct err *err)
{
	if (!file)
		return 0;
	if (!sink_flush(file->writer.sink, err) && ret_said)
		say(file, ret_said);

	int rc = frame_writer_close(&file->writer, err); /* a failure to flush is told here again */

	free(file);
	return rc;
}
