/* reader_head.c: the machine that a session was recorded on */
#include <errno.h>
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
#include "session/reader_internal.h"

int reader_need(const struct reader *reader, const struct note *note, const char *key,
		const struct note_word **ret, struct err *err)
{
	*ret = note_value(note, key);
	return *ret ? 0 : reader_fail(reader, err, 1, "%s= is missing", key);
}

int reader_need_u64(const struct reader *reader, const struct note *note, const char *key,
		    uint64_t max, uint64_t *ret, struct err *err)
{
	const struct note_word *word;
	uint64_t value;
	int rc = reader_need(reader, note, key, &word, err);

	if (rc)
		return rc;
	if (num_parse_u64(word->value, &value) || value > max)
		return reader_fail(reader, err, word->column,
				   "%s=%s: a number up to %llu was expected", key, word->value,
				   (unsigned long long)max);
	*ret = value;
	return 0;
}

static int need_bool(const struct reader *reader, const struct note *note, const char *key,
		     bool *ret, struct err *err)
{
	uint64_t value = 0;
	int rc = reader_need_u64(reader, note, key, 1, &value, err);

	if (!rc)
		*ret = value;
	return rc;
}

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

static int take_host(struct reader *reader, const struct note *note, struct err *err)
{
	struct session_head *head = &reader->head;
	const struct note_word *interval = behind(note, "interval_ms");
	const struct note_word *started = behind(note, "started");

	copy(head->host, sizeof(head->host), behind(note, "host"));
	copy(head->kernel, sizeof(head->kernel), behind(note, "kernel"));
	copy(head->backend, sizeof(head->backend), behind(note, "backend"));
	copy(head->started, sizeof(head->started), started);
	if (!reader_parse_interval(interval, &reader->interval_ns))
		return reader_fail(reader, err, interval ? interval->column : 1,
				   "interval_ms and a number were expected");
	if (!started || parse_time(started->value, &head->started_wall_ns))
		return reader_fail(reader, err, started ? started->column : 1,
				   "started and an RFC 3339 time with milliseconds were expected");
	head->interval_ns = reader->interval_ns;
	return 0;
}

static int take_machine(struct reader *reader, const struct note *note, struct err *err)
{
	const struct note_word *cpuid;
	int rc = reader_need(reader, note, "cpuid", &cpuid, err);

	if (rc)
		return rc;
	copy(reader->machine.model, sizeof(reader->machine.model), note_word(note, 1));
	copy(reader->machine.cpuid, sizeof(reader->machine.cpuid), cpuid);
	return need_bool(reader, note, "simulated", &reader->machine.simulated, err);
}

/* ---- PMUs: by name only; a recorded one is never opened ---- */

static enum pmu_kind kind_of(const char *name)
{
	if (strcmp(name, "software") == 0)
		return PMU_SOFTWARE;
	return strcmp(name, "msr") == 0 ? PMU_MSR : PMU_UNCORE;
}

int reader_pmu(struct reader *reader, const char *name, const struct pmu **ret, struct err *err)
{
	struct pmus *pmus = &reader->machine.pmus;

	*ret = NULL;
	if (!*name)
		return 0;
	*ret = pmu_find(pmus, name);
	if (*ret)
		return 0;
	/* types and events point into the array: it never moves */
	if (!pmus->pmu)
		pmus->pmu = calloc(READER_PMUS_MAX, sizeof(*pmus->pmu));
	if (!pmus->pmu)
		return err_set(err, ENOMEM, "out of memory");
	if (pmus->n == READER_PMUS_MAX)
		return reader_fail(reader, err, 1, "more than %d PMUs", READER_PMUS_MAX);

	struct pmu *pmu = &pmus->pmu[pmus->n++];

	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
	pmu->kind = kind_of(name);
	*ret = pmu;
	return 0;
}

/* ---- types and cores ---- */

int reader_type(const struct reader *reader, const struct note_word *word, unsigned *ret,
		struct err *err)
{
	const struct machine *machine = &reader->machine;

	for (unsigned i = 0; i < machine->n_types; i++) {
		if (strcmp(machine->type[i].name, word->value) == 0) {
			*ret = i;
			return 0;
		}
	}
	return reader_fail(reader, err, word->column, "there is no core type \"%s\" above",
			   word->value);
}

