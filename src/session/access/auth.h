/* auth.h: is this user's password right? Against bcrypt hashes, on a thread of its own */
#ifndef SESSION_ACCESS_AUTH_H
#define SESSION_ACCESS_AUTH_H

#include <pthread.h>
#include <stdint.h>

#include "session/access/credentials.h"
#include "session/access/peer.h"
#include "session/access/web_config.h"

enum auth_verdict {
	AUTH_OK,
	AUTH_WRONG,   /* unknown user or wrong password */
	AUTH_BUSY,    /* too many guesses: ask again in a second */
	AUTH_PENDING, /* `done` is told */
};

struct auth;

/** The verdict for `waiter`, which is no longer known here. On the thread that hashes. */
typedef void auth_done_fn(void *waiter, enum auth_verdict verdict);

/** @config  outlives it, with one user or more  @return 0 or -errno */
int auth_new(const struct web_config *config, auth_done_fn *done, struct auth **ret);

/** Tell all who wait AUTH_BUSY, release, and wipe the passwords that it knows. NULL is accepted. */
void auth_free(struct auth *auth);

/** What was right once is right at once. @return AUTH_OK, or AUTH_PENDING: auth_ask knows more */
enum auth_verdict auth_recall(struct auth *auth, const struct credentials *credentials);

/**
 * Have the password hashed, of a user that exists or not, within the limits of guess_queue.h.
 *
 * @peer    who asks
 * @waiter  for `done`, which may be called before this returns
 * @return  AUTH_PENDING; AUTH_BUSY: `done` will not be called
 */
enum auth_verdict auth_ask(struct auth *auth, const struct credentials *credentials,
			   struct peer peer, void *waiter);

/** The thread that hashes. */
pthread_t auth_thread(const struct auth *auth);

#endif
