/* reader_set.c: what was counted, from the "# set" lines */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "pmu/event_name.h"
#include "session/reader_internal.h"

static const struct catalog_event *known_of(const struct catalog *catalog, const char *name)
{
	const struct catalog_event *known[1];

	return catalog_lookup(catalog, name, known, 1) == 1 ? known[0] : NULL;
}

/* `known` where the name that was asked for is not the catalogue's, `short` where the heading is not. */
static void take_names(const struct core_type *type, const struct note *note, const char *name,
		       struct event *event)
{
	const struct note_word *known = note_value(note, "known");
	const struct note_word *heading = note_value(note, "short");

	event->known = known_of(type->catalog, known ? known->value : name);
	snprintf(event->name, sizeof(event->name), "%s", name);
	if (heading)
		snprintf(event->short_name, sizeof(event->short_name), "%s", heading->value);
	else if (event->known && *event->known->short_name)
		snprintf(event->short_name, sizeof(event->short_name), "%s",
			 event->known->short_name);
	else
		event_abbreviate(name, event->short_name, sizeof(event->short_name));
	event->counters = event->known ? event->known->counters : 0;
	event->is_instructions = event_is(event, "instructions");
}

static int take_configs(const struct reader *reader, const struct note *note, struct event *event,
			struct err *err)
{
	static const char *const key[CONFIG_WORDS] = { "config", "config1", "config2", "config3" };
	int rc = 0;

	for (unsigned i = 0; !rc && i < CONFIG_WORDS; i++) {
		if (i == 0 || note_value(note, key[i]))
			rc = reader_need_u64(reader, note, key[i], UINT64_MAX, &event->config[i],
					     err);
	}
	return rc;
}

static int take_levels(const struct reader *reader, const struct note *note, struct event *event,
		       struct err *err)
{
	const struct note_word *word = note_value(note, "levels");

	if (!word)
		return 0;
	if (strcmp(word->value, "u") != 0 && strcmp(word->value, "k") != 0)
		return reader_fail(reader, err, word->column, "levels=%s: u or k was expected",
				   word->value);
	event->levels = *word->value == 'u' ? LEVELS_USER : LEVELS_KERNEL;
	return 0;
}

static int take_scale(const struct reader *reader, const struct note *note, struct event *event,
		      struct err *err)
{
	const struct note_word *unit, *scale;
	int rc = reader_need(reader, note, "unit", &unit, err);

	if (!rc)
		rc = reader_need(reader, note, "scale", &scale, err);
	if (rc)
		return rc;
	if (num_parse_double(scale->value, &event->scale))
		return reader_fail(reader, err, scale->column, "scale=%s: a number was expected",
				   scale->value);
	snprintf(event->unit, sizeof(event->unit), "%s", unit->value);
	return 0;
}

static int make_event(struct reader *reader, const struct note *note, unsigned type,
		      const struct event **ret, struct err *err)
{
	struct read_event *made = calloc(1, sizeof(*made));
	const struct note_word *pmu, *name, *refused = note_value(note, "refused");

	if (!made)
		return err_set(err, ENOMEM, "out of memory");
	made->next = reader->events;
	reader->events = made;

	struct event *event = &made->event;
	int rc = reader_need(reader, note, "event", &name, err);

	if (!rc)
		rc = reader_need(reader, note, "pmu", &pmu, err);
	if (!rc)
		rc = reader_pmu(reader, pmu->value, &event->pmu, err);
	if (!rc)
		rc = take_configs(reader, note, event, err);
	if (!rc && note_value(note, "streams"))
		rc = reader_need_u64(reader, note, "streams", UINT64_MAX, &event->streams, err);
	if (!rc)
		rc = take_levels(reader, note, event, err);
	if (!rc)
		rc = take_scale(reader, note, event, err);
	if (rc)
		return rc;
	take_names(&reader->machine.type[type], note, name->value, event);
	event->needs_counter = event->pmu && event->pmu->kind == PMU_CORE;
	snprintf(event->refused, sizeof(event->refused), "%s", refused ? refused->value : "");
	*ret = event;
	return 0;
}

static struct read_set *known_set(const struct reader *reader, uint64_t number)
{
	struct read_set *set = reader->sets;

	while (set && set->set.number != number)
		set = set->next;
	return set;
}

