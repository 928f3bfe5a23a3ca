/* call_checked.h: a call that finds out which registers it should have kept and did not */
#ifndef TESTS_CALL_CHECKED_H
#define TESTS_CALL_CHECKED_H

#include "discover/kernel/kernel.h"

/** Call fn(n, memory). @return 0; else a bit for each thing that was not kept, see below */
uint64_t call_checked(kernel_fn *fn, uint64_t n, void *memory);

#if defined(__x86_64__)
/* Bits: 0-4 rbx r12 r13 r14 r15, 5 rbp or rsp, 6 direction flag, 7 control of vectors. */
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

#endif
