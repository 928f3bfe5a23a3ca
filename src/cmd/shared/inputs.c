#include "cmd/shared/inputs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/reader.h"
#include "tui/tui.h"

static int inputs_check(const struct stat *output, const char *input, struct err *err)
{
	bool is_stdin = strcmp(input, "-") == 0;
	struct stat st;

	if ((is_stdin ? fstat(STDIN_FILENO, &st) : stat(input, &st)) ||
	    st.st_dev != output->st_dev || st.st_ino != output->st_ino)
		return 0;
	return err_set(err, EINVAL,
		       "%s is being read and cannot be written to: choose another file",
		       is_stdin ? "standard input" : input);
}

/* Check the rotated files of an input. A path that cannot be read is reported by its reader. */
static int check_older(const struct stat *output, const char *input, struct err *err)
{
	char **path;
	size_t n;
	int rc = 0;

	if (rotated_files_find(input, &path, &n, NULL, NULL))
		return 0;
	for (size_t i = 0; i < n && !rc; i++)
		rc = inputs_check(output, path[i], err);
	rotated_files_free(path, n);
	return rc;
}

static int check_all(const struct options *options, const struct stat *output, struct err *err)
{
	int rc = 0;

	if (!S_ISREG(output->st_mode))
		return 0;
	for (int i = 0; i < options->n_words && !rc; i++) {
		rc = inputs_check(output, options->word[i], err);
		if (!rc && options->part == READER_WITH_OLDER)
			rc = check_older(output, options->word[i], err);
	}
	return rc;
}

int inputs_spare_fd(const struct options *options, int fd, struct err *err)
{
	struct stat output;

	return fstat(fd, &output) ? 0 : check_all(options, &output, err);
}

int inputs_check_output(const struct options *options, const char *output, struct err *err)
{
	struct stat st;

	if (strcmp(output, "-") == 0)
		return inputs_spare_fd(options, STDOUT_FILENO, err);
	return stat(output, &st) ? 0 : check_all(options, &st, err);
}

/* ---- baseline ---- */

/* Add up the file. An error ends it; the frames before it are kept. */
static int add_all(struct reader *reader, struct messages *messages, struct baseline *baseline,
		   struct err *err)
{
	struct session_item item = { .what = SESSION_FRAME };
	struct err mistake = { "" };
	int rc = 0;

	while (!rc && item.what != SESSION_END) {
		if (reader_next(reader, &item, &mistake)) {
			messages_add(messages, MESSAGE_WARNING, "baseline: %s", mistake.text);
			break;
		}
		if (item.frame)
			for (unsigned core = 0; core < item.frame->n_cores && !rc; core++)
				rc = baseline_add(baseline, item.frame->set, core,
						  frame_counts(item.frame, core));
		frame_unref(item.frame);
	}
	return rc ? err_set(err, ENOMEM, "out of memory") : 0;
}

/* Check how much of this machine and set the baseline covers: all, some, or nothing. */
static int baseline_file_check(const struct baseline *baseline, const struct machine *from,
			       const struct metrics *metrics, const struct set *set,
			       struct messages *messages, struct err *err)
{
	const struct machine *machine = metrics->machine;
	const char *name = baseline_name(baseline);
	unsigned n_cores = baseline_n_cores(baseline);
	unsigned n_events = baseline_n_events(baseline, set), n_counted = 0;
	char cores[48];

	for (unsigned i = 0; i < set->n_slots; i++)
		n_counted += set_event(set, i) != NULL;
	if (!n_cores)
		return err_set(err, EINVAL,
			       "%s cannot be the baseline: it has none of these cores; it "
			       "was recorded on %s, %s",
			       name, from->model, machine_cores_text(from, cores, sizeof(cores)));
	if (!n_events)
		return err_set(err, EINVAL,
			       "%s cannot be the baseline: it has none of the counted events, "
			       "which -e and -P select",
			       name);
	if (n_cores < machine->n_cores || n_events < n_counted)
		messages_add(messages, MESSAGE_WARNING,
			     "baseline %s: it has %u of %u cores and %u of %u events; the others "
			     "show -",
			     name, n_cores, machine->n_cores, n_events, n_counted);
	return 0;
}

static int baseline_file_read_all(struct reader *reader, const char *name,
				  const struct metrics *metrics, const struct set *set,
				  struct messages *messages, struct baseline **ret, struct err *err)
{
	struct baseline *baseline;

	if (baseline_new(metrics->machine, metrics, reader_machine(reader), &baseline))
		return err_set(err, ENOMEM, "out of memory");
	baseline_call(baseline, name);

	int rc = add_all(reader, messages, baseline, err);

	if (!rc)
		rc = baseline_file_check(baseline, reader_machine(reader), metrics, set, messages,
					 err);
	if (rc)
		baseline_free(baseline);
	else
		*ret = baseline;
	return rc;
}

int baseline_file_read(const struct options *options, const struct metrics *metrics,
		       const struct set *set, struct messages *messages, struct baseline **ret,
		       struct err *err)
{
	const char *path = options->baseline;
	struct reader *reader;

	if (!path)
		return 0;

	int rc = reader_open(path, 0, options->events_dir, &reader, err);

	if (rc)
		return rc;
	rc = baseline_file_read_all(reader, basename(path), metrics, set, messages, ret, err);
	reader_close(reader);
	return rc;
}
