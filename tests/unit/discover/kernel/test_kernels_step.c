/* Each kernel for x86-64 under single-stepping: it executes what its truth says, and as many triggers
 * as it was told to; its control executes as many instructions, and no trigger. */
#include "rig/harness.h"

#include "discover/kernel/workspace.h"

#if defined(__x86_64__)
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

struct x86_effect {
	bool branch, load, store;
};

/* Effects of an opcode: B branch; L, S load, store; l, s load, store if its operand is in memory. */
struct x86_opcode {
	uint8_t escape; /* 0x0f or 0 */
	uint8_t opcode;
	int8_t group; /* the middle three bits of the next byte, -1 any */
	const char *does;
};

static const struct x86_opcode x86_opcodes[] = {
	{ 0, 0x01, -1, "ls" },                          /* add r, rm */
	{ 0, 0x29, -1, "ls" },                          /* sub */
	{ 0, 0x31, -1, "ls" },                          /* xor */
	{ 0, 0x72, -1, "B" },                           /* jc */
	{ 0, 0x73, -1, "B" },                           /* jnc */
	{ 0, 0x74, -1, "B" },                           /* jz */
	{ 0, 0x75, -1, "B" },                           /* jnz */
	{ 0, 0x83, 0, "ls" },                           /* add imm, rm */
	{ 0, 0x83, 4, "ls" },                           /* and */
	{ 0, 0x83, 5, "ls" },                           /* sub */
	{ 0, 0x85, -1, "l" },                           /* test */
	{ 0, 0x89, -1, "s" },                           /* mov r, rm */
	{ 0, 0x8b, -1, "l" },                           /* mov rm, r */
	{ 0, 0x8d, -1, "" },                            /* lea */
	{ 0, 0x90, -1, "" },                            /* nop */
	{ 0, 0xb8, -1, "" },                            /* mov imm, r */
	{ 0, 0xb9, -1, "" },      { 0, 0xc1, 4, "ls" }, /* shl */
	{ 0, 0xc1, 5, "ls" },                           /* shr */
	{ 0, 0xc3, -1, "BL" },                          /* ret */
	{ 0, 0xc6, 0, "s" },                            /* mov imm, rm */
	{ 0, 0xe8, -1, "BS" },                          /* call */
	{ 0, 0xe9, -1, "B" },                           /* jmp */
	{ 0, 0xeb, -1, "B" },     { 0, 0xf6, 0, "l" },  /* test imm, rm */
	{ 0, 0xf7, 6, "l" },                            /* div */
	{ 0, 0xff, 0, "ls" },                           /* inc */
	{ 0, 0xff, 1, "ls" },                           /* dec */
	{ 0, 0xff, 2, "BSl" },                          /* call rm */
	{ 0, 0xff, 4, "Bl" },                           /* jmp rm */
	{ 0x0f, 0x05, -1, "" },                         /* syscall */
	{ 0x0f, 0x1e, -1, "" },                         /* endbr64 */
	{ 0x0f, 0x1f, -1, "" },                         /* nop rm */
	{ 0x0f, 0x58, -1, "l" },                        /* addsd */
	{ 0x0f, 0x82, -1, "B" },                        /* jc */
	{ 0x0f, 0x83, -1, "B" },                        /* jnc */
	{ 0x0f, 0x84, -1, "B" },                        /* jz */
	{ 0x0f, 0x85, -1, "B" },                        /* jnz */
	{ 0x0f, 0xae, 6, "" },                          /* mfence */
	{ 0x0f, 0xaf, -1, "l" },                        /* imul */
	{ 0x0f, 0xb1, -1, "ls" },                       /* cmpxchg */
	{ 0x0f, 0xb6, -1, "l" },                        /* movzx */
	{ 0x0f, 0xef, -1, "l" },                        /* pxor */
	{ 0x0f, 0xfe, -1, "l" },                        /* paddd */
};