static int take_type(struct reader *reader, const struct note *note, struct err *err)
{
	struct core_type type = { .n_counters = 0 };
	const struct note_word *name = note_word(note, 1), *pmu_name;
	const struct pmu *pmu = NULL;
	uint64_t counters = 0, width = 0;
	int rc = reader_need(reader, note, "pmu", &pmu_name, err);

	if (!rc && !name)
		rc = reader_fail(reader, err, 1, "the name of a core type was expected");
	if (!rc && reader->machine.n_types == TYPES_MAX)
		rc = reader_fail(reader, err, 1, "more than %d core types", TYPES_MAX);
	if (!rc)
		rc = reader_need_u64(reader, note, "counters", COLUMNS_MAX, &counters, err);
	if (!rc)
		rc = reader_need_u64(reader, note, "width", 64, &width, err);
	if (!rc)
		rc = need_bool(reader, note, "slot_is_counter", &type.slot_is_counter, err);
	if (!rc)
		rc = need_bool(reader, note, "first_fit", &type.first_fit, err);
	if (!rc)
		rc = reader_pmu(reader, pmu_name->value, &pmu, err);
	if (rc)
		return rc;
	copy(type.name, sizeof(type.name), name);
	if (pmu)
		((struct pmu *)pmu)->kind = PMU_CORE;
	type.pmu = pmu;
	type.n_counters = (unsigned)counters;
	type.width = (unsigned)width;
	reader->machine.type[reader->machine.n_types++] = type;
	return 0;
}

static int take_cpu(struct reader *reader, const struct note *note, struct err *err)
{
	struct machine *machine = &reader->machine;
	struct core core = { .cpu = 0 };
	const struct note_word *number = note_word(note, 1), *type;
	uint64_t cpu = 0, cluster = 0, midr = 0;
	int rc = reader_need(reader, note, "type", &type, err);

	if (!rc && (!number || num_parse_u64(number->value, &cpu) || cpu >= READER_CPUS_MAX))
		rc = reader_fail(reader, err, number ? number->column : 1,
				 "a CPU number below %d was expected", READER_CPUS_MAX);
	if (!rc && number && reader->core_of_cpu[cpu] >= 0)
		rc = reader_fail(reader, err, number->column, "CPU %s is there twice",
				 number->value);
	if (!rc)
		rc = reader_type(reader, type, &core.type, err);
	if (!rc)
		rc = reader_need_u64(reader, note, "cluster", CORES_MAX - 1, &cluster, err);
	if (!rc)
		rc = reader_need_u64(reader, note, "midr", UINT64_MAX, &midr, err);
	if (!rc && machine->n_cores == CORES_MAX)
		rc = reader_fail(reader, err, 1, "more than %d CPUs", CORES_MAX);
	if (!rc && array_reserve((void **)&machine->core, &reader->cap_cores, machine->n_cores,
				 sizeof(*machine->core)))
		rc = err_set(err, ENOMEM, "out of memory");
	if (rc)
		return rc;
	core.cpu = (unsigned)cpu;
	core.cluster = (unsigned)cluster;
	core.midr = midr;
	if (cluster >= machine->n_clusters)
		machine->n_clusters = (unsigned)cluster + 1;
	reader->core_of_cpu[cpu] = (int16_t)machine->n_cores;
	machine->core[machine->n_cores++] = core;
	return 0;
}

/* Which model a device is of: data for others of its kind shall not be taken for its own. */
static int take_pmu(struct reader *reader, const struct note *note, struct err *err)
{
	const struct note_word *name = note_word(note, 1), *identifier;
	const struct pmu *pmu = NULL;
	int rc = reader_need(reader, note, "identifier", &identifier, err);

	if (!rc && (!name || !*name->value))
		rc = reader_fail(reader, err, 1, "the name of a PMU was expected");
	if (!rc && name)
		rc = reader_pmu(reader, name->value, &pmu, err);
	if (!rc && pmu)
		copy(((struct pmu *)pmu)->identifier, sizeof(pmu->identifier), identifier);
	return rc;
}

