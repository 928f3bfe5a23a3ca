#include "event/event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activity/activity.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "event/make.h"
#include "event/name.h"

enum { SAME_NAME_MAX = 16 };

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

/* Which one is for the user to say: a sum would hide that some were not counted. */
static int several_pmus(const struct event_query *q, struct err *err)
{
	const struct pmu *pmu[SLOTS_MAX];
	size_t n = event_pmus_meant(q, pmu, ARRAY_SIZE(pmu));
	struct text text = { 0 };

	for (size_t i = 0; i < n && i < ARRAY_SIZE(pmu); i++) {
		struct event_spec one = event_spec_on(q, pmu[i]);

		if (!i)
			text_printf(&text, "%s counts on %zu PMUs; choose one: ", one.text, n);
		text_printf(&text, "%s%s/%s/", i ? ", " : "", one.pmu, one.text);
	}
	return text_to_err(&text, ENOTUNIQ, err);
}

/* One name may stand for entries of several PMUs: those that count here are moved to the front. */
static size_t keep_countable(const struct event_query *q, const struct catalog_event **known,
			     size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (event_n_pmus(q, known[i]))
			known[kept++] = known[i];
	return kept;
}

static int by_catalog(const struct event_query *q, const char *name, const struct event **ret,
		      struct err *err)
{
	const struct catalog_event *known[SAME_NAME_MAX];
	size_t n = catalog_lookup(q->type->catalog, name, known, ARRAY_SIZE(known));
	size_t countable = keep_countable(q, known, n < ARRAY_SIZE(known) ? n : ARRAY_SIZE(known));

	if (countable > 1)
		return ambiguous(name, known, countable, err);
	if (countable && event_n_pmus(q, known[0]) > 1)
		return several_pmus(q, err);
	return n ? event_make_known(q, known[0], ret, err) : -ENOENT;
}

/* The kernel's own name for it on one PMU. */
static int by_alias(const struct event_query *q, const struct pmu *pmu, const char *name,
		    const struct event **ret, struct err *err)
{
	const struct pmu_alias *alias = pmu ? pmu_alias_find(pmu, name) : NULL;

	if (!alias)
		return -ENOENT;
	return event_make_terms(q, pmu, alias->terms, alias->name, ret, err);
}

/* An id that the encoding cannot hold must not be cut off silently: Linux makes 0xdb of 0x1db. */
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

/* "r8d" or "0x8d" */
static bool read_raw(const char *name, uint64_t *ret)
{
	const char *digits = strncasecmp(name, "0x", 2) == 0 ? name + 2 : name + (name[0] == 'r');
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

	if (!read_raw(name, &config[0]))
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

	if (event_pmus_meant(q, NULL, 0) > 1)
		return several_pmus(q, err);
	for (size_t i = 0; i < q->machine->pmus.n && result == -ENOENT; i++)
		if (q->machine->pmus.pmu[i].kind != PMU_CORE)
			result = by_alias(q, &q->machine->pmus.pmu[i], name, ret, err);
	return result;
}

typedef int by_name_fn(const struct event_query *q, const char *name, const struct event **ret,
		       struct err *err);

static int by_core_alias(const struct event_query *q, const char *name, const struct event **ret,
			 struct err *err)
{
	return by_alias(q, q->type->pmu, name, ret, err);
}

/* A name as it is, then under its synonyms. */
static int try_synonyms(by_name_fn *by, const struct event_query *q, const char *name,
			const struct event **ret, struct err *err)
{
	int result = by(q, name, ret, err);
	const char *const *synonym = event_synonyms_of(name);

	for (; result == -ENOENT && *synonym; synonym++)
		result = by(q, *synonym, ret, err);
	return result;
}

static void offer_known(const struct catalog_event *known, struct near_names *near)
{
	near_names_offer(near, known->name);
	for (size_t i = 0; known->alias[i]; i++)
		near_names_offer(near, known->alias[i]);
}

static void offer_names(const struct event_query *q, struct near_names *near)
{
	const struct catalog *catalog = q->type->catalog;
	const struct pmus *pmus = &q->machine->pmus;

	for (size_t i = 0; i < catalog->n_events; i++)
		if (event_n_pmus(q, &catalog->event[i]))
			offer_known(&catalog->event[i], near);
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

/* What a step has said so far (which PMU is missing) is kept before the near names. */
static int not_found(const struct event_query *q, const char *name, const struct err *said,
		     struct err *err)
{
	struct near_names near = { .wanted = name };
	struct text text = { 0 };

	if (!err)
		return -ENOENT; /* looking for near names takes a while */
	if (said->text[0])
		text_printf(&text, "%s", said->text);
	else
		say_unknown(q, name, &text);
	if (!q->spec->is_data)
		offer_names(q, &near);
	near_names_text(&near, &text);
	return text_to_err(&text, ENOENT, err);
}

static int resolve_name(const struct event_query *q, const char *name, const struct event **ret,
			struct err *err)
{
	static by_name_fn *const ways[] = { by_catalog, by_core_alias, by_raw, by_other_pmus };
	struct err said = { "" };

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct err why = { "" };
		int result = try_synonyms(ways[i], q, name, ret, &why);

		if (result != -ENOENT) {
			if (result < 0)
				err_set(err, -result, "%s", why.text);
			return result;
		}
		if (!said.text[0])
			said = why;
	}
	return not_found(q, name, &said, err);
}

