/* internal.h: declarations shared by the files of the reader; private to session/ */
#ifndef SESSION_READ_INTERNAL_H
#define SESSION_READ_INTERNAL_H

#include <errno.h>
#include <inttypes.h>

#include "sampler/hot.h"
#include "session/format/note.h"
#include "session/format/task_names.h"
#include "session/read/lines.h"
#include "session/reader.h"

enum { READ_NAMES_MAX = 120 };

/* The text of a row between its time and its count, and its meaning. Most frames have the same rows in the same
 * order. */
struct read_names {
	char text[READ_NAMES_MAX];
	uint8_t n; /* length; 0: unknown */
	bool is_metric;
	uint16_t core, slot;
};

/* A set of the file; lives as long as the reader. */
struct read_set {
	struct frame_set of;
	bool is_bound;
	uint16_t *noted; /* numbers of the metrics in "# metric" notes */
	size_t n_noted, cap_noted;
	bool is_redescribed;      /* described again: it is known already */
	struct read_names *names; /* by position of the row in the frame */
	size_t n_names, cap_names;
	struct read_set *next; /* the previous set */
};

/* An event of a set; lives as long as the reader. */
struct read_event {
	struct event event;
	struct read_event *next;
};

/* State of a core at the end of the last frame. */
struct read_core {
	uint64_t last_t_ns; /* time of its last row */
	bool is_off;
};

/* Tasks of the frame being assembled: as in frame_tasks. */
struct read_tasks {
	struct core_task *task;
	uint64_t *value, *time_ns;
	size_t n, cap, cap_values, cap_times;
	struct column_set columns; /* of the last task's rows */
	uint64_t mux_groups;       /* likewise, as bits */
	uint64_t left_ns;          /* remaining time of the last task, for the other mux
	                               * groups */
	int core;                  /* core of the last row without a pid; -1: none yet */
	uint64_t line;             /* line of the last row with a pid */
	bool is_noted;             /* has "# tasks" */
	struct frame_tasks noted;  /* what that says */
};

/* Samples of code of that frame. */
struct read_hot {
	struct frame_hot of;
	size_t cap;
	bool is_noted; /* has "# samples" */
};

struct reader {
	struct lines *lines;
	struct err warning;
	char *held; /* a line that was read but not used yet */
	size_t held_n;
	struct session_head head;
	char *requested[4];       /* texts of head.request */
	struct literals literals; /* for types with is_known set */
	struct machine machine;
	bool has_metrics;
	struct metrics metrics;
	unsigned n_tried; /* number of expressions tried from notes */
	const char *events_dir;
	struct read_set *sets;  /* newest first */
	struct read_set *set;   /* the present set, one of `sets`; NULL: not known yet */
	struct read_set *first; /* set at the beginning */
	bool is_second_pass;    /* sets are already known */
	unsigned part;
	struct read_event *events;
	int16_t core_of_cpu[NOTE_CPUS_MAX]; /* -1: none */
	size_t cap_cores;

	struct frame *frame; /* being assembled; NULL: none */
	uint64_t tick;       /* tick of that frame's rows; 0: no row yet */
	size_t n_rows;       /* rows of that frame so far, without those of tasks */
	char stamp[48];      /* tick and time of the last row, as written */
	size_t n_stamp;      /* 0: unknown */
	uint64_t stamp_ns;
	char end[64];           /* text of a recent row after its count */
	size_t n_end;           /* 0: unknown */
	struct count end_count; /* count of that row */
	uint64_t last_tick;
	uint64_t last_end_ns;        /* end of the last frame */
	const struct sensed *sensed; /* readings of sensors up to the last frame; NULL: none */
	struct read_core *core;
	struct read_tasks task_rows;
	struct read_hot hot;
	struct task_index names; /* by BY_ID: of the previous frame, and of notes since */
	uint64_t interval_ns;
	enum gap gap; /* before the next frame */
	uint64_t n_missed;
	uint64_t note_t_ns; /* time of a note about the next frame */
	bool has_note_t;
	bool has_more, is_done;
	bool is_partial; /* the last frame lacks rows: the file was edited */
	bool is_cut;     /* the frame after it is incomplete and was dropped */
	/* Place of a line that cannot be read, so that it fails again on a second pass, when sets are known. */
	struct lines_position mistake; /* number 0: none yet */
	struct err mistake_says;
	bool has_heading;         /* the heading was read */
	struct session_item item; /* next to be returned; SESSION_END: none */
	char text[512];           /* text of the item returned last */
};

/** Set an error at a column of the present line. @column from 1  @return -EINVAL */
#define reader_fail(reader, err, column, ...)                                         \
	((void)err_set(err, EINVAL, __VA_ARGS__),                                     \
	 err_prefix(err, EINVAL, "%s:%" PRIu64 ":%zu: ", lines_path((reader)->lines), \
		    lines_number((reader)->lines), (size_t)(column)))

/** A kind of note and its handler. */
struct note_kind {
	const char *word;
	/* @from  the struct of its fields, as they were read; all other members are 0 */
	void (*take)(struct reader *reader, struct note *note, const void *from);
	/* Effect on the open frame. */
	enum note_place { NOTE_ENDS_FRAME, NOTE_ENDS_EARLIER_FRAME, NOTE_IN_FRAME } place;
	bool is_of_frame; /* ignored without one */
};

/** Find the kind of a line. @return NULL: none of them */
const struct note_kind *reader_kind_of(const struct note_kind *kinds, size_t n, const char *line);

/** Read a line in place and call the handler of its kind. @return 0 or -errno */
int reader_note(const struct note_kind *kind, struct reader *reader, char *line, struct err *err);

/** Reset the reading position and all state that depends on it. */
void reader_forget_position(struct reader *reader);

/**
 * Add a row to the frame being assembled, or begin one.
 * @return 0; 1: the row is of another tick, and the frame is complete; -errno
 */
int reader_take_row(struct reader *reader, char *line, size_t n, struct err *err);

/** Whether the line is the first of a session. */
bool reader_begins_session(const char *line);

/** Whether the open frame must be finished before the note is processed. */
bool reader_note_ends_frame(const struct reader *reader, const char *line);

/**
 * Process a note among the rows; unknown notes are ignored.
 * @return 0 or -errno
 */
int reader_take_note(struct reader *reader, char *line, struct err *err);

/** Begin a frame for rows and notes, unless one is open. @return 0 or -errno */
int reader_begin_frame(struct reader *reader, struct err *err);

/** Finish the open frame and make it the item. @return 0 or -errno, then it is still open */
int reader_finish_frame(struct reader *reader, struct err *err);

/**
 * Finish the open frame at the end of the file; an incomplete one is dropped.
 * @return 0 or -ENOMEM
 */
int reader_end_frames(struct reader *reader, struct err *err);

/**
 * Add a row of a task. The row of its core has been read.
 *
 * @ret_wrong  error in its times; NULL: none
 * @return     0 or -ENOMEM
 */
int reader_add_task(struct reader *reader, const struct core_task *task, unsigned core,
		    unsigned slot, const struct count *count, const char **ret_wrong);

#endif
