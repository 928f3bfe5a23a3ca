#include "cmd/history_file.h"

#include <stdio.h>

#include "base/clock.h"
#include "session/log.h"

enum { WRITE_MS = 10 }; /* between two looks at the keys */

static const char *name(void *data, char *buf, size_t size)
{
	(void)data;
	return log_default_path(buf, size);
}

static int begin(void *data, const char *path, const struct past *past, struct err *err)
{
	struct history_file *history = data;
	struct format_context context;

	history->context(history->data, &context);
	return past_file_open(past, &context, path, &history->file, err);
}

static int go_on(void *data, struct err *err)
{
	struct history_file *history = data;

	return past_file_write(history->file, WRITE_MS * NS_PER_MS, err);
}

static int end(void *data, char *said, size_t size, struct err *err)
{
	struct history_file *history = data;
	struct err text = { "" };
	int rc = past_file_close(history->file, &text, err);

	history->file = NULL;
	snprintf(said, size, "%s", text.text);
	return rc;
}

struct tui_writer history_file_writer(struct history_file *history)
{
	return (struct tui_writer){
		.data = history, .name = name, .begin = begin, .go_on = go_on, .end = end
	};
}
