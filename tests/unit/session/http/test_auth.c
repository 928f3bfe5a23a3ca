/* Passwords: which are right, how many are hashed, and who waits for whom. */
#include "rig/harness.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "session/http/internal.h"

/* of "secret", as htpasswd -nbBC 4 alice secret would make it */
#define ALICE "$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"
#define S     NS_PER_S

/* The header */

static void headers(void **state)
{
	static const struct {
		const char *header, *user, *password; /* NULL: refused */
	} row[] = {
		{ "Basic YWxpY2U6c2VjcmV0", "alice", "secret" },
		{ "basic YWxpY2U6c2VjcmV0", "alice", "secret" },
		{ "BASIC  YWxpY2U6c2VjcmV0", "alice", "secret" },
		{ "Basic YWxpY2U6YTpi", "alice", "a:b" },
		{ "Basic Og==", "", "" },
		{ "Basic YWxpY2U=", NULL, NULL },             /* no colon */
		{ "Basic YWxpY2U6c2VjcmV0AA==", NULL, NULL }, /* "secret\0" */
		{ "Basic YWxpY2UAOnNlY3JldA==", NULL, NULL }, /* "alice\0" */
		{ "Basic !!!", NULL, NULL },
		{ "Basic ", NULL, NULL },
		{ "Basic", NULL, NULL },
		{ "Bearer YWxpY2U6c2VjcmV0", NULL, NULL },
		{ "", NULL, NULL },
		{ NULL, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct credentials got;

		if (!credentials_parse(row[i].header, &got) != !!row[i].user)
			fail_msg("\"%s\"", row[i].header);
		if (!row[i].user)
			continue;
		assert_string_equal(got.user, row[i].user);
		assert_string_equal(got.password, row[i].password);
		credentials_fini(&got);
	}
}

/* The queue */

static struct peer peer_number(unsigned number)
{
	return (struct peer){ AF_INET, number };
}

static bool put(struct guess_queue *queue, unsigned peer, uint64_t now_ns)
{
	return guess_queue_put(queue, peer_number(peer), (void *)(uintptr_t)peer, now_ns);
}

static unsigned take(struct guess_queue *queue, uint64_t now_ns)
{
	uint64_t wait_ns;

	return (unsigned)(uintptr_t)guess_queue_take(queue, now_ns, &wait_ns);
}

/* A burst, then one a second; another peer has its own. */
static void a_peer_is_limited(void **state)
{
	struct guess_queue queue = { 0 };
	uint64_t now_ns = 100 * S;
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i < 50; i++, now_ns += S / 10) {
		n += put(&queue, 1, now_ns);
		take(&queue, now_ns);
	}
	assert_int_equal(n, GUESSES_BURST_PEER + 4);
	assert_true(put(&queue, 2, now_ns));
}

static void all_together_are_limited(void **state)
{
	struct guess_queue queue = { 0 };
	uint64_t wait_ns, now_ns = 100 * S;
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i < 100; i++, now_ns += S / 10) {
		put(&queue, 1 + i, now_ns);
		put(&queue, 1001 + i, now_ns);
		n += take(&queue, now_ns) != 0;
	}
	assert_in_range(n, GUESSES_BURST + 9 * GUESSES_PER_S, GUESSES_BURST + 10 * GUESSES_PER_S);
	assert_int_equal(queue.n, GUESSES_WAITING);
	assert_false(put(&queue, 9999, now_ns));
	while (guess_queue_take(&queue, now_ns, &wait_ns))
		n++;
	assert_in_range(wait_ns, 1, S / GUESSES_PER_S + 1);
	assert_int_equal(take(&queue, now_ns + wait_ns - 2), 0);
	assert_int_not_equal(take(&queue, now_ns + wait_ns), 0);
}

