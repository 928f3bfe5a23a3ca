#include "tui/counters/by_task.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "tui/counters/assign.h"
#include "tui/screen/state.h"
#include "tui/model/task_list.h"
#include "tui/term/key.h"

/* measured cost of a context switch in the kernel and in m1top; used until this machine has been
 * measured */
#define SWITCH_NS   1300.0
/* Switches are counted for this long before attribution begins. */
#define LOOK_NS     (100 * NS_PER_MS)
/* Attribution and sampling continue for this long after the user leaves the view. */
#define LINGER_S    10
/* Attribution ends only if its cost exceeds the budget for this long. */
#define PATIENCE_NS (3 * NS_PER_S)

/* Read the number of context switches of this machine since boot. */
static bool read_switches(uint64_t *ret)
{
	enum { STAT_MAX = 1 << 22 };
	AUTO_FREE char *text = NULL;
	const char *at;
	size_t n;

	if (file_read("/proc/stat", STAT_MAX, &text, &n) < 0)
		return false;
	at = strstr(text, "\nctxt ");
	*ret = at ? strtoull(at + strlen("\nctxt "), NULL, 10) : 0;
	return at;
}

static double budget_pct(const struct tui *tui)
{
	return tui->config->watch ? watch_budget_pct(tui->config->watch) : 0;
}

static bool is_too_much(const struct tui *tui, double pct)
{
	return !tui->by_task->insists && budget_pct(tui) > 0 && pct > budget_pct(tui);
}

static void by_task_refuse(struct tui *tui, double per_s, double pct, const char *would)
{
	char rate[16];

	snprintf(tui->by_task->refused, sizeof(tui->by_task->refused),
		 "%s switches/s %s %.1f %% of a core, more than the budget of %g %%: %s attributes "
		 "them to tasks anyway",
		 num_si(per_s, 3, 5, rate, sizeof(rate)), would, pct, budget_pct(tui),
		 tui_key(tui, 'T').name);
}

double by_task_switches_per_s(const struct frame *frame)
{
	uint64_t window_ns = frame_window_ns(frame);

	return window_ns ? (double)frame->tasks->n_switches * 1e9 / (double)window_ns : 0;
}

/* ---- on and off ---- */

unsigned by_task_slot(const struct tui *tui)
{
	const struct model *model = &tui->model;

	return model->selected.by == ORDER_SLOT ? model->slot : tui->by_task->behind;
}

/* Return the column of a set to sample, if its event can be. @return COLUMN_NONE: none */
static uint16_t sampled_column(const struct tui *tui, const struct set *set)
{
	unsigned slot = by_task_slot(tui);

	return tui->by_task->samples && slot < set->n_slots &&
			       !event_no_samples(set_event(set, slot))
		       ? (uint16_t)slot
		       : COLUMN_NONE;
}

/* Whether samples are to have stacks, which cost more: only once they are looked at. */
static bool wants_chains(const struct tui *tui, uint16_t column)
{
	return column != COLUMN_NONE && tui->by_task->chains;
}

void by_task_mark(const struct tui *tui, struct set *set)
{
	uint16_t column = tui->by_task->is_on ? sampled_column(tui, set) : COLUMN_NONE;

	set->by_task = tui->by_task->is_on;
	set->samples = column != COLUMN_NONE;
	set->sampled = set->samples ? column : 0;
	set->chains = wants_chains(tui, column);
}

static bool by_task_load(struct tui *tui, bool is_on)
{
	struct sampler *sampler = tui->config->sampler;
	struct by_task *by_task = tui->by_task;
	bool was_on = by_task->is_on;
	struct err err = { "" };
	int rc;

	by_task->is_on = is_on;
	by_task->tried = sampled_column(tui, sampler_set(sampler));
	by_task->tried_chains = wants_chains(tui, by_task->tried);
	rc = assign_sampler(tui, sampler_set(sampler), &err);
	if (!rc && model_load(&tui->model, sampler_set(sampler), &tui->model.chosen))
		rc = err_set(&err, ENOMEM, "out of memory");
	if (rc) {
		by_task->is_on = was_on;
		snprintf(by_task->refused, sizeof(by_task->refused), "%s", err.text);
		return false;
	}
	by_task->until_ns = by_task->over_ns = 0;
	tui->halted = false;
	return true;
}

