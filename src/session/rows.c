#include "session/rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"

const char *row_name(const struct machine *machine, enum frame_by by, unsigned index, char *buf,
		     size_t size)
{
	if (by == BY_CORE)
		snprintf(buf, size, "cpu%u", machine->core[index].cpu);
	else if (by == BY_CLUSTER)
		snprintf(buf, size, "cluster %u", index);
	else if (by == BY_SYSTEM && machine->n_types == 1)
		snprintf(buf, size, "all");
	else
		snprintf(buf, size, "%s", machine->type[index].name);
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
	text_printf(out, "%" PRIu64 ".%09" PRIu64, ns / NS_PER_S, ns % NS_PER_S);
}
