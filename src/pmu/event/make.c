#include "pmu/event/make.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "pmu/activity.h"
#include "pmu/event.h"

enum { SAME_NAME_MAX = 16, TERMS_MAX = EVENT_NAME_MAX / 2 };

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

/* Whether the kernel lists all events of a PMU: those of an SMMU (CEID), MSRs and activity. */
static bool names_all(const struct pmu *pmu)
{
	return stream_can_filter(pmu) || pmu->kind == PMU_MSR || pmu->kind == PMU_ACTIVITY;
}

/* Whether a catalogue entry can be counted on this PMU for the query's type. */
static bool event_counts_on(const struct event_query *q, const struct catalog_event *known,
			    const struct pmu *pmu)
{
	uint64_t config[CONFIG_WORDS];

	if (!known->pmu[0])
		return pmu == q->type->pmu;
	return (pmu->kind != PMU_CORE || pmu == q->type->pmu) &&
	       pmu_is_of(pmu, known->pmu, known->compat) &&
	       (!names_all(pmu) ||
		(pmu_encode(pmu, known->terms, config, NULL) == 0 && alias_of_config(pmu, config)));
}

const struct catalog_event *event_known_on(const struct event_query *q, const struct pmu *pmu,
					   const char *name, bool *ret_is_known)
{
	const struct catalog_event *known[SAME_NAME_MAX];
	size_t n = catalog_lookup(q->type->catalog, name, known, ARRAY_SIZE(known));

	*ret_is_known = n > 0;
	for (size_t i = 0; i < n && i < ARRAY_SIZE(known); i++)
		if (event_counts_on(q, known[i], pmu))
			return known[i];
	return NULL;
}

/* Event that a name refers to; the kernel's names come first. */
struct named {
	const struct pmu_alias *alias;
	const struct catalog_event *known;
};

static struct named named_as(const struct event_query *q, const struct pmu *pmu, const char *name)
{
	struct named ret = { .alias = pmu_alias_find(pmu, name) };
	bool is_known;

	if (!ret.alias && !strchr(name, '='))
		ret.known = event_known_on(q, pmu, name, &is_known);
	return ret;
}

/* Resolve a term as a name; both fields are NULL if it is not one. */
static struct named named_by(const struct event_query *q, const struct pmu *pmu, const char *term)
{
	const char *const *synonym = event_synonyms_of(term);
	struct named ret = named_as(q, pmu, term);

	for (; !ret.alias && !ret.known && *synonym; synonym++)
		ret = named_as(q, pmu, *synonym);
	return ret;
}

static const char *named_terms(const struct event_query *q, const struct pmu *pmu, const char *term)
{
	struct named named = named_by(q, pmu, term);

	return named.alias ? named.alias->terms : named.known ? named.known->terms : NULL;
}

static int expand_stream(const char *value, struct text *ret, struct err *err)
{
	struct stream_filter filter;
	int result = stream_parse(value, &filter, err);

	if (result == 0)
		text_printf(ret, "filter_enable=1,filter_span=%d,filter_stream_id=0x%x",
			    filter.has_span, filter.id);
	return result;
}

/* Whether a term is a raw config, as in "cpu/r1a8/", and not the name of a field of the PMU. */
static bool is_raw(const struct pmu *pmu, const char *term)
{
	return term[0] == 'r' && term[1] && !term[1 + strspn(term + 1, "0123456789abcdefABCDEF")] &&
	       !pmu_format_find(pmu, term);
}

static int expand_term(const struct event_query *q, const struct pmu *pmu, const char *term,
		       struct text *ret, struct err *err)
{
	const char *terms = named_terms(q, pmu, term);

	if (strncmp(term, "stream=", 7) == 0 && stream_can_filter(pmu))
		return expand_stream(term + 7, ret, err);
	if (!terms && is_raw(pmu, term))
		text_printf(ret, "config=0x%s", term + 1);
	else
		text_printf(ret, "%s", terms ? terms : term);
	return 0;
}

/* Whether two terms conflict: two names, or one key twice. Fields that a name sets may be set
 * again: stalls,cmask=2. */
static bool excludes(const struct event_query *q, const struct pmu *pmu, const char *a,
		     const char *b)
{
	const char *key_a = named_terms(q, pmu, a) ? "event" : a;
	const char *key_b = named_terms(q, pmu, b) ? "event" : b;
	size_t n = strcspn(key_a, "="), m = strcspn(key_b, "=");

	if (n == m && strncmp(key_a, key_b, n) == 0)
		return true;
	return (strncmp(key_a, "stream=", 7) == 0 && strncmp(key_b, "filter_", 7) == 0) ||
	       (strncmp(key_b, "stream=", 7) == 0 && strncmp(key_a, "filter_", 7) == 0);
}

