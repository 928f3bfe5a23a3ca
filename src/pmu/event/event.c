/* event.c: from a name in the user's syntax to an event, on one core type and one PMU */
#include "pmu/event.h"

#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "pmu/activity.h"
#include "pmu/event/make.h"
#include "pmu/machine.h"

enum { SAME_NAME_MAX = 16 };

/* Get the event name in a query's spec: all of it, or NAME in NAME/terms/. @return NULL if it is a PMU */
static const char *event_base_name(const struct event_query *q)
{
	const struct pmus *pmus = &q->machine->pmus;

	if (!q->spec->is_terms)
		return q->spec->text;
	for (size_t i = 0; i < pmus->n; i++)
		if (pmu_has_name(&pmus->pmu[i], q->spec->pmu))
			return NULL;
	return q->spec->pmu;
}

/* Restrict a spec to one PMU; NAME/terms/ becomes the terms "NAME,terms". */
static struct event_spec event_spec_on(const struct event_query *q, const struct pmu *pmu)
{
	struct event_spec ret = *q->spec;
	const char *name = event_base_name(q);

	if (ret.is_terms && name) {
		/* the typed text is at least as long, so it fits */
		assert(strlen(name) + strlen(",") + strlen(q->spec->text) < sizeof(ret.text));
		snprintf(ret.text, sizeof(ret.text), "%s,%s", name, q->spec->text);
	}
	snprintf(ret.pmu, sizeof(ret.pmu), "%s", pmu->name);
	ret.is_terms = true;
	return ret;
}

/* Whether a spec includes a PMU. @name  of an event; NULL if the spec names a PMU */
static bool means(const struct event_query *q, const char *name, const struct pmu *pmu)
{
	bool is_known;

	if (!name)
		return pmu_has_name(pmu, q->spec->pmu) && !stream_refusal(pmu);
	return event_known_on(q, pmu, name, &is_known) || (!is_known && pmu_alias_find(pmu, name));
}

/* List the uncore PMUs that a spec includes without naming one: a catalogue event or kernel name on
 * uncore_imc_0 and uncore_imc_1, or uncore_imc/…/.
 * @ret     the first `max` of them
 * @return  count; 0 if the spec names exactly one PMU, or one that is not uncore */
static size_t event_matching_pmus(const struct event_query *q, const struct pmu **ret, size_t max)
{
	const struct pmus *pmus = &q->machine->pmus;
	const char *name = event_base_name(q);
	size_t n = 0;

	if (q->spec->is_terms && pmu_find(pmus, q->spec->pmu))
		return 0;
	for (size_t i = 0; i < pmus->n; i++) {
		if (!means(q, name, &pmus->pmu[i]))
			continue;
		if (pmus->pmu[i].kind != PMU_UNCORE)
			return 0;
		if (n < max)
			ret[n] = &pmus->pmu[i];
		n++;
	}
	return n;
}

struct specs {
	struct event_spec *spec;
	size_t n, cap;
};

static int expand_add(struct specs *to, const struct event_spec *spec)
{
	return ARRAY_APPEND(to->spec, to->cap, to->n, *spec);
}

/* Find a spec's PMUs; a spec with its own column can be only one event, so none are returned. */
static size_t pmus_of_spec(struct event_table *table, const struct event_spec *spec,
			   const struct pmu **ret, size_t max)
{
	const struct machine *machine = event_table_machine(table);
	size_t n = 0;

	for (unsigned type = 0; type < machine->n_types && n < 2 && spec->slot < 0; type++) {
		struct event_query q = event_query_of(table, type, spec, PRIVILEGE_BOTH);

		n = event_matching_pmus(&q, ret, max);
	}
	return n;
}

static int spread_one(struct event_table *table, const struct event_spec *spec, struct specs *to,
		      struct err *err)
{
	const struct event_query q = event_query_of(table, 0, spec, PRIVILEGE_BOTH);
	const struct pmu *pmu[SLOTS_MAX];
	size_t n = pmus_of_spec(table, spec, pmu, ARRAY_SIZE(pmu));
	int result = n < 2 ? expand_add(to, spec) : 0;