/* Only one source is known: others are a later version's. */
static int take_source(struct reader *reader, const struct note *note, struct err *err)
{
	const struct note_word *name = note_word(note, 1), *type_name, *path;
	const struct pmu *pmu = NULL;
	uint64_t events = 0;
	unsigned type = 0;

	if (!name || strcmp(name->value, ACTIVITY_PMU) != 0)
		return 0;

	int rc = reader_need(reader, note, "type", &type_name, err);

	if (!rc)
		rc = reader_need(reader, note, "path", &path, err);
	if (!rc)
		rc = reader_need_u64(reader, note, "events", UINT32_MAX, &events, err);
	if (!rc)
		rc = reader_type(reader, type_name, &type, err);
	if (!rc)
		rc = reader_pmu(reader, ACTIVITY_PMU, &pmu, err);
	if (!rc && activity_recorded(&reader->machine, (struct pmu *)pmu, type, path->value,
				     (uint32_t)events))
		rc = err_set(err, ENOMEM, "out of memory");
	return rc;
}

/* Those that this version does not know are a later one's. */
static int take_literals(struct reader *reader, const struct note *note, struct err *err)
{
	const struct note_word *word;
	struct literals *literals = &reader->literals;
	unsigned type = 0;
	int rc = reader_need(reader, note, "type", &word, err);

	if (!rc)
		rc = reader_type(reader, word, &type, err);
	if (rc)
		return rc;
	literals->is_told[type] = true;
	for (unsigned i = 0; i < LITERALS_N; i++) {
		word = note_value(note, literal_name(i));
		literals->value[type][i] = NAN;
		if (word && num_parse_double(word->value, &literals->value[type][i]))
			return reader_fail(reader, err, word->column,
					   "%s=%s: a number was expected", word->key, word->value);
	}
	return 0;
}

static int copy_value(const struct note *note, const char *key, char **own, const char **ret)
{
	const struct note_word *word = note_value(note, key);

	if (!word || *own)
		return 0;
	*ret = *own = strdup(word->value);
	return *own ? 0 : -ENOMEM;
}

static int take_asked(struct reader *reader, const struct note *note, struct err *err)
{
	struct session_asked *asked = &reader->head.asked;
	const struct note_word *rows = note_value(note, "rows");

	asked->by_device = rows && strcmp(rows->value, "device") == 0;
	if (copy_value(note, "preset", &reader->preset, &asked->preset) ||
	    copy_value(note, "metrics", &reader->asked_metrics, &asked->metrics) ||
	    copy_value(note, "beside", &reader->beside, &asked->beside))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

struct taker {
	const char *word;
	int (*take)(struct reader *reader, const struct note *note, struct err *err);
};

static const struct taker takers[] = {
	{ "host", take_host },         { "machine", take_machine }, { "type", take_type },
	{ "cpu", take_cpu },           { "source", take_source },   { "pmu", take_pmu },
	{ "literals", take_literals }, { "asked", take_asked },
};

static const struct taker *taker_of(const char *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(takers); i++)
		if (note_is(line, takers[i].word))
			return &takers[i];
	return NULL;
}

bool reader_is_head_note(const char *line)
{
	return taker_of(line) != NULL;
}

int reader_take_head(struct reader *reader, char *line, struct err *err)
{
	struct note note;
	const struct taker *taker = taker_of(line);

	if (note_parse(line, &note))
		return reader_fail(reader, err, note.bad_column, "%s", note.bad);
	return taker->take(reader, &note, err);
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

	if (!machine->n_cores || !reader->interval_ns)
		return reader_fail(reader, err, 1, "the session's head ends here, without %s",
				   machine->n_cores ? "\"# host …\"" : "\"# cpu …\"");

	machine->recorded = true;

	int rc = check_cores(reader, err);

	if (!rc)
		rc = machine_load_catalogs(machine, reader->events_dir, err);
	if (!rc)
		rc = make_metrics(reader, err);
	if (rc)
		return rc;
	reader->has_metrics = true;
	reader->last_t_ns = calloc(machine->n_cores, sizeof(*reader->last_t_ns));
	reader->is_off = calloc(machine->n_cores, sizeof(*reader->is_off));
	if (!reader->last_t_ns || !reader->is_off)
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}