static int check_terms(const struct event_query *q, const struct pmu *pmu, char *const *term,
		       size_t n, struct err *err)
{
	if (stream_refusal(pmu))
		return err_set(err, EINVAL, "%s: %s", pmu->name, stream_refusal(pmu));
	for (size_t i = 0; i < n; i++)
		if (!*term[i])
			return err_set(err, EINVAL, "%s: \"%s\": nothing %s", pmu->name,
				       q->spec->text, n > 1 ? "next to a comma" : "there");
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (excludes(q, pmu, term[i], term[k]))
				return err_set(err, EINVAL,
					       "%s: \"%s\" and \"%s\" exclude each other: give one "
					       "of them",
					       pmu->name, term[i], term[k]);
	return 0;
}

/* @copy  storage of the terms, EVENT_NAME_MAX bytes
 * @return number of terms */
static size_t split_terms(const struct event_query *q, char *copy, char **ret)
{
	char *rest = copy;
	size_t n = 0;

	snprintf(copy, EVENT_NAME_MAX, "%s", q->spec->text);
	while (n < TERMS_MAX && (ret[n] = strsep(&rest, ",")))
		n++;
	return n;
}

/* Find the event that a spec's terms name on a PMU: the first one. Both NULL if there is none. */
static struct named event_terms_named(const struct event_query *q, const struct pmu *pmu)
{
	char copy[EVENT_NAME_MAX], *term[TERMS_MAX];
	size_t n = split_terms(q, copy, term);
	struct named named = { NULL, NULL };

	for (size_t i = 0; i < n && !named.known && !named.alias; i++)
		named = named_by(q, pmu, term[i]);
	return named;
}

/* @are_names  expand only names, else only the other terms */
static int expand_terms(const struct event_query *q, const struct pmu *pmu, char *const *term,
			size_t n, bool are_names, struct text *ret, struct err *err)
{
	int result = 0;

	for (size_t i = 0; i < n && !result; i++) {
		if (!named_terms(q, pmu, term[i]) == are_names)
			continue;
		text_printf(ret, "%s", ret->n ? "," : "");
		result = expand_term(q, pmu, term[i], ret, err);
	}
	return result;
}

int event_terms_expand(const struct event_query *q, const struct pmu *pmu, struct text *ret,
		       struct err *err)
{
	char copy[EVENT_NAME_MAX], *term[TERMS_MAX];
	size_t n = split_terms(q, copy, term);
	int result = check_terms(q, pmu, term, n, err);

	/* names first, so that explicit terms override them */
	for (int are_names = 1; are_names >= 0 && !result; are_names--)
		result = expand_terms(q, pmu, term, n, are_names, ret, err);
	return ret->failed ? err_set(err, ENOMEM, "out of memory") : result;
}

enum { SHORT_MAX = 8 }; /* columns of a header */

struct event_entry {
	unsigned type;
	struct event event;
};

struct event_table {
	const struct machine *machine;
	void *entries; /* tree of tsearch, entries allocated one by one: pointers stay valid */
};

/* Software events that honour the exclude bits, by perf_event_attr.config: those that pass the
 * interrupted registers to perf_sw_event(). Clocks and scheduler events count at every level.
 * Source: Linux include/uapi/linux/perf_event.h (enum perf_sw_ids), kernel/events/core.c */
