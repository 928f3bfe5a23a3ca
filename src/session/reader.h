/* reader.h: read a session file: the machine, the sets and the recorded frames */
#ifndef SESSION_READER_H
#define SESSION_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "session/format.h"

/* ---- older files of a session that was rotated */

/**
 * Check that older files of this name can be created, with the invoker's rights.
 *
 * @keep   number of older files to be kept
 * @n_own  number of them that exist already, which may be moved, and the last overwritten
 * @return 0; -EEXIST naming a file that is not one of them, -EBUSY one that is being written, -EINVAL one that is not a
 *         regular file
 */
int rotated_files_check(const char *path, unsigned keep, unsigned n_own, struct err *err);

/**
 * Make room for a new file of this name, with the invoker's rights: the file becomes the first older file, that the
 * second, and so on.
 *
 * @keep   number of older files to keep; 0: the file itself is removed
 * @return 0; as rotated_files_check, then nothing was moved; -errno naming the file
 */
int rotated_files_shift(const char *path, unsigned keep, unsigned n_own, struct err *err);

/**
 * Find a session's files, the oldest first, `path` last: those whose heads have the same host and the same beginning. A
 * file that cannot be read is an error: without it, those before it would be missing. Empty files are skipped, also the
 * newest.
 *
 * @path         "-" is refused
 * @ret, @ret_n  at least one; to be freed with rotated_files_free
 * @ret_warning  names the skipped files; untouched if there are none; may be NULL
 * @return       0, or -errno naming the file
 */
int rotated_files_find(const char *path, char ***ret, size_t *ret_n, struct err *ret_warning,
		       struct err *err);

/** Whether the newest older file of the session exists. */
bool rotated_files_are_there(const char *path);

/** Free a list of files. NULL is accepted. */
void rotated_files_free(char **path, size_t n);

/* ---- a session file read back: the machine, the sets and the recorded frames */

struct reader;

enum session_what {
	SESSION_END,
	SESSION_FRAME,
	SESSION_MARK, /* text: the note */
	SESSION_GAP,  /* frames that the writer lost: text is the reason, n the number */
};

/** One item of a session. */
struct session_item {
	enum session_what what;
	const struct frame *frame; /* the caller's reference; NULL for other items */
	uint64_t t_ns;
	uint64_t n;
	const char *text; /* valid until the next call; never NULL */
};

/** Used as `part`: a whole session that --log-limit split into several files. */
enum { READER_WITH_OLDER = 0x7fffffff };

/**
 * Open a session and read its head.
 *
 * @path        plain or .zst; "-": standard input
 * @part        number of the session in a file that was appended to: 0, 1, …; READER_WITH_OLDER
 * @events_dir  folder of the catalogues of the recorded machine, as in catalog_find_dir
 * @return      0; -ENOENT also for a missing part; -EINVAL naming file, line and column
 */
int reader_open(const char *path, unsigned part, const char *events_dir, struct reader **ret,
		struct err *err);

/** Release. All frames must have been released: they point to its sets. NULL is accepted. */
void reader_close(struct reader *reader);

/** Get a message about skipped files of the session. @return "": none */
const char *reader_warning(const struct reader *reader);

/** Get the recorded machine. */
const struct machine *reader_machine(const struct reader *reader);

/**
 * Get the metrics of that machine's catalogues. Before the first reader_next the caller may add some with
 * metrics_select.
 */
struct metrics *reader_metrics(struct reader *reader);

/** Get the head of the file. */
const struct session_head *reader_head(const struct reader *reader);

/** Initialize a context for writing the session again, as format_context_init does. */
void reader_format_context(const struct reader *reader, struct format_context *ret);

/** Get the set counted at the beginning. @return NULL if the file ends before it */
const struct set *reader_first_set(const struct reader *reader);

/**
 * Read the next item. Frames have the recorded counts and metrics evaluated from them; a window is the longest enabled
 * time of the core's counts. Frames end in order.
 *
 * @return 0; -EINVAL naming file, line and column: all earlier items are valid
 */
int reader_next(struct reader *reader, struct session_item *ret, struct err *err);

/**
 * Restart with the first item. Machine, metrics and sets remain, so frames from before and after can be compared. Not
 * for standard input.
 *
 * @return 0 or as reader_open
 */
int reader_rewind(struct reader *reader, struct err *err);

/** A position between two frames, valid for the reader that created it. */
struct reader_position;

/** Get the position after the frame that reader_next returned last. @ret  for free() @return 0 or -ENOMEM */
int reader_mark_place(const struct reader *reader, struct reader_position **ret);

/** Continue at a position. @return as reader_rewind */
int reader_seek(struct reader *reader, const struct reader_position *place, struct err *err);

/** Whether the file is truncated, as by a crash. Valid at its end. */
bool reader_is_cut(const struct reader *reader);

/** Whether another session follows in the same file. Valid at the end. */
bool reader_has_more(const struct reader *reader);

#endif
