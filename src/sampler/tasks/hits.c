#include "sampler/tasks/hits.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

/* Most samples of a core that wait, and most spots of a core's window. */
enum { WAITING_MAX = 1 << 16, SPOTS_MAX = 1 << 16, SPOTS_MIN = 1 << 10 };

/* Most chains, for they are never freed. */
enum { CHAINS_MAX = 1 << 16 };

static struct hash chains; /* struct hot_chain; collector thread */

struct hit_queue {
	struct hit *hit;
	size_t begin, n, cap; /* the hits are begin … n - 1 */
};

/* `task` of the spots is a row of the core's tally. */
struct core_hits {
	struct hit_queue queue;
	struct hot_spot *spot;
	size_t n, cap;
	size_t n_raw; /* samples whose place is not known yet */
	uint64_t n_lost, n_throttled;
};

/* A sample whose place is not known yet. */
struct raw_hit {
	struct hit hit;
	uint64_t ip;
	uint64_t *chain; /* NULL: none */
	unsigned n_chain;
	uint16_t core;
	bool is_kernel;
};

struct hits {
	struct symbols *symbols;
	struct raw_hit *raw;
	size_t n_raw, cap_raw;
	bool is_sorted;
	unsigned n_cores;
	struct core_hits core[];
};

struct hits *hits_new(struct symbols *symbols, unsigned n_cores)
{
	struct hits *hits = calloc(1, sizeof(*hits) + n_cores * sizeof(hits->core[0]));

	if (hits) {
		hits->symbols = symbols;
		hits->n_cores = n_cores;
	}
	return hits;
}

static void forget_raw(struct hits *hits)
{
	for (size_t i = 0; i < hits->n_raw; i++)
		free(hits->raw[i].chain);
	hits->n_raw = 0;
	for (unsigned i = 0; i < hits->n_cores; i++)
		hits->core[i].n_raw = 0;
}

void hits_free(struct hits *hits)
{
	if (!hits)
		return;
	forget_raw(hits);
	free(hits->raw);
	for (unsigned i = 0; i < hits->n_cores; i++) {
		free(hits->core[i].queue.hit);
		free(hits->core[i].spot);
	}
	free(hits);
}

void hits_clear(struct hits *hits, unsigned core)
{
	struct core_hits *of = &hits->core[core];

	of->n = 0;
	of->n_lost = of->n_throttled = 0;
}

void hits_restart(struct hits *hits)
{
	forget_raw(hits);
	for (unsigned i = 0; i < hits->n_cores; i++) {
		hits->core[i].queue.begin = hits->core[i].queue.n = 0;
		hits_clear(hits, i);
	}
}

void hits_lost(struct hits *hits, unsigned core, uint64_t n)
{
	hits->core[core].n_lost += n;
}

void hits_throttled(struct hits *hits, unsigned core)
{
	hits->core[core].n_throttled++;
}

/* ---- from a record to a place ---- */

void hits_take(struct hits *hits, unsigned core, const struct code_hit *hit, uint64_t n_switches)
{
	struct raw_hit raw = {
		.hit = { .at = { .stream = hit->stream,
				 .n = n_switches,
				 .pid = hit->pid,
				 .tid = hit->tid,
				 .cgroup = hit->cgroup },
			 .t_ns = hit->t_ns,
			 .period = hit->period },
		.ip = hit->ip,
		.n_chain = hit->n_chain,
		.core = (uint16_t)core,
		.is_kernel = hit->is_kernel,
	};
	size_t size = hit->n_chain * sizeof(*hit->chain);

	if (size && (raw.chain = malloc(size)))
		memcpy(raw.chain, hit->chain, size);
	if (hits->core[core].n_raw >= WAITING_MAX || (size && !raw.chain) ||
	    array_append((void **)&hits->raw, &hits->cap_raw, &hits->n_raw, &raw, sizeof(raw))) {
		free(raw.chain);
		hits_lost(hits, core, 1);
	} else {
		hits->core[core].n_raw++;
	}
	hits->is_sorted = false;
}

