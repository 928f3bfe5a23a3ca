#include "session/write/frame_writer.h"

#include <errno.h>
#include <string.h>

static int write_text(struct frame_writer *writer, struct err *err)
{
	struct text *text = &writer->text;
	int rc = 0;

	if (!sink_has_buffered(writer->sink)) {
		frame_unref(writer->before);
		writer->before = writer->last ? frame_ref(writer->last) : NULL;
	}
	if (text->failed)
		rc = err_set(err, ENOMEM, "%s: out of memory", sink_path(writer->sink));
	else if (text->n)
		rc = sink_write(writer->sink, text->bytes, text->n, err);
	text_clear(text);
	return rc;
}

static int write_head(struct frame_writer *writer, struct err *err)
{
	if (writer->format->begin)
		writer->format->begin(&writer->context, &writer->text);
	return write_text(writer, err);
}

/* The log goes on in a new file: what a reader must know before what is buffered. Cores that are off
 * are noted again with the next frame. */
static void lost(void *data, const struct err *said, struct text *head)
{
	struct frame_writer *writer = data;
	struct format_context context = writer->context;

	writer->said = *said;
	context.continues = false;
	context.last_frame = NULL;
	if (writer->before)
		format_context_restart(&context, writer->before);
	if (writer->format->begin)
		writer->format->begin(&context, head);
	memset(writer->context.last_off, 0, sizeof(writer->context.last_off));
}

int frame_writer_begin(struct frame_writer *writer, struct sink *sink,
		       const struct sink_limits *limits, struct err *err)
{
	int rc = limits ? sink_limit(sink, limits, err) : 0;

	writer->sink = sink;
	sink_watch(sink, lost, writer);
	writer->context.continues = sink_size(sink) > 0;
	if (!rc)
		rc = write_head(writer, err);
	if (rc) {
		sink_discard(sink);
		writer->sink = NULL;
	}
	return rc;
}

static int rotate(struct frame_writer *writer, const struct frame *next, struct err *err)
{
	int rc = sink_rotate(writer->sink, err);

	text_clear(&writer->text);
	if (rc)
		return rc;
	format_context_restart(&writer->context, next);
	return write_head(writer, err);
}

int frame_writer_frame(struct frame_writer *writer, const struct frame *frame, struct err *err)
{
	writer->format->frame(&writer->context, frame, &writer->text);
	if (sink_is_full_with(writer->sink, writer->text.n)) {
		int rc = rotate(writer, frame, err);

		if (rc)
			return rc;
		writer->format->frame(&writer->context, frame, &writer->text);
	}
	writer->n_frames++;

	int rc = write_text(writer, err);

	frame_unref(writer->last);
	writer->last = frame_ref(frame);
	return rc;
}

int frame_writer_gap(struct frame_writer *writer, uint64_t t_ns, uint64_t n_frames, const char *why,
		     struct err *err)
{
	writer->n_missing += n_frames;
	if (n_frames && writer->format->gap)
		writer->format->gap(&writer->context, t_ns, n_frames, why, &writer->text);
	return write_text(writer, err);
}

int frame_writer_mark(struct frame_writer *writer, uint64_t t_ns, const char *note, struct err *err)
{
	if (writer->format->mark)
		writer->format->mark(&writer->context, t_ns, note, &writer->text);
	return write_text(writer, err);
}

int frame_writer_summary(struct frame_writer *writer, const struct frame *sum, struct err *err)
{
	format_summary(writer->format, &writer->context, sum, &writer->text);
	return write_text(writer, err);
}

bool frame_writer_take_said(struct frame_writer *writer, struct err *ret)
{
	if (!*writer->said.text)
		return false;
	*ret = writer->said;
	writer->said.text[0] = '\0';
	return true;
}

int frame_writer_close(struct frame_writer *writer, struct err *err)
{
	int rc = sink_close(writer->sink, err);

	writer->sink = NULL;
	frame_unref(writer->last);
	frame_unref(writer->before);
	writer->last = writer->before = NULL;
	text_fini(&writer->text);
	return rc;
}
