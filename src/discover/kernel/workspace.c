#include "discover/kernel/workspace.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/cpus.h"
#include "base/num.h"
#include "pmu/machine.h"

/* ---- machine code. code_node writes a node that can be jumped to through a register: it decrements
 * the first argument's register and continues at `next`, at most 128 MiB away, or returns if it was 0.
 * code_rewritten writes a function: a nop and a return. @return offset of the nop. On other
 * architectures no kernel needs them. */

#if defined(__x86_64__)

static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

/* Write a jump's 32-bit distance, relative to its end. */
static void put_distance(uint8_t *at, const uint8_t *target)
{
	int32_t distance = (int32_t)(target - (at + sizeof(distance)));

	memcpy(at, &distance, sizeof(distance));
}

static void code_node(uint8_t *at, const uint8_t *next)
{
	static const uint8_t sub_rdi_1_jnc[] = { 0x48, 0x83, 0xef, 0x01, 0x0f, 0x83 };

	memcpy(at, endbr64, sizeof(endbr64));
	at += sizeof(endbr64);
	memcpy(at, sub_rdi_1_jnc, sizeof(sub_rdi_1_jnc));
	at += sizeof(sub_rdi_1_jnc);
	put_distance(at, next);
	at[4] = 0xc3; /* ret */
}

static size_t code_rewritten(uint8_t *at)
{
	memcpy(at, endbr64, sizeof(endbr64));
	at += sizeof(endbr64);
	at[0] = 0x90; /* nop */
	at[1] = 0xc3; /* ret */
	return sizeof(endbr64);
}

#elif defined(__aarch64__)

/* Arm ARM (DDI 0487), C6.2. */
#define BTI_JC       UINT32_C(0xd50324df)
#define NOP          UINT32_C(0xd503201f)
#define RET          UINT32_C(0xd65f03c0)
#define B            UINT32_C(0x14000000)
#define SUBS_X0_X0_1 UINT32_C(0xf1000400)
#define B_LO_2       UINT32_C(0x54000043) /* to the instruction after the next */

static uint8_t *code_put(uint8_t *at, uint32_t instruction)
{
	memcpy(at, &instruction, sizeof(instruction));
	return at + sizeof(instruction);
}

static void code_node(uint8_t *at, const uint8_t *next)
{
	at = code_put(at, BTI_JC);
	at = code_put(at, SUBS_X0_X0_1);
	at = code_put(at, B_LO_2);
	at = code_put(at, B | ((uint32_t)((next - at) / 4) & 0x3ffffff));
	code_put(at, RET);
}

static size_t code_rewritten(uint8_t *at)
{
	code_put(code_put(code_put(at, BTI_JC), NOP), RET);
	return sizeof(uint32_t);
}

#else

static void code_node(uint8_t *at, const uint8_t *next)
{
	(void)at;
	(void)next;
}

static size_t code_rewritten(uint8_t *at)
{
	(void)at;
	return 0;
}

#endif

/* ---- sizes of the caches */

static int read_index(const char *root, unsigned cpu, unsigned index, const char *file, char *buf,
		      size_t size)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cache/index%u/%s", cpu, index,
		 file);
	return sysfs_read(root, path, buf, size);
}

/** Parse "48K" or "12M" as bytes; 0 if it is not a size. */
static size_t workspace_size_of(const char *text)
{
	double size;

	return num_parse_size(text, &size) ? 0 : (size_t)size;
}

/** Return the cache of a level and type; N_CACHES if it is not used here. */
static enum cache_name workspace_name_of(const char *level, const char *type)
{
	if (strcmp(level, "1") == 0 && strcmp(type, "Instruction") == 0)
		return CACHE_L1I;
	if (strcmp(level, "1") == 0)
		return CACHE_L1D;
	if (strcmp(level, "2") == 0 && strcmp(type, "Instruction") != 0)
		return CACHE_L2;
	return N_CACHES;
}

/** Read one cache. @return whether the index exists */
static bool read_cache(const char *root, unsigned cpu, unsigned index, struct geometry *geometry)
{
	char level[16], type[16], size[32], line[16];
	size_t bytes;

	if (read_index(root, cpu, index, "level", level, sizeof(level)) < 0 ||
	    read_index(root, cpu, index, "type", type, sizeof(type)) < 0)
		return false;

	enum cache_name name = workspace_name_of(level, type);

	if (name < N_CACHES && read_index(root, cpu, index, "size", size, sizeof(size)) > 0 &&
	    (bytes = workspace_size_of(size)) > 0)
		geometry->size[name] = bytes;
	if (read_index(root, cpu, index, "coherency_line_size", line, sizeof(line)) > 0 &&
	    (bytes = workspace_size_of(line)) > geometry->line)
		geometry->line = bytes;
	return true;
}

