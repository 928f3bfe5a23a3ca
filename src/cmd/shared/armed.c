#include "cmd/shared/armed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/invoker.h"
#include "cmd/shared/setup.h"
#include "sampler/history.h"

#define WRITTEN_NS (60 * NS_PER_S) /* history that is written */
#define PRESET_NS  (10 * NS_PER_S) /* time of a preset */

enum { HISTORY_BYTES = 8 * 1024 * 1024, FILES_MAX = 100 };

/* Run an action. @excursion  NULL: only check the value */
typedef int action_run(struct armed *armed, const char *value, const struct excursion *excursion,
		       struct err *err);

static int run_mark(struct armed *armed, const char *value UNUSED,
		    const struct excursion *excursion, struct err *err)
{
	char note[192];

	if (!excursion)
		return 0;
	excursion_text(&armed->excursions, excursion, note, sizeof(note));
	if (armed->writer)
		return frame_writer_mark(armed->writer, armed->excursions.t_ns, note, err);
	if (!armed->log || !*armed->log)
		return err_set(err, ENOENT, "no session file: add -o FILE");
	log_mark(*armed->log, note);
	return 0;
}

/* Write the last minute to the first of FILE-1 … FILE-100 that is free: run.csv.zst becomes run-1.csv.zst. */
static int run_write(struct armed *armed, const char *path, const struct excursion *excursion,
		     struct err *err)
{
	const struct setup *setup = armed->setup;
	const char *slash = strrchr(path, '/'), *dot = strchrnul(slash ? slash : path, '.');
	uint64_t now_ns = armed->excursions.t_ns;
	struct format_context context;
	struct history_file *file = NULL;
	struct err message = { "" };
	int rc = -EEXIST;

	if (!excursion && !armed->history &&
	    history_new(&setup->backend->machine, &setup->metrics, HISTORY_BYTES, &armed->history))
		return err_set(err, ENOMEM, "out of memory");
	if (!excursion)
		return 0;
	format_context_init(&context, setup->sampler, &setup->metrics);
	for (unsigned i = 1; i <= FILES_MAX && rc == -EEXIST; i++) {
		char name[512];

		snprintf(name, sizeof(name), "%.*s-%u%s", (int)(dot - path), path, i, dot);
		rc = history_file_open(armed->history, &context,
				       now_ns > WRITTEN_NS ? now_ns - WRITTEN_NS : 0, name, &file,
				       err);
	}
	while (file && (rc = history_file_write(file, NS_PER_S, err)) > 0)
		;
	if (history_file_close(file, &message, rc ? NULL : err) || rc)
		return -EIO;
	messages_add(&armed->setup->messages, MESSAGE_RESULT, "%s", message.text);
	return 0;
}

/* Become `sh -c COMMAND` as the user who started m1top, without its files, signals and session. */
static void armed_become(const struct armed *armed, const char *command,
			 const struct excursion *excursion)
{
	const struct excursions *list = &armed->excursions;
	uint64_t wall_ns = sampler_started_wall_ns(armed->setup->sampler) + excursion->t_ns;
	int null = open("/dev/null", O_RDWR);
	char value[32], time[32];
	sigset_t none;

	snprintf(value, sizeof(value), "%.6g", excursion->worst.value);
	snprintf(time, sizeof(time), "%.3f", (double)wall_ns / 1e9);
	setenv("M1TOP_METRIC",
	       list->metrics->metric[list->condition[excursion->condition].metric].name, 1);
	setenv("M1TOP_ROW", excursion->row, 1);
	setenv("M1TOP_VALUE", value, 1);
	setenv("M1TOP_TIME", time, 1);
	setenv("M1TOP_TASK", excursion->task, 1);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	sampler_restore_limit();
	setsid();
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (!invoker_become_for_good())
		execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

static int run_command(struct armed *armed, const char *command, const struct excursion *excursion,
		       struct err *err)
{
	if (!excursion)
		return 0;
	if (armed->pid > 0 && waitpid(armed->pid, NULL, WNOHANG) == 0)
		return err_set(err, EBUSY, "the command of an earlier one still runs");
	armed->pid = fork();
	if (armed->pid == 0)
		armed_become(armed, command, excursion);
	return armed->pid < 0 ? err_set(err, errno, "fork: %s", strerror(errno)) : 0;
}

/* Count armed->next for a time. */
static int count_next(struct armed *armed, uint64_t for_ns, struct err *err)
{
	struct sampler *sampler = armed->setup->sampler;
	uint64_t until_ns = armed->excursions.t_ns + for_ns;
	int rc;

	if (!armed->until_ns || sampler_set(sampler)->number != armed->loaded)
		armed->before = *sampler_set(sampler);
	set_add_activity(armed->setup->events, &armed->next);
	rc = sampler_load(sampler, &armed->next, err);
	armed->loaded = sampler_set(sampler)->number;
	if (!rc && until_ns > armed->until_ns)
		armed->until_ns = until_ns;
	return rc;
}

static int run_preset(struct armed *armed, const char *name, const struct excursion *excursion,
		      struct err *err)
{
	int rc = set_preset(armed->setup->events, name, armed->setup->plain.privilege, &armed->next,
			    err);

	if (rc || !excursion)
		return rc;
	armed->next.by_task = sampler_set(armed->setup->sampler)->by_task;
	return count_next(armed, PRESET_NS, err);
}

static int run_tasks(struct armed *armed, const char *time, const struct excursion *excursion,
		     struct err *err)
{
	uint64_t for_ns;

	if (interval_parse(time, &for_ns))
		return err_set(err, EINVAL, "not a time: 500ms, 5s, 1min");
	if (!excursion)
		return 0;
	armed->next = *sampler_set(armed->setup->sampler);
	armed->next.by_task = true;
	return count_next(armed, for_ns, err);
}

static const struct action {
	const char *name; /* ends with ':' if a value follows */
	action_run *run;
} action_table[] = {
	{ "mark", run_mark },    { "write:", run_write },   { "run:", run_command },
	{ "tasks:", run_tasks }, { "preset:", run_preset },
};

/* Check an action of a condition, or run it. */
static int run_action(struct armed *armed, const char *text, const struct excursion *excursion,
		      struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(action_table); i++) {
		size_t n = strlen(action_table[i].name);

		if (strncmp(text, action_table[i].name, n) == 0 &&
		    (text[n] != '\0') == (text[n - 1] == ':'))
			return action_table[i].run(armed, text + n, excursion, err);
	}
	return err_set(err, EINVAL, "not mark, write:FILE, preset:NAME, tasks:TIME or run:COMMAND");
}

