#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "session/player.h"
#include "session/read/internal.h"

/* Positions of a reader between two frames, to return to without reading everything */

struct reader_position {
	struct lines_position at;
	struct read_set *set;
	uint64_t last_tick, last_end_ns, interval_ns;
	bool is_partial;
	struct core_task *name; /* names of tasks; stored after `core` */
	size_t n_names;
	struct read_core core[];
};

int reader_mark_place(const struct reader *reader, struct reader_position **ret)
{
	size_t size = reader->machine.n_cores * sizeof(*reader->core);
	const struct task_index *names = &reader->names;
	struct reader_position *place =
		malloc(sizeof(*place) + size + names->n * sizeof(*place->name));

	assert(!reader->frame && !reader->n_missed && !reader->has_note_t);
	if (!place)
		return -ENOMEM;
	*place = (struct reader_position){
		.at = lines_position(reader->lines, reader->held),
		.set = reader->set,
		.last_tick = reader->last_tick,
		.last_end_ns = reader->last_end_ns,
		.interval_ns = reader->interval_ns,
		.is_partial = reader->is_partial,
		.n_names = names->n,
	};
	memcpy(place->core, reader->core, size);
	place->name = (struct core_task *)(place->core + reader->machine.n_cores);
	for (size_t i = 0; i < names->n; i++)
		place->name[i] = names->task[i];
	*ret = place;
	return 0;
}

int reader_seek(struct reader *reader, const struct reader_position *place, struct err *err)
{
	reader_forget_position(reader);
	reader->set = place->set;
	reader->last_tick = place->last_tick;
	reader->last_end_ns = place->last_end_ns;
	reader->interval_ns = place->interval_ns;
	reader->is_partial = place->is_partial;
	memcpy(reader->core, place->core, reader->machine.n_cores * sizeof(*reader->core));
	for (size_t i = 0; i < place->n_names; i++)
		if (task_names_set(&reader->names, &place->name[i]))
			return err_set(err, ENOMEM, "out of memory");
	return lines_seek(reader->lines, &place->at, err);
}

/* Distance of seek points, and so about the most bytes read to reach any time. */
enum { PLACE_EVERY = 512 * 1024 };

struct seek_point {
	uint64_t t_ns; /* end of the last frame before it */
	struct reader_position *at;
};

/* @return 0; -ENODATA at the end; -errno */
static int next_frame(struct reader *reader, const struct frame **ret, struct err *err)
{
	struct session_item item;

	do {
		int rc = reader_next(reader, &item, err);

		if (rc)
			return rc;
		if (item.what == SESSION_END)
			return -ENODATA;
	} while (item.what != SESSION_FRAME);
	*ret = item.frame;
	return 0;
}

/* Read the next frame. An error ends the recording here; it was reported when the file was opened. */
static void look_ahead(struct player *player)
{
	struct err ignored;

	if (next_frame(player->reader, &player->next, &ignored))
		player->next = NULL;
}

static int play(void *data, const struct frame **ret, struct err *err)
{
	struct player *player = data;

	(void)err;
	if (!player->next)
		return -ENODATA;
	*ret = player->next;
	player->played_ns = player->next->t_ns;
	player->next = NULL;
	look_ahead(player);
	return 0;
}

static int add_mark(struct player *player, const struct session_item *item)
{
	const struct player_mark mark = { .t_ns = item->t_ns, .note = strdup(item->text) };
	int rc = mark.note ? ARRAY_APPEND(player->mark, player->cap_marks, player->n_marks, mark)
			   : -ENOMEM;

	if (rc)
		free(mark.note);
	return rc;
}

static int add_place(struct player *player, uint64_t t_ns)
{
	struct seek_point place = { .t_ns = t_ns };
	int rc = reader_mark_place(player->reader, &place.at);

	if (!rc)
		rc = ARRAY_APPEND(player->place, player->cap_places, player->n_places, place);
	if (rc)
		free(place.at);
	return rc;
}

