/* The table of kernels: what each row promises without a counter. */
#include "rig/harness.h"

#include <sched.h>
#include <string.h>

#include "discover/kernel/workspace.h"

/*
 * Call fn(n, memory) and check that it preserves what the ABI demands.
 *
 * @return 0, or a bit for each violation: 0-4 rbx r12 r13 r14 r15, 5 rbp or rsp, 6 direction flag, 7 MXCSR control
 */
uint64_t call_checked(kernel_fn *fn, uint64_t n, void *memory);

#if defined(__x86_64__)
__asm__(".text\n"
	"call_checked:\n"
	"	endbr64\n"
	"	push	%rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	sub	$24, %rsp\n"
	"	stmxcsr	8(%rsp)\n"
	"	mov	%rdi, %rax; mov %rsi, %rdi; mov %rdx, %rsi\n"
	"	mov	$0x1b1b1b1b, %rbx; mov $0x12121212, %r12; mov $0x13131313, %r13\n"
	"	mov	$0x14141414, %r14; mov $0x15151515, %r15; mov %rsp, %rbp\n"
	"	call	*%rax\n"
	"	xor	%eax, %eax\n"
	"	cmp	$0x1b1b1b1b, %rbx; je 1f; or $1, %eax; 1:\n"
	"	cmp	$0x12121212, %r12; je 1f; or $2, %eax; 1:\n"
	"	cmp	$0x13131313, %r13; je 1f; or $4, %eax; 1:\n"
	"	cmp	$0x14141414, %r14; je 1f; or $8, %eax; 1:\n"
	"	cmp	$0x15151515, %r15; je 1f; or $16, %eax; 1:\n"
	"	cmp	%rsp, %rbp; je 1f; or $32, %eax; 1:\n"
	"	pushf; pop %rcx; test $0x400, %ecx; jz 1f; or $64, %eax; 1:\n"
	"	stmxcsr	12(%rsp); mov 12(%rsp), %ecx; xor 8(%rsp), %ecx\n"
	"	and	$0xffc0, %ecx; jz 1f; or $128, %eax; 1:\n"
	"	add	$24, %rsp\n"
	"	pop	%r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n");
#else
uint64_t call_checked(kernel_fn *fn, uint64_t n, void *memory)
{
	fn(n, memory);
	return 0;
}
#endif

static void test_rows_are_whole(void **state)
{
	(void)state;
	for (const struct kernel *kernel = kernel_table; kernel->name; kernel++) {
		assert_ptr_equal(kernel_find(kernel->name), kernel); /* no other of this name */
		assert_true(kernel->what[0]);
		assert_int_equal(!kernel->trigger, !kernel->control);
		assert_true(kernel->triggers > 0 && kernel->n_max >= 1000);
		assert_false(kernel->software && !kernel->enters_system);
		if (kernel->trigger && !kernel->enters_system)
			assert_non_null(kernel->truth);
	}
	assert_null(kernel_find("no such kernel"));
}

/* What the issue of the experiment asks for, and where it cannot be. */
static void test_architecture_has_them(void **state)
{
	(void)state;
	for (const struct kernel *kernel = kernel_table; kernel->name; kernel++) {
		bool is_a64_only = strcmp(kernel->name, "load-pair") == 0 ||
				   strcmp(kernel->name, "exclusive-pair") == 0;

#if defined(__x86_64__)
		assert_int_equal(!kernel->trigger, is_a64_only);
		if (is_a64_only)
			assert_false(kernel_runs_here(kernel));
		if (strcmp(kernel->name, "fma") == 0)
			assert_int_equal(kernel_runs_here(kernel), !!__builtin_cpu_supports("fma"));
#else
		(void)is_a64_only;
		assert_non_null(kernel->trigger);
#endif
	}
}

static void run_all(const struct kernel *kernel, struct workspace *workspace)
{
	static const uint64_t lengths[] = { 0, 1, 17, 1000, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		workspace_prepare(workspace, lengths[i]);
		assert_int_equal(
			call_checked(kernel->trigger, lengths[i], workspace_memory(workspace)), 0);
		workspace_prepare(workspace, lengths[i]);
		assert_int_equal(
			call_checked(kernel->control, lengths[i], workspace_memory(workspace)), 0);
	}
}

/* The workspaces are between pages that nobody may touch, so that a run beyond them ends the test. */
static void test_each_keeps_the_calling_convention(void **state)
{
	unsigned cpu = (unsigned)sched_getcpu();
	struct workspace *workspace;
	struct err err;

	(void)state;
	for (const struct kernel *kernel = kernel_table; kernel->name; kernel++) {
		if (!kernel_runs_here(kernel))
			continue;
		assert_int_equal(workspace_new(kernel, cpu, &workspace, &err), 0);
		run_all(kernel, workspace);
		workspace_prepare(workspace, kernel->n_max);
		if (!kernel->enters_system)
			assert_int_equal(call_checked(kernel->trigger, kernel->n_max,
						      workspace_memory(workspace)),
					 0);
		workspace_free(workspace);
	}
	workspace_free(NULL);
}

static void spoil_nothing(uint64_t n, void *memory)
{
	(void)n;
	(void)memory;
}

#if defined(__x86_64__)
void spoil_rbx(uint64_t n, void *memory);
__asm__("spoil_rbx: endbr64; xor %ebx, %ebx; ret\n");
void spoil_r15(uint64_t n, void *memory);
__asm__("spoil_r15: endbr64; inc %r15; std; ret\n");

static void test_a_spoiled_register_is_seen(void **state)
{
	(void)state;
	assert_int_equal(call_checked(spoil_nothing, 0, NULL), 0);
	assert_int_equal(call_checked(spoil_rbx, 0, NULL), 1);
	uint64_t spoiled = call_checked(spoil_r15, 0, NULL);

	__asm__ volatile("cld");
	assert_int_equal(spoiled, 16 | 64);
}
#else
static void test_a_spoiled_register_is_seen(void **state)
{
	(void)state;
	(void)spoil_nothing;
	skip();
}
#endif

static void test_truth_is_exact_for_blocks_and_rest(void **state)
{
	static const struct kernel_truth truth = {
		.unit = { 3, 1, 1, 0 },
		.block = { 2, 1, 0, 0 },
		.rest = { 5, 2, 0, 0 },
		.fixed = { 7, 3, 1, 4 },
	};
	static const struct {
		uint64_t n;
		struct kernel_counts counts;
	} rows[] = {
		{ 0, { 7, 3, 1, 4 } },
		{ 1, { 7 + 3 + 5, 3 + 1 + 2, 2, 4 } },
		{ 16, { 7 + 48 + 2, 3 + 16 + 1, 17, 4 } },
		{ 35, { 7 + 105 + 4 + 15, 3 + 35 + 2 + 6, 36, 4 } },
	};
	struct kernel kernel = { .truth = &truth };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kernel_counts counts = kernel_truth_of(&kernel, rows[i].n);

		assert_memory_equal(&counts, &rows[i].counts, sizeof(counts));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_whole),
		cmocka_unit_test(test_architecture_has_them),
		cmocka_unit_test(test_each_keeps_the_calling_convention),
		cmocka_unit_test(test_a_spoiled_register_is_seen),
		cmocka_unit_test(test_truth_is_exact_for_blocks_and_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
