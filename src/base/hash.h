/* hash.h: a table that finds items by the hash of their key
 *
 * 1. An item is a pointer that is not NULL, or a number of the caller's array, see hash_item. The table owns none.
 * 2. It does not know the keys: the caller makes a hash of them, and compares the items that have this hash.
 * 3. Items of one hash come in no order. There may be several of one key.
 * 4. It has no lock. { 0 } is empty.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash {
	size_t n, size; /* items; entries, a power of 2 */
	struct hash_entry *entry;
};

/** Add an item, also if there are others of this hash. @return 0; -ENOMEM with nothing changed */
int hash_add(struct hash *table, uint64_t hash, void *item);

/** Get the next item of a hash. @at  0 at first; the table must not change in between  @return NULL: no more */
void *hash_next(const struct hash *table, uint64_t hash, size_t *at);

/** Loop over the items of a hash. `item` is NULL after the loop, unless it was left with break. */
#define hash_each(table, hash, item) \
	for (size_t item##_at = 0; ((item) = hash_next(table, hash, &item##_at));)

/** A walk over all items, each once, in no order; begins as { 0 }. */
struct hash_walk {
	size_t at, n; /* entry; number of entries visited */
};

/** Get the next item of a walk, during which nothing may be added. @return NULL: no more */
void *hash_walk(const struct hash *table, struct hash_walk *walk);

/** Remove the item that hash_walk returned last, which may have been freed. */
void hash_remove(struct hash *table, const struct hash_walk *walk);

/** Remove all items; the memory remains for the next ones. */
void hash_clear(struct hash *table);

/** Free the memory; the table is empty. */
void hash_fini(struct hash *table);

/* ---- items that are numbers ---- */

static inline void *hash_item(size_t number)
{
	return (void *)(uintptr_t)(number + 1);
}

static inline size_t hash_number(const void *item)
{
	return (size_t)(uintptr_t)item - 1;
}

/**
 * Find the item of an id in an array, or append one of zeros with it.
 *
 * @by_id         numbers of the items; of no other array
 * @items, @cap   as array_reserve; items begin with their id, a uint64_t
 * @n             number of the present ones
 * @size          bytes of an item
 * @return        valid until the next call; NULL without memory, with nothing changed
 */
void *hash_array_item(struct hash *by_id, void **items, size_t *cap, size_t *n, size_t size,
		      uint64_t id);

/* ---- hashes ---- */

/** Add a number or a pointer to a hash, which begins as any number. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/** Add a text to a hash. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	while (*text) /* FNV-1a */
		hash = (hash ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
	return hash_mix(hash, 0);
}

#endif
