#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "pmu/backend_apple.h"

static void set_el0(struct apple_options *options)
{
	options->el0 = true;
}

static void set_l2c_core(struct apple_options *options)
{
	options->l2c_cluster = false;
}

static void set_l2c_cluster(struct apple_options *options)
{
	options->l2c_cluster = true;
}

static const struct option {
	const char *text;
	void (*set)(struct apple_options *options);
	const char *what;
} table[] = {
	{ "el0", set_el0, "counters are read without a system call, open to every process" },
	{ "l2c=core", set_l2c_core, "L2C events count what the core did (default)" },
	{ "l2c=cluster", set_l2c_cluster, "L2C events count what its whole cluster did" },
};

static int unknown(const char *text, struct err *err)
{
	struct text known = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		text_printf(&known, "%s%s (%s)", i ? ", " : "", table[i].text, table[i].what);
	err_set(err, EINVAL, "apple has no option \"%s\"; it has %s", text,
		known.failed ? "el0 and l2c" : known.bytes);
	text_fini(&known);
	return -EINVAL;
}

static int parse_one(const char *text, struct apple_options *options, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (strcmp(text, table[i].text) == 0) {
			table[i].set(options);
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
