#include "discover/ids.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

static int bad(const char *item, struct err *err)
{
	return err_set(err, EINVAL, "\"%s\" is not a list of event ids such as 0x00-0x7f,0x95",
		       item);
}

/* Parse "0x00-0x7f" or "0x95". */
static int ids_parse_range(const char *item, uint64_t *ret_first, uint64_t *ret_last,
			   struct err *err)
{
	char first[24];
	const char *dash = strchr(item, '-');
	size_t n = dash ? (size_t)(dash - item) : strlen(item);

	if (n >= sizeof(first))
		return bad(item, err);
	memcpy(first, item, n);
	first[n] = '\0';
	if (num_parse_u64(first, ret_first) || num_parse_u64(dash ? dash + 1 : first, ret_last) ||
	    *ret_last < *ret_first)
		return bad(item, err);
	if (*ret_last - *ret_first >= IDS_MAX)
		return err_set(err, ERANGE, "%s: more than %d ids", item, IDS_MAX);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void tidy(struct ids *ids)
{
	size_t n = 0;

	if (ids->n)
		qsort(ids->id, ids->n, sizeof(*ids->id), by_number);
	for (size_t i = 0; i < ids->n; i++)
		if (!n || ids->id[n - 1] != ids->id[i])
			ids->id[n++] = ids->id[i];
	ids->n = n;
}

static int add_range(struct ids *ids, uint64_t first, uint64_t last)
{
	size_t n = (size_t)(last - first) + 1;
	uint64_t *id = realloc(ids->id, (ids->n + n) * sizeof(*id));

	if (!id)
		return -ENOMEM;
	ids->id = id;
	for (size_t i = 0; i < n; i++)
		id[ids->n++] = first + i;
	return 0;
}

static int parse_item(const char *item, struct ids *ids, struct err *err)
{
	uint64_t first, last;
	int rc = ids_parse_range(item, &first, &last, err);

	if (rc)
		return rc;
	if (ids->n > IDS_MAX)
		return err_set(err, ERANGE, "more than %d ids", IDS_MAX);
	return add_range(ids, first, last) ? err_set(err, ENOMEM, "out of memory") : 0;
}

int ids_parse(const char *text, struct ids *ret, struct err *err)
{
	struct ids ids = { 0 };
	int rc = *text ? 0 : bad(text, err);

	while (!rc && *text) {
		char item[64];
		size_t n = strcspn(text, ",");

		snprintf(item, sizeof(item), "%.*s", n < sizeof(item) ? (int)n : 63, text);
		rc = parse_item(item, &ids, err);
		text += n;
		if (!rc && *text == ',' && !*++text)
			rc = bad("", err);
	}
	if (rc) {
		ids_fini(&ids);
		return rc;
	}
	tidy(&ids);
	*ret = ids;
	return 0;
}

int ids_all(uint64_t last, struct ids *ret)
{
	struct ids ids = { 0 };
	int rc = add_range(&ids, 0, last);

	if (!rc)
		*ret = ids;
	return rc;
}

int ids_add(struct ids *ids, const struct ids *more, struct err *err)
{
	uint64_t *id = realloc(ids->id, (ids->n + more->n + 1) * sizeof(*id));

	if (!id)
		return err_set(err, ENOMEM, "out of memory");
	for (size_t i = 0; i < more->n; i++)
		id[ids->n + i] = more->id[i];
	*ids = (struct ids){ id, ids->n + more->n };
	tidy(ids);
	return 0;
}

long ids_find(const struct ids *ids, uint64_t id)
{
	const uint64_t *at = ids->n ? bsearch(&id, ids->id, ids->n, sizeof(id), by_number) : NULL;

	return at ? at - ids->id : -1;
}

static bool goes_on(const struct ids *ids, const bool *is_in, size_t i)
{
	return i + 1 < ids->n && ids->id[i + 1] == ids->id[i] + 1 && (!is_in || is_in[i + 1]);
}

void ids_print(const struct ids *ids, const bool *is_in, struct text *ret)
{
	const char *comma = "";

	for (size_t i = 0; i < ids->n; i++) {
		size_t first = i;

		if (is_in && !is_in[i])
			continue;
		while (goes_on(ids, is_in, i))
			i++;
		text_printf(ret, "%s0x%02" PRIx64, comma, ids->id[first]);
		if (i > first)
			text_printf(ret, "-0x%02" PRIx64, ids->id[i]);
		comma = ",";
	}
}

void ids_fini(struct ids *ids)
{
	if (!ids)
		return;
	free(ids->id);
	*ids = (struct ids){ 0 };
}

/* ---- ids of a PMU ---- */

/* event bits of a config without a field "event" */
#define ANY_EVENT UINT64_C(0xff)

/* @return NULL if there is none */
static const struct pmu_format *field_of(const struct pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->n_formats; i++)
		if (strcmp(pmu->format[i].name, name) == 0 && pmu->format[i].mask)
			return &pmu->format[i];
	return NULL;
}

