#include "symbols/place/place.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "symbols/table/table.h"

/* A path or a name that is shown has at most so many bytes. */
enum { SHOWN_MAX = 1024 };

/* An hour of builds makes some thousand objects, of 300 bytes each. */
enum { CODES_MAX = 100000 };

struct named_function {
	struct function shown; /* first */
	struct named_function *next;
	char name[];
};

/* Items by hash, chained by their field `next`; twice as many chains as items. */
struct shelf {
	void **chain;
	size_t n, n_chains;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct shelf codes, functions, places;
static struct code unknown = { .shown = { "[unknown]", "[unknown]" },
			       .key = { .kind = CODE_UNKNOWN, .path = "[unknown]" } };

void code_lock(void)
{
	pthread_mutex_lock(&lock);
}

void code_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* ---- hashes ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	while (*text)
		hash = (hash ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
	return mix(hash, 0);
}

static uint64_t hash_of_code(const void *item)
{
	const struct code_key *key = &((const struct code *)item)->key;

	return mix_text(mix(mix(mix(key->kind, (uint64_t)key->dev_major << 32 | key->dev_minor),
				key->inode),
			    key->generation),
			key->path);
}

static uint64_t hash_of_function(const void *item)
{
	const struct function *function = item;

	return mix_text(mix(mix((uintptr_t)function->object, function->start), function->size),
			function->name);
}

static uint64_t hash_of_place(const void *item)
{
	const struct place *place = item;

	return mix(mix((uintptr_t)place->code, place->offset), place->instance);
}

typedef uint64_t hash_of(const void *item);

/* Return the field `next` of an item. @at  its offset */
static void **next_of(void *item, size_t at)
{
	return (void **)((char *)item + at);
}

static void shelf_grow(struct shelf *shelf, hash_of *hash, size_t at)
{
	size_t n_chains = shelf->n_chains ? shelf->n_chains * 2 : 1024;
	void **chain = calloc(n_chains, sizeof(*chain));

	if (!chain)
		return;
	for (size_t i = 0; i < shelf->n_chains; i++)
		for (void *item = shelf->chain[i], *next; item; item = next) {
			void **head = &chain[hash(item) & (n_chains - 1)];

			next = *next_of(item, at);
			*next_of(item, at) = *head;
			*head = item;
		}
	free(shelf->chain);
	shelf->chain = chain;
	shelf->n_chains = n_chains;
}

/* Return the first item of the chain for a key. */
static void *shelf_first(const struct shelf *shelf, uint64_t hash)
{
	return shelf->n_chains ? shelf->chain[hash & (shelf->n_chains - 1)] : NULL;
}

/* Add an item. @return it; NULL, released, without memory for the first chains */
static void *shelf_add(struct shelf *shelf, void *item, hash_of *hash, size_t at)
{
	if (shelf->n * 2 >= shelf->n_chains)
		shelf_grow(shelf, hash, at);
	if (!shelf->n_chains) {
		free(item);
		return NULL;
	}

	void **head = &shelf->chain[hash(item) & (shelf->n_chains - 1)];

	*next_of(item, at) = *head;
	*head = item;
	shelf->n++;
	return item;
}

/* ---- objects ---- */

static bool is_code(const struct code_key *a, const struct code_key *b)
{
	return a->kind == b->kind && a->dev_major == b->dev_major && a->dev_minor == b->dev_minor &&
	       a->inode == b->inode && a->generation == b->generation &&
	       strcmp(a->path, b->path) == 0;
}

static struct code *code_new(const struct code_key *key)
{
	struct code *code = calloc(1, sizeof(*code));
	char path[SHOWN_MAX];
	const char *slash;

	if (!code)
		return NULL;
	code->key = *key;
	code->key.path = strdup(key->path);
	code->shown.path = strdup(utf8_copy(key->path, path, sizeof(path)));
	if (!code->key.path || !code->shown.path) {
		free((char *)code->key.path);
		free((char *)code->shown.path);
		free(code);
		return NULL;
	}
	slash = strrchr(code->shown.path, '/');
	code->shown.name = slash && slash[1] ? slash + 1 : code->shown.path;
	return shelf_add(&codes, code, hash_of_code, offsetof(struct code, next));
}

struct code *code_intern(const struct code_key *key)
{
	const struct code wanted = { .key = *key };
	struct code *code;

	if (key->kind == CODE_UNKNOWN)
		return &unknown;
	code_lock();
	code = shelf_first(&codes, hash_of_code(&wanted));
	while (code && !is_code(&code->key, key))
		code = code->next;
	if (!code && codes.n < CODES_MAX)
		code = code_new(key);
	code_unlock();
	return code ? code : &unknown;
}

/* ---- functions ---- */

static struct named_function *function_find(const struct function *wanted)
{
	struct named_function *at = shelf_first(&functions, hash_of_function(wanted));