	for (size_t i = 0; i < n && n > 1 && !result; i++) {
		struct event_spec one = event_spec_on(&q, pmu[i]);

		if (n > SLOTS_MAX)
			return err_set(err, ENOSPC,
				       "%s is on %zu PMUs, but only %d events can be counted at a "
				       "time; choose one, such as %s/%s/",
				       one.text, n, SLOTS_MAX, one.pmu, one.text);
		result = expand_add(to, &one);
	}
	return result ? err_set(err, ENOMEM, "out of memory") : 0;
}

/* The tracepoints that a pattern means, as sched:sched_* */
struct tracepoint_pattern {
	const struct event_spec *spec;
	struct specs *to;
	size_t n;
	int result;
};

static void expand_add_tracepoint(void *data, const char *name)
{
	struct tracepoint_pattern *pattern = data;
	struct event_spec one = *pattern->spec;

	if (fnmatch(pattern->spec->text, name, 0) != 0 || strlen(name) >= sizeof(one.text) ||
	    pattern->result)
		return;
	memcpy(one.text, name, strlen(name) + 1);
	pattern->n++;
	pattern->result = expand_add(pattern->to, &one);
}

static int spread_tracepoints(struct event_table *table, const struct event_spec *spec,
			      struct specs *to, struct err *err)
{
	const char *root = event_table_machine(table)->pmus.root;
	struct tracepoint_pattern pattern = { .spec = spec, .to = to };
	char subsystem[sizeof(spec->text)];
	int rc;

	snprintf(subsystem, sizeof(subsystem), "%.*s", (int)strcspn(spec->text, ":"), spec->text);
	if (strpbrk(subsystem, EVENT_WILDCARDS))
		subsystem[0] = '\0';
	rc = tracefs_each(root, subsystem, expand_add_tracepoint, &pattern, err);
	if (rc || pattern.result)
		return rc ? rc : err_set(err, ENOMEM, "out of memory");
	if (!pattern.n)
		return err_set(err, ENOENT, "no tracepoint is named as in \"%s\"", spec->text);
	if (pattern.n > SLOTS_MAX)
		return err_set(
			err, ENOSPC,
			"%s means %zu tracepoints, but only %d events can be counted at a time",
			spec->text, pattern.n, SLOTS_MAX);
	return 0;
}

int event_specs_expand(struct event_table *table, const struct event_spec *spec, size_t n,
		       struct event_spec **ret, size_t *ret_n, struct err *err)
{
	bool has_tracepoints = pmu_find(&event_table_machine(table)->pmus, "tracepoint");
	struct specs all = { .n = 0 };
	int result = 0;

	for (size_t i = 0; i < n && !result; i++)
		result = has_tracepoints && !spec[i].is_terms && strchr(spec[i].text, ':') &&
					 strpbrk(spec[i].text, EVENT_WILDCARDS)
				 ? spread_tracepoints(table, &spec[i], &all, err)
				 : spread_one(table, &spec[i], &all, err);
	if (result) {
		free(all.spec);
		return result;
	}
	*ret = all.spec;
	*ret_n = all.n;
	return 0;
}

/* perf_event_attr.type. Source: Linux include/uapi/linux/perf_event.h, as the order of the tables */
enum { TYPE_HARDWARE = 0, TYPE_HW_CACHE = 3 };

/* Source: Linux tools/perf/util/parse-events.c, event_symbols_hw[] */
static const char *const hardware[][2] = {
	{ "cpu-cycles", "cycles" },
	{ "instructions" },
	{ "cache-references" },
	{ "cache-misses" },
	{ "branch-instructions", "branches" },
	{ "branch-misses" },
	{ "bus-cycles" },
	{ "stalled-cycles-frontend", "idle-cycles-frontend" },
	{ "stalled-cycles-backend", "idle-cycles-backend" },
	{ "ref-cycles" },
};

enum { READ, WRITE, PREFETCH, ACCESS = 0, MISS };

/* Source: the same, evsel__hw_cache[], evsel__hw_cache_stat[] */
static const struct {
	const char *name[7];
	uint8_t ops; /* existing operations, as bits */
} caches[] = {
	{ { "L1-dcache", "l1-d", "l1d", "L1-data" }, 7 },
	{ { "L1-icache", "l1-i", "l1i", "L1-instruction" }, 1 << READ | 1 << PREFETCH },
	{ { "LLC", "L2" }, 7 },
	{ { "dTLB", "d-tlb", "Data-TLB" }, 7 },
	{ { "iTLB", "i-tlb", "Instruction-TLB" }, 1 << READ },
	{ { "branch", "branches", "bpu", "btb", "bpc" }, 1 << READ },
	{ { "node" }, 7 },
};

