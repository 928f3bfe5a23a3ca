/* reader_place.c: where a reader stands between two frames, to go back there without reading all */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session/reader_internal.h"

struct reader_place {
	struct lines_place at;
	struct read_set *set;
	uint64_t last_tick, last_end_ns, interval_ns;
	uint64_t *last_t_ns; /* by core */
	bool *is_off;
};

int reader_mark_place(const struct reader *reader, struct reader_place **ret)
{
	unsigned n_cores = reader->machine.n_cores;
	struct reader_place *place = calloc(1, sizeof(*place));

	assert(!reader->frame && !reader->n_missed && !reader->has_note_t);
	if (!place)
		return -ENOMEM;
	place->at = lines_place(reader->lines, reader->held);
	place->set = reader->set;
	place->last_tick = reader->last_tick;
	place->last_end_ns = reader->last_end_ns;
	place->interval_ns = reader->interval_ns;
	place->last_t_ns = malloc(n_cores * sizeof(*place->last_t_ns));
	place->is_off = malloc(n_cores * sizeof(*place->is_off));
	if (!place->last_t_ns || !place->is_off) {
		reader_place_free(place);
		return -ENOMEM;
	}
	memcpy(place->last_t_ns, reader->last_t_ns, n_cores * sizeof(*place->last_t_ns));
	memcpy(place->is_off, reader->is_off, n_cores * sizeof(*place->is_off));
	*ret = place;
	return 0;
}

void reader_place_free(struct reader_place *place)
{
	if (!place)
		return;
	free(place->last_t_ns);
	free(place->is_off);
	free(place);
}

int reader_go(struct reader *reader, const struct reader_place *place, struct err *err)
{
	unsigned n_cores = reader->machine.n_cores;

	reader_forget_position(reader);
	reader->set = place->set;
	reader->last_tick = place->last_tick;
	reader->last_end_ns = place->last_end_ns;
	reader->interval_ns = place->interval_ns;
	memcpy(reader->last_t_ns, place->last_t_ns, n_cores * sizeof(*place->last_t_ns));
	memcpy(reader->is_off, place->is_off, n_cores * sizeof(*place->is_off));
	return lines_go(reader->lines, &place->at, err);
}

uint64_t reader_given(const struct reader *reader)
{
	return lines_given(reader->lines);
}