void geometry_read(const char *root, unsigned cpu, struct geometry *ret)
{
	*ret = (struct geometry){
		.page = (size_t)sysconf(_SC_PAGESIZE),
		.line = 64,
		.size = { [CACHE_L1D] = 128 << 10, [CACHE_L1I] = 192 << 10, [CACHE_L2] = 12 << 20 },
	};
	for (unsigned index = 0; read_cache(root, cpu, index, ret); index++)
		;
}

static void workspace_lock(struct workspace *workspace, const struct workspace_map *map);

/* ---- kinds that need the operating system: rewritten code, unmapped pages, an answering thread */

/** Map a file's two pages. */
static int map_file(struct workspace *workspace, int fd, int protection, struct err *err)
{
	size_t size = 2 * workspace->geometry.page;
	uint8_t *bytes = mmap(NULL, size, protection, MAP_SHARED | MAP_POPULATE, fd, 0);

	if (bytes == MAP_FAILED)
		return err_set(err, errno == ENOMEM ? ENOMEM : EACCES,
			       "generated code may not be %s here",
			       protection & PROT_WRITE ? "written" : "run");
	workspace->map[workspace->n_maps++] =
		(struct workspace_map){ .bytes = bytes, .size = size };
	return 0;
}

/* Map the same pages twice, writable and executable, as no page may be both. The second page is
 * never executed. */
static int make_rewrite(struct workspace *workspace, struct err *err)
{
	size_t page = workspace->geometry.page;
	AUTO_FD int fd = memfd_create("m1top", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)(2 * page)))
		return err_set(err, errno, "a file in memory: %s", strerror(errno));

	int res = map_file(workspace, fd, PROT_READ | PROT_WRITE, err);

	if (res == 0)
		res = map_file(workspace, fd, PROT_READ | PROT_EXEC, err);
	if (res)
		return res;

	size_t where = code_rewritten(workspace->map[0].bytes);

	code_rewritten(workspace->map[0].bytes + page);
	workspace->view.trigger = workspace->map[0].bytes + where;
	workspace->view.control = workspace->map[0].bytes + page + where;
	workspace->view.third = workspace->map[1].bytes;
	__builtin___clear_cache((char *)workspace->map[1].bytes,
				(char *)workspace->map[1].bytes + page);
	return 0;
}

const struct workspace_kind workspace_rewrite = { .what = "code to rewrite", .make = make_rewrite };

/* Unmap the pages; they are not locked, as locked pages stay mapped. */
static void prepare_fresh_pages(struct workspace *workspace, uint64_t n)
{
	(void)n;
	(void)madvise(workspace->map[0].bytes, workspace->map[0].size, MADV_DONTNEED);
}

static int make_fresh_pages(struct workspace *workspace, struct err *err)
{
	size_t size = WORKSPACE_FRESH_PAGES * workspace->geometry.page;
	struct workspace_map *fresh, *present;
	int res = workspace_map(workspace, size, true, &fresh, err);

	if (res == 0)
		res = workspace_map(workspace, size, true, &present, err);
	if (res)
		return res;
	workspace_lock(workspace, present);
	workspace->view.trigger = fresh->bytes;
	workspace->view.control = present->bytes;
	return 0;
}

const struct workspace_kind workspace_fresh_pages = { .what = "pages that are not mapped yet",
						      .make = make_fresh_pages,
						      .prepare = prepare_fresh_pages };

struct answering {
	struct partner pipes;
	pthread_t thread;
	bool is_running;
};

/** Answer until the other end of `question` is closed. */
static void *workspace_answer(void *argument)
{
	const struct partner *pipes = argument;
	char byte;

	pthread_setname_np(pthread_self(), "m1top/answer");
	while (read(pipes->question[0], &byte, 1) == 1 && write(pipes->answer[1], &byte, 1) == 1)
		;
	return NULL;
}

static int workspace_start(struct answering *answering, unsigned cpu)
{
	pthread_attr_t attributes;
	struct cpus only = { 0 };

	cpus_add(&only, cpu);
	pthread_attr_init(&attributes);

	int code = pthread_attr_setaffinity_np(&attributes, sizeof(only.word),
					       (const cpu_set_t *)only.word);

	if (!code)
		code = pthread_create(&answering->thread, &attributes, workspace_answer,
				      &answering->pipes);
	pthread_attr_destroy(&attributes);

	answering->is_running = code == 0;
	return code;
}

