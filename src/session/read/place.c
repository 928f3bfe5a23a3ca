/* place.c: where a reader stands between two frames, to go back there without reading all */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session/read/internal.h"

struct reader_place {
	struct lines_place at;
	struct read_set *set;
	uint64_t last_tick, last_end_ns, interval_ns;
	bool is_partial;
	struct core_task *name; /* of tasks; behind the cores */
	size_t n_names;
	struct read_core core[];
};

int reader_mark_place(const struct reader *reader, struct reader_place **ret)
{
	size_t size = reader->machine.n_cores * sizeof(*reader->core);
	const struct task_names *names = &reader->names;
	struct reader_place *place =
		malloc(sizeof(*place) + size + names->n * sizeof(*place->name));

	assert(!reader->frame && !reader->n_missed && !reader->has_note_t);
	if (!place)
		return -ENOMEM;
	*place = (struct reader_place){
		.at = lines_place(reader->lines, reader->held),
		.set = reader->set,
		.last_tick = reader->last_tick,
		.last_end_ns = reader->last_end_ns,
		.interval_ns = reader->interval_ns,
		.is_partial = reader->is_partial,
	};
	memcpy(place->core, reader->core, size);
	place->name = (struct core_task *)(place->core + reader->machine.n_cores);
	for (size_t i = 0; i < names->cap; i++)
		if (names->at[i].is_there)
			place->name[place->n_names++] = names->at[i].task;
	*ret = place;
	return 0;
}

int reader_go(struct reader *reader, const struct reader_place *place, struct err *err)
{
	reader_forget_position(reader);
	reader->set = place->set;
	reader->last_tick = place->last_tick;
	reader->last_end_ns = place->last_end_ns;
	reader->interval_ns = place->interval_ns;
	reader->is_partial = place->is_partial;
	memcpy(reader->core, place->core, reader->machine.n_cores * sizeof(*reader->core));
	for (size_t i = 0; i < place->n_names; i++)
		if (task_names_say(&reader->names, &place->name[i]))
			return err_set(err, ENOMEM, "out of memory");
	return lines_go(reader->lines, &place->at, err);
}

uint64_t reader_given(const struct reader *reader)
{
	return lines_given(reader->lines);
}
