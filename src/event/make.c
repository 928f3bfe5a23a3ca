#include "event/make.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "activity/activity.h"
#include "event/name.h"
#include "machine/stream.h"

enum { SHORT_MAX = 8 }; /* columns of a heading */

struct event_entry {
	unsigned type;
	struct event event;
};

struct event_table {
	const struct machine *machine;
	void *entries; /* of tsearch; each allocated by itself: pointers to it stay valid */
};

/* Which software events look at the exclude bits, by perf_event_attr.config: those that hand the
 * interrupted registers to perf_sw_event(). The clocks and the scheduler's count at every level.
 * Source: Linux include/uapi/linux/perf_event.h (enum perf_sw_ids), kernel/events/core.c */
static const bool software_honours_privilege[] = {
	[0] = false,  /* cpu-clock */
	[1] = false,  /* task-clock */
	[2] = true,   /* page-faults */
	[3] = false,  /* context-switches */
	[4] = false,  /* cpu-migrations */
	[5] = true,   /* minor-faults */
	[6] = true,   /* major-faults */
	[7] = true,   /* alignment-faults */
	[8] = true,   /* emulation-faults */
	[9] = false,  /* dummy */
	[10] = false, /* bpf-output */
	[11] = false, /* cgroup-switches */
};

int event_table_new(const struct machine *machine, struct event_table **ret)
{
	struct event_table *table = calloc(1, sizeof(*table));

	if (!table)
		return -ENOMEM;
	table->machine = machine;
	*ret = table;
	return 0;
}

void event_table_free(struct event_table *table)
{
	if (!table)
		return;
	tdestroy(table->entries, free);
	free(table);
}

const struct machine *event_table_machine(const struct event_table *table)
{
	return table->machine;
}

struct event_query event_query_of(struct event_table *table, unsigned type,
				  const struct event_spec *spec, enum privilege privilege)
{
	return (struct event_query){
		.table = table,
		.machine = table->machine,
		.type = &table->machine->type[type],
		.type_index = type,
		.spec = spec,
		.privilege =
			spec && spec->privilege != PRIVILEGE_BOTH ? spec->privilege : privilege,
	};
}

/* Those that are the same stand in one place. */
static int by_identity(const void *a, const void *b)
{
	const struct event_entry *one = a, *two = b;
	int r = event_compare(&one->event, &two->event);

	if (one->type != two->type)
		return one->type < two->type ? -1 : 1;
	return r ? r : strcmp(one->event.refused, two->event.refused);
}

int event_intern(const struct event_query *q, const struct event *event, const struct event **ret,
		 struct err *err)
{
	const struct event_entry wanted = { q->type_index, *event };
	struct event_entry *const *place = tfind(&wanted, &q->table->entries, by_identity);
	struct event_entry *made;

	if (place) {
		*ret = &(*place)->event;
		return 0;
	}
	made = malloc(sizeof(*made));
	if (!made)
		return err_set(err, ENOMEM, "out of memory");
	*made = wanted;
	made->event.is_instructions = event_is(event, "instructions");
	if (!tsearch(made, &q->table->entries, by_identity)) {
		free(made);
		return err_set(err, ENOMEM, "out of memory");
	}
	*ret = &made->event;
	return 0;
}

static bool honours_privilege(const struct pmu *pmu, const uint64_t *config)
{
	if (!pmu->honours_privilege || pmu->kind != PMU_SOFTWARE)
		return pmu->honours_privilege;
	return config[0] < ARRAY_SIZE(software_honours_privilege) &&
	       software_honours_privilege[config[0]];
}

static const struct pmu_alias *alias_of_config(const struct pmu *pmu, const uint64_t *config)
{
	for (size_t i = 0; i < pmu->n_aliases; i++) {
		uint64_t its[CONFIG_WORDS] = { 0 };

		if (pmu_encode(pmu, pmu->alias[i].terms, its, NULL) == 0 &&
		    memcmp(its, config, CONFIG_WORDS * sizeof(*config)) == 0)
			return &pmu->alias[i];
	}
	return NULL;
}

/* Which events an SMMU has (CEID), which registers msr, and which monitors: the kernel knows, and names
 * those alone. */
static bool names_all(const struct pmu *pmu)
{
	return stream_can_filter(pmu) || pmu->kind == PMU_MSR || pmu->kind == PMU_ACTIVITY;
}

static bool names_event(const struct pmu *pmu, const struct catalog_event *known)
{
	uint64_t config[CONFIG_WORDS] = { 0 };

	return pmu_encode(pmu, known->terms, config, NULL) == 0 && alias_of_config(pmu, config);
}