static int make_partner(struct workspace *workspace, struct err *err)
{
	struct answering *answering = calloc(1, sizeof(*answering));
	struct partner *pipes = &answering->pipes;

	if (!answering)
		return err_set(err, ENOMEM, "no memory");
	*pipes = (struct partner){ { -1, -1 }, { -1, -1 }, { -1, -1 } };
	workspace->own = answering;
	workspace->view.third = pipes;
	if (pipe2(pipes->question, O_CLOEXEC) || pipe2(pipes->answer, O_CLOEXEC) ||
	    pipe2(pipes->self, O_CLOEXEC))
		return err_set(err, errno, "a pipe: %s", strerror(errno));

	int code = workspace_start(answering, workspace->cpu);

	return code ? err_set(err, code, "a thread on CPU %u: %s", workspace->cpu, strerror(code))
		    : 0;
}

static void close_pipe(int *fd)
{
	for (int end = 1; end >= 0; end--)
		if (fd[end] >= 0)
			close(fd[end]);
}

static void end_partner(struct workspace *workspace)
{
	struct answering *answering = workspace->own;

	if (!answering)
		return;
	if (answering->pipes.question[1] >= 0)
		close(answering->pipes.question[1]);
	answering->pipes.question[1] = -1;
	if (answering->is_running)
		pthread_join(answering->thread, NULL);
	close_pipe(answering->pipes.question);
	close_pipe(answering->pipes.answer);
	close_pipe(answering->pipes.self);
	free(answering);
}

const struct workspace_kind workspace_partner = { .what = "a thread that answers",
						  .make = make_partner,
						  .end = end_partner };

/* ---- rings in random order that exceed a cache or TLB, of words and of code */

enum { SHORT_RING = 8 };

struct pointer_ring {
	uint64_t at, n_last; /* start and length of the last run */
	uint64_t n;
	uint8_t *node[]; /* in ring order */
};

static struct pointer_ring *ring_new(uint64_t n)
{
	struct pointer_ring *ring = calloc(1, sizeof(*ring) + n * sizeof(*ring->node));

	if (ring)
		ring->n = n;
	return ring;
}

/** Place the nodes in adjacent lines, or one per page, with a different line in each page. */
static void workspace_place(struct pointer_ring *ring, uint8_t *bytes, size_t line, size_t page)
{
	for (uint64_t i = 0; i < ring->n; i++)
		ring->node[i] = page ? bytes + i * page + i * line % page : bytes + i * line;
}

static void shuffle(struct workspace *workspace, struct pointer_ring *ring)
{
	for (uint64_t i = ring->n - 1; i > 0; i--) {
		uint64_t other = random_next(&workspace->random) % (i + 1);
		uint8_t *node = ring->node[i];

		ring->node[i] = ring->node[other];
		ring->node[other] = node;
	}
}

/** Link each node to the next, the last to the first. */
static void link_nodes(const struct pointer_ring *ring, bool is_code)
{
	for (uint64_t i = 0; i < ring->n; i++) {
		uint8_t *next = ring->node[(i + 1) % ring->n];

		if (is_code)
			code_node(ring->node[i], next);
		else
			memcpy(ring->node[i], &next, sizeof(next));
	}
}

/** Make a short ring in the map's first page. @return one of its nodes; NULL if out of memory */
static uint8_t *make_short(struct workspace *workspace, const struct workspace_map *map,
			   bool is_code)
{
	AUTO_FREE struct pointer_ring *ring = ring_new(SHORT_RING);

	if (!ring)
		return NULL;
	workspace_place(ring, map->bytes, workspace->geometry.line, 0);
	shuffle(workspace, ring);
	link_nodes(ring, is_code);
	return ring->node[0];
}

static int make_ring(struct workspace *workspace, struct err *err)
{
	const struct ring_shape *shape = &workspace->kind->ring;
	size_t page = workspace->geometry.page, line = workspace->geometry.line;
	uint64_t n = workspace->geometry.size[shape->cache] / line * shape->times / shape->part;
	struct workspace_map *map;
	struct pointer_ring *ring;
	int res = workspace_map(workspace, page + n * (shape->is_by_page ? page : line),
				shape->is_by_page, &map, err);

	if (res)
		return res;
	workspace_lock(workspace, map);
	workspace->own = ring = ring_new(n);
	workspace->view.control = make_short(workspace, map, shape->is_code);
	if (!ring || !workspace->view.control)
		return err_set(err, ENOMEM, "no memory for %llu nodes", (unsigned long long)n);
	workspace_place(ring, map->bytes + page, line, shape->is_by_page ? page : 0);
	shuffle(workspace, ring);
	link_nodes(ring, shape->is_code);
	workspace->view.trigger = ring->node[0];
	if (!shape->is_code)
		return 0;
	if (mprotect(map->bytes, map->size, PROT_READ | PROT_EXEC))
		return err_set(err, EACCES, "generated code is not allowed to run here");
	__builtin___clear_cache((char *)map->bytes, (char *)map->bytes + map->size);
	return 0;
}

