/* verbs.h: table of verbs, their help, and the verbs that are one file each */
#ifndef CMD_VERBS_H
#define CMD_VERBS_H

#include "cmd/options.h"

/** All verbs, first the live screen; ends with a NULL `run`. */
extern const struct verb verb_table[];

/** Print the help of one verb; for the live screen also the list of verbs. */
void help_print(const struct verb *verb);

/** Print the manual page of all verbs in roff. */
void help_print_man(void);

/**
 * Print completions of the last word for a shell, one per line: `WORD<TAB>description`. A line that
 * begins with a colon is an instruction to the shell: `:files` and `:folders`: complete a file
 * name, `:command N`: the Nth word, from 0, begins a command, `:list`: more may follow a word
 * without a blank.
 *
 * @n     number of words after the program's name, at least 1
 * @word  may be reordered
 */
void complete_print(int n, char **word);

/** Run the live screen. @return exit status */
int live_run(const struct options *options);

/** Run m1top stat. @return exit status, or that of the command */
int stat_run(const struct options *options);

/** Run m1top replay. @return exit status */
int replay_run(const struct options *options);

/** Run m1top list. @return exit status */
int list_run(const struct options *options);

struct listing;

/**
 * Get the rows of what can be counted here, for completion of a word.
 *
 * @kind     "events" or "event"
 * @pattern  as for `m1top list`; NULL: all
 * @ret      with the headings of the kind; release with listing_fini
 * @return   0 or a negative errno, then there are no rows
 */
int list_names(const struct options *options, const char *kind, const char *pattern,
	       struct listing *ret, struct err *err);

/** Run m1top survey. @return exit status, or that of the command */
int survey_run(const struct options *options);

/** Run m1top report. @return exit status */
int report_run(const struct options *options);

/** Run m1top discover. @return exit status */
int discover_run(const struct options *options);

/** Run m1top events import. @return exit status */
int events_run(const struct options *options);

/** Run m1top serve. @return exit status */
int serve_run(const struct options *options);

#endif
