/* place.h: interned objects, functions and places */
#ifndef SYMBOLS_PLACE_PLACE_H
#define SYMBOLS_PLACE_PLACE_H

#include <stdatomic.h>

#include "symbols/symbols.h"
#include "symbols/table/table.h"

/** Beyond this many places new ones are the starts of functions; beyond twice as many, an object's others. */
enum { PLACES_MAX = 200000 };

enum code_kind {
	CODE_FILE,
	CODE_KERNEL, /* with its modules */
	CODE_VDSO,
	CODE_JIT,     /* memory without a file: perf-PID.map may have names */
	CODE_GIVEN,   /* its functions were given by name */
	CODE_UNKNOWN, /* the mapping is not known, or not yet: one for each process */
};

/** What makes an object another one. */
struct code_key {
	enum code_kind kind;
	uint32_t dev_major, dev_minor;
	uint64_t inode,
		generation; /* CODE_JIT, CODE_UNKNOWN: generation is the process's instance */
	const char *path;   /* without " (deleted)" */
};

/** A mapping of a file by a process that may still run. */
struct code_use {
	uint32_t pid;
	uint64_t start, end;
};

/** An object as the room knows it. */
struct code {
	struct object shown; /* first: the object of a function is cast to its code */
	struct code_key key;
	struct code_use use; /* the latest; under code_lock */
	_Atomic(uint32_t)
		n_wanted;         /* samples of its requested places that were not looked at yet */
	struct code_table *table; /* set by the symbol thread under code_lock; NULL: not read */
	/* Of the symbol thread alone. */
	const struct object *
		same; /* object of an earlier file with the same build id, which its functions have;
				    * NULL: itself */
	struct code_use tried; /* mapping by which the table was looked for */
	uint64_t tried_ns;     /* when; CLOCK_MONOTONIC; 0: never */
	uint64_t took_ns, used_ns;
	atomic_bool is_looked_at; /* CODE_JIT: since its map was read; by any thread */
	struct build_id build_id; /* of the table that was read */
	bool is_known;            /* its table was read before */
	const struct code *dump;  /* CODE_JIT: the jitdump of its process; NULL: none */
	bool is_loading;          /* its table is being read */
	bool is_given_up;         /* its file takes more than the limits */
	struct loading *loading;  /* requests about it; NULL: none */
};

struct place {
	struct code *code;
	uint64_t offset; /* in the file; the address for the kernel, generated code, [unknown] */
	uint64_t
		instance; /* CODE_GIVEN: the function; CODE_JIT: counts what the address was used for */
	struct place *newer; /* CODE_JIT: of the code that took its address; under code_lock */
	uint32_t pid;        /* CODE_UNKNOWN */
	uint64_t t_ns;       /* CODE_UNKNOWN: first seen */
	_Atomic(uint64_t) address;
	_Atomic(const struct function *) function; /* NULL: not known; written after address */
	_Atomic(struct place *) same; /* CODE_UNKNOWN: the place that it turned out to be */
	atomic_bool is_wanted;        /* its function was requested */
	struct place *queued;         /* waits for the symbol thread behind this one */
};

/** Protects what code_intern, function_intern and place_intern return; they take it themselves. */
void code_lock(void);
void code_unlock(void);

/** Return the kind of a mapped object. */
enum code_kind code_kind_of(const struct code_map *map);

/** Find or make an object. @return never NULL; the one of kind CODE_UNKNOWN if there are too many */
struct code *code_intern(const struct code_key *key);

/** Find or make a function. @name  made printable; NULL: its start  @return never NULL */
const struct function *function_intern(const struct object *object, const char *name,
				       uint64_t start, uint64_t size, bool is_kernel);

/** Find or make a function that only says why there is no name. @start  which tells them apart */
const struct function *function_without_name(const struct object *object, const char *why,
					     uint64_t start, bool is_kernel);

/** Find or make a place. @ret_is_new  it is not known to anyone yet, and has no name  @return never NULL */
struct place *place_intern(struct code *code, uint64_t offset, uint64_t instance, bool *ret_is_new);

/** Return the place that it turned out to be. */
struct place *place_real(const struct place *place);

/** Store what a place is. Symbol thread, or the maker of a new place. */
void place_name(struct place *place, uint64_t address, const struct function *function);

#endif
