/* auth.h: check passwords against bcrypt hashes, on a thread of its own */
#ifndef SESSION_HTTP_AUTH_H
#define SESSION_HTTP_AUTH_H

#include <pthread.h>
#include <stdint.h>

#include "session/http/slots.h"
#include "session/http.h"

struct credentials {
	char *user, *password;
	size_t size; /* of both, from `user` on */
};

/**
 * Parse "Basic dXNlcjpwYXNzd29yZA==", the scheme in any case (RFC 7617, RFC 9110 11.1).
 *
 * @header  NULL: there is none
 * @return  0; -EINVAL: malformed, or contains a NUL, which no hashed password does; -ENOMEM
 */
int credentials_parse(const char *header, struct credentials *ret);

/** Release, and wipe. */
void credentials_fini(struct credentials *credentials);

enum auth_verdict {
	AUTH_OK,
	AUTH_WRONG,   /* unknown user or wrong password */
	AUTH_BUSY,    /* too many guesses: retry in a second */
	AUTH_PENDING, /* `done` will get the verdict */
};

struct auth;

/** Report the verdict for `waiter`, which is then forgotten. Called on the hashing thread. */
typedef void auth_done_fn(void *waiter, enum auth_verdict verdict);

/** Start the thread. @config  outlives it, has one user or more  @return 0 or -errno */
int auth_new(const struct web_config *config, auth_done_fn *done, struct auth **ret);

/** Report AUTH_BUSY to all waiters, release, and wipe known passwords. NULL is accepted. */
void auth_free(struct auth *auth);

/** Compare with the user's last correct password, without hashing. @return AUTH_OK, or AUTH_PENDING: call auth_ask */
enum auth_verdict auth_recall(struct auth *auth, const struct credentials *credentials);

/**
 * Queue a password for hashing, whether its user exists or not, within the limits below.
 *
 * @peer    sender of the request
 * @waiter  for `done`, which may be called before this returns
 * @return  AUTH_PENDING; AUTH_BUSY: `done` will not be called
 */
enum auth_verdict auth_ask(struct auth *auth, const struct credentials *credentials,
			   struct peer peer, void *waiter);

/** Get the hashing thread. */
pthread_t auth_thread(const struct auth *auth);

enum {
	GUESSES_WAITING = 32,     /* further ones are refused */
	GUESSES_WAITING_PEER = 2, /* per peer */
	GUESSES_PER_S = 4,        /* of all peers … */
	GUESSES_BURST = 8,        /* … after a pause */
	GUESSES_PER_S_PEER = 1,   /* of one peer … */
	GUESSES_BURST_PEER = 4,   /* … after a pause */
	GUESSES_PEERS = 64,       /* remembered; when exceeded, the peer quiet for longest is
	                           * forgotten */
};

/* Token bucket: tokens left, and the time of the last refill. */
struct allowance {
	double left;
	uint64_t filled_ns;
};

struct guesser {
	struct peer peer;
	struct allowance allowance;
	uint64_t asked_ns, served_ns; /* newest; 0: never */
	unsigned n_waiting;
};

struct guess {
	void *what; /* the caller's */
	struct guesser *by;
};

/* Queue of guesses. Initially all zero. Times are of any steady clock. */
struct guess_queue {
	struct allowance allowance;
	struct guesser guesser[GUESSES_PEERS];
	struct guess guess[GUESSES_WAITING]; /* oldest first */
	unsigned n;
};

/** Queue a guess. @return false: the queue is full, or its peer has no guesses left */
bool guess_queue_put(struct guess_queue *queue, struct peer peer, void *what, uint64_t now_ns);

/**
 * Take the next guess: of the peer served longest ago, so that busy peers do not delay others.
 *
 * @ret_wait_ns  time until the next may be taken; UINT64_MAX: none waits
 * @return       its `what`; NULL: not yet
 */
void *guess_queue_take(struct guess_queue *queue, uint64_t now_ns, uint64_t *ret_wait_ns);

#endif