/* Source: the same, evsel__hw_cache_op[], evsel__hw_cache_result[] */
static const struct {
	const char *name;
	int op, result; /* -1: not specified */
} words[] = {
	{ "load", READ, -1 },
	{ "loads", READ, -1 },
	{ "read", READ, -1 },
	{ "store", WRITE, -1 },
	{ "stores", WRITE, -1 },
	{ "write", WRITE, -1 },
	{ "prefetch", PREFETCH, -1 },
	{ "prefetches", PREFETCH, -1 },
	{ "speculative-read", PREFETCH, -1 },
	{ "speculative-load", PREFETCH, -1 },
	{ "refs", -1, ACCESS },
	{ "Reference", -1, ACCESS },
	{ "ops", -1, ACCESS },
	{ "access", -1, ACCESS },
	{ "misses", -1, MISS },
	{ "miss", -1, MISS },
};

/* @return the text behind a leading name and a dash, or its end; NULL if the name is not there */
static const char *behind(const char *text, const char *name)
{
	size_t n = strlen(name);

	if (ascii_ncasecmp(text, name, n) != 0 || (text[n] && text[n] != '-'))
		return NULL;
	return text + n + (text[n] == '-');
}

/* Parse "load-misses", "misses" or ""; each kind at most once. Defaults are read and access. */
static bool read_words(const char *text, unsigned *ret_op, unsigned *ret_result)
{
	int op = -1, result = -1;

	while (*text) {
		const char *rest = NULL;
		size_t i = 0;

		while (i < ARRAY_SIZE(words) && !(rest = behind(text, words[i].name)))
			i++;
		if (!rest || (words[i].op >= 0 && op >= 0) || (words[i].result >= 0 && result >= 0))
			return false;
		op = words[i].op >= 0 ? words[i].op : op;
		result = words[i].result >= 0 ? words[i].result : result;
		text = rest;
	}
	*ret_op = op < 0 ? READ : (unsigned)op;
	*ret_result = result < 0 ? ACCESS : (unsigned)result;
	return true;
}

/* Parse a cache event. @ret_listed  name in perf list, of which event data may have an entry
 * @return false if there is no such cache */
static bool read_cache(const char *name, uint64_t *ret, char *ret_listed, size_t size)
{
	static const char *const done[][2] = { { "loads", "load-misses" },
					       { "stores", "store-misses" },
					       { "prefetches", "prefetch-misses" } };

	for (unsigned cache = 0; cache < ARRAY_SIZE(caches); cache++)
		for (size_t i = 0; i < ARRAY_SIZE(caches[0].name) && caches[cache].name[i]; i++) {
			const char *rest = behind(name, caches[cache].name[i]);
			unsigned op, result;

			if (!rest || !read_words(rest, &op, &result) ||
			    !(caches[cache].ops >> op & 1))
				continue;
			*ret = cache | op << 8 | result << 16;
			snprintf(ret_listed, size, "%s-%s", caches[cache].name[0],
				 done[op][result]);
			return true;
		}
	return false;
}

static bool read_hardware(const char *name, uint64_t *ret)
{
	for (unsigned id = 0; id < ARRAY_SIZE(hardware); id++)
		for (size_t i = 0; i < ARRAY_SIZE(hardware[0]) && hardware[id][i]; i++)
			if (ascii_casecmp(hardware[id][i], name) == 0) {
				*ret = id;
				return true;
			}
	return false;
}

/* Make an event that is shown as not supported. */
static int event_refuse(const struct event_query *q, const char *name, const char *why,
			const struct event **ret, struct err *err)
{
	struct event event = { .scale = 1 };

	snprintf(event.refused, sizeof(event.refused), "%s", why);
	name = event_name_given(q, name);
	snprintf(event.name, sizeof(event.name), "%s", name);
	event_abbreviate(name, event.short_name, sizeof(event.short_name));
	return event_intern(q, &event, ret, err);
}

static int generic_refuse(const struct event_query *q, const char *name, const struct event **ret,
			  struct err *err)
{
	char why[sizeof((*ret)->refused)];