/* Read the file from end to end. @ret_reason  reason why reading stopped early */
static int scan(struct player *player, struct err *ret_reason, struct err *err)
{
	struct session_item item = { .what = SESSION_END };
	int rc = 0;

	do {
		if (reader_next(player->reader, &item, ret_reason))
			break;
		if (item.what == SESSION_FRAME) {
			player->end_ns = item.t_ns;
			if (lines_given(player->reader->lines) >=
			    (player->n_places + 1) * PLACE_EVERY)
				rc = add_place(player, item.t_ns);
		}
		if (item.what == SESSION_MARK)
			rc = add_mark(player, &item);
		frame_unref(item.frame);
	} while (!rc && item.what != SESSION_END);
	if (rc)
		return err_set(err, -rc, "out of memory");
	if (!*ret_reason->text && reader_is_cut(player->reader))
		err_set(ret_reason, 0,
			"the file ends in the middle of a line, as after a crash: what comes "
			"before is played");
	return reader_rewind(player->reader, err);
}

static void wire(struct player *player)
{
	const struct session_head *head = reader_head(player->reader);

	player->ops.name = head->backend;
	player->backend.ops = &player->ops;
	player->backend.machine = *reader_machine(player->reader);
	player->backend.virtual_clock = true;
	player->recording = (struct recording){
		.data = player,
		.interval_ns = head->interval_ns,
		.started_wall_ns = head->started_wall_ns,
		.next = play,
	};
}

/* Select the metrics of -M, else those requested in the session that the reader's catalogues still have. */
static int player_select_metrics(struct player *player, const char *metrics, struct err *err)
{
	struct metrics *all = reader_metrics(player->reader);
	const char *names = reader_head(player->reader)->request.metrics;

	if (metrics)
		return metrics_select(all, metrics, &player->selection, err);
	if (names && metrics_select(all, names, &player->selection, NULL))
		metrics_selection_fini(&player->selection);
	return 0;
}

int player_open(const char *path, unsigned part, const char *events_dir, const char *metrics,
		struct player **ret, struct err *ret_reason, struct err *err)
{
	struct player *player = calloc(1, sizeof(*player));
	struct err reason = { "" };
	int rc;

	if (!player)
		return err_set(err, ENOMEM, "out of memory");
	rc = reader_open(path, part, events_dir, &player->reader, err);
	if (!rc) /* before sets are bound to metrics */
		rc = player_select_metrics(player, metrics, err);
	if (!rc)
		rc = scan(player, &reason, err);
	if (rc) {
		player_close(player);
		return rc;
	}
	wire(player);
	look_ahead(player);
	if (!player->next) {
		rc = err_set(err, ENODATA, "%s", *reason.text ? reason.text : "it has no samples");
		player_close(player);
		return rc;
	}
	*ret_reason = reason;
	*ret = player;
	return 0;
}

void player_close(struct player *player)
{
	if (!player)
		return;
	frame_unref(player->next);
	for (size_t i = 0; i < player->n_marks; i++)
		free(player->mark[i].note);
	free(player->mark);
	for (size_t i = 0; i < player->n_places; i++)
		free(player->place[i].at);
	free(player->place);
	metrics_selection_fini(&player->selection);
	reader_close(player->reader);
	free(player);
}

/* Find the last seek point before a time. @return NULL: the beginning */
static const struct seek_point *place_before(const struct player *player, uint64_t t_ns)
{
	size_t low = 0, high = player->n_places;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (player->place[middle].t_ns < t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &player->place[low - 1] : NULL;
}

static int go(struct player *player, const struct seek_point *place, struct err *err)
{
	int rc = place ? reader_seek(player->reader, place->at, err)
		       : reader_rewind(player->reader, err);

	if (rc)
		return rc;
	frame_unref(player->next);
	player->played_ns = place ? place->t_ns : 0;
	look_ahead(player);
	return 0;
}

int player_seek(struct player *player, uint64_t t_ns, struct err *err)
{
	const struct seek_point *place;

	if (t_ns > player->end_ns)
		t_ns = player->end_ns;
	place = place_before(player, t_ns);
	if (t_ns <= player->played_ns || !player->next ||
	    (place && place->t_ns > player->next->t_ns)) {
		int rc = go(player, place, err);

		if (rc)
			return rc;
	}
	while (player->next && player->next->t_ns < t_ns) {
		player->played_ns = player->next->t_ns;
		frame_unref(player->next);
		look_ahead(player);
	}
	return 0;
}