bool event_counts_on(const struct event_query *q, const struct catalog_event *known,
		     const struct pmu *pmu)
{
	if (!known->pmu[0])
		return pmu == q->type->pmu;
	return (pmu->kind != PMU_CORE || pmu == q->type->pmu) &&
	       pmu_is_of(pmu, known->pmu, known->compat) &&
	       (!names_all(pmu) || names_event(pmu, known));
}

size_t event_n_pmus(const struct event_query *q, const struct catalog_event *known)
{
	const struct pmus *pmus = &q->machine->pmus;
	size_t n = 0;

	if (!known->pmu[0])
		return q->type->pmu != NULL;
	for (size_t i = 0; i < pmus->n; i++)
		n += event_counts_on(q, known, &pmus->pmu[i]);
	return n;
}

/* @return NULL when it counts on none */
static const struct pmu *first_pmu(const struct event_query *q, const struct catalog_event *known)
{
	const struct pmus *pmus = &q->machine->pmus;

	if (!known->pmu[0])
		return q->type->pmu;
	for (size_t i = 0; i < pmus->n; i++)
		if (event_counts_on(q, known, &pmus->pmu[i]))
			return &pmus->pmu[i];
	return NULL;
}

const struct pmu *event_pmu_of_catalog(const struct machine *machine, unsigned type,
				       const struct catalog_event *known)
{
	const struct event_query q = { .machine = machine,
				       .type = &machine->type[type],
				       .type_index = type };

	return first_pmu(&q, known);
}

/* The same for some streams only is the same event. */
static void without_streams(const struct pmu *pmu, const uint64_t *config, uint64_t *ret)
{
	memcpy(ret, config, CONFIG_WORDS * sizeof(*config));
	ret[1] &= ~stream_bits(pmu, config);
}

const struct catalog_event *event_known_of(const struct event_query *q, const struct pmu *pmu,
					   const uint64_t *given)
{
	const struct catalog *catalog = q->type->catalog;
	uint64_t config[CONFIG_WORDS];

	without_streams(pmu, given, config);

	for (size_t i = 0; i < catalog->n_events; i++) {
		const struct catalog_event *known = &catalog->event[i];
		uint64_t its[CONFIG_WORDS] = { 0 };

		if (event_counts_on(q, known, pmu) &&
		    pmu_encode(pmu, known->terms, its, NULL) == 0 &&
		    memcmp(its, config, sizeof(its)) == 0)
			return known;
	}
	return NULL;
}

/* Not in any table, as with --events-dir on Linux's own, which have no Apple cores: the driver puts
 * such events on any counter but the two fixed ones. What these count the kernel names itself.
 * Source: drivers/perf/apple_m1_cpu_pmu.c, m1_pmu_event_affinity */
static uint64_t unknown_mask(const struct core_type *type, uint64_t id)
{
	enum { CORE_ACTIVE_CYCLE = 0x02, INST_ALL = 0x8c };
	bool is_apple = type->first_fit || type->slot_is_counter;

	if (!is_apple || type->n_counters <= 2 || type->n_counters > 63)
		return 0;
	if (id == INST_ALL)
		return 1U << 1 | 1U << 7;

	uint64_t mask = ((UINT64_C(1) << type->n_counters) - 1) & ~UINT64_C(3);

	return id == CORE_ACTIVE_CYCLE ? mask | 1 : mask;
}

/* What the catalogue and the kernel say of it. With further terms an event has the scale and the counters
 * that it has without. */
static void set_traits(const struct event_query *q, struct event *event)
{
	const struct catalog_event *known = event->known;
	const struct pmu_alias *alias = alias_of_config(event->pmu, event->config);

	if (!known && !alias && q->spec && q->spec->is_terms)
		event_terms_named(q, event->pmu, &known, &alias);
	event->needs_counter = pmu_takes_counter(event->pmu, event->config);
	if (event->needs_counter)
		event->counters = known ? known->counters : unknown_mask(q->type, event->config[0]);
	event->scale = 1;
	if (known && (known->unit[0] || known->scale != 1)) {
		event->scale = known->scale;
		snprintf(event->unit, sizeof(event->unit), "%s", known->unit);
	} else if (alias) {
		event->scale = alias->scale;
		snprintf(event->unit, sizeof(event->unit), "%s", alias->unit);
	}
	event->per_pkg = (alias && alias->per_pkg) || (known && known->per_pkg);
}

