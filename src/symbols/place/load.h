/* load.h: files of objects: which one a process mapped, its functions and lines. Symbol thread */
#ifndef SYMBOLS_PLACE_LOAD_H
#define SYMBOLS_PLACE_LOAD_H

#include "symbols/place/place.h"

/**
 * Read the functions of an object.
 *
 * @use   a mapping of it
 * @ret   closed; refs is 1
 * @return 0; -ENOENT: the file that was mapped is not found; -EPERM: the kernel hides its addresses; as
 *         table_read_elf
 */
int load_table(const struct code *code, const struct code_use *use, struct code_table **ret);

/** Read the lines of a function of a file. @return as lines_read; -ENOENT */
int load_lines(const struct code *code, const struct code_use *use, const struct function *function,
	       struct code_lines **ret);

/** Take a mapping of a process. */
typedef void load_take(void *data, const struct code_map *map);

/** Read the mappings of code of a process from /proc. @return 0; -errno */
int load_maps(uint32_t pid, load_take *take, void *data);

#endif
