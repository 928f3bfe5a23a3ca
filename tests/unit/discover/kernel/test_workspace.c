/* The memory that kernels walk: laid out as its kind says, sized by the caches. */
#include "rig/harness.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/sanitized.h"
#include "discover/kernel/workspace.h"

#include "rig/fake_root.h"

static struct workspace *workspace_of(const char *name)
{
	struct workspace *workspace = NULL;
	struct err err = { "" };

	if (workspace_new(kernel_find(name), (unsigned)sched_getcpu(), &workspace, &err))
		fail_msg("%s", err.text);
	return workspace;
}

/* ---- geometry ---- */

#define INDEX(cpu, n, level, type, size, line)                                  \
	{ CPU_DIR "cpu" cpu "/cache/index" n "/level", level },                 \
		{ CPU_DIR "cpu" cpu "/cache/index" n "/type", type },           \
		{ CPU_DIR "cpu" cpu "/cache/index" n "/size", size },           \
	{                                                                       \
		CPU_DIR "cpu" cpu "/cache/index" n "/coherency_line_size", line \
	}

static const struct fake_file caches[] = {
	INDEX("4", "0", "1", "Data", "64K", "64"),
	INDEX("4", "1", "1", "Instruction", "128K", "64"),
	INDEX("4", "2", "2", "Unified", "4M", "128"),
	INDEX("4", "3", "3", "Unified", "16M", "64"),
	INDEX("5", "0", "1", "Data", "nonsense", "x"),
	{ 0 },
};

static void test_geometry(void **state)
{
	char root[64];
	struct geometry geometry;

	(void)state;
	fake_root(root, sizeof(root), caches);
	geometry_read(root, 4, &geometry);
	assert_int_equal(geometry.size[CACHE_L1D], 64 << 10);
	assert_int_equal(geometry.size[CACHE_L1I], 128 << 10);
	assert_int_equal(geometry.size[CACHE_L2], 4 << 20);
	assert_int_equal(geometry.line, 128);
	assert_int_equal(geometry.page, sysconf(_SC_PAGESIZE));

	/* What cannot be read, or is not there at all, is as large as the largest. */
	for (unsigned cpu = 5; cpu < 7; cpu++) {
		geometry_read(root, cpu, &geometry);
		assert_int_equal(geometry.size[CACHE_L1D], 128 << 10);
		assert_int_equal(geometry.size[CACHE_L1I], 192 << 10);
		assert_int_equal(geometry.size[CACHE_L2], 12 << 20);
		assert_int_equal(geometry.line, 64);
	}
	fake_root_remove(root);
}

/* ---- rings ---- */

struct ring_row {
	const char *kernel;
	size_t (*least)(
		const struct geometry *geometry); /* bytes or pages that it must not fit in */
	bool is_by_page;
};

static size_t l1d(const struct geometry *geometry)
{
	return geometry->size[CACHE_L1D];
}

static size_t l2(const struct geometry *geometry)
{
	return geometry->size[CACHE_L2];
}

static size_t tlb(const struct geometry *geometry)
{
	(void)geometry;
	return 200;
}

static char *next_of(const void *node)
{
	char *next;

	memcpy((void *)&next, node, sizeof(next));
	return next;
}

/** Follow pointers. @return how many steps to come back */
static size_t ring_length(void *start, size_t most)
{
	size_t n = 0;
	void *node = start;

	do {
		node = next_of(node);
		n++;
	} while (node != start && n <= most);
	return n;
}

static size_t sequential_steps(void *start, size_t n, size_t stride)
{
	size_t sequential = 0;
	char *node = start;

	for (size_t i = 0; i < n; i++, node = next_of(node))
		sequential += next_of(node) - node == (ptrdiff_t)stride;
	return sequential;
}

