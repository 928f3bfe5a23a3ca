/* event.h: events: names, user syntax and encoding on a core type */
#ifndef PMU_EVENT_H
#define PMU_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "pmu/machine.h"

/* ---- event names: synonyms, abbreviations, and suggestions for a wrong name */

/**
 * List the names of the generic event that `name` belongs to.
 *
 * @return NULL-terminated; empty if it is not a generic event
 */
const char *const *event_synonyms_of(const char *name);

/** Shorten a name to at most 8 characters: "context-switches" → "cont-swi". */
void event_abbreviate(const char *name, char *ret, size_t size);

/** Names nearest to a wrong one; start with `{ .wanted = name }`. */
struct near_names {
	const char *wanted;
	const char *name[5]; /* best first */
	unsigned distance[5];
	unsigned n;
};

/** Add an existing name, which must stay alive. Names too far away are dropped. */
void near_names_offer(struct near_names *near, const char *name);

/** Append "; near: a, b, c", or nothing if no name is near. */
void near_names_text(const struct near_names *near, struct text *text);

/* ---- an event as requested by the user, and as programmed on one core type */

enum { EVENT_NAME_MAX = 128, EVENT_SHORT_MAX = 12 };

/** Exception levels to count in; both by default. */
enum privilege {
	PRIVILEGE_BOTH,
	PRIVILEGE_USER,
	PRIVILEGE_KERNEL,
	/* Only in requests: what an unprivileged user may count in their own tasks, which is user
	 * mode; clocks, which ignore the level, are counted in full. */
	PRIVILEGE_ALLOWED,
};

/** Suffix "", ":u" or ":k" of an event name or a request. */
extern const char *const privilege_suffix[];

/** Most events a sample, and samples a second on a core, that may be asked for. */
#define SAMPLE_PERIOD_MAX UINT64_C(1000000000000)
#define SAMPLE_FREQ_MAX   100000

/** Item of a -e list. */
struct event_spec {
	int slot;                  /* from "PMC5=…"; -1: any */
	char pmu[EVENT_NAME_MAX];  /* text before the slash: a PMU or an event; "" */
	char text[EVENT_NAME_MAX]; /* event name, "rNN", "0xNN", or the terms between slashes */
	bool is_terms;             /* `text` holds terms */
	bool is_forced;            /* "PMC9=NAME!": use that counter even if it may count nothing */
	bool is_data;              /* from event data, not typed: errors list no near names */
	bool has_sampling;         /* has a sampling term that is ignored */
	uint64_t period, freq;     /* perf record's terms: events a sample, samples a second */
	unsigned group; /* {a,b}: number of the braces, from 1; counted together; 0: none */
	char label[EVENT_NAME_MAX]; /* name= term: displayed name; "": the event's own */
	enum privilege privilege;
};

/**
 * Event ready to be programmed on the cores of one type. Constant; owned by the event table that
 * resolved it.
 */
struct event {
	char name[EVENT_NAME_MAX];         /* displayed and logged name */
	char short_name[EVENT_SHORT_MAX];  /* at most 8 columns wide */
	const struct catalog_event *known; /* NULL for a raw or sysfs event */
	const struct pmu *pmu;             /* NULL if `refused` */
	uint64_t config[CONFIG_WORDS];
	uint64_t streams;  /* counted StreamIDs, as stream_bits; 0: all */
	uint64_t counters; /* bit n: counter n may count it; 0: any, or no counter needed */
	enum privilege privilege;
	bool is_forced;       /* forced onto a counter not known to count it, now its only one */
	bool needs_counter;   /* uses a counter of the core PMU */
	bool is_cycles;       /* is "cycles", which top-down parts divide */
	bool is_instructions; /* is "instructions", the base of rates per 1000 */
	double scale;         /* count × scale = value in `unit` */
	char unit[24];
	bool per_pkg;
	/* reason why it cannot be counted on this type: shown n/s, never opened; "" if it can,
	 * e.g. ":u is ignored by context-switches", "this core type has no such event" */
	char refused[96];
};

/** Owner of all events resolved in this run; keeps pointers valid. Main thread. */
struct event_table;

/** Create a table. @machine must outlive it. @return 0 or -ENOMEM */
int event_table_new(const struct machine *machine, struct event_table **ret);

/** Free the table and its events; NULL is accepted. */
void event_table_free(struct event_table *table);

