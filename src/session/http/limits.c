/* limits.c: limits for the clients of a server: connections and login attempts */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "session/http/internal.h"

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

/* Count the live slots of the same class as `like`, and of the same peer unless `of_all`. */
static unsigned slots_count(const struct slots *slots, const struct slot *like, bool of_all)
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
	unsigned n_a = slots_count(slots, a, false), n_b = slots_count(slots, b, false);

	if (n_a != n_b)
		return n_a > n_b;
	if (a->is_busy != b->is_busy)
		return !a->is_busy;
	return a->since_ns < b->since_ns;
}

/* Disconnect one of the newcomer's class, and of its peer unless `of_all`. */
static void slots_make_room(struct slots *slots, const struct slot *newcomer, bool of_all)
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
	if (slots_count(slots, slot, false) > SLOTS_PER_PEER)
		slots_make_room(slots, slot, false);
	else if (slots_count(slots, slot, true) > SLOTS_UNAUTHENTICATED)
		slots_make_room(slots, slot, true);
	return slot;
}

void slots_know(struct slots *slots, struct slot *slot)
{
	if (slot->is_known)
		return;
	slot->is_known = true;
	if (slots_count(slots, slot, true) > SLOTS_AUTHENTICATED)
		slots_make_room(slots, slot, true);
}

void slots_set_busy(struct slot *slot, bool is_busy, uint64_t now_ns)
{
	slot->is_busy = is_busy;
	slot->since_ns = now_ns;
}

void slots_end_late(struct slots *slots, uint64_t now_ns)
{
	for (size_t i = 0; i < ARRAY_SIZE(slots->slot); i++)
		if (is_live(&slots->slot[i]) && slots->slot[i].deadline_ns <= now_ns)
			cut_off(&slots->slot[i]);
}

static struct peer of_inet(uint32_t address)
{
	return (struct peer){ AF_INET, ntohl(address) };
}

static struct peer of_inet6(const struct in6_addr *address)
{
	struct peer peer = { .family = AF_INET6 };
	uint32_t last;

	if (IN6_IS_ADDR_V4MAPPED(address)) {
		memcpy(&last, &address->s6_addr[12], sizeof(last));
		return of_inet(last);
	}
	for (unsigned i = 0; i < 8; i++)
		peer.number = peer.number << 8 | address->s6_addr[i];
	return peer;
}

static struct peer of_user(int fd)
{
	struct ucred user = { .uid = (uid_t)-1 };
	socklen_t size = sizeof(user);

	getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &size);
	return (struct peer){ AF_UNIX, user.uid };
}

struct peer peer_of(const struct sockaddr *addr, int fd)
{
	if (addr->sa_family == AF_INET)
		return of_inet(((const struct sockaddr_in *)addr)->sin_addr.s_addr);
	if (addr->sa_family == AF_INET6)
		return of_inet6(&((const struct sockaddr_in6 *)addr)->sin6_addr);
	return of_user(fd);
}

bool peer_is(struct peer a, struct peer b)
{
	return a.family == b.family && a.number == b.number;
}

/* ---- login attempts ---- */

static bool guess_may(struct allowance *allowance, unsigned burst, unsigned per_s, uint64_t now_ns)
{
	double more = (double)(now_ns - allowance->filled_ns) / 1e9 * per_s;

	allowance->left = allowance->left + more < burst ? allowance->left + more : burst;
	allowance->filled_ns = now_ns;
	return allowance->left >= 1;
}

/* Find the peer's entry, or replace that of the peer quiet for longest, but none with waiting guesses: there are more
 * entries than guesses. */
static struct guesser *guesser_of(struct guess_queue *queue, struct peer peer, uint64_t now_ns)
{
	struct guesser *quiet = queue->guesser;

	for (struct guesser *one = queue->guesser; one < queue->guesser + GUESSES_PEERS; one++) {
		if (one->requested_ns && peer_is(one->peer, peer))
			return one;
		if (!one->n_waiting &&
		    (quiet->n_waiting || one->requested_ns < quiet->requested_ns))
			quiet = one;
	}
	*quiet = (struct guesser){
		.peer = peer,
		.allowance = { .left = GUESSES_BURST_PEER, .filled_ns = now_ns },
	};
	return quiet;
}

bool guess_queue_put(struct guess_queue *queue, struct peer peer, void *what, uint64_t now_ns)
{
	struct guesser *by = guesser_of(queue, peer, now_ns);

	by->requested_ns = now_ns;
	if (queue->n == GUESSES_WAITING || by->n_waiting == GUESSES_WAITING_PEER ||
	    !guess_may(&by->allowance, GUESSES_BURST_PEER, GUESSES_PER_S_PEER, now_ns))
		return false;
	by->allowance.left--;
	by->n_waiting++;
	queue->guess[queue->n++] = (struct guess){ .what = what, .by = by };
	return true;
}

static unsigned guess_next(const struct guess_queue *queue)
{
	unsigned next = 0;

	for (unsigned i = 1; i < queue->n; i++)
		if (queue->guess[i].by->served_ns < queue->guess[next].by->served_ns)
			next = i;
	return next;
}

void *guess_queue_take(struct guess_queue *queue, uint64_t now_ns, uint64_t *ret_wait_ns)
{
	*ret_wait_ns = UINT64_MAX;
	if (!queue->n)
		return NULL;
	if (!guess_may(&queue->allowance, GUESSES_BURST, GUESSES_PER_S, now_ns)) {
		*ret_wait_ns = (uint64_t)((1 - queue->allowance.left) * 1e9 / GUESSES_PER_S) + 1;
		return NULL;
	}

	unsigned i = guess_next(queue);
	struct guess guess = queue->guess[i];

	queue->n--;
	memmove(&queue->guess[i], &queue->guess[i + 1], (queue->n - i) * sizeof(guess));
	queue->allowance.left--;
	guess.by->n_waiting--;
	guess.by->served_ns = now_ns;
	return guess.what;
}
