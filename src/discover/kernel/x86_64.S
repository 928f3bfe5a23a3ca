/* x86_64.S: x86-64 code of the kernels in table.c, and their exact counts
 *
 * A kernel is called with n in %rdi and its struct workspace_view in %rsi. Only caller-saved
 * registers are used, so nothing is saved. WHERE is the offset of the address used in the view: the
 * trigger's in the trigger, the control's in the control. */
#if defined(__x86_64__)

	.set	BLOCK, 16 /* KERNEL_BLOCK */
	.set	THIRD, 16 /* offsets of struct workspace_view */
	.set	STEP, 24
	.set	GETPPID, 110

/* A nop of this many bytes. */
.macro nop2
	.byte	0x66, 0x90
.endm
.macro nop3
	.byte	0x0f, 0x1f, 0x00
.endm
.macro nop4
	.byte	0x0f, 0x1f, 0x40, 0x00
.endm
.macro nop5
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
.endm
.macro nop9
	.byte	0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
.endm

.macro FUNCTION name
	.text
	.p2align 6
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	endbr64
.endm

.macro END name
	.cfi_endproc
	.size	\name, . - \name
.endm

/* Run n units: blocks of them, then the rest one by one. Units may change flags, %rax, %rcx, %rdx,
 * %rsi, %r8, %r9, %r11 and the vector registers. */
.macro LOOP unit
	mov	%rdi, %r10
	shr	$4, %r10
	jz	92f
91:
	.rept BLOCK
	\unit
	.endr
	dec	%r10
	jnz	91b
92:	and	$(BLOCK - 1), %edi
	jz	94f
93:	\unit
	dec	%edi
	jnz	93b
94:	ret
.endm

.macro COUNTS instructions, branches, loads, stores
	.quad	\instructions, \branches, \loads, \stores
.endm

/* Counts of LOOP with a unit and its setup, see struct kernel_truth. */
.macro TRUTH name, unit, setup=0, setup_loads=0
	TRUTH_BEGIN \name
	COUNTS	\unit
	COUNTS	2, 1, 0, 0
	COUNTS	2, 1, 0, 0
	COUNTS	7 + \setup, 3, 1 + \setup_loads, 0
	TRUTH_END \name
.endm

.macro TRUTH_BEGIN name
	.pushsection .rodata
	.p2align 3
	.globl	kernel_\name\()_truth
	.type	kernel_\name\()_truth, @object
kernel_\name\()_truth:
.endm

.macro TRUTH_END name
	.size	kernel_\name\()_truth, . - kernel_\name\()_truth
	.popsection
.endm

.macro HALF name, where, setup, unit
	.set	WHERE, \where
	FUNCTION \name
	\setup
	LOOP	"\unit"
	END	\name
.endm

/* A kernel whose trigger and control differ in their unit. */
.macro KERNEL name, setup, trigger, control
	HALF	kernel_\name\()_trigger, 0, "\setup", "\trigger"
	HALF	kernel_\name\()_control, 8, "\setup", "\control"
.endm

/* A kernel whose trigger and control differ in the memory that they use. */
.macro WALK name, setup, unit
	KERNEL	\name, "\setup", "\unit", "\unit"
.endm

.macro go
	mov	WHERE(%rsi), %rsi
.endm

/* ---- arithmetic ---- */

KERNEL nop, "", "nop", ""
TRUTH nop, "1, 0, 0, 0"

KERNEL add, "", "add %r9, %r8", "nop3"
TRUTH add, "1, 0, 0, 0"

KERNEL mul, "", "imul %r9, %r8", "nop4"
TRUTH mul, "1, 0, 0, 0"

KERNEL div, "mov $1, %ecx; mov $1, %eax; xor %edx, %edx", "div %rcx", "nop3"
TRUTH div, "1, 0, 0, 0", setup=3

.macro clear
	pxor	%xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pxor	%xmm2, %xmm2
.endm