static int no_such_pmu(const struct event_query *q, struct err *err)
{
	struct text text = { 0 };

	text_printf(&text, "no PMU is named \"%s\"; available: ", q->spec->pmu);
	list_pmus(&q->machine->pmus, &text);
	return text_to_err(&text, ENOENT, err);
}

/* The query's terms on a PMU. @before  of "BEFORE/terms/", as it will be shown, @shown  the terms there */
static int make_slashes(const struct event_query *q, const struct pmu *pmu, const char *before,
			const char *shown, const struct event **ret, struct err *err)
{
	char name[EVENT_NAME_MAX * 2];
	struct text terms = { 0 };
	int result = event_terms_expand(q, pmu, &terms, err);

	snprintf(name, sizeof(name), "%s/%s/", before, shown);
	if (result == 0 && strlen(name) + sizeof(":u!") > EVENT_NAME_MAX)
		result = err_set(err, EINVAL, "%s: too long", name);
	if (result == 0)
		result = event_make_terms(q, pmu, terms.bytes, name, ret, err);
	text_fini(&terms);
	return result;
}

/* EVENT/terms/ is called as it was written, of a device as the same event of the next device is. */
static int resolve_event_terms(const struct event_query *q, const char *name,
			       const struct event **ret, struct err *err)
{
	const struct event *plain;
	int result = resolve_name(q, name, &plain, err);

	if (result < 0)
		return result;

	const struct event_spec spec = event_spec_on(q, plain->pmu);
	const struct event_spec *shown = event_is_of_device(plain) ? &spec : q->spec;
	struct event_query on = *q;

	on.spec = &spec;
	return make_slashes(&on, plain->pmu, shown->pmu, shown->text, ret, err);
}

static int resolve_slashes(const struct event_query *q, const struct event **ret, struct err *err)
{
	const struct pmu *pmu = pmu_find(&q->machine->pmus, q->spec->pmu);
	const char *name = event_name_meant(q);
	size_t n = event_pmus_meant(q, &pmu, 1);

	if (n > 1)
		return several_pmus(q, err);
	if (name)
		return resolve_event_terms(q, name, ret, err);
	if (!pmu)
		return no_such_pmu(q, err);
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

/* The type lacks it; another one has it: n/s in this type's rows, and no error. */
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

static bool goes_by(const char *own, const char *name)
{
	return strcasecmp(own, name) == 0 || event_synonyms(own, name);
}

static bool is_pmu_of(const struct event *event, const char *name, size_t n)
{
	const struct pmu *pmu = event->pmu;

	return !pmu || (strlen(pmu->name) == n && strncmp(pmu->name, name, n) == 0);
}

/* "msr/tsc/:u" goes by "tsc", "cycles:u" by "cycles", and "EVENT/cmask=1/" by "EVENT,cmask=1", as
 * "cpu/EVENT,cmask=1/" does. */
static void bare_name(const struct event *event, char *ret, size_t size)
{
	const char *name = event->name, *slash = strchr(name, '/');
	size_t n = slash ? (size_t)(slash - name) : strcspn(name, ":");

	if (!slash)
		snprintf(ret, size, "%.*s", (int)n, name);
	else if (is_pmu_of(event, name, n))
		snprintf(ret, size, "%.*s", (int)strcspn(slash + 1, "/"), slash + 1);
	else
		snprintf(ret, size, "%.*s,%.*s", (int)n, name, (int)strcspn(slash + 1, "/"),
			 slash + 1);
}

/* "rbf" is what has that encoding and nothing else in it. */
static bool is_raw(const struct event *event, const char *name)
{
	uint64_t id;

	if (!event->pmu || event->pmu->kind != PMU_CORE || !read_raw(name, &id) ||
	    event->config[0] != id)
		return false;
	for (unsigned i = 1; i < CONFIG_WORDS; i++)
		if (event->config[i])
			return false;
	return true;
}

bool event_is(const struct event *event, const char *name)
{
	const struct catalog_event *known = event->known;
	char bare[EVENT_NAME_MAX];

	if (event->is_forced) /* no metric takes what it counts there */
		return strcasecmp(event->name, name) == 0;
	bare_name(event, bare, sizeof(bare));
	if (goes_by(bare, name) || strcasecmp(event->name, name) == 0 || is_raw(event, name))
		return true;
	if (!known)
		return false;
	for (size_t i = 0; known->alias[i]; i++)
		if (goes_by(known->alias[i], name))
			return true;
	return goes_by(known->name, name);
}

struct event_label event_label(const struct event *event)
{
	struct event_label label;

	snprintf(label.text, sizeof(label.text), "%s%s", event ? event->short_name : "-",
		 event ? privilege_suffix[event->privilege] : "");
	return label;
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

/* At most 4.6 GHz and, in a cycle, 13 instructions or operations; or 890 entries of a queue, more
 * than any core has. An event that is not known may be such a sum. */
unsigned event_max_per_ns(const struct event *event)
{
	enum { EXECUTED = 64, OCCUPANCY = 4096 };

	return event->known && !event->known->is_occupancy ? EXECUTED : OCCUPANCY;
}

bool event_is_of_device(const struct event *event)
{
	return event->pmu && event->pmu->kind == PMU_UNCORE;
}

bool event_is_activity(const struct event *event)
{
	return event->pmu && event->pmu->kind == PMU_ACTIVITY &&
	       (event->config[0] == ACTIVITY_TIME || event->config[0] == ACTIVITY_CYCLES);
}
