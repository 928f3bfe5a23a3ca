#include "symbols/symbols.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "symbols/place/place.h"
#include "symbols/place/process.h"
#include "symbols/table/table.h"

struct symbols {
	pthread_t thread;
	pthread_mutex_t
		lock; /* for all below; taken before code_lock, never held while a file is read */
	pthread_cond_t work, idle;
	struct processes processes;
	uint64_t t_ns;       /* of the latest record */
	struct place *queue; /* places without a function */
	bool is_busy, stops;
};

/* ---- the collector's thread ---- */

static enum code_kind kind_of(const struct code_map *map)
{
	if (map->symbol)
		return CODE_GIVEN;
	if (strcmp(map->path, "[vdso]") == 0)
		return CODE_VDSO;
	/* a file has a path; memory is "//anon", "[heap]", "[anon:name]", "/memfd:name" without a file elsewhere */
	return map->path[0] != '/' || map->path[1] == '/' || !map->inode ||
			       strncmp(map->path, "/memfd:", strlen("/memfd:")) == 0
		       ? CODE_JIT
		       : CODE_FILE;
}

/* Intern the object of a mapping. @instance  of the process */
static struct code *code_of(const struct code_map *map, uint64_t instance)
{
	static const char deleted[] = " (deleted)";
	enum code_kind kind = kind_of(map);
	size_t n = strlen(map->path);
	char *path = strdup(map->path);
	struct code_key key = { .kind = kind, .path = path };
	struct code *code;

	if (!path)
		key.kind = CODE_UNKNOWN;
	if (path && n >= sizeof(deleted) && strcmp(path + n - strlen(deleted), deleted) == 0)
		path[n - strlen(deleted)] = '\0';
	if (kind == CODE_JIT)
		key.path = "[anon]";
	if (kind == CODE_JIT)
		key.generation = instance;
	if (kind == CODE_FILE) {
		key.dev_major = map->dev_major;
		key.dev_minor = map->dev_minor;
		key.inode = map->inode;
		key.generation = map->generation;
	}
	code = code_intern(&key);
	free(path);
	return code;
}

/* Add a mapping; the lock is held. @t_ns  0: it is older than all records */
static void add_mapping(struct code_process *process, const struct code_map *map, uint64_t t_ns)
{
	struct mapping mapping = { .start = map->start,
				   .end = map->start + map->size,
				   .offset = map->offset,
				   .t_ns = t_ns };

	if (mapping.end <= mapping.start)
		return;
	if (map->path) {
		mapping.code = code_of(map, process->instance);
		if (mapping.code->key.kind == CODE_UNKNOWN)
			return;
		code_lock();
		mapping.code->use = (struct code_use){ map->pid, map->start, mapping.end };
		code_unlock();
	}
	if (map->path && map->symbol)
		mapping.function = function_intern(&mapping.code->shown, map->symbol, map->offset,
						   map->size, !map->pid);
	if (mapping.code && mapping.code->key.kind == CODE_JIT)
		mapping.offset = map->start;
	if (mapping.code && mapping.code->key.kind == CODE_VDSO)
		mapping.offset = 0;
	process_map(process, &mapping);
}

void symbols_map(struct symbols *symbols, const struct code_map *map)
{
	struct code_process *process;

	pthread_mutex_lock(&symbols->lock);
	symbols->t_ns = map->t_ns;
	process = process_get(&symbols->processes, map->pid, map->t_ns);
	if (process) {
		process->ended_ns = 0;
		add_mapping(process, map, map->t_ns);
	}
	pthread_mutex_unlock(&symbols->lock);
}

void symbols_fork(struct symbols *symbols, uint32_t pid, uint32_t parent_pid, uint64_t t_ns)
{
	struct code_process *process, *parent;

	if (pid == parent_pid)
		return;
	pthread_mutex_lock(&symbols->lock);
	symbols->t_ns = t_ns;
	parent = process_get(&symbols->processes, parent_pid, t_ns);
	process = parent ? process_get(&symbols->processes, pid, t_ns) : NULL;
	if (process)
		process_fork(&symbols->processes, process, parent);
	pthread_mutex_unlock(&symbols->lock);
}

void symbols_exec(struct symbols *symbols, uint32_t pid, uint64_t t_ns)
{
	struct code_process *process;

	pthread_mutex_lock(&symbols->lock);
	symbols->t_ns = t_ns;
	process = process_get(&symbols->processes, pid, t_ns);
	if (process)
		process_clear(&symbols->processes, process);
	pthread_mutex_unlock(&symbols->lock);
}

void symbols_exit(struct symbols *symbols, uint32_t pid, uint64_t t_ns)
{
	struct code_process *process;

	pthread_mutex_lock(&symbols->lock);
	symbols->t_ns = t_ns;
	process = process_find(&symbols->processes, pid);
	if (process)
		process->ended_ns = t_ns;
	pthread_mutex_unlock(&symbols->lock);
}

