/* head.c: read the recorded machine and its sets */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "pmu/activity.h"
#include "pmu/event.h"
#include "session/read/internal.h"

static void head_copy(char *to, size_t size, const struct note_word *word)
{
	snprintf(to, size, "%s", word ? word->value : "");
}

/* Get the word after `name` in pairs of plain words: "host NAME kernel RELEASE …". */
static const struct note_word *behind(const struct note *note, const char *name)
{
	const struct note_word *word;

	for (size_t i = 0; (word = note_word(note, i)); i += 2)
		if (strcmp(word->value, name) == 0)
			return note_word(note, i + 1);
	return NULL;
}

/* Parse one of `signs` and digits. @return the rest; NULL: no match */
static const char *take_digits(const char *at, const char *signs, unsigned long *ret)
{
	char *end;

	if (!at || !*at || !strchr(signs, *at) || at[1] < '0' || at[1] > '9')
		return NULL;
	*ret = strtoul(at + 1, &end, 10);
	return *ret < 1000 ? end : NULL;
}

/* Parse "2020-11-17T12:00:00.000+00:00". @return 0 or -EINVAL */
static int parse_time(const char *text, uint64_t *ret)
{
	struct tm tm = { 0 };
	unsigned long ms = 0, hours = 0, minutes = 0;
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	const char *zone = take_digits(rest, ".", &ms);
	const char *colon = take_digits(zone, "+-", &hours);

	if (!take_digits(colon, ":", &minutes))
		return -EINVAL;

	int64_t offset_s = (int64_t)(hours * 3600 + minutes * 60) * (*zone == '-' ? -1 : 1);
	int64_t wall_s = (int64_t)timegm(&tm) - offset_s;

	if (wall_s < 0)
		return -EINVAL;
	*ret = (uint64_t)wall_s * NS_PER_S + ms * NS_PER_MS;
	return 0;
}

bool reader_parse_interval(const struct note_word *word, uint64_t *ret_ns)
{
	double ms;

	if (!word || num_parse_double(word->value, &ms) || ms < 1e-6 || ms > 1e9)
		return false;
	*ret_ns = (uint64_t)(ms * 1e6 + 0.5);
	return true;
}

static void take_host(struct reader *reader, struct note *note)
{
	struct session_head *head = &reader->head;
	const struct note_word *interval = behind(note, "interval_ms");
	const struct note_word *started = behind(note, "started");

	head_copy(head->host, sizeof(head->host), behind(note, "host"));
	head_copy(head->kernel, sizeof(head->kernel), behind(note, "kernel"));
	head_copy(head->backend, sizeof(head->backend), behind(note, "backend"));
	head_copy(head->started, sizeof(head->started), started);
	if (!reader_parse_interval(interval, &reader->interval_ns))
		note_fail(note, interval, "expected interval_ms and a number");
	if (!started || parse_time(started->value, &head->started_wall_ns))
		note_fail(note, started, "expected started and an RFC 3339 time with milliseconds");
	head->interval_ns = reader->interval_ns;
}

static void take_machine(struct reader *reader, struct note *note)
{
	struct machine *machine = &reader->machine;

	head_copy(machine->model, sizeof(machine->model), note_word(note, 1));
	snprintf(machine->cpuid, sizeof(machine->cpuid), "%s", note_need(note, "cpuid"));
	machine->simulated = note_u64(note, "simulated", 1);
}

/* ---- PMUs: by name only; a recorded one is never opened ---- */

static enum pmu_kind head_kind_of(const char *name)
{
	if (strcmp(name, "software") == 0)
		return PMU_SOFTWARE;
	if (strcmp(name, "tracepoint") == 0)
		return PMU_TRACEPOINT;
	return strcmp(name, "msr") == 0 ? PMU_MSR : PMU_UNCORE;
}

static struct pmu *pmu_named(struct reader *reader, const char *name, struct note *note)
{
	struct pmus *pmus = &reader->machine.pmus;
	struct pmu *pmu = (struct pmu *)pmu_find(pmus, name);

	if (note->rc || !*name || pmu)
		return *name ? pmu : NULL;
	/* types and events point into the array, so it must not move */
	if (!pmus->pmu)
		pmus->pmu = calloc(READER_PMUS_MAX, sizeof(*pmus->pmu));
	if (!pmus->pmu) {
		note_no_memory(note);
		return NULL;
	}
	if (pmus->n == READER_PMUS_MAX) {
		note_fail(note, NULL, "more than %d PMUs", READER_PMUS_MAX);
		return NULL;
	}
	pmu = &pmus->pmu[pmus->n++];
	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
	pmu->kind = head_kind_of(name);
	return pmu;
}

/* ---- types and cores ---- */

