#include "tui/counters/rotation.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "tui/counters/assign.h"
#include "tui/screen/state.h"

/* Default and shortest stay of a preset: s, windows. */
enum { STAY_S = 5, STAY_FRAMES = 3 };

uint64_t rotation_stay_ns(const struct tui *tui)
{
	uint64_t wanted = tui->rotation->stay_ns ? tui->rotation->stay_ns : STAY_S * NS_PER_S;
	uint64_t least = STAY_FRAMES * sampler_interval(tui->config->sampler);

	return wanted > least ? wanted : least;
}

static int rotation_load(struct tui *tui, const struct preset *preset, struct err *err)
{
	const struct metric_list none = { 0 };
	struct set set;
	int r = set_preset(tui->config->events, preset->known->name, tui->model.privilege, &set,
			   err);

	if (r == 0)
		r = assign_sampler(tui, &set, err);
	/* a frozen display does not follow the counted set */
	if (r == 0 && !tui->model.frozen)
		r = model_load(&tui->model, sampler_set(tui->config->sampler), &none);
	tui->model.opened = (struct opened_parts){ 0 };
	return r;
}

/* Switch to the next preset that can be counted. @return false: there is none */
static bool turn(struct tui *tui)
{
	int next;

	while ((next = presets_next(&tui->presets, tui->rotation->at)) >= 0) {
		struct preset *preset = &tui->presets.preset[next];
		struct err err = { 0 };

		if (rotation_load(tui, preset, &err) == 0) {
			*tui->rotation = (struct rotation){ .is_on = true,
							    .at = next,
							    .stay_ns = tui->rotation->stay_ns };
			tui->halted = false;
			return true;
		}
		preset->is_refused = true;
		messages_add(tui->config->messages, MESSAGE_WARNING,
			     "preset %s is left out of the rotation: %s", preset->known->name,
			     err.text);
	}
	return false;
}

static void rotation_start(struct tui *tui)
{
	unsigned n_ticked = presets_n_ticked(&tui->presets);
	struct change before;

	model_now(&tui->model, &before);
	tui->rotation->at = presets_find(&tui->presets, tui->model.set->preset);
	if (!turn(tui)) {
		tui_say(tui, ROLE_WARN,
			n_ticked ? "only one preset is ticked: tick more with %s"
				 : "there is no other preset",
			tui_key(tui, 'P').name);
		return;
	}
	model_undo_push(&tui->model, &before);
	tui_say(tui, ROLE_TEXT,
		"rotating through %u presets, %g s each; %s stops, %s undoes, %s ticks presets",
		n_ticked ? n_ticked : tui->presets.n, (double)rotation_stay_ns(tui) / NS_PER_S,
		tui_key(tui, 'R').name, tui_key(tui, 'u').name, tui_key(tui, 'P').name);
}

void act_rotate(struct tui *tui, int key UNUSED)
{
	if (!tui->rotation->is_on) {
		rotation_start(tui);
		return;
	}
	tui->rotation->is_on = false;
	tui_say(tui, ROLE_TEXT, "rotation stopped; %s restores what was counted before",
		tui_key(tui, 'u').name);
}

const char *rotation_stop(struct tui *tui)
{
	bool was_on = tui->rotation->is_on;

	tui->rotation->is_on = false;
	return was_on ? "; rotation stopped" : "";
}

uint64_t rotation_left_ns(const struct tui *tui)
{
	const struct rotation *rotation = tui->rotation;
	uint64_t stay = rotation_stay_ns(tui);

	return rotation->is_on && stay > rotation->passed_ns ? stay - rotation->passed_ns : 0;
}

void rotation_frame(struct tui *tui, const struct frame *frame)
{
	struct rotation *rotation = tui->rotation;

	if (!rotation->is_on || frame->set != sampler_set(tui->config->sampler))
		return;
	if (!rotation->n_frames++)
		rotation->since_ns = frame->t_ns - frame->interval_ns;
	rotation->passed_ns = frame->t_ns - rotation->since_ns;
	if (rotation->n_frames >= STAY_FRAMES && !rotation_left_ns(tui) && !turn(tui))
		rotation_stop(tui);
}
