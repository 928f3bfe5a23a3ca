#include "symbols/place/process.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"

/* A browser has some hundred mappings of code, a JIT some thousand. */
enum { MAPPINGS_MAX = 65536 };

#define ENDED_NS (5 * NS_PER_S)

/* ---- mappings ---- */

/* Find the first mapping that ends after an address. @return its index, n: none */
static size_t mapping_after(const struct code_process *process, uint64_t address)
{
	return array_above(process->mapping, process->n, sizeof(*process->mapping),
			   offsetof(struct mapping, end), address);
}

/* Replace mappings [from, to) by n others. @return false without memory */
static bool replace_mappings(struct code_process *process, size_t from, size_t to,
			     const struct mapping *by, size_t n)
{
	if (array_reserve((void **)&process->mapping, &process->cap, process->n + n, sizeof(*by)))
		return false;
	memmove(process->mapping + from + n, process->mapping + to,
		(process->n - to) * sizeof(*by));
	memcpy(process->mapping + from, by, n * sizeof(*by));
	process->n = process->n - (to - from) + n;
	return true;
}

void process_map(struct code_process *process, const struct mapping *mapping)
{
	size_t from = mapping_after(process, mapping->start), to = from, n = 0;
	struct mapping by[3];

	while (to < process->n && process->mapping[to].start < mapping->end)
		to++;
	if (from < to && process->mapping[from].start < mapping->start) {
		by[n] = process->mapping[from];
		by[n++].end = mapping->start;
	}
	by[n++] = *mapping;
	if (from < to && process->mapping[to - 1].end > mapping->end) {
		by[n] = process->mapping[to - 1];
		by[n].offset += mapping->end - by[n].start;
		by[n++].start = mapping->end;
	}
	if (process->n < MAPPINGS_MAX && replace_mappings(process, from, to, by, n))
		return;
	process->n = 0; /* rather none than wrong ones */
	symbols_warn(
		"more than %d mappings, or no memory, in process %u: its code may be [unknown]",
		MAPPINGS_MAX, process->pid);
}

const struct mapping *process_find_mapping(const struct code_process *process, uint64_t ip)
{
	size_t i = mapping_after(process, ip);
	const struct mapping *found = i < process->n ? &process->mapping[i] : NULL;

	return found && found->start <= ip && found->code ? found : NULL;
}

/* Whether it is named jit-PID.dump. */
static bool is_jitdump(const struct code *code)
{
	static const char begin[] = "/jit-";
	const char *at = strrchr(code->key.path, '/');

	if (code->key.kind != CODE_FILE || !at || strncmp(at, begin, strlen(begin)) != 0)
		return false;
	at += strlen(begin);
	at += strspn(at, "0123456789");
	return strcmp(at, ".dump") == 0;
}

const struct code *process_jitdump(const struct code_process *process)
{
	for (size_t i = 0; i < process->n; i++)
		if (process->mapping[i].code && is_jitdump(process->mapping[i].code))
			return process->mapping[i].code;
	return NULL;
}

uint64_t process_newest(const struct code_process *process, uint64_t start, uint64_t end)
{
	uint64_t newest_ns = 0;

	for (size_t i = mapping_after(process, start);
	     i < process->n && process->mapping[i].start < end; i++)
		if (process->mapping[i].t_ns > newest_ns)
			newest_ns = process->mapping[i].t_ns;
	return newest_ns;
}

/* ---- processes ---- */

/* Unique in the program: places that are never released have them. */
static uint64_t n_instances;

struct code_process *process_find(const struct processes *processes, uint32_t pid)
{
	struct code_process *process;

	hash_each(&processes->by_pid, hash_mix(0, pid), process)
		if (process->pid == pid)
			break;
	return process;
}

static void process_free(struct code_process *process)
{
	free(process->mapping);
	free(process);
}

/* Drop processes that ended some time ago or were not used since a time. */
static void sweep(struct processes *processes, uint64_t ended_ns, uint64_t used_ns)
{
	struct hash_walk walk = { 0 };
	struct code_process *at;

	while ((at = hash_walk(&processes->by_pid, &walk))) {
		bool has_ended = at->ended_ns && at->ended_ns <= ended_ns;

		if (at->pid && (has_ended || at->used_ns < used_ns)) {
			process_free(at);
			hash_remove(&processes->by_pid, &walk);
		}
	}
}

/* Return the mean time of use; the kernel, which stays, does not count. */
static uint64_t mean_use(const struct processes *processes)
{
	struct hash_walk walk = { 0 };
	const struct code_process *at;
	double sum = 0;
	size_t n = 0;

	while ((at = hash_walk(&processes->by_pid, &walk)))
		if (at->pid) {
			sum += (double)at->used_ns;
			n++;
		}
	return n ? (uint64_t)(sum / (double)n) + 1 : 0;
}

static void make_room(struct processes *processes, uint64_t t_ns)
{
	uint64_t ended_ns = t_ns > ENDED_NS ? t_ns - ENDED_NS : 0;

	if (t_ns >= processes->swept_ns + NS_PER_S) {
		sweep(processes, ended_ns, 0);
		processes->swept_ns = t_ns;
	}
	if (processes->by_pid.n < PROCESSES_MAX)
		return;
	sweep(processes, t_ns, mean_use(processes));
	symbols_warn("more than %d processes at a time: code of those that ran least recently may "
		     "be [unknown]",
		     PROCESSES_MAX);
}

struct code_process *process_get(struct processes *processes, uint32_t pid, uint64_t t_ns)
{
	struct code_process *process = process_find(processes, pid);

	if (!process) {
		make_room(processes, t_ns);
		process = calloc(1, sizeof(*process));
		if (!process || hash_add(&processes->by_pid, hash_mix(0, pid), process)) {
			free(process);
			return NULL;
		}
		process->pid = pid;
		process->instance = ++n_instances;
	}
	process->used_ns = t_ns;
	return process;
}

void process_clear(struct code_process *process)
{
	process->n = 0;
	process->instance = ++n_instances;
	process->ended_ns = process->read_ns = process->parent_pid = 0;
}

void process_fork(struct code_process *process, const struct code_process *parent, uint64_t t_ns)
{
	process_clear(process);
	if (parent->n)
		(void)replace_mappings(process, 0, 0, parent->mapping, parent->n);
	process->parent_pid = parent->pid;
	process->parent_instance = parent->instance;
	process->forked_ns = t_ns;
}

void processes_fini(struct processes *processes)
{
	struct hash_walk walk = { 0 };
	struct code_process *at;

	while ((at = hash_walk(&processes->by_pid, &walk)))
		process_free(at);
	hash_fini(&processes->by_pid);
}
