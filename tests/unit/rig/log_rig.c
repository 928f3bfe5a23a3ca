/* log_rig.c: the simulated machine logged to a file, and what a reader finds there */
#include "rig/log_rig.h"

const struct sink_limits log_rig_no_limits;

char log_rig_folder[64];

struct setup log_rig_setup;

char log_rig_path[128];

int log_rig_make_folder(void **state)
{
	(void)state;
	unsetenv("SUDO_UID");
	snprintf(log_rig_folder, sizeof(log_rig_folder), "/tmp/m1top-log-XXXXXX");
	if (!mkdtemp(log_rig_folder))
		return -1;
	snprintf(log_rig_path, sizeof(log_rig_path), "%s/log.csv", log_rig_folder);
	return 0;
}

int log_rig_remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", log_rig_folder);
	return system(command);
}

void log_rig_open(const char *sim_options, uint64_t interval_ms)
{
	struct options options = { .backend = "sim",
				   .backend_options = sim_options,
				   .interval_ns = interval_ms * NS_PER_MS,
				   .budget_pct = 100 };
	struct err err = { "" };

	if (setup_open(&options, 0, &log_rig_setup, &err))
		fail_msg("%s", err.text);
}

struct log *log_rig_start_asked(const struct session_request *asked)
{
	struct log *log = NULL;
	struct err err = { "" };

	if (sampler_start(log_rig_setup.sampler, &log_rig_setup.first, &err) ||
	    log_start(log_rig_setup.sampler, &log_rig_setup.metrics, asked, log_rig_path, SINK_NEW,
		      &log_rig_no_limits, &log, &err))
		fail_msg("%s", err.text);
	return log;
}

struct log *log_rig_start(void)
{
	return log_rig_start_asked(NULL);
}

void log_rig_step(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(sampler_step(log_rig_setup.sampler), 0);
}

void log_rig_change(unsigned slot, const char *event)
{
	struct set next;
	struct err err = { "" };

	if (set_change(log_rig_setup.events, sampler_set(log_rig_setup.sampler), slot, event,
		       PRIVILEGE_BOTH, &next, &err) ||
	    sampler_load(log_rig_setup.sampler, &next, &err))
		fail_msg("%s", err.text);
}

static unsigned commas(const char *line)
{
	unsigned n = 0;

	for (; *line; line++)
		n += *line == ',';
	return n;
}

static void read_row(const char *line, struct found *found)
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

/* Find the text behind the word of a note. @return NULL if it is another note */
static char *behind(char *line, const char *word)
{
	size_t n = strlen(word);

	return strncmp(line, word, n) == 0 ? line + n : NULL;
}

static void read_note(char *line, struct found *found)
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

struct found log_rig_read(void)
{
	FILE *file = fopen(log_rig_path, "r");
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
