/* note.h: the notes of a session, its "# word …" lines: each with its fields once, for writing and strict reading */
#ifndef SESSION_FORMAT_NOTE_H
#define SESSION_FORMAT_NOTE_H

#include "metrics/expression.h"
#include "pmu/event.h"
#include "session/format.h"

/* ---- what notes say that no other struct holds; texts that were read end with their line */

/** # source. */
struct note_source {
	const char *path;
	unsigned type;
	uint32_t events;
};

/** # sensor. */
struct note_sensor {
	const char *kind, *name, *unit;
};

/** # literals. */
struct note_literals {
	unsigned type;
	double value[LITERALS_N]; /* NaN: unknown */
};

/** # set: an event in its slot. */
struct note_set {
	uint32_t number;
	unsigned type, slot, mux, skips, width, counter; /* mux, counter: UINT_MAX: none */
	bool by_task, is_sampled, splits_metrics;
	const char *known, *levels;
	struct event event;
};

/** # task, # exit. */
struct note_task {
	int64_t number;
	uint32_t process; /* UINT32_MAX: none */
	const char *name, *cgroup, *container;
};

/** # hot, # off, # on. */
struct note_hot {
	unsigned core, later;
	int64_t task;
	uint64_t n;
	double weight, weight2;
	const char *function, *object;
	bool is_kernel;
};

/** # metric. */
struct note_metric {
	const char *name, *unit, *expr, *threshold;
	unsigned type;
	double scale;
};

/** # gap, and # mark, whose note is `why`. */
struct note_gap {
	uint64_t n;
	const char *why;
};

/* ---- schema */

/** Forms of values. */
enum note_form {
	FORM_NOTE,   /* the word of a note, whose fields are the rows below */
	FORM_TIMED,  /* likewise, with a time behind it */
	FORM_WORD,   /* the key itself, without a value */
	FORM_NUMBER, /* up to `max`; 0: what fits */
	FORM_HEX,    /* likewise */
	FORM_FLAG,   /* a value that is always the same, or no key */
	FORM_TASK,   /* number of a task, as task_number */
	FORM_CORE,   /* a core by its CPU */
	FORM_TYPE,   /* a core type by its name */
	FORM_MS,     /* time in ns as milliseconds */
	FORM_REAL,   /* with `digits`; 0: as many as read back the same */
	FORM_COST,   /* × `unit` with `digits` decimals; read as one of 0 … `max` */
	FORM_PMU,    /* by its name; NULL: empty */
	FORM_NAME,   /* quoted if necessary, in its place if empty, too */
	FORM_TEXT,   /* always quoted */
	FORM_REASON, /* in parentheses */
	N_NOTE_FORMS
};

enum note_presence {
	FIELD_NEEDED,
	FIELD_WRITTEN,  /* not needed to read a session */
	FIELD_OPTIONAL, /* left out if it is `absent`, NaN or an empty text */
};

/** A field of a note. */
struct note_field {
	/* "KEY=", or in its place "WORD " or NULL: nothing before the value */
	const char *key;
	enum note_form form;
	enum note_presence presence;
	uint64_t max;
	int digits;
	double unit;
	uint64_t absent;  /* the number if the key is missing */
	const char *flag; /* its value */
	enum { MEMBER_INTEGER, MEMBER_REAL, MEMBER_CHARS, MEMBER_POINTER } member;
	size_t offset, size; /* of the member */
};

/** All notes, one after the other, each with its fields; ends with a row without a key. */
extern const struct note_field note_schema[];

/** Find a note by its word, one of the schema. */
const struct note_field *note_schema_of(const char *word);

/** Append a note. @machine  for CPUs and types  @from  the struct of its fields */
void note_put(struct text *out, const char *word, const struct machine *machine, uint64_t t_ns,
	      const void *from);

/* ---- reading */

enum { NOTE_WORDS_MAX = 32, NOTE_PMUS_MAX = 256, NOTE_CPUS_MAX = CPUS_MAX };

/** One word: WORD, "QUOTED", (SEVERAL WORDS), KEY=VALUE or KEY="QUOTED". */
struct note_word {
	const char *key; /* NULL: a plain word */
	const char *value;
	size_t column; /* in the line, from 1 */
};

/** A note being read. It keeps the first error: check `rc` before using what was read. */
struct note {
	struct machine *machine;    /* gets the PMUs that are named */
	const int16_t *core_of_cpu; /* -1: none */
	const char *path;           /* of the file, for messages */
	uint64_t line;
	const struct note_field *schema;
	struct note_word word[NOTE_WORDS_MAX];
	size_t n;
	uint64_t t_ns;
	struct err *err;
	int rc; /* 0 or -errno */
};

/** Whether the line begins with "# WORD". */
bool note_is(const char *line, const char *word);

/**
 * Remove quotes in place: the text moves to the opening quote and is NUL-terminated; a doubled quote is one. @return
 * behind the closing quote; NULL: there is none
 */
char *note_unquote(char *from);

/** Split a line into words, in place. @return note->rc */
int note_parse(struct note *note, char *line);

/** Read all fields of a note of the schema. @to  the struct of its fields; members of keys that are missing get their value for that */
void note_read(struct note *note, void *to);

/** Get the n-th plain word; the first after # is number 0. @return NULL beyond the last */
const struct note_word *note_word(const struct note *note, size_t n);

/** Get the word of a key, "KEY=". @return NULL: missing */
const struct note_word *note_value(const struct note *note, const char *key);

/** Set an error unless there is one. @at  its word; NULL: the line  @return the note's rc */
int note_fail(struct note *note, const struct note_word *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** Set an out-of-memory error. */
void note_no_memory(struct note *note);

/** Get a PMU by its name, a new one if necessary. @return NULL: "", or an error, which is in the note */
struct pmu *note_pmu(struct note *note, const char *name);

/** Parse a number below 2^64, in decimal digits only. @return false: not one */
bool note_parse_u64(const char *at, size_t n, uint64_t *ret);

/** Parse "1.000012345" to nanoseconds. @return false: not a time */
bool note_parse_time(const char *at, size_t n, uint64_t *ret_ns);

/** Parse a task's number: "4711", "-1". @return false: not valid */
bool note_parse_task(const char *at, size_t n, int64_t *ret);

#endif
