/* findings.h: what a sweep has found so far: estimates, counters of each id, runs thrown away */
#ifndef DISCOVER_FINDINGS_FINDINGS_H
#define DISCOVER_FINDINGS_FINDINGS_H

#include "discover/run/experiment.h"
#include "discover/ids/ids.h"
#include "discover/ids/mask.h"
#include "discover/custom/origin.h"

enum {
	KERNELS_MAX = 64,
	KERNEL_NAME_MAX = 32,
	KERNEL_NOTE_MAX = 160,
	LABEL_MAX = 64,
	SESSIONS_MAX = 16,
	/* With more ids than this, estimates without a sign of a response are not kept. */
	IDS_KEPT_WHOLE = 4096,
};

/** Accepted share of false discoveries; an estimate with a larger p is none among however many. */
#define FINDINGS_RATE 0.01

/** Where it was found. */
struct findings_machine {
	char model[96];
	char cpuid[64];
	char kernel[96];   /* "Linux 6.12.9 aarch64" */
	char backend[256]; /* as --backend takes it */
	char m1top[32];
	char date[40]; /* when the sweep began */
	bool is_simulated;
};

/** A later part, under another kernel or m1top than the one before it. */
struct findings_session {
	char kernel[96];
	char m1top[32];
	char date[40];
	uint64_t after_runs; /* that were made before; where none followed it is not written */
};

/** A core type, and the core of it that was used. */
struct findings_type {
	char name[16];
	char cpuid[64];
	char pmu[64];
	unsigned cpu;
	unsigned n_counters;
	uint64_t choosable; /* counters that an event can be put on, as bits; 0: not known */
	uint64_t event_bits, umask_bits; /* of an id, as raw_id_bits; no umask: both may be 0 */
};

/** One id on one core type. */
struct findings_id {
	char label[LABEL_MAX]; /* the catalogue's name: a label and nothing more; "" unknown */
	bool is_known;         /* to the catalogue */
	uint64_t catalogue;    /* its counters, as in struct event; 0: any */
	struct mask mask;
	bool is_mask_done; /* it was looked for, with whatever success */
	bool is_conflict;  /* it is another than the catalogue's */
	double per_cycle;  /* counts per cycle where it is in proportion to them; else 0 */
	double per_ns;     /* where no cycles are counted: the same of nanoseconds */
	unsigned
		n_telling; /* kernels that could tell time from work: one alone may do so by chance */
};

/** One kernel on one id of a type. */
struct finding {
	uint64_t id;
	uint16_t type, kernel; /* places in the lists of names */
	struct estimate estimate;
	/* median of the longest runs: control, trigger; NaN unknown. Nanoseconds where there are no cycles */
	double count[2], cycles[2], ns[2];
};

/** A value: copied whole by findings_copy. Zero is empty. */
struct findings {
	struct findings_machine machine;
	struct findings_session session[SESSIONS_MAX];
	unsigned n_sessions;
	struct findings_type type[TYPES_MAX];
	unsigned n_types;
	char kernel[KERNELS_MAX][KERNEL_NAME_MAX];
	unsigned n_kernels;
	struct custom_origin custom; /* the kernel that is the user's */
	/* what to know about a kernel's memory, or why it was left out; "" */
	char note[TYPES_MAX][KERNELS_MAX][KERNEL_NOTE_MAX];
	struct ids ids;
	struct experiment_plan plan;
	bool is_quick;
	bool only_masks;           /* no kernel was requested */
	bool is_complete;          /* nothing is left to do */
	struct findings_id *of_id; /* [type × ids.n + place of the id] */
	bool *is_tried;            /* [(type × n_kernels + kernel) × ids.n + place] */
	struct finding *finding;
	size_t n, cap;
	size_t n_left_out; /* estimates that were not kept */
	uint64_t n_runs;
	uint64_t rejected[N_DISTURBANCES];
	uint64_t spent_ns; /* measuring, over all parts of an interrupted sweep */
};

/** Room for what ids, n_types and n_kernels say. @return 0 or -ENOMEM */
int findings_make_room(struct findings *findings);

/** Release and empty. NULL is accepted. */
void findings_fini(struct findings *findings);

/** @return 0 or -ENOMEM, then ret is untouched */
int findings_copy(const struct findings *from, struct findings *ret);

/** Take over what another sweep of the same machine found of the same ids, kernels and types, when that
 * began and under what; where that is not as here there is one session more. @return 0 or -ENOMEM */
int findings_take_over(struct findings *findings, const struct findings *old);

/** Under what it was made last: the machine's or the last session's. */
void findings_last_session(const struct findings *findings, struct findings_session *ret);

/** Add one. Among more than IDS_KEPT_WHOLE ids an estimate without a sign of a response is only
 * counted, and one that is unknown is as if it had not been tried. @return 0 or -ENOMEM */
int findings_add(struct findings *findings, const struct finding *finding);

/** Is there an estimate, kept or not? */
bool findings_is_tried(const struct findings *findings, unsigned type, unsigned kernel,
		       size_t place);

/** Add one that is kept for certain, and was ticked as tried. @return 0 or -ENOMEM */
int findings_keep(struct findings *findings, const struct finding *finding);

/** What was found out about an id's counters. */
void findings_set_mask(struct findings *findings, unsigned type, size_t place,
		       const struct mask *mask);

/** What is held about an id, to be changed too. */
struct findings_id *findings_of_id(const struct findings *findings, unsigned type, size_t place);

/** Give every estimate its verdict, among all that were tried, and put them in order: by type, id and
 * kernel. May be called again. @return 0 or -ENOMEM */
int findings_decide(struct findings *findings);

/** By type, id and kernel, for qsort and bsearch. */
int finding_order(const void *a, const void *b);

/** Is it an answer: related, consistent or in proportion to time? */
bool finding_responds(const struct finding *finding);

/** Is it in proportion to cycles or, where none are counted, to nanoseconds? */
bool finding_is_of_time(const struct finding *finding);

/** "0.25 per cycle", "1 per ns"; "" where it is in proportion to neither. @return buf */
const char *findings_pace_text(const struct findings_id *of_id, char *buf, size_t size);

/** How many ids answer to some kernel on some type. */
size_t findings_n_responding(const struct findings *findings);

/** A type's place in the list. @return -1: there is none of that name */
int findings_type_named(const struct findings *findings, const char *name);

/** The same of a kernel. */
int findings_kernel_named(const struct findings *findings, const char *name);

/** What was tried of one kernel on one type, by place of the id. */
bool *findings_tried(const struct findings *findings, unsigned type, unsigned kernel);

/** "unknown", "counting", "driver": how a mask was found. */
const char *mask_source_name(enum mask_source source);

/** "migrated", "switched", …: why runs were thrown away. */
const char *disturbance_name(enum disturbance disturbance);

#endif