/* Start where the last run ended: the next nodes are those visited longest ago. */
static void prepare_ring(struct workspace *workspace, uint64_t n)
{
	struct pointer_ring *ring = workspace->own;

	ring->at = (ring->at + ring->n_last) % ring->n;
	ring->n_last = n;
	workspace->view.trigger = ring->node[ring->at];
}

static void end_ring(struct workspace *workspace)
{
	free(workspace->own);
}

#define RING(of, n, d, by_page, code)                                \
	.make = make_ring, .prepare = prepare_ring, .end = end_ring, \
	.ring = { .cache = (of),                                     \
		  .times = (n),                                      \
		  .part = (d),                                       \
		  .is_by_page = (by_page),                           \
		  .is_code = (code) }

/* Large enough that little of the last round is still cached, and small enough for the next level. */
const struct workspace_kind workspace_l1d = {
	.what = "lines that cover four times the first-level data cache",
	RING(CACHE_L1D, 4, 1, false, false)
};

const struct workspace_kind workspace_l2 = {
	.what = "lines that cover four times the second-level cache",
	RING(CACHE_L2, 4, 1, false, false)
};

/* More pages than any first-level TLB holds (M1: 128 and 160), but no more lines than half the cache. */
const struct workspace_kind workspace_dtlb = { .what = "a line in each of many pages",
					       RING(CACHE_L1D, 1, 2, true, false) };

const struct workspace_kind workspace_l1i = {
	.what = "code that covers four times the first-level instruction cache",
	RING(CACHE_L1I, 4, 1, false, true)
};

const struct workspace_kind workspace_itlb = { .what = "code in each of many pages",
					       RING(CACHE_L1I, 1, 2, true, true) };

/* ---- a few lines to load from and store to, and random bits */

/** Map two locked pages. */
static int map_pages(struct workspace *workspace, struct err *err)
{
	struct workspace_map *map;
	int res = workspace_map(workspace, 2 * workspace->geometry.page, true, &map, err);

	if (res == 0)
		workspace_lock(workspace, map);
	return res;
}

static void prepare_buffer(struct workspace *workspace, uint64_t n)
{
	static const uint64_t one = 1;

	(void)n;
	memset(workspace->view.trigger, 0, workspace->geometry.line);
	memcpy(workspace->view.third, &one, sizeof(one));
}

static int make_buffer(struct workspace *workspace, struct err *err)
{
	int res = map_pages(workspace, err);

	if (res)
		return res;
	workspace->view.trigger = workspace->view.control = workspace->map[0].bytes;
	workspace->view.third = workspace->map[0].bytes + 4 * workspace->geometry.line;
	prepare_buffer(workspace, 0);
	return 0;
}

const struct workspace_kind workspace_buffer = { .what = "a buffer",
						 .make = make_buffer,
						 .prepare = prepare_buffer };

static int make_access(struct workspace *workspace, struct err *err)
{
	const struct access *access = &workspace->kind->access;
	int res = map_pages(workspace, err);

	if (res)
		return res;
	workspace->view.control = workspace->map[0].bytes + workspace->geometry.page;
	workspace->view.trigger = (uint8_t *)workspace->view.control +
				  access->lines * (int)workspace->geometry.line + access->bytes;
	return 0;
}

const struct workspace_kind workspace_unaligned = { .what = "an unaligned word",
						    .make = make_access,
						    .access = { .bytes = 1 } };

const struct workspace_kind workspace_line_crossing = { .what = "a word in two lines",
							.make = make_access,
							.access = { .lines = 1, .bytes = -4 } };

const struct workspace_kind workspace_page_crossing = { .what = "a word in two pages",
							.make = make_access,
							.access = { .bytes = -4 } };

/*
 * Draw new bits for each run, as processors learn repeated ones. The control's zeroes are rewritten
 * in parallel, so that the caches hold as much of both.
 */
static void prepare_random(struct workspace *workspace, uint64_t n)
{
	unsigned one_in = workspace->kind->one_in;
	size_t step = one_in ? one_in : sizeof(uint64_t);
	uint8_t *trigger = workspace->view.trigger, *control = workspace->view.control;

	for (uint64_t at = 0; at < n && at < WORKSPACE_RANDOM_BYTES; at += step) {
		uint64_t random = random_next(&workspace->random);

		memset(trigger + at, 0, step);
		memset(control + at, 0, step);
		if (one_in)
			trigger[at + random % one_in] = 1;
		else
			memcpy(trigger + at, &random, sizeof(random));
	}
}

