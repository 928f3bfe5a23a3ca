/* options.h: every option of every verb in one table: parsing, --help and the man page read it */
#ifndef CMD_OPTIONS_OPTIONS_H
#define CMD_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "backend/backend.h"
#include "sampler/tasks/task_rows.h"
#include "session/write/sink.h"

struct theme;

enum { OPTION_ROWS_MAX = 96 };

/** What the command line said. Texts point into argv. */
struct options {
	char *events;     /* -e, joined by commas when repeated; allocated */
	char *metrics;    /* -M, likewise */
	bool split;       /* a metric that does not fit is measured over several sets */
	char *preset;     /* -P, likewise */
	struct cpus cpus; /* -C */
	bool has_cpus;
	bool all_cpus;        /* -a */
	char *pids;           /* -p, joined by commas when repeated; allocated */
	char *tids;           /* -t, likewise */
	uint64_t interval_ns; /* -d, -I; 0: not given */
	uint64_t count;       /* -n; 0: no end */
	uint64_t timeout_ns;  /* --timeout; 0: none */
	uint64_t delay_ns;    /* -D; UINT64_MAX: until --control enables */
	const char *control;  /* --control */
	bool summary;         /* all intervals together at the end */
	bool plain_summary;   /* --no-csv-summary */
	bool metric_only;
	int log_fd;           /* 0: none */
	bool to_stat;         /* replay: print it */
	double speed;         /* of replay; 1: as it was recorded */
	size_t history_bytes; /* 0: not given */
	const char *baseline; /* a session file; NULL: none */
	unsigned part;        /* as in reader_open */
	const char *html;     /* report: where the page goes */
	enum frame_by by;
	bool has_by;
	bool by_task; /* stat, replay: rows by task, those of tasks_by */
	enum task_by tasks_by;
	unsigned top;       /* of these; 0: all */
	const char *output; /* -o */
	enum sink_mode output_mode;
	bool world_readable;       /* what root makes, too */
	struct sink_limits limits; /* --max-size, --keep */
	const char *format;        /* --format; NULL: the verb's own */
	const char *sep;           /* -x */
	bool json;                 /* -j, --json */
	bool selfcheck;            /* doctor: measure what is known */
	bool truth;                /* list: what sim:hidden has drawn */
	char backend[32];          /* "" : choose */
	const char *backend_options;
	bool or_demo; /* the simulation where nothing can be counted */
	const char *events_dir;
	enum privilege privilege;
	double budget_pct;
	const char *listen;     /* --listen; NULL: the default */
	char *hosts;            /* --host; joined by commas when repeated; allocated */
	bool user_only;         /* at a Unix socket */
	unsigned n_tasks;       /* commands that serve tells apart */
	const char *web_config; /* NULL: neither TLS nor passwords */
	bool insecure;          /* beyond loopback without passwords */
	const char *ids;        /* discover; NULL: all */
	const char *kernels;    /* NULL: all that run here */
	bool is_quick;          /* fewer and shorter runs */
	bool is_plain;          /* no screen */
	bool only_masks;        /* only the counters of each id */
	bool list_kernels;
	/* a kernel of the user's: two commands or a file */
	const char *kernel_trigger, *kernel_control;
	const char *assembly;
	const char *kernel_name;
	unsigned repeats;        /* 0: not given */
	uint64_t seed;           /* 0: not given */
	const char *resume;      /* a report to go on from */
	const char *emit_events; /* where an event file goes */
	const struct theme *theme;
	bool ascii;              /* asked for, or the locale is not UTF-8 */
	bool color;              /* false with --no-color or a non-empty NO_COLOR */
	bool mouse;              /* false with --no-mouse */
	const char *config_file; /* --config; NULL: where it is by default */
	char **command;          /* what followed "--", NULL-terminated; NULL: none */
	char **word;             /* words that are no options */
	int n_words;
	/* by row of option_table: it was on the command line */
	bool is_given[OPTION_ROWS_MAX];
};

/** Bits that say which verbs an option belongs to. */
enum verb_bit {
	VERB_LIVE = 1,
	VERB_STAT = 2,
	VERB_LIST = 4,
	VERB_DOCTOR = 8,
	VERB_REPLAY = 16,
	VERB_REPORT = 32,
	VERB_SERVE = 64,
	VERB_DISCOVER = 128,
	VERB_EVENTS = 256,
	VERB_ALL = 2 * VERB_EVENTS - 1,
};

enum { EXAMPLES_MAX = 5 };

struct verb {
	enum verb_bit bit;
	const char *name; /* "stat"; "" is the live screen */
	const char *args; /* behind the name in the usage line */
	const char *what; /* one line */
	const char *more; /* paragraphs for --help, between them an empty line; may be "" */
	struct {
		const char *line, *what;
	} example[EXAMPLES_MAX]; /* ends with a NULL line */
	int max_words;           /* words that are no options; behind "--" does not count */
	bool takes_command;
	int (*run)(const struct options *options); /* returns the exit status */
};

