/* config.h: configuration: a file of settings, read strictly, written by key W */
#ifndef CMD_OPTIONS_CONFIG_H
#define CMD_OPTIONS_CONFIG_H

#include <limits.h>

#include "sampler/messages.h"
#include "base/text.h"
#include "cmd/options.h"
#include "tui/keys.h"
#include "tui/settings.h"

/** Contents of a file. Large: not for the stack. */
struct config {
	char path[PATH_MAX]; /* "": no path for one */
	bool exists;
	struct settings settings;
	struct keymap keymap;
	struct text problems; /* one line each: FILE: $.PATH: problem */
	unsigned n_problems;
	char *value[SETTING_ROWS_MAX]; /* memory that options point to */
	bool chose_what;               /* the file selects what is counted */
	uint32_t given;                /* by index in setting_table: the command line sets it */
};

/**
 * Read the file of --config, else the user's own. Errors in it are problems, and the rest is used;
 * without a file the configuration is empty.
 *
 * @ret    release with config_close
 * @return 0; -errno if --config names a file that cannot be read
 */
int config_open(const struct options *options, struct config *ret, struct err *err);

/** Free the contents. NULL is accepted. */
void config_close(struct config *config);

/**
 * Set options that the command line did not set. A value that an option refuses is one more
 * problem.
 *
 * @verb     only the live screen takes what is counted
 * @options  its texts then point into `config`; its `events` keeps its owner, but if it was NULL,
 *           belongs
 *           to `config`
 */
void config_apply(struct config *config, enum verb_bit verb, struct options *options);

/** Remove what the file selects to count, because it cannot be counted. @why  reason */
void config_drop_counted(struct config *config, struct options *options, const struct err *why);

/** Add the problems as messages. */
void config_tell(const struct config *config, struct messages *messages);

/** Copy the options of the command line for config_write, except what is counted. */
void config_take(struct config *config, const struct options *options);

/** Copy what the command line selects to count, if anything. @return 0 or -ENOMEM */
int config_take_counted(struct config *config, const struct options *options);

/** Write the file; keys unknown to m1top are kept. @return 0 or -errno */
int config_write(const struct config *config, struct err *err);

/** Parse a file's text. For config_open and tests. */
void config_parse(struct config *config, const char *bytes, size_t n);

/** Print the file with the values of `config`. @old  old text; NULL: no file
 * @return 0; -EINVAL: the old text is no JSON object; -ENOMEM */
int config_print(const struct config *config, const char *old, size_t n_old, struct text *ret,
		 struct err *err);

#endif