/* Find out what an instruction does to memory and flow. @return false if it is not in the table */
static bool x86_decode(const uint8_t *code, struct x86_effect *ret)
{
	static const uint8_t fma[] = { 0xc4, 0xe2, 0xf1, 0xb9 };
	uint8_t escape = 0;

	*ret = (struct x86_effect){ 0 };
	if (memcmp(code, fma, sizeof(fma)) == 0)
		return code[4] >> 6 == 3;
	while (*code == 0x66 || *code == 0xf0 || *code == 0xf2 || *code == 0xf3)
		code++;
	if (*code >> 4 == 4) /* REX */
		code++;
	if (*code == 0x0f)
		escape = *code++;
	for (size_t i = 0; i < sizeof(x86_opcodes) / sizeof(*x86_opcodes); i++) {
		const struct x86_opcode *opcode = &x86_opcodes[i];
		bool is_memory = code[1] >> 6 != 3;

		if (opcode->escape != escape || opcode->opcode != code[0] ||
		    (opcode->group >= 0 && opcode->group != (code[1] >> 3 & 7)))
			continue;
		ret->branch = strchr(opcode->does, 'B');
		ret->load = strchr(opcode->does, 'L') || (is_memory && strchr(opcode->does, 'l'));
		ret->store = strchr(opcode->does, 'S') || (is_memory && strchr(opcode->does, 's'));
		return true;
	}
	return false;
}

/** Before an instruction is executed. */
struct step {
	const uint8_t *code;
	const struct user_regs_struct *regs;
	const struct workspace *workspace;
	uint64_t n;
};

struct outcome {
	struct kernel_counts counts;
	uint64_t triggers;
};

