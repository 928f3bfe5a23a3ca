/* x86_decode.h: what an instruction of x86-64 does to memory and flow, of those that kernels use */
#ifndef TESTS_X86_DECODE_H
#define TESTS_X86_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct x86_effect {
	bool branch, load, store;
};

/** What an opcode does: B branch; L, S loads or stores; l, s the same where its operand is memory. */
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

/** @return false: not known */
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

#endif
