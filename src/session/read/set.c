/* set.c: what was counted, from the "# set" lines */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "event/name.h"
#include "session/read/internal.h"

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

static void take_configs(struct note *note, struct event *event)
{
	static const char *const key[CONFIG_WORDS] = { "config", "config1", "config2", "config3" };

	note_need(note, key[0]);
	for (unsigned i = 0; i < CONFIG_WORDS; i++)
		event->config[i] = note_u64_or(note, key[i], UINT64_MAX, 0);
}

static enum privilege privilege_of(struct note *note)
{
	const struct note_word *word = note_value(note, "levels");

	if (!word)
		return PRIVILEGE_BOTH;
	if (strcmp(word->value, "u") != 0 && strcmp(word->value, "k") != 0)
		note_fail(note, word, "levels=%s: expected u or k", word->value);
	return *word->value == 'u' ? PRIVILEGE_USER : PRIVILEGE_KERNEL;
}

/* @return NULL on a mistake */
static const struct event *make_event(struct reader *reader, struct note *note, unsigned type)
{
	struct read_event *made = calloc(1, sizeof(*made));
	const struct note_word *refused = note_value(note, "refused");

	if (!made) {
		note_no_memory(note);
		return NULL;
	}
	made->next = reader->events;
	reader->events = made;

	struct event *event = &made->event;
	const char *name = note_need(note, "event");

	event->pmu = reader_pmu(reader, note_need(note, "pmu"), note);
	take_configs(note, event);
	event->streams = note_u64_or(note, "streams", UINT64_MAX, 0);
	event->privilege = privilege_of(note);
	snprintf(event->unit, sizeof(event->unit), "%s", note_need(note, "unit"));
	note_need(note, "scale");
	event->scale = note_double_or(note, "scale", 1);
	if (note->rc)
		return NULL;
	take_names(&reader->machine.type[type], note, name, event);
	event->needs_counter = event->pmu && pmu_takes_counter(event->pmu, event->config);
	snprintf(event->refused, sizeof(event->refused), "%s", refused ? refused->value : "");
	return event;
}

static struct read_set *known_set(const struct reader *reader, uint64_t number)
{
	struct read_set *set = reader->sets;

	while (set && set->of.set.number != number)
		set = set->next;
	return set;
}

/* The set that a line is about: the present one, or a new one. @return NULL on a mistake */
static struct read_set *find_set(struct reader *reader, uint64_t number, struct note *note)
{
	struct read_set *set = reader->set;

	if (set && set->of.set.number == number) {
		if (set->is_bound)
			note_fail(note, NULL, "set %u is already counted", set->of.set.number);
		return set;
	}
	set = calloc(1, sizeof(*set));
	if (!set) {
		note_no_memory(note);
		return NULL;
	}
	atomic_init(&set->of.refs, 1);
	set->of.set.number = (uint32_t)number;
	for (unsigned type = 0; type < TYPES_MAX; type++)
		memset(set->of.set.type[type].counter, COUNTER_NONE,
		       sizeof(set->of.set.type[type].counter));
	set->next = reader->sets;
	reader->sets = reader->set = set;
	return set;
}

/* Columns of a mux group follow each other, and mux groups follow each other. */
static void take_mux(struct note *note, struct set *set, unsigned slot)
{
	if (!note_value(note, "turn"))
		return;

	uint64_t mux = note_u64(note, "turn", MUX_MAX - 1);
	uint64_t skips = note_u64_or(note, "skips", SLOTS_MAX - 1, 0);

	if (note->rc)
		return;
	set->skips[slot] = (uint8_t)skips;
	set->splits_metrics = note_value(note, "split");
	while (set->n_mux <= mux)
		set->first[set->n_mux++] = (uint8_t)slot;
	if (slot < set->first[mux])
		set->first[mux] = (uint8_t)slot;
	if (slot + 1 > set->first[set->n_mux])
		set->first[set->n_mux] = (uint8_t)(slot + 1);
}

static void add_event(struct reader *reader, struct note *note, struct set *set)
{
	unsigned type = note_type(note);
	unsigned slot = (unsigned)note_u64(note, "slot", COLUMNS_MAX - 1);
	struct placement *to = &set->type[type];

	if (to->event[slot])
		note_fail(note, NULL, "slot %u of type %s occurs twice", slot,
			  reader->machine.type[type].name);

	const struct event *event = note->rc ? NULL : make_event(reader, note, type);
	uint8_t counter =
		(uint8_t)note_u64_or(note, "counter", COUNTER_NONE - 1, to->counter[slot]);

	take_mux(note, set, slot);
	if (note->rc)
		return;
	set->by_task |= note_value(note, "tasks") != NULL;
	to->counter[slot] = counter;
	to->event[slot] = event;
	if (slot >= set->n_slots)
		set->n_slots = slot + 1;
}

void reader_take_set(struct reader *reader, struct note *note)
{
	const struct note_word *word = note_word(note, 1);
	struct read_set *set;
	uint64_t number;

	if (!word || num_parse_u64(word->value, &number) || !number || number > UINT32_MAX) {
		note_fail(note, word, "expected the number of a set");
		return;
	}

	/* read again from the beginning, or gone back to, as when presets rotate for days: frames of
	 * all times point to one and the same set */
	set = known_set(reader, number);
	if (set && (reader->is_second_pass || set != reader->set || set->is_again)) {
		set->is_again = true;
		reader->set = set;
		return;
	}
	set = find_set(reader, number, note);
	if (!note->rc)
		add_event(reader, note, &set->of.set);
}

/* Known once all columns are there: mux groups may begin before what was read first of them. */
static int check_skips(const struct reader *reader, const struct set *set, struct err *err)
{
	for (unsigned column = 0; column < set->n_slots; column++)
		if (set_slot_of(set, column) >= SLOTS_MAX)
			return reader_fail(reader, err, 1, "set %u skips more than %d slots",
					   set->number, SLOTS_MAX);
	return 0;
}

/* What was asked for then is what the file has. */
static void take_noted(struct read_set *set)
{
	struct metrics_bound *bound = &set->of.bound;

	bound->n_asked = 0;
	for (unsigned i = 0; i < bound->n; i++)
		for (size_t k = 0; k < set->n_noted; k++)
			if (set->noted[k] == bound->number[i]) {
				bound->asked[bound->n_asked++] = bound->number[i];
				break;
			}
}

int reader_bind_set(struct reader *reader, struct err *err)
{
	struct read_set *set = reader->set;

	if (set->is_bound)
		return 0;
	if (check_skips(reader, &set->of.set, err))
		return -EINVAL;
	if (metrics_bind(&reader->metrics, &set->of.set, reader->machine.n_types, &set->of.bound))
		return err_set(err, ENOMEM, "out of memory");
	set->is_bound = true;
	if (reader->head.asked.of_sets)
		take_noted(set);
	return 0;
}