/* Find or make the place of an address; the lock is held. */
static struct place *place_at(struct symbols *symbols, struct code_process *process, uint64_t ip,
			      bool is_kernel, bool *ret_is_new)
{
	static const struct code_key kernel = { .kind = CODE_KERNEL, .path = "kernel" },
				     nothing = { .kind = CODE_UNKNOWN };
	const struct mapping *mapping = process ? process_find_mapping(process, ip) : NULL;
	struct place *place;

	if (mapping)
		place = place_intern(mapping->code, ip - mapping->start + mapping->offset,
				     (uintptr_t)mapping->function, ret_is_new);
	else if (is_kernel)
		place = place_intern(code_intern(&kernel), ip, 0, ret_is_new);
	else
		place = place_intern(code_intern(&nothing), ip, process ? process->instance : 0,
				     ret_is_new);
	if (!*ret_is_new)
		return place;
	place->pid = process ? process->pid : 0;
	place->t_ns = symbols->t_ns;
	if (mapping && mapping->function)
		place_name(place, place->offset, mapping->function);
	return place;
}

const struct place *symbols_place(struct symbols *symbols, uint32_t pid, uint64_t ip,
				  bool is_kernel, uint64_t t_ns)
{
	struct code_process *process;
	struct place *place;
	bool is_new;

	pthread_mutex_lock(&symbols->lock);
	symbols->t_ns = t_ns;
	process = is_kernel ? process_find(&symbols->processes, 0)
			    : process_get(&symbols->processes, pid, t_ns);
	place = place_at(symbols, process, ip, is_kernel, &is_new);
	if (is_new && !atomic_load_explicit(&place->function, memory_order_relaxed)) {
		place->queued = symbols->queue;
		symbols->queue = place;
		pthread_cond_signal(&symbols->work);
	}
	pthread_mutex_unlock(&symbols->lock);
	return place;
}

/* ---- the symbol thread ---- */

static void name_places(struct symbols *symbols, struct place *place)
{
	(void)symbols;
	(void)place;
}

static void *symbols_main(void *data)
{
	struct symbols *symbols = data;

	pthread_setname_np(pthread_self(), "m1top/symbols");
	pthread_mutex_lock(&symbols->lock);
	while (!symbols->stops) {
		struct place *place = symbols->queue;

		symbols->is_busy = place != NULL;
		if (!place) {
			pthread_cond_broadcast(&symbols->idle);
			pthread_cond_wait(&symbols->work, &symbols->lock);
			continue;
		}
		symbols->queue = NULL;
		pthread_mutex_unlock(&symbols->lock);
		name_places(symbols, place);
		pthread_mutex_lock(&symbols->lock);
	}
	pthread_mutex_unlock(&symbols->lock);
	return NULL;
}

static void make_locks(struct symbols *symbols)
{
	pthread_condattr_t clock;

	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_mutex_init(&symbols->lock, NULL);
	pthread_cond_init(&symbols->work, &clock);
	pthread_cond_init(&symbols->idle, &clock);
	pthread_condattr_destroy(&clock);
}

static void symbols_free(struct symbols *symbols)
{
	processes_fini(&symbols->processes);
	pthread_mutex_destroy(&symbols->lock);
	pthread_cond_destroy(&symbols->work);
	pthread_cond_destroy(&symbols->idle);
	free(symbols);
}

int symbols_start(struct symbols **ret, struct err *err)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	int rc;

	if (!symbols)
		return err_set(err, ENOMEM, "out of memory");
	make_locks(symbols);
	rc = pthread_create(&symbols->thread, NULL, symbols_main, symbols);
	if (rc) {
		symbols_free(symbols);
		return err_set(err, rc, "thread of symbols: %s", strerror(rc));
	}
	*ret = symbols;
	return 0;
}

void symbols_stop(struct symbols *symbols)
{
	if (!symbols)
		return;
	pthread_mutex_lock(&symbols->lock);
	symbols->stops = true;
	pthread_cond_signal(&symbols->work);
	pthread_mutex_unlock(&symbols->lock);
	pthread_join(symbols->thread, NULL);
	symbols_free(symbols);
}

bool symbols_wait(struct symbols *symbols, int ms)
{
	struct timespec until;
	int rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000 + (until.tv_nsec + ms % 1000 * 1000000) / 1000000000;
	until.tv_nsec = (until.tv_nsec + ms % 1000 * 1000000) % 1000000000;
	pthread_mutex_lock(&symbols->lock);
	while (!rc && (symbols->queue || symbols->is_busy))
		rc = pthread_cond_timedwait(&symbols->idle, &symbols->lock, &until);
	pthread_mutex_unlock(&symbols->lock);
	return !rc;
}
