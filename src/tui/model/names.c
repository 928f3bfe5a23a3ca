#include "tui/model/names.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Bytes of a name with a list of threads: as drawn, and as its column is measured. */
enum { DRAWN = 32, MEASURED = 48 };

static bool is_counter(const struct model *model, unsigned slot)
{
	return set_slot_of(model->set, slot) < columns_n_counters(model->machine);
}

struct label name_slot(const struct model *model, unsigned slot)
{
	return label_printf("%s%u", is_counter(model, slot) ? "PMC" : "column ",
			    set_slot_of(model->set, slot));
}

struct label name_number(const struct model *model, unsigned slot, int width)
{
	const struct event *event = set_event(model->set, slot);
	struct label label = label_printf("%s%u%s", is_counter(model, slot) ? "PMC" : "",
					  set_slot_of(model->set, slot),
					  event ? privilege_suffix[event->privilege] : "");

	if ((int)strlen(label.text) > width && is_counter(model, slot))
		return label_printf("%s", label.text + strlen("PMC"));
	return label;
}

/* Name a row. @size  a longer list of threads is shortened to this, without cutting a number */
static struct label name_within(const struct model *model, const struct line *line, bool is_short,
				size_t size)
{
	const char *type = model->machine->n_types > 1
				   ? model->machine->type[model_type(model, line)].name
				   : "";
	const char *gap = *type ? " " : "";

	const struct machine *machine = model->machine;
	char cpus[MEASURED];
	unsigned number;

	if (line->by == BY_CORE)
		return label_printf("%scpu%u", is_short ? " " : "  ",
				    machine->core[line->index].cpu);
	if (line->by == BY_PHYSICAL) {
		machine_threads(machine, line->index, cpus,
				size - strlen(type) - strlen(gap) - strlen("cpu"));
		return label_printf("%s%scpu%s", type, gap, cpus);
	}
	if (frame_row_number(machine, line->by, line->index, &number))
		return label_printf("%s%s%s%s%u", type, gap,
				    is_short ? machine_level[line->by].brief
					     : machine_level[line->by].name,
				    is_short ? "" : " ", number);
	if (line->by == BY_TYPE)
		return label_printf("%s cores", *type ? type : "all");
	return label_printf("%s%s%s", is_short ? "" : "system", is_short ? "" : gap,
			    *type || !is_short ? type : "all");
}

struct label name_line(const struct model *model, const struct line *line, bool is_short)
{
	return name_within(model, line, is_short, DRAWN);
}

int name_width(const struct model *model, const struct line *line, bool is_short)
{
	return text_columns(name_within(model, line, is_short, MEASURED).text);
}

struct label name_row(const struct model *model, const struct line *line, bool is_short)
{
	const struct label name = name_line(model, line, is_short);

	return label_printf("%s", name.text + strspn(name.text, " "));
}

struct label name_heading(const struct model *model, unsigned slot)
{
	return label_printf("%s%u %s", is_counter(model, slot) ? "PMC" : "",
			    set_slot_of(model->set, slot),
			    event_label(set_event(model->set, slot)).text);
}

const char *name_metric(const struct model *model, unsigned number)
{
	return metric_label(&model->metrics->metric[number]);
}

const char *name_level(const struct model *model, unsigned number)
{
	if (!model->shown)
		return "";
	return privilege_suffix[metrics_level(model->shown->bound, (int)number)];
}

static int model_names_find(const struct set *set, const struct event *event)
{
	for (unsigned slot = 0; slot < SLOTS_MAX; slot++)
		if (set_event(set, slot) == event)
			return (int)slot;
	return -1;
}

const char *name_moves(const struct set *from, const struct set *to, unsigned slot, char *buf,
		       size_t size)
{
	unsigned changed = set_slot_of(to, slot), mux = set_mux_of(to, slot);
	struct set before, after; /* events do not move between mux groups */
	size_t n = 0;

	set_mux_group(from, mux, &before);
	set_mux_group(to, mux, &after);
	buf[0] = '\0';
	for (unsigned i = 0; i < SLOTS_MAX && n < size; i++) {
		const struct event *event = set_event(&before, i);
		int now = event && i != changed ? model_names_find(&after, event) : (int)i;

		if (now < 0 || (unsigned)now == i)
			continue;
		int more = snprintf(buf + n, size - n, "%s%s %u→%d", n ? ", " : "",
				    event_label(event).text, i, now);
		n += more > 0 ? (size_t)more : 0;
	}
	return buf;
}

struct label name_cgroup(const struct cgroup *cgroup)
{
	struct label label;

	cgroup_names(cgroup, label.text, sizeof(label.text));
	return label;
}
