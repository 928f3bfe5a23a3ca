/* reader.c: how fast a session file is read back: prints "rows_s 3712000", rows a second of CPU
 *
 * usage: reader FILE */
#include <stdio.h>

#include "base/clock.h"
#include "session/reader.h"

static uint64_t rows_of(const struct frame *frame)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < frame->n_cores * frame->n_slots; i++)
		n += frame->count[i].quality != QUALITY_NONE;
	return n;
}

int main(int argc, char **argv)
{
	struct err err = { "which file?" };
	struct session_item item = { .what = SESSION_FRAME };
	struct reader *reader;
	uint64_t n_rows = 0, begin_ns;
	int rc = 0;

	if (argc != 2 || reader_open(argv[1], 0, NULL, &reader, &err)) {
		fprintf(stderr, "reader: %s\n", err.text);
		return 1;
	}
	begin_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	while (!rc && item.what != SESSION_END) {
		rc = reader_next(reader, &item, &err);
		if (rc)
			break;
		n_rows += item.frame ? rows_of(item.frame) : 0;
		frame_unref(item.frame);
	}
	printf("rows_s %.0f\n",
	       (double)n_rows * 1e9 / (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns));
	reader_close(reader);
	if (rc)
		fprintf(stderr, "reader: %s\n", err.text);
	return rc ? 1 : 0;
}