	if (q->type->pmu)
		snprintf(why, sizeof(why), "%s has no such event", q->type->pmu->name);
	else
		snprintf(why, sizeof(why), "%s has no hardware core PMU",
			 q->machine->n_types > 1 ? q->type->name : "this machine");
	return event_refuse(q, name, why, ret, err);
}

/* Make an event of a generic perf name: cache-misses, L1-dcache-load-misses. The core PMU's driver
 * resolves it when it is opened.
 * @return 0, with `refused` set if there is no driver to resolve it; -ENOENT if it is not a generic
 *         name */
static int event_make_generic(const struct event_query *q, const char *name,
			      const struct event **ret, struct err *err)
{
	uint64_t config[CONFIG_WORDS] = { 0 };
	bool is_hardware = read_hardware(name, &config[0]);
	const struct catalog_event *known;
	char listed[40] = "";

	if (!is_hardware && !read_cache(name, &config[0], listed, sizeof(listed)))
		return -ENOENT;
	if (catalog_lookup(q->type->catalog, listed, &known, 1) == 1 && !known->pmu[0])
		return event_make_known(q, known, ret, err);
	/* a name in event data must be in the PMU's tables, which are complete without the driver */
	if (q->spec->is_data && (is_hardware || !q->type->pmu || q->type->slot_is_counter))
		return -ENOENT;
	if (!q->type->pmu || q->type->slot_is_counter)
		return generic_refuse(q, name, ret, err);
	if (q->machine->n_types > 1) /* Linux since 5.13 */
		config[0] |= (uint64_t)q->type->pmu->type << 32;
	config[CONFIG_TYPE] = 1 + (is_hardware ? TYPE_HARDWARE : TYPE_HW_CACHE);
	return event_make_encoded(q, q->type->pmu, config, name, ret, err);
}

const char *const privilege_suffix[] = {
	[PRIVILEGE_BOTH] = "", [PRIVILEGE_USER] = ":u", [PRIVILEGE_KERNEL] = ":k"
};

static int ambiguous(const char *name, const struct catalog_event *const *known, size_t n,
		     struct err *err)
{
	struct text text = { 0 };

	text_printf(&text, "several events are named \"%s\": ", name);
	for (size_t i = 0; i < n; i++)
		text_printf(&text, "%s%s (0x%llx)", i ? ", " : "", known[i]->name,
			    (unsigned long long)known[i]->id);
	return text_to_err(&text, ENOTUNIQ, err);
}

/* Report that a name means several PMUs; summing would hide that some were not counted. */
static int several_pmus(const struct event_query *q, struct err *err)
{
	const struct pmu *pmu[SLOTS_MAX];
	size_t n = event_matching_pmus(q, pmu, ARRAY_SIZE(pmu));
	struct text text = { 0 };

	for (size_t i = 0; i < n && i < ARRAY_SIZE(pmu); i++) {
		struct event_spec one = event_spec_on(q, pmu[i]);

		if (!i)
			text_printf(&text, "%s counts on %zu PMUs; choose one: ", one.text, n);
		text_printf(&text, "%s%s/%s/", i ? ", " : "", one.pmu, one.text);
	}
	return text_to_err(&text, ENOTUNIQ, err);
}

static int by_catalog(const struct event_query *q, const char *name, const struct event **ret,
		      struct err *err)
{
	const struct catalog_event *known[SAME_NAME_MAX];
	size_t n = catalog_lookup(q->type->catalog, name, known, ARRAY_SIZE(known));
	size_t countable = 0;

	/* move the entries that this machine counts to the front; a name may have some for several PMUs */
	for (size_t i = 0; i < n && i < ARRAY_SIZE(known); i++)
		if (event_n_pmus(q, known[i]))
			known[countable++] = known[i];
	if (countable > 1)
		return ambiguous(name, known, countable, err);
	if (countable && event_n_pmus(q, known[0]) > 1)
		return several_pmus(q, err);
	return n ? event_make_known(q, known[0], ret, err) : -ENOENT;
}

/* Resolve the kernel's name of an event on one PMU. */
static int by_alias(const struct event_query *q, const struct pmu *pmu, const char *name,
		    const struct event **ret, struct err *err)
{
	const struct pmu_alias *alias = pmu ? pmu_alias_find(pmu, name) : NULL;

	if (!alias)
		return -ENOENT;
	return event_make_terms(q, pmu, alias->terms, alias->name, ret, err);
}

