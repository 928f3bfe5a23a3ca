/* sink.h: where bytes go: stdout or a file that is opened with the invoker's rights, not root's */
#ifndef SESSION_WRITE_SINK_H
#define SESSION_WRITE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum sink_mode { SINK_NEW, SINK_APPEND, SINK_FORCE };

/** When a session goes on in a new file. */
struct sink_limits {
	uint64_t max_bytes; /* as sink_size has it; 0: never */
	unsigned keep;      /* older files: run.1.csv the newest of them, run.2.csv … */
};

struct sink;

/**
 * Open a file for writing: never through a symbolic link, never over an existing file unless
 * APPEND or FORCE, and under sudo with the caller's file-system uid and gid (SUDO_UID, SUDO_GID),
 * so that a file is the caller's and a folder root may write to but the caller may not is refused.
 *
 * @path  "-": standard output; one that ends in .zst is compressed with zstd, in blocks that can be
 *        read each without the next
 * It is locked until it is closed: a file has one writer.
 *
 * @return 0; -EEXIST naming --append and --force; -EBUSY naming who writes it; -ELOOP; -errno
 */
int sink_open(const char *path, enum sink_mode mode, struct sink **ret, struct err *err);

/** Write to a file that is open already, which stays open.
 * @return 0; -EINVAL when it is not open for writing; -ENOMEM */
int sink_open_fd(int fd, struct sink **ret, struct err *err);

/** What is written is for people: see base/shown.h. What goes to a terminal is so anyway, what goes to
 * a file of ours never. */
void sink_show(struct sink *sink);

/**
 * A pipe that is full holds up the caller until somebody reads. Once this descriptor is readable,
 * it is waited for no longer than a moment, and then writing fails with -ETIMEDOUT.
 *
 * @stop_fd  is not read; -1: none
 */
void sink_stop_on(struct sink *sink, int stop_fd);

/** The same from now on. */
void sink_hurry(struct sink *sink);

/**
 * Told once when a file turns out to have been removed, moved, replaced or cut short by others.
 *
 * @said  what has happened, and where the rest is written
 * @head  to be appended to: what the new file begins with, before what is still buffered
 */
typedef void sink_lost(void *data, const struct err *said, struct text *head);

/** Watch over a file that is ours, and when it is lost go on in a new one beside it: run-2.csv, run-3.csv … */
void sink_watch(struct sink *sink, sink_lost *lost, void *data);

/**
 * Write what belongs together: whole lines, all of a frame. When the disk is full, and on other
 * errors, what got in of it is cut off again, so that the file stays valid.
 *
 * @return 0 or -errno, -EIO for a full disk; after a failure every further write fails alike
 */
int sink_write(struct sink *sink, const char *bytes, size_t n, struct err *err);

/** Let sink_flush wait until what is buffered may be that old that a crash would cost a second. Of
 * a compressed file it always does. */
void sink_flush_seldom(struct sink *sink);

/** Push what is buffered to the file (write(2), no fsync). To be called with every frame, and at
 * least once a second. @return as sink_write */
int sink_flush(struct sink *sink, struct err *err);

/** Flush and close. NULL is accepted. @return as sink_write */
int sink_close(struct sink *sink, struct err *err);

/** Close without a word, and remove a file that was made for this: half of it would be of no use.
 * NULL is accepted. */
void sink_discard(struct sink *sink);

/**
 * Let a file go on in a new one; of no effect on what is no file of ours. A file that stands where
 * an older one would be moved is never written over, unless APPEND or FORCE: then it is an older one.
 *
 * @return 0; -EEXIST, -EINVAL naming what is in the way
 */
int sink_limit(struct sink *sink, const struct sink_limits *limits, struct err *err);

/**
 * Is it time for sink_rotate: would so many bytes more be beyond the limit? Not right behind the
 * first write to a file, its head: a limit that holds nothing more is passed.
 */
bool sink_is_full_with(const struct sink *sink, size_t n);

/**
 * Go on in a new file of the same name: run.csv becomes run.1.csv, that run.2.csv, and so on; the
 * oldest goes. For files that are ours: not for standard output.
 *
 * @return 0, or as sink_limit and sink_write: then nothing can be written any more
 */
int sink_rotate(struct sink *sink, struct err *err);

/** Bytes accepted so far, an existing part that is appended to included; of a compressed file those
 * that it takes. */
uint64_t sink_size(const struct sink *sink);

/** Is what was written last still buffered? */
bool sink_has_buffered(const struct sink *sink);

/** The path of the file, as it was given until it was lost. */
const char *sink_path(const struct sink *sink);

/**
 * As sink_open has it.
 *
 * @ret_size  bytes that it has: 0 unless it is appended to
 * @return    a descriptor; -errno saying what may be done
 */
int sink_file_open(const char *path, enum sink_mode mode, uint64_t *ret_size, struct err *err);

/**
 * Open a new file beside one: the first of run-2.csv, run-3.csv … that is free.
 *
 * @keep      so are the names of as many older files
 * @ret_path  its path, to be freed
 * @return    as sink_file_open
 */
int sink_file_open_beside(const char *path, unsigned keep, char **ret_path, struct err *err);

/**
 * Is an open file no longer the one of this path, or shorter than it was written?
 *
 * @size    bytes that it must have
 * @return  "was truncated" …; NULL: all is well, or nobody can tell
 */
const char *sink_file_loss(int fd, const char *path, uint64_t size);

/** Does its name ask for compression? */
bool sink_file_is_zst(const char *path);

#endif
