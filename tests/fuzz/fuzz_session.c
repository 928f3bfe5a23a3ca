/* Any bytes as a session file: the head, then every frame, mark and gap to the end or the
 * mistake; then once more from behind the first frame. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static int fd;
static char path[64];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fd = memfd_create("session", MFD_CLOEXEC);
	if (fd < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return 0;
}

/* From behind the first frame: as many as came before. */
static void read_again(struct reader *reader, const struct reader_position *place,
		       uint64_t n_frames)
{
	struct session_item item = { .what = SESSION_FRAME };
	struct err err = { "" };

	if (reader_seek(reader, place, &err))
		abort();
	while (!reader_next(reader, &item, &err) && item.what != SESSION_END) {
		n_frames -= item.frame != NULL;
		frame_unref(item.frame);
	}
	if (n_frames)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session_item item = { .what = SESSION_FRAME };
	struct err err = { "" };
	struct reader_position *place = NULL;
	struct reader *reader;
	uint64_t n_frames = 0;

	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	if (reader_open(path, 0, "events", &reader, &err)) {
		if (!*err.text)
			abort();
		return 0;
	}
	while (!reader_next(reader, &item, &err) && item.what != SESSION_END) {
		if (item.frame && !place && reader_mark_place(reader, &place))
			abort();
		n_frames += item.frame != NULL;
		frame_unref(item.frame);
	}
	if (place)
		read_again(reader, place, n_frames - 1);
	free(place);
	reader_close(reader);
	return 0;
}
