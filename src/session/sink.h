/* sink.h: write bytes to stdout or to a file that is opened with the invoker's rights, not root's */
#ifndef SESSION_SINK_H
#define SESSION_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum sink_mode { SINK_NEW, SINK_APPEND, SINK_FORCE };

/** Rotation: continue in a new file at a size. */
struct sink_limits {
	uint64_t
		max_bytes; /* of all files together, each of which may have an equal part; 0: never */
	unsigned keep;     /* number of older files: run.1.csv is the newest, then run.2.csv … */
};

struct sink;

/**
 * Open a file for writing: never through a symbolic link, never over an existing file unless APPEND or FORCE, and under
 * sudo with the caller's file-system uid and gid (SUDO_UID, SUDO_GID): the caller owns the file, and a folder that only
 * root may write to is refused. The file is locked until it is closed: it has one writer.
 *
 * @path   "-": standard output; a name that ends in .zst is compressed with zstd, in independent blocks
 * @return 0; -EEXIST naming --append and --force; -EBUSY naming the writer; -ELOOP; -errno
 */
int sink_open(const char *path, enum sink_mode mode, struct sink **ret, struct err *err);

/**
 * Write to an open file, which the sink does not close.
 * @return 0; -EINVAL if it is not open for writing; -ENOMEM
 */
int sink_open_fd(int fd, struct sink **ret, struct err *err);

/**
 * Make the output printable, see base/text.h. Output to a terminal always is, output to a file that the sink
 * opened never.
 */
void sink_show(struct sink *sink);

/**
 * Limit waiting for a full pipe, which otherwise blocks the caller until it is read: once this descriptor is readable,
 * a write waits only briefly and then fails with -ETIMEDOUT.
 *
 * @stop_fd  is not read; -1: none
 */
void sink_stop_on(struct sink *sink, int stop_fd);

/** Limit waiting as above from now on. */
void sink_limit_waits(struct sink *sink);

/**
 * Called once when another process has removed, moved, replaced or truncated the file.
 *
 * @warning  what happened, and the new file
 * @head     to be appended to: head of the new file, written before the buffered bytes
 */
typedef void sink_lost(void *data, const struct err *warning, struct text *head);

/** Watch a file that the sink opened; if it is lost, continue in a new one beside it: run-2.csv, run-3.csv … */
void sink_watch(struct sink *sink, sink_lost *lost, void *data);

/**
 * Write bytes that belong together: whole lines, all of a frame. On errors, such as a full disk, a partial write is
 * truncated, so that the file stays valid.
 *
 * @return 0 or -errno, -EIO for a full disk; after a failure every further write fails with it
 */
int sink_write(struct sink *sink, const char *bytes, size_t n, struct err *err);

/**
 * Let sink_flush delay buffered bytes as long as a crash would lose at most a second. Compressed files always do so.
 */
void sink_flush_seldom(struct sink *sink);

/**
 * Write buffered bytes to the file (write(2), no fsync). Call it after every frame, at least once a second. @return as
 * sink_write
 */
int sink_flush(struct sink *sink, struct err *err);

/** Remove a file that was created if it is closed after a failure: it is of no use unless it is whole. */
void sink_keep_whole(struct sink *sink);

/** Flush and close. NULL is accepted. @return as sink_write */
int sink_close(struct sink *sink, struct err *err);

/** Close without messages, and remove a file that was created, because it is incomplete. NULL is accepted. */
void sink_discard(struct sink *sink);

/**
 * Enable rotation; no effect if the sink did not open a file. A file at the place of an older one is never overwritten
 * unless APPEND or FORCE, which treat it as an older one.
 *
 * @return 0; -EEXIST, -EINVAL naming the file at such a place
 */
int sink_limit(struct sink *sink, const struct sink_limits *limits, struct err *err);

/**
 * Whether n more bytes exceed the limit, so that sink_rotate is due. Never directly after the first write, the head: if
 * the limit has no room for more, it is exceeded.
 */
bool sink_is_full_with(const struct sink *sink, size_t n);

/**
 * Continue in a new file of the same name: run.csv becomes run.1.csv, that run.2.csv, and so on; the oldest is removed.
 * Only for files that the sink opened.
 *
 * @return 0; 1: the oldest was removed; or as sink_limit and sink_write: then every further write fails
 */
int sink_rotate(struct sink *sink, struct err *err);

/** Get the bytes accepted so far in all files, including a part that is appended to; for a compressed file its compressed size. */
uint64_t sink_size(const struct sink *sink);

/** Whether the last write is still buffered. */
bool sink_has_buffered(const struct sink *sink);

/** Get the path of the file as given, or of its replacement after it was lost. */
const char *sink_path(const struct sink *sink);

#endif