/* Check all actions of a condition up to the first error, or run them and report errors. A command has the rest of
 * the text, with its commas. */
static int run_actions(struct armed *armed, const char *text, const struct excursion *excursion,
		       struct err *err)
{
	for (size_t n; *text; text += n + (text[n] == ',')) {
		text += strspn(text, " ");
		n = strncmp(text, "run:", 4) == 0 ? strlen(text) : strcspn(text, ",");

		AUTO_FREE char *one = strndup(text, n);

		if (!one || !run_action(armed, one, excursion, err))
			continue;
		err_prefix(err, EINVAL, "\"%s\": ", one);
		if (!excursion)
			return -EINVAL;
		messages_add(&armed->setup->messages, MESSAGE_WARNING, "--on: %s", err->text);
	}
	return 0;
}

/* Parse "CONDITION do ACTION,ACTION". @counted  set that has its metric @text  changed */
static int take_rule(struct armed *armed, const struct set *counted, char *text, struct err *err)
{
	struct excursions *list = &armed->excursions;
	struct metrics_selection metric = { .number = &(uint16_t){ 0 }, .n = 1 };
	const char *at = strstr(text, " do ");
	int rc;

	if (!at || !at[strlen(" do ")])
		return err_set(err, EINVAL, "needs an action: METRIC>NUMBER for TIME do mark");
	text[at - text] = '\0';
	at += strlen(" do ");
	rc = excursions_add(list, text, err);
	if (rc)
		return rc;
	metric.number[0] = (uint16_t)list->condition[armed->n].metric;
	rc = run_actions(armed, at, NULL, err);
	if (!rc)
		rc = metrics_check_set(list->metrics, &metric, counted, err);
	if (!rc && ARRAY_APPEND(armed->actions, armed->cap, armed->n, at))
		rc = err_set(err, ENOMEM, "out of memory");
	list->n = armed->n;
	return rc;
}

int armed_open(const struct options *options, struct setup *setup, struct armed *ret,
	       struct err *err)
{
	struct set counted = setup->first;
	char *rest, *text;

	if (options->has_activity)
		set_add_activity(setup->events, &counted);
	ret->excursions.machine = &setup->backend->machine;
	ret->excursions.metrics = &setup->metrics;
	ret->setup = setup;
	ret->texts = rest = options->on ? strdup(options->on) : NULL;
	while ((text = strsep(&rest, "\n"))) {
		int rc = take_rule(ret, &counted, text, err);

		if (rc && options_given(options, "on"))
			return err_prefix(err, -rc, "--on %s: ", text);
		if (rc)
			messages_add(&setup->messages, MESSAGE_WARNING, "$.on: %s: %s", text,
				     err->text);
	}
	return 0;
}

void armed_close(struct armed *armed)
{
	excursions_fini(&armed->excursions);
	history_free(armed->history);
	free(armed->actions);
	free(armed->texts);
}

static void armed_begun(void *data, const struct excursion *excursion)
{
	struct armed *armed = data;
	struct err err = { "" };
	char what[192];

	if (excursion->condition >= armed->n)
		return;
	excursion_text(&armed->excursions, excursion, what, sizeof(what));
	messages_add(&armed->setup->messages, MESSAGE_INFO, "%s", what);
	run_actions(armed, armed->actions[excursion->condition], excursion, &err);
}

void armed_frame(void *data, const struct frame *frame)
{
	struct armed *armed = data;

	if (armed->history)
		history_add(armed->history, frame);
	excursions_frame(&armed->excursions, frame, armed_begun, armed);
	if (!armed->until_ns || frame->t_ns < armed->until_ns)
		return;
	armed->until_ns = 0;
	if (sampler_set(armed->setup->sampler)->number == armed->loaded) /* else the user chose */
		sampler_load(armed->setup->sampler, &armed->before, NULL);
}
