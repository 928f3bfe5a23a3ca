/* internal.h: parts of the server: limits for its clients and their login attempts; passwords */
#ifndef SESSION_HTTP_INTERNAL_H
#define SESSION_HTTP_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "session/http.h"

/* ---- clients, their connections, and the choice of one to close when there are too many ---- */

/* An IPv4 address, also when mapped into IPv6; the /64 prefix of an IPv6 address, which one subscriber has; the user at
 * a Unix socket. */
struct peer {
	sa_family_t family;
	uint64_t number;
};

/** Get the peer of a connection. @addr  its remote address  @fd  its socket */
struct peer peer_of(const struct sockaddr *addr, int fd);

/** Whether two peers are the same. */
bool peer_is(struct peer a, struct peer b);

enum {
	SLOTS_UNAUTHENTICATED = 32, /* connections without a correct password … */
	SLOTS_PER_PEER = 8,         /* … per peer */
	SLOTS_AUTHENTICATED = 16,   /* connections with a correct password */
	SLOTS_ENDING = 32, /* room for disconnected ones that the server has not closed yet */
	SLOTS_MAX = SLOTS_UNAUTHENTICATED + SLOTS_AUTHENTICATED + SLOTS_ENDING,
};

struct slot {
	int fd; /* -1: free */
	struct peer peer;
	bool is_known;        /* has sent a correct password */
	bool is_busy;         /* its request is being answered; false: waiting for a request */
	bool is_over;         /* disconnected */
	uint64_t since_ns;    /* last change of is_busy */
	uint64_t deadline_ns; /* when it is disconnected */
};

struct slots {
	/* a server may accept one connection more than it serves */
	struct slot slot[SLOTS_MAX + 1];
};

/** Mark all slots as free. */
void slots_init(struct slots *slots);

/**
 * Take a slot for a new connection. If there are too many without a password, of its peer or in total, another one is
 * disconnected: the oldest idle one of the peer that has most, or its oldest busy one if none is idle.
 *
 * @now_ns  of any steady clock, likewise below
 * @return  NULL: no free slot
 */
struct slot *slots_take(struct slots *slots, int fd, struct peer peer, uint64_t now_ns);

/** Move a connection with a correct password to the slots reserved for such. */
void slots_know(struct slots *slots, struct slot *slot);

/** Set whether a request is being answered. */
void slots_set_busy(struct slot *slot, bool is_busy, uint64_t now_ns);

/** Disconnect those whose deadline has passed. The server sees the end of each and closes it. */
void slots_end_late(struct slots *slots, uint64_t now_ns);

/* ---- login attempts ---- */

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
	uint64_t requested_ns, served_ns; /* newest; 0: never */
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

/* ---- passwords: checked against bcrypt hashes, on a thread of its own ---- */

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
 * Queue a password for hashing, whether its user exists or not, within the limits above.
 *
 * @peer    sender of the request
 * @waiter  for `done`, which may be called before this returns
 * @return  AUTH_PENDING; AUTH_BUSY: `done` will not be called
 */
enum auth_verdict auth_ask(struct auth *auth, const struct credentials *credentials,
			   struct peer peer, void *waiter);

#endif
