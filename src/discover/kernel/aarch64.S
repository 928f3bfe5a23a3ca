/* aarch64.S: arm64 code of the kernels in table.c: triggers, controls, and their exact counts */
#if defined(__aarch64__)

/*
 * A function runs its unit of work x0 times: blocks of KERNEL_BLOCK, then the rest one by one. Its other
 * instructions are the same for all kernels.
 *
 * Inputs of a unit:                                Registers it may overwrite:
 *   x8       number of a system call                 x4, x5, v0  results
 *   x12-x15  workspace_view: trigger, control,       x12, x13    current addresses
 *            third, step                             x0, x1, x30
 *   x6, x7   -1 and 3;  d1  1.0
 *   x2, x3   remaining blocks and single units;  x11  return address
 *
 * bti c and bti j are encoded as hints for old processors; they do nothing unless branch targets are guarded.
 */
	.arch	armv8-a
	.arch_extension lse
	.text

#define BTI_C hint #34
#define BTI_J hint #36
#define SYS_GETPPID 173
#define BLOCK_SHIFT 4 /* 16: KERNEL_BLOCK */

.macro begin name
	.globl	\name
	.type	\name, %function
	.balign	64
\name:
	BTI_C
.endm

.macro end name
	.size	\name, . - \name
.endm

.macro prepare
	mov	x11, x30
	ldp	x12, x13, [x1]
	ldp	x14, x15, [x1, #16]
	mov	x6, #-1
	mov	x7, #3
	mov	x8, #SYS_GETPPID
	fmov	d1, #1.0
.endm

/* Split n into blocks and single units. */
.macro split
	lsr	x2, x0, #BLOCK_SHIFT
	and	x3, x0, #(1 << BLOCK_SHIFT) - 1
.endm

.macro repeat unit
	split
	cbz	x2, 2f
1:
	.rept	1 << BLOCK_SHIFT
	\unit
	.endr
	sub	x2, x2, #1
	cbnz	x2, 1b
2:
	cbz	x3, 4f
3:
	\unit
	sub	x3, x3, #1
	cbnz	x3, 3b
4:
.endm

.macro function name, unit
	begin	\name
	prepare
	repeat	"\unit"
	ret	x11
	end	\name
.endm

/* struct kernel_truth, from four struct kernel_counts: unit, block, rest, fixed. */
.macro truth code, unit, loop, fixed
	.section .rodata
	.globl	kernel_\code\()_truth
	.type	kernel_\code\()_truth, %object
	.balign	8
kernel_\code\()_truth:
	.quad	\unit
	.quad	\loop
	.quad	\loop
	.quad	\fixed
	.size	kernel_\code\()_truth, . - kernel_\code\()_truth
	.text
.endm

/* A trigger, its control, and the counts of a trigger's unit. Labels within a unit are 8 and 9. */
.macro kernel code, trigger, control, instructions=1, branches=0, loads=0, stores=0
	function kernel_\code\()_trigger, "\trigger"
	function kernel_\code\()_control, "\control"
	truth	\code, "\instructions, \branches, \loads, \stores", "2, 1, 0, 0", "13, 3, 2, 0"
.endm

/* The neutral instruction is nop: it retires and does nothing else. Its own control has none. */
kernel nop, "nop", ""

kernel add, "add x4, x6, x7", "nop"
kernel mul, "mul x4, x6, x7", "nop"
kernel div, "udiv x4, x6, x7", "nop"

kernel fp_add,   "fadd d0, d1, d1", "nop"
kernel simd_add, "add v0.4s, v1.4s, v1.4s", "nop"
kernel fma,      "fmadd d0, d1, d1, d1", "nop"

kernel load,      "ldr x4, [x12]", "nop", loads=1
kernel store,     "str xzr, [x12]", "nop", stores=1
kernel load_pair, "ldp x4, x5, [x12]", "nop", loads=1
kernel load_at,   "ldr x4, [x12]", "ldr x4, [x13]", loads=1
kernel chase,     "ldr x12, [x12]", "ldr x13, [x13]", loads=1
kernel barrier,   "dmb ish", "nop"

/* cas compares memory with its first register. */
kernel atomic_success, "cas xzr, xzr, [x12]", "nop", loads=1, stores=1
kernel atomic_failure, "cas xzr, xzr, [x14]", "nop", loads=1
kernel exclusive_pair, "ldxr x4, [x12]; stxr w5, x4, [x12]", "ldr x4, [x12]; str x4, [x12]", \
	2, loads=1, stores=1

/* Both outcomes of these branches continue at the next instruction, so the same instructions are executed. */
kernel branch_predicted, "cbz xzr, 9f; 9:", "nop", branches=1
kernel branch_taken,     "cbz xzr, 9f; 9:", "cbnz xzr, 9f; 9:", branches=1
kernel branch_not_taken, "cbnz xzr, 9f; 9:", "nop", branches=1

/*
 * Two copies of the same instructions: a taken branch continues in the other copy, so that it can
 * be mispredicted and each unit executes the same, whatever its bit.
 */
.macro stream from, count, here, there, units:vararg
\here:
	cbz	\count, 9f
	sub	\count, \count, #1
	.irp	next, \units
	ldrb	w4, [\from], #1
	tbnz	w4, #0, \there\()_\next
\here\()_\next:
	.endr
	b	\here
.endm

.macro streams id, from, count, units:vararg
	stream	\from, \count, .L\id\()_a, .L\id\()_b, \units
	stream	\from, \count, .L\id\()_b, .L\id\()_a, \units
9:
.endm

.macro branch_on_bits name, from
	begin	\name
	prepare
	split
	streams	\name\()_block, \from, x2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
	streams	\name\()_rest, \from, x3, 1
	ret	x11
	end	\name
.endm
	branch_on_bits kernel_branch_random_trigger, x12
	branch_on_bits kernel_branch_random_control, x13
	truth	branch_random, "2, 1, 1, 0", "3, 2, 0, 0", "13, 3, 2, 0"

.macro branch_ahead branch:vararg
	adr	x4, 9f
	\branch
9:
	BTI_J
.endm
kernel branch_indirect, "branch_ahead br x4", "branch_ahead nop", 3, branches=1

.macro branch_to_one_of_8 from
	ldrb	w4, [\from], #1
	and	x4, x4, #7 << 3
	adr	x5, 8f
	add	x5, x5, x4
	br	x5
8:
	.rept	8
	BTI_J
	b	9f
	.endr
9:
.endm
kernel branch_indirect_random, "branch_to_one_of_8 x12", "branch_to_one_of_8 x13", \
	7, branches=2, loads=1

subroutine:
	ret
kernel call_return, "bl subroutine", "nop; nop", 2, branches=2

kernel system_call, "svc #0", "nop"

.macro store_and_step at
	str	xzr, [\at]
	add	\at, \at, x15
.endm
kernel page_fault, "store_and_step x12", "store_and_step x13", 2, stores=1

/*
 * A store whose address is known late, as it waits for a division, followed by a load that may
 * overtake it. The store goes to the same word if the lowest random bit is set.
 */
.macro store_then_load from
	ldrb	w4, [\from], #1
	udiv	x5, x6, x7
	and	x5, x5, #2 /* of 0x5555555555555555: 0 */
	bfi	x5, x4, #3, #1
	str	x7, [x14, x5]
	ldr	x4, [x14, #8]
.endm
kernel ordering, "store_then_load x12", "store_then_load x13", 6, loads=2, stores=1

/* The instruction written is the one that is already there; the called function has three. */
.macro rewrite_then_call data, code
	ldr	w4, [\data]
	str	w4, [\data]
	dc	cvau, \data
	dsb	ish
	ic	ivau, \code
	dsb	ish
	isb
	blr	x14
.endm
kernel rewrite, "rewrite_then_call x12, x14", "rewrite_then_call x13, x13", \
	11, branches=2, loads=1, stores=1

/* Jumps from node to node of generated code (code.c); the last node returns. */
.macro follow code, view
	begin	\code
	ldr	x4, [x1, #\view]
	br	x4
	end	\code
.endm
	follow	kernel_path_trigger, 0
	follow	kernel_path_control, 8
	truth	path, "4, 2, 0, 0", "0, 0, 0, 0", "7, 3, 1, 0"

/* Branch targets are marked; to guard them, all linked objects must mark theirs. */
	.section .note.gnu.property, "a"
	.balign	8
	.word	4, 16, 5 /* length of name and description; NT_GNU_PROPERTY_TYPE_0 */
	.asciz	"GNU"
	.word	0xc0000000, 4, 3, 0 /* GNU_PROPERTY_AARCH64_FEATURE_1_AND: BTI and PAC */
#endif

/* The stack need not be executable. */
	.section .note.GNU-stack, "", %progbits
