#include "tui/change.h"

#include <errno.h>

#include "tui/state.h"

int change_yield(struct tui *tui)
{
	static const struct set nothing;
	struct err err = { 0 };
	int r = sampler_load(tui->config->sampler, &nothing, &err);

	if (r < 0) {
		change_refused(tui, &err);
		return r;
	}
	rotation_stop(tui);
	tui->model.yielded = true;
	return 0;
}

void change_refused(struct tui *tui, const struct err *err)
{
	/* to be read in full, but nothing to be told again on leaving */
	messages_add(tui->config->messages, MESSAGE_INFO, "%s", err->text);
	tui->messages_seen = tui->config->messages->n;
	tui_say(tui, ROLE_ERROR, "%s", err->text);
}

int change_load(struct tui *tui, const struct change *next)
{
	struct err err = { 0 };
	int r = sampler_load(tui->config->sampler, &next->set, &err);

	if (r == 0 && model_load(&tui->model, sampler_set(tui->config->sampler), &next->chosen) < 0)
		r = err_set(&err, ENOMEM, "out of memory");
	if (r < 0) {
		change_refused(tui, &err);
		return r;
	}
	tui->halted = false;
	tui->model.yielded = false;
	return 0;
}

int change_make(struct tui *tui, const struct change *next, const char **ret_aside)
{
	struct change before;

	model_now(&tui->model, &before);

	int r = change_load(tui, next);

	if (r < 0)
		return r;
	model_undo_push(&tui->model, &before);
	*ret_aside = rotation_stop(tui);
	return 0;
}
