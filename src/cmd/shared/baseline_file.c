#include "cmd/shared/baseline_file.h"

#include <errno.h>
#include <string.h>

#include "session/read/reader.h"
#include "tui/model/baseline.h"

static int add_frame(const struct frame *frame, struct baseline *baseline)
{
	int rc = 0;

	for (unsigned core = 0; core < frame->n_cores && !rc; core++)
		rc = baseline_add(baseline, frame->set, core, frame_counts(frame, core));
	return rc;
}

/* A mistake in the file ends it; what came before is good. */
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
			rc = add_frame(item.frame, baseline);
		frame_unref(item.frame);
	}
	return rc ? err_set(err, ENOMEM, "out of memory") : 0;
}

static unsigned count_events(const struct set *set)
{
	unsigned n = 0;

	for (unsigned i = 0; i < set->n_slots; i++)
		n += set_event(set, i) != NULL;
	return n;
}

/* Is it of this machine, all of it, some of it, or nothing? */
static int check(const struct baseline *baseline, const struct machine *from,
		 const struct metrics *metrics, const struct set *set, struct messages *messages,
		 struct err *err)
{
	const struct machine *machine = metrics->machine;
	const char *name = baseline_name(baseline);
	unsigned n_cores = baseline_n_cores(baseline);
	unsigned n_events = baseline_n_events(baseline, set), n_counted = count_events(set);
	char cores[48];

	if (!n_cores)
		return err_set(err, EINVAL,
			       "%s cannot be the baseline: none of its cores is one of these: "
			       "it is of %s, %s",
			       name, from->model, machine_cores_text(from, cores, sizeof(cores)));
	if (!n_events)
		return err_set(err, EINVAL,
			       "%s cannot be the baseline: it has none of the events that are "
			       "counted: -e and -P choose them",
			       name);
	if (n_cores < machine->n_cores || n_events < n_counted)
		messages_add(messages, MESSAGE_WARNING,
			     "baseline %s: it has %u of %u cores and %u of %u events; the others "
			     "show -",
			     name, n_cores, machine->n_cores, n_events, n_counted);
	return 0;
}

static int read_all(struct reader *reader, const char *name, const struct metrics *metrics,
		    const struct set *set, struct messages *messages, struct baseline **ret,
		    struct err *err)
{
	struct baseline *baseline;

	if (baseline_new(metrics->machine, metrics, reader_machine(reader), &baseline))
		return err_set(err, ENOMEM, "out of memory");
	baseline_call(baseline, name);

	int rc = add_all(reader, messages, baseline, err);

	if (!rc)
		rc = check(baseline, reader_machine(reader), metrics, set, messages, err);
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
	const char *path = options->baseline, *slash = path ? strrchr(path, '/') : NULL;
	struct reader *reader;
	int rc;

	if (!path)
		return 0;
	rc = reader_open(path, 0, options->events_dir, &reader, err);
	if (rc)
		return rc;
	rc = read_all(reader, slash ? slash + 1 : path, metrics, set, messages, ret, err);
	reader_close(reader);
	return rc;
}
