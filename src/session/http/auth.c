#include "session/http/auth.h"

#include <crypt.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"

static bool may(struct allowance *allowance, unsigned burst, unsigned per_s, uint64_t now_ns)
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

static unsigned auth_next(const struct guess_queue *queue)
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

	unsigned i = auth_next(queue);
	struct guess guess = queue->guess[i];

	queue->n--;
	memmove(&queue->guess[i], &queue->guess[i + 1], (queue->n - i) * sizeof(guess));
	queue->allowance.left--;
	guess.by->n_waiting--;
	guess.by->served_ns = now_ns;
	return guess.what;
}

enum { PASSWORD_MAX = 128 };

/* A password to be hashed. */
struct question {
	void *waiter;
	size_t user; /* its index */
	bool exists; /* false: another user's hash is used, so that it takes the same time */
	char password[];
};

struct auth {
	const struct web_config *config;
	auth_done_fn *done;
	struct crypt_data crypt; /* used by the thread */
	pthread_t thread;
	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t wake;
	bool is_ending;
	struct guess_queue queue;
	char (*known)[PASSWORD_MAX]; /* by user: last correct password; "": none yet */
};

/* Compare in a time that depends only on the length of `guess`. */
static bool are_equal(const char *secret, const char *guess)
{
	size_t n = strlen(guess), n_secret = strlen(secret);
	unsigned char differ = n_secret != n;

	for (size_t i = 0; i < n; i++)
		differ |= (unsigned char)(secret[i < n_secret ? i : 0] ^ guess[i]);
	return !differ;
}

/* @return index; n_users: not found */
static size_t find_user(const struct web_config *config, const char *name)
{
	size_t user = 0;

	while (user < config->n_users && strcmp(config->user[user].name, name) != 0)
		user++;
	return user;
}

/* Hashing thread */

static void question_free(struct question *question)
{
	explicit_bzero(question->password, strlen(question->password));
	free(question);
}

static bool is_right(struct auth *auth, const struct question *question)
{
	const char *hash = auth->config->user[question->user].hash;
	const char *got = crypt_r(question->password, hash, &auth->crypt);

	return got && are_equal(hash, got) && question->exists;
}

static void auth_answer(struct auth *auth, struct question *question)
{
	bool right = is_right(auth, question);

	size_t n = strlen(question->password) + 1;

	if (right && n <= PASSWORD_MAX) {
		pthread_mutex_lock(&auth->lock);
		memcpy(auth->known[question->user], question->password, n);
		pthread_mutex_unlock(&auth->lock);
	}
	auth->done(question->waiter, right ? AUTH_OK : AUTH_WRONG);
	question_free(question);
}

/* Wait for a question, the end or a timeout. Call with the lock held. */
static void auth_wait_for_question(struct auth *auth, uint64_t now_ns, uint64_t wait_ns)
{
	uint64_t end_ns = now_ns + wait_ns;
	const struct timespec end = { .tv_sec = (time_t)(end_ns / NS_PER_S),
				      .tv_nsec = (long)(end_ns % NS_PER_S) };

	if (wait_ns == UINT64_MAX)
		pthread_cond_wait(&auth->wake, &auth->lock);
	else
		pthread_cond_timedwait(&auth->wake, &auth->lock, &end);
}

/* @return NULL: the thread must end */
static struct question *next_question(struct auth *auth)
{
	struct question *question = NULL;
	uint64_t wait_ns;

	pthread_mutex_lock(&auth->lock);
	while (!auth->is_ending) {
		uint64_t now_ns = clock_now_ns();

		question = guess_queue_take(&auth->queue, now_ns, &wait_ns);
		if (question)
			break;
		auth_wait_for_question(auth, now_ns, wait_ns);
	}
	pthread_mutex_unlock(&auth->lock);
	return question;
}

static void *hash_all(void *data)
{
	struct auth *auth = data;
	struct question *question;

	while ((question = next_question(auth)))
		auth_answer(auth, question);
	return NULL;
}

static int auth_start(struct auth *auth)
{
	sigset_t all, before;
	int rc;

	/* signals are handled by the main thread */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&auth->thread, NULL, hash_all, auth);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -rc;
}

/* Called by the server */

static void release(struct auth *auth)
{
	if (auth->known)
		explicit_bzero(auth->known, auth->config->n_users * sizeof(*auth->known));
	explicit_bzero(&auth->crypt, sizeof(auth->crypt));
	pthread_mutex_destroy(&auth->lock);
	pthread_cond_destroy(&auth->wake);
	free(auth->known);
	free(auth);
}

