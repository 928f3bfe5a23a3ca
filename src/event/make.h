/* make.h: from an encoding to a finished event: masks, levels, scale, names; the table of them */
#ifndef EVENT_MAKE_H
#define EVENT_MAKE_H

#include "base/text.h"
#include "event/event.h"

/** One question to the table: what does `spec` mean on `type`. */
struct event_query {
	struct event_table *table;
	const struct machine *machine;
	const struct core_type *type;
	unsigned type_index;
	const struct event_spec *spec; /* NULL: a catalogue entry is asked for */
	enum privilege privilege;
};

/** A question. @spec  NULL as above; levels that it names go before `privilege` */
struct event_query event_query_of(struct event_table *table, unsigned type,
				  const struct event_spec *spec, enum privilege privilege);

/** Can a catalogue entry be counted on this PMU, and that for the query's type? */
bool event_counts_on(const struct event_query *q, const struct catalog_event *known,
		     const struct pmu *pmu);

/** How many PMUs a catalogue entry counts on: several for a device that is there several times. */
size_t event_n_pmus(const struct event_query *q, const struct catalog_event *known);

/**
 * The uncore PMUs that a query's spec names without saying which: a catalogue event or a kernel's
 * name on uncore_imc_0 and uncore_imc_1, or uncore_imc/…/.
 *
 * @ret     the first `max` of them
 * @return  how many; 0 when the spec means a core or other PMU, or says exactly which
 */
size_t event_pmus_meant(const struct event_query *q, const struct pmu **ret, size_t max);

/** The event that a query's spec names: the whole of it, or NAME of NAME/terms/. @return NULL when a PMU
 * stands there */
const char *event_name_meant(const struct event_query *q);

/** NAME/terms/ as it is on one PMU: "NAME,terms" of that. Other specs only get the PMU. */
struct event_spec event_spec_on(const struct event_query *q, const struct pmu *pmu);

/**
 * The event of a catalogue entry.
 *
 * @return 0; -ENOENT without its PMU; -ENOTUNIQ when there are several; errors of
 *         pmu_encode
 */
int event_make_known(const struct event_query *q, const struct catalog_event *known,
		     const struct event **ret, struct err *err);

/**
 * The event of a PMU's terms; the catalogue entry with the same encoding lends its mask.
 *
 * @name  as it will be shown
 * @return 0 or errors of pmu_encode
 */
int event_make_terms(const struct event_query *q, const struct pmu *pmu, const char *terms,
		     const char *name, const struct event **ret, struct err *err);

/**
 * The terms of a spec for pmu_encode: names, and stream=, give way to what they stand for.
 *
 * @ret  `{ 0 }` on entry; the event's own terms first, so that those given replace them
 * @return 0; -EINVAL for two terms that exclude each other, and as stream_parse; -ENOMEM
 */
int event_terms_expand(const struct event_query *q, const struct pmu *pmu, struct text *ret,
		       struct err *err);

/** What one of the terms of a query's spec names on a PMU: the first that does. Both NULL: none does. */
void event_terms_named(const struct event_query *q, const struct pmu *pmu,
		       const struct catalog_event **ret_known, const struct pmu_alias **ret_alias);

/** The catalogue entry of a PMU's configuration. @return NULL when there is none */
const struct catalog_event *event_known_of(const struct event_query *q, const struct pmu *pmu,
					   const uint64_t *config);

/** The table's own copy of an event: equal ones, equal pointer. @return 0 or -ENOMEM */
int event_intern(const struct event_query *q, const struct event *event, const struct event **ret,
		 struct err *err);

#endif
