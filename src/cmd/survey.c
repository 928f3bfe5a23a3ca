/* m1top survey: counts everything for a while, as stat does, and reports it on one page. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/invoker.h"
#include "cmd/verbs.h"

enum { SURVEY_INTERVAL_MS = 100, SURVEY_S = 30 };

/* Create an empty file for the session, of the user who called sudo: stat gives up root's rights before it writes.
 * @path  template of mkstemp  @return 0 or -errno */
static int make_file(char *path)
{
	struct invoker_was was;
	int rc = invoker_become(&was);
	AUTO_FD int fd = rc ? rc : mkstemp(path);

	rc = rc ? rc : fd < 0 ? -errno : 0;
	invoker_return(&was);
	return rc;
}

/* Set what stat counts and where it writes the session. @return a copy, whose lists belong to the original */
static struct options survey_counting(const struct options *options, const char *path)
{
	struct options stat = *options;

	stat.counts_all = true;
	stat.json = false;
	stat.html = NULL;
	stat.output = path;
	if (!options->output)
		stat.output_mode = SINK_FORCE;
	if (!stat.interval_ns)
		stat.interval_ns = SURVEY_INTERVAL_MS * NS_PER_MS;
	if (!stat.timeout_ns && !stat.count && !stat.command)
		stat.timeout_ns = SURVEY_S * NS_PER_S;
	return stat;
}

static int report_session(const struct options *options, const char *path)
{
	struct options report = *options;
	char *word = (char *)path;

	report.survey = true;
	if (!options->output)
		report.title = options->command ? options->command[0] : "survey";
	report.word = &word;
	report.n_words = 1;
	return report_run(&report);
}

/* Whether the file has been written since. @before  zero: it did not exist */
static bool is_written(const char *path, const struct stat *before)
{
	struct stat now;

	return stat(path, &now) == 0 && now.st_size > 0 &&
	       (now.st_ino != before->st_ino || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
		now.st_mtim.tv_nsec != before->st_mtim.tv_nsec);
}

int survey_run(const struct options *options)
{
	char temporary[] = "/tmp/m1top-survey-XXXXXX";
	const char *path = options->output ? options->output : temporary;
	int rc = options->output ? 0 : make_file(temporary);
	struct stat before = { 0 };

	if (rc) {
		fprintf(stderr, "m1top: survey: %s: %s\n", temporary, strerror(-rc));
		return EXIT_FAILED;
	}
	if (stat(path, &before))
		before.st_ino = 0;

	const struct options counting = survey_counting(options, path);
	int status = stat_run(&counting), reported = 0;

	if (is_written(path, &before))
		reported = report_session(options, path);
	if (!options->output)
		unlink(temporary);
	return status ? status : reported;
}