KERNEL fp_add, "clear", "addsd %xmm1, %xmm0", "nop4"
TRUTH fp_add, "1, 0, 0, 0", setup=3

KERNEL simd_add, "clear", "paddd %xmm1, %xmm0", "nop4"
TRUTH simd_add, "1, 0, 0, 0", setup=3

KERNEL fma, "clear", "vfmadd231sd %xmm2, %xmm1, %xmm0", "nop5"
TRUTH fma, "1, 0, 0, 0", setup=3

/* ---- memory ---- */

KERNEL load, "go", "mov (%rsi), %rax", "nop3"
TRUTH load, "1, 0, 1, 0", setup=1, setup_loads=1

KERNEL store, "go; xor %eax, %eax", "mov %rax, (%rsi)", "nop3"
TRUTH store, "1, 0, 0, 1", setup=2, setup_loads=1

WALK load_at, "go", "mov (%rsi), %rax"
TRUTH load_at, "1, 0, 1, 0", setup=1, setup_loads=1

WALK chase, "go", "mov (%rsi), %rsi"
TRUTH chase, "1, 0, 1, 0", setup=1, setup_loads=1

KERNEL atomic_success, "go; xor %r8d, %r8d", \
	"xor %eax, %eax; lock cmpxchg %r8, (%rsi)", "xor %eax, %eax; nop5"
TRUTH atomic_success, "2, 0, 1, 1", setup=2, setup_loads=1

/* The third address holds a 1. A failure stores, too: it writes back the old value. */
KERNEL atomic_failure, "mov THIRD(%rsi), %rsi; xor %r8d, %r8d", \
	"xor %eax, %eax; lock cmpxchg %r8, (%rsi)", "xor %eax, %eax; nop5"
TRUTH atomic_failure, "2, 0, 1, 1", setup=2, setup_loads=1

KERNEL barrier, "", "mfence", "nop3"
TRUTH barrier, "1, 0, 0, 0"

/* The store's address is known late, after the multiplications by 1, so the load may go first. If
 * the bit is set, both have the same address. */
WALK ordering, "mov THIRD(%rsi), %rdx; go; mov $1, %r9d; xor %r8d, %r8d", \
	"movzbl (%rsi), %eax; inc %rsi; and $1, %eax; \
	imul %r9, %rax; imul %r9, %rax; imul %r9, %rax; imul %r9, %rax; \
	mov %r8, (%rdx, %rax, 8); mov 8(%rdx), %r11"
TRUTH ordering, "9, 0, 2, 1", setup=4, setup_loads=2

/* ---- branches ---- */

/* The long nop prevents fusion of comparison and branch. Taken or not, the branch continues at the
 * next instruction, so the same instructions are executed. */
.macro compare
	test	%eax, %eax
	nop9
.endm

KERNEL branch_predicted, "xor %eax, %eax", "compare; jz 1f; 1:", "compare; nop2"
TRUTH branch_predicted, "3, 1, 0, 0", setup=1

KERNEL branch_taken, "xor %eax, %eax", "compare; jz 1f; 1:", "compare; jnz 1f; 1:"
TRUTH branch_taken, "3, 1, 0, 0", setup=1

KERNEL branch_not_taken, "xor %eax, %eax", "compare; jnz 1f; 1:", "compare; nop2"
TRUTH branch_not_taken, "3, 1, 0, 0", setup=1

KERNEL branch_indirect, "", "lea 1f(%rip), %rax; jmp *%rax; 1: endbr64", \
	"lea 1f(%rip), %rax; nop2; 1: endbr64"
TRUTH branch_indirect, "3, 1, 0, 0"

KERNEL call_return, "", "call .Lreturn", "nop5; nop"
TRUTH call_return, "2, 2, 1, 1"

	.text
	.p2align 6
.Lreturn:
	ret

/* Two copies of the same instructions: a taken branch continues in the other copy, so each unit
 * executes the same, whatever its bit. %r10 counts the blocks, %rsi points to their bits. */
