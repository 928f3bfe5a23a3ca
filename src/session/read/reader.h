/* reader.h: a session file read back: the machine, the sets, and frames as they were */
#ifndef SESSION_READ_READER_H
#define SESSION_READ_READER_H

#include "session/format/format.h"

struct reader;

/** What the head of a session says. Texts are never NULL. */
struct session_head {
	char host[65], kernel[65], backend[64];
	char started[64];         /* as written: RFC 3339 */
	uint64_t started_wall_ns; /* time 0 */
	uint64_t interval_ns;     /* at the beginning */
	struct session_asked asked;
};

enum session_what {
	SESSION_END,
	SESSION_FRAME,
	SESSION_MARK, /* text: the note */
	SESSION_GAP,  /* frames that the writer lost: text says why, n how many */
};

/** What comes next in a session. */
struct session_item {
	enum session_what what;
	const struct frame *frame; /* the caller's reference; NULL unless it is a frame */
	uint64_t t_ns;
	uint64_t n;
	const char *text; /* until the next call; never NULL */
};

/** In place of a part: the whole of a session that --max-size cut into several files. */
enum { READER_WITH_OLDER = 0x7fffffff };

/**
 * Open a session and read its head.
 *
 * @path        plain or .zst; "-": standard input
 * @part        which session of a file that was appended to: 0, 1, …; READER_WITH_OLDER
 * @events_dir  where the catalogues of the recorded machine are, as in catalog_find_dir
 * @return      0; -ENOENT also for a part that is not there; -EINVAL naming file, line and column
 */
int reader_open(const char *path, unsigned part, const char *events_dir, struct reader **ret,
		struct err *err);

/** Release. Frames must have been given back: they point to its sets. NULL is accepted. */
void reader_close(struct reader *reader);

/** Which files of the session were left out, and why. @return "" when none was */
const char *reader_said(const struct reader *reader);

/** What was counted on. */
const struct machine *reader_machine(const struct reader *reader);

/** The metrics of that machine's catalogues. Before the first reader_next the caller may add some
 * with metrics_select. */
struct metrics *reader_metrics(struct reader *reader);

/** The head of the file. */
const struct session_head *reader_head(const struct reader *reader);

/** What formats need to know to write the session again: as format_context_init. */
void reader_format_context(const struct reader *reader, struct format_context *ret);

/** The set that is counted at the beginning; NULL when the file ends before it. */
const struct set *reader_first_set(const struct reader *reader);

/**
 * What comes next. Frames come with their counts as recorded and metrics worked out from these;
 * a window is the longest time that a count of the core was enabled. None ends before the one
 * before it.
 *
 * @return 0; -EINVAL naming file, line and column: what was given so far is good
 */
int reader_next(struct reader *reader, struct session_item *ret, struct err *err);

/**
 * Begin again with the first item. Machine, metrics and sets stay what they are, so frames of
 * before and after may be compared. Not for standard input.
 *
 * @return 0 or as reader_open
 */
int reader_rewind(struct reader *reader, struct err *err);

/** Where a reader stands between two frames; of the reader that it was made by. */
struct reader_place;

/** Just behind a frame that reader_next gave. @ret  for free() @return 0 or -ENOMEM */
int reader_mark_place(const struct reader *reader, struct reader_place **ret);

/** Go on with what came next there. As reader_rewind. */
int reader_go(struct reader *reader, const struct reader_place *place, struct err *err);

/** How many bytes were read, uncompressed, as long as they are read in order. */
uint64_t reader_given(const struct reader *reader);

/** At the end: was the file cut in the middle, as by a crash? */
bool reader_is_cut(const struct reader *reader);

/** At the end: does another session follow in the same file? */
bool reader_has_more(const struct reader *reader);

#endif