/**
 * Split a list of events: names, rNN, 0xNN, pmu/terms/, NAME/terms/, PMC5=NAME, with :u or :k
 * behind, and "!" behind an event to force it onto its counter. Commas between slashes belong to
 * the terms. {a,b} are counted together; modifiers behind the brace apply to members without their
 * own. perf's sampling-only modifiers and terms are accepted and ignored.
 *
 * @ret, @ret_n  new array, to be freed by the caller
 * @return       0, or -EINVAL naming the item
 */
int event_specs_parse(const char *text, struct event_spec **ret, size_t *ret_n, struct err *err);

/** Parse exactly one event. Errors as above. */
int event_spec_parse(const char *text, struct event_spec *ret, struct err *err);

/** Make a spec of a plain name from event data, on any counter. */
struct event_spec event_spec_of_name(const char *name);

/**
 * Expand each spec to one spec per matching PMU: "UNC_M_CAS_COUNT.RD", "cas_count_read" and
 * uncore_imc/…/ become uncore_imc_0/…/, uncore_imc_1/…/ and so on. Others stay as they are.
 *
 * @ret, @ret_n  new array, to be freed by the caller
 * @return       0; -ENOSPC if one spec alone takes more than SLOTS_MAX
 */
int event_specs_expand(struct event_table *table, const struct event_spec *spec, size_t n,
		       struct event_spec **ret, size_t *ret_n, struct err *err);

/**
 * Resolve a spec on one core type: catalogue name or alias, the core PMU's sysfs names, rNN or
 * 0xNN, software, msr and uncore events, in this order. NAME/terms/ is the event NAME with terms
 * replaced or added.
 *
 * Equal requests return the same pointer. An event that this type lacks but another has, or that
 * only perf counts, is returned with `refused` set.
 *
 * @type    index into machine.type
 * @privilege  for specs that name none (--user, --kernel, keys U and K)
 * @return  0; -ENOENT with near names; -ENOTUNIQ listing the matching events or PMUs; -EINVAL for
 *          terms unknown to the PMU
 */
int event_resolve(struct event_table *table, unsigned type, const struct event_spec *spec,
		  enum privilege privilege, const struct event **ret, struct err *err);

/** Get the event of a catalogue entry on one type. Errors as event_resolve. */
int event_of_catalog(struct event_table *table, unsigned type, const struct catalog_event *known,
		     enum privilege privilege, const struct event **ret, struct err *err);

/** Find the first PMU of this machine that counts a catalogue entry for a type. @return NULL if
 * there is none */
const struct pmu *event_pmu_of_catalog(const struct machine *machine, unsigned type,
				       const struct catalog_event *known);

/** Whether the event has this name: its own, an alias, a generic synonym (cycles, cpu-cycles), rNN
 * or 0xNN. Case does not matter. A forced event has only its own name. Metrics and -e find counted
 * events this way. */
bool event_is(const struct event *event, const char *name);

/** Column header. */
struct event_label {
	char text[EVENT_SHORT_MAX + 2];
};

/** Get the short name with a level suffix if only one level is counted: "BRANCH:u"; "-" for NULL. */
struct event_label event_label(const struct event *event);

enum { EVENT_TITLE_MAX = EVENT_NAME_MAX + 32 };

/** Write the name and the unit of its values: "task-clock  msec". @buf  EVENT_TITLE_MAX  @return buf */
const char *event_title(const struct event *event, char *buf);

/** Compare two events, by name first; 0 only for the same event. @return as strcmp */
int event_compare(const struct event *a, const struct event *b);

/** Whether two sets or mux groups hold the same event. */
bool event_is_same(const struct event *a, const struct event *b);

/** Return the highest count per ns that a core can reach. */
unsigned event_max_per_ns(const struct event *event);

/** Whether a device outside the cores counts the event on its own counters. */
bool event_is_of_device(const struct event *event);

/** Whether two devices of one kind count the same event: uncore_imc_0/x/ and uncore_imc_1/x/. */
bool event_is_of_sibling(const struct event *a, const struct event *b);

/** Get the event name without the device number, as perf prints a sum: "uncore_imc/x/". @return buf */
const char *event_name_of_kind(const struct event *event, char *buf, size_t size);

/** Whether the event is a kernel clock, which ignores the level. */
bool event_is_clock(const struct event *event);

/** Whether the event is a time on a CPU, ready without one, or neither: of tasks by schedstat, or of a core. */
bool event_is_schedstat(const struct event *event);

/** Whether the event shows a core's utilisation or frequency, as set_add_activity adds it. */
bool event_is_activity(const struct event *event);

/* ---- sampling: one sample per `period` events */

/** Return the reason why an event cannot be sampled. @event NULL: none  @return NULL if it can be */
const char *event_no_samples(const struct event *event);