/** By name. @verbs  as in options_parse @return NULL when there is none */
const struct verb *verb_find(const struct verb *verbs, const char *name);

/** What becomes of an option's value. Numbers are refused with the row's `text`. */
enum option_kind {
	OPTION_SET,      /* `set` takes it, or `text` in place of it; without `set` the caller of
			  * options_parse answers the option */
	OPTION_CONSTANT, /* bool, enum or unsigned: becomes `least` */
	OPTION_TEXT,     /* const char *: points to it; `text` is what may not be empty */
	OPTION_LIST,     /* char *: joined by commas; `text` is what it is a list of */
	OPTION_WHOLE,    /* unsigned or uint64_t: times `unit` */
	OPTION_REAL,     /* double */
	OPTION_DURATION, /* uint64_t: a fraction times `unit`, rounded */
	OPTION_SIZE,     /* uint64_t: "64M" */
};

/** One option. */
struct option_row {
	char letter;      /* 0: it has only its name */
	const char *name; /* long: "interval" */
	const char *arg;  /* what it takes: "SECONDS"; NULL: nothing */
	const char *what; /* one sentence or two, without a full stop at the end */
	unsigned verbs;   /* enum verb_bit */
	enum option_kind kind;
	size_t offset, size; /* of the field in struct options */
	double least, most;  /* of the number as it was written */
	uint64_t unit;
	const char *text;
	/* Store the value (NULL when it takes none). As option_store. */
	int (*set)(struct options *options, const char *value, struct err *err);
};

/** Every option, in the order of the help; ends with a NULL name. */
extern const struct option_row option_table[];

/**
 * Store the value of an option as its row says.
 *
 * @value   NULL when it takes none; kept, unless it is a number or in a list
 * @return  0; -EINVAL, -ERANGE or -ENOMEM saying what is expected, without naming the option
 */
int option_store(const struct option_row *row, struct options *options, const char *value,
		 struct err *err);

/** Another long name that stat has for an option, as perf stat calls it. */
struct option_alias {
	const char *name, *of;
};

/** Ends with a NULL name. */
extern const struct option_alias option_alias_table[];

/** The other name. @return NULL when there is none */
const char *option_alias(const struct option_row *row);

/** An option of perf stat that m1top's stat cannot have. */
struct option_refused {
	char letter; /* 0: none */
	const char *name;
	const char *why;
};

/** Ends with a NULL name. */
extern const struct option_refused option_refused_table[];

/** What options_parse leaves to its caller. */
enum { OPTIONS_HELP = 1, OPTIONS_VERSION };

enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NOT_PERMITTED = 3,
	EXIT_NOTHING = 4,
	EXIT_INTERRUPTED = 130 /* by SIGINT, of which m1top dies in the end */
};

/**
 * Parse what follows the verb. Reorders nothing, but words that are no options move to the front
 * of argv.
 *
 * @verbs  all verbs: the live screen first, at the end one whose `run` is NULL
 * @argv   argv[0] is the verb
 * @ret    release with options_fini
 * @return 0; OPTIONS_HELP or OPTIONS_VERSION where that is all that is asked for; -EINVAL naming
 *         the option
 */
int options_parse(const struct verb *verbs, const struct verb *verb, int argc, char **argv,
		  struct options *ret, struct err *err);

/**
 * Parse the beginning of a command line that is still being typed. Mistakes in it are passed over.
 *
 * @ret    release with options_fini; `command` is not NULL behind --, even with no word of it yet
 * @return the option whose value comes next; NULL: none waits for one
 */
const struct option_row *options_parse_typed(const struct verb *verbs, const struct verb *verb,
					     int argc, char **argv, struct options *ret);

/** What no option alone can tell: those that do not go together. @return 0 or -EINVAL */
int options_check(const struct verb *verb, const struct options *options, struct err *err);

/** An option by its long name, which ends at a blank or at the end. @return NULL: there is none */
const struct option_row *option_find(const char *name);

/** Has the command line one of these? @names  long names, blanks between */
bool options_given(const struct options *options, const char *names);

/** Is it tasks that are counted, and not CPUs: those of -p and -t, else a command's? */
bool options_of_tasks(const struct options *options);

/** Release what parsing allocated. NULL is accepted. */
void options_fini(struct options *options);

/** Release what a plain copy has been given since it was made. @of  what it is a copy of */
void options_fini_copy(struct options *copy, const struct options *of);

/** The format of records: --format, or what -x, -j and -o stand for. */
const char *options_format(const struct options *options);

/** The exit status for an error of a module: 3 for EACCES/EPERM, 4 for ENODEV, 2 for EEXIST, ELOOP, EMLINK,
 * EINVAL, ENOENT, ENOTUNIQ and ENOSPC of a request, else 1. */
int options_exit_status(int error);

/** The end of a verb: says on stderr why it failed, if it did. @return its exit status */
int options_end(int rc, const struct err *err);

#endif
