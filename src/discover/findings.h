/* findings.h: results of a sweep, their comparison, and output as reports and event files */
#ifndef DISCOVER_FINDINGS_H
#define DISCOVER_FINDINGS_H

#include "discover/custom.h"
#include "discover/estimate.h"
#include "discover/ids.h"

/* ---- results so far: estimates, counters of each id, rejected runs */

enum {
	KERNELS_MAX = 64,
	KERNEL_NAME_MAX = 32,
	KERNEL_NOTE_MAX = 160,
	LABEL_MAX = 64,
	SESSIONS_MAX = 16,
	/* with more ids, estimates without a sign of a response are not kept */
	IDS_COMPLETE_MAX = 4096,
};

/** Accepted share of false discoveries; an estimate with a larger p is never a response. */
#define FINDINGS_RATE 0.01

/** Machine and software of the sweep. */
struct findings_machine {
	char model[96];
	char cpuid[64];
	char kernel[96];   /* "Linux 6.12.9 aarch64" */
	char backend[256]; /* argument of --backend */
	char m1top[32];
	char date[40]; /* start of the sweep */
	bool is_simulated;
};

/** Part of a sweep continued under another kernel or m1top version. */
struct findings_session {
	char kernel[96];
	char m1top[32];
	char date[40];
	uint64_t after_runs; /* runs made before it; not written if no runs followed */
};

/** Core type, and the core that was used. */
struct findings_type {
	char name[16];
	char cpuid[64];
	char pmu[64];
	unsigned cpu;
	unsigned n_counters;
	uint64_t choosable; /* counters that an event can be put on, as bits; 0: unknown */
	uint64_t event_bits, umask_bits; /* as raw_id_bits; both may be 0 without umask */
};

/** Id on one core type. */
struct findings_id {
	char label[LABEL_MAX]; /* catalogue name, only a label; "" unknown */
	bool is_known;         /* the catalogue has the id */
	uint64_t catalogue;    /* catalogue's counters, as in struct event; 0: any */
	struct mask mask;
	bool is_mask_done;     /* the counters were searched for, successfully or not */
	bool is_conflict;      /* the mask differs from the catalogue's */
	double per_cycle;      /* counts per cycle if proportional to cycles; else 0 */
	double per_ns;         /* counts per ns, if cycles are not counted; else 0 */
	unsigned n_conclusive; /* kernels that tell time from work; one alone may agree by chance */
};

/** Estimate of one kernel and one id on a type. */
struct finding {
	uint64_t id;
	uint16_t type, kernel; /* indexes into the lists of types and kernels */
	struct estimate estimate;
	/* median of the longest runs: control, trigger; NaN unknown; ns only if cycles are not counted */
	double count[2], cycles[2], ns[2];
};

/** Findings; a value: findings_copy copies all of it. Zero is empty. */
struct findings {
	struct findings_machine machine;
	struct findings_session session[SESSIONS_MAX];
	unsigned n_sessions;
	struct findings_type type[TYPES_MAX];
	unsigned n_types;
	char kernel[KERNELS_MAX][KERNEL_NAME_MAX];
	unsigned n_kernels;
	struct custom_origin custom; /* origin of the user's kernel */
	/* remark on a kernel's memory, or the reason why it was left out; "" */
	char note[TYPES_MAX][KERNELS_MAX][KERNEL_NOTE_MAX];
	struct ids ids;
	struct experiment_plan plan;
	bool is_quick;
	bool only_masks;           /* no kernel was requested */
	bool is_complete;          /* the sweep has finished */
	struct findings_id *of_id; /* [type × ids.n + index of the id] */
	bool *is_tried;            /* [(type × n_kernels + kernel) × ids.n + index of the id] */
	struct finding *finding;
	size_t n, cap;
	size_t n_left_out; /* estimates not kept */
	uint64_t n_runs;
	uint64_t rejected[N_DISTURBANCES];
	uint64_t spent_ns; /* measuring time of all parts of an interrupted sweep */
};

/** Allocate the arrays for ids, n_types and n_kernels. @return 0 or -ENOMEM */
int findings_make_room(struct findings *findings);