static int make_random(struct workspace *workspace, struct err *err)
{
	struct workspace_map *map;
	int res = workspace_map(workspace, 2 * WORKSPACE_RANDOM_BYTES + workspace->geometry.page,
				false, &map, err);

	if (res)
		return res;
	workspace_lock(workspace, map);
	workspace->view.trigger = map->bytes;
	workspace->view.control = map->bytes + WORKSPACE_RANDOM_BYTES;
	workspace->view.third = map->bytes + 2 * WORKSPACE_RANDOM_BYTES;
	prepare_random(workspace, WORKSPACE_RANDOM_BYTES);
	return 0;
}

const struct workspace_kind workspace_random = { .what = "random bytes",
						 .make = make_random,
						 .prepare = prepare_random };

const struct workspace_kind workspace_rare = { .what = "bytes, few of them 1",
					       .make = make_random,
					       .prepare = prepare_random,
					       .one_in = WORKSPACE_RARE };

int workspace_map(struct workspace *workspace, size_t size, bool is_small,
		  struct workspace_map **ret, struct err *err)
{
	size_t page = workspace->geometry.page;
	struct workspace_map map = { .size = (size + page - 1) / page * page, .guard = page };
	uint8_t *all =
		mmap(NULL, map.size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED)
		return err_set(err, ENOMEM, "no memory for %zu KiB", map.size >> 10);
	map.bytes = all + page;
	if (mprotect(map.bytes, map.size, PROT_READ | PROT_WRITE)) {
		munmap(all, map.size + 2 * page);
		return err_set(err, ENOMEM, "no memory for %zu KiB", map.size >> 10);
	}
	/* only a hint: a kernel without huge pages refuses it */
	(void)madvise(map.bytes, map.size, is_small ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
	*ret = &workspace->map[workspace->n_maps];
	workspace->map[workspace->n_maps++] = map;
	return 0;
}

/** Raise the limit of locked memory to its maximum. @return the limit, KiB */
static unsigned long long lock_limit_kib(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return 0;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_MEMLOCK, &limit);
	return limit.rlim_cur >> 10;
}

/* Touch every page of a map and lock it; on failure set the workspace's note. */
static void workspace_lock(struct workspace *workspace, const struct workspace_map *map)
{
	for (size_t at = 0; at < map->size; at += workspace->geometry.page)
		*(volatile uint8_t *)(map->bytes + at) = 0;
	if (mlock(map->bytes, map->size) == 0)
		return;
	unsigned long long limit_kib = lock_limit_kib();

	if (mlock(map->bytes, map->size))
		snprintf(workspace->note, sizeof(workspace->note),
			 "%zu KiB of memory could not be locked, the limit is %llu KiB (ulimit -l)",
			 map->size >> 10, limit_kib);
}

int workspace_new(const struct kernel *kernel, unsigned cpu, struct workspace **ret,
		  struct err *err)
{
	static const struct workspace_kind none = { .what = "none" };
	struct workspace *workspace = aligned_alloc(64, (sizeof(*workspace) + 63) / 64 * 64);
	int res = 0;

	if (!workspace)
		return err_set(err, ENOMEM, "no memory");
	*workspace = (struct workspace){ .kind = kernel->workspace ? kernel->workspace : &none,
					 .cpu = cpu };
	geometry_read("", cpu, &workspace->geometry);
	workspace->view.step = workspace->geometry.page;
	if (workspace->kind->make)
		res = workspace->kind->make(workspace, err);
	if (res) {
		err_prefix(err, -res, "memory of kernel %s (%s)", kernel->name,
			   workspace->kind->what);
		workspace_free(workspace);
		return res;
	}
	*ret = workspace;
	return 0;
}

void workspace_free(struct workspace *workspace)
{
	if (!workspace)
		return;
	if (workspace->kind->end)
		workspace->kind->end(workspace);
	for (unsigned i = 0; i < workspace->n_maps; i++)
		munmap(workspace->map[i].bytes - workspace->map[i].guard,
		       workspace->map[i].size + 2 * workspace->map[i].guard);
	free(workspace);
}

const char *workspace_note(const struct workspace *workspace)
{
	return workspace->note;
}

void workspace_prepare(struct workspace *workspace, uint64_t n)
{
	if (workspace->kind->prepare)
		workspace->kind->prepare(workspace, n);
}

void *workspace_memory(struct workspace *workspace)
{
	return &workspace->view;
}
