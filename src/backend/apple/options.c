#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "backend/apple/apple.h"

static const struct option {
	const char *text;
	size_t field; /* of struct apple_options, a bool */
	bool value;
	const char *what;
} table[] = {
	{ "el0", offsetof(struct apple_options, el0), true,
	  "counters are read without a system call, open to every process" },
	{ "l2c=core", offsetof(struct apple_options, l2c_cluster), false,
	  "L2C events count what the core did (default)" },
	{ "l2c=cluster", offsetof(struct apple_options, l2c_cluster), true,
	  "L2C events count what its whole cluster did" },
};

static int unknown(const char *option, struct err *err)
{
	struct text text = { 0 };

	text_printf(&text, "apple has no option \"%s\"; its options are ", option);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		text_printf(&text, "%s%s (%s)", i ? ", " : "", table[i].text, table[i].what);
	return text_to_err(&text, EINVAL, err);
}

static int parse_one(const char *text, struct apple_options *options, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (strcmp(text, table[i].text) == 0) {
			*(bool *)((char *)options + table[i].field) = table[i].value;
			return 0;
		}
	}
	return unknown(text, err);
}

int apple_options_parse(const char *text, struct apple_options *ret, struct err *err)
{
	struct apple_options options = { 0 };
	AUTO_FREE char *copy = strdup(text ? text : "");
	char *rest = copy, *item;
	int rc = 0;

	if (!copy)
		return err_set(err, ENOMEM, "out of memory");
	while (!rc && text && text[0] && (item = strsep(&rest, ",")))
		rc = parse_one(item, &options, err);
	if (!rc)
		*ret = options;
	return rc;
}
