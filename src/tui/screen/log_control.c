#include "tui/tui.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/num.h"

enum { PATH_SHOWN = 512, CLOSING_MS = 20 /* longest time a key waits for a log to close */ };

int log_control_start(struct log_control *control, struct err *err)
{
	int rc = log_start(control->sampler, control->metrics, &control->request, control->path,
			   control->mode, &control->limits, &control->log, err);

	if (rc)
		return rc;
	control->path = NULL;

	struct log_status status;

	log_status(control->log, &status);
	control->began_ns = clock_now_ns();
	control->bytes_before = status.bytes;
	return 0;
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
	char path[PATH_SHOWN];

	if (!control->log)
		return err_set(err, ENOENT, "no log is running: l starts one");
	if (control->is_ending)
		return err_set(err, EBUSY, "%s is being closed: a marker would come too late",
			       log_path(control->log, path, sizeof(path)));
	log_mark(control->log, note);
	return 0;
}

void log_control_tell(struct log_control *control, struct messages *messages)
{
	if (*control->warning.text)
		messages_add(messages, MESSAGE_WARNING, "%s", control->warning.text);
	if (*control->wrote.text)
		messages_add(messages, MESSAGE_RESULT, "%s", control->wrote.text);
	control->warning.text[0] = control->wrote.text[0] = '\0';
}

int log_control_finish(struct log_control *control, struct err *err)
{
	struct log_status status;
	char path[PATH_SHOWN], bytes[16], per_min[16];

	if (!control->log)
		return 0;
	do {
		log_end(control->log, NS_PER_S);
		log_status(control->log, &status);
	} while (status.running);
	num_bytes(status.bytes, bytes, sizeof(bytes));
	num_bytes((uint64_t)((double)(status.bytes - control->bytes_before) * 60 * NS_PER_S /
			     (double)(clock_now_ns() - control->began_ns)),
		  per_min, sizeof(per_min));
	log_path(control->log, path, sizeof(path));

	int rc = log_stop(control->log, &control->warning, err);

	if (rc && !*control->failure.text)
		control->failure = *err;
	if (!rc)
		err_set(&control->wrote, 0, "wrote %s, %s, %s/min; m1top replay %s", path, bytes,
			per_min, path);
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
	log_take_warning(control->log, &control->warning);
	if (status.running)
		return 0;
	buf[0] = '\0';
	return log_control_finish(control, err)
		       ? err_set(err, EIO, "the log has stopped: %s", status.error.text)
		       : 0;
}
