/* log_rig.h: the simulated machine logged to a file, and what a reader finds there */
#ifndef RIG_LOG_RIG_H
#define RIG_LOG_RIG_H

#include "rig/harness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/shared/setup.h"
#include "session/write/log.h"

static const struct sink_limits no_limits;

static char folder[64];
static struct setup setup;
static char path[128];

static inline int make_folder(void **state)
{
	(void)state;
	unsetenv("SUDO_UID");
	snprintf(folder, sizeof(folder), "/tmp/m1top-log-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/log.csv", folder);
	return 0;
}

static inline int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static inline void open_sim(const char *sim_options, uint64_t interval_ms)
{
	struct options options = { .backend = "sim",
				   .backend_options = sim_options,
				   .interval_ns = interval_ms * NS_PER_MS,
				   .budget_pct = 100 };
	struct err err = { "" };

	if (setup_open(&options, 0, &setup, &err))
		fail_msg("%s", err.text);
}

static inline struct log *start_asked(const struct session_asked *asked)
{
	struct log *log = NULL;
	struct err err = { "" };

	if (sampler_start(setup.sampler, &setup.first, &err) ||
	    log_start(setup.sampler, &setup.metrics, asked, path, SINK_NEW, &no_limits, &log, &err))
		fail_msg("%s", err.text);
	return log;
}

static inline struct log *start(void)
{
	return start_asked(NULL);
}

static inline void step(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(sampler_step(setup.sampler), 0);
}

/* Until all that is queued is in the file. */
static inline void end(struct log *log, struct log_status *ret)
{
	do {
		log_end(log, NS_PER_S);
		log_status(log, ret);
	} while (ret->running);
}

static inline void change(unsigned slot, const char *event)
{
	struct set next;
	struct err err = { "" };

	if (set_change(setup.events, sampler_set(setup.sampler), slot, event, PRIVILEGE_BOTH, &next,
		       &err) ||
	    sampler_load(setup.sampler, &next, &err))
		fail_msg("%s", err.text);
}

/* What a reader finds in the file. */
struct found {
	unsigned metric_rows, metrics; /* apart from what follows */
	unsigned rows, headers, sets, marks, gaps, off, on, own, others;
	unsigned bad; /* rows that have not thirteen columns */
	unsigned long last_set;
	uint64_t gap_frames, first_tick, last_tick, ticks;
	double last_s;
	bool ends_whole;
};

static inline unsigned commas(const char *line)
{
	unsigned n = 0;

	for (; *line; line++)
		n += *line == ',';
	return n;
}

static inline void read_row(const char *line, struct found *found)
{
	char *end;
	uint64_t tick = strtoull(line, &end, 10);
	double t_s = *end == ',' ? strtod(end + 1, &end) : -1;

	if (strstr(line, ",metric,,,"))
		found->metric_rows++;
	else
		found->rows++;
	found->bad += commas(line) != 12 || t_s < 0 || *end != ',';
	if (!found->first_tick)
		found->first_tick = tick;
	found->ticks += tick != found->last_tick;
	found->last_tick = tick;
	found->last_s = t_s;
}

/* What follows the word of a note. @return NULL when it is another note */
static inline char *behind(char *line, const char *word)
{
	size_t n = strlen(word);

	return strncmp(line, word, n) == 0 ? line + n : NULL;
}

static inline void read_note(char *line, struct found *found)
{
	char *rest;

	if ((rest = behind(line, "# gap "))) {
		strtod(rest, &rest);
		found->gaps++;
		found->gap_frames += strtoull(rest, NULL, 10);
	} else if ((rest = behind(line, "# set "))) {
		unsigned long set = strtoul(rest, NULL, 10);

		found->sets += set != found->last_set;
		found->last_set = set;
	} else {
		found->metrics += behind(line, "# metric ") != NULL;
		found->marks += behind(line, "# mark ") != NULL;
		found->off += behind(line, "# off ") != NULL;
		found->on += behind(line, "# on ") != NULL;
		found->own += behind(line, "# own ") != NULL;
	}
}

static inline struct found read_log(void)
{
	FILE *file = fopen(path, "r");
	struct found found = { .ends_whole = true };
	char line[512];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		found.ends_whole = strchr(line, '\n') != NULL;
		if (*line == '#')
			read_note(line, &found);
		else if (strncmp(line, "tick,", 5) == 0)
			found.headers++;
		else
			read_row(line, &found);
	}
	fclose(file);
	return found;
}

#endif