static void test_rings(void **state)
{
	static const struct ring_row rows[] = {
		{ "l1d-miss", l1d, false },
		{ "l2-miss", l2, false },
		{ "dtlb-miss", tlb, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workspace *workspace = workspace_of(rows[i].kernel);
		const struct geometry *geometry = &workspace->geometry;
		size_t n = ring_length(workspace->view.trigger, 1 << 22);

		if (rows[i].is_by_page) {
			assert_true(n > rows[i].least(geometry));
			assert_true(n * geometry->line <= l1d(geometry) / 2);
		} else {
			assert_true(n * geometry->line >= 4 * rows[i].least(geometry));
		}
		/* A prefetcher finds no stride, and the short ring is in one page. */
		assert_true(sequential_steps(workspace->view.trigger, n, geometry->line) < n / 20);
		assert_int_equal(ring_length(workspace->view.control, 100), 8);
		assert_ptr_equal((uintptr_t)workspace->view.control / geometry->page *
					 geometry->page,
				 workspace->map[0].bytes);
		workspace_free(workspace);
	}
}

/* A run walks what was visited longest ago: it begins where the last one ended. */
static void test_a_ring_goes_on(void **state)
{
	struct workspace *workspace = workspace_of("l1d-miss");
	void *node;

	(void)state;
	workspace_prepare(workspace, 100);
	node = workspace->view.trigger;
	for (int i = 0; i < 100; i++)
		node = next_of(node);
	workspace_prepare(workspace, 3);
	assert_ptr_equal(workspace->view.trigger, node);
	workspace_free(workspace);
}

static void test_each_page_of_the_dtlb_ring_has_one_node(void **state)
{
	struct workspace *workspace = workspace_of("dtlb-miss");
	size_t page = workspace->geometry.page, n = ring_length(workspace->view.trigger, 1 << 20);
	size_t lines = workspace->geometry.line;
	uint8_t *seen = calloc(n + 1, 1);
	char *node = workspace->view.trigger;
	size_t in_first_line = 0;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		size_t at = (size_t)(node - (char *)workspace->map[0].bytes);

		assert_true(at / page >= 1 && at / page <= n);
		assert_false(seen[at / page]);
		seen[at / page] = 1;
		in_first_line += at % page < lines;
		node = next_of(node);
	}
	/* Spread over the cache's sets. */
	assert_true(in_first_line <= n / (page / lines) + 1);
	free(seen);
	workspace_free(workspace);
}

/* ---- plain memory ---- */

