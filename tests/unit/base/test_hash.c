/* test_hash.c: items are found by hash, also after others were removed */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash.h"

enum { N = 5000 };

/* Few distinct hashes near the end of a table: runs that wrap around. */
static uint64_t hash_of(size_t i, unsigned n_hashes)
{
	return n_hashes ? UINT64_MAX - i % n_hashes : hash_mix(0, i);
}

static bool has(const struct hash *table, size_t i, unsigned n_hashes)
{
	void *item;

	hash_each(table, hash_of(i, n_hashes), item)
		if (hash_number(item) == i)
			break;
	return item;
}

static void check(unsigned n_hashes, size_t n)
{
	static unsigned n_seen[N];
	struct hash table = { 0 };
	struct hash_walk walk = { 0 };
	void *item;

	for (size_t i = 0; i < n; i++) {
		n_seen[i] = 0;
		assert_false(has(&table, i, n_hashes));
		assert_int_equal(hash_add(&table, hash_of(i, n_hashes), hash_item(i)), 0);
	}
	while ((item = hash_walk(&table, &walk))) {
		n_seen[hash_number(item)]++;
		if (hash_number(item) % 3 == 0)
			hash_remove(&table, &walk);
	}
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(n_seen[i], 1);
		assert_int_equal(has(&table, i, n_hashes), i % 3 != 0);
	}
	assert_int_equal(table.n, n - (n + 2) / 3);
	hash_clear(&table);
	assert_false(has(&table, 1, n_hashes));
	hash_fini(&table);
}

static void finds(void **state)
{
	(void)state;
	check(0, N);
	for (unsigned n_hashes = 1; n_hashes < 40; n_hashes++)
		check(n_hashes, 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(finds) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