static void init_lock(struct auth *auth)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&auth->wake, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&auth->lock, NULL);
}

int auth_new(const struct web_config *config, auth_done_fn *done, struct auth **ret)
{
	struct auth *auth = calloc(1, sizeof(*auth));
	int rc;

	if (!auth)
		return -ENOMEM;
	auth->config = config;
	auth->done = done;
	init_lock(auth);
	auth->known = calloc(config->n_users, sizeof(*auth->known));
	rc = auth->known ? auth_start(auth) : -ENOMEM;
	if (rc) {
		release(auth);
		return rc;
	}
	*ret = auth;
	return 0;
}

void auth_free(struct auth *auth)
{
	if (!auth)
		return;
	pthread_mutex_lock(&auth->lock);
	auth->is_ending = true;
	pthread_cond_signal(&auth->wake);
	pthread_mutex_unlock(&auth->lock);
	pthread_join(auth->thread, NULL);
	for (unsigned i = 0; i < auth->queue.n; i++) {
		struct question *question = auth->queue.guess[i].what;

		auth->done(question->waiter, AUTH_BUSY);
		question_free(question);
	}
	release(auth);
}

enum auth_verdict auth_recall(struct auth *auth, const struct credentials *credentials)
{
	size_t user = find_user(auth->config, credentials->user);
	enum auth_verdict verdict = AUTH_PENDING;

	if (user == auth->config->n_users || strlen(credentials->password) >= PASSWORD_MAX)
		return AUTH_PENDING;
	pthread_mutex_lock(&auth->lock);
	if (*auth->known[user] && are_equal(auth->known[user], credentials->password))
		verdict = AUTH_OK;
	pthread_mutex_unlock(&auth->lock);
	return verdict;
}

static struct question *question_new(const struct auth *auth, const struct credentials *credentials,
				     void *waiter)
{
	size_t n = strlen(credentials->password) + 1;
	struct question *question = calloc(1, sizeof(*question) + n);
	size_t user = find_user(auth->config, credentials->user);

	if (!question)
		return NULL;
	question->waiter = waiter;
	question->exists = user < auth->config->n_users;
	question->user = question->exists ? user : 0;
	memcpy(question->password, credentials->password, n);
	return question;
}

enum auth_verdict auth_ask(struct auth *auth, const struct credentials *credentials,
			   struct peer peer, void *waiter)
{
	struct question *question = question_new(auth, credentials, waiter);
	bool taken;

	if (!question)
		return AUTH_BUSY;
	pthread_mutex_lock(&auth->lock);
	taken = guess_queue_put(&auth->queue, peer, question, clock_now_ns());
	pthread_cond_signal(&auth->wake);
	pthread_mutex_unlock(&auth->lock);
	if (taken)
		return AUTH_PENDING;
	question_free(question);
	return AUTH_BUSY;
}

pthread_t auth_thread(const struct auth *auth)
{
	return auth->thread;
}

#define SCHEME "Basic "

/* Split "user:password" of n bytes at the first colon. @return 0 or -errno */
static int credentials_split(const char *text, size_t n, struct credentials *ret)
{
	char *copy, *colon;

	if (memchr(text, '\0', n) || !memchr(text, ':', n))
		return -EINVAL;
	copy = strndup(text, n);
	if (!copy)
		return -ENOMEM;
	colon = strchr(copy, ':');
	*colon = '\0';
	*ret = (struct credentials){ .user = copy, .password = colon + 1, .size = n };
	return 0;
}

int credentials_parse(const char *header, struct credentials *ret)
{
	gnutls_datum_t coded, plain;
	int rc;

	if (!header || strncasecmp(header, SCHEME, strlen(SCHEME)) != 0)
		return -EINVAL;
	header += strlen(SCHEME);
	header += strspn(header, " ");
	coded = (gnutls_datum_t){ (unsigned char *)header, (unsigned)strlen(header) };
	if (gnutls_base64_decode2(&coded, &plain))
		return -EINVAL;
	rc = credentials_split((const char *)plain.data, plain.size, ret);
	explicit_bzero(plain.data, plain.size);
	gnutls_free(plain.data);
	return rc;
}

void credentials_fini(struct credentials *credentials)
{
	if (credentials->user)
		explicit_bzero(credentials->user, credentials->size);
	free(credentials->user);
	*credentials = (struct credentials){ 0 };
}
