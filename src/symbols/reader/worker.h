/* worker.h: a process for one request, and the fork server that starts them */
#ifndef SYMBOLS_READER_WORKER_H
#define SYMBOLS_READER_WORKER_H

#include "symbols/reader/wire.h"

/** Serve requests until the socket is closed. Never returns. */
_Noreturn void fork_server_main(int socket);

/* ---- of a worker ---- */

/** The file of an object, its debug files, and a file that each of these may share with others. */
enum { IMAGES_MAX = 12 };

struct opened {
	/* the file itself first; of READ_PERF_MAP, READ_KALLSYMS, READ_MAPS its text, which ends with a NUL */
	struct image image[IMAGES_MAX];
	unsigned n;
	uint32_t uid; /* owner of the file */
};

/**
 * Open the files of a request. A request of a mapped file names a process and a range of addresses; paths are tried
 * with the rights of the user alone. Only regular files are opened: opening or reading others acts on them.
 *
 * @return 0; -ENOENT: the file that was mapped, or a debug file, is not found; -EFBIG; -errno
 */
int open_files(const struct wire_request *request, struct opened *ret);

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