static uint64_t ones(uint64_t bits)
{
	return UINT64_MAX >> (64 - __builtin_popcountll(bits));
}

/* Deposit a value into bits of an id; the inverse of raw_id_part. */
static uint64_t raw_id_spread(uint64_t value, uint64_t bits)
{
	uint64_t id = 0;

	for (; bits; bits &= bits - 1, value >>= 1)
		id |= value & 1 ? bits & -bits : 0;
	return id;
}

uint64_t raw_id_part(uint64_t id, uint64_t bits)
{
	uint64_t value = 0;

	for (unsigned i = 0; bits; bits &= bits - 1, i++)
		value |= (uint64_t) !!(id & bits & -bits) << i;
	return value;
}

void raw_id_bits(const struct pmu *pmu, uint64_t *ret_event, uint64_t *ret_umask)
{
	const struct pmu_format *event = field_of(pmu, "event"), *umask = field_of(pmu, "umask");
	bool is_raw = event && umask && !event->word && !umask->word;

	*ret_event = is_raw ? event->mask : event ? ones(event->mask) : ANY_EVENT;
	*ret_umask = is_raw ? umask->mask & ~event->mask : 0;
}

int raw_id_all(const struct pmu *pmu, struct ids *ret, struct err *err)
{
	struct ids ids = { 0 };
	uint64_t event, umask;

	raw_id_bits(pmu, &event, &umask);
	if (ones(event) >= IDS_MAX)
		return err_set(err, ERANGE, "%s has too many event ids to try them all: use --ids",
			       pmu->name);
	if (ids_all(ones(event), &ids))
		return err_set(err, ENOMEM, "out of memory");
	for (size_t i = 0; i < ids.n; i++)
		ids.id[i] = raw_id_spread(ids.id[i], event);
	*ret = ids;
	return 0;
}

int raw_id_check(const struct pmu *pmu, uint64_t id, struct err *err)
{
	uint64_t event, umask;

	raw_id_bits(pmu, &event, &umask);
	if (!(id & ~(event | umask)))
		return 0;
	if (!umask)
		return err_set(err, EINVAL, "event ids of %s end at 0x%02" PRIx64, pmu->name,
			       event);
	return err_set(err, EINVAL,
		       "0x%02" PRIx64
		       " is not an event id of %s: event and umask are the bits 0x%" PRIx64
		       " and 0x%" PRIx64,
		       id, pmu->name, event, umask);
}

int raw_id_encode(const struct pmu *pmu, uint64_t id, uint64_t *ret_config, struct err *err)
{
	const struct pmu_format *field = field_of(pmu, "event");
	uint64_t event, umask;
	int rc = raw_id_check(pmu, id, err);

	if (rc)
		return rc;
	raw_id_bits(pmu, &event, &umask);
	memset(ret_config, 0, CONFIG_WORDS * sizeof(*ret_config));
	ret_config[field ? field->word : 0] = umask || !field ? id : raw_id_spread(id, field->mask);
	return 0;
}

bool raw_id_of(const struct pmu *pmu, const uint64_t *config, uint64_t *ret)
{
	const struct pmu_format *field = field_of(pmu, "event");
	uint64_t event, umask, again[CONFIG_WORDS], id = config[field ? field->word : 0];

	raw_id_bits(pmu, &event, &umask);
	if (field && !umask)
		id = raw_id_part(id, field->mask);
	if (raw_id_encode(pmu, id, again, NULL) ||
	    memcmp(again, config, CONFIG_WORDS * sizeof(*config)) != 0)
		return false;
	*ret = id;
	return true;
}
