#include "symbols/symbols.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/rights.h"
#include "symbols/place/load.h"
#include "symbols/place/place.h"
#include "symbols/place/process.h"
#include "symbols/reader/reader.h"
#include "symbols/table/lines.h"
#include "symbols/table/table.h"

/* Chromium's table has 3 MB, the kernel's 8. */
enum { TABLES_MAX = 64 << 20 };

/* A process and generated code are not looked at again before. */
#define AGAIN_NS     NS_PER_S
#define JIT_AGAIN_NS (NS_PER_S / 10)

/* A function whose lines were requested. */
struct lines_request {
	struct lines_request *next;
	const struct function *function;
	int rc;
	bool is_begun; /* symbol thread */
	enum code_division division;
	struct code_lines *lines;
};

static const char reading_name[] = "[reading …]";

struct symbols {
	pthread_t thread;
	pthread_mutex_t
		lock; /* for what follows; taken before code_lock, never held while a file is read */
	pthread_cond_t idle;
	struct processes processes;
	uint64_t t_ns;       /* of the latest record */
	struct place *queue; /* places whose function was requested */
	struct lines_request *lines;
	bool is_busy, is_waiting, stops;
	bool looks_at_jit; /* at generated code whose list was not read again since */
	bool is_ending;    /* lists of generated code are read once more */
	/* Of the symbol thread alone. */
	struct place *
		waiting; /* their tables are being read, could not be read, or do not have them yet */
	struct code **known; /* objects whose tables were read */
	size_t n_known, cap_known;
	size_t n_bytes;   /* of tables */
	uint64_t list_ns; /* lists of generated code that were read earlier are read again */
	uint64_t modules, modules_ns; /* hash of /proc/modules, and when it was made */
};

static _Atomic(struct symbols *) running; /* the one of the program */

/* Tell the symbol thread that there is work; the lock is held. */
static void wake(struct symbols *symbols)
{
	if (symbols->is_waiting)
		reader_wake();
	symbols->is_waiting = false;
}

/* ---- the collector's thread ---- */

/* Intern the object of a mapping. @instance  of the process */
static struct code *code_of(const struct code_map *map, uint64_t instance)
{
	static const char deleted[] = " (deleted)";
	enum code_kind kind = code_kind_of(map);
	size_t n = strlen(map->path);
	AUTO_FREE char *path = strdup(map->path);
	struct code_key key = { .kind = kind, .path = path };

	if (!path)
		return code_intern(&(struct code_key){ .kind = CODE_UNKNOWN });
	if (n >= sizeof(deleted) && strcmp(path + n - strlen(deleted), deleted) == 0)
		path[n - strlen(deleted)] = '\0';
	if (kind == CODE_JIT)
		key.path = map->path[0] == '[' ? map->path : "[anon]"; /* "[vsyscall]" */
	if (kind == CODE_JIT)
		key.generation = instance;
	if (kind == CODE_FILE) {
		key.dev_major = map->dev_major;
		key.dev_minor = map->dev_minor;
		key.inode = map->inode;
		key.generation = map->generation;
	}
	return code_intern(&key);
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
	process = process_get(&symbols->processes, pid, t_ns);
	parent = process_get(&symbols->processes, parent_pid, t_ns);
	if (process && parent && process == process_find(&symbols->processes, pid))
		process_fork(process, parent, t_ns);
	pthread_mutex_unlock(&symbols->lock);
}