static void take_type(struct reader *reader, struct note *note)
{
	struct machine *machine = &reader->machine;
	struct core_type type = { .n_counters = 0 };
	const struct note_word *name = note_word(note, 1);
	const char *pmu_name = note_need(note, "pmu");

	if (!name)
		note_fail(note, NULL, "expected the name of a core type");
	if (machine->n_types == TYPES_MAX)
		note_fail(note, NULL, "more than %d core types", TYPES_MAX);
	type.n_counters = (unsigned)note_u64(note, "counters", COLUMNS_MAX);
	type.width = (unsigned)note_u64(note, "width", 64);
	type.slot_is_counter = note_u64(note, "slot_is_counter", 1);
	type.first_fit = note_u64(note, "first_fit", 1);

	struct pmu *pmu = pmu_named(reader, pmu_name, note);

	if (note->rc)
		return;
	if (pmu)
		pmu->kind = PMU_CORE;
	type.pmu = pmu;
	head_copy(type.name, sizeof(type.name), name);
	machine->type[machine->n_types++] = type;
}

static void take_cpu(struct reader *reader, struct note *note)
{
	struct machine *machine = &reader->machine;
	const struct note_word *number = note_word(note, 1);
	struct core core = { .cpu = 0 };
	uint64_t cpu = 0;

	if (!number || num_parse_u64(number->value, &cpu) || cpu >= READER_CPUS_MAX)
		note_fail(note, number, "expected a CPU number below %d", READER_CPUS_MAX);
	else if (reader->core_of_cpu[cpu] >= 0)
		note_fail(note, number, "CPU %s is listed twice", number->value);
	core.cpu = (unsigned)cpu;
	core.type = note_type(note);
	core.cluster = (unsigned)note_u64(note, "cluster", CORES_MAX - 1);
	core.midr = note_u64(note, "midr", UINT64_MAX);
	core.package = (unsigned)note_u64_or(note, "socket", UINT_MAX, 0);
	core.thread0 = (unsigned)note_u64_or(note, "thread0", READER_CPUS_MAX - 1, core.cpu);
	if (machine->n_cores == CORES_MAX)
		note_fail(note, NULL, "more than %d CPUs", CORES_MAX);
	if (!note->rc && array_reserve((void **)&machine->core, &reader->cap_cores,
				       machine->n_cores, sizeof(*machine->core)))
		note_no_memory(note);
	if (note->rc)
		return;
	if (core.cluster >= machine->n_clusters)
		machine->n_clusters = core.cluster + 1;
	reader->core_of_cpu[cpu] = (int16_t)machine->n_cores;
	machine->core[machine->n_cores++] = core;
}

/* Take a device's model, so that event data of other models is not used for it. */
static void take_pmu(struct reader *reader, struct note *note)
{
	const struct note_word *name = note_word(note, 1);
	const char *identifier = note_need(note, "identifier");

	struct pmu *pmu = NULL;

	if (!name || !*name->value)
		note_fail(note, NULL, "expected the name of a PMU");
	else if (!note->rc)
		pmu = pmu_named(reader, name->value, note);
	if (pmu)
		snprintf(pmu->identifier, sizeof(pmu->identifier), "%s", identifier);
}

/* Take a source of activity; others belong to later versions. */
static void take_source(struct reader *reader, struct note *note)
{
	const struct note_word *name = note_word(note, 1);

	if (!name || strcmp(name->value, ACTIVITY_PMU) != 0)
		return;

	const char *path = note_need(note, "path");
	uint32_t events = (uint32_t)note_u64(note, "events", UINT32_MAX);
	unsigned type = note_type(note);
	struct pmu *pmu = pmu_named(reader, ACTIVITY_PMU, note);

	if (!note->rc && activity_recorded(&reader->machine, pmu, type, path, events))
		note_no_memory(note);
}

/* Take literals; unknown ones belong to later versions. */
static void take_literals(struct reader *reader, struct note *note)
{
	struct literals *literals = &reader->literals;
	unsigned type = note_type(note);

	literals->is_told[type] = true;
	for (unsigned i = 0; i < LITERALS_N; i++)
		literals->value[type][i] = note_double_or(note, literal_name(i), NAN);
}

static void copy_value(struct note *note, const char *key, char **own, const char **ret)
{
	const struct note_word *word = note_value(note, key);

	if (!word || *own)
		return;
	*ret = *own = strdup(word->value);
	if (!*own)
		note_no_memory(note);
}

static void take_asked(struct reader *reader, struct note *note)
{
	struct session_asked *asked = &reader->head.asked;
	const struct note_word *rows = note_value(note, "rows");

	asked->by_device = rows && strcmp(rows->value, "device") == 0;
	asked->of_sets = note_value(note, "metrics_of");
	copy_value(note, "preset", &reader->preset, &asked->preset);
	copy_value(note, "metrics", &reader->asked_metrics, &asked->metrics);
	copy_value(note, "beside", &reader->beside, &asked->beside);
	copy_value(note, "tasks", &reader->tasks, &asked->tasks);
}

