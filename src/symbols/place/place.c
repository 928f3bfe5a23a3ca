#include "symbols/place/place.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "symbols/table/table.h"

/* A path or a name that is shown has at most so many bytes. */
enum { SHOWN_MAX = 1024 };

/* An hour of builds makes some thousand objects, of 300 bytes each. */
enum { CODES_MAX = 100000 };

struct named_function {
	struct function shown; /* first */
	char name[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hash codes, functions, places;
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

/* ---- warnings ---- */

/* Each once, and of few kinds: one for each user's file that is hostile would be a flood. */
static struct err warning[32];
static unsigned n_warnings, n_taken;
static pthread_mutex_t warning_lock = PTHREAD_MUTEX_INITIALIZER;

void symbols_warn(const char *fmt, ...)
{
	struct err err;
	unsigned i = 0;
	va_list args;

	va_start(args, fmt);
	vsnprintf(err.text, sizeof(err.text), fmt, args);
	va_end(args);
	pthread_mutex_lock(&warning_lock);
	while (i < n_warnings && strcmp(warning[i].text, err.text) != 0)
		i++;
	if (i == n_warnings && i < ARRAY_SIZE(warning))
		warning[n_warnings++] = err;
	pthread_mutex_unlock(&warning_lock);
}

bool symbols_take_warning(struct err *ret)
{
	bool is_any;

	pthread_mutex_lock(&warning_lock);
	is_any = n_taken < n_warnings;
	if (is_any)
		*ret = warning[n_taken++];
	pthread_mutex_unlock(&warning_lock);
	return is_any;
}

/* Add an item. @return it; NULL, released, without memory */
static void *intern(struct hash *table, uint64_t hash, void *item)
{
	if (!hash_add(table, hash, item))
		return item;
	free(item);
	return NULL;
}

/* ---- objects ---- */

static uint64_t hash_of_code(const struct code_key *key)
{
	uint64_t hash = hash_mix(key->kind, (uint64_t)key->dev_major << 32 | key->dev_minor);

	return hash_text(hash_mix(hash_mix(hash, key->inode), key->generation), key->path);
}

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
	return intern(&codes, hash_of_code(key), code);
}

/* Whether it is memory, whose code was generated: a file has a path. */
static bool is_memory(const struct code_map *map)
{
	static const char *const begins[] = { "//anon", "/memfd:", "/dev/zero", "/anon_hugepage",
					      "/SYSV" };

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (strncmp(map->path, begins[i], strlen(begins[i])) == 0)
			return true;
	return map->path[0] != '/' || !map->inode; /* "[heap]", "[anon:name]" */
}

enum code_kind code_kind_of(const struct code_map *map)
{
	if (map->symbol)
		return CODE_GIVEN;
	if (strcmp(map->path, "[vdso]") == 0)
		return CODE_VDSO;
	return is_memory(map) ? CODE_JIT : CODE_FILE;
}

struct code *code_intern(const struct code_key *key)
{
	struct code *code;

	if (key->kind == CODE_UNKNOWN && !key->generation)
		return &unknown;
	code_lock();
	hash_each(&codes, hash_of_code(key), code)
		if (is_code(&code->key, key))
			break;
	if (!code && codes.n < CODES_MAX)
		code = code_new(key);
	code_unlock();
	if (!code)
		symbols_warn("more than %d objects with code, or no memory: others are [unknown]",
			     CODES_MAX);
	return code ? code : &unknown;
}

/* ---- functions ---- */

static uint64_t hash_of_function(const struct function *function)
{
	return hash_text(
		hash_mix(hash_mix((uintptr_t)function->object, function->start), function->size),
		function->name);
}

static struct named_function *function_find(const struct function *wanted)
{
	struct named_function *at;

	hash_each(&functions, hash_of_function(wanted), at)
		if (at->shown.object == wanted->object && at->shown.start == wanted->start &&
		    at->shown.size == wanted->size && at->shown.is_kernel == wanted->is_kernel &&
		    strcmp(at->name, wanted->name) == 0)
			break;
	return at;
}

/* Whether a program or thread begins with a function of this name. */
static bool is_entry(const char *name)
{
	static const char *const entry[] = {
		"main",   "_start",   "_dl_start_user",      "start_thread",   "clone",
		"clone3", "__clone3", "runtime.goexit.abi0", "runtime.mstart",
	};

	for (size_t i = 0; i < ARRAY_SIZE(entry); i++)
		if (strcmp(name, entry[i]) == 0)
			return true;
	return false;
}

static struct named_function *function_new(const struct function *wanted)
{
	size_t n = strlen(wanted->name) + 1;
	struct named_function *made = calloc(1, sizeof(*made) + n);

