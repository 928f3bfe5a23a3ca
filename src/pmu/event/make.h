/* make.h: construction of events from encodings: masks, levels, scale, names; and the event table */
#ifndef PMU_EVENT_MAKE_H
#define PMU_EVENT_MAKE_H

#include "base/text.h"
#include "pmu/event.h"

/** Query to the table: the meaning of `spec` on `type`. */
struct event_query {
	struct event_table *table;
	const struct machine *machine;
	const struct core_type *type;
	unsigned type_index;
	const struct event_spec *spec; /* NULL: query for a catalogue entry */
	enum privilege privilege;
};

/** Make a query. @spec  NULL as above; its own level wins over `privilege` */
struct event_query event_query_of(struct event_table *table, unsigned type,
				  const struct event_spec *spec, enum privilege privilege);

/** Find the catalogue entry of a name that counts on a PMU; other PMUs may have entries of the same name.
 * @ret_is_known  whether some entry has the name @return NULL if there is none */
const struct catalog_event *event_known_on(const struct event_query *q, const struct pmu *pmu,
					   const char *name, bool *ret_is_known);

/** Count the PMUs of a catalogue entry; several if there are several such devices. */
size_t event_n_pmus(const struct event_query *q, const struct catalog_event *known);

/** Characters of a pattern, which means several tracepoints: sched:sched_*. */
#define EVENT_WILDCARDS "*?["

/** Get the name of name=. @return `name` if there is none */
const char *event_name_given(const struct event_query *q, const char *name);

/** Parse "r8d" or "0x8d". @return false if it is a name */
bool event_read_raw(const char *name, uint64_t *ret);

/**
 * Make the event of a catalogue entry.
 *
 * @return 0; -ENOENT without its PMU; -ENOTUNIQ if several PMUs count it; errors of pmu_encode
 */
int event_make_known(const struct event_query *q, const struct catalog_event *known,
		     const struct event **ret, struct err *err);

/**
 * Make an event from a PMU's terms; a catalogue entry with the same encoding provides the counter
 * mask.
 *
 * @name  displayed name
 * @return 0 or errors of pmu_encode
 */
int event_make_terms(const struct event_query *q, const struct pmu *pmu, const char *terms,
		     const char *name, const struct event **ret, struct err *err);

/** Make an event from an encoding. @name  as above. @return 0 or -ENOMEM */
int event_make_encoded(const struct event_query *q, const struct pmu *pmu, const uint64_t *config,
		       const char *name, const struct event **ret, struct err *err);

/**
 * Expand the terms of a spec for pmu_encode: names and stream= are replaced by their terms.
 *
 * @ret    `{ 0 }` on entry; the event's own terms come first, so that explicit ones override them
 * @return 0; -EINVAL for conflicting terms, and as stream_parse; -ENOMEM
 */
int event_terms_expand(const struct event_query *q, const struct pmu *pmu, struct text *ret,
		       struct err *err);

/** Find the catalogue entry of a PMU's configuration. @return NULL if there is none */
const struct catalog_event *event_known_of(const struct event_query *q, const struct pmu *pmu,
					   const uint64_t *config);

/** Get the table's copy of an event; equal events have equal pointers. @return 0 or -ENOMEM */
int event_intern(const struct event_query *q, const struct event *event, const struct event **ret,
		 struct err *err);

#endif
