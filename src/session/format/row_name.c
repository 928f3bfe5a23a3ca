#include "session/format/row_name.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"

const char *row_name(const struct machine *machine, const struct frame_row *row, char *buf,
		     size_t size)
{
	if (row->by == BY_CORE)
		snprintf(buf, size, "cpu%u", machine->core[row->index].cpu);
	else if (row->by == BY_CLUSTER)
		snprintf(buf, size, "cluster %u", row->index);
	else if (row->by == BY_DEVICE)
		snprintf(buf, size, "%s", row->device->name);
	else if (row->by == BY_SYSTEM && machine->n_types == 1)
		snprintf(buf, size, "all");
	else
		snprintf(buf, size, "%s", machine->type[row->index].name);
	return buf;
}

const char *gap_name(enum gap gap)
{
	static const char *const name[] = {
		[GAP_NONE] = "",
		[GAP_MISSED] = "missed",
		[GAP_SUSPENDED] = "suspended",
	};

	return name[gap];
}

void gap_line(struct format_context *context, uint64_t t_ns, uint64_t n_frames, const char *why,
	      struct text *out)
{
	(void)context;
	text_printf(out, "# gap ");
	text_seconds(out, t_ns);
	text_printf(out, " %" PRIu64 " frames (%s)\n", n_frames, why);
}

void text_seconds(struct text *out, uint64_t ns)
{
	text_u64(out, ns / NS_PER_S, 1);
	text_add(out, ".", 1);
	text_u64(out, ns % NS_PER_S, 9);
}
