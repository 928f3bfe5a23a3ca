/* guess_queue.h: passwords that wait to be hashed: so many a second, so many of an address, in fair order */
#ifndef SESSION_ACCESS_GUESS_QUEUE_H
#define SESSION_ACCESS_GUESS_QUEUE_H

#include "session/access/peer.h"

enum {
	GUESSES_WAITING = 32,     /* beyond that all are refused */
	GUESSES_WAITING_PEER = 2, /* of one peer */
	GUESSES_PER_S = 4,        /* of all … */
	GUESSES_BURST = 8,        /* … after a pause */
	GUESSES_PER_S_PEER = 1,   /* of one peer … */
	GUESSES_BURST_PEER = 4,   /* … after a pause */
	GUESSES_PEERS = 64,       /* remembered; then the one that was quiet longest is forgotten */
};

/* So many at once, and so many more each second. */
struct allowance {
	double left;
	uint64_t filled_ns;
};

struct guesser {
	struct peer peer;
	struct allowance allowance;
	uint64_t asked_ns, served_ns; /* last; 0: never */
	unsigned n_waiting;
};

struct guess {
	void *what; /* the caller's */
	struct guesser *by;
};

/* All zero to begin with. Times are on any steady clock. */
struct guess_queue {
	struct allowance allowance;
	struct guesser guesser[GUESSES_PEERS];
	struct guess guess[GUESSES_WAITING]; /* oldest first */
	unsigned n;
};

/** @return whether it was taken: there is room, and its peer has guesses left */
bool guess_queue_put(struct guess_queue *queue, struct peer peer, void *what, uint64_t now_ns);

/**
 * The next one: of the peer that was served longest ago, so that nobody waits for those who ask a lot.
 *
 * @ret_wait_ns  how long until there may be one; UINT64_MAX: none waits
 * @return       its `what`; NULL: not yet
 */
void *guess_queue_take(struct guess_queue *queue, uint64_t now_ns, uint64_t *ret_wait_ns);

#endif
