#include "symbols/place/process.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"

/* A browser has some hundred mappings of code, a JIT some thousand. */
enum { MAPPINGS_MAX = 65536, N_CHAINS = 16384 };

#define ENDED_KEPT_NS (5 * NS_PER_S)

/* ---- mappings ---- */

/* Find the first mapping that ends after an address. @return its index, n: none */
static size_t mapping_after(const struct code_process *process, uint64_t address)
{
	size_t low = 0, high = process->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (process->mapping[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
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
	if (process->n >= MAPPINGS_MAX || !replace_mappings(process, from, to, by, n))
		process->n = 0; /* rather none than wrong ones */
}

const struct mapping *process_find_mapping(const struct code_process *process, uint64_t ip)
{
	size_t i = mapping_after(process, ip);
	const struct mapping *found = i < process->n ? &process->mapping[i] : NULL;

	return found && found->start <= ip && found->code ? found : NULL;
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
			free(gone->mapping);
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
	if (processes->chain)
		for (size_t i = 0; i < N_CHAINS; i++)
			for (struct code_process *at = processes->chain[i], *next; at; at = next) {
				next = at->next;
				free(at->mapping);
				free(at);
			}
	free(processes->chain);
}