static int raw_by_time(const void *a, const void *b)
{
	const struct raw_hit *left = a, *right = b;

	if (left->hit.t_ns != right->hit.t_ns)
		return task_order(left->hit.t_ns, right->hit.t_ns);
	return task_order(left->hit.at.n, right->hit.at.n);
}

/* Intern a chain of callers. Chains are shared by frames and remain. @return NULL: no callers */
static const struct hot_chain *chain_of(struct symbols *symbols, const struct raw_hit *raw)
{
	const struct place *caller[CHAIN_MAX];
	unsigned n = raw->n_chain < CHAIN_MAX ? raw->n_chain : CHAIN_MAX;
	size_t size = n * sizeof(void *);
	struct hot_chain *at;
	uint64_t hash = n;

	if (!n)
		return NULL;
	for (unsigned i = 0; i < n; i++) {
		caller[i] = symbols_place(symbols, raw->hit.at.pid, raw->chain[i],
					  raw->chain[i] >> 63, raw->hit.t_ns);
		hash = hash_mix(hash, (uintptr_t)caller[i]);
	}
	hash_each(&chains, hash, at)
		if (at->n == n && memcmp(at->caller, caller, size) == 0)
			return at;
	at = chains.n < CHAINS_MAX ? malloc(sizeof(*at) + size) : NULL;
	if (!at || hash_add(&chains, hash, at)) {
		free(at);
		return &hot_chain_lost;
	}
	at->n = n;
	memcpy(at->caller, caller, size);
	return at;
}

static bool hit_queue_push(struct hit_queue *queue, const struct hit *hit)
{
	if (queue->begin && queue->begin >= queue->n / 2) {
		memmove(queue->hit, queue->hit + queue->begin,
			(queue->n - queue->begin) * sizeof(*hit));
		queue->n -= queue->begin;
		queue->begin = 0;
	}
	return queue->n < WAITING_MAX &&
	       !array_append((void **)&queue->hit, &queue->cap, &queue->n, hit, sizeof(*hit));
}

void hits_resolve(struct hits *hits, uint64_t t_ns)
{
	size_t n = 0;

	if (!hits->is_sorted && hits->n_raw)
		qsort(hits->raw, hits->n_raw, sizeof(*hits->raw), raw_by_time);
	hits->is_sorted = true;
	for (; n < hits->n_raw && hits->raw[n].hit.t_ns < t_ns; n++) {
		struct raw_hit *raw = &hits->raw[n];
		/* an exiting task has no id left, and no code of its own */
		uint32_t pid = raw->hit.at.pid == (uint32_t)TID_GONE ? 0 : raw->hit.at.pid;

		raw->hit.place =
			symbols_place(hits->symbols, pid, raw->ip, raw->is_kernel, raw->hit.t_ns);
		raw->hit.chain = chain_of(hits->symbols, raw);
		free(raw->chain);
		hits->core[raw->core].n_raw--;
		if (!hit_queue_push(&hits->core[raw->core].queue, &raw->hit))
			hits_lost(hits, raw->core, 1);
	}
	hits->n_raw -= n;
	if (n)
		memmove(hits->raw, hits->raw + n, hits->n_raw * sizeof(*hits->raw));
}

void hits_note(struct hits *hits, const struct task_note *note)
{
	struct symbols *symbols = hits->symbols;

	if (note->kind == NOTE_MAP)
		symbols_map(symbols, note->map);
	if (note->kind == NOTE_FORK)
		symbols_fork(symbols, note->pid, note->parent_pid, note->t_ns);
	if (note->kind == NOTE_NAME && note->is_exec)
		symbols_exec(symbols, note->pid, note->t_ns);
	if (note->kind == NOTE_EXIT && note->tid == note->pid)
		symbols_exit(symbols, note->pid, note->t_ns);
}

/* ---- from places to a frame ---- */

const struct hit *hits_peek(const struct hits *hits, unsigned core)
{
	const struct hit_queue *queue = &hits->core[core].queue;

	return queue->begin < queue->n ? &queue->hit[queue->begin] : NULL;
}

