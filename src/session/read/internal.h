/* internal.h: what the files of the reader share; private to session/ */
#ifndef SESSION_READ_INTERNAL_H
#define SESSION_READ_INTERNAL_H

#include "session/format/task_names.h"
#include "session/read/lines.h"
#include "session/read/note.h"
#include "session/read/reader.h"

enum { READER_PMUS_MAX = 256, READER_CPUS_MAX = CPUS_MAX, READ_NAMES_MAX = 120 };

/* What a row names between its time and its count, as written, and what that is: each frame has the
 * same rows at the same places, or nearly. */
struct read_names {
	char text[READ_NAMES_MAX];
	uint8_t n; /* 0: not known */
	bool is_metric;
	uint16_t core, slot;
};

/* A set as it was described; lives as long as the reader. */
struct read_set {
	struct frame_set of;
	bool is_bound;
	uint16_t *noted; /* metrics that "# metric" notes name, by number */
	size_t n_noted, cap_noted;
	bool is_again;            /* described once more: what it counts is known */
	struct read_names *names; /* by place of the row in the frame */
	size_t n_names, cap_names;
	struct read_set *next; /* the one before */
};

/* An event of a set; likewise. */
struct read_event {
	struct event event;
	struct read_event *next;
};

/* Of a core, at the end of the last frame. */
struct read_core {
	uint64_t last_t_ns; /* of its last row */
	bool is_off;
};

/* Tasks of the frame that is being put together: as in frame_tasks. */
struct read_tasks {
	struct core_task *task;
	uint64_t *value, *time_ns;
	size_t n, cap, cap_values, cap_times;
	uint64_t columns, mux_groups; /* that the last one has rows of, as bits */
	uint64_t left_ns;             /* of its time: that of the other mux groups */
	int core;                     /* of the last row without a pid; -1: none yet */
	uint64_t line;                /* of the last row with one */
	bool is_noted;                /* "# tasks" */
	uint64_t n_switches, n_lost;
	float cost_share;
};

struct reader {
	struct lines *lines;
	struct err said;
	char *held; /* a line that was read but not yet used */
	size_t held_n;
	struct session_head head;
	char *preset, *asked_metrics, *beside, *tasks; /* what head.asked points to */
	struct literals literals;                      /* of types that is_told is set of */
	struct machine machine;
	bool has_metrics;
	struct metrics metrics;
	unsigned n_tried; /* expressions of notes */
	const char *events_dir;
	struct read_set *sets;  /* the newest first */
	struct read_set *set;   /* what is counted now: one of these; NULL: not known yet */
	struct read_set *first; /* at the beginning */
	bool is_second_pass;    /* sets are known */
	unsigned part;
	struct read_event *events;
	int16_t core_of_cpu[READER_CPUS_MAX]; /* -1: none */
	size_t cap_cores;

	struct frame *frame; /* being put together; NULL: none */
	uint64_t tick;       /* of the rows of that frame; 0: no row yet */
	size_t n_rows;       /* of them so far, but for those of tasks */
	char stamp[48];      /* tick and time of the last one, as written */
	size_t n_stamp;      /* 0: not known */
	uint64_t stamp_ns;
	uint64_t last_tick;
	uint64_t last_end_ns; /* of the last frame */
	struct read_core *core;
	struct read_tasks task_rows;
	struct task_names names; /* of the frame before, and of notes since */
	uint64_t interval_ns;
	enum gap gap; /* before the next frame */
	uint64_t n_missed;
	uint64_t note_t_ns; /* T of a note about the next frame */
	bool has_note_t;
	bool has_more, is_done;
	bool is_partial; /* the last frame: somebody has taken rows out */
	bool is_cut;     /* the frame behind it was left off: it is not whole */
	/* Where a line cannot be read: nor can it the next time, when sets are known already. */
	struct lines_place mistake; /* number 0: nowhere yet */
	struct err mistake_says;
	bool has_heading;         /* the line above the first row was there */
	struct session_item item; /* to be given; SESSION_END: none */
	char text[512];           /* of the item that was given last */
};