/* Estimate the cost, and refuse if it exceeds the budget. @return false: not known yet */
static bool cost_is_estimated(struct tui *tui, uint64_t now_ns)
{
	struct by_task *by_task = tui->by_task;
	double cost_ns = by_task->switch_ns > 0 ? by_task->switch_ns : SWITCH_NS, per_s, pct;
	uint64_t n;

	if (by_task->insists || !tui_is_of_this_machine(tui) ||
	    sampler_backend(tui->config->sampler)->without_rights || !read_switches(&n))
		return true;
	if (!by_task->first_ns) {
		by_task->first_ns = now_ns;
		by_task->first_n = n;
		return false;
	}
	if (now_ns - by_task->first_ns < LOOK_NS)
		return false;
	per_s = (double)(n - by_task->first_n) * 1e9 / (double)(now_ns - by_task->first_ns);
	pct = per_s * cost_ns / 1e9 * 100;
	if (is_too_much(tui, pct))
		by_task_refuse(tui, per_s, pct, "would cost about");
	return true;
}

static bool by_task_begin(struct tui *tui, uint64_t now_ns)
{
	struct by_task *by_task = tui->by_task;

	if (by_task->refused[0] || !cost_is_estimated(tui, now_ns))
		return false;
	by_task->first_ns = 0;
	/* shorten the first interval, so that the first figures appear soon */
	if (!by_task->refused[0] && by_task_load(tui, true) && tui_is_of_this_machine(tui) &&
	    sampler_interval(tui->config->sampler) > 2 * LOOK_NS)
		tui->first_ns = now_ns + LOOK_NS;
	return true;
}

static bool by_task_end(struct tui *tui)
{
	struct by_task *by_task = tui->by_task;
	uint64_t now_ns = sampler_now_ns(tui->config->sampler);

	if (by_task->until_ns && now_ns < by_task->until_ns)
		return false;
	if (by_task->until_ns) {
		by_task_load(tui, false);
		return true;
	}
	by_task->until_ns = now_ns + LINGER_S * NS_PER_S;
	return false;
}

/* Whether sampling goes on after the user left the view. */
static bool samples_linger(const struct tui *tui)
{
	const struct sampler *sampler = tui->config->sampler;
	const struct set *set = sampler_set(sampler);

	return set->samples && set->sampled == by_task_slot(tui) &&
	       sampler_now_ns(sampler) < tui->by_task->samples_until_ns;
}

static void want_samples(struct tui *tui, bool samples)
{
	struct by_task *by_task = tui->by_task;

	if (by_task->samples && !samples) { /* what was refused may do without */
		by_task->refused[0] = '\0';
		by_task->tried = COLUMN_NONE;
	}
	by_task->samples = samples || samples_linger(tui);
	if (samples)
		by_task->samples_until_ns =
			sampler_now_ns(tui->config->sampler) + LINGER_S * NS_PER_S;
}

/* Begin to sample another column, or end it. @return whether it did */
static bool sampling_update(struct tui *tui)
{
	const struct set *set = sampler_set(tui->config->sampler);
	uint16_t now = set->samples ? set->sampled : COLUMN_NONE, wanted = sampled_column(tui, set);

	bool chains = wants_chains(tui, wanted);

	if ((wanted == now && chains == set->chains) ||
	    (wanted != COLUMN_NONE && wanted == tui->by_task->tried &&
	     chains == tui->by_task->tried_chains))
		return false;
	tui->by_task->refused[0] = '\0';
	return by_task_load(tui, true);
}

