/* Picks the verb. The only file that may end the process. */
#include <locale.h>
#include <string.h>

#include "cmd/options.h"

static const struct verb *pick(int *argc, char ***argv)
{
	const struct verb *verb = *argc > 1 ? verb_find((*argv)[1]) : NULL;

	if (!verb || !*verb->name)
		return verb_table;
	(*argc)--;
	(*argv)++;
	return verb;
}

static int usage_error(const struct verb *verb, const struct err *err)
{
	fprintf(stderr, "m1top: %s\n", err->text);
	fprintf(stderr, "m1top%s%s --help lists the options\n", *verb->name ? " " : "", verb->name);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct options options;
	struct err err = { "" };

	/* never LC_NUMERIC: numbers are written with a point */
	setlocale(LC_CTYPE, "");
	if (argc == 2 && strcmp(argv[1], "--man") == 0) {
		help_print_man(stdout);
		return EXIT_OK;
	}

	const struct verb *verb = pick(&argc, &argv);
	int rc = options_parse(verb, argc, argv, &options, &err);

	if (rc > 0)
		return EXIT_OK;
	if (rc < 0)
		return usage_error(verb, &err);

	int status = verb->run(&options);

	options_fini(&options);
	return status;
}
