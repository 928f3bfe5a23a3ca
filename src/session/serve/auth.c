#include "session/serve/auth.h"

#include <crypt.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* Beyond 72 bytes bcrypt does not look. Guesses: a burst, then so many a second. */
enum { PASSWORD_MAX = 128, GUESSES_BURST = 8, GUESSES_PER_S = 2 };

struct auth {
	const struct web_config *config;
	struct crypt_data crypt;
	uint64_t refilled_ns;
	unsigned guesses;            /* that are left */
	char (*known)[PASSWORD_MAX]; /* by user: what was right; "" nothing yet */
};

int auth_new(const struct web_config *config, struct auth **ret)
{
	struct auth *auth = calloc(1, sizeof(*auth));
	char(*known)[PASSWORD_MAX] = calloc(config->n_users, sizeof(*known));

	if (!auth || !known) {
		free(auth);
		free(known);
		return -ENOMEM;
	}
	auth->config = config;
	auth->guesses = GUESSES_BURST;
	auth->known = known;
	*ret = auth;
	return 0;
}

void auth_free(struct auth *auth)
{
	if (!auth)
		return;
	explicit_bzero(auth->known, auth->config->n_users * sizeof(*auth->known));
	explicit_bzero(&auth->crypt, sizeof(auth->crypt));
	free(auth->known);
	free(auth);
}

/* Takes as long for every `guess` of one length. */
static bool are_equal(const char *secret, const char *guess)
{
	size_t n = strlen(guess), n_secret = strlen(secret);
	unsigned char differ = n_secret != n;

	for (size_t i = 0; i < n; i++)
		differ |= (unsigned char)(secret[i < n_secret ? i : 0] ^ guess[i]);
	return !differ;
}

static bool may_guess(struct auth *auth, uint64_t now_ns)
{
	uint64_t more = (now_ns - auth->refilled_ns) * GUESSES_PER_S / NS_PER_S;

	if (more) {
		auth->refilled_ns = now_ns;
		auth->guesses = more + auth->guesses > GUESSES_BURST
					? GUESSES_BURST
					: auth->guesses + (unsigned)more;
	}
	if (!auth->guesses)
		return false;
	auth->guesses--;
	return true;
}

static bool is_right(struct auth *auth, const char *password, const char *hash)
{
	const char *got = crypt_r(password, hash, &auth->crypt);

	return got && are_equal(hash, got);
}

enum auth_verdict auth_check(struct auth *auth, const char *user, const char *password,
			     uint64_t now_ns)
{
	const struct web_config *config = auth->config;
	size_t who = 0;

	while (who < config->n_users && strcmp(config->user[who].name, user) != 0)
		who++;

	bool exists = who < config->n_users;
	char *known = auth->known[exists ? who : 0];

	if (exists && *known && strlen(password) < PASSWORD_MAX && are_equal(known, password))
		return AUTH_OK;
	if (!may_guess(auth, now_ns))
		return AUTH_BUSY;
	/* a user that does not exist takes as long as one that does */
	if (!is_right(auth, password, config->user[exists ? who : 0].hash) || !exists)
		return AUTH_WRONG;
	if (strlen(password) < PASSWORD_MAX)
		memcpy(known, password, strlen(password) + 1);
	return AUTH_OK;
}
