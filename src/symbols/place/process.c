#include "symbols/place/process.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"

/* A browser has some hundred mappings of code, a JIT some thousand. */
enum { MAPPINGS_MAX = 65536, N_CHAINS = 16384 };

#define ENDED_KEPT_NS (5 * NS_PER_S)

/* ---- mappings ---- */

static void maps_drop(struct maps **maps)
{
	if (*maps && --(*maps)->refs == 0) {
		free((*maps)->mapping);
		free(*maps);
	}
	*maps = NULL;
}

/* Get mappings of this process alone. @return NULL without memory */
static struct maps *maps_own(struct maps **maps)
{
	struct maps *shared = *maps, *own;

	if (shared && shared->refs == 1)
		return shared;
	own = calloc(1, sizeof(*own));
	if (!own)
		return NULL;
	own->refs = 1;
	if (shared &&
	    array_reserve((void **)&own->mapping, &own->cap, shared->n, sizeof(*own->mapping))) {
		free(own);
		return NULL;
	}
	if (shared) {
		memcpy(own->mapping, shared->mapping, shared->n * sizeof(*own->mapping));
		own->n = shared->n;
	}
	maps_drop(maps);
	return *maps = own;
}

/* Find the first mapping that ends after an address. @return its index, n: none */
static size_t maps_after(const struct maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (maps->mapping[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Replace mappings [from, to) by n others. @return false without memory */
static bool maps_replace(struct maps *maps, size_t from, size_t to, const struct mapping *by,
			 size_t n)
{
	if (array_reserve((void **)&maps->mapping, &maps->cap, maps->n + n, sizeof(*maps->mapping)))
		return false;
	memmove(maps->mapping + from + n, maps->mapping + to,
		(maps->n - to) * sizeof(*maps->mapping));
	memcpy(maps->mapping + from, by, n * sizeof(*by));
	maps->n = maps->n - (to - from) + n;
	return true;
}

static bool maps_put(struct maps *maps, const struct mapping *mapping)
{
	size_t from = maps_after(maps, mapping->start), to = from, n = 0;
	struct mapping by[3];

	while (to < maps->n && maps->mapping[to].start < mapping->end)
		to++;
	if (from < to && maps->mapping[from].start < mapping->start) {
		by[n] = maps->mapping[from];
		by[n++].end = mapping->start;
	}
	by[n++] = *mapping;
	if (from < to && maps->mapping[to - 1].end > mapping->end) {
		by[n] = maps->mapping[to - 1];
		by[n].offset += mapping->end - by[n].start;
		by[n++].start = mapping->end;
	}
	return maps_replace(maps, from, to, by, n);
}

void process_map(struct code_process *process, const struct mapping *mapping)
{
	struct maps *maps = maps_own(&process->maps);

	if (!maps || maps->n >= MAPPINGS_MAX || !maps_put(maps, mapping))
		maps_drop(&process->maps); /* rather none than wrong ones */
}

const struct mapping *process_find_mapping(const struct code_process *process, uint64_t ip)
{
	const struct maps *maps = process->maps;
	size_t i = maps ? maps_after(maps, ip) : 0;

	return maps && i < maps->n && maps->mapping[i].start <= ip && maps->mapping[i].code
		       ? &maps->mapping[i]
		       : NULL;
}

uint64_t process_newest(const struct code_process *process, uint64_t start, uint64_t end)
{
	const struct maps *maps = process->maps;
	uint64_t newest_ns = 0;

	for (size_t i = maps ? maps_after(maps, start) : 0;
	     maps && i < maps->n && maps->mapping[i].start < end; i++)
		if (maps->mapping[i].t_ns > newest_ns)
			newest_ns = maps->mapping[i].t_ns;
	return newest_ns;
}

/* ---- processes ---- */

/* Unique in the program: places that are never released have them. */
static uint64_t n_instances;

static struct code_process **chain_of(const struct processes *processes, uint32_t pid)
{
	return &processes->chain[pid % N_CHAINS];
}

struct code_process *process_find(const struct processes *processes, uint32_t pid)
{
	struct code_process *at = processes->chain ? *chain_of(processes, pid) : NULL;

	while (at && at->pid != pid)
		at = at->next;
	return at;
}

/* Drop processes that ended some time ago or were not used since a time. */
static void sweep(struct processes *processes, uint64_t ended_ns, uint64_t used_ns)
{
	for (size_t i = 0; i < N_CHAINS; i++)
		for (struct code_process **at = &processes->chain[i], *gone; (gone = *at);) {
			bool has_ended = gone->ended_ns && gone->ended_ns <= ended_ns;

			if (!gone->pid || !(has_ended || gone->used_ns < used_ns)) {
				at = &gone->next;
				continue;
			}
			*at = gone->next;
			maps_drop(&gone->maps);
			free(gone);
			processes->n--;
		}
}

/* Return the mean time of use; the kernel, which stays, does not count. */
static uint64_t mean_use(const struct processes *processes)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < N_CHAINS; i++)
		for (const struct code_process *at = processes->chain[i]; at; at = at->next)
			if (at->pid) {
				sum += (double)at->used_ns;
				n++;
			}
	return n ? (uint64_t)(sum / (double)n) + 1 : 0;
}

static void make_room(struct processes *processes, uint64_t t_ns)
{
	uint64_t ended_ns = t_ns > ENDED_KEPT_NS ? t_ns - ENDED_KEPT_NS : 0;

	if (t_ns >= processes->swept_ns + NS_PER_S) {
		sweep(processes, ended_ns, 0);
		processes->swept_ns = t_ns;
	}
	if (processes->n >= PROCESSES_MAX)
		sweep(processes, t_ns, mean_use(processes));
}

struct code_process *process_get(struct processes *processes, uint32_t pid, uint64_t t_ns)
{
	struct code_process *process = process_find(processes, pid);

	if (!process) {
		if (!processes->chain)
			processes->chain = calloc(N_CHAINS, sizeof(struct code_process *));
		if (!processes->chain)
			return NULL;
		make_room(processes, t_ns);
		process = calloc(1, sizeof(*process));
		if (!process)
			return NULL;
		process->pid = pid;
		process->instance = ++n_instances;
		process->next = *chain_of(processes, pid);
		*chain_of(processes, pid) = process;
		processes->n++;
	}
	process->used_ns = t_ns;
	return process;
}

void process_clear(struct code_process *process)
{
	maps_drop(&process->maps);
	process->instance = ++n_instances;
	process->ended_ns = process->read_ns = process->parent_pid = 0;
}

void process_fork(struct code_process *process, const struct code_process *parent, uint64_t t_ns)
{
	process_clear(process);
	process->maps = parent->maps;
	if (process->maps)
		process->maps->refs++;
	process->parent_pid = parent->pid;
	process->parent_instance = parent->instance;
	process->forked_ns = t_ns;
}

void processes_fini(struct processes *processes)
{
	if (processes->chain)
		for (size_t i = 0; i < N_CHAINS; i++)
			for (struct code_process *at = processes->chain[i], *next; at; at = next) {
				next = at->next;
				maps_drop(&at->maps);
				free(at);
			}
	free(processes->chain);
}
