/* head.c: the machine that a session was recorded on */
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
#include "activity/activity.h"
#include "session/read/internal.h"

static void copy(char *to, size_t size, const struct note_word *word)
{
	snprintf(to, size, "%s", word ? word->value : "");
}

/* Plain words in pairs: "host NAME kernel RELEASE …". */
static const struct note_word *behind(const struct note *note, const char *name)
{
	const struct note_word *word;

	for (size_t i = 0; (word = note_word(note, i)); i += 2)
		if (strcmp(word->value, name) == 0)
			return note_word(note, i + 1);
	return NULL;
}

/* One of `signs`, then digits. @return behind them; NULL when there are none */
static const char *take_digits(const char *at, const char *signs, unsigned long *ret)
{
	char *end;

	if (!at || !*at || !strchr(signs, *at) || at[1] < '0' || at[1] > '9')
		return NULL;
	*ret = strtoul(at + 1, &end, 10);
	return *ret < 1000 ? end : NULL;
}

/* "2020-11-17T12:00:00.000+00:00" @return 0 or -EINVAL */
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

	copy(head->host, sizeof(head->host), behind(note, "host"));
	copy(head->kernel, sizeof(head->kernel), behind(note, "kernel"));
	copy(head->backend, sizeof(head->backend), behind(note, "backend"));
	copy(head->started, sizeof(head->started), started);
	if (!reader_parse_interval(interval, &reader->interval_ns))
		note_fail(note, interval, "expected interval_ms and a number");
	if (!started || parse_time(started->value, &head->started_wall_ns))
		note_fail(note, started, "expected started and an RFC 3339 time with milliseconds");
	head->interval_ns = reader->interval_ns;
}

static void take_machine(struct reader *reader, struct note *note)
{
	struct machine *machine = &reader->machine;

	copy(machine->model, sizeof(machine->model), note_word(note, 1));
	snprintf(machine->cpuid, sizeof(machine->cpuid), "%s", note_need(note, "cpuid"));
	machine->simulated = note_u64(note, "simulated", 1);
}

/* ---- PMUs: by name only; a recorded one is never opened ---- */

static enum pmu_kind kind_of(const char *name)
{
	if (strcmp(name, "software") == 0)
		return PMU_SOFTWARE;
	return strcmp(name, "msr") == 0 ? PMU_MSR : PMU_UNCORE;
}

struct pmu *reader_pmu(struct reader *reader, const char *name, struct note *note)
{
	struct pmus *pmus = &reader->machine.pmus;
	struct pmu *pmu = (struct pmu *)pmu_find(pmus, name);

	if (note->rc || !*name || pmu)
		return *name ? pmu : NULL;
	/* types and events point into the array: it never moves */
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
	pmu->kind = kind_of(name);
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

	struct pmu *pmu = reader_pmu(reader, pmu_name, note);

	if (note->rc)
		return;
	if (pmu)
		pmu->kind = PMU_CORE;
	type.pmu = pmu;
	copy(type.name, sizeof(type.name), name);
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

/* Which model a device is of: data for others of its kind shall not be taken for its own. */
static void take_pmu(struct reader *reader, struct note *note)
{
	const struct note_word *name = note_word(note, 1);
	const char *identifier = note_need(note, "identifier");

	struct pmu *pmu = NULL;

	if (!name || !*name->value)
		note_fail(note, NULL, "expected the name of a PMU");
	else if (!note->rc)
		pmu = reader_pmu(reader, name->value, note);
	if (pmu)
		snprintf(pmu->identifier, sizeof(pmu->identifier), "%s", identifier);
}

/* Only one source is known: others are a later version's. */
static void take_source(struct reader *reader, struct note *note)
{
	const struct note_word *name = note_word(note, 1);

	if (!name || strcmp(name->value, ACTIVITY_PMU) != 0)
		return;

	const char *path = note_need(note, "path");
	uint32_t events = (uint32_t)note_u64(note, "events", UINT32_MAX);
	unsigned type = note_type(note);
	struct pmu *pmu = reader_pmu(reader, ACTIVITY_PMU, note);

	if (!note->rc && activity_recorded(&reader->machine, pmu, type, path, events))
		note_no_memory(note);
}

/* Those that this version does not know are a later one's. */
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

/* Clusters and types all have cores: one without would be a row of nothing. */
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

/* Sessions of before "# literals" say less of their machine, but never what this host is. */
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
	return metrics_make_told(&reader->machine, &literals, &reader->metrics, err);
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
