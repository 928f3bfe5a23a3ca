/* verbs.h: the table of verbs, its help, and the verbs that are one file each */
#ifndef CMD_SHARED_VERBS_H
#define CMD_SHARED_VERBS_H

#include "cmd/options/options.h"

/** Every verb; the live screen first; ends with a NULL `run`. */
extern const struct verb verb_table[];

/** The help of one verb; with the live screen the list of verbs too. */
void help_print(const struct verb *verb, FILE *out);

/** The manual page, in roff, of all verbs. */
void help_print_man(FILE *out);

/**
 * What the last of the words behind the program's name can be completed to, for a shell: one a line,
 * `WORD<TAB>description`. A line with a colon in front tells the shell to do something itself:
 * `:files` and `:folders` to complete a file's name, `:command N` that the Nth word, from 0, begins a
 * command, and `:list` that more may follow a word without a blank.
 *
 * @n     at least 1
 * @word  may be reordered
 */
void complete_print(int n, char **word, FILE *out);

/** The live screen. @return exit status */
int live_run(const struct options *options);

/** m1top stat. @return exit status, or that of the command */
int stat_run(const struct options *options);

/** m1top replay. @return exit status */
int replay_run(const struct options *options);

/** Replay options->word[0] on the live screen until the user leaves. @return 0 or -errno */
int replay_screen(const struct options *options, struct err *err);

/** m1top report. @return exit status */
int report_run(const struct options *options);

/** m1top events import. @return exit status */
int events_run(const struct options *options);

/** m1top serve. @return exit status */
int serve_run(const struct options *options);

#endif
