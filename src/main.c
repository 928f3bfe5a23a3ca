/* Select and run the verb. Only this file may end the process. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/invoker.h"
#include "cmd/shared/standard_output.h"
#include "cmd/verbs.h"

static const struct verb *pick(int *argc, char ***argv)
{
	const struct verb *verb = *argc > 1 ? verb_find(verb_table, (*argv)[1]) : NULL;

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

static void print_version(void)
{
	printf("m1top %s\n", M1TOP_VERSION);
	if (*M1TOP_WITHOUT)
		printf("built without %s\n", M1TOP_WITHOUT);
}

static int run(int argc, char **argv)
{
	struct options options;
	struct err err = { "" };

	if (argc == 2 && strcmp(argv[1], "--man") == 0) {
		help_print_man();
		return EXIT_OK;
	}
	if (argc > 3 && strcmp(argv[1], "--complete") == 0 && strcmp(argv[2], "--") == 0) {
		complete_print(argc - 3, argv + 3);
		return EXIT_OK;
	}

	if (argc > 1 && argc < 4 && strcmp(argv[1], "help") == 0) {
		const struct verb *asked = verb_find(verb_table, argc > 2 ? argv[2] : "");

		if (asked) {
			help_print(asked);
			return EXIT_OK;
		}
	}

	const struct verb *verb = pick(&argc, &argv);
	int rc = options_parse(verb_table, verb, argc, argv, &options, &err);

	if (rc == OPTIONS_HELP)
		help_print(verb);
	if (rc == OPTIONS_VERSION)
		print_version();
	if (rc > 0)
		return EXIT_OK;
	if (rc < 0)
		return usage_error(verb, &err);

	if (options.world_readable)
		invoker_share_files();

	int status = verb->run(&options);

	options_fini(&options);
	return status;
}

/* Report a failed write of a list or a help text as an error, except EPIPE: the reader has closed the pipe. */
static int close_stdout(int status)
{
	if (!ferror(stdout) && !fflush(stdout))
		return status;
	if (errno == EPIPE)
		return status;
	fprintf(stderr, "m1top: standard output: %s\n", strerror(errno));
	return status == EXIT_OK ? EXIT_FAILED : status;
}

/* Open closed standard descriptors: a socket or counter could get their numbers, and output would
 * go there. /dev/null is opened in the wrong direction, so that use fails as on a closed
 * descriptor. */
static int open_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	if (open_standard())
		return EXIT_FAILED; /* there is no stderr for a message */
	/* never LC_NUMERIC: numbers have a decimal point */
	setlocale(LC_CTYPE, "");
	standard_output_open();

	int status = close_stdout(run(argc, argv));

	if (status < EXIT_BY_SIGNAL)
		return status;
	/* a shell ends its loop only if the program died of the signal */
	raise(status - EXIT_BY_SIGNAL);
	return 128 + status - EXIT_BY_SIGNAL; /* the signal is ignored */
}