bool by_task_update(struct tui *tui, bool is_shown, bool samples, uint64_t now_ns)
{
	struct by_task *by_task = tui->by_task;

	/* the display does not change while frozen */
	if (tui_is_playing(tui) || tui->model.yielded || tui->model.frozen) {
		by_task->first_ns = 0;
		return false;
	}
	want_samples(tui, samples);
	if (by_task->is_on && sampling_update(tui))
		return true;
	if (!is_shown && !by_task->insists) {
		by_task->refused[0] = '\0';
		by_task->first_ns = 0;
		return by_task->is_on && by_task_end(tui);
	}
	by_task->until_ns = 0;
	return !by_task->is_on && by_task_begin(tui, now_ns);
}

uint64_t by_task_due_ns(const struct tui *tui)
{
	return tui->by_task->first_ns ? tui->by_task->first_ns + LOOK_NS : 0;
}

void by_task_frame(struct tui *tui, const struct frame *frame)
{
	struct by_task *by_task = tui->by_task;
	double pct;

	if (!by_task->is_on || !frame->tasks)
		return;
	pct = (double)frame->tasks->cost_share * 100;
	if (frame->tasks->n_switches && pct > 0)
		by_task->switch_ns = pct / 100 * 1e9 / by_task_switches_per_s(frame);
	if (!is_too_much(tui, pct)) {
		by_task->over_ns = 0;
	} else if (!by_task->over_ns) {
		by_task->over_ns = frame->t_ns;
	} else if (frame->t_ns - by_task->over_ns >= PATIENCE_NS && !tui->model.frozen &&
		   by_task_load(tui, false)) {
		by_task_refuse(tui, by_task_switches_per_s(frame), pct, "cost");
		messages_add(
			tui->config->messages, MESSAGE_WARNING,
			"counts are no longer attributed to tasks: that cost %.1f %% of a core",
			pct);
	}
}

const char *by_task_none(const struct tui *tui)
{
	if (tui->model.yielded)
		return "nothing is counted: the counters are yielded";
	return tui->by_task->refused[0] ? tui->by_task->refused : NULL;
}

bool by_task_own_share(const struct tui *tui, const struct line *line, double *ret)
{
	const struct model *model = &tui->model;
	uint32_t self = (uint32_t)getpid();
	double share, most = -1;

	if (!tui_is_of_this_machine(tui) || scrub_is_on(model))
		return false;
	if (line)
		return task_share_of_process(model, line, self, ret);
	for (unsigned type = 0; type < model->machine->n_types; type++) {
		const struct line all = { .by = BY_TYPE, .index = type };

		if (task_share_of_process(model, &all, self, &share) && share > most)
			*ret = most = share;
	}
	return most >= 0;
}

void act_force_attribution(struct tui *tui, int key)
{
	struct by_task *by_task = tui->by_task;
	struct key_text name = tui_key(tui, key);

	by_task->insists = !by_task->insists;
	by_task->refused[0] = '\0';
	if (tui_is_playing(tui))
		tui_say(tui, ROLE_WARN,
			"this is a recorded session: it has the tasks that were recorded");
	else if (by_task->insists)
		tui_say(tui, ROLE_TEXT,
			"attributing to tasks in every view, whatever it costs; %s: only in this "
			"one, within the budget",
			name.name);
	else
		tui_say(tui, ROLE_TEXT,
			"attributing to tasks only in this view, within the budget");
}

const char *by_task_no_cgroups(const struct tui *tui, const struct frame *frame, struct err *err)
{
	for (size_t i = 0; frame && i < frame->tasks->n; i++)
		if (frame->tasks->task[i].cgroup)
			return NULL;
	if (tui_is_playing(tui))
		return "the session has no cgroups";
	return backend_has_cgroups(sampler_backend(tui->config->sampler), err) ? err->text : NULL;
}