	if (!made)
		return NULL;
	made->shown = *wanted;
	made->shown.name = memcpy(made->name, wanted->name, n);
	made->shown.is_entry = !wanted->is_kernel && is_entry(wanted->name);
	return intern(&functions, hash_of_function(wanted), made);
}

/* Function of places that are not distinguished. */
static const char others_name[] = "[others, not named]";
static const struct function others = { .object = &unknown.shown, .name = others_name };

/* Find or make a function; the lock is held. */
static const struct function *function_get(const struct function *wanted)
{
	struct named_function *found = function_find(wanted);

	if (!found)
		found = function_new(wanted);
	return found ? &found->shown : &others;
}

const struct function *function_intern(const struct object *object, const char *name,
				       uint64_t start, uint64_t size, bool is_kernel)
{
	char text[SHOWN_MAX];
	const struct function wanted = { .object = object,
					 .name = text,
					 .start = start,
					 .size = size,
					 .is_named = name != NULL,
					 .is_kernel = is_kernel };
	const struct function *function;

	if (name)
		utf8_copy(name, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "0x%" PRIx64, start);
	code_lock();
	function = function_get(&wanted);
	code_unlock();
	return function;
}

const struct function *function_without_name(const struct object *object, const char *why,
					     uint64_t start, bool is_kernel)
{
	const struct function *function;

	code_lock();
	function = function_get(&(struct function){
		.object = object, .name = why, .start = start, .is_kernel = is_kernel });
	code_unlock();
	return function;
}

const struct function *function_shown(const struct function *function)
{
	const struct code *code = (const struct code *)function->object;

	if (function->is_named || function->name[0] != '[')
		return function;
	if (code->key.kind == CODE_UNKNOWN) /* one for all processes */
		code = code_intern(
			&(struct code_key){ .kind = CODE_GIVEN, .path = code->key.path });
	return function_without_name(&code->shown, function->name, 0, function->is_kernel);
}

/* ---- places ---- */

/* Return the offset of the function's start if there are too many places; 0, which stands for all others, if there
 * are far too many or it has none. */
static uint64_t place_coarse(const struct code *code, uint64_t offset)
{
	const struct symbol *symbol;
	uint64_t address;

	if (places.n < PLACES_MAX)
		return offset;
	if (places.n >= 2 * PLACES_MAX)
		return 0;
	if (!code->table)
		return offset;
	if (!table_address(code->table, offset, &address))
		return 0;
	symbol = table_find(code->table, address);
	return symbol ? table_offset(code->table, symbol->start) : 0;
}

static uint64_t hash_of_place(const struct place *place)
{
	return hash_mix(hash_mix((uintptr_t)place->code, place->offset), place->instance);
}

static struct place *place_find(const struct place *wanted)
{
	struct place *at;

	hash_each(&places, hash_of_place(wanted), at)
		if (at->code == wanted->code && at->offset == wanted->offset &&
		    at->instance == wanted->instance)
			break;
	return at;
}

/* Whether the list of generated code has another function at this address by now; the lock is held. */
static bool is_reused(const struct place *place)
{
	const struct function *function =
		atomic_load_explicit(&place->function, memory_order_relaxed);
	const struct code_table *table =
		place->code->key.kind == CODE_JIT ? place->code->table : NULL;
	const struct symbol *symbol =
		table && function && function->is_named ? table_find(table, place->offset) : NULL;
	char name[SHOWN_MAX];

	return symbol && symbol->name &&
	       (symbol->start != function->start ||
		strcmp(utf8_copy(table->names + symbol->name, name, sizeof(name)),
		       function->name) != 0);
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
	return intern(&places, hash_of_place(wanted), place);
}

/* Name the place that stands for all others of an object; the lock is held. */
static void name_others(struct place *place)
{
	place_name(place, 0,
		   function_get(&(struct function){ .object = &place->code->shown,
						    .name = others_name,
						    .is_kernel = place->code->key.kind ==
								 CODE_KERNEL }));
}

struct place *place_intern(struct code *code, uint64_t offset, uint64_t instance, bool *ret_is_new)
{
	static struct place none = { .code = &unknown, .function = &others };
	struct place wanted = { .code = code, .offset = offset, .instance = instance };
	struct place *place, *last;

	code_lock();
	place = place_find(&wanted);
	while (place && place->newer)
		place = place->newer;
	last = place;
	if (place && is_reused(place)) {
		wanted.instance = place->instance + 1;
		place = NULL;
	}
	if (!place && places.n >= PLACES_MAX) {
		symbols_warn("more than %d addresses in code: further ones are the start of their "
			     "function, or %s",
			     PLACES_MAX, others_name);
		wanted.offset = place_coarse(code, offset);
		if (code->key.kind == CODE_UNKNOWN)
			wanted.code = &unknown;
		place = place_find(&wanted);
	}
	*ret_is_new = !place;
	if (!place)
		place = place_new(&wanted);
	if (last && place && place != last)
		last->newer = place;
	if (!place)
		place = &none;
	else if (*ret_is_new && places.n > PLACES_MAX && !wanted.offset &&
		 code->key.kind != CODE_GIVEN)
		name_others(place);
	*ret_is_new &= !atomic_load_explicit(&place->function, memory_order_relaxed);
	code_unlock();
	return place;
}

void place_name(struct place *place, uint64_t address, const struct function *function)
{
	atomic_store_explicit(&place->address, address, memory_order_relaxed);
	atomic_store_explicit(&place->function, function, memory_order_release);
}

struct place *place_real(const struct place *place)
{
	struct place *same = atomic_load_explicit(&place->same, memory_order_acquire);

	return same ? same : (struct place *)place; /* this room's own */
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
