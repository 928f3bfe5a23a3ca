/* by_task.h: attribution of counts to tasks, and samples of what the selected column shows: only while they are displayed,
 * and within the budget */
#ifndef TUI_COUNTERS_BY_TASK_H
#define TUI_COUNTERS_BY_TASK_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct frame;
struct line;
struct set;
struct tui;

/** State of the attribution; `{ 0 }` is off. */
struct by_task {
	bool is_on;
	bool insists;        /* in every view, whatever the cost */
	bool samples;        /* a counter is sampled, too */
	bool chains;         /* samples have stacks */
	unsigned behind;     /* column that H samples for the selected one, if that is no counter */
	uint64_t behind_set; /* number of its set */
	uint64_t
		samples_until_ns; /* session time until when it continues after the view was left */
	uint16_t tried;    /* column that was to be sampled when the set was loaded last … */
	bool tried_chains; /* … with stacks */
	char refused[200]; /* reason why it is wanted but off; "": on, or about to be */
	uint64_t first_ns; /* time when switches were first read, before it begins; 0: not yet */
	uint64_t first_n;  /* switches since boot at that time */
	uint64_t until_ns; /* session time when it ends because it is hidden; 0: displayed */
	uint64_t over_ns;  /* time since which the cost exceeds the budget; 0: it does not */
	double switch_ns;  /* last measured cost of a switch, ns; 0: not measured */
};

/** Begin or end the attribution when due.
 * @is_shown  tasks are displayed @samples  functions are @now_ns  CLOCK_MONOTONIC
 * @return    whether anything changed */
bool by_task_update(struct tui *tui, bool is_shown, bool samples, uint64_t now_ns);

/** Get the column whose functions are displayed. */
unsigned by_task_slot(const struct tui *tui);

/** Set in a set that is about to be loaded whether counts are attributed, and which column is sampled. */
void by_task_mark(const struct tui *tui, struct set *set);

/** Explain why there are no tasks. @return NULL: nothing prevents it */
const char *by_task_none(const struct tui *tui);

/** Get the time when by_task_update must be called next, CLOCK_MONOTONIC. @return 0: nothing is due */
uint64_t by_task_due_ns(const struct tui *tui);

/** Check the cost of a new frame. */
void by_task_frame(struct tui *tui, const struct frame *frame);

/**
 * Get m1top's own share of the selected counter.
 *
 * @line    cores to consider; NULL: those of the type with the largest share
 * @return  false: not known, because counts are not attributed or the display is scrubbed
 */
bool by_task_own_share(const struct tui *tui, const struct line *line, double *ret);

/** Calculate the context switches per second of all cores together. @frame  with tasks */
double by_task_switches_per_s(const struct frame *frame);

/** Handle the Tasks view's key: attribute in every view at any cost, or only in this one within the
 * budget. */
void act_force_attribution(struct tui *tui, int key);

/** Explain why no task of a frame has a cgroup. @frame  NULL: none yet  @err  buffer  @return NULL: some have, or
 * will have */
const char *by_task_no_cgroups(const struct tui *tui, const struct frame *frame, struct err *err);

#endif
