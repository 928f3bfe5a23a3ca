/* load.h: files of objects: which one a process mapped, its functions and lines. Symbol thread */
#ifndef SYMBOLS_PLACE_LOAD_H
#define SYMBOLS_PLACE_LOAD_H

#include "symbols/place/place.h"

/**
 * Read the functions of an object, by a request that is begun first: call again when reader_poll says that one ended.
 *
 * @use   a mapping of it; the same until the end
 * @ret   closed; refs is 1
 * @return 0; -EINPROGRESS; as query_table; -EPERM: the kernel hides its addresses
 */
int load_table(struct code *code, const struct code_use *use, struct code_table **ret);

/** Read the lines or instructions of a function of a file, in the same way. @return 0; -EINPROGRESS; -ENODATA; -ENOTSUP; as
 * query_table */
int load_lines(struct code *code, const struct code_use *use, const struct function *function,
	       enum code_division division, struct code_lines **ret);

/** Forget requests about an object. */
void load_forget(struct code *code);

/** Take a mapping of a process. */
typedef void load_take(void *data, const struct code_map *map);

/** Read the mappings of code of a process from /proc, in the same way. @return 0; -EINPROGRESS; -errno */
int load_maps(uint32_t pid, uint64_t instance, load_take *take, void *data);

/** Forget all requests. */
void load_stop(void);

#endif