/* Reject an id that the encoding cannot hold: Linux would truncate 0x1db to 0xdb. */
static int check_raw(const struct pmu *pmu, const char *name, uint64_t id, struct err *err)
{
	uint64_t fits = 0;

	for (size_t i = 0; i < pmu->n_formats; i++)
		if (pmu->format[i].word == 0)
			fits |= pmu->format[i].mask;
	if (!fits || !(id & ~fits))
		return 0;
	return err_set(err, ERANGE, "%s is too large: %s takes ids up to 0x%llx", name, pmu->name,
		       (unsigned long long)fits);
}

bool event_read_raw(const char *name, uint64_t *ret)
{
	const char *digits =
		ascii_ncasecmp(name, "0x", 2) == 0 ? name + 2 : name + (name[0] == 'r');
	size_t n = strspn(digits, "0123456789abcdefABCDEF");

	if (digits == name || n < 1 || n > 16 || digits[n])
		return false;
	*ret = strtoull(digits, NULL, 16);
	return true;
}

static int by_raw(const struct event_query *q, const char *name, const struct event **ret,
		  struct err *err)
{
	const struct pmu *pmu = q->type->pmu;
	uint64_t config[CONFIG_WORDS] = { 0 };
	char terms[32], plain[32];

	if (!event_read_raw(name, &config[0]))
		return -ENOENT;
	if (!pmu)
		return err_set(err, ENOENT, "%s needs a hardware core PMU, and there is none",
			       name);
	if (check_raw(pmu, name, config[0], err) < 0)
		return -ERANGE;

	const struct catalog_event *known = event_known_of(q, pmu, config);

	snprintf(terms, sizeof(terms), "config=0x%llx", (unsigned long long)config[0]);
	snprintf(plain, sizeof(plain), "r%llx", (unsigned long long)config[0]);
	return event_make_terms(q, pmu, terms, known ? known->name : plain, ret, err);
}

static int by_other_pmus(const struct event_query *q, const char *name, const struct event **ret,
			 struct err *err)
{
	int result = -ENOENT;

	if (event_matching_pmus(q, NULL, 0) > 1)
		return several_pmus(q, err);
	for (size_t i = 0; i < q->machine->pmus.n && result == -ENOENT; i++)
		if (q->machine->pmus.pmu[i].kind != PMU_CORE)
			result = by_alias(q, &q->machine->pmus.pmu[i], name, ret, err);
	return result;
}

/* Events that perf counts and m1top does not, and what takes their place. */
static const char *const not_counted[][2] = {
	{ "duration_time", "every record has its time, and -M 't=duration_time' shows it" },
	{ "user_time", "task-clock counts user and system time together" },
	{ "system_time", "task-clock counts system and user time together" },
	{ "mem:", "perf stat counts breakpoints" },
	{ "bpf-output", "it counts what BPF programs write, for perf record" },
};

/* @return why perf's event is not counted; NULL: it is none of these */
static const char *why_not_counted(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(not_counted); i++) {
		const char *row = not_counted[i][0];
		size_t n = strlen(row);

		if (row[n - 1] == ':' ? strncmp(name, row, n) == 0 : strcmp(name, row) == 0)
			return not_counted[i][1];
	}
	return NULL;
}

static int by_not_counted(const struct event_query *q, const char *name, const struct event **ret,
			  struct err *err)
{
	const char *why = why_not_counted(name);

	return why && !q->spec->is_data ? event_refuse(q, name, why, ret, err) : -ENOENT;
}

static int by_tracepoint(const struct event_query *q, const char *name, const struct event **ret,
			 struct err *err)
{
	const struct pmus *pmus = &q->machine->pmus;
	const struct pmu *pmu = pmu_find(pmus, "tracepoint");
	uint64_t config[CONFIG_WORDS] = { 0 };
	int rc;

	if (!strchr(name, ':') || why_not_counted(name))
		return -ENOENT;
	if (!pmu)
		return err_set(err, ENOENT, "%s is a tracepoint, and there are none here", name);
	rc = tracefs_id(pmus->root, name, &config[0], err);
	return rc ? rc : event_make_encoded(q, pmu, config, name, ret, err);
}