/* Of some streams: "TR:40-7f", or "TRANS*" where that does not fit; beside the count of all. */
static void mark_streams(struct event *event)
{
	char plain[EVENT_SHORT_MAX], text[24];
	uint32_t first, last;

	stream_range(event->pmu, event->config, &first, &last);
	if (first == last)
		snprintf(text, sizeof(text), "%x", first);
	else
		snprintf(text, sizeof(text), "%x-%x", first, last);
	snprintf(plain, sizeof(plain), "%s", event->short_name);
	if (strlen(text) <= SHORT_MAX - 3)
		snprintf(event->short_name, sizeof(event->short_name), "%.*s:%s",
			 (int)(SHORT_MAX - 1 - strlen(text)), plain, text);
	else
		snprintf(event->short_name, sizeof(event->short_name), "%.*s*", SHORT_MAX - 1,
			 plain);
}

static bool asks_for_level(const struct event_query *q)
{
	return q->spec && q->spec->privilege != PRIVILEGE_BOTH;
}

/* "topdown-retiring/" of "cpu_core/topdown-retiring/": where a core's PMU is named, that says no more. */
static const char *within_pmu(const struct event *event, const char *name)
{
	size_t n = strlen(event->pmu->name);
	bool is_it = event->pmu->kind == PMU_CORE && strncmp(name, event->pmu->name, n) == 0 &&
		     name[n] == '/' && name[n + 1];

	return is_it ? name + n + 1 : name;
}

/* A code without a name is r20d1, as perf has it, unless that is long. */
static void set_short_name(struct event *event, const char *name)
{
	const char *terms = within_pmu(event, name);
	bool is_code = strncmp(terms, "event=", 6) == 0 || strncmp(terms, "config=", 7) == 0;

	if (is_code && terms > name && event->config[0] < UINT64_C(1) << 28)
		snprintf(event->short_name, sizeof(event->short_name), "r%" PRIx64,
			 event->config[0]);
	else
		event_abbreviate(terms, event->short_name, sizeof(event->short_name));
}

/* The modifier that the user wrote is part of the name: cycles:u beside cycles:k. So is one that was
 * not to be chosen. */
static void set_names(const struct event_query *q, struct event *event, const char *name)
{
	const struct catalog_event *known = event->known;

	snprintf(event->name, sizeof(event->name), "%.*s%s", EVENT_NAME_MAX - 4, name,
		 asks_for_level(q) || q->privilege == PRIVILEGE_ALLOWED
			 ? privilege_suffix[event->privilege]
			 : "");
	if (known && known->short_name[0])
		snprintf(event->short_name, sizeof(event->short_name), "%s", known->short_name);
	else if (known)
		event_abbreviate(known->name, event->short_name, sizeof(event->short_name));
	else
		set_short_name(event, name);
	if (event->streams && stream_has(event->pmu, event->config))
		mark_streams(event);
}

static void refuse_activity(const struct event_query *q, struct event *event)
{
	const char *why = activity_refusal(q->machine, q->type_index, event->config[0]);

	if (why)
		snprintf(event->refused, sizeof(event->refused), "%s", why);
}

/* A device is counted on the CPUs of its cpumask alone, which -C may leave out. */
static void refuse_device(const struct event_query *q, struct event *event)
{
	const struct cpus *cpus = &event->pmu->cpus;
	char list[32];

	for (unsigned i = 0; i < q->machine->n_cores; i++)
		if (cpus_has(cpus, q->machine->core[i].cpu))
			return;
	if (cpus_count(cpus))
		snprintf(event->refused, sizeof(event->refused),
			 "it is counted on CPU %s, which -C excludes",
			 cpus_format(cpus, list, sizeof(list)));
}

/* "PMC9=NAME!": the counter that was named becomes the only one. What counts there by its own tables
 * needs no force. */
static int force(const struct event_query *q, struct event *event, struct err *err)
{
	int slot = q->spec->slot;
	size_t n = strlen(event->short_name), room = SHORT_MAX - 1;

	if (!event->needs_counter || !q->type->slot_is_counter)
		return err_set(err, EINVAL,
			       "%s cannot be forced onto a counter: %s. The backends apple and sim "
			       "can",
			       q->spec->text,
			       event->needs_counter ? "the kernel's driver alone chooses it"
						    : "it takes none of the core's");
	if (slot < 0)
		return err_set(err, EINVAL, "%s!: which counter? Such as PMC9=%s!", q->spec->text,
			       q->spec->text);
	if (slot < 2 || (unsigned)slot >= q->type->n_counters)
		return err_set(err, EINVAL, "%s cannot be forced onto PMC%d: only onto PMC2-%u",
			       q->spec->text, slot, q->type->n_counters - 1);
	if (!event->counters || event->counters >> slot & 1)
		return 0;
	event->is_forced = true;
	event->counters = UINT64_C(1) << slot;
	snprintf(event->name + strlen(event->name), 2, "!");
	snprintf(event->short_name + (n < room ? n : room), 2, "!");
	return 0;
}

