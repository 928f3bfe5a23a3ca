/* auth.h: is this user's password right? Against bcrypt hashes, without letting guessers use up the CPU */
#ifndef SESSION_SERVE_AUTH_H
#define SESSION_SERVE_AUTH_H

#include <stdint.h>

#include "session/serve/web_config.h"

enum auth_verdict {
	AUTH_OK,
	AUTH_WRONG, /* unknown user or wrong password */
	AUTH_BUSY,  /* too many guesses: ask again in a second */
};

struct auth;

/** @config  outlives it, with one user or more  @return 0 or -ENOMEM */
int auth_new(const struct web_config *config, struct auth **ret);

/** Release, and wipe the passwords that it knows. NULL is accepted. */
void auth_free(struct auth *auth);

/**
 * What was right once is right at once. Everything else takes a bcrypt, of a user that exists or
 * not, and there are a few of those a second only.
 *
 * @now_ns  on any steady clock
 */
enum auth_verdict auth_check(struct auth *auth, const char *user, const char *password,
			     uint64_t now_ns);

#endif