typedef int by_name_fn(const struct event_query *q, const char *name, const struct event **ret,
		       struct err *err);

static int by_core_alias(const struct event_query *q, const char *name, const struct event **ret,
			 struct err *err)
{
	return by_alias(q, q->type->pmu, name, ret, err);
}

/* Try a name, then its synonyms. */
static int try_synonyms(by_name_fn *by, const struct event_query *q, const char *name,
			const struct event **ret, struct err *err)
{
	int result = by(q, name, ret, err);
	const char *const *synonym = event_synonyms_of(name);

	for (; result == -ENOENT && *synonym; synonym++)
		result = by(q, *synonym, ret, err);
	return result;
}

static void offer_names(const struct event_query *q, struct near_names *near)
{
	const struct catalog *catalog = q->type->catalog;
	const struct pmus *pmus = &q->machine->pmus;

	for (size_t i = 0; i < catalog->n_events; i++) {
		const struct catalog_event *known = &catalog->event[i];

		if (!event_n_pmus(q, known))
			continue;
		near_names_offer(near, known->name);
		for (size_t k = 0; known->alias[k]; k++)
			near_names_offer(near, known->alias[k]);
	}
	for (size_t i = 0; i < pmus->n; i++)
		for (size_t k = 0; k < pmus->pmu[i].n_aliases; k++)
			if (pmus->pmu[i].kind != PMU_CORE || &pmus->pmu[i] == q->type->pmu)
				near_names_offer(near, pmus->pmu[i].alias[k].name);
}

static void list_pmus(const struct pmus *pmus, struct text *text)
{
	for (size_t i = 0; i < pmus->n; i++)
		text_printf(text, "%s%s", i ? ", " : "", pmus->pmu[i].name);
}

/* Append ignored files, which may have held the name. */
static void append_ignored(const struct pmus *pmus, struct text *text)
{
	if (*pmus->ignored.text)
		text_printf(text, "; ignored: %s", pmus->ignored.text);
	for (size_t i = 0; i < pmus->n; i++)
		if (*pmus->pmu[i].ignored.text)
			text_printf(text, "; ignored: %s", pmus->pmu[i].ignored.text);
}

static void say_unknown(const struct event_query *q, const char *name, struct text *text)
{
	if (!q->spec->is_terms) {
		text_printf(text, "no event is named \"%s\"%s%s", name,
			    q->spec->is_data ? "" : " (m1top list events)",
			    q->type->pmu ? "" : "; no hardware counters on this machine");
		return;
	}
	text_printf(text, "no PMU and no event is named \"%s\"; PMUs: %s", name,
		    q->machine->pmus.n ? "" : "none");
	list_pmus(&q->machine->pmus, text);
}

/* Report an unknown name with near names; an earlier step's message (which PMU is missing) is kept. */
static int not_found(const struct event_query *q, const char *name, const struct err *reason,
		     struct err *err)
{
	struct near_names near = { .wanted = name };
	struct text text = { 0 };

	if (!err)
		return -ENOENT; /* skip the slow search for near names */
	if (reason->text[0])
		text_printf(&text, "%s", reason->text);
	else
		say_unknown(q, name, &text);
	if (!q->spec->is_data)
		offer_names(q, &near);
	near_names_text(&near, &text);
	append_ignored(&q->machine->pmus, &text);
	return text_to_err(&text, ENOENT, err);
}

static int resolve_name(const struct event_query *q, const char *name, const struct event **ret,
			struct err *err)
{
	static by_name_fn *const ways[] = {
		by_catalog,         by_core_alias,  by_raw,        by_other_pmus,
		event_make_generic, by_not_counted, by_tracepoint,
	};
	struct err reason = { "" };

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct err why = { "" };
		int result = try_synonyms(ways[i], q, name, ret, &why);

		if (result != -ENOENT)
			return result < 0 ? err_set(err, -result, "%s", why.text) : result;
		if (!reason.text[0])
			reason = why;
	}
	return not_found(q, name, &reason, err);
}

/* Make an event of the query's terms on a PMU. @before, @shown  parts of the displayed name
 * "BEFORE/SHOWN/" */
