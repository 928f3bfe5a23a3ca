#include "tui/screen/log_control.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/num.h"

enum { PATH_SHOWN = 512, CLOSING_MS = 20 /* what a key may wait for a log to be closed */ };

int log_control_start(struct log_control *control, struct err *err)
{
	int rc = log_start(control->sampler, control->metrics, control->path, control->mode,
			   control->limits, &control->log, err);

	if (!rc)
		control->path = NULL;
	return rc;
}

int log_control_end(struct log_control *control, struct err *err)
{
	char path[PATH_SHOWN];

	if (control->is_ending)
		return err_set(err, EBUSY, "%s is still being closed",
			       log_path(control->log, path, sizeof(path)));
	control->is_ending = true;
	log_end(control->log, CLOSING_MS * NS_PER_MS);
	return 0;
}

int log_control_mark(struct log_control *control, const char *note, struct err *err)
{
	if (!control->log || control->is_ending)
		return err_set(err, ENOENT, "no log is running: l starts one");
	log_mark(control->log, note);
	return 0;
}

int log_control_finish(struct log_control *control, struct err *err)
{
	int rc = log_stop(control->log, &control->said, err);

	if (rc && !*control->failure.text)
		control->failure = *err;
	control->log = NULL;
	control->is_ending = false;
	return rc;
}

int log_control_text(struct log_control *control, char *buf, size_t size, struct err *err)
{
	struct log_status status;
	char bytes[16], path[PATH_SHOWN];

	buf[0] = '\0';
	if (!control->log)
		return 0;
	log_status(control->log, &status);
	num_si((double)status.bytes, 2, 6, bytes, sizeof(bytes));
	snprintf(buf, size, "%s%s %sB", status.running && control->is_ending ? "closing " : "",
		 log_path(control->log, path, sizeof(path)), bytes);
	log_take_said(control->log, &control->said);
	if (status.running)
		return 0;
	return log_control_finish(control, err)
		       ? err_set(err, EIO, "the log has stopped: %s", status.error.text)
		       : 1;
}