/** Free and empty the findings; NULL is accepted. */
void findings_fini(struct findings *findings);

/** Copy findings. @return 0 or -ENOMEM; then ret is unchanged */
int findings_copy(const struct findings *from, struct findings *ret);

/** Take over the findings of an earlier sweep of the same machine for the same ids, kernels and types,
 * with its date and software; add a session if the software differs. @return 0 or -ENOMEM */
int findings_take_over(struct findings *findings, const struct findings *old);

/** Get the last session, or the machine's data if there is none. */
void findings_last_session(const struct findings *findings, struct findings_session *ret);

/** Add a finding. Among more than IDS_COMPLETE_MAX ids, an estimate without a sign of a response is
 * only counted, and an unknown one is treated as not tried. @return 0 or -ENOMEM */
int findings_add(struct findings *findings, const struct finding *finding);

/** Add a finding that is kept and already marked as tried. @return 0 or -ENOMEM */
int findings_keep(struct findings *findings, const struct finding *finding);

/** Set the counters found for an id. */
void findings_set_mask(struct findings *findings, unsigned type, size_t place,
		       const struct mask *mask);

/** Return the data of an id, which may be changed. */
struct findings_id *findings_of_id(const struct findings *findings, unsigned type, size_t place);

/** Decide the verdicts of all estimates, among all that were tried, and sort them by type, id and
 * kernel. May be called again. @return 0 or -ENOMEM */
int findings_decide(struct findings *findings);

/** Whether it is a response: related, consistent or proportional to time. */
bool finding_responds(const struct finding *finding);

/** Whether it is proportional to cycles or, if they are not counted, to time. */
bool finding_is_of_time(const struct finding *finding);

/** Format "0.25 per cycle" or "1 per ns"; "" if proportional to neither. @return buf */
const char *findings_pace_text(const struct findings_id *of_id, char *buf, size_t size);

/** Count the ids that respond to some kernel on some type. */
size_t findings_n_responding(const struct findings *findings);

/** Find a type by name. @return its index; -1 if there is none */
int findings_type_named(const struct findings *findings, const char *name);

/** Find a kernel by name. @return its index; -1 if there is none */
int findings_kernel_named(const struct findings *findings, const char *name);

/** Return for each id of a kernel on a type whether an estimate was made, kept or not. */
bool *findings_tried(const struct findings *findings, unsigned type, unsigned kernel);

/** Name the source of a mask: "unknown", "counting", "driver". */
extern const char mask_source_name[][12];

/** Name the reason why runs were rejected: "migrated", "switched", … */
extern const char *const disturbance_name[N_DISTURBANCES];

/* ---- findings as files: JSON, read back strictly, and event files */

enum { FINDINGS_FORMAT = 1 }; /* version: "m1top_discover" at the beginning of a report */

/** Append the report. @findings  decided */
void findings_print(const struct findings *findings, struct text *ret);

/**
 * Parse a report strictly: reject missing fields, wrong types and contradictions.
 *
 * @name   file name, for messages
 * @ret    with new verdicts; free with findings_fini
 * @return 0; -EINVAL with file and place, as in "FILE: $.estimates[3].slope: …"; -ENOMEM
 */
int findings_parse(const char *name, const char *bytes, size_t n, struct findings *ret,
		   struct err *err);

/** Counts of events by kind of evidence. */
struct findings_events {
	unsigned n_factors; /* named after a kernel with a simple factor */
	unsigned n_time;    /* proportional to cycles or time */
	unsigned n_related; /* related, without a simple factor */
	unsigned n_unsure;  /* left out: proportional to time according to one kernel only */
};

/**
 * Append an event file, as in events/, of the ids that respond and that the catalogue does not
 * know. Events are named after their clearest response and describe all evidence.
 *
 * @ret_events  number of events of each kind
 */
void findings_print_events(const struct findings *findings, struct text *ret,
			   struct findings_events *ret_events);

/** Append counter numbers: "5,6,7". @between  separator */
void findings_print_counters(uint64_t counters, const char *between, struct text *ret);

#endif
