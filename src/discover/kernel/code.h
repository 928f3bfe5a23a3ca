/* code.h: the little machine code that is generated: nodes to walk, and an instruction to rewrite */
#ifndef DISCOVER_KERNEL_CODE_H
#define DISCOVER_KERNEL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CODE_NODE_MAX = 32 }; /* bytes of a node at most */

/** Is there a generator for this architecture? Else the others do nothing. */
bool code_is_known(void);

/**
 * A node, which may be jumped to through a register: counts the first argument's register down and goes on at
 * `next`; returns when it was 0.
 *
 * @next  at most ±128 MiB from at
 */
void code_node(uint8_t *at, const uint8_t *next);

/**
 * What may be called through a register: an instruction that does nothing, and a return.
 *
 * @return where that instruction is, counted from at
 */
size_t code_rewritten(uint8_t *at);

#endif
