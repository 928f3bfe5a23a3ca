/* kernels_aarch64.S: the units of work of kernel_table.c for arm64, each beside its control */
#if defined(__aarch64__)

/*
 * A function does its unit of work x0 times: sixteen in a row as long as there are sixteen, then one by
 * one. What it executes besides depends on x0 alone, not on the unit: kernel_truth_of() knows it.
 *
 * What a unit finds:                          and may overwrite:
 *   x1       the arena's memory                 x4, x5, v0  results
 *   x6, x7   -1 and 3                           x9          walks, from x1 on
 *   x8       the number of a system call        x10         random bits
 *   d1       1.0                                x0, x30
 *   x2, x3   blocks and single units to go
 *
 * bti c and bti j (as hints, for old assemblers' sake) do nothing where branch targets are not guarded.
 */
	.arch	armv8-a
	.arch_extension lse
	.text

#define SYS_GETPPID 173

.macro begin name
	.globl	\name
	.type	\name, %function
	.balign	64
\name:
	hint	#34 /* bti c */
	mov	x11, x30
	mov	x6, #-1
	mov	x7, #3
	mov	x8, #SYS_GETPPID
	mov	x9, x1
	mrs	x10, cntvct_el0
	orr	x10, x10, #1 << 63
	fmov	d1, #1.0
.endm

.macro end name
	ret	x11
	.size	\name, . - \name
.endm

.macro repeat unit
	lsr	x2, x0, #4
	and	x3, x0, #15
	cbz	x2, 2f
1:
	.rept	16
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

/* A trigger and its control. Labels within a unit are 8 and 9. */
.macro kernel name, trigger, control
	begin	kernel_\name\()_trigger
	repeat	"\trigger"
	end	kernel_\name\()_trigger

	begin	kernel_\name\()_control
	repeat	"\control"
	end	kernel_\name\()_control
.endm

/* The neutral instruction is nop: it retires and does nothing else. Its own control has none. */
kernel nop, "nop", ""

kernel add, "add x4, x6, x7", "nop"
kernel mul, "mul x4, x6, x7", "nop"
kernel div, "udiv x4, x6, x7", "nop"

kernel fp_add,   "fadd d0, d1, d1", "nop"
kernel simd_add, "add v0.4s, v1.4s, v1.4s", "nop"
kernel fma,      "fmadd d0, d1, d1, d1", "nop"

kernel load,      "ldr x4, [x1]", "nop"
kernel store,     "str x4, [x1]", "nop"
kernel load_pair, "ldp x4, x5, [x1]", "nop"
kernel unaligned, "ldur x4, [x1, #1]", "ldur x4, [x1]"

/* cas compares with x5 and leaves in it what it found, which is 0. */
kernel atomic_success, "mov x5, #0; cas x5, xzr, [x1]", "mov x5, #0; nop"
kernel atomic_failure, "mov x5, #1; cas x5, xzr, [x1]", "mov x5, #1; nop"
kernel exclusive_pair, "ldxr x4, [x1]; stxr w5, x4, [x1]", "ldr x4, [x1]; str x4, [x1]"
kernel barrier,        "dmb ish", "nop"

/*
 * Random bits by xorshift, begun with the time so that no run repeats another; the lowest bit of x2, which
 * counts blocks, is what a predictor can foretell. Branches go to where the flow would go anyway, so that
 * as many instructions are executed.
 */
.macro random
	eor	x10, x10, x10, lsl #13
	eor	x10, x10, x10, lsr #7
	eor	x10, x10, x10, lsl #17
.endm

.macro branch_on register, bit
	random
	tbz	\register, #\bit, 9f
9:
.endm

.macro branch_to_one_of_8 register
	random
	and	x4, \register, #7 << 3
	adr	x5, 8f
	add	x5, x5, x4
	br	x5
8:
	.rept	8
	hint	#36 /* bti j */
	b	9f
	.endr
9:
.endm

kernel branch_taken,     "cbz xzr, 9f; 9:", "nop"
kernel branch_not_taken, "cbnz xzr, 9f; 9:", "nop"
kernel branch_predicted, "tbz x2, #0, 9f; 9:", "nop"
kernel branch_random,    "branch_on x10, 20", "branch_on x2, 0"
kernel branch_indirect,  "branch_to_one_of_8 x10", "branch_to_one_of_8 xzr"

subroutine:
	ret
kernel call_return, "bl subroutine", "nop; nop"

kernel system_call, "svc #0", "nop"

/*
 * A store whose address is known late, because it waits for a division, and a load behind it that is
 * tempted to go first: half of the triggers' loads read what is being stored, the controls' never do.
 */
.macro store_then_load offset
	random
	udiv	x5, x6, x7
	and	x5, x5, #2
	bfi	x5, x10, #6, #1
	str	x7, [x1, x5]
	ldr	x4, [x1, #\offset]
.endm
kernel store_order, "store_then_load 0", "store_then_load 128"

#endif

/* A stack need not be executable. */
	.section .note.GNU-stack, "", %progbits