.macro STREAM id, here, there, units, size
.L\id\here:
	sub	$1, %r10
	jc	.L\id\()_end
	.irp next, \units
	testb	$1, \next - 1(%rsi)
	jnz	.L\id\there\()_\next
.L\id\here\()_\next:
	.endr
	add	$\size, %rsi
	jmp	.L\id\here
.endm

.macro STREAMS id, units, size
	STREAM	\id, a, b, "\units", \size
	STREAM	\id, b, a, "\units", \size
.L\id\()_end:
.endm

.macro BRANCH_RANDOM name, where
	FUNCTION \name
	mov	\where(%rsi), %rsi
	mov	%rdi, %r10
	shr	$4, %r10
	STREAMS	\name\()_block, "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", BLOCK
	and	$(BLOCK - 1), %edi
	mov	%rdi, %r10
	STREAMS	\name\()_rest, "1", 1
	ret
	END	\name
.endm

BRANCH_RANDOM kernel_branch_random_trigger, 0
BRANCH_RANDOM kernel_branch_random_control, 8
TRUTH_BEGIN branch_random
	COUNTS	2, 1, 1, 0
	COUNTS	4, 2, 0, 0
	COUNTS	4, 2, 0, 0
	COUNTS	11, 3, 2, 0
TRUTH_END branch_random

/* Each of the eight targets jumps to the next one, selected by the low three bits of a byte. */
.macro BRANCH_INDIRECT_RANDOM name, where
	FUNCTION \name
	mov	\where(%rsi), %rsi
	lea	91f(%rip), %rdx
	jmp	91f
	.p2align 6
91:
	.rept 8
	.p2align 6
	endbr64
	sub	$1, %rdi
	jc	92f
	movzbl	(%rsi, %rdi), %eax
	and	$7, %eax
	shl	$6, %eax
	add	%rdx, %rax
	jmp	*%rax
	.endr
92:	ret
	END	\name
.endm

BRANCH_INDIRECT_RANDOM kernel_branch_indirect_random_trigger, 0
BRANCH_INDIRECT_RANDOM kernel_branch_indirect_random_control, 8
TRUTH_BEGIN branch_indirect_random
	COUNTS	8, 2, 1, 0
	COUNTS	0, 0, 0, 0
	COUNTS	0, 0, 0, 0
	COUNTS	8, 3, 2, 0
TRUTH_END branch_indirect_random

/* ---- generated code (workspace.c) ---- */

.macro PATH name, where
	FUNCTION \name
	jmp	*\where(%rsi)
	END	\name
.endm

PATH kernel_path_trigger, 0
PATH kernel_path_control, 8
TRUTH_BEGIN path
	COUNTS	3, 1, 0, 0
	COUNTS	0, 0, 0, 0
	COUNTS	0, 0, 0, 0
	COUNTS	6, 3, 2, 0
TRUTH_END path

/* Write the nop that is already there. The counts include the called code: endbr64, nop, ret. */
WALK rewrite, "mov THIRD(%rsi), %rdx; go", "movb $0x90, (%rsi); call *%rdx"
TRUTH rewrite, "5, 2, 1, 2", setup=2, setup_loads=2

/* ---- operating system ---- */

KERNEL system_call, "", "mov $GETPPID, %eax; syscall", "mov $GETPPID, %eax; nop2"
TRUTH system_call, "2, 0, 0, 0"

WALK page_fault, "mov STEP(%rsi), %rdx; go", "movb $1, (%rsi); add %rdx, %rsi"
TRUTH page_fault, "2, 0, 0, 1", setup=2, setup_loads=2

/* Marked for indirect branch tracking and shadow stacks: see the x86-64 ABI, "Program property". */
	.section .note.gnu.property, "a"
	.p2align 3
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000002, 4, 3, 0

#endif

	.section .note.GNU-stack, "", %progbits
