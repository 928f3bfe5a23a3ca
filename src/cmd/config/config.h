/* config.h: the configuration: one table of its keys, read strictly, written by W */
#ifndef CMD_CONFIG_CONFIG_H
#define CMD_CONFIG_CONFIG_H

#include <limits.h>

#include "base/messages.h"
#include "base/text.h"
#include "cmd/options/options.h"
#include "tui/term/keymap.h"
#include "tui/settings/settings.h"

enum config_kind {
	CONFIG_NUMBER, /* double */
	CONFIG_TEXT,   /* char[SETTING_TEXT_MAX] */
	CONFIG_LIST,   /* struct setting_list */
	CONFIG_FLAG,   /* enum setting_flag */
};

/** One key of the file. A row here is reading, writing, the manual page and docs/config.md. */
struct config_row {
	const char *name;
	enum config_kind kind;
	size_t offset;       /* into struct settings */
	const char *example; /* as it stands in the file */
	const char *what;    /* one sentence without its point */
	/* The long options that win over it, with blanks between; the first one takes its value, or
	 * of a flag stands for true, and one that begins with "no-" for false. NULL: there is none. */
	const char *options;
	/* Without an option: is the text one, or the number? 0 or -EINVAL saying what is expected. May
	 * be NULL. */
	int (*check)(const char *text, struct err *err);
};

enum { CONFIG_ROWS_MAX = 32 };

/** Every key but "keys", in the order they are written in; ends with a NULL name. */
extern const struct config_row config_table[];

/** What a file says. Large: not for the stack. */
struct config {
	char path[PATH_MAX]; /* "": there is no place for one */
	bool exists;
	struct settings settings;
	struct keymap keymap;
	struct text problems; /* a line each: FILE: $.PATH: what is wrong */
	unsigned n_problems;
	char *value[CONFIG_ROWS_MAX]; /* what options point into */
	bool chose_what;              /* what is counted comes from the file */
};

/**
 * Read the file that the options name, else the caller's own. What is wrong in it is a problem, and
 * the rest is used; without a file it is empty.
 *
 * @ret    release with config_close
 * @return 0; -errno for a file that --config names and that cannot be read
 */
int config_open(const struct options *options, struct config *ret, struct err *err);

/** Release. NULL is accepted. */
void config_close(struct config *config);

/**
 * Fill in what the command line did not say. What an option does not take is one more problem.
 *
 * @verb     what is counted is for the live screen alone
 * @options  its texts point into `config` then; its `events` belongs to whom it belonged, unless
 *           it was NULL: then to `config`
 */
void config_apply(struct config *config, enum verb_bit verb, struct options *options);

/** Let go of what is counted by the file: it cannot be counted here, and why. */
void config_drop_counted(struct config *config, struct options *options, const struct err *why);

/** The problems as messages. */
void config_tell(const struct config *config, struct messages *messages);

/** Take over what the command line said, for config_write: all but what is counted. */
void config_take(struct config *config, const struct options *options);

/** What is counted by the command line, if it says so. @return 0 or -ENOMEM */
int config_take_counted(struct config *config, const struct options *options);

/** Write what `config` holds now, keeping keys that m1top does not know. @return 0 or -errno */
int config_write(const struct config *config, struct err *err);

/** Add a problem at a place in the file: "$.keys.quit[1]". */
void config_problem(struct config *config, const char *place, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** Read a file's text into it. For config_open, and for tests. */
void config_parse(struct config *config, const char *bytes, size_t n);

/** The file with what `config` holds in place of what it held. @old NULL: no file
 * @return 0; -EINVAL: the old one is no JSON object; -ENOMEM */
int config_print(const struct config *config, const char *old, size_t n_old, struct text *ret,
		 struct err *err);

#endif
