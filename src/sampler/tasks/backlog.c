#include "sampler/tasks/backlog.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_FIRST = 16 << 10, SIZE_LAST = 1 << 20 };

static size_t size_of(const struct task_switch *one)
{
	return sizeof(*one) + one->n_slots * sizeof(one->value[0]);
}

static bool grow(struct backlog *backlog)
{
	size_t size = backlog->size ? 2 * backlog->size : SIZE_FIRST;
	char *bytes = size <= SIZE_LAST ? realloc(backlog->bytes, size) : NULL;

	if (!bytes)
		return false;
	backlog->bytes = bytes;
	backlog->size = size;
	return true;
}

static void move_to_front(struct backlog *backlog)
{
	memmove(backlog->bytes, backlog->bytes + backlog->begin, backlog->end - backlog->begin);
	backlog->end -= backlog->begin;
	backlog->begin = 0;
}

/* Moved only once half of it has been taken out, so that each is moved at most once on average. */
static bool make_room(struct backlog *backlog, size_t size)
{
	if (backlog->end + size <= backlog->size)
		return true;
	if (backlog->begin && backlog->begin >= backlog->size / 2)
		move_to_front(backlog);
	while (backlog->end + size > backlog->size && grow(backlog))
		;
	if (backlog->end + size > backlog->size && backlog->begin)
		move_to_front(backlog);
	return backlog->end + size <= backlog->size;
}

bool backlog_push(struct backlog *backlog, const struct task_switch *one)
{
	size_t size = size_of(one);

	if (!make_room(backlog, size))
		return false;

	char *to = backlog->bytes + backlog->end;

	memcpy(to, one, sizeof(*one));
	memcpy(to + sizeof(*one), one->value, size - sizeof(*one));
	backlog->end += size;
	return true;
}

bool backlog_peek(const struct backlog *backlog, struct task_switch *ret)
{
	const char *from = backlog->bytes + backlog->begin;

	if (backlog->begin == backlog->end)
		return false;
	memcpy(ret, from, sizeof(*ret));
	ret->value = (const uint64_t *)(const void *)(from + sizeof(*ret));
	return true;
}

void backlog_pop(struct backlog *backlog)
{
	struct task_switch one;

	if (!backlog_peek(backlog, &one))
		return;
	backlog->begin += size_of(&one);
	if (backlog->begin == backlog->end)
		backlog->begin = backlog->end = 0;
}

bool backlog_is_half_full(const struct backlog *backlog)
{
	return backlog->end - backlog->begin > SIZE_LAST / 2;
}