/* The set that a line is about: the present one, or a new one. */
static int find_set(struct reader *reader, uint64_t number, struct read_set **ret, struct err *err)
{
	struct read_set *set = reader->set;

	if (set && set->set.number == number) {
		*ret = set;
		return set->is_bound ? reader_fail(reader, err, 1, "set %u is counted already",
						   set->set.number)
				     : 0;
	}
	set = calloc(1, sizeof(*set));
	if (!set)
		return err_set(err, ENOMEM, "out of memory");
	set->set.number = (uint32_t)number;
	for (unsigned type = 0; type < TYPES_MAX; type++)
		memset(set->set.type[type].counter, COUNTER_NONE,
		       sizeof(set->set.type[type].counter));
	set->next = reader->sets;
	reader->sets = reader->set = set;
	*ret = set;
	return 0;
}

/* Columns of a turn follow each other, and turns follow each other. */
static int take_turn(const struct reader *reader, const struct note *note, struct set *set,
		     uint64_t slot, struct err *err)
{
	uint64_t turn, skips = 0;
	int rc;

	if (!note_value(note, "turn"))
		return 0;
	rc = reader_need_u64(reader, note, "turn", TURNS_MAX - 1, &turn, err);
	if (!rc && note_value(note, "skips"))
		rc = reader_need_u64(reader, note, "skips", SLOTS_MAX - 1, &skips, err);
	if (rc)
		return rc;
	set->skips[slot] = (uint8_t)skips;
	set->splits_metrics = note_value(note, "split");
	while (set->n_turns <= turn)
		set->first[set->n_turns++] = (uint8_t)slot;
	if (slot < set->first[turn])
		set->first[turn] = (uint8_t)slot;
	if (slot + 1 > set->first[set->n_turns])
		set->first[set->n_turns] = (uint8_t)(slot + 1);
	return 0;
}

static int add_event(struct reader *reader, const struct note *note, struct read_set *to,
		     struct err *err)
{
	const struct note_word *word = note_value(note, "type");
	const struct event *event = NULL;
	uint64_t slot = 0, counter;
	unsigned type = 0;
	int rc = reader_need(reader, note, "type", &word, err);

	if (!rc)
		rc = reader_type(reader, word, &type, err);
	if (!rc)
		rc = reader_need_u64(reader, note, "slot", COLUMNS_MAX - 1, &slot, err);
	if (!rc && to->set.type[type].event[slot])
		rc = reader_fail(reader, err, 1, "slot %u of type %s is there twice",
				 (unsigned)slot, reader->machine.type[type].name);
	if (!rc)
		rc = make_event(reader, note, type, &event, err);
	if (!rc)
		rc = take_turn(reader, note, &to->set, slot, err);
	if (!rc && note_value(note, "counter")) {
		rc = reader_need_u64(reader, note, "counter", COUNTER_NONE - 1, &counter, err);
		if (!rc)
			to->set.type[type].counter[slot] = (uint8_t)counter;
	}
	if (rc)
		return rc;
	to->set.type[type].event[slot] = event;
	if (slot >= to->set.n_slots)
		to->set.n_slots = (unsigned)slot + 1;
	return 0;
}

int reader_take_set(struct reader *reader, char *line, struct err *err)
{
	const struct note_word *word;
	struct read_set *set = NULL;
	struct note note;
	uint64_t number;

	if (note_parse(line, &note))
		return reader_fail(reader, err, note.bad_column, "%s", note.bad);
	word = note_word(&note, 1);
	if (!word || num_parse_u64(word->value, &number) || !number || number > UINT32_MAX)
		return reader_fail(reader, err, word ? word->column : 1,
				   "the number of a set was expected");

	/* read again from the beginning, or gone back to, as when presets rotate for days: frames of
	 * all times point to one and the same set */
	set = known_set(reader, number);
	if (set && (reader->is_second_pass || set != reader->set || set->is_again)) {
		set->is_again = true;
		reader->set = set;
		return 0;
	}

	int rc = find_set(reader, number, &set, err);

	return rc ? rc : add_event(reader, &note, set, err);
}

/* Known once all columns are there: turns may begin before what was read first of them. */
static int check_skips(const struct reader *reader, const struct set *set, struct err *err)
{
	for (unsigned column = 0; column < set->n_slots; column++)
		if (set_slot_of(set, column) >= SLOTS_MAX)
			return reader_fail(reader, err, 1, "set %u skips more than %d slots",
					   set->number, SLOTS_MAX);
	return 0;
}

int reader_bind_set(struct reader *reader, struct err *err)
{
	struct read_set *set = reader->set;

	if (set->is_bound)
		return 0;
	if (check_skips(reader, &set->set, err))
		return -EINVAL;
	if (metrics_bind(&reader->metrics, &set->set, reader->machine.n_types, &set->bound))
		return err_set(err, ENOMEM, "out of memory");
	set->is_bound = true;
	return 0;
}
