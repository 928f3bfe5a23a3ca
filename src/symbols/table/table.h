/* table.h: functions of an object, sorted by address; no processes, no threads */
#ifndef SYMBOLS_TABLE_TABLE_H
#define SYMBOLS_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A file in memory. */
struct image {
	char *bytes;
	size_t n;
};

/** A symbol in a table: a function, or what begins where it ends. */
struct symbol {
	uint64_t start;
	uint32_t size; /* with SYMBOL_OPEN until table_close: at most, to the next symbol */
	uint32_t name; /* offset in names; 0: none, only its start is known */
};

#define SYMBOL_OPEN UINT32_C(0x80000000)

/** Bytes of the file that are loaded at an address. */
struct segment {
	uint64_t offset, size, address;
};

enum { BUILD_ID_MAX = 64 };

/** A build id; n is 0 without. */
struct build_id {
	uint32_t n;
	unsigned char byte[BUILD_ID_MAX];
};

/** What a file says about itself. */
struct elf_about {
	struct build_id build_id;
	char debug_link[256]; /* file name of its debug file; "": none */
	uint8_t has_symtab;
	uint8_t is_jitdump; /* no ELF file */
};

struct code_table {
	struct symbol *symbol; /* sorted; do not overlap */
	size_t n, cap;
	char *names; /* NUL-terminated names, or for the kernel "name\tmodule" */
	size_t n_names, cap_names;
	struct segment *segment;
	size_t n_segments, cap_segments;
	struct elf_about about;
	bool is_short; /* memory ran out: functions are missing */
	char *block;   /* has the arrays above, if they came from a worker */
	unsigned refs;
};

/**
 * Add a symbol. One that does not fit in memory is left out, and the table is short.
 *
 * @is_open  `size` is a maximum: another symbol may begin before
 * @name     NULL: none
 */
void table_add(struct code_table *table, uint64_t start, uint64_t size, bool is_open,
	       const char *name);

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

/** Demangle all names of a closed table. */
void table_demangle(struct code_table *table);

/** Return the bytes that it takes. */
size_t table_bytes(const struct code_table *table);

/* ---- reading what strangers wrote: in a worker without rights. Each adds what there is; table_close follows ---- */

/** Read functions, segments and the build id of an ELF file. @return 0; -ENOEXEC: it is none; -ENOTSUP: built without */
int table_read_elf(struct code_table *table, const void *image, size_t size);

/** Add the functions of a separate debug file. @return 0; -ENOENT: it has another build id or none; as table_read_elf */
int table_read_debug(struct code_table *table, const void *image, size_t size);

/** Read a perf-PID.map. @text  ends with a NUL; changed; NULL accepted */
void table_read_perf_map(struct code_table *table, char *text);

/** Add the functions of a jitdump, as far as it is written. @return 0; -ENOEXEC: it is none */
int table_read_jitdump(struct code_table *table, const void *image, size_t size);

/** Read and close /proc/kallsyms. @text  as above  @return 0; -EPERM: addresses are hidden */
int table_read_kallsyms(struct code_table *table, char *text);

/** Demangle a name of C++ or Rust. Other names stay. @buf  used for the result  @return name or buf */
const char *symbol_demangle(const char *name, char *buf, size_t size);

/** Release. @table  NULL accepted */
void table_free(struct code_table *table);

#endif
