/* options.h: every option of every verb in one table: parsing, --help and the man page read it */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "pmu/backend.h"
#include "sampler/frame.h"
#include "session/sink.h"

/** What the command line said. Texts point into argv. */
struct options {
	const char *events;      /* -e, joined by commas when repeated */
	const char *metrics;     /* -M */
	const char *preset;      /* -P */
	struct cpus cpus;        /* -C */
	bool has_cpus;
	uint64_t interval_ns;    /* -d, -I; 0: not given */
	uint64_t count;          /* -n; 0: no end */
	enum frame_by by;
	bool has_by;
	const char *output;      /* -o */
	enum sink_mode output_mode;
	const char *format;      /* --format; NULL: the verb's own */
	const char *sep;         /* -x */
	bool json;               /* -j, --json */
	char backend[32];        /* "" : choose */
	const char *backend_options;
	const char *events_dir;
	enum event_levels levels;
	double budget_pct;
	bool ascii, color;       /* color is false with --no-color or a non-empty NO_COLOR */
	char **command;          /* what followed "--", NULL-terminated; NULL: none */
	char **word;             /* words that are no options */
	int n_words;
};

struct verb {
	const char *name;  /* "stat"; "" is the live screen */
	const char *args;  /* behind the name in the usage line */
	const char *what;  /* one line */
	const char *more;  /* paragraphs for --help; may be "" */
	int (*run)(const struct options *options); /* returns the exit status */
};

/** Every verb; the live screen first; ends with a NULL `run`. */
extern const struct verb verb_table[];

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NOT_PERMITTED = 3, EXIT_NOTHING = 4 };

/**
 * Parse what follows the verb.
 *
 * @return 0; 1 after --help or --version was answered: exit 0; -EINVAL naming the option
 */
int options_parse(const struct verb *verb, int argc, char **argv, struct options *ret,
		  struct err *err);

/** The exit status for an error of a module: 3 for EACCES/EPERM, 4 for ENODEV, 2 for EINVAL,
 * ENOENT, ENOTUNIQ and ENOSPC of a request, else 1. */
int options_exit_status(int error);

#endif