static const uint8_t *bytes_at(uint64_t address)
{
	return (const uint8_t *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

static bool is_in(const struct workspace_map *map, size_t from, size_t to, uint64_t address)
{
	return bytes_at(address) >= map->bytes + from && bytes_at(address) < map->bytes + to;
}

static bool always(const struct step *step)
{
	(void)step;
	return true;
}

static bool swaps(const struct step *step)
{
	return memcmp(bytes_at(step->regs->rsi), &step->regs->rax, 8) == 0;
}

static bool finds_another(const struct step *step)
{
	return !swaps(step);
}

static bool is_unaligned(const struct step *step)
{
	return step->regs->rsi % 8 && step->regs->rsi % 64 <= 56;
}

static bool crosses_a_line(const struct step *step)
{
	return step->regs->rsi % 64 > 56 && step->regs->rsi % 4096 <= 4088;
}

static bool crosses_a_page(const struct step *step)
{
	return step->regs->rsi % step->workspace->geometry.page >
	       step->workspace->geometry.page - 8;
}

/* The short ring is in the first page, the large one behind it. */
static bool is_on_large_ring(const struct step *step, uint64_t address)
{
	const struct workspace_map *map = &step->workspace->map[0];

	return is_in(map, step->workspace->geometry.page, map->size, address);
}

static bool follows_large_ring(const struct step *step)
{
	return is_on_large_ring(step, step->regs->rsi);
}

static bool jumps_on_large_ring(const struct step *step)
{
	return is_on_large_ring(step, step->regs->rip) && !(step->regs->eflags & 1);
}

static bool is_zero(const struct step *step)
{
	return step->regs->eflags & 64;
}

/* Not those that close a loop: a branch to what follows anyway, jz taken or jnz not. */
static bool passes_on_zero(const struct step *step)
{
	return step->code[1] == 0 && is_zero(step);
}

static bool takes_jnz(const struct step *step)
{
	return (step->code[0] == 0x75 || (step->code[0] == 0x0f && step->code[1] == 0x85)) &&
	       !is_zero(step);
}

static bool jumps_to_another(const struct step *step)
{
	return (step->regs->rax & ~63ULL) != (step->regs->rip & ~63ULL);
}

static bool has_same_address(const struct step *step)
{
	return step->regs->rax == 1;
}

static bool writes_what_runs(const struct step *step)
{
	return step->regs->rsi - (uint64_t)(uintptr_t)step->workspace->map[0].bytes <
	       step->workspace->geometry.page;
}

static bool is_fresh(const struct step *step)
{
	return is_in(&step->workspace->map[0], 0, step->workspace->map[0].size, step->regs->rsi);
}

static uint64_t set_bits(const struct workspace *workspace, uint64_t n)
{
	const uint8_t *bytes = workspace->view.trigger;
	uint64_t set = 0;

	for (uint64_t i = 0; i < n; i++)
		set += bytes[i] & 1;
	return set;
}

/* Targets are taken from the last byte to the first; the first jump starts from target 0. */
static uint64_t changes(const struct workspace *workspace, uint64_t n)
{
	const uint8_t *bytes = workspace->view.trigger;
	uint64_t count = 0;
	uint8_t last = 0;

	for (uint64_t i = n; i-- > 0; last = bytes[i] & 7)
		count += (bytes[i] & 7) != last;
	return count;
}

static const struct row {
	const char *name;
	const char *code; /* what the trigger's instruction begins with */
	bool (*is_trigger)(const struct step *step);
	uint64_t (*expected)(const struct workspace *workspace, uint64_t n); /* NULL: n */
} rows[] = {
	{ "nop", "\x90", always, NULL },
	{ "add", "\x4d\x01\xc8", always, NULL },
	{ "mul", "\x4d\x0f\xaf\xc1", always, NULL },
	{ "div", "\x48\xf7\xf1", always, NULL },
	{ "load", "\x48\x8b\x06", always, NULL },
	{ "store", "\x48\x89\x06", always, NULL },
	{ "atomic-success", "\xf0\x4c\x0f\xb1", swaps, NULL },
	{ "atomic-failure", "\xf0\x4c\x0f\xb1", finds_another, NULL },
	{ "branch-predicted", "\x74", passes_on_zero, NULL },
	{ "branch-taken", "\x74", passes_on_zero, NULL },
	{ "branch-not-taken", "\x75", passes_on_zero, NULL },
	{ "branch-random", "", takes_jnz, set_bits },
	{ "branch-indirect", "\xff\xe0", always, NULL },
	{ "branch-indirect-random", "\xff\xe0", jumps_to_another, changes },
	{ "call-return", "\xe8", always, NULL },
	{ "barrier", "\x0f\xae\xf0", always, NULL },
	{ "fp-add", "\xf2\x0f\x58", always, NULL },
	{ "simd-add", "\x66\x0f\xfe", always, NULL },
	{ "fma", "\xc4\xe2\xf1\xb9", always, NULL },
	{ "l1d-miss", "\x48\x8b\x36", follows_large_ring, NULL },
	{ "l2-miss", "\x48\x8b\x36", follows_large_ring, NULL },
	{ "dtlb-miss", "\x48\x8b\x36", follows_large_ring, NULL },
	{ "l1i-miss", "\x0f\x83", jumps_on_large_ring, NULL },
	{ "itlb-miss", "\x0f\x83", jumps_on_large_ring, NULL },
	{ "unaligned", "\x48\x8b\x06", is_unaligned, NULL },
	{ "line-crossing", "\x48\x8b\x06", crosses_a_line, NULL },
	{ "page-crossing", "\x48\x8b\x06", crosses_a_page, NULL },
	{ "ordering-violation", "\x4c\x89\x04\xc2", has_same_address, set_bits },
	{ "self-modifying", "\xc6\x06", writes_what_runs, NULL },
	{ "system-call", "\x0f\x05", always, NULL },
	{ "page-fault", "\xc6\x06", is_fresh, NULL },
};

static void take(const struct row *row, const struct step *step, struct outcome *outcome)
{
	struct x86_effect effect;

	if (!x86_decode(step->code, &effect))
		fail_msg("%s: unknown instruction %02x %02x %02x %02x", row->name, step->code[0],
			 step->code[1], step->code[2], step->code[3]);
	outcome->counts.instructions++;
	outcome->counts.branches += effect.branch;
	outcome->counts.loads += effect.load;
	outcome->counts.stores += effect.store;
	if (memcmp(step->code, row->code, strlen(row->code)) == 0 && row->is_trigger(step))
		outcome->triggers++;
}

static void next(pid_t child, struct user_regs_struct *regs)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, regs), 0);
}

