#include "discover/kernel/code.h"

#include <string.h>

#if defined(__x86_64__)

static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

bool code_is_known(void)
{
	return true;
}

/** The 32 bits of a jump's distance, counted from its end. */
static void put_distance(uint8_t *at, const uint8_t *target)
{
	int32_t distance = (int32_t)(target - (at + sizeof(distance)));

	memcpy(at, &distance, sizeof(distance));
}

void code_node(uint8_t *at, const uint8_t *next)
{
	static const uint8_t sub_rdi_1_jnc[] = { 0x48, 0x83, 0xef, 0x01, 0x0f, 0x83 };

	memcpy(at, endbr64, sizeof(endbr64));
	at += sizeof(endbr64);
	memcpy(at, sub_rdi_1_jnc, sizeof(sub_rdi_1_jnc));
	at += sizeof(sub_rdi_1_jnc);
	put_distance(at, next);
	at[4] = 0xc3; /* ret */
}

size_t code_rewritten(uint8_t *at)
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

bool code_is_known(void)
{
	return true;
}

static uint8_t *put(uint8_t *at, uint32_t instruction)
{
	memcpy(at, &instruction, sizeof(instruction));
	return at + sizeof(instruction);
}

static uint8_t *put_jump(uint8_t *at, const uint8_t *target)
{
	return put(at, B | ((uint32_t)((target - at) / 4) & 0x3ffffff));
}

void code_node(uint8_t *at, const uint8_t *next)
{
	at = put(at, BTI_JC);
	at = put(at, SUBS_X0_X0_1);
	at = put(at, B_LO_2);
	at = put_jump(at, next);
	put(at, RET);
}

size_t code_rewritten(uint8_t *at)
{
	put(put(put(at, BTI_JC), NOP), RET);
	return sizeof(uint32_t);
}

#else

bool code_is_known(void)
{
	return false;
}

void code_node(uint8_t *at, const uint8_t *next)
{
	(void)at;
	(void)next;
}

size_t code_rewritten(uint8_t *at)
{
	(void)at;
	return 0;
}

#endif