void symbols_exec(struct symbols *symbols, uint32_t pid, uint64_t t_ns)
{
	struct code_process *process;

	pthread_mutex_lock(&symbols->lock);
	symbols->t_ns = t_ns;
	process = process_get(&symbols->processes, pid, t_ns);
	if (process)
		process_clear(process);
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

void symbols_forget(struct symbols *symbols)
{
	pthread_mutex_lock(&symbols->lock);
	processes_fini(&symbols->processes);
	symbols->processes = (struct processes){ 0 };
	pthread_mutex_unlock(&symbols->lock);
}

/* Find or make the place of an address; the lock is held. */
static struct place *place_at(struct symbols *symbols, struct code_process *process, uint64_t ip,
			      bool is_kernel, bool *ret_is_new)
{
	static const struct code_key kernel = { .kind = CODE_KERNEL, .path = "kernel" };
	const struct code_key nothing = { .kind = CODE_UNKNOWN,
					  .generation = process ? process->instance : 0,
					  .path = reading_name };
	const struct mapping *mapping = process ? process_find_mapping(process, ip) : NULL;
	struct place *place;

	if (mapping)
		place = place_intern(mapping->code, ip - mapping->start + mapping->offset,
				     (uintptr_t)mapping->function, ret_is_new);
	else if (is_kernel)
		place = place_intern(code_intern(&kernel), ip, 0, ret_is_new);
	else
		place = place_intern(code_intern(&nothing), ip, 0, ret_is_new);
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
	pthread_mutex_unlock(&symbols->lock);
	return place;
}

/* ---- any thread ---- */

/* Ask for the name of a place, with n samples. */
static void want(struct place *place, uint32_t n)
{
	struct symbols *symbols = atomic_load_explicit(&running, memory_order_acquire);

	atomic_fetch_add_explicit(&place->code->n_wanted, n, memory_order_relaxed);
	if (!symbols || atomic_exchange_explicit(&place->is_wanted, true, memory_order_relaxed))
		return;
	pthread_mutex_lock(&symbols->lock);
	place->queued = symbols->queue;
	symbols->queue = place;
	wake(symbols);
	pthread_mutex_unlock(&symbols->lock);
}

/* Have the list of generated code read again if it is due. */
static void want_again(struct code *code)
{
	struct symbols *symbols = atomic_load_explicit(&running, memory_order_acquire);

	if (!symbols || atomic_load_explicit(&code->is_looked_at, memory_order_relaxed) ||
	    atomic_exchange(&code->is_looked_at, true))
		return;
	pthread_mutex_lock(&symbols->lock);
	symbols->looks_at_jit = true;
	wake(symbols);
	pthread_mutex_unlock(&symbols->lock);
}

const struct function *place_function_of(const struct place *place, uint32_t n_samples)
{
	struct place *real = place_real(place);
	const struct function *function =
		atomic_load_explicit(&real->function, memory_order_acquire);

	if (function && real->code->key.kind == CODE_JIT)
		want_again(real->code);
	if (function)
		return function;
	want(real, n_samples);
	return function_without_name(&real->code->shown, reading_name, real->offset,
				     real->code->key.kind == CODE_KERNEL);
}

const struct function *place_function(const struct place *place)
{
	return place_function_of(place, 1);
}

/* ---- the symbol thread: tables ---- */

/* Take a table away. */
static void drop_table(struct symbols *symbols, struct code *code)
{
	struct code_table *table = code->table;

	load_forget(code);
	code_lock();
	code->table = NULL;
	code_unlock();
	code->tried_ns = 0;
	if (!table || --table->refs)
		return;
	symbols->n_bytes -= table_bytes(table);
	table_free(table);
}

/* Drop the tables that were used least recently, but for this one. */
static void bound_tables(struct symbols *symbols, const struct code *but)
{
	while (symbols->n_bytes > TABLES_MAX) {
		struct code *oldest = NULL;

		for (size_t i = 0; i < symbols->n_known; i++) {
			struct code *code = symbols->known[i];

			if (code->table && code != but &&
			    (!oldest || code->used_ns < oldest->used_ns))
				oldest = code;
		}
		if (!oldest)
			return;
		drop_table(symbols, oldest);
	}
}

/* Find an object that was read before and has the same build id. */
static struct code *find_same(const struct symbols *symbols, const struct code *code)
{
	for (size_t i = 0; code->build_id.n && i < symbols->n_known; i++) {
		struct code *known = symbols->known[i];

		if (known != code &&
		    memcmp(&known->build_id, &code->build_id, sizeof(code->build_id)) == 0 &&
		    strcmp(known->shown.name, code->shown.name) == 0)
			return known;
	}
	return NULL;
}

/* Give an object its table; one with the same build id shares it. @table  taken over */
static void set_table(struct symbols *symbols, struct code *code, struct code_table *table)
{
	struct code *same;

	code->build_id = table->about.build_id;
	same = find_same(symbols, code);
	if (same)
		code->same = same->same ? same->same : &same->shown;
	if (same && same->table) {
		table_free(table);
		table = same->table;
		table->refs++;
	} else {
		symbols->n_bytes += table_bytes(table);
	}
	code_lock();
	code->table = table;
	code_unlock();
	if (!code->is_known)
		code->is_known = !array_append((void **)&symbols->known, &symbols->cap_known,
					       &symbols->n_known, &code, sizeof(struct code *));
	bound_tables(symbols, code);
}

/* Whether modules were loaded or removed since the last call. */
static bool modules_changed(struct symbols *symbols, uint64_t now_ns)
{
	AUTO_FREE char *text = NULL;
	uint64_t before = symbols->modules;
	size_t n;

	if (now_ns - symbols->modules_ns < AGAIN_NS)
		return false;
	symbols->modules_ns = now_ns;
	if (file_read("/proc/modules", 1 << 20, &text, &n))
		return false;
	symbols->modules = hash_text(0, text);
	return symbols->modules != before;
}

/* Whether a table that was not read, or lacks an address, may be there by now. */
static bool is_due(struct symbols *symbols, const struct code *code, const struct code_use *use,
		   uint64_t now_ns)
{
	bool has_changed = code->key.kind == CODE_KERNEL && modules_changed(symbols, now_ns);

	if (code->is_given_up)
		return false;
	if (!code->tried_ns)
		return true;
	switch (code->key.kind) {
	case CODE_KERNEL: /* what is hidden may be shown later */
		return has_changed ||
		       (!code->table && now_ns - code->tried_ns >= AGAIN_NS + 20 * code->took_ns);
	case CODE_JIT: /* at most a twentieth of the time goes into a file that grows */
		return code->tried_ns < symbols->list_ns ||
		       now_ns - code->tried_ns >= JIT_AGAIN_NS + 20 * code->took_ns;
	case CODE_FILE:
		return !code->table &&
		       (use->pid != code->tried.pid || use->start != code->tried.start) &&
		       now_ns - code->tried_ns >= AGAIN_NS;
	default: return false;
	}
}

/* Give up an object whose file cannot be read within bounds, and say so. */
static void give_up(struct code *code, int rc)
{
	const char *why = rc == -EFBIG     ? "it takes more than 2 s of CPU time, 10 s or 112 MB"
			  : rc == -EDQUOT  ? "files of its owner took too much time already"
			  : rc == -EBUSY   ? "too many files hang"
			  : rc == -EBADMSG ? "what came of it makes no sense"
					   : NULL;

	if (!why)
		return;
	code->is_given_up = code->key.kind != CODE_KERNEL && rc != -EBUSY;
	symbols_warn("%s: symbols not read: %s", code->shown.path, why);
}

/* Look for the jitdump of the process that is tried. */
static void find_jitdump(struct symbols *symbols, struct code *code)
{
	const struct code_process *process;

	pthread_mutex_lock(&symbols->lock);
	process = process_find(&symbols->processes, code->tried.pid);
	if (process && process->instance == code->key.generation)
		code->dump = process_jitdump(process);
	pthread_mutex_unlock(&symbols->lock);
}

/* Read the table of an object if it may have changed. @return whether it was read */
static bool load(struct symbols *symbols, struct code *code)
{
	uint64_t now_ns = clock_now_ns();
	struct code_table *table;
	struct code_use use;
	char why[256];
	int rc;

	code_lock();
	use = code->use;
	code_unlock();
	if (code->key.kind == CODE_JIT && code->is_loading && code->tried_ns < symbols->list_ns)
		load_forget(code); /* what it reads may lack the last names */
	if (!code->is_loading && !is_due(symbols, code, &use, now_ns))
		return false;
	if (!code->is_loading) {
		code->tried = use;
		code->tried_ns = now_ns;
		if (code->key.kind == CODE_JIT)
			find_jitdump(symbols, code);
	}
	rc = load_table(code, &code->tried, &table);
	code->is_loading = rc == -EINPROGRESS;
	if (code->is_loading)
		return false;
	now_ns = code->tried_ns;
	if (!rc) {
		drop_table(symbols, code);
		set_table(symbols, code, table);
	}
	give_up(code, rc);
	if (rc && code->key.kind == CODE_KERNEL && symbols_kernel_is_hidden(why, sizeof(why)))
		symbols_warn("functions of the kernel have no names: %s", why);
	if (reader_has_lost_rights())
		symbols_warn(rc == -EPIPE
				     ? "m1top/reader has ended too often: new files have no names"
				     : "m1top/reader has ended and was started again, without "
				       "rights that were given up: "
				       "new files of other users have no names");
	code->tried_ns = now_ns;
	code->took_ns = clock_now_ns() - now_ns;
	return !rc;
}

/* ---- the symbol thread: places ---- */

/* Make a function of a symbol of the kernel, "name\tmodule". */
static const struct function *kernel_function(const struct code *code, const struct symbol *symbol,
					      const char *name)
{
	const struct object *object = &code->shown;
	char copy[1024], *module;

	snprintf(copy, sizeof(copy), "%s", name);
	module = strchr(copy, '\t');
	if (module) {
		*module = '\0';
		object = &code_intern(&(struct code_key){ .kind = CODE_GIVEN, .path = module + 1 })
				  ->shown;
	}
	return function_intern(object, copy, symbol->start, symbol->size, true);
}

/* Make a function of generated code. */
static const struct function *jit_function(const struct code *code, const struct symbol *symbol,
					   const char *name)
{
	char path[32];

	snprintf(path, sizeof(path),
		 code->table->about.is_jitdump ? "[jit-%u.dump]" : "[perf-%u.map]",
		 code->tried.pid);

	const struct code *map =
		code_intern(&(struct code_key){ .kind = CODE_GIVEN, .path = path });

	return function_intern(&map->shown, name, symbol->start, symbol->size, false);
}

static const struct function *make_function(const struct code *code, const struct symbol *symbol,
					    uint64_t address)
{
	const struct object *object = code->same ? code->same : &code->shown;
	const char *name = symbol && symbol->name ? code->table->names + symbol->name : NULL;
	bool is_kernel = code->key.kind == CODE_KERNEL;

	if (!name)
		return function_intern(object, NULL, symbol ? symbol->start : address,
				       symbol ? symbol->size : 0, is_kernel);
	if (is_kernel)
		return kernel_function(code, symbol, name);
	if (code->key.kind == CODE_JIT)
		return jit_function(code, symbol, name);
	return function_intern(object, name, symbol->start, symbol->size, false);
}

/* Find the symbol of an offset. @ret_address  unchanged if it is not loaded */
static const struct symbol *find_symbol(const struct code *code, uint64_t offset,
					uint64_t *ret_address)
{
	return code->table && table_address(code->table, offset, ret_address)
		       ? table_find(code->table, *ret_address)
		       : NULL;
}

/* Make a function of an address that has no name as yet. */
static const struct function *unnamed_function(const struct code *code, uint64_t offset)
{
	bool is_kernel = code->key.kind == CODE_KERNEL;

	return is_kernel && !code->table
		       ? function_without_name(&code->shown, "[hidden by kptr_restrict]", offset,
					       true)
		       : function_intern(&code->shown, NULL, offset, 0, is_kernel);
}

/* Name a place, or let it wait: a table may be readable later, and those of the kernel and of a JIT grow. */
static void name_place(struct symbols *symbols, struct place *place)
{
	struct code *code = place->code;
	bool grows = code->key.kind == CODE_KERNEL || code->key.kind == CODE_JIT;
	bool is_fresh = (!code->table || code->key.kind == CODE_KERNEL) && load(symbols, code);
	uint64_t address = place->offset;
	const struct symbol *symbol = find_symbol(code, place->offset, &address);

	if (!symbol && grows && !is_fresh && load(symbols, code))
		symbol = find_symbol(code, place->offset, &address);
	code->used_ns = clock_now_ns();
	if (!code->table && code->is_given_up) {
		place_name(place, address,
			   function_intern(&code->shown, "[too large to name]", 0, 0, false));
		return;
	}
	if (code->table && (symbol || !grows)) {
		place_name(place, address, make_function(code, symbol, address));
		return;
	}
	if (!symbol && !code->is_loading)
		place_name(place, place->offset, unnamed_function(code, place->offset));
	place->queued = symbols->waiting;
	symbols->waiting = place;
}

/* ---- the symbol thread: processes whose mappings were not recorded ---- */

/* A process whose /proc/PID/maps is read. */
struct maps_reading {
	struct symbols *symbols;
	uint32_t pid;
	uint64_t instance, since_ns;
};

/* Return the process if it is still the same; the lock is held. */
static struct code_process *same_process(struct symbols *symbols, uint32_t pid, uint64_t instance)
{
	struct code_process *process = process_find(&symbols->processes, pid);

	return process && process->instance == instance ? process : NULL;
}

/* Whether a mapping is known already. */
static bool has_mapping(const struct code_process *process, const struct code_map *map)
{
	const struct mapping *mapping = process_find_mapping(process, map->start);
	const struct code_key *key = mapping ? &mapping->code->key : NULL;

	return key && mapping->end >= map->start + map->size &&
	       (key->kind != CODE_FILE ||
		(key->inode == map->inode && key->dev_major == map->dev_major &&
		 key->dev_minor == map->dev_minor &&
		 mapping->offset + (map->start - mapping->start) == map->offset)) &&
	       (key->kind == CODE_FILE) == (code_kind_of(map) == CODE_FILE);
}

/* Add a mapping of /proc, unless a newer one was recorded meanwhile. One in the place of another is as new as the
 * reading; else it is older than all records. */
static void take_mapping(void *data, const struct code_map *map)
{
	const struct maps_reading *reading = data;
	struct code_process *process;

	pthread_mutex_lock(&reading->symbols->lock);
	process = same_process(reading->symbols, reading->pid, reading->instance);
	if (process && !has_mapping(process, map)) {
		uint64_t end = map->start + map->size;
		uint64_t newest_ns = process_newest(process, map->start, end);

		if (newest_ns <= reading->since_ns)
			add_mapping(process, map, newest_ns ? reading->since_ns : 0);
	}
	pthread_mutex_unlock(&reading->symbols->lock);
}

/* Find the mapping of an address that a process had at a time; the lock is held. */
static bool mapping_at(const struct code_process *process, uint64_t ip, uint64_t t_ns,
		       struct mapping *ret)
{
	const struct mapping *mapping = process ? process_find_mapping(process, ip) : NULL;

	if (mapping)
		*ret = *mapping;
	return mapping && mapping->t_ns <= t_ns;
}

/* Find the mapping in a process or, as it may have ended, in the one that it was forked from. @return 0; -ENOENT;
 * -EINPROGRESS: its mappings are being read */
static int find_mapping(struct symbols *symbols, uint32_t pid, uint64_t instance, uint64_t ip,
			uint64_t t_ns, struct mapping *ret)
{
	struct maps_reading reading = { symbols, pid, instance, 0 };
	struct code_process *process;
	bool is_found;
	int rc = 0;

	pthread_mutex_lock(&symbols->lock);
	reading.since_ns = symbols->t_ns;
	process = same_process(symbols, pid, instance);
	is_found = mapping_at(process, ip, t_ns, ret);
	if (!is_found && process && clock_now_ns() - process->read_ns >= AGAIN_NS) {
		pthread_mutex_unlock(&symbols->lock);
		rc = load_maps(pid, instance, take_mapping, &reading);
		if (rc == -EFBIG)
			symbols_warn("/proc/%u/maps is too long to be read: code of this process "
				     "may be [unknown]",
				     pid);
		pthread_mutex_lock(&symbols->lock);
		process = same_process(symbols, pid, instance);
		if (process && rc != -EINPROGRESS)
			process->read_ns = clock_now_ns();
		is_found = mapping_at(process, ip, t_ns, ret);
	}
	pid = process && !is_found ? process->parent_pid : 0;
	instance = process ? process->parent_instance : 0;
	t_ns = process ? process->forked_ns : 0;
	pthread_mutex_unlock(&symbols->lock);
	if (is_found || rc == -EINPROGRESS)
		return is_found ? 0 : rc;
	return pid ? find_mapping(symbols, pid, instance, ip, t_ns, ret) : -ENOENT;
}

static void name_unknown(struct symbols *symbols, struct place *place)
{
	static const struct code_key nothing = { .kind = CODE_UNKNOWN };
	struct mapping mapping;
	struct place *same;
	bool is_new;
	int rc = find_mapping(symbols, place->pid, place->code->key.generation, place->offset,
			      place->t_ns, &mapping);

	if (rc == -EINPROGRESS) {
		place->queued = symbols->waiting;
		symbols->waiting = place;
		return;
	}
	if (rc) {
		place_name(place, place->offset,
			   function_intern(&code_intern(&nothing)->shown, NULL, place->offset, 0,
					   false));
		return;
	}
	same = place_intern(mapping.code, place->offset - mapping.start + mapping.offset,
			    (uintptr_t)mapping.function, &is_new);
	if (is_new && mapping.function)
		place_name(same, same->offset, mapping.function);
	else if (!atomic_exchange_explicit(&same->is_wanted, true, memory_order_relaxed))
		name_place(symbols, same);
	atomic_store_explicit(&place->same, same, memory_order_release);
}

static void name_places(struct symbols *symbols, struct place *place)
{
	for (struct place *next; place; place = next) {
		next = place->queued;
		if (place->code->key.kind == CODE_UNKNOWN)
			name_unknown(symbols, place);
		else
			name_place(symbols, place);
	}
}

/* ---- the symbol thread: its loop ---- */

static void read_lines(struct symbols *symbols, struct lines_request *request)
{
	const struct function *function = request->function;
	struct code *code = (struct code *)function->object;
	struct code_lines *lines = NULL;
	struct code_use use;
	int rc = -ENODATA;

	code_lock();
	use = code->use;
	code_unlock();
	request->is_begun = true;
	if (code->key.kind == CODE_FILE && function->size)
		rc = load_lines(code, &use, function, request->division, &lines);
	if (rc == -EINPROGRESS)
		return;
	pthread_mutex_lock(&symbols->lock);
	request->lines = lines;
	request->rc = rc == -ENOTSUP ? rc : rc ? -ENODATA : 0;
	pthread_mutex_unlock(&symbols->lock);
}

/* Find a request that was not begun; the lock is held. */
static struct lines_request *next_lines(const struct symbols *symbols)
{
	struct lines_request *request = symbols->lines;

	while (request && request->is_begun)
		request = request->next;
	return request;
}

/* Wait for work, or for the end of a request; at most a while if places wait for tables. @return whether those that
 * wait are due */
static bool wait_for_work(struct symbols *symbols)
{
	bool has_news, looks_at_jit = symbols->looks_at_jit;

	symbols->is_busy = reader_is_busy();
	symbols->is_waiting = true;
	if (!symbols->is_busy)
		pthread_cond_broadcast(&symbols->idle);
	pthread_mutex_unlock(&symbols->lock);
	has_news = reader_poll(looks_at_jit       ? (int)(JIT_AGAIN_NS / NS_PER_MS)
			       : symbols->waiting ? 1000
						  : -1);
	pthread_mutex_lock(&symbols->lock);
	has_news |= symbols->is_waiting; /* nobody has woken it */
	symbols->is_waiting = false;
	return has_news;
}

/* Read lists of generated code that is looked at again: they grow, and addresses are used again. */
static void read_generated(struct symbols *symbols)
{
	bool looks_at_jit = false;

	pthread_mutex_lock(&symbols->lock);
	symbols->looks_at_jit = false;
	pthread_mutex_unlock(&symbols->lock);
	for (size_t i = 0; i < symbols->n_known; i++) {
		struct code *code = symbols->known[i];

		if (code->key.kind != CODE_JIT || code->is_given_up)
			continue;
		if (code->is_loading || code->tried_ns < symbols->list_ns ||
		    atomic_load(&code->is_looked_at))
			(void)load(symbols, code);
		if (code->is_loading)
			atomic_store(&code->is_looked_at, false);
		looks_at_jit |= atomic_load(&code->is_looked_at);
	}
	pthread_mutex_lock(&symbols->lock);
	symbols->looks_at_jit |= looks_at_jit;
	pthread_mutex_unlock(&symbols->lock);
}

/* Name those that wait, and answer requests for lines that are under way. */
static void look_again(struct symbols *symbols)
{
	struct place *place = symbols->waiting;
	struct lines_request *first;

	symbols->waiting = NULL;
	name_places(symbols, place);
	read_generated(symbols);
	pthread_mutex_lock(&symbols->lock);
	first = symbols->lines; /* others are added before it */
	pthread_mutex_unlock(&symbols->lock);
	for (struct lines_request *at = first; at; at = at->next)
		if (at->is_begun && at->rc == -EAGAIN)
			read_lines(symbols, at);
}

/* Take the places of the object, or of the process without mappings, with most samples; the lock is held. */
static struct place *take_most(struct symbols *symbols)
{
	struct code *most = NULL;
	struct place *taken = NULL, *next;
	uint32_t n, n_most = 0;

	for (struct place *at = symbols->queue; at; at = at->queued) {
		n = atomic_load_explicit(&at->code->n_wanted, memory_order_relaxed);
		if (!most || n > n_most) {
			most = at->code;
			n_most = n;
		}
	}
	if (most)
		atomic_store_explicit(&most->n_wanted, 0, memory_order_relaxed);
	for (struct place **at = &symbols->queue; *at;) {
		if ((*at)->code != most) {
			at = &(*at)->queued;
			continue;
		}
		next = (*at)->queued;
		(*at)->queued = taken;
		taken = *at;
		*at = next;
	}
	return taken;
}

static void *symbols_main(void *data)
{
	struct symbols *symbols = data;

	rights_drop(RIGHT_REAL_TIME);
	pthread_setname_np(pthread_self(), "m1top/symbols");
	pthread_mutex_lock(&symbols->lock);
	while (!symbols->stops) {
		struct place *place = take_most(symbols);
		struct lines_request *request = next_lines(symbols);
		bool looks_again = !place && !request && wait_for_work(symbols);

		looks_again |= symbols->is_ending;
		if (symbols->is_ending)
			symbols->list_ns = clock_now_ns();
		symbols->is_ending = false;
		if (!place && !request && !looks_again)
			continue;
		symbols->is_busy = true;
		pthread_mutex_unlock(&symbols->lock);
		if (looks_again || reader_poll(0))
			look_again(symbols);
		name_places(symbols, place);
		if (request)
			read_lines(symbols, request);
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
	pthread_cond_init(&symbols->idle, &clock);
	pthread_condattr_destroy(&clock);
}

static void symbols_free(struct symbols *symbols)
{
	for (struct lines_request *next; symbols->lines; symbols->lines = next) {
		next = symbols->lines->next;
		lines_free(symbols->lines->lines);
		free(symbols->lines);
	}
	for (size_t i = 0; i < symbols->n_known; i++) {
		symbols->known[i]->is_known = false;
		drop_table(symbols, symbols->known[i]);
	}
	free(symbols->known);
	load_stop();
	reader_stop();
	processes_fini(&symbols->processes);
	pthread_mutex_destroy(&symbols->lock);
	pthread_cond_destroy(&symbols->idle);
	free(symbols);
}

int symbols_start(struct symbols **ret, struct err *err)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	int rc = symbols_start_reader(err);

	if (rc || !symbols) {
		free(symbols);
		return rc ? rc : err_set(err, ENOMEM, "out of memory");
	}
	make_locks(symbols);
	rc = pthread_create(&symbols->thread, NULL, symbols_main, symbols);
	if (rc) {
		symbols_free(symbols);
		return err_set(err, rc, "thread of symbols: %s", strerror(rc));
	}
	atomic_store_explicit(&running, symbols, memory_order_release);
	*ret = symbols;
	return 0;
}

uint64_t symbols_cpu_ns(const struct symbols *symbols)
{
	clockid_t clock;

	return symbols && !pthread_getcpuclockid(symbols->thread, &clock) ? clock_ns(clock) : 0;
}

void symbols_stop(struct symbols *symbols)
{
	if (!symbols)
		return;
	atomic_store_explicit(&running, NULL, memory_order_release);
	pthread_mutex_lock(&symbols->lock);
	symbols->stops = true;
	pthread_mutex_unlock(&symbols->lock);
	reader_cancel();
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
	while (!rc && (symbols->queue || symbols->is_busy || symbols->is_ending))
		rc = pthread_cond_timedwait(&symbols->idle, &symbols->lock, &until);
	pthread_mutex_unlock(&symbols->lock);
	return !rc;
}

bool symbols_finish(struct symbols *symbols, int ms)
{
	pthread_mutex_lock(&symbols->lock);
	symbols->is_ending = true;
	wake(symbols);
	pthread_mutex_unlock(&symbols->lock);
	return symbols_wait(symbols, ms);
}

int symbols_lines(struct symbols *symbols, const struct function *function,
		  enum code_division division, const struct code_lines **ret)
{
	struct lines_request *request;
	int rc = -ENOMEM;

	pthread_mutex_lock(&symbols->lock);
	request = symbols->lines;
	while (request && (request->function != function || request->division != division))
		request = request->next;
	if (!request && (request = calloc(1, sizeof(*request)))) {
		*request = (struct lines_request){ .next = symbols->lines,
						   .function = function,
						   .rc = -EAGAIN,
						   .division = division };
		symbols->lines = request;
		wake(symbols);
	}
	if (request)
		rc = request->rc;
	if (!rc)
		*ret = request->lines;
	pthread_mutex_unlock(&symbols->lock);
	return rc;
}

const struct code_line *code_lines_at(const struct code_lines *lines, uint64_t address)
{
	size_t i = array_above(lines->line, lines->n, sizeof(*lines->line),
			       offsetof(struct code_line, end), address);

	return i < lines->n && lines->line[i].start <= address ? &lines->line[i] : NULL;
}
