/* event_detail.c: an event in full: text, where it may be counted, encodings, names, who uses it */
#include "tui/view/events_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "tui/term/draw.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"

/* Which events it is: one, or one of each device that has it. @return to be freed */
static struct event_spec *specs_of(const struct tui *tui, const struct catalog_event *known,
				   size_t *ret_n)
{
	struct event_spec spec = { .slot = -1, .is_data = true };
	struct event_spec *specs = NULL;

	*ret_n = 0;
	snprintf(spec.text, sizeof(spec.text), "%s", known->name);
	if (event_specs_expand(tui->config->events, &spec, 1, &specs, ret_n, NULL) < 0)
		return NULL;
	return specs;
}

/* The event on one core type; of several devices the first one's. @return NULL: it does not have it */
static const struct event *event_on(const struct tui *tui, unsigned type,
				    const struct catalog_event *known)
{
	size_t n;
	AUTO_FREE struct event_spec *spec = specs_of(tui, known, &n);
	const struct event *event;

	if (!n ||
	    event_resolve(tui->config->events, type, spec, tui->model.privilege, &event, NULL))
		return NULL;
	return *event->refused ? NULL : event;
}

/* "takes no counter of the cores; on smmuv3_pmcg_2b440, smmuv3_pmcg_2b442" */
static void say_devices(const struct tui *tui, const struct choice *choice, struct text *text)
{
	size_t n;

	free(specs_of(tui, choice->event, &n));
	text_printf(text, "takes none of the cores' counters");
	if (n > 1)
		text_printf(text, ", counts on %zu devices", n);
	else if (choice->pmu->kind == PMU_UNCORE)
		text_printf(text, ", counts on %s", choice->pmu->name);
}

/* Between two items of a list. */
static const char *comma(const struct text *text)
{
	return text->n ? ", " : "";
}

/* "E apple_icestorm_pmu/event=0x8d/, P apple_firestorm_pmu/event=0x8d/"; what is no core PMU's is the
 * same for all types. */
static void say_encodings(const struct tui *tui, const struct catalog_event *known,
			  struct text *text)
{
	const struct machine *machine = tui->model.machine;
	const struct pmu *said = NULL;

	for (unsigned type = 0; type < machine->n_types; type++) {
		const struct event *event = event_on(tui, type, known);

		if (!event || !event->pmu || event->pmu == said)
			continue;
		said = event->pmu;
		text_printf(text, "%s", comma(text));
		if (said->kind == PMU_CORE && machine->n_types > 1)
			text_printf(text, "%s ", machine->type[type].name);
		text_printf(text, "%s/%s/", said->name,
			    event->known ? event->known->terms : known->terms);
	}
}

static void say_aliases(const struct catalog_event *known, struct text *text)
{
	for (const char *const *alias = known->alias; *alias; alias++)
		text_printf(text, "%s%s", comma(text), *alias);
}

static bool preset_has(const struct catalog_preset *preset, const struct event *event)
{
	for (const char *const *name = preset->event; name && *name; name++)
		if (**name && event_is(event, *name))
			return true;
	return false;
}

static void say_presets(const struct tui *tui, const struct event *event, struct text *text)
{
	for (unsigned i = 0; i < tui->presets.n; i++) {
		const struct catalog_preset *preset = tui->presets.preset[i].known;

		if (preset_has(preset, event))
			text_printf(text, "%s%s", comma(text), preset->name);
	}
}

static bool metric_has(const struct metric *metric, unsigned type, const struct event *event)
{
	const char *input;

	for (unsigned i = 0;
	     metric->program[type] && (input = metric_input(metric->program[type], i)); i++)
		if (metric_input_is(event, input))
			return true;
	return false;
}

static void say_metrics(const struct tui *tui, unsigned type, const struct event *event,
			struct text *text)
{
	const struct metrics *metrics = tui->model.metrics;