static int make_slashes(const struct event_query *q, const struct pmu *pmu, const char *before,
			const char *shown, const struct event **ret, struct err *err)
{
	char name[EVENT_NAME_MAX * 2];
	AUTO_TEXT struct text terms = { 0 };
	int result = event_terms_expand(q, pmu, &terms, err);

	snprintf(name, sizeof(name), "%s/%s/", before, shown);
	if (result == 0 && strlen(name) + sizeof(":u!") > EVENT_NAME_MAX)
		result = err_set(err, EINVAL, "%s: too long", name);
	if (result == 0)
		result = event_make_terms(q, pmu, terms.bytes, name, ret, err);
	return result;
}

/* Resolve EVENT/terms/. Its name stays as written, except for a device, where it names the PMU. */
static int resolve_event_terms(const struct event_query *q, const char *name,
			       const struct event **ret, struct err *err)
{
	const struct event *plain;
	int result = resolve_name(q, name, &plain, err);

	if (result < 0)
		return result;
	if (!plain->pmu) {
		*ret = plain;
		return 0;
	}

	const struct event_spec spec = event_spec_on(q, plain->pmu);
	const struct event_spec *shown = event_is_of_device(plain) ? &spec : q->spec;
	struct event_query on = *q;

	on.spec = &spec;
	return make_slashes(&on, plain->pmu, shown->pmu, shown->text, ret, err);
}

static int resolve_slashes(const struct event_query *q, const struct event **ret, struct err *err)
{
	const struct pmu *pmu = pmu_find(&q->machine->pmus, q->spec->pmu);
	const char *name = event_base_name(q);
	size_t n = event_matching_pmus(q, &pmu, 1);
	struct text text = { 0 };

	if (n > 1)
		return several_pmus(q, err);
	if (name)
		return resolve_event_terms(q, name, ret, err);
	if (!pmu) {
		text_printf(&text, "no PMU is named \"%s\"; available: ", q->spec->pmu);
		list_pmus(&q->machine->pmus, &text);
		append_ignored(&q->machine->pmus, &text);
		return text_to_err(&text, ENOENT, err);
	}
	if (pmu->kind == PMU_CORE && pmu != q->type->pmu)
		return err_set(err, ENOENT, "%s does not count on %s cores", pmu->name,
			       q->type->name);
	return make_slashes(q, pmu, pmu->name, q->spec->text, ret, err);
}

static int resolve_here(const struct event_query *q, const struct event **ret, struct err *err)
{
	return q->spec->is_terms ? resolve_slashes(q, ret, err)
				 : resolve_name(q, q->spec->text, ret, err);
}

/* Make an event refused on this type: another type has it, so it is n/s here and no error. */
static int refuse_here(const struct event_query *q, const struct event *elsewhere,
		       const struct event **ret, struct err *err)
{
	struct event event = *elsewhere;

	event.pmu = NULL;
	event.counters = 0;
	snprintf(event.refused, sizeof(event.refused), "%s cores have no such event",
		 q->type->name);
	return event_intern(q, &event, ret, err);
}

int event_resolve(struct event_table *table, unsigned type, const struct event_spec *spec,
		  enum privilege privilege, const struct event **ret, struct err *err)
{
	struct event_query here = event_query_of(table, type, spec, privilege);
	int result = resolve_here(&here, ret, err);

	for (unsigned i = 0; result == -ENOENT && i < here.machine->n_types; i++) {
		struct event_query there = event_query_of(table, i, spec, privilege);
		const struct event *event = NULL;

		if (i != type)
			resolve_here(&there, &event, NULL);
		if (event)
			return refuse_here(&here, event, ret, err);
	}
	return result;
}

int event_of_catalog(struct event_table *table, unsigned type, const struct catalog_event *known,
		     enum privilege privilege, const struct event **ret, struct err *err)
{
	struct event_query q = event_query_of(table, type, NULL, privilege);

	return event_make_known(&q, known, ret, err);
}

/* Whether a name is the other or, such as cycles and cpu-cycles, means the same generic event. Case does not matter.
 * @synonyms  of `name` */
static bool goes_by(const char *own, const char *name, const char *const *synonyms)
{
	return ascii_casecmp(own, name) == 0 || (synonyms[0] && synonyms == event_synonyms_of(own));
}

