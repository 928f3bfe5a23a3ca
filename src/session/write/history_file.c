#include "session/past_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/num.h"
#include "session/sink.h"

struct past_file {
	const struct past *past;
	struct format_context context;
	struct sink *sink;
	struct text text;
	size_t next, n; /* cells */
	uint64_t n_frames;
};

int past_file_open(const struct past *past, const struct format_context *context, const char *path,
		   struct past_file **ret, struct err *err)
{
	struct past_file *file;
	int rc;

	if (!past_n(past))
		return err_set(err, ENODATA, "nothing has been counted yet");
	file = calloc(1, sizeof(*file));
	if (!file)
		return err_set(err, ENOMEM, "out of memory");
	file->past = past;
	file->n = past_n(past);
	file->context = *context;
	file->context.first = past_cell(past, 0)->set;
	file->context.interval_ns = past_cell(past, 0)->interval_ns;
	rc = sink_open(path, SINK_NEW, &file->sink, err);
	if (rc == -EEXIST)
		err_set(err, EEXIST, "%s exists: give another name", path);
	if (rc) {
		free(file);
		return rc;
	}
	format_csv.begin(&file->context, &file->text);
	*ret = file;
	return 0;
}

static int write_cell(struct past_file *file, struct err *err)
{
	const struct frame *frame = past_frame(file->past, file->next);
	int rc;

	if (frame)
		format_csv.frame(&file->context, frame, &file->text);
	if (!frame || file->text.failed)
		rc = err_set(err, ENOMEM, "%s: out of memory", sink_path(file->sink));
	else
		rc = sink_write(file->sink, file->text.bytes, file->text.n, err);
	frame_unref(frame);
	text_clear(&file->text);
	file->n_frames += past_cell(file->past, file->next)->n_frames;
	file->next++;
	return rc;
}

int past_file_write(struct past_file *file, uint64_t budget_ns, struct err *err)
{
	uint64_t end_ns = clock_now_ns() + budget_ns;
	int rc = 0;

	while (!rc && file->next < file->n && clock_now_ns() < end_ns)
		rc = write_cell(file, err);
	return rc ? rc : file->next < file->n;
}

/* Older cells are several frames each: then there are fewer than were counted. */
static void say(const struct past_file *file, struct err *ret)
{
	char bytes[16], from[48] = "";

	num_si((double)sink_size(file->sink), 2, 6, bytes, sizeof(bytes));
	if (file->n_frames > file->next)
		snprintf(from, sizeof(from), ", put together from %" PRIu64, file->n_frames);
	err_set(ret, 0, "%s: %zu frames%s, %sB", sink_path(file->sink), file->next, from, bytes);
}

int past_file_close(struct past_file *file, struct err *ret_said, struct err *err)
{
	int rc;

	if (!file)
		return 0;
	rc = sink_flush(file->sink, err);
	if (!rc && ret_said)
		say(file, ret_said);

	int closed = sink_close(file->sink, rc ? NULL : err);

	text_fini(&file->text);
	free(file);
	return rc ? rc : closed;
}