	for (unsigned i = 0; i < metrics->n; i++)
		if (metric_has(&metrics->metric[i], type, event))
			text_printf(text, "%s%s", comma(text), metrics->metric[i].name);
}

/* "legal on PMC5-7, counted on PMC5" */
static void say_counters(const struct tui *tui, const struct choice *choice, struct text *text)
{
	const struct catalog_event *event = choice->event;
	int column = event_column_of(&tui->model, event);
	char counters[64], slot[32];

	if (!event_on(tui, choice->type, event))
		text_printf(text, "cannot be counted on this machine");
	else if (*event->pmu)
		say_devices(tui, choice, text);
	else if (event->counters)
		text_printf(text, "legal on %s",
			    counters_text(event->counters, counters, sizeof(counters)));
	else
		text_printf(text, "legal on any counter");
	if (column >= 0 && *event->pmu)
		text_printf(text, ": counted");
	else if (column >= 0)
		text_printf(text, ", counted on %s",
			    name_slot(&tui->model, (unsigned)column, slot, sizeof(slot)));
	else if (*choice->moves)
		text_printf(text, ", here it moves %s", choice->moves);
}

/* Some text with its label; nothing where there is nothing to say. @return the next line */
static int draw_labelled(int y, int end, const char *label, const char *what)
{
	enum { LABEL = 10, MANY = 40 };
	int most = LINES < MANY || end - y < 2 ? 1 : 2;

	if (!what || !*what || y >= end)
		return y;
	draw_text(y, 1, LABEL, ROLE_DIM, label);
	return y + draw_wrapped(y, 1 + LABEL, COLS - 2 - LABEL, most, ROLE_TEXT, what);
}

static int draw_title(const struct tui *tui, const struct choice *choice, int y)
{
	const struct catalog_event *event = choice->event;
	struct text text = { 0 };
	int x = 1, end = COLS - 1;

	say_counters(tui, choice, &text);
	x += draw_text(y, x, end - x, ROLE_SELECTED, event->name) + 1;
	if (!*event->pmu)
		x += draw_printf(y, x, end - x, ROLE_TEXT, "%#" PRIx64, event->id) + 2;
	x += draw_text(y, x, end - x, ROLE_DIM, event_group(event)) + 1;
	if (text.bytes && end - x > draw_columns(text.bytes))
		draw_right(y, x, end - x, ROLE_DIM, text.bytes);
	text_fini(&text);
	return y + 1;
}

/* The lines below the description, the most useful first. */
static void draw_facts(const struct tui *tui, const struct choice *choice, int y, int end)
{
	const struct catalog_event *known = choice->event;
	const struct event *event = event_on(tui, choice->type, known);
	struct text fact[4] = { { 0 } };

	if (event) {
		say_presets(tui, event, &fact[0]);
		say_metrics(tui, choice->type, event, &fact[1]);
	}
	say_encodings(tui, known, &fact[2]);
	say_aliases(known, &fact[3]);
	y = draw_labelled(y, end, "presets", fact[0].bytes);
	y = draw_labelled(y, end, "metrics", fact[1].bytes);
	y = draw_labelled(y, end, "encoding", fact[2].bytes);
	y = draw_labelled(y, end, "also", fact[3].bytes);
	draw_labelled(y, end, "source", known->source);
	for (size_t i = 0; i < ARRAY_SIZE(fact); i++)
		text_fini(&fact[i]);
}

void event_detail_draw(const struct tui *tui, const struct choice *choice, int y, int n_lines)
{
	int end = y + n_lines, n_text = n_lines > 6 ? n_lines - 6 : n_lines - 1;

	if (n_lines == 1) {
		draw_text(y, 1, COLS - 2, ROLE_TEXT, choice->event->brief);
		return;
	}
	y = draw_title(tui, choice, y);
	y += draw_wrapped(y, 1, COLS - 2, n_text < 4 ? n_text : 4, ROLE_TEXT, choice->event->what);
	draw_facts(tui, choice, y, end);
}
