#include "tui/model/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_counter(const struct model *model, unsigned slot)
{
	return set_slot_of(model->set, slot) < columns_n_counters(model->machine);
}

const char *name_slot(const struct model *model, unsigned slot, char *buf, size_t size)
{
	snprintf(buf, size, "%s%u", is_counter(model, slot) ? "PMC" : "column ",
		 set_slot_of(model->set, slot));
	return buf;
}

const char *name_number(const struct model *model, unsigned slot, int width, char *buf, size_t size)
{
	const struct event *event = set_event(model->set, slot);
	int n = snprintf(buf, size, "%s%u%s", is_counter(model, slot) ? "PMC" : "",
			 set_slot_of(model->set, slot),
			 event ? privilege_suffix[event->privilege] : "");

	return n > width && is_counter(model, slot) ? buf + strlen("PMC") : buf;
}

/* Get the core type's name, "E"; "" if all cores are of one type. */
static const char *type_name(const struct model *model, unsigned type)
{
	return model->machine->n_types > 1 ? model->machine->type[type].name : "";
}

/* Name the CPUs of a physical core; a long list is shortened without cutting a number. */
static void name_threads(const struct machine *machine, unsigned physical, const char *type,
			 char *buf, size_t size)
{
	size_t n = (size_t)snprintf(buf, size, "%s%scpu", type, *type ? " " : "");

	if (n < size)
		machine_threads(machine, physical, buf + n, size - n);
}

const char *name_line(const struct model *model, const struct line *line, bool is_short, char *buf,
		      size_t size)
{
	const char *type = type_name(model, model_type(model, line));
	const char *gap = *type ? " " : "";

	const struct machine *machine = model->machine;

	if (line->by == BY_CORE)
		snprintf(buf, size, "%scpu%u", is_short ? " " : "  ",
			 machine->core[line->index].cpu);
	else if (line->by == BY_PHYSICAL)
		name_threads(machine, line->index, type, buf, size);
	else if (line->by == BY_SOCKET)
		snprintf(buf, size, "%s%s%s%u", type, gap, is_short ? "S" : "socket ",
			 machine->core[frame_first_core(machine, BY_SOCKET, line->index)].package);
	else if (line->by == BY_CLUSTER)
		snprintf(buf, size, "%s%s%s%u", type, gap, is_short ? "cl" : "cluster ",
			 line->index);
	else if (line->by == BY_TYPE)
		snprintf(buf, size, "%s cores", *type ? type : "all");
	else
		snprintf(buf, size, "%s%s%s", is_short ? "" : "system", is_short ? "" : gap,
			 *type || !is_short ? type : "all");
	return buf;
}

const char *name_row(const struct model *model, const struct line *line, bool is_short, char *buf,
		     size_t size)
{
	const char *name = name_line(model, line, is_short, buf, size);

	return name + strspn(name, " ");
}

const char *name_heading(const struct model *model, unsigned slot, char *buf, size_t size)
{
	snprintf(buf, size, "%s%u %s", is_counter(model, slot) ? "PMC" : "",
		 set_slot_of(model->set, slot), event_label(set_event(model->set, slot)).text);
	return buf;
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
