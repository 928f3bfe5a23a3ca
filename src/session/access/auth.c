#include "session/access/auth.h"

#include <crypt.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "session/access/guess_queue.h"

enum { PASSWORD_MAX = 128 };

/* What is to be hashed. */
struct question {
	void *waiter;
	size_t user; /* its number */
	bool exists; /* if not, its hash is compared for the time that it takes */
	char password[];
};

struct auth {
	const struct web_config *config;
	auth_done_fn *done;
	struct crypt_data crypt; /* the thread's */
	pthread_t thread;
	pthread_mutex_t lock; /* for what follows */
	pthread_cond_t wake;
	bool is_ending;
	struct guess_queue queue;
	char (*known)[PASSWORD_MAX]; /* by user: what was right; "" nothing yet */
};

/* Takes as long for every `guess` of one length. */
static bool are_equal(const char *secret, const char *guess)
{
	size_t n = strlen(guess), n_secret = strlen(secret);
	unsigned char differ = n_secret != n;

	for (size_t i = 0; i < n; i++)
		differ |= (unsigned char)(secret[i < n_secret ? i : 0] ^ guess[i]);
	return !differ;
}

/* @return its number; n_users: there is none */
static size_t find_user(const struct web_config *config, const char *name)
{
	size_t user = 0;

	while (user < config->n_users && strcmp(config->user[user].name, name) != 0)
		user++;
	return user;
}

/* The thread that hashes */

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

static void answer(struct auth *auth, struct question *question)
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

/* With the lock held. */
static void wait_for_news(struct auth *auth, uint64_t now_ns, uint64_t wait_ns)
{
	uint64_t end_ns = now_ns + wait_ns;
	const struct timespec end = { .tv_sec = (time_t)(end_ns / NS_PER_S),
				      .tv_nsec = (long)(end_ns % NS_PER_S) };

	if (wait_ns == UINT64_MAX)
		pthread_cond_wait(&auth->wake, &auth->lock);
	else
		pthread_cond_timedwait(&auth->wake, &auth->lock, &end);
}

/* @return NULL: it is the end */
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
		wait_for_news(auth, now_ns, wait_ns);
	}
	pthread_mutex_unlock(&auth->lock);
	return question;
}

static void *hash_all(void *data)
{
	struct auth *auth = data;
	struct question *question;

	while ((question = next_question(auth)))
		answer(auth, question);
	return NULL;
}

static int start(struct auth *auth)
{
	sigset_t all, before;
	int rc;

	/* signals are the main thread's */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&auth->thread, NULL, hash_all, auth);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -rc;
}

/* The server's */

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
	rc = auth->known ? start(auth) : -ENOMEM;
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