/** How often a core takes samples. */
struct sample_rate {
	unsigned wanted; /* a second; 0: 1000 */
	uint64_t period; /* in place of it: events a sample, more if the limit says so */
	/* above it the kernel stops the group; at most an eighth of it is taken; 0: none. Changed by the collector */
	_Atomic unsigned limit;
};

/** Return the wanted samples per second, with a fixed period the most that there may be. */
unsigned sample_rate_wanted(const struct sample_rate *rate);

/** Return how many of them are taken: at most an eighth of the limit. */
unsigned sample_rate_aim(const struct sample_rate *rate);

/** Return a period that is safe at any rate of the event, until its rate is known; the fixed one if that is, too. */
uint64_t event_first_period(const struct event *event, const struct sample_rate *rate);

/**
 * Choose the period for about the wanted samples per second on a core, and at most four times as many while it works. Never
 * a round number, nor a multiple of a small prime, but for the fixed one.
 *
 * @period      present one, kept if it is close enough
 * @per_s       rate on the core; 0: unknown
 * @busy_per_s  rate while it works
 */
uint64_t event_next_period(const struct event *event, uint64_t period, double per_s,
			   double busy_per_s, const struct sample_rate *rate);

/** Draw a period within an eighth of it, so that no rhythm of a program meets all samples. @random  state of
 * random_next */
uint64_t event_draw_period(uint64_t period, uint64_t *random);

/** Return the machine that the table was made for. */
const struct machine *event_table_machine(const struct event_table *table);

/* ---- StreamIDs counted by an SMMUv3 performance counter: ranges and the driver's pattern */

/**
 * Values for filter_span and filter_stream_id of Linux's arm_smmuv3_pmu. With a span, the lowest 0
 * bit of the id and the bits below it match anything; otherwise only the id matches.
 *
 * Source: Arm IHI 0070 (SMMUv3), SMMU_PMCG_SMRn; Linux drivers/perf/arm_smmuv3_pmu.c
 */
struct stream_filter {
	bool has_span;
	uint32_t id;
};

/** Security states whose streams are counted; a total may miss part of the traffic. */
struct stream_scope {
	const char *brief;
	const char *sentence; /* shown once with such counts */
};

/**
 * Parse a filter "0x42", "66" or "0x40-0x7f".
 *
 * @return 0; -EINVAL if it is not an id or range, or naming the nearest possible range if the
 *         hardware cannot match it: it must be a power of two ids, aligned to its size
 */
int stream_parse(const char *text, struct stream_filter *ret, struct err *err);

/** Whether a filter matches this StreamID. */
bool stream_matches(const struct stream_filter *filter, uint32_t stream);

/** Whether the PMU's events can be filtered by stream: its format has filter_enable and the other fields. */
bool stream_can_filter(const struct pmu *pmu);

/**
 * Return an event's filter bits: equal for two events that count the same streams, 0 for all
 * streams.
 *
 * @config  CONFIG_WORDS words from pmu_encode
 */
uint64_t stream_bits(const struct pmu *pmu, const uint64_t *config);

/** Get the first and last StreamID of an event's filter; stream_bits() must not be 0. */
void stream_range(const struct pmu *pmu, const uint64_t *config, uint32_t *ret_first,
		  uint32_t *ret_last);

/**
 * Describe which Security states an event counts. Without a filter, firmware (SCR.SO) decides
 * whether Secure streams are counted, too. A filter matches only Non-secure streams, as Linux
 * leaves FILTER_SEC_SID 0.
 *
 * Source: Arm IHI 0070 (SMMUv3), 10.4 and 10.6; Linux drivers/perf/arm_smmuv3_pmu.c
 *
 * @lacks_secure  as machine.lacks_secure
 * @return        NULL if the event does not count streams or the machine is not this one
 */
const struct stream_scope *stream_scope(const struct pmu *pmu, const uint64_t *config,
					bool lacks_secure);

/**
 * Report a counter group whose registers all read as zero because firmware keeps it from Linux
 * (SCR.NSRA). The driver makes a PMU without events of it, whose counts are always 0.
 *
 * @return NULL if they do not
 */
const char *stream_refusal(const struct pmu *pmu);

/**
 * Whether an event counts streams. The cycles of an SMMU's clock (event 0) and events of other
 * devices do not.
 *
 * Source: Arm IHI 0070 (SMMUv3), 10.3 Monitor events
 */
bool stream_has(const struct pmu *pmu, const uint64_t *config);

#endif
