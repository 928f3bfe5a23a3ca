#include "session/access/guess_queue.h"

#include <string.h>

#include "base/clock.h"

static bool may(struct allowance *allowance, unsigned burst, unsigned per_s, uint64_t now_ns)
{
	double more = (double)(now_ns - allowance->filled_ns) / 1e9 * per_s;

	allowance->left = allowance->left + more < burst ? allowance->left + more : burst;
	allowance->filled_ns = now_ns;
	return allowance->left >= 1;
}

/* Its entry, or that of who was quiet longest: never one that waits, as there are more of them. */
static struct guesser *guesser_of(struct guess_queue *queue, struct peer peer, uint64_t now_ns)
{
	struct guesser *quiet = queue->guesser;

	for (struct guesser *one = queue->guesser; one < queue->guesser + GUESSES_PEERS; one++) {
		if (one->asked_ns && peer_is(one->peer, peer))
			return one;
		if (!one->n_waiting && (quiet->n_waiting || one->asked_ns < quiet->asked_ns))
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

	by->asked_ns = now_ns;
	if (queue->n == GUESSES_WAITING || by->n_waiting == GUESSES_WAITING_PEER ||
	    !may(&by->allowance, GUESSES_BURST_PEER, GUESSES_PER_S_PEER, now_ns))
		return false;
	by->allowance.left--;
	by->n_waiting++;
	queue->guess[queue->n++] = (struct guess){ .what = what, .by = by };
	return true;
}

static unsigned next(const struct guess_queue *queue)
{
	unsigned next = 0;

	for (unsigned i = 1; i < queue->n; i++) {
		if (queue->guess[i].by->served_ns < queue->guess[next].by->served_ns)
			next = i;
	}
	return next;
}

void *guess_queue_take(struct guess_queue *queue, uint64_t now_ns, uint64_t *ret_wait_ns)
{
	*ret_wait_ns = UINT64_MAX;
	if (!queue->n)
		return NULL;
	if (!may(&queue->allowance, GUESSES_BURST, GUESSES_PER_S, now_ns)) {
		*ret_wait_ns = (uint64_t)((1 - queue->allowance.left) * 1e9 / GUESSES_PER_S) + 1;
		return NULL;
	}

	unsigned i = next(queue);
	struct guess guess = queue->guess[i];

	queue->n--;
	memmove(&queue->guess[i], &queue->guess[i + 1], (queue->n - i) * sizeof(guess));
	queue->allowance.left--;
	guess.by->n_waiting--;
	guess.by->served_ns = now_ns;
	return guess.what;
}