/** An error at a place of the present line. @column from 1  @return -EINVAL */
int reader_fail(const struct reader *reader, struct err *err, size_t column, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** Which note of a session's head a line is: host, machine, type, cpu … @return NULL: none */
const struct note_kind *reader_head_note(const char *line);

/** A PMU by its name, made when there is none. @return NULL for "", and on a mistake */
struct pmu *reader_pmu(struct reader *reader, const char *name, struct note *note);

/** Forget everything that says how far it has got. */
void reader_forget_position(struct reader *reader);

/** The head is complete: load catalogues and metrics, once. @return 0 or -errno */
int reader_end_head(struct reader *reader, struct err *err);

/** Take "# set N …". */
void reader_take_set(struct reader *reader, struct note *note);

/** Bind metrics to the newest set, once. @return 0 or -errno */
int reader_bind_set(struct reader *reader, struct err *err);

/** Take one row into the frame that is being put together, which is of its tick or is begun now.
 * @return 0; 1: the row is of another tick, and the frame is complete; -errno */
int reader_take_row(struct reader *reader, char *line, size_t n, struct err *err);

/** "1.000012345" as nanoseconds. @return false unless it is a time */
bool reader_parse_time(const char *at, size_t n, uint64_t *ret_ns);

/** "100", a number of milliseconds, as nanoseconds. @word  NULL: missing @return false unless it is
 * an interval: from one nanosecond to many days */
bool reader_parse_interval(const struct note_word *word, uint64_t *ret_ns);

/** Is the line the first of a session? */
bool reader_begins_session(const char *line);

/** Must the frame that is open be given out before a note is taken? */
bool reader_note_ends_frame(const struct reader *reader, const char *line);

/** Take a note that stands among the rows; one with an unknown word says nothing.
 * @return 0 or -errno */
int reader_take_note(struct reader *reader, char *line, struct err *err);

/** T of a note: its first word. @return 0 on a mistake */
uint64_t note_time(struct note *note);

/** The frame that is open, or the next one, ends then: a note says so. */
void reader_expect_at(struct reader *reader, uint64_t t_ns);

/** Begin a frame for rows and notes to fill, unless one has begun. @return 0 or -errno */
int reader_begin_frame(struct reader *reader, struct err *err);

/** The frame that was put together becomes the item. @return 0 or -errno, then it is still open */
int reader_finish_frame(struct reader *reader, struct err *err);

/** The same at the end of the file; one that ends within a frame ends with the one before.
 * @return 0 or -ENOMEM */
int reader_end_frames(struct reader *reader, struct err *err);

/** Take "# task …", "# exit …" and "# tasks …". */
void reader_take_task(struct reader *reader, struct note *note);
void reader_take_exit(struct reader *reader, struct note *note);
void reader_take_tasks(struct reader *reader, struct note *note);

/** A task's number: "4711", "-1". @return false unless a task may have it */
bool reader_parse_task(const char *at, size_t n, int64_t *ret);

/**
 * Take what a row of a task says. The row of its core stands above.
 *
 * @ret_wrong  what is wrong with its times; NULL: nothing
 * @return     0 or -ENOMEM
 */
int reader_add_task(struct reader *reader, const struct core_task *task, unsigned core,
		    unsigned slot, const struct count *count, const char **ret_wrong);

/** Has a core none where others have? */
bool reader_lacks_tasks(const struct reader *reader);

/** Give the frame its tasks. @return 0; -EINVAL: they do not sum up to what their cores counted; -ENOMEM */
int reader_finish_tasks(struct reader *reader, struct err *err);

/** A frame begins: it has none yet. */
void reader_forget_tasks(struct reader *reader);

/** Release. */
void reader_free_tasks(struct reader *reader);

#endif