const struct note_kind *reader_head_note(const char *line)
{
	static const struct note_kind kinds[] = {
		{ "host", take_host, NOTE_ENDS_FRAME },
		{ "machine", take_machine, NOTE_ENDS_FRAME },
		{ "type", take_type, NOTE_ENDS_FRAME },
		{ "cpu", take_cpu, NOTE_ENDS_FRAME },
		{ "source", take_source, NOTE_ENDS_FRAME },
		{ "pmu", take_pmu, NOTE_ENDS_FRAME },
		{ "literals", take_literals, NOTE_ENDS_FRAME },
		{ "asked", take_asked, NOTE_ENDS_FRAME },
	};

	return note_kind_of(kinds, ARRAY_SIZE(kinds), line);
}

/* Check that all clusters and types have cores: one without would give an empty row. */
static int check_cores(const struct reader *reader, struct err *err)
{
	const struct machine *machine = &reader->machine;
	bool has_cluster[CORES_MAX] = { false }, has_type[TYPES_MAX] = { false };

	for (unsigned i = 0; i < machine->n_cores; i++) {
		has_cluster[machine->core[i].cluster] = true;
		has_type[machine->core[i].type] = true;
	}
	for (unsigned i = 0; i < machine->n_clusters; i++)
		if (!has_cluster[i])
			return reader_fail(reader, err, 1, "no CPU above is in cluster %u", i);
	for (unsigned i = 0; i < machine->n_types; i++)
		if (!has_type[i])
			return reader_fail(reader, err, 1, "no CPU above is of type %s",
					   machine->type[i].name);
	return 0;
}

/* Create the metrics. Sessions without "# literals" lack some of the machine's values; those of this host are never
 * used. */
static int make_metrics(struct reader *reader, struct err *err)
{
	struct literals literals;

	literals_read("", &reader->machine, &literals);
	for (unsigned type = 0; type < reader->machine.n_types; type++) {
		if (!reader->literals.is_told[type])
			continue;
		literals.is_told[type] = true;
		memcpy(literals.value[type], reader->literals.value[type],
		       sizeof(literals.value[type]));
	}
	return metrics_make_with_literals(&reader->machine, &literals, &reader->metrics, err);
}

int reader_end_head(struct reader *reader, struct err *err)
{
	struct machine *machine = &reader->machine;

	if (reader->has_metrics)
		return 0;
	if (!machine->n_cores || !reader->interval_ns)
		return reader_fail(reader, err, 1, "the session's head ends here without %s",
				   machine->n_cores ? "\"# host …\"" : "\"# cpu …\"");

	machine->recorded = true;

	int rc = check_cores(reader, err);

	machine_number(machine);
	if (!rc)
		rc = machine_load_catalogs(machine, reader->events_dir, err);
	if (!rc)
		rc = make_metrics(reader, err);
	if (rc)
		return rc;
	reader->has_metrics = true;
	reader->core = calloc(machine->n_cores, sizeof(*reader->core));
	return reader->core ? 0 : err_set(err, ENOMEM, "out of memory");
}

/* ---- sets ---- */

static const struct catalog_event *known_of(const struct catalog *catalog, const char *name)
{
	const struct catalog_event *known[1];

	return catalog_lookup(catalog, name, known, 1) == 1 ? known[0] : NULL;
}

/* Set the names. `known` is given if the requested name is not the catalogue's, `short` if the heading differs. */
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
	static const char *const key[CONFIG_WORDS] = { "config", "config1", "config2", "config3",
						       "config4" };

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

/* @return NULL on errors */
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

	event->pmu = pmu_named(reader, note_need(note, "pmu"), note);
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

/* Find the set of a line: the present one, or a new one. @return NULL on errors */
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

/* Add a column to a mux group. Columns of a mux group are consecutive, as are mux groups. */
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

static void set_add_event(struct reader *reader, struct note *note, struct set *set)
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

	/* described again, after a rewind or, when presets rotate, on a return to it: frames of all times share one
	 * set */
	set = known_set(reader, number);
	if (set && (reader->is_second_pass || set != reader->set || set->is_redescribed)) {
		set->is_redescribed = true;
		reader->set = set;
		return;
	}
	set = find_set(reader, number, note);
	if (!note->rc)
		set_add_event(reader, note, &set->of.set);
}

/* Check the slots, once all columns are known: a mux group may begin before its column that was read first. */
static int check_skips(const struct reader *reader, const struct set *set, struct err *err)
{
	for (unsigned column = 0; column < set->n_slots; column++)
		if (set_slot_of(set, column) >= SLOTS_MAX)
			return reader_fail(reader, err, 1, "set %u skips more than %d slots",
					   set->number, SLOTS_MAX);
	return 0;
}

/* Set the requested metrics to those noted in the file. */
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
