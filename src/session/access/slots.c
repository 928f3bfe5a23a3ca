#include "session/access/slots.h"

#include <stddef.h>

#include "base/cleanup.h"

static bool is_live(const struct slot *slot)
{
	return slot->fd >= 0 && !slot->is_over;
}

static void cut_off(struct slot *slot)
{
	slot->is_over = true;
	shutdown(slot->fd, SHUT_RDWR);
}

void slots_init(struct slots *slots)
{
	for (size_t i = 0; i < ARRAY_SIZE(slots->slot); i++)
		slots->slot[i].fd = -1;
}

/* Live ones of the same class as `like`; of the same peer, too, unless `of_all`. */
static unsigned count(const struct slots *slots, const struct slot *like, bool of_all)
{
	unsigned n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(slots->slot); i++) {
		const struct slot *slot = &slots->slot[i];

		n += is_live(slot) && slot->is_known == like->is_known &&
		     (of_all || peer_is(slot->peer, like->peer));
	}
	return n;
}

static bool gives_way_before(const struct slots *slots, const struct slot *a, const struct slot *b)
{
	unsigned n_a = count(slots, a, false), n_b = count(slots, b, false);

	if (n_a != n_b)
		return n_a > n_b;
	if (a->is_busy != b->is_busy)
		return !a->is_busy;
	return a->since_ns < b->since_ns;
}

/* One of the class, other than the newcomer; of its peer alone unless `of_all`. */
static void make_room(struct slots *slots, const struct slot *newcomer, bool of_all)
{
	struct slot *first = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(slots->slot); i++) {
		struct slot *slot = &slots->slot[i];

		if (slot == newcomer || !is_live(slot) || slot->is_known != newcomer->is_known ||
		    (!of_all && !peer_is(slot->peer, newcomer->peer)))
			continue;
		if (!first || gives_way_before(slots, slot, first))
			first = slot;
	}
	if (first)
		cut_off(first);
}

struct slot *slots_take(struct slots *slots, int fd, struct peer peer, uint64_t now_ns)
{
	struct slot *slot = slots->slot, *end = slot + ARRAY_SIZE(slots->slot);

	while (slot < end && slot->fd >= 0)
		slot++;
	if (slot == end)
		return NULL;
	*slot = (struct slot){ .fd = fd, .peer = peer, .since_ns = now_ns };
	if (count(slots, slot, false) > SLOTS_PER_PEER)
		make_room(slots, slot, false);
	else if (count(slots, slot, true) > SLOTS_STRANGERS)
		make_room(slots, slot, true);
	return slot;
}

void slots_give_back(struct slot *slot)
{
	slot->fd = -1;
}

void slots_know(struct slots *slots, struct slot *slot)
{
	if (slot->is_known)
		return;
	slot->is_known = true;
	if (count(slots, slot, true) > SLOTS_KNOWN)
		make_room(slots, slot, true);
}

void slots_set_busy(struct slot *slot, bool is_busy, uint64_t now_ns)
{
	slot->is_busy = is_busy;
	slot->since_ns = now_ns;
}

void slots_end_late(struct slots *slots, uint64_t now_ns)
{
	for (size_t i = 0; i < ARRAY_SIZE(slots->slot); i++) {
		if (is_live(&slots->slot[i]) && slots->slot[i].deadline_ns <= now_ns)
			cut_off(&slots->slot[i]);
	}
}
