/* by_task.h: when counts are attributed to tasks: only while somebody looks, and within the budget */
#ifndef TUI_COUNTING_BY_TASK_H
#define TUI_COUNTING_BY_TASK_H

#include <stdbool.h>
#include <stdint.h>

struct frame;
struct line;
struct tui;

/** `{ 0 }` is off. */
struct by_task {
	bool is_on;
	bool insists;      /* in every view, whatever it costs */
	char refused[200]; /* why it is not on although it is wanted; "": it is, or will be */
	uint64_t asked_ns; /* when switches were counted before it is begun; 0: they were not yet */
	uint64_t asked_n;  /* how many there were then since the machine began */
	uint64_t until_ns; /* time of the session when it ends, as nobody looks; 0: somebody does */
	uint64_t over_ns;  /* since then it has cost more than the budget; 0: it does not */
	double switch_ns;  /* what a switch costs, as measured last; 0: not yet */
};

/** Begin or end it, if it is time. @is_shown  are tasks to be seen?  @now_ns  CLOCK_MONOTONIC
 * @return has anything changed? */
bool by_task_turn(struct tui *tui, bool is_shown, uint64_t now_ns);

/** When the next turn has something to do, on CLOCK_MONOTONIC. @return 0: nothing is due */
uint64_t by_task_due_ns(const struct tui *tui);

/** Look at what it costs. @frame  as it comes */
void by_task_frame(struct tui *tui, const struct frame *frame);

/**
 * m1top's own share of what was counted of the selected counter.
 *
 * @line    on these cores; NULL: on those of the type where it is largest
 * @return  false: it is not known, as counts are not attributed, or it is the past, which does not keep it
 */
bool by_task_own_share(const struct tui *tui, const struct line *line, double *ret);

/** Context switches a second, of all cores together. @frame  with tasks */
double by_task_switches_per_s(const struct frame *frame);

/** Do it in every view whatever it costs, or only while somebody looks: a key of the Tasks view. */
void act_insist(struct tui *tui, int key);

#endif
