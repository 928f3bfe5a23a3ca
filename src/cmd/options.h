/* options.h: one table of all options of all verbs, used by the parser, --help and the man page */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "pmu/backend.h"
#include "sampler/task_rows.h"
#include "session/sink.h"

struct theme;

enum { OPTION_ROWS_MAX = 96 };

/** Parsed command line. Texts point into argv. */
struct options {
	char *events;         /* -e, joined by commas if repeated; allocated */
	char *metrics;        /* -M, as -e */
	char *on;             /* --on, joined by newlines if repeated; allocated */
	bool counts_all;      /* survey: without -e, -P and -M every event */
	bool split;           /* measure a metric that does not fit over several sets */
	char *preset;         /* -P, as -e */
	const char *cpus;     /* -C; NULL: all */
	bool all_cpus;        /* -a */
	char *pids;           /* -p, joined by commas if repeated; allocated */
	char *tids;           /* -t, as -p */
	unsigned shown_pid;   /* -p of the live screen, process id; 0: none */
	uint64_t interval_ns; /* -d, -I; 0: not given */
	uint64_t count;       /* -n; 0: no end */
	unsigned runs;        /* -r; 0: not given, one run */
	uint64_t timeout_ns;  /* --timeout; 0: none */
	uint64_t delay_ns;    /* -D; UINT64_MAX: until --control sends enable */
	const char *control;  /* --control */
	bool summary;         /* print the sum of all intervals at the end */
	bool plain_summary;   /* --no-csv-summary */
	bool metric_only;
	bool sensors;         /* read them */
	bool has_activity;    /* live, serve: frequency and utilisation are always counted */
	int log_fd;           /* 0: none */
	bool to_stat;         /* replay: print as stat */
	double speed;         /* replay; 1: as recorded */
	size_t history_bytes; /* 0: not given */
	const char *baseline; /* a session file; NULL: none */
	unsigned part;        /* number of a part, as in reader_open */
	const char *html;     /* report: path of the page */
	const char *title;    /* report: shown instead of the file's name; NULL: the name */
	bool survey;          /* report: what explains the cycles per instruction, by type */
	enum frame_by by;
	bool has_by;
	bool by_task; /* stat, replay: rows by task, grouped by tasks_by */
	enum task_by tasks_by;
	uint64_t samples_per_s; /* -F; 0: the default */
	uint64_t sample_period; /* -c: events a sample; 0: by rate */
	bool has_callers;       /* --call-graph */
	bool by_function;       /* stat: rows by function, of one event; by_task is set, too */
	bool tasks_alone;       /* by_function: see setup_needs_tasks_alone */
	const char *cgroup;     /* stat, replay: only tasks in it and below, "/a/b"; NULL: all */
	unsigned top;           /* maximum number of task rows; 0: all */
	const char *output;     /* -o */
	enum sink_mode output_mode;
	bool world_readable;       /* also for files that root creates */
	struct sink_limits limits; /* --log-limit, or --max-size and --keep */
	uint64_t max_size;         /* --max-size: of one file */
	unsigned keep;
	const char *format; /* --format; NULL: default of the verb */
	const char *sep;    /* -x */
	bool json;          /* -j, --json */
	bool selfcheck;     /* doctor: measure known work */
	bool truth;         /* list: print what sim:hidden has drawn */
	char backend[32];   /* "": choose automatically */
	const char *backend_options;
	bool without_rights; /* as in struct backend_config; set by the live screen alone */
	bool or_demo;        /* run the simulation if nothing can be counted */
	const char *events_dir;
	enum privilege privilege;
	double budget_pct;
	const char *listen;     /* --listen; NULL: the default */
	char *hosts;            /* --host, joined by commas if repeated; allocated */
	bool user_only;         /* at a Unix socket: only this user */
	unsigned n_cgroups;     /* number of cgroups that serve reports separately */
	unsigned n_tasks;       /* number of commands that serve reports separately */
	const char *web_config; /* NULL: no TLS, no passwords */
	bool insecure;          /* permit listening beyond loopback without passwords */
	const char *ids;        /* discover; NULL: all */
	const char *kernels;    /* NULL: all that run here */
	bool is_quick;          /* fewer and shorter runs */
	bool only_masks;        /* only the counters of each id */
	bool list_kernels;
	/* user's kernel: two commands or a file */
	const char *kernel_trigger, *kernel_control;
	const char *assembly;
	const char *kernel_name;
	unsigned repeats;        /* 0: not given */
	uint64_t seed;           /* 0: not given */
	const char *resume;      /* report to resume */
	const char *emit_events; /* path of the event file */
	const struct theme *theme;
	bool ascii;              /* requested, or the locale is not UTF-8 */
	bool color;              /* false with --no-color or a non-empty NO_COLOR */
	bool real_time;          /* false with --no-real-time */
	bool mouse;              /* false with --no-mouse */
	const char *config_file; /* --config; NULL: default path */
	char **command;          /* command after "--", NULL-terminated; NULL: none */
	char **word;             /* words that are not options */
	int n_words;
	/* options on the command line, by row of option_table */
	bool is_given[OPTION_ROWS_MAX];
};

/** Bits for the verbs of an option. */
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
	VERB_SURVEY = 512,
	VERB_ALL = 2 * VERB_SURVEY - 1,
};

