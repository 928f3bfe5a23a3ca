#include "sampler/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

void messages_add(struct messages *messages, enum message_level level, const char *fmt, ...)
{
	struct message new = { .wall_ns = clock_wall_ns(), .level = level, .times = 1 };
	va_list args;

	va_start(args, fmt);
	vsnprintf(new.text, sizeof(new.text), fmt, args);
	va_end(args);

	struct message *last =
		messages->n ? &messages->ring[(messages->n - 1) % MESSAGES_MAX] : NULL;

	if (last && last->level == level && strcmp(last->text, new.text) == 0) {
		last->times++;
		last->wall_ns = new.wall_ns;
		return;
	}
	messages->ring[messages->n++ % MESSAGES_MAX] = new;
}

const struct message *messages_at(const struct messages *messages, uint64_t i)
{
	if (i >= messages->n || i + MESSAGES_MAX < messages->n)
		return NULL;
	return &messages->ring[i % MESSAGES_MAX];
}
