/* event.h: an event as a user asks for it, and as it is programmed on one core type */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "machine/machine.h"

enum { EVENT_NAME_MAX = 128, EVENT_SHORT_MAX = 12 };

/** Exception levels to count in. Neither asked for means both. */
enum privilege {
	PRIVILEGE_BOTH,
	PRIVILEGE_USER,
	PRIVILEGE_KERNEL,
	/* To ask for, no event has it: what a user without rights may count in tasks of theirs. That is
	 * user mode, and of the clocks, which know no levels, all. */
	PRIVILEGE_ALLOWED,
};

/** "", ":u", ":k": as behind an event's name, and of what is asked for. */
extern const char *const privilege_suffix[];

/** What stood between two commas of -e. */
struct event_spec {
	int slot;                 /* from "PMC5=…", -1: wherever it fits */
	char pmu[EVENT_NAME_MAX]; /* what stood before the slash: a PMU, or an event; "": nothing */
	char text[EVENT_NAME_MAX]; /* name, "rNN", "0xNN", or the terms between the slashes */
	bool is_terms;             /* `text` stood between slashes */
	bool is_forced; /* "PMC9=NAME!": on that counter even where it may count nothing */
	bool is_data;   /* of event data and not typed: errors need no near names */
	enum privilege privilege;
};

/**
 * An event ready to be programmed on the cores of one type. Constant; owned by the event table
 * that resolved it and alive as long as that is.
 */
struct event {
	char name[EVENT_NAME_MAX];         /* as shown and logged */
	char short_name[EVENT_SHORT_MAX];  /* at most 8 columns wide */
	const struct catalog_event *known; /* NULL for a raw or sysfs event */
	const struct pmu *pmu;             /* NULL when `refused` */
	uint64_t config[CONFIG_WORDS];
	uint64_t streams;  /* which StreamIDs it counts, as stream_bits; 0: all */
	uint64_t counters; /* bit n: counter n may count it; 0: any, or it needs no counter */
	enum privilege privilege;
	bool is_forced;       /* onto a counter that is not known to count it: its only one now */
	bool needs_counter;   /* takes one of the core PMU's counters */
	bool is_instructions; /* goes by "instructions": what others are counted per 1000 of */
	double scale;         /* count × scale = value in `unit` */
	char unit[24];
	bool per_pkg;
	/* Cannot be counted on this type: shown n/s, never opened. "" when it can.
	 * E.g. ":u is ignored by context-switches", "this core type has no such event". */
	char refused[96];
};

/** Every event that was resolved in this run, so that pointers to it stay valid. Main thread. */
struct event_table;

/** @machine must outlive the table. @return 0 or -ENOMEM */
int event_table_new(const struct machine *machine, struct event_table **ret);

/** Release the table and its events. NULL is accepted. */
void event_table_free(struct event_table *table);

/**
 * Split a list of events: names, rNN, 0xNN, pmu/terms/, NAME/terms/, PMC5=NAME, with :u or :k behind, and
 * "!" behind an event that is forced onto its counter. Commas between slashes belong to the terms.
 *
 * @ret, @ret_n  new array, to be freed by the caller
 * @return       0, or -EINVAL showing the item
 */
int event_specs_parse(const char *text, struct event_spec **ret, size_t *ret_n, struct err *err);

/** The same of a text that must be one event. Errors as above. */
int event_spec_parse(const char *text, struct event_spec *ret, struct err *err);

/** A plain name, as event data has it; wherever it fits. */
struct event_spec event_spec_of_name(const char *name);

/**
 * Give every PMU that a spec means a spec of its own: "UNC_M_CAS_COUNT.RD", "cas_count_read" and
 * uncore_imc/…/ become uncore_imc_0/…/, uncore_imc_1/…/ and so on. Others stay as they are.
 *
 * @ret, @ret_n  new array, to be freed by the caller
 * @return       0; -ENOSPC when one alone takes more than SLOTS_MAX
 */
int event_specs_expand(struct event_table *table, const struct event_spec *spec, size_t n,
		       struct event_spec **ret, size_t *ret_n, struct err *err);

/**
 * Find what a spec means on one core type: catalogue name or alias, the core PMU's sysfs names,
 * rNN or 0xNN, software, msr and uncore events, in this order. NAME/terms/ is the event that NAME is,
 * with its own terms replaced by those given, or added to.
 *
 * Equal questions give the same pointer. An event that exists but not for this type comes back
 * with `refused` set.
 *
 * @type    index into machine.type
 * @privilege  for specs that name none (--user, --kernel, keys U and K)
 * @return  0; -ENOENT with near names; -ENOTUNIQ listing the events or PMUs that the name means;
 *          -EINVAL for terms the PMU does not know
 */
int event_resolve(struct event_table *table, unsigned type, const struct event_spec *spec,
		  enum privilege privilege, const struct event **ret, struct err *err);

/** The event of a catalogue entry on one type. Errors as event_resolve. */
int event_of_catalog(struct event_table *table, unsigned type, const struct catalog_event *known,
		     enum privilege privilege, const struct event **ret, struct err *err);

/** The first PMU of this machine that counts a catalogue entry for a type. @return NULL: none */
const struct pmu *event_pmu_of_catalog(const struct machine *machine, unsigned type,
				       const struct catalog_event *known);

/** Does the event go by this name: its own, an alias, a generic synonym (cycles, cpu-cycles), rNN or
 * 0xNN? Case does not matter, and one that is forced goes by its own alone. This is how metrics and -e find an event among those that are counted. */
bool event_is(const struct event *event, const char *name);

/** What heads a column. */
struct event_label {
	char text[EVENT_SHORT_MAX + 2];
};

/** The short name, and the level where it is counted at one alone: "BRANCH:u"; "-" of NULL. */
struct event_label event_label(const struct event *event);

/** An order in which the same events, and no others, are equal: by name first. @return as strcmp */
int event_compare(const struct event *a, const struct event *b);

/** Is it the same event, in two sets or mux groups? */
bool event_is_same(const struct event *a, const struct event *b);

/** The most of it that any core can count in a nanosecond. */
unsigned event_max_per_ns(const struct event *event);

/** Is it counted by a device beside the cores, on counters that no core has? */
bool event_is_of_device(const struct event *event);

/** Does it say how busy or how fast a core is, as set_add_activity adds it? */
bool event_is_activity(const struct event *event);

/** The machine that the table was made for. */
const struct machine *event_table_machine(const struct event_table *table);

#endif