static bool is_clock(const struct pmu *pmu, const uint64_t *config)
{
	return pmu->kind == PMU_SOFTWARE && config[0] <= 1;
}

/* At which levels the event itself counts. How busy a core is has none: only who asks for one by the name
 * is refused. */
static enum privilege level_of(const struct event_query *q, const struct event *event)
{
	if (event->pmu->kind == PMU_ACTIVITY && !asks_for_level(q))
		return PRIVILEGE_BOTH;
	if (q->privilege != PRIVILEGE_ALLOWED)
		return q->privilege;
	return is_clock(event->pmu, event->config) ? PRIVILEGE_BOTH : PRIVILEGE_USER;
}

static void refuse_level(const struct event_query *q, struct event *event, const char *name)
{
	if (q->privilege == PRIVILEGE_ALLOWED)
		snprintf(event->refused, sizeof(event->refused),
			 "%.50s needs the right to count the kernel", name);
	else
		snprintf(event->refused, sizeof(event->refused), "%s is ignored by %.60s",
			 privilege_suffix[q->privilege], name);
}

/* The last step of every way to an event: pmu, config and known are there. */
static int finish(const struct event_query *q, struct event *event, const char *name,
		  const struct event **ret, struct err *err)
{
	event->privilege = level_of(q, event);
	event->streams = stream_bits(event->pmu, event->config);
	set_traits(q, event);
	set_names(q, event, name);

	int rc = q->spec && q->spec->is_forced ? force(q, event, err) : 0;

	if (rc)
		return rc;
	if (event->privilege != PRIVILEGE_BOTH && !honours_privilege(event->pmu, event->config))
		refuse_level(q, event, name);
	if (event->pmu->kind == PMU_ACTIVITY)
		refuse_activity(q, event);
	if (event->pmu->kind == PMU_UNCORE)
		refuse_device(q, event);
	return event_intern(q, event, ret, err);
}

/* What was asked for: an alias, as it was typed, or the entry itself. */
static const char *asked_name(const struct event_query *q, const struct catalog_event *known)
{
	return q->spec && !q->spec->is_terms ? q->spec->text : known->name;
}

static int no_pmu(const struct event_query *q, const struct catalog_event *known, struct err *err)
{
	const struct pmus *pmus = &q->machine->pmus;

	if (!known->pmu[0])
		return err_set(err, ENOENT, "%s needs a hardware core PMU, which %s does not have",
			       asked_name(q, known),
			       q->machine->n_types > 1 ? q->type->name : "this machine");
	for (size_t i = 0; i < pmus->n; i++)
		if (names_all(&pmus->pmu[i]) && pmu_is_of(&pmus->pmu[i], known->pmu, known->compat))
			return err_set(err, ENOENT, "this machine has no %s", asked_name(q, known));
	return err_set(err, ENOENT, "%s needs the PMU \"%s\", which does not exist here",
		       asked_name(q, known), known->pmu);
}

int event_make_known(const struct event_query *q, const struct catalog_event *known,
		     const struct event **ret, struct err *err)
{
	struct event event = { .known = known, .pmu = first_pmu(q, known) };

	if (!event.pmu)
		return no_pmu(q, known, err);
	if (event_n_pmus(q, known) > 1)
		return err_set(err, ENOTUNIQ, "%s counts on several PMUs", asked_name(q, known));

	int result = pmu_encode(event.pmu, known->terms, event.config, err);

	if (result < 0)
		return err_prefix(err, -result, "%s: ", asked_name(q, known));
	return finish(q, &event, known->name, ret, err);
}

int event_make_terms(const struct event_query *q, const struct pmu *pmu, const char *terms,
		     const char *name, const struct event **ret, struct err *err)
{
	struct event event = { .pmu = pmu };
	int result = pmu_encode(pmu, terms, event.config, err);

	if (result < 0)
		return result;
	event.known = event_known_of(q, pmu, event.config);
	return finish(q, &event, name, ret, err);
}
