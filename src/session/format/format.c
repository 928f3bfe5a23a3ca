#include "session/format.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

const struct format *const format_table[] = {
	&format_text_table, &format_csv, &format_perf, &format_json, &format_folded, NULL,
};

const struct format *format_find(const char *name)
{
	for (size_t i = 0; format_table[i]; i++)
		if (strcmp(format_table[i]->name, name) == 0)
			return format_table[i];
	return NULL;
}

void format_summary(const struct format *format, struct format_context *context,
		    const struct frame *sum, struct text *out)
{
	context->is_summary = true;
	format->summary(context, sum, out);
	context->is_summary = false;
}

void format_context_init(struct format_context *context, const struct sampler *sampler,
			 const struct metrics *metrics)
{
	const struct backend *backend = sampler_backend(sampler);
	struct utsname name;

	*context = (struct format_context){
		.machine = &backend->machine,
		.metrics = metrics,
		.first = sampler_set(sampler),
		.bound = sampler_bound(sampler),
		.head.interval_ns = sampler_interval(sampler),
		.head.started_wall_ns = sampler_started_wall_ns(sampler),
	};
	snprintf(context->head.backend, sizeof(context->head.backend), "%s", backend->ops->name);
	if (uname(&name))
		return;
	snprintf(context->head.host, sizeof(context->head.host), "%s", name.nodename);
	snprintf(context->head.kernel, sizeof(context->head.kernel), "%s", name.release);
}

void format_context_restart(struct format_context *context, const struct frame *last)
{
	context->first = last->set;
	context->bound = last->bound;
	context->head.interval_ns = last->interval_ns;
	context->continues = false;
	context->last_set = 0;
	context->last_own_ns = 0;
	context->last_frame = last->tasks ? last : NULL;
	memset(context->last_off, 0, sizeof(context->last_off));
}
