/* process.h: processes and their mappings; no files */
#ifndef SYMBOLS_PLACE_PROCESS_H
#define SYMBOLS_PLACE_PROCESS_H

#include "base/hash.h"
#include "symbols/place/place.h"

/** Beyond so many those that were used least recently are dropped; /proc has their mappings again. */
enum { PROCESSES_MAX = 10000 };

/** A mapping of code. */
struct mapping {
	uint64_t start, end, offset;
	uint64_t t_ns;                   /* since; 0: before it was known */
	struct code *code;               /* NULL: unmapped */
	const struct function *function; /* CODE_GIVEN */
};

struct code_process {
	uint32_t pid,
		parent_pid; /* parent_pid 0: its mappings are complete, or the parent is not known */
	uint64_t instance;  /* changes with exec and when the id is used again */
	uint64_t parent_instance, forked_ns;
	uint64_t used_ns;        /* latest record */
	uint64_t ended_ns;       /* 0: it runs */
	uint64_t read_ns;        /* when /proc was read, CLOCK_MONOTONIC; 0: never */
	struct mapping *mapping; /* sorted; they do not overlap */
	size_t n, cap;
};

struct processes {
	struct hash by_pid; /* struct code_process */
	uint64_t swept_ns;
};

/** Find a process. @return NULL: unknown */
struct code_process *process_find(const struct processes *processes, uint32_t pid);

/** Find or add a process that is in use at t_ns. @return NULL without memory */
struct code_process *process_get(struct processes *processes, uint32_t pid, uint64_t t_ns);

/** Begin another instance, without mappings. */
void process_clear(struct code_process *process);

/** Give a new process its parent's mappings; none without memory. */
void process_fork(struct code_process *process, const struct code_process *parent, uint64_t t_ns);

/** Add a mapping, newest on top. A process with too many loses all of them. */
void process_map(struct code_process *process, const struct mapping *mapping);

/** Find the mapped jitdump, by which a process tells profilers of it. @return NULL: none */
const struct code *process_jitdump(const struct code_process *process);

/** Find the mapping of an address. @return NULL: none */
const struct mapping *process_find_mapping(const struct code_process *process, uint64_t ip);

/** Return the time of the newest mapping in a range; 0: there is none, or only older ones than all records. */
uint64_t process_newest(const struct code_process *process, uint64_t start, uint64_t end);

/** Release all. */
void processes_fini(struct processes *processes);

#endif