/* Eight who guess without end do not keep the ninth out, nor waiting for long. */
static void who_asks_seldom_goes_first(void **state)
{
	struct guess_queue queue = { 0 };
	uint64_t now_ns = 100 * S;

	(void)state;
	for (unsigned i = 0; i < 200; i++, now_ns += S / 20) {
		for (unsigned peer = 1; peer <= 8; peer++)
			put(&queue, peer, now_ns);
		take(&queue, now_ns);
	}
	assert_true(queue.n >= 8);
	assert_true(put(&queue, 9, now_ns));
	assert_int_equal(take(&queue, now_ns + S), 9);
}

/* Verdicts */

struct answer {
	atomic_int verdict;
};

static void on_verdict(void *waiter, enum auth_verdict verdict)
{
	atomic_store(&((struct answer *)waiter)->verdict, verdict);
}

static enum auth_verdict ask(struct auth *auth, unsigned peer, const char *user,
			     const char *password)
{
	const struct credentials credentials = { (char *)user, (char *)password, 0 };
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct answer answer = { AUTH_PENDING };
	enum auth_verdict verdict = auth_recall(auth, &credentials);

	if (verdict != AUTH_PENDING)
		return verdict;
	verdict = auth_ask(auth, &credentials, peer_number(peer), &answer);
	while (verdict == AUTH_PENDING) {
		nanosleep(&pause, NULL);
		verdict = (enum auth_verdict)atomic_load(&answer.verdict);
	}
	return verdict;
}

static const struct web_user alice = { .name = (char *)"alice", .hash = (char *)ALICE };
static const struct web_config config = { .user = (struct web_user *)&alice, .n_users = 1 };

static void verdicts(void **state)
{
	struct auth *auth;

	(void)state;
	assert_int_equal(auth_new(&config, on_verdict, &auth), 0);
	assert_int_equal(ask(auth, 1, "alice", "wrong"), AUTH_WRONG);
	assert_int_equal(ask(auth, 2, "alice", ""), AUTH_WRONG);
	assert_int_equal(ask(auth, 3, "bob", "secret"), AUTH_WRONG);
	assert_int_equal(ask(auth, 4, "", "secret"), AUTH_WRONG);
	assert_int_equal(ask(auth, 5, "alice", "secret"), AUTH_OK);
	assert_int_equal(ask(auth, 6, "alice", "secreT"), AUTH_WRONG);
	auth_free(auth);
}

/* Who was right once is let in whatever others do; nobody is left waiting at the end. */
static void known_ones_come_in(void **state)
{
	const struct credentials wrong = { (char *)"alice", (char *)"wrong", 0 };
	struct answer answer[64];
	unsigned n = 0;
	struct auth *auth;

	(void)state;
	assert_int_equal(auth_new(&config, on_verdict, &auth), 0);
	assert_int_equal(ask(auth, 1, "alice", "secret"), AUTH_OK);
	for (unsigned i = 0; i < ARRAY_SIZE(answer); i++) {
		atomic_store(&answer[i].verdict, AUTH_PENDING);
		if (auth_ask(auth, &wrong, peer_number(i), &answer[i]) == AUTH_BUSY)
			atomic_store(&answer[i].verdict, AUTH_BUSY);
	}
	assert_int_equal(ask(auth, 1, "alice", "secret"), AUTH_OK);
	auth_free(auth);
	for (unsigned i = 0; i < ARRAY_SIZE(answer); i++) {
		assert_int_not_equal(atomic_load(&answer[i].verdict), AUTH_PENDING);
		n += atomic_load(&answer[i].verdict) == AUTH_BUSY;
	}
	assert_true(n > 0);
}

static int load(void **state)
{
	struct err err;

	(void)state;
	return http_load(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers),
		cmocka_unit_test(a_peer_is_limited),
		cmocka_unit_test(all_together_are_limited),
		cmocka_unit_test(who_asks_seldom_goes_first),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(known_ones_come_in),
	};

	return cmocka_run_group_tests(tests, load, NULL);
}
