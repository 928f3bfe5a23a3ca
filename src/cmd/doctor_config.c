/* doctor: which configuration is read, and what is wrong in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/config.h"
#include "cmd/doctor.h"

static void tell_problems(const struct config *config)
{
	const char *line = config->problems.bytes;

	for (; line && *line; line += strcspn(line, "\n") + 1)
		PROBLEM("%.*s", (int)strcspn(line, "\n"), line);
}

static void tell(struct config *config, const struct options *options)
{
	struct options with = *options;

	config_apply(config, VERB_LIVE, &with);
	if (!*config->path)
		NONE("no home folder is known: --config names a file");
	else if (!config->exists)
		NONE("%s would be read; W on the screen writes it", config->path);
	else if (!config->n_problems)
		OK("%s", config->path);
	tell_problems(config);
	options_fini_copy(&with, options);
}

void doctor_config(const struct options *options)
{
	struct config *config = malloc(sizeof(*config));
	struct err err = { "" };

	printf("Configuration\n");
	if (!config)
		return;
	if (config_open(options, config, &err) < 0)
		PROBLEM("%s", err.text);
	else
		tell(config, options);
	config_close(config);
	free(config);
}