static void test_crossings(void **state)
{
	static const struct {
		const char *kernel;
		bool is_aligned, is_in_line, is_in_page;
	} rows[] = {
		{ "unaligned", false, true, true },
		{ "line-crossing", false, false, true },
		{ "page-crossing", false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workspace *workspace = workspace_of(rows[i].kernel);
		size_t line = workspace->geometry.line, page = workspace->geometry.page;
		uintptr_t at = (uintptr_t)workspace->view.trigger;

		assert_int_equal(at % 8 == 0, rows[i].is_aligned);
		assert_int_equal(at / line == (at + 7) / line, rows[i].is_in_line);
		assert_int_equal(at / page == (at + 7) / page, rows[i].is_in_page);
		assert_int_equal((uintptr_t)workspace->view.control % line, 0);
		workspace_free(workspace);
	}
}

static void test_buffer_is_put_back(void **state)
{
	struct workspace *workspace = workspace_of("store");
	uint64_t zero, one;

	(void)state;
	memset(workspace->view.trigger, 0xff, 64);
	memset(workspace->view.third, 0xff, 8);
	workspace_prepare(workspace, 5);
	memcpy(&zero, workspace->view.trigger, 8);
	memcpy(&one, workspace->view.third, 8);
	assert_int_equal(zero, 0);
	assert_int_equal(one, 1);
	assert_ptr_equal(workspace->view.trigger, workspace->view.control);
	workspace_free(workspace);
}

static void test_random_bytes_are_random_and_new(void **state)
{
	enum { N = 20000 };
	static uint8_t before[N];
	struct workspace *workspace = workspace_of("branch-random");
	const uint8_t *bytes = workspace->view.trigger, *zeroes = workspace->view.control;
	unsigned same = 0, of[8] = { 0 };

	(void)state;
	memcpy(before, bytes, N);
	workspace_prepare(workspace, N);
	for (unsigned i = 0; i < N; i++) {
		same += (before[i] & 1) == (bytes[i] & 1);
		of[bytes[i] & 7]++;
		assert_int_equal(zeroes[i], 0);
	}
	assert_in_range(same, N / 2 - 500, N / 2 + 500);
	for (unsigned i = 0; i < 8; i++)
		assert_in_range(of[i], N / 8 - 250, N / 8 + 250);
	workspace_free(workspace);
}

/** How far bytes were written that were all 0xaa; n is far enough. */
static size_t extent(const uint8_t *bytes, size_t n)
{
	while (n > 0 && bytes[n - 1] == 0xaa)
		n--;
	return n;
}

/* As far as a run goes, so that trigger and control find as much of theirs in the caches. */
static void test_random_bytes_and_zeroes_are_written_alike(void **state)
{
	static const char *const kernels[] = { "branch-random", "branch-indirect-random",
					       "ordering-violation" };
	enum { N = 1024, BEYOND = 4096 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct workspace *workspace = workspace_of(kernels[i]);
		uint8_t *trigger = workspace->view.trigger, *control = workspace->view.control;

		memset(trigger, 0xaa, BEYOND);
		memset(control, 0xaa, BEYOND);
		workspace_prepare(workspace, N);
		assert_int_equal(extent(trigger, BEYOND), N);
		assert_int_equal(extent(control, BEYOND), N);
		for (size_t at = 0; at < N; at++)
			assert_int_equal(control[at], 0);
		workspace_free(workspace);
	}
}

static void test_rare_bytes_are_one_of_512(void **state)
{
	struct workspace *workspace = workspace_of("ordering-violation");
	const uint8_t *bytes = workspace->view.trigger;
	unsigned of_place[16] = { 0 };

	(void)state;
	workspace_prepare(workspace, 100000);
	for (size_t block = 0; block < 100000; block += 512) {
		unsigned n = 0;

		for (size_t i = block; i < block + 512; i++) {
			assert_true(bytes[i] <= 1);
			n += bytes[i];
			of_place[i % 16] += bytes[i];
		}
		assert_int_equal(n, 1);
	}
	for (unsigned i = 0; i < 16; i++) /* at each place of an unrolled loop */
		assert_in_range(of_place[i], 2, 30);
	workspace_free(workspace);
}

/* ---- the operating system ---- */

static size_t pages_present(const uint8_t *bytes, size_t n, size_t page)
{
	static unsigned char present[WORKSPACE_FRESH_PAGES];
	size_t count = 0;

	assert_int_equal(mincore((void *)(uintptr_t)bytes, n * page, present), 0);
	for (size_t i = 0; i < n; i++)
		count += present[i] & 1;
	return count;
}

static void test_fresh_pages(void **state)
{
	const struct kernel *kernel = kernel_find("page-fault");
	struct workspace *workspace = workspace_of("page-fault");
	size_t page = workspace->geometry.page;

	(void)state;
	for (int run = 0; run < 2; run++) {
		workspace_prepare(workspace, kernel->n_max);
		assert_int_equal(
			pages_present(workspace->view.trigger, WORKSPACE_FRESH_PAGES, page), 0);
		assert_int_equal(
			pages_present(workspace->view.control, WORKSPACE_FRESH_PAGES, page),
			WORKSPACE_FRESH_PAGES);
		kernel->trigger(100, workspace_memory(workspace));
		assert_int_equal(
			pages_present(workspace->view.trigger, WORKSPACE_FRESH_PAGES, page), 100);
	}
	workspace_free(workspace);
}

/** @return 0 when a workspace without the right to lock is made all the same, and says so */
static int without_right_to_lock(void)
{
	static const struct rlimit few = { 64 << 10, 128 << 10 };
	struct workspace *workspace;
	struct err err;

	if (setrlimit(RLIMIT_MEMLOCK, &few) || setresuid(65534, 65534, 65534))
		return 77;
	if (workspace_new(kernel_find("l2-miss"), 0, &workspace, &err))
		return 1;
	kernel_find("l2-miss")->control(100, workspace_memory(workspace));
	if (!strstr(workspace_note(workspace), "could not be locked, the limit is 128 KiB"))
		return 2;
	if (workspace_new(kernel_find("load"), 0, &workspace, &err) || workspace_note(workspace)[0])
		return 3;
	return 0;
}

static void test_without_the_right_to_lock_a_note_says_so(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0)
		_exit(SANITIZED ? 77 : without_right_to_lock()); /* they make mlock do nothing */
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_a_cpu_that_is_not_there(void **state)
{
	struct workspace *workspace = (void *)1;
	struct err err;

	(void)state;
	assert_int_equal(workspace_new(kernel_find("context-switch"), 4000, &workspace, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "context-switch"));
	assert_non_null(strstr(err.text, "CPU 4000"));
	assert_ptr_equal(workspace, (void *)1);
}

static void test_no_memory_is_no_workspace(void **state)
{
	struct workspace *workspace = workspace_of("nop");

	(void)state;
	assert_non_null(workspace_memory(workspace));
	workspace_prepare(workspace, 10);
	workspace_free(workspace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_geometry),
		cmocka_unit_test(test_rings),
		cmocka_unit_test(test_a_ring_goes_on),
		cmocka_unit_test(test_each_page_of_the_dtlb_ring_has_one_node),
		cmocka_unit_test(test_crossings),
		cmocka_unit_test(test_buffer_is_put_back),
		cmocka_unit_test(test_random_bytes_are_random_and_new),
		cmocka_unit_test(test_random_bytes_and_zeroes_are_written_alike),
		cmocka_unit_test(test_rare_bytes_are_one_of_512),
		cmocka_unit_test(test_fresh_pages),
		cmocka_unit_test(test_without_the_right_to_lock_a_note_says_so),
		cmocka_unit_test(test_a_cpu_that_is_not_there),
		cmocka_unit_test(test_no_memory_is_no_workspace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
