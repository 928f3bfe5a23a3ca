/* summary_moment.c: what happened in a session, and when */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/text.h"
#include "session/format/row_name.h"
#include "session/report/summary_internal.h"

/* Takes the text, whatever it returns. */
static int add(struct summary *summary, uint64_t t_ns, enum moment_kind kind, struct text *text)
{
	if (text->failed || !text->bytes) {
		text_fini(text);
		return -ENOMEM;
	}
	if (summary->n_moments == SUMMARY_MOMENTS_MAX) {
		summary->n_moments_more++;
		text_fini(text);
		return 0;
	}
	if (array_reserve((void **)&summary->moment, &summary->cap_moments, summary->n_moments,
			  sizeof(*summary->moment))) {
		text_fini(text);
		return -ENOMEM;
	}
	summary->moment[summary->n_moments++] =
		(struct moment){ .t_ns = t_ns, .kind = kind, .text = text->bytes };
	return 0;
}

static const char *name_in(const struct set *set, unsigned type, unsigned slot)
{
	const struct event *event = set->type[type].event[slot];

	return event ? event->name : "";
}

static bool is_changed(const struct set *from, const struct set *to, unsigned type, unsigned slot)
{
	const struct event *a = from->type[type].event[slot], *b = to->type[type].event[slot];

	return strcmp(name_in(from, type, slot), name_in(to, type, slot)) != 0 ||
	       (a && b && a->privilege != b->privilege);
}

static bool is_same_change(const struct set *from, const struct set *to, unsigned a, unsigned b,
			   unsigned slot)
{
	return is_changed(from, to, a, slot) && is_changed(from, to, b, slot) &&
	       strcmp(name_in(from, a, slot), name_in(from, b, slot)) == 0 &&
	       strcmp(name_in(to, a, slot), name_in(to, b, slot)) == 0;
}

/* "E, P: slot 5: A → B", a change that several types have once. */
static void describe_change(const struct machine *machine, const struct set *from,
			    const struct set *to, unsigned type, unsigned slot, struct text *text)
{
	static const char *const privilege[] = { "", " (user)", " (kernel)" };
	const struct event *now = to->type[type].event[slot];
	const char *was = name_in(from, type, slot);

	for (unsigned i = 0; i < type; i++)
		if (is_same_change(from, to, i, type, slot))
			return;
	text_printf(text, "%s", text->n ? "; " : "");
	for (unsigned i = type; machine->n_types > 1 && i < machine->n_types; i++)
		if (is_same_change(from, to, type, i, slot))
			text_printf(text, "%s%s", i > type ? ", " : "", machine->type[i].name);
	text_printf(text, "%sslot %u: %s → %s%s", machine->n_types > 1 ? " " : "", slot,
		    *was ? was : "nothing", now ? now->name : "nothing",
		    now ? privilege[now->privilege] : "");
}

static int note_events(struct summary *summary, const struct frame *frame)
{
	const struct set *from = summary->set, *to = frame->set;
	unsigned n = from->n_slots > to->n_slots ? from->n_slots : to->n_slots;
	struct text text = { 0 };

	for (unsigned slot = 0; slot < n; slot++)
		for (unsigned type = 0; type < summary->machine->n_types; type++)
			if (is_changed(from, to, type, slot))
				describe_change(summary->machine, from, to, type, slot, &text);
	if (!text.n)
		text_printf(&text, "loaded again");
	return add(summary, frame->t_ns, MOMENT_EVENTS, &text);
}

static int note_interval(struct summary *summary, const struct frame *frame)
{
	struct text text = { 0 };

	text_printf(&text, "every %g ms", (double)frame->interval_ns / (double)NS_PER_MS);
	return add(summary, frame->t_ns, MOMENT_INTERVAL, &text);
}

static int note_gap(struct summary *summary, uint64_t t_ns, uint64_t n, const char *why)
{
	struct text text = { 0 };

	text_printf(&text, "%" PRIu64 " interval%s missing: %s", n, n == 1 ? "" : "s", why);
	return add(summary, t_ns, MOMENT_GAP, &text);
}

static int note_core(struct summary *summary, const struct frame *frame, unsigned core)
{
	bool is_off = frame->core[core].state == CORE_OFF;
	struct text text = { 0 };

	if (is_off == summary->is_off[core])
		return 0;
	summary->is_off[core] = is_off;
	text_printf(&text, "cpu%u %s", summary->machine->core[core].cpu, is_off ? "off" : "on");
	return add(summary, frame->t_ns, is_off ? MOMENT_OFF : MOMENT_ON, &text);
}

int summary_note_frame(struct summary *summary, const struct frame *frame)
{
	int rc = 0;

	if (summary->set && summary->set != frame->set)
		rc = note_events(summary, frame);
	if (!rc && summary->interval_ns && summary->interval_ns != frame->interval_ns)
		rc = note_interval(summary, frame);
	if (!rc && frame->gap != GAP_NONE) {
		summary->n_missed += frame->n_missed;
		rc = note_gap(summary, frame->t_ns, frame->n_missed, gap_name(frame->gap));
	}
	for (unsigned i = 0; !rc && i < frame->n_cores; i++)
		rc = note_core(summary, frame, i);
	summary->set = frame->set;
	summary->interval_ns = frame->interval_ns;
	return rc;
}

int summary_note_item(struct summary *summary, const struct session_item *item)
{
	struct text text = { 0 };

	if (item->what == SESSION_GAP)
		return note_gap(summary, item->t_ns, item->n, item->text);
	text_printf(&text, "%s", item->text);
	return add(summary, item->t_ns, MOMENT_MARK, &text);
}
