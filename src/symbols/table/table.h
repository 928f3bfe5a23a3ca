/* table.h: functions of an object, sorted by address; no processes, no threads */
#ifndef SYMBOLS_TABLE_TABLE_H
#define SYMBOLS_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t start;
	uint32_t size;
	uint32_t name; /* offset in names; 0: none, only its start is known */
};

/** Bytes of the file that are loaded at an address. */
struct segment {
	uint64_t offset, size, address;
};

enum { BUILD_ID_MAX = 64 };

struct code_table {
	struct symbol *symbol; /* sorted; do not overlap */
	size_t n, cap;
	char *names; /* NUL-terminated names, or for the kernel "name\tmodule" */
	size_t n_names, cap_names;
	struct segment *segment;
	size_t n_segments, cap_segments;
	unsigned char build_id[BUILD_ID_MAX];
	size_t n_build_id;
	char debug_link[256]; /* file name of its debug file; "": none */
	bool has_symtab;
};

/** Add a symbol; one that does not fit in memory is left out. @name  NULL: none */
void table_add(struct code_table *table, uint64_t start, uint64_t size, const char *name);

/**
 * Sort, and resolve overlaps.
 *
 * @latest_wins  of overlapping symbols the last one added is right (JIT); else they are aliases, and the
 *               first one added remains
 */
void table_close(struct code_table *table, bool latest_wins);

/** Find the symbol of an address. @return NULL: none */
const struct symbol *table_find(const struct code_table *table, uint64_t address);

/** Convert an offset in the file to its address. @return false: it is not loaded */
bool table_address(const struct code_table *table, uint64_t offset, uint64_t *ret);

/** Convert an address to its offset in the file; the address itself without segments. */
uint64_t table_offset(const struct code_table *table, uint64_t address);

/** Return the bytes that it takes. */
size_t table_bytes(const struct code_table *table);

/** Release. @table  NULL accepted */
void table_free(struct code_table *table);

#endif
