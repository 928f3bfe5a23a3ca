#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { SIZE_MIN = 64 };

struct hash_entry {
	uint64_t hash;
	void *item; /* NULL: empty */
};

/* Find the empty entry for a hash. There is one, as a table is at most half full. */
static struct hash_entry *hash_room(const struct hash *table, uint64_t hash)
{
	size_t i = hash & (table->size - 1);

	while (table->entry[i].item)
		i = (i + 1) & (table->size - 1);
	return &table->entry[i];
}

static int hash_grow(struct hash *table)
{
	struct hash grown = { .n = table->n, .size = table->size ? 2 * table->size : SIZE_MIN };

	grown.entry = calloc(grown.size, sizeof(*grown.entry));
	if (!grown.entry)
		return -ENOMEM;
	for (size_t i = 0; i < table->size; i++)
		if (table->entry[i].item)
			*hash_room(&grown, table->entry[i].hash) = table->entry[i];
	free(table->entry);
	*table = grown;
	return 0;
}

int hash_add(struct hash *table, uint64_t hash, void *item)
{
	if (2 * (table->n + 1) > table->size && hash_grow(table))
		return -ENOMEM;
	*hash_room(table, hash) = (struct hash_entry){ hash, item };
	table->n++;
	return 0;
}

void *hash_next(const struct hash *table, uint64_t hash, size_t *at)
{
	const struct hash_entry *entry;

	while (table->n && (entry = &table->entry[(hash + *at) & (table->size - 1)])->item) {
		++*at;
		if (entry->hash == hash)
			return entry->item;
	}
	return NULL;
}

void *hash_walk(const struct hash *table, struct hash_walk *walk)
{
	if (!table->n)
		return NULL;
	/* From an empty entry backwards: what hash_remove moves up was visited before. */
	while (!walk->n && table->entry[walk->at].item)
		walk->at++;
	while (++walk->n < table->size) {
		walk->at = (walk->at - 1) & (table->size - 1);
		if (table->entry[walk->at].item)
			return table->entry[walk->at].item;
	}
	return NULL;
}

void hash_remove(struct hash *table, const struct hash_walk *walk)
{
	size_t gap = walk->at, mask = table->size - 1;

	/* Entries behind the gap that are not at their place move up. */
	for (size_t i = (gap + 1) & mask; table->entry[i].item; i = (i + 1) & mask) {
		if (((i - table->entry[i].hash) & mask) < ((i - gap) & mask))
			continue;
		table->entry[gap] = table->entry[i];
		gap = i;
	}
	table->entry[gap].item = NULL;
	table->n--;
}

void hash_clear(struct hash *table)
{
	if (table->n)
		memset(table->entry, 0, table->size * sizeof(*table->entry));
	table->n = 0;
}

void hash_fini(struct hash *table)
{
	free(table->entry);
	*table = (struct hash){ 0 };
}

void *hash_array_item(struct hash *by_id, void **items, size_t *cap, size_t *n, size_t size,
		      uint64_t id)
{
	const uint64_t hash = hash_mix(0, id);
	char *at;
	void *item;

	hash_each(by_id, hash, item) {
		at = (char *)*items + hash_number(item) * size;
		if (*(const uint64_t *)at == id)
			return at;
	}
	if (array_reserve(items, cap, *n, size) || hash_add(by_id, hash, hash_item(*n)))
		return NULL;
	at = (char *)*items + (*n)++ * size;
	memset(at, 0, size);
	*(uint64_t *)at = id;
	return at;
}
