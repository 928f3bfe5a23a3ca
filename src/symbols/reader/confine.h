/* confine.h: giving up rights for good */
#ifndef SYMBOLS_READER_CONFINE_H
#define SYMBOLS_READER_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Give up ids, capabilities, the root folder, new privileges and all system calls but a few; bound time and memory.
 * Nothing can be opened afterwards. What the kernel or the user's rights do not allow is left out, but for the
 * capabilities.
 *
 * @memory  bytes that may be allocated from now on
 * @return  whether no capability is left
 */
bool confine_worker(uint32_t cpu_ms, uint64_t memory);

#endif