	while (at && (at->shown.object != wanted->object || at->shown.start != wanted->start ||
		      at->shown.size != wanted->size || at->shown.is_kernel != wanted->is_kernel ||
		      strcmp(at->name, wanted->name) != 0))
		at = at->next;
	return at;
}

static struct named_function *function_new(const struct function *wanted)
{
	size_t n = strlen(wanted->name) + 1;
	struct named_function *made = calloc(1, sizeof(*made) + n);

	if (!made)
		return NULL;
	made->shown = *wanted;
	made->shown.name = memcpy(made->name, wanted->name, n);
	return shelf_add(&functions, made, hash_of_function, offsetof(struct named_function, next));
}

const struct function *function_intern(const struct object *object, const char *name,
				       uint64_t start, uint64_t size, bool is_kernel)
{
	static const struct function none = { .object = &unknown.shown, .name = "[unknown]" };
	char text[SHOWN_MAX];
	const struct function wanted = { .object = object,
					 .name = text,
					 .start = start,
					 .size = size,
					 .is_named = name != NULL,
					 .is_kernel = is_kernel };
	struct named_function *found;

	if (name)
		utf8_copy(name, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "0x%" PRIx64, start);
	code_lock();
	found = function_find(&wanted);
	if (!found)
		found = function_new(&wanted);
	code_unlock();
	return found ? &found->shown : &none;
}

/* ---- places ---- */

/* Return the offset of the function's start if there are too many places, 0 if there are far too many. */
static uint64_t place_coarse(const struct code *code, uint64_t offset)
{
	const struct symbol *symbol;
	uint64_t address;

	if (places.n < PLACES_MAX)
		return offset;
	if (places.n >= 2 * PLACES_MAX || !code->table ||
	    !table_address(code->table, offset, &address))
		return 0;
	symbol = table_find(code->table, address);
	return symbol ? table_offset(code->table, symbol->start) : 0;
}

static struct place *place_find(const struct place *wanted)
{
	struct place *at = shelf_first(&places, hash_of_place(wanted));

	while (at && (at->code != wanted->code || at->offset != wanted->offset ||
		      at->instance != wanted->instance))
		at = at->next;
	return at;
}

static struct place *place_new(const struct place *wanted)
{
	struct place *place = calloc(1, sizeof(*place));

	if (!place)
		return NULL;
	place->code = wanted->code;
	place->offset = wanted->offset;
	place->instance = wanted->instance;
	atomic_init(&place->address, wanted->offset);
	return shelf_add(&places, place, hash_of_place, offsetof(struct place, next));
}

struct place *place_intern(struct code *code, uint64_t offset, uint64_t instance, bool *ret_is_new)
{
	static struct place none = { .code = &unknown };
	struct place wanted = { .code = code, .offset = offset, .instance = instance };
	struct place *place;

	code_lock();
	place = place_find(&wanted);
	if (!place && places.n >= PLACES_MAX) {
		wanted.offset = place_coarse(code, offset);
		if (code->key.kind == CODE_UNKNOWN)
			wanted.instance = 0;
		place = place_find(&wanted);
	}
	*ret_is_new = !place;
	if (!place)
		place = place_new(&wanted);
	code_unlock();
	*ret_is_new &= place != NULL;
	return place ? place : &none;
}

void place_name(struct place *place, uint64_t address, const struct function *function)
{
	atomic_store_explicit(&place->address, address, memory_order_relaxed);
	atomic_store_explicit(&place->function, function, memory_order_release);
}

/* Return the place that it turned out to be. */
static const struct place *place_real(const struct place *place)
{
	const struct place *same = atomic_load_explicit(&place->same, memory_order_acquire);

	return same ? same : place;
}

const struct function *place_function(const struct place *place)
{
	const struct function *function;

	place = place_real(place);
	function = atomic_load_explicit(&place->function, memory_order_acquire);
	return function ? function
			: function_intern(&place->code->shown, NULL, place->offset, 0,
					  place->code->key.kind == CODE_KERNEL);
}

uint64_t place_address(const struct place *place)
{
	return atomic_load_explicit(&place_real(place)->address, memory_order_relaxed);
}

const struct place *place_of(const char *object, const char *function, uint64_t address,
			     bool is_kernel)
{
	struct code *code = code_intern(&(struct code_key){ .kind = CODE_GIVEN, .path = object });
	const struct function *named = function_intern(&code->shown, function, 0, 0, is_kernel);
	bool is_new;
	struct place *place = place_intern(code, address, (uintptr_t)named, &is_new);

	if (is_new)
		place_name(place, address, named);
	return place;
}
