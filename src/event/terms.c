/* What stands between the slashes: "stalls,cmask=2", "transaction,stream=0x40-0x7f". */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "event/make.h"
#include "event/name.h"
#include "machine/stream.h"

enum { SAME_NAME_MAX = 16, TERMS_MAX = EVENT_NAME_MAX / 2 };

/* One name may stand for entries of several PMUs: this PMU's. */
static const struct catalog_event *known_on(const struct event_query *q, const struct pmu *pmu,
					    const char *name)
{
	const struct catalog_event *known[SAME_NAME_MAX];
	size_t n = catalog_lookup(q->type->catalog, name, known, ARRAY_SIZE(known));

	for (size_t i = 0; i < n && i < ARRAY_SIZE(known); i++)
		if (event_counts_on(q, known[i], pmu))
			return known[i];
	return NULL;
}

/* What a name stands for, the kernel's before the catalogue's. */
struct named {
	const struct pmu_alias *alias;
	const struct catalog_event *known;
};

static struct named named_as(const struct event_query *q, const struct pmu *pmu, const char *name)
{
	struct named ret = { .alias = pmu_alias_find(pmu, name) };

	if (!ret.alias && !strchr(name, '='))
		ret.known = known_on(q, pmu, name);
	return ret;
}

/* Both NULL when it is no name, but a key. */
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

static int expand_term(const struct event_query *q, const struct pmu *pmu, const char *term,
		       struct text *ret, struct err *err)
{
	const char *terms = named_terms(q, pmu, term);

	if (strncmp(term, "stream=", 7) == 0 && stream_can_filter(pmu))
		return expand_stream(term + 7, ret, err);
	text_printf(ret, "%s", terms ? terms : term);
	return 0;
}

/* Two names, or one key twice: the second would hide the first. What a name says beside the event
 * may be set again: stalls,cmask=2. */
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

/* @copy  of EVENT_NAME_MAX: where the terms stand
 * @return how many */
static size_t split_terms(const struct event_query *q, char *copy, char **ret)
{
	char *rest = copy;
	size_t n = 0;

	snprintf(copy, EVENT_NAME_MAX, "%s", q->spec->text);
	while (n < TERMS_MAX && (ret[n] = strsep(&rest, ",")))
		n++;
	return n;
}

void event_terms_named(const struct event_query *q, const struct pmu *pmu,
		       const struct catalog_event **ret_known, const struct pmu_alias **ret_alias)
{
	char copy[EVENT_NAME_MAX], *term[TERMS_MAX];
	size_t n = split_terms(q, copy, term);
	struct named named = { NULL, NULL };

	for (size_t i = 0; i < n && !named.known && !named.alias; i++)
		named = named_by(q, pmu, term[i]);
	*ret_known = named.known;
	*ret_alias = named.alias;
}

/* @are_names  names, or what is set beside them */
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

	/* what is given goes before what a name says, wherever that stands */
	for (int are_names = 1; are_names >= 0 && !result; are_names--)
		result = expand_terms(q, pmu, term, n, are_names, ret, err);
	return ret->failed ? err_set(err, ENOMEM, "out of memory") : result;
}
