/* m1top report: prints figures of a session file, or of two side by side, or a page with plots. */
#include <errno.h>
#include <stdio.h>

#include "base/rights.h"
#include "cmd/shared/devices.h"
#include "cmd/shared/inputs.h"
#include "cmd/shared/setup.h"
#include "cmd/shared/standard_output.h"
#include "cmd/verbs.h"
#include "session/reader.h"
#include "session/report.h"

/* A session file. */
struct recorded_session {
	struct reader *reader;
	struct metrics_selection wanted;
};

struct report_work {
	const struct options *options;
	struct recorded_session of[2];
	struct report *report;
	struct text text;
};

static int read_file(struct report_work *work, unsigned i, struct err *err)
{
	const struct options *options = work->options;
	struct recorded_session *of = &work->of[i];
	const char *path = options->word[i];
	int rc = reader_open(path, options->part, options->events_dir, &of->reader, err);

	if (!rc && *reader_warning(of->reader))
		fprintf(stderr, "m1top: %s\n", reader_warning(of->reader));
	if (!rc && options->metrics)
		rc = metrics_select(reader_metrics(of->reader), options->metrics, &of->wanted, err);
	return rc ? rc
		  : report_add(work->report, of->reader, options->title ? options->title : path,
			       options->part, options->metrics ? &of->wanted : NULL, err);
}

/* Check that there are the rows that --by requests. */
static int check_rows(const struct report_work *work, enum frame_by by, struct err *err)
{
	const struct machine *machine = reader_machine(work->of[0].reader);

	if (by != BY_DEVICE)
		return frame_by_check(machine, by, err);
	return report_has_devices(work->report) ? 0 : devices_none(machine, err);
}

static int read_files(struct report_work *work, struct err *err)
{
	const struct options *options = work->options;
	struct report_request request = { .has_by = options->has_by || options->survey,
					  .by = options->survey ? BY_TYPE : options->by,
					  .is_survey = options->survey,
					  .has_plots = options->html,
					  .title = options->command ? *options->command : NULL,
					  .ascii = options->ascii };
	int rc = 0;

	work->report = report_new(&request);
	if (!work->report)
		return err_set(err, ENOMEM, "out of memory");
	for (int i = 0; !rc && i < options->n_words; i++)
		rc = read_file(work, (unsigned)i, err);
	return !rc && request.has_by ? check_rows(work, request.by, err) : rc;
}

static int make_text(struct report_work *work, struct err *err)
{
	int rc = 0;

	if (work->options->html)
		rc = report_html(work->report, &work->text, err);
	else if (work->options->json)
		report_json(work->report, &work->text);
	else
		report_text(work->report, &work->text);
	return !rc && work->text.failed ? err_set(err, ENOMEM, "out of memory") : rc;
}

static const char *output_of(const struct options *options)
{
	return options->html ? options->html : "-";
}

static int write_text(struct report_work *work, struct err *err)
{
	const char *path = output_of(work->options);
	struct sink *sink;
	int rc = output_open(path, work->options->output_mode, &sink, err);

	if (rc)
		return rc;
	if (!work->options->html && !work->options->json)
		sink_show(sink);
	return output_put(sink, &work->text, err);
}

static int cmd_report_run(struct report_work *work, struct err *err)
{
	int rc = setup_keep_rights(work->options, NULL, RIGHT_READ, err);

	if (!rc)
		rc = inputs_check_output(work->options, output_of(work->options), err);
	if (!rc)
		rc = read_files(work, err);
	if (!rc)
		rc = make_text(work, err);
	return rc ? rc : write_text(work, err);
}

/* Print errors in the files; the figures before them are printed already. */
static int tell_last_error(const struct report_work *work)
{
	int status = EXIT_OK;

	for (unsigned i = 0; i < 2; i++) {
		const char *last_error = report_last_error(work->report, i);

		if (!*last_error)
			continue;
		fprintf(stderr, "m1top: %s\n", last_error);
		status = EXIT_FAILED;
	}
	return status;
}

static void report_take_apart(struct report_work *work)
{
	text_fini(&work->text);
	report_free(work->report);
	for (unsigned i = 0; i < 2; i++) {
		metrics_selection_fini(&work->of[i].wanted);
		reader_close(work->of[i].reader);
	}
}

int report_run(const struct options *options)
{
	struct report_work work = { .options = options };
	struct err err = { "" };

	if (!options->n_words) {
		fprintf(stderr, "m1top: report: give the name of a session file\n");
		return EXIT_USAGE;
	}

	int rc = cmd_report_run(&work, &err);

	if (rc == -EPIPE)
		rc = 0; /* the reader has closed the pipe: m1top report | head */

	int status = rc ? options_end(rc, &err) : tell_last_error(&work);

	report_take_apart(&work);
	return status;
}