size_t hits_waiting(const struct hits *hits, unsigned core)
{
	return hits->core[core].queue.n - hits->core[core].queue.begin;
}

/* Sort, and merge the samples of one task at one place. @return number of spots */
static size_t spots_merge(struct hot_spot *spot, size_t n)
{
	static const enum hot_key by[] = { HOT_BY_TASK, HOT_BY_PLACE, HOT_BY_CHAIN, HOT_END };

	return hot_merge(spot, n, by);
}

/* Make room for a spot: merge, and grow if that frees less than half. */
static bool spots_reserve(struct core_hits *of)
{
	if (of->n < of->cap)
		return true;
	if (of->n >= SPOTS_MIN)
		of->n = spots_merge(of->spot, of->n);
	if (of->n <= of->cap / 2 && of->cap)
		return true;
	if (of->cap < SPOTS_MAX)
		array_reserve((void **)&of->spot, &of->cap, of->cap ? 2 * of->cap - 1 : SPOTS_MIN,
			      sizeof(*of->spot));
	return of->n < of->cap;
}

static void spots_add(struct core_hits *of, const struct hot_spot *spot)
{
	if (spots_reserve(of))
		of->spot[of->n++] = *spot;
	else
		of->n_lost += spot->n;
}

void hits_sum(struct hits *hits, unsigned core, size_t row)
{
	struct core_hits *of = &hits->core[core];
	const struct hit *hit = &of->queue.hit[of->queue.begin++];
	double weight = (double)hit->period;

	spots_add(of, &(struct hot_spot){ .core = (uint16_t)core,
					  .task = (uint32_t)row,
					  .place = hit->place,
					  .chain = hit->chain,
					  .n = 1,
					  .weight = weight,
					  .weight2 = weight * weight });
}

double hits_weight(const struct hits *hits, unsigned core)
{
	double weight = 0;

	for (size_t i = 0; i < hits->core[core].n; i++)
		weight += hits->core[core].spot[i].weight;
	return weight;
}

void hits_fill(struct hits *hits, unsigned core, size_t row, double weight, uint64_t period,
	       const char *name)
{
	if (weight < 2 * (double)period)
		return;
	spots_add(&hits->core[core], &(struct hot_spot){ .core = (uint16_t)core,
							 .task = (uint32_t)row,
							 .place = place_of("kernel", name, 0, true),
							 .n = (uint32_t)(weight / (double)period),
							 .weight = weight,
							 .weight2 = weight * (double)period });
}

void hits_move(struct hits *hits, unsigned core, size_t row)
{
	for (size_t i = 0; i < hits->core[core].n; i++)
		hits->core[core].spot[i].task = (uint32_t)row;
}

static void close_core(struct core_hits *of, const uint32_t *task, struct frame_hot *hot)
{
	struct hot_spot *to = hot->spot + hot->n;

	for (size_t i = 0; i < of->n; i++)
		of->spot[i].task = task[of->spot[i].task];
	of->n = spots_merge(of->spot, of->n);
	for (size_t i = 0; i < of->n; i++) {
		to[i] = of->spot[i];
		hot->n_samples += to[i].n;
	}
	hot->n += of->n;
	hot->n_lost += of->n_lost;
	hot->n_throttled += of->n_throttled;
}

const struct frame_hot *hits_close(struct hits *hits, const struct frame *frame,
				   const uint32_t *const *task)
{
	struct frame_hot *hot;
	size_t n = 0;

	for (unsigned i = 0; i < frame->n_cores; i++)
		n += hits->core[i].n;
	hot = frame_hot_new(n);
	if (!hot)
		return NULL;
	hot->n = 0; /* the merged ones are fewer */
	hot->column = frame->set->sampled;
	for (unsigned i = 0; i < frame->n_cores; i++)
		if (frame->core[i].state == CORE_ON)
			close_core(&hits->core[i], task[i], hot);
	return hot;
}