static const bool software_honours_privilege[] = {
	[2] = true, /* page-faults */
	[5] = true, /* minor-faults */
	[6] = true, /* major-faults */
	[7] = true, /* alignment-faults */
	[8] = true, /* emulation-faults */
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

/* Compare entries; equal events compare equal. */
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
	made->event.is_cycles = event_is(event, "cycles");
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

/* Count the PMUs of an entry. @ret_first  the first one; NULL if there is none */
static size_t find_pmus(const struct event_query *q, const struct catalog_event *known,
			const struct pmu **ret_first)
{
	const struct pmus *pmus = &q->machine->pmus;
	size_t n = 0;

	*ret_first = known->pmu[0] ? NULL : q->type->pmu;
	if (!known->pmu[0])
		return *ret_first != NULL;
	for (size_t i = 0; i < pmus->n; i++)
		if (event_counts_on(q, known, &pmus->pmu[i]) && !n++)
			*ret_first = &pmus->pmu[i];
	return n;
}

size_t event_n_pmus(const struct event_query *q, const struct catalog_event *known)
{
	const struct pmu *first;

	return find_pmus(q, known, &first);
}

const struct pmu *event_pmu_of_catalog(const struct machine *machine, unsigned type,
				       const struct catalog_event *known)
{
	const struct event_query q = { .machine = machine,
				       .type = &machine->type[type],
				       .type_index = type };
	const struct pmu *first;

	find_pmus(&q, known, &first);
	return first;
}

const struct catalog_event *event_known_of(const struct event_query *q, const struct pmu *pmu,
					   const uint64_t *given)
{
	const struct catalog *catalog = q->type->catalog;
	uint64_t config[CONFIG_WORDS];

	/* an event limited to some streams is the same event */
	memcpy(config, given, sizeof(config));
	config[1] &= ~stream_bits(pmu, given);
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

/* Return the counter mask of an event without catalogue entry, as with Linux's event files, which
 * lack Apple cores. The driver allows any counter but the two fixed ones, whose events the kernel
 * names itself.
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

/* Set scale, unit and counters from the catalogue and the kernel; further terms do not change them. */
static void set_traits(const struct event_query *q, struct event *event)
{
	struct named named = { alias_of_config(event->pmu, event->config), event->known };

	if (!named.known && !named.alias && q->spec && q->spec->is_terms)
		named = event_terms_named(q, event->pmu);

	const struct catalog_event *known = named.known;
	const struct pmu_alias *alias = named.alias;

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

/* Mark the short name of a stream-filtered event: "TR:40-7f", or "TRANS*" if that is too long. */
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

/* Skip the core PMU in a name: "topdown-retiring/" for "cpu_core/topdown-retiring/". */
static const char *within_pmu(const struct event *event, const char *name)
{
	size_t n = strlen(event->pmu->name);
	bool is_it = event->pmu->kind == PMU_CORE && strncmp(name, event->pmu->name, n) == 0 &&
		     name[n] == '/' && name[n + 1];

	return is_it ? name + n + 1 : name;
}

/* Set the short name; an event given only by code becomes r20d1, as in perf, unless too long. */
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

const char *event_name_given(const struct event_query *q, const char *name)
{
	return q->spec && q->spec->label[0] ? q->spec->label : name;
}

/* Set the names. The level the user wrote is part of the name: cycles:u beside cycles:k; so is one
 * forced by missing permissions. */
static void set_names(const struct event_query *q, struct event *event, const char *name)
{
	const struct catalog_event *known = event->known;
	char plain[EVENT_SHORT_MAX];

	name = event_name_given(q, name);
	snprintf(event->name, sizeof(event->name), "%.*s%s", EVENT_NAME_MAX - 4, name,
		 asks_for_level(q) || q->privilege == PRIVILEGE_ALLOWED
			 ? privilege_suffix[event->privilege]
			 : "");
	if (q->spec && q->spec->label[0])
		event_abbreviate(name, event->short_name, sizeof(event->short_name));
	else if (known && known->short_name[0])
		snprintf(event->short_name, sizeof(event->short_name), "%s", known->short_name);
	else if (known)
		event_abbreviate(known->name, event->short_name, sizeof(event->short_name));
	else
		set_short_name(event, name);
	if (q->spec && q->machine->n_types > 1 && within_pmu(event, name) != name) {
		/* "P:cycles" beside "E:cycles" */
		memcpy(plain, event->short_name, sizeof(plain));
		snprintf(event->short_name, SHORT_MAX + 1, "%s:%s", q->type->name, plain);
	}
	if (event->streams && stream_has(event->pmu, event->config))
		mark_streams(event);
}

/* Refuse a device event if -C excludes all CPUs of the device's cpumask. */
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

/* Force an event onto a counter, "PMC9=NAME!": it becomes the only one. No effect if the event's
 * mask already allows it. */
static int force(const struct event_query *q, struct event *event, struct err *err)
{
	int slot = q->spec->slot;

	if (!event->needs_counter || !q->type->slot_is_counter)
		return err_set(err, EINVAL,
			       "%s cannot be forced onto a counter: %s. The backends apple and sim "
			       "can",
			       q->spec->text,
			       event->needs_counter ? "the kernel's driver alone chooses it"
						    : "it takes none of the core's");
	if (slot < 0)
		return err_set(err, EINVAL, "%s!: name the counter, such as PMC9=%s!",
			       q->spec->text, q->spec->text);
	if (slot < 2 || (unsigned)slot >= q->type->n_counters)
		return err_set(err, EINVAL, "%s cannot be forced onto PMC%d: only onto PMC2-%u",
			       q->spec->text, slot, q->type->n_counters - 1);
	if (!event->counters || event->counters >> slot & 1)
		return 0;
	event->is_forced = true;
	event->counters = UINT64_C(1) << slot;
	buf_printf(event->name, sizeof(event->name), "!");
	event->short_name[SHORT_MAX - 1] = '\0';
	buf_printf(event->short_name, sizeof(event->short_name), "!");
	return 0;
}

/* Return the levels at which the event counts. Clocks count at all levels. Activity events have no
 * level and are refused only if one is requested by name. */
static enum privilege make_level_of(const struct event_query *q, const struct event *event)
{
	if (event->pmu->kind == PMU_ACTIVITY && !asks_for_level(q))
		return PRIVILEGE_BOTH;
	if (event_is_clock(event))
		return PRIVILEGE_BOTH;
	return q->privilege == PRIVILEGE_ALLOWED ? PRIVILEGE_USER : q->privilege;
}

/* Complete an event whose pmu, config and known are set. */
static int make_finish(const struct event_query *q, struct event *event, const char *name,
		       const struct event **ret, struct err *err)
{
	const char *why = event->pmu->kind == PMU_ACTIVITY
				  ? activity_refusal(q->machine, q->type_index, event->config[0])
				  : NULL;

	event->privilege = make_level_of(q, event);
	event->streams = stream_bits(event->pmu, event->config);
	set_traits(q, event);
	set_names(q, event, name);

	int rc = q->spec && q->spec->is_forced ? force(q, event, err) : 0;

	if (rc)
		return rc;

	bool has_level =
		event->privilege == PRIVILEGE_BOTH || honours_privilege(event->pmu, event->config);

	if (!has_level && q->privilege == PRIVILEGE_ALLOWED)
		snprintf(event->refused, sizeof(event->refused),
			 "%.50s needs the right to count the kernel", name);
	else if (!has_level)
		snprintf(event->refused, sizeof(event->refused), "%s is ignored by %.60s",
			 privilege_suffix[q->privilege], name);
	if (why)
		snprintf(event->refused, sizeof(event->refused), "%s", why);
	if (event->pmu->kind == PMU_UNCORE)
		refuse_device(q, event);
	return event_intern(q, event, ret, err);
}

/* Return the requested name: an alias as typed, or the entry's. */
static const char *requested_name(const struct event_query *q, const struct catalog_event *known)
{
	return q->spec && !q->spec->is_terms ? q->spec->text : known->name;
}

static int no_pmu(const struct event_query *q, const struct catalog_event *known, struct err *err)
{
	const struct pmus *pmus = &q->machine->pmus;

	if (!known->pmu[0])
		return err_set(err, ENOENT, "%s needs a hardware core PMU, which %s does not have",
			       requested_name(q, known),
			       q->machine->n_types > 1 ? q->type->name : "this machine");
	for (size_t i = 0; i < pmus->n; i++)
		if (names_all(&pmus->pmu[i]) && pmu_is_of(&pmus->pmu[i], known->pmu, known->compat))
			return err_set(err, ENOENT, "this machine has no %s",
				       requested_name(q, known));
	return err_set(err, ENOENT, "%s needs the PMU \"%s\", which does not exist here",
		       requested_name(q, known), known->pmu);
}

int event_make_known(const struct event_query *q, const struct catalog_event *known,
		     const struct event **ret, struct err *err)
{
	struct event event = { .known = known };
	size_t n = find_pmus(q, known, &event.pmu);

	if (!n)
		return no_pmu(q, known, err);
	if (n > 1)
		return err_set(err, ENOTUNIQ, "%s counts on several PMUs",
			       requested_name(q, known));

	int result = pmu_encode(event.pmu, known->terms, event.config, err);

	if (result < 0)
		return err_prefix(err, -result, "%s: ", requested_name(q, known));
	return make_finish(q, &event, known->name, ret, err);
}

int event_make_encoded(const struct event_query *q, const struct pmu *pmu, const uint64_t *config,
		       const char *name, const struct event **ret, struct err *err)
{
	struct event event = { .known = event_known_of(q, pmu, config), .pmu = pmu };

	memcpy(event.config, config, sizeof(event.config));
	return make_finish(q, &event, name, ret, err);
}

int event_make_terms(const struct event_query *q, const struct pmu *pmu, const char *terms,
		     const char *name, const struct event **ret, struct err *err)
{
	uint64_t config[CONFIG_WORDS];
	int result = pmu_encode(pmu, terms, config, err);

	return result < 0 ? result : event_make_encoded(q, pmu, config, name, ret, err);
}
