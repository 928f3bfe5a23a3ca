/* kernel_call.S: uint64_t kernel_call(kernel_fn *kernel, uint64_t n, void *memory): calls it with its number in
 * every register that arm64's calling convention keeps, and returns the differences afterwards: 0 */
	.text
	.globl	kernel_call
	.globl	kernel_called
kernel_call:
	stp	x29, x30, [sp, #-160]!
	.irp	r, 8, 9, 10, 11, 12, 13, 14, 15
	str	d\r, [sp, #96 + (\r - 8) * 8]
	mov	x9, #\r
	fmov	d\r, x9
	.endr
	.irp	r, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
	str	x\r, [sp, #16 + (\r - 19) * 8]
	mov	x\r, #\r
	.endr
	mov	x29, sp
	mov	x9, x0
	mov	x0, x1
	mov	x1, x2
	blr	x9
kernel_called:
	mov	x9, sp
	sub	x0, x9, x29
	.irp	r, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
	sub	x9, x\r, #\r
	orr	x0, x0, x9
	ldr	x\r, [sp, #16 + (\r - 19) * 8]
	.endr
	.irp	r, 8, 9, 10, 11, 12, 13, 14, 15
	fmov	x9, d\r
	sub	x9, x9, #\r
	orr	x0, x0, x9
	ldr	d\r, [sp, #96 + (\r - 8) * 8]
	.endr
	ldp	x29, x30, [sp], #160
	ret

	.section .note.GNU-stack, "", %progbits
