/* Which connections give way when there are too many, and who counts as one client. */
#include "rig/harness.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <unistd.h>

#include "session/http/internal.h"

enum { CLIENTS = 60 };

/* Clients, and the server's ends in slots. */
struct scene {
	struct slots slots;
	struct slot *slot[CLIENTS];
	int client[CLIENTS];
	unsigned n;
	uint64_t now_ns;
};

static struct peer peer_number(unsigned number)
{
	return (struct peer){ AF_INET, number };
}

static unsigned come(struct scene *scene, unsigned peer)
{
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
	scene->now_ns++;
	scene->client[scene->n] = fd[1];
	scene->slot[scene->n] = slots_take(&scene->slots, fd[0], peer_number(peer), scene->now_ns);
	assert_non_null(scene->slot[scene->n]);
	scene->slot[scene->n]->deadline_ns = UINT64_MAX;
	return scene->n++;
}

/* Has the server ended it? */
static bool is_over(const struct scene *scene, unsigned client)
{
	char byte;

	return read(scene->client[client], &byte, 1) == 0;
}

static unsigned count_over(const struct scene *scene)
{
	unsigned n = 0;

	for (unsigned i = 0; i < scene->n; i++)
		n += is_over(scene, i);
	return n;
}

static void begin(struct scene *scene)
{
	*scene = (struct scene){ .now_ns = 1 };
	slots_init(&scene->slots);
}

static void end(const struct scene *scene)
{
	for (unsigned i = 0; i < scene->n; i++) {
		close(scene->slot[i]->fd);
		close(scene->client[i]);
	}
}

static void oldest_idle_one_of_a_peer_gives_way(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	for (unsigned i = 0; i < SLOTS_PER_PEER; i++)
		come(&scene, 1);
	assert_int_equal(count_over(&scene), 0);
	slots_set_busy(scene.slot[0], true, ++scene.now_ns);
	slots_set_busy(scene.slot[1], true, ++scene.now_ns);
	slots_set_busy(scene.slot[1], false, ++scene.now_ns);
	come(&scene, 1);
	assert_true(is_over(&scene, 2)); /* 0 is being answered, 1 just was */
	assert_int_equal(count_over(&scene), 1);
	end(&scene);
}

static void who_has_most_gives_way(void **state)
{
	struct scene scene;
	unsigned lonely;

	(void)state;
	begin(&scene);
	lonely = come(&scene, 9);
	for (unsigned i = 0; i < 40; i++)
		come(&scene, 1 + i % 8);
	assert_false(is_over(&scene, lonely));
	assert_int_equal(count_over(&scene), 41 - SLOTS_UNAUTHENTICATED);
	end(&scene);
}

/* When everybody is being answered the longest of those gives way. */
static void nobody_holds_all(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	for (unsigned i = 0; i < SLOTS_UNAUTHENTICATED; i++)
		slots_set_busy(scene.slot[come(&scene, 1 + i)], true, scene.now_ns);
	come(&scene, 99);
	assert_true(is_over(&scene, 0));
	assert_int_equal(count_over(&scene), 1);
	end(&scene);
}

static void who_is_known_stays(void **state)
{
	struct scene scene;
	unsigned known[SLOTS_AUTHENTICATED];

	(void)state;
	begin(&scene);
	for (unsigned i = 0; i < SLOTS_AUTHENTICATED; i++) {
		known[i] = come(&scene, 1);
		slots_know(&scene.slots, scene.slot[known[i]]);
	}
	for (unsigned i = 0; i < 40; i++)
		come(&scene, 1 + i);
	for (unsigned i = 0; i < SLOTS_AUTHENTICATED; i++)
		assert_false(is_over(&scene, known[i]));
	/* among them the oldest idle one gives way, too */
	slots_know(&scene.slots, scene.slot[scene.n - 1]);
	assert_true(is_over(&scene, known[0]));
	assert_false(is_over(&scene, scene.n - 1));
	end(&scene);
}

static void late_ones_are_ended(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	come(&scene, 1);
	come(&scene, 1);
	scene.slot[0]->deadline_ns = 100;
	scene.slot[1]->deadline_ns = 101;
	slots_end_late(&scene.slots, 100);
	assert_true(is_over(&scene, 0));
	assert_false(is_over(&scene, 1));
	end(&scene);
}

static struct peer of_text(const char *text)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };

	if (inet_pton(AF_INET, text, &in.sin_addr) == 1)
		return peer_of((const struct sockaddr *)&in, -1);
	assert_int_equal(inet_pton(AF_INET6, text, &in6.sin6_addr), 1);
	return peer_of((const struct sockaddr *)&in6, -1);
}

static void peers(void **state)
{
	static const struct {
		const char *a, *b;
		bool is_one;
	} row[] = {
		{ "192.0.2.1", "192.0.2.1", true },
		{ "192.0.2.1", "192.0.2.2", false },
		{ "192.0.2.1", "::ffff:192.0.2.1", true },
		{ "::ffff:192.0.2.1", "::ffff:192.0.2.2", false },
		{ "2001:db8::1", "2001:db8::2", true },
		{ "2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff", true },
		{ "2001:db8:0:1::1", "2001:db8:0:2::1", false },
		{ "::1", "0.0.0.0", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		if (peer_is(of_text(row[i].a), of_text(row[i].b)) != row[i].is_one)
			fail_msg("%s and %s", row[i].a, row[i].b);
	}
}

static void a_user_is_a_peer(void **state)
{
	const struct sockaddr addr = { .sa_family = AF_UNIX };
	int fd[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	assert_true(peer_is(peer_of(&addr, fd[0]), (struct peer){ AF_UNIX, getuid() }));
	close(fd[0]);
	close(fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(oldest_idle_one_of_a_peer_gives_way),
		cmocka_unit_test(who_has_most_gives_way),
		cmocka_unit_test(nobody_holds_all),
		cmocka_unit_test(who_is_known_stays),
		cmocka_unit_test(late_ones_are_ended),
		cmocka_unit_test(peers),
		cmocka_unit_test(a_user_is_a_peer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
