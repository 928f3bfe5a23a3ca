/* open.h: opening what strangers may have made, in a worker, while it has the fork server's rights */
#ifndef SYMBOLS_READER_OPEN_H
#define SYMBOLS_READER_OPEN_H

#include "symbols/reader/wire.h"

/** The file of an object, its debug files, and a file that each of these may share with others. */
enum { IMAGES_MAX = 12 };

struct opened {
	struct image image[IMAGES_MAX]; /* the file itself first */
	unsigned n;
	uint32_t uid; /* owner of the file */
	char *text;   /* of READ_PERF_MAP, READ_KALLSYMS; ends with a NUL */
	size_t n_text;
};

/**
 * Open the files of a request. A request of a mapped file names a process and a range of addresses; paths are tried
 * with the rights of the user alone. Only regular files are opened: opening or reading others acts on them.
 *
 * @return 0; -ENOENT: the file that was mapped, or a debug file, is not found; -EFBIG; -errno
 */
int open_files(const struct wire_request *request, struct opened *ret);

/** Read the mappings of code of a process, as of READ_MAPS. @ret  to be freed  @return 0; -errno */
int open_maps(uint32_t pid, char **ret, size_t *ret_n);

#endif