enum { EXAMPLES_MAX = 5 };

struct verb {
	enum verb_bit bit;
	const char *name; /* "stat"; "": live screen */
	const char *args; /* arguments in the usage line */
	const char *what; /* one line */
	const char *more; /* paragraphs for --help, separated by an empty line; may be "" */
	struct {
		const char *line, *what;
	} example[EXAMPLES_MAX]; /* NULL-terminated */
	int max_words;           /* maximum number of words, not counting a command after "--" */
	bool takes_command;
	int (*run)(const struct options *options); /* returns the exit status */
};

/** Find a verb by name. @verbs  as in options_parse @return NULL if there is none */
const struct verb *verb_find(const struct verb *verbs, const char *name);

/** Kind of an option's value. For an invalid number the error is the row's `text`. */
enum option_kind {
	OPTION_SET,      /* `set` takes the value, or `text` instead of it; without `set` the caller
			  * of options_parse handles the option */
	OPTION_CONSTANT, /* bool, enum or unsigned: set to `least` */
	OPTION_TEXT, /* const char *: set to the value; `text` describes it and requires a non-empty value */
	OPTION_LIST, /* char *: joined by commas, with a `unit` by newlines; `text` describes the items */
	OPTION_WHOLE,    /* unsigned or uint64_t: multiplied by `unit` */
	OPTION_REAL,     /* double */
	OPTION_DURATION, /* uint64_t: a fraction multiplied by `unit`, rounded */
	OPTION_SIZE,     /* uint64_t: "64M" */
};

/** One option. */
struct option_row {
	char letter;      /* 0: long name only */
	const char *name; /* long: "interval" */
	const char *arg;  /* placeholder of the value: "SECONDS"; NULL: no value */
	const char *what; /* one or two sentences without a final full stop */
	unsigned verbs;   /* enum verb_bit */
	enum option_kind kind;
	size_t offset, size; /* field in struct options */
	double least, most;  /* range of the number as written */
	uint64_t unit;
	const char *text;
	/* Store the value (NULL if it takes none). @return as option_store */
	int (*set)(struct options *options, const char *value, struct err *err);
};

/** All options, in the order of the help; ends with a NULL name. */
extern const struct option_row option_table[];

/**
 * Store an option's value as its row says.
 *
 * @value   NULL if it takes none; kept, except numbers and lists
 * @return  0; -EINVAL, -ERANGE or -ENOMEM with the expected form in err, without the option's name
 */
int option_store(const struct option_row *row, struct options *options, const char *value,
		 struct err *err);

/** Get the second long name of a stat option, that of perf stat. @return NULL if there is none */
const char *option_alias(const struct option_row *row);

/** Results of options_parse that the caller handles. */
enum { OPTIONS_HELP = 1, OPTIONS_VERSION };

enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NOT_PERMITTED = 3,
	EXIT_NOTHING = 4,
	EXIT_BY_SIGNAL = 256 /* plus the number of the signal by which m1top ends */
};

/**
 * Parse the arguments of a verb. Keeps their order, but moves words that are not options to the
 * front of argv.
 *
 * @verbs  all verbs: first the live screen, at the end one whose `run` is NULL
 * @argv   argv[0] is the verb
 * @ret    release with options_fini
 * @return 0; OPTIONS_HELP or OPTIONS_VERSION if only that is requested; -EINVAL naming
 *         the option
 */
int options_parse(const struct verb *verbs, const struct verb *verb, int argc, char **argv,
		  struct options *ret, struct err *err);

/**
 * Parse the beginning of a command line that is still being typed. Errors are ignored.
 *
 * @ret    release with options_fini; `command` is not NULL after --, even without a word
 * @return option whose value comes next; NULL: none
 */
const struct option_row *options_parse_typed(const struct verb *verbs, const struct verb *verb,
					     int argc, char **argv, struct options *ret);

/** Find an option by its long name, which ends at a blank or NUL. @return NULL: there is none */
const struct option_row *option_find(const char *name);

/** Whether the command line has one of these options. @names  long names, separated by blanks */
bool options_given(const struct options *options, const char *names);

/** Whether rows or their filter are cgroups. */
static inline bool options_by_cgroup(const struct options *options)
{
	return options->by_task && (options->cgroup || options->tasks_by == BY_CGROUP);
}

/** Whether tasks are of interest instead of CPUs: those of -p and -t, else a command's. */
bool options_have_tasks(const struct options *options);

/** Whether these tasks are counted by events of their own, without --by task and its like, or with tasks_alone. */
bool options_of_tasks(const struct options *options);

/** Free memory allocated by the parser. NULL is accepted. */
void options_fini(struct options *options);

/** Free what a shallow copy was given since it was made. @of  original of the copy */
void options_fini_copy(struct options *copy, const struct options *of);

/** Get the format of records: --format, or that implied by -x, -j and -o. */
const char *options_format(const struct options *options);

/** Get the exit status for a module's error: 3 for EACCES/EPERM, 4 for ENODEV, 2 for EEXIST, ELOOP,
 * EMLINK, EINVAL, ENOENT, ENOTUNIQ, ERANGE and ENOSPC of a request, else 1. */
int options_exit_status(int error);

/** End a verb: print the error, if any, to stderr. @return exit status */
int options_end(int rc, const struct err *err);

#endif
