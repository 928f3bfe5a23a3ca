/* symbols.h: names of machine code by process and address
 *
 * 1. Objects, functions and places are interned: constant, and valid until the program ends.
 * 2. The collector reports mappings, forks, execs and exits in order of time and gets a place for each
 *    address; it never waits for a file.
 * 3. A thread of its own reads /proc/PID/maps and the tables of symbols of places whose function was requested, first
 *    those with most samples. Until then the function is "[reading …]"; the name appears in the place that others
 *    already hold.
 * 4. A file is what the process mapped, never another one with the same path. An address without a
 *    name in its file stays an address, and one outside of all mappings belongs to "[unknown]".
 */
#ifndef SYMBOLS_SYMBOLS_H
#define SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct symbols;
struct place; /* an address in code; beyond a bound an object's are one, [others, not named] */

/** The file that code is from; or the kernel, a module, generated code. */
struct object {
	const char *
		name; /* "libz.so.1.2.13", "kernel", "nf_tables", "[vdso]", "[perf-812.map]", "[anon]",
			   * "[unknown]"; printable UTF-8 */
	const char *path; /* as mapped, or the name; printable UTF-8 */
};

struct function {
	const struct object *object;
	const char *
		name; /* demangled, printable UTF-8; "0x1234", its start, without a name; "[reading …]" */
	uint64_t start, size; /* addresses in the object; size 0: unknown */
	bool is_named, is_kernel;
	bool is_entry; /* by its name a program or thread begins with it */
};

/** A mapping of code, or a symbol of generated code, from a record of the kernel. */
struct code_map {
	uint32_t pid; /* 0: the kernel */
	uint32_t dev_major, dev_minor;
	uint64_t start, size;
	uint64_t offset;            /* of start in the file */
	uint64_t t_ns;              /* of the same clock as all times here */
	uint64_t inode, generation; /* of PERF_RECORD_MMAP2; 0: unknown */
	const char *path;   /* untrusted; NULL: the range is unmapped (a symbol is unregistered) */
	const char *symbol; /* untrusted; NULL; or [start, start + size) is this function of object
				     * `path`, from `offset` in it on: BPF, the simulation */
};

/**
 * Start the process whose children open and read files, which may be those of other users. Call before rights are
 * dropped and the first thread is started, if symbols may be wanted; symbols_start does it otherwise, with the rights
 * that are left.
 *
 * @return 0; -errno
 */
int symbols_start_reader(struct err *err);

/** Create, and start the thread. One per program. @ret  to be stopped  @return 0, -ENOMEM, -errno */
int symbols_start(struct symbols **ret, struct err *err);

/** Stop the thread and release; places remain. @symbols  NULL accepted */
void symbols_stop(struct symbols *symbols);

/** Get the CPU time of its thread, ns. Any thread. @symbols  NULL: 0 */
uint64_t symbols_cpu_ns(const struct symbols *symbols);

/* ---- the collector's thread, in order of time ---- */

/** Take a mapping; the newest one wins where several overlap. @map  valid during the call */
void symbols_map(struct symbols *symbols, const struct code_map *map);

/** Take a new process, which has its parent's mappings. A new thread (pid is parent_pid) changes nothing. */
void symbols_fork(struct symbols *symbols, uint32_t pid, uint32_t parent_pid, uint64_t t_ns);

/** Take an exec: the process has no mappings. */
void symbols_exec(struct symbols *symbols, uint32_t pid, uint64_t t_ns);

/** Take the end of a process (of its main thread); it is kept for a few seconds. */
void symbols_exit(struct symbols *symbols, uint32_t pid, uint64_t t_ns);

/** Forget all processes: records were missing since the last one. */
void symbols_forget(struct symbols *symbols);

/** Find the place of an address. @return never NULL */
const struct place *symbols_place(struct symbols *symbols, uint32_t pid, uint64_t ip,
				  bool is_kernel, uint64_t t_ns);

/* ---- any thread ---- */

/**
 * Return the present function of a place. Until its table is read, which this asks for, it is "[reading …]", another
 * one for each place. Never NULL.
 */
const struct function *place_function(const struct place *place);

/** Return the same for a number of samples: tables of those with most are read first. */
const struct function *place_function_of(const struct place *place, uint32_t n_samples);

/** Return what stands for a function in rows that are only shown: those of an object without a name are one. */
const struct function *function_shown(const struct function *function);

/** Return the address in its object, as in struct function; the offset in the file until its table is read. */
uint64_t place_address(const struct place *place);

/** Return the place with a known function, as of a recorded session. @address  as of place_address  @return
 * never NULL */
const struct place *place_of(const char *object, const char *function, uint64_t address,
			     bool is_kernel);

/** Whether the kernel hides its functions' addresses. @buf  why, and the command that ends it  @return false: buf stays */
bool symbols_kernel_is_hidden(char *buf, size_t size);

/** Note a bound that was reached, or a file that was given up, for messages. The same text counts once. */
void symbols_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** Take the next of these warnings. @return false: there is none */
bool symbols_take_warning(struct err *ret);

/** Wait until all places have the names that they can have now. @return false: ms have passed */
bool symbols_wait(struct symbols *symbols, int ms);

/** Do the same at an end: lists of generated code are read once more before. */
bool symbols_finish(struct symbols *symbols, int ms);

/* ---- lines of source ---- */

/** A call that was inlined. */
struct code_inlined {
	const char *function; /* the inlined one */
	const char *file;     /* of the call */
	unsigned line;
};

/** What a function's code is divided into. */
enum code_division { CODE_SOURCE, CODE_ASSEMBLY };

/** Machine code from one line of source, or one instruction. */
struct code_line {
	uint64_t start, end; /* addresses in the object; end excluded */
	const char *file;    /* path as compiled; or the instruction; printable UTF-8 */
	unsigned line;
	unsigned n_inlined;
	const struct code_inlined *inlined; /* from the inside out */
};

/** Lines or instructions of a function, in order of address; valid until symbols_stop. */
struct code_lines {
	size_t n;
	struct code_line *line;
	char *text; /* what its names point into */
};

/**
 * Get the lines or instructions of a function. The first call asks the symbol thread for them. Any thread.
 *
 * @return 0; -EAGAIN: ask again later; -ENODATA: its object has no table of lines, or no file; -ENOTSUP: built without,
 *         or libcapstone is not installed
 */
int symbols_lines(struct symbols *symbols, const struct function *function,
		  enum code_division division, const struct code_lines **ret);

/** Find the line of an address. @return NULL: none */
const struct code_line *code_lines_at(const struct code_lines *lines, uint64_t address);

#endif