/* Get the plain name: "tsc" for "msr/tsc/:u", "cycles" for "cycles:u", "EVENT,cmask=1" for
 * "EVENT/cmask=1/" and "cpu/EVENT,cmask=1/". */
static void bare_name(const struct event *event, char *ret, size_t size)
{
	const char *name = event->name, *slash = strchr(name, '/');
	const struct pmu *pmu = event->pmu;
	bool has_colon = pmu && pmu->kind == PMU_TRACEPOINT;
	size_t n = slash ? (size_t)(slash - name) : has_colon ? strlen(name) : strcspn(name, ":");

	if (!slash)
		snprintf(ret, size, "%.*s", (int)n, name);
	else if (!pmu || (strlen(pmu->name) == n && strncmp(pmu->name, name, n) == 0))
		snprintf(ret, size, "%.*s", (int)strcspn(slash + 1, "/"), slash + 1);
	else
		snprintf(ret, size, "%.*s,%.*s", (int)n, name, (int)strcspn(slash + 1, "/"),
			 slash + 1);
}

/* Whether a name such as "rbf" is exactly the event's encoding. */
static bool is_raw(const struct event *event, const char *name)
{
	static const uint64_t nothing[CONFIG_WORDS - 1];
	uint64_t id;

	return event->pmu && event->pmu->kind == PMU_CORE && event_read_raw(name, &id) &&
	       event->config[0] == id && memcmp(&event->config[1], nothing, sizeof(nothing)) == 0;
}

bool event_is(const struct event *event, const char *name)
{
	const struct catalog_event *known = event->known;
	const char *const *synonyms = event_synonyms_of(name);
	char bare[EVENT_NAME_MAX];

	if (event->is_forced) /* metrics must not use counts of a forced event */
		return ascii_casecmp(event->name, name) == 0;
	bare_name(event, bare, sizeof(bare));
	if (goes_by(bare, name, synonyms) || ascii_casecmp(event->name, name) == 0 ||
	    is_raw(event, name))
		return true;
	if (!known)
		return false;
	for (size_t i = 0; known->alias[i]; i++)
		if (goes_by(known->alias[i], name, synonyms))
			return true;
	return goes_by(known->name, name, synonyms);
}

struct event_label event_label(const struct event *event)
{
	struct event_label label;

	snprintf(label.text, sizeof(label.text), "%s%s", event ? event->short_name : "-",
		 event ? privilege_suffix[event->privilege] : "");
	return label;
}

const char *event_title(const struct event *event, char *buf)
{
	snprintf(buf, EVENT_TITLE_MAX, "%s%s%s", event->name, *event->unit ? "  " : "",
		 event->unit);
	return buf;
}

int event_compare(const struct event *a, const struct event *b)
{
	int r = strcmp(a->name, b->name);

	if (!r)
		r = (a->privilege > b->privilege) - (a->privilege < b->privilege);
	if (!r)
		r = (a->pmu > b->pmu) - (a->pmu < b->pmu);
	return r ? r : memcmp(a->config, b->config, sizeof(a->config));
}

bool event_is_same(const struct event *a, const struct event *b)
{
	return event_compare(a, b) == 0;
}

/* Return a limit from 4.6 GHz with 13 instructions or operations per cycle, or 890 queue entries,
 * more than any core has. An unknown event may be such an occupancy sum. */
unsigned event_max_per_ns(const struct event *event)
{
	enum { EXECUTED = 64, OCCUPANCY = 4096 };

	return event->known && !event->known->is_occupancy ? EXECUTED : OCCUPANCY;
}

bool event_is_of_device(const struct event *event)
{
	return event->pmu && event->pmu->kind == PMU_UNCORE;
}

bool event_is_clock(const struct event *event)
{
	return event->pmu && event->pmu->kind == PMU_SOFTWARE && event->config[0] <= 1;
}

bool event_is_schedstat(const struct event *event)
{
	return event->pmu && event->pmu->kind == PMU_ACTIVITY && event->config[0] >= ACTIVITY_RUN &&
	       event->config[0] < N_ACTIVITY_EVENTS;
}

bool event_is_activity(const struct event *event)
{
	return event->pmu && event->pmu->kind == PMU_ACTIVITY &&
	       (event->config[0] == ACTIVITY_TIME || event->config[0] == ACTIVITY_CYCLES);
}
