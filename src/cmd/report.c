/* m1top report: prints figures of a session file, or of two side by side, or a page with plots. */
#include <errno.h>
#include <stdio.h>

#include "base/rights.h"
#include "cmd/shared/devices.h"
#include "cmd/shared/inputs.h"
#include "cmd/shared/setup.h"
#include "cmd/shared/standard_output.h"
#include "cmd/verbs.h"
#include "session/report.h"

/* Maximum of time cells in a page's plots, and of the memory for their data. */
enum { PLOT_CELLS = 1200, PLOT_BYTES = 96 * 1024 * 1024 };

/* One file. */
struct recorded_session {
	struct reader *reader;
	struct metrics_selection wanted;
	struct history *history; /* NULL: no page requested */
	struct explain explain;  /* with --survey */
	bool is_survey;
	struct summary summary;
};

struct report_work {
	const struct options *options;
	struct recorded_session of[2];
	struct comparison comparison;
	struct report report;
	struct text text;
};

static void keep_frame(void *data, const struct frame *frame)
{
	struct recorded_session *recorded = data;

	if (recorded->history)
		history_add(recorded->history, frame);
	if (recorded->is_survey)
		explain_add(&recorded->explain, frame);
}

static int read_file(const struct options *options, const char *path,
		     struct recorded_session *recorded, struct err *err)
{
	unsigned part = options->part;
	int rc = reader_open(path, part, options->events_dir, &recorded->reader, err);

	if (!rc && *reader_said(recorded->reader))
		fprintf(stderr, "m1top: %s\n", reader_said(recorded->reader));
	if (!rc && options->metrics)
		rc = metrics_select(reader_metrics(recorded->reader), options->metrics,
				    &recorded->wanted, err);
	if (!rc && options->html &&
	    history_new_even(reader_machine(recorded->reader), reader_metrics(recorded->reader),
			     PLOT_CELLS, PLOT_BYTES, &recorded->history))
		rc = err_set(err, ENOMEM, "out of memory");
	if (rc)
		return rc;
	recorded->is_survey = options->survey;
	recorded->explain = (struct explain){ .machine = reader_machine(recorded->reader),
					      .metrics = reader_metrics(recorded->reader) };
	rc = summary_make(recorded->reader, options->title ? options->title : path, part,
			  options->metrics ? &recorded->wanted : NULL, keep_frame, recorded,
			  &recorded->summary, err);
	explain_end(&recorded->explain);
	return !rc && recorded->explain.failed ? err_set(err, ENOMEM, "out of memory") : rc;
}

/* Check that there are the rows that --by requests. */
static int check_rows(const struct report *report, const struct machine *machine, struct err *err)
{
	if (!report->has_by || report->by != BY_DEVICE)
		return report->has_by ? frame_by_check(machine, report->by, err) : 0;
	for (unsigned i = 0; i < report->n; i++)
		for (size_t k = 0; k < report->summary[i]->n_rows; k++)
			if (report->summary[i]->row[k].by == BY_DEVICE)
				return 0;
	return devices_none(machine, err);
}

static int read_files(struct report_work *work, struct err *err)
{
	const struct options *options = work->options;
	struct report *report = &work->report;
	int rc = 0;

	*report = (struct report){ .has_by = options->has_by || options->survey,
				   .by = options->survey ? BY_TYPE : options->by,
				   .ascii = options->ascii };
	for (int i = 0; !rc && i < options->n_words; i++) {
		rc = read_file(options, options->word[i], &work->of[i], err);
		report->summary[i] = &work->of[i].summary;
		report->history[i] = work->of[i].history;
		report->explain[i] = options->survey ? &work->of[i].explain : NULL;
		report->n++;
	}
	if (!rc)
		rc = check_rows(report, reader_machine(work->of[0].reader), err);
	if (!rc && report->n == 2) {
		rc = compare(report->summary[0], report->summary[1], &work->comparison, err);
		report->comparison = &work->comparison;
		if (options->survey)
			comparison_keep_changes(&work->comparison);
	}
	return rc;
}

static int make_text(struct report_work *work, struct err *err)
{
	int rc = 0;

	if (work->options->html)
		rc = report_html(&work->report, &work->text, err);
	else if (work->options->json)
		report_json(&work->report, &work->text);
	else
		report_text(&work->report, &work->text);
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

	for (unsigned i = 0; i < work->report.n; i++) {
		const char *last_error = work->of[i].summary.last_error.text;

		if (!*last_error)
			continue;
		fprintf(stderr, "m1top: %s\n", last_error);
		status = EXIT_FAILED;
	}
	return status;
}

static void report_take_apart(struct report_work *work)
{
	comparison_fini(&work->comparison);
	text_fini(&work->text);
	for (unsigned i = 0; i < 2; i++) {
		explain_fini(&work->of[i].explain);
		summary_fini(&work->of[i].summary);
		history_free(work->of[i].history);
		metrics_selection_fini(&work->of[i].wanted);
		reader_close(work->of[i].reader);
	}
}

int report_run(const struct options *options)
{
	static struct report_work work; /* large */
	struct err err = { "" };

	if (!options->n_words) {
		fprintf(stderr, "m1top: report: give the name of a session file\n");
		return EXIT_USAGE;
	}
	work.options = options;

	int rc = cmd_report_run(&work, &err);

	if (rc == -EPIPE)
		rc = 0; /* the reader has closed the pipe: m1top report | head */

	int status = rc ? options_end(rc, &err) : tell_last_error(&work);

	report_take_apart(&work);
	return status;
}