static pid_t stopped_child(kernel_fn *fn, uint64_t n, void *memory)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		fn(n, memory);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSTOPPED(status));
	return child;
}

/* Code and workspace are at the same addresses here as in the child. */
static struct outcome step_through(const struct row *row, kernel_fn *fn, uint64_t n,
				   struct workspace *workspace)
{
	pid_t child = stopped_child(fn, n, workspace_memory(workspace));
	struct outcome outcome = { 0 };
	struct user_regs_struct regs;
	uint64_t back;

	do {
		next(child, &regs);
	} while (bytes_at(regs.rip) != (const uint8_t *)(uintptr_t)fn);
	back = regs.rsp + 8;
	while (regs.rsp != back) {
		const struct step step = { bytes_at(regs.rip), &regs, workspace, n };

		take(row, &step, &outcome);
		next(child, &regs);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return outcome;
}

static void check(const struct kernel *kernel, const struct row *row, struct workspace *workspace,
		  uint64_t n)
{
	struct outcome trigger, control;
	struct kernel_counts truth = kernel_truth_of(kernel, n);
	bool is_nop = strcmp(kernel->name, "nop") == 0;

	workspace_prepare(workspace, n);
	trigger = step_through(row, kernel->trigger, n, workspace);
	control = step_through(row, kernel->control, n, workspace);
	if (memcmp(&trigger.counts, &truth, sizeof(truth)) != 0)
		fail_msg("%s, n=%ju: executed %ju instructions, %ju branches, %ju loads, %ju "
			 "stores; its truth is %ju, %ju, %ju, %ju",
			 kernel->name, n, trigger.counts.instructions, trigger.counts.branches,
			 trigger.counts.loads, trigger.counts.stores, truth.instructions,
			 truth.branches, truth.loads, truth.stores);
	if (trigger.triggers != (row->expected ? row->expected(workspace, n) : n) ||
	    control.triggers != 0)
		fail_msg("%s, n=%ju: %ju triggers, %ju in the control", kernel->name, n,
			 trigger.triggers, control.triggers);
	if (control.counts.instructions != truth.instructions - (is_nop ? n : 0))
		fail_msg("%s, n=%ju: the control executes %ju instructions, the trigger %ju",
			 kernel->name, n, control.counts.instructions, truth.instructions);
}

static const struct row *row_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	fail_msg("no row for the kernel %s", name);
	return NULL;
}

static void test_each_executes_exactly_n_triggers(void **state)
{
	static const uint64_t lengths[] = { 0, 1, 10, 100, 600 };
	unsigned n_kernels = 0;

	(void)state;
	for (const struct kernel *kernel = kernel_table; kernel->name; kernel++) {
		struct workspace *workspace;
		struct err err;

		if (!kernel_runs_here(kernel) || !kernel->truth)
			continue;
		assert_int_equal(workspace_new(kernel, (unsigned)sched_getcpu(), &workspace, &err),
				 0);
		for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
			check(kernel, row_of(kernel->name), workspace, lengths[i]);
		workspace_free(workspace);
		n_kernels++;
	}
	print_message("# %u kernels stepped through\n", n_kernels);
	assert_true(n_kernels >= ARRAY_SIZE(rows) - 1); /* FMA may be missing */
}
#else
static void test_each_executes_exactly_n_triggers(void **state)
{
	(void)state;
	skip();
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_executes_exactly_n_triggers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
