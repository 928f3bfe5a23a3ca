#include "cmd/shared/armed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/invoker.h"
#include "sampler/excursions.h"
#include "sampler/history.h"
#include "session/writer.h"

#define WRITTEN_NS (60 * NS_PER_S) /* history that is written */
#define PRESET_NS  (10 * NS_PER_S) /* a preset is counted for this long unless its action says */
#define TURN_NS    (10 * NS_PER_MS)

enum { HISTORY_BYTES = 16 * 1024 * 1024, FILES_MAX = 100 };

/* One --on. */
struct rule {
	const char *condition; /* as given, for messages */
	bool marks;
	char *path, *command; /* NULL: none */
	struct set *preset;   /* NULL: none */
	uint64_t preset_ns, tasks_ns;
};

struct armed {
	struct setup *setup;
	char *texts;       /* of all --on */
	struct rule *rule; /* of condition i */
	size_t n, cap;
	struct excursions *excursions;
	struct metrics_selection metrics;
	uint64_t n_seen;           /* excursions */
	struct history *history;   /* NULL: nothing is to be written */
	struct history_file *file; /* NULL: none is being written */
	armed_mark *mark;          /* NULL: there is no log */
	void *log;                 /* argument of `mark` */
	pid_t pid;                 /* of the command; 0: none runs */
	bool adds_activity;
	struct set before;                        /* counted before the actions changed it */
	const struct set *preset;                 /* counted until preset_until_ns */
	uint64_t preset_until_ns, tasks_until_ns; /* 0: not changed */
	uint32_t loaded;                          /* number of the set that an action loaded */
};

/* ---- parsing ---- */

static int copy_text(const char *value, char **ret, struct err *err)
{
	if (!*value)
		return err_set(err, EINVAL, "needs a value");
	free(*ret);
	*ret = strdup(value);
	return *ret ? 0 : err_set(err, ENOMEM, "out of memory");
}

static int take_mark(struct armed *armed UNUSED, struct rule *rule, char *value UNUSED,
		     struct err *err UNUSED)
{
	rule->marks = true;
	return 0;
}

static int take_write(struct armed *armed, struct rule *rule, char *value, struct err *err)
{
	const struct setup *setup = armed->setup;

	if (!armed->history &&
	    history_new(&setup->backend->machine, &setup->metrics, HISTORY_BYTES, &armed->history))
		return err_set(err, ENOMEM, "out of memory");
	return copy_text(value, &rule->path, err);
}

static int take_run(struct armed *armed UNUSED, struct rule *rule, char *value, struct err *err)
{
	return copy_text(value, &rule->command, err);
}

static int take_time(const char *value, uint64_t *ret, struct err *err)
{
	if (interval_parse(value, ret) || !*ret)
		return err_set(err, EINVAL, "\"%s\" is not a time: 5s, 500ms, 1min", value);
	return 0;
}

/* Check that other sets can be counted: not with -p, -t or a command. */
static int check_machine(const struct armed *armed, struct err *err)
{
	return armed->setup->target ? err_set(err, EINVAL, "needs counts of the machine: use -a")
				    : 0;
}

static int take_tasks(struct armed *armed, struct rule *rule, char *value, struct err *err)
{
	const struct backend_ops *ops = armed->setup->backend->ops;
	int rc = check_machine(armed, err);

	if (!rc && !ops->task_comm)
		rc = backend_has_no_tasks(ops, err);
	return rc ? rc : take_time(value, &rule->tasks_ns, err);
}

static int take_preset(struct armed *armed, struct rule *rule, char *value, struct err *err)
{
	char *time = strchr(value, ':');
	int rc = check_machine(armed, err);

	rule->preset_ns = PRESET_NS;
	if (time)
		*time++ = '\0';
	if (!rc && time)
		rc = take_time(time, &rule->preset_ns, err);
	if (!rc && !rule->preset && !(rule->preset = malloc(sizeof(*rule->preset))))
		rc = err_set(err, ENOMEM, "out of memory");
	return rc ? rc
		  : set_preset(armed->setup->events, value, armed->setup->plain.privilege,
			       rule->preset, err);
}

static const struct action {
	const char *name; /* ends with ':' if a value follows */
	int (*take)(struct armed *armed, struct rule *rule, char *value, struct err *err);
} action_table[] = {
	{ "mark", take_mark },    { "write:", take_write }, { "preset:", take_preset },
	{ "tasks:", take_tasks }, { "run:", take_run },
};

static int take_action(struct armed *armed, struct rule *rule, char *text, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(action_table); i++) {
		const struct action *action = &action_table[i];
		size_t n = strlen(action->name);

		if (strncmp(text, action->name, n) == 0 && (action->name[n - 1] == ':' || !text[n]))
			return action->take(armed, rule, text + n, err);
	}
	return err_set(err, EINVAL,
		       "not an action: mark, write:FILE, preset:NAME[:TIME], tasks:TIME, "
		       "run:COMMAND");
}

/* Parse the actions; a command has the rest of the text, with its commas. @column  of the first one */
static int take_actions(struct armed *armed, struct rule *rule, char *text, size_t column,
			struct err *err)
{
	char *next;
	int rc = 0;

	for (char *at = text; at && !rc; at = next) {
		at += strspn(at, " ");
		next = strncmp(at, "run:", 4) == 0 ? NULL : strchr(at, ',');
		if (next)
			*next++ = '\0';

		struct err why;

		rc = take_action(armed, rule, at, &why);
		if (rc)
			err_set(err, -rc, "column %zu: \"%s\": %s", column + (size_t)(at - text),
				at, why.text);
	}
	return rc;
}

/* Say that the condition's time is shorter than a window. */
static void note_interval(struct armed *armed, const struct rule *rule,
			  const struct condition *condition, uint64_t interval_ns)
{
	char text[32];

	if (condition->for_ns && condition->for_ns < interval_ns)
		messages_add(&armed->setup->messages, MESSAGE_INFO,
			     "--on %s: one interval of %s is enough", rule->condition,
			     interval_text(interval_ns, text, sizeof(text)));
}

static int take_condition(struct armed *armed, const struct rule *rule, uint64_t interval_ns,
			  struct err *err)
{
	struct metrics_selection *metrics = &armed->metrics;
	struct condition condition;
	uint16_t number;
	int rc = condition_parse(rule->condition, &armed->setup->metrics, &condition, err);

	if (rc)
		return rc;
	number = (uint16_t)condition.metric;
	if (excursions_add(armed->excursions, &condition) ||
	    array_append((void **)&metrics->number, &metrics->cap, &metrics->n, &number,
			 sizeof(number)))
		return err_set(err, ENOMEM, "out of memory");
	note_interval(armed, rule, &condition, interval_ns);
	return 0;
}

/* Parse "CONDITION do ACTIONS". @text  changed */
static int take_rule(struct armed *armed, char *text, uint64_t interval_ns, struct err *err)
{
	char *actions = strstr(text, " do ");
	struct rule *rule;

	if (!actions)
		return err_set(err, EINVAL,
			       "--on %s: needs an action: METRIC>NUMBER for TIME do mark", text);
	if (array_reserve((void **)&armed->rule, &armed->cap, armed->n, sizeof(*armed->rule)))
		return err_set(err, ENOMEM, "out of memory");
	rule = &armed->rule[armed->n];
	*rule = (struct rule){ .condition = text };
	*actions = '\0';
	actions += strlen(" do ");

	int rc = take_condition(armed, rule, interval_ns, err);

	armed->n += !rc;
	if (!rc)
		rc = take_actions(armed, rule, actions, (size_t)(actions - text) + 1, err);
	return rc ? err_prefix(err, -rc, "--on %s: ", text) : 0;
}

/* Parse all options. Those of the configuration, which may be made for another machine, are left out if invalid. */
static int take_rules(struct armed *armed, const struct options *options, struct err *err)
{
	uint64_t interval_ns = options->interval_ns ? options->interval_ns : NS_PER_S;
	char *rest = armed->texts, *text;
	int rc = 0;

	while (!rc && options->on && (text = strsep(&rest, "\n"))) {
		rc = take_rule(armed, text, interval_ns, err);
		if (rc && !options_given(options, "on")) {
			messages_add(&armed->setup->messages, MESSAGE_WARNING, "%s", err->text);
			rc = 0;
		}
	}
	return rc;
}

int armed_open(const struct options *options, struct setup *setup, struct armed **ret,
	       struct err *err)
{
	struct armed *armed = calloc(1, sizeof(*armed));
	int rc;

	if (!armed)
		return err_set(err, ENOMEM, "out of memory");
	armed->setup = setup;
	armed->texts = strdup(options->on ? options->on : "");
	if (!armed->texts ||
	    excursions_new(&setup->backend->machine, &setup->metrics, &armed->excursions))
		rc = err_set(err, ENOMEM, "out of memory");
	else
		rc = take_rules(armed, options, err);
	if (rc)
		armed_close(armed);
	else
		*ret = armed;
	return rc;
}

void armed_close(struct armed *armed)
{
	if (!armed)
		return;
	for (size_t i = 0; i < armed->n; i++) {
		free(armed->rule[i].path);
		free(armed->rule[i].command);
		free(armed->rule[i].preset);
	}
	free(armed->rule);
	free(armed->texts);
	history_file_close(armed->file, NULL, NULL);
	history_free(armed->history);
	metrics_selection_fini(&armed->metrics);
	excursions_free(armed->excursions);
	free(armed);
}

const struct metrics_selection *armed_metrics(const struct armed *armed)
{
	return &armed->metrics;
}

struct excursions *armed_excursions(const struct armed *armed)
{
	return armed->excursions;
}

int armed_set_mark(struct armed *armed, armed_mark *mark, void *data, struct err *err)
{
	armed->mark = mark;
	armed->log = data;
	for (size_t i = 0; i < armed->n && !mark; i++)
		if (armed->rule[i].marks)
			return err_set(err, EINVAL,
				       "--on %s: mark needs a session file: add -o FILE",
				       armed->rule[i].condition);
	return 0;
}

void armed_add_activity(struct armed *armed)
{
	armed->adds_activity = true;
}

/* ---- the history before ---- */

/* Open FILE, or FILE-2 … FILE-100 if it exists: run.csv.zst becomes run-2.csv.zst. */
static int open_free_name(struct armed *armed, const char *path, uint64_t from_ns, struct err *err)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') : path, *dot = strchr(base, '.');
	int n = dot ? (int)(dot - path) : (int)strlen(path), rc = -EEXIST;
	struct format_context context;

	format_context_init(&context, armed->setup->sampler, &armed->setup->metrics);
	for (unsigned i = 1; i <= FILES_MAX && rc == -EEXIST; i++) {
		char name[512], number[16] = "";

		if (i > 1)
			snprintf(number, sizeof(number), "-%u", i);
		snprintf(name, sizeof(name), "%.*s%s%s", n, path, number, path + n);
		rc = history_file_open(armed->history, &context, from_ns, name, &armed->file, err);
	}
	return rc;
}

static int begin_writing(struct armed *armed, const struct rule *rule, uint64_t now_ns,
			 struct err *err)
{
	int rc;

	if (armed->file)
		return err_set(err, EBUSY, "an earlier history is still being written");
	rc = open_free_name(armed, rule->path, now_ns > WRITTEN_NS ? now_ns - WRITTEN_NS : 0, err);
	history_hold(armed->history, armed->file);
	return rc;
}

static bool write_on(struct armed *armed)
{
	struct messages *messages = &armed->setup->messages;
	struct err err = { "" }, said = { "" };
	int rc = history_file_write(armed->file, TURN_NS, &err);

	if (rc > 0)
		return true;
	if (history_file_close(armed->file, &said, rc ? NULL : &err) || rc)
		messages_add(messages, MESSAGE_ERROR, "%s", err.text);
	else
		messages_add(messages, MESSAGE_RESULT, "%s", said.text);
	armed->file = NULL;
	history_hold(armed->history, false);
	return false;
}

/* ---- the command ---- */

enum { VARIABLES = 5 };

/* Start `sh -c COMMAND` in a session of its own, without standard files, with default signals. */
static int spawn(const char *command, char **variables, pid_t *ret)
{
	char *argv[] = { "sh", "-c", (char *)command, NULL };
	short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int rc = 0;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(&attributes, flags);
	posix_spawn_file_actions_init(&files);
	for (int fd = 0; fd <= STDERR_FILENO && !rc; fd++)
		rc = posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
	if (!rc)
		rc = posix_spawn(ret, "/bin/sh", &files, &attributes, argv, variables);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return -rc;
}

/* Run the command with the excursion in its environment. setenv would race with other threads. */
static int run_command(struct armed *armed, const char *command, const struct excursion *excursion,
		       struct err *err)
{
	const struct condition *condition =
		excursions_condition(armed->excursions, excursion->condition);
	uint64_t wall_ns = sampler_started_wall_ns(armed->setup->sampler) + excursion->t_ns;
	char text[VARIABLES][128];
	size_t n = 0;

	if (geteuid() == 0 && invoker_uid() != 0)
		return err_set(err, EPERM, "run: is refused: it would run as root");
	if (armed->pid)
		return err_set(err, EBUSY, "the command of an earlier one still runs");
	while (environ[n])
		n++;

	AUTO_FREE char **variables = calloc(n + VARIABLES + 1, sizeof(*variables));

	if (!variables)
		return err_set(err, ENOMEM, "out of memory");
	snprintf(text[0], sizeof(text[0]), "M1TOP_METRIC=%s",
		 armed->setup->metrics.metric[condition->metric].name);
	snprintf(text[1], sizeof(text[1]), "M1TOP_ROW=%s", excursion->row);
	snprintf(text[2], sizeof(text[2]), "M1TOP_VALUE=%.6g", excursion->worst.value);
	snprintf(text[3], sizeof(text[3]), "M1TOP_TIME=%" PRIu64 ".%03" PRIu64, wall_ns / NS_PER_S,
		 wall_ns % NS_PER_S / NS_PER_MS);
	snprintf(text[4], sizeof(text[4]), "M1TOP_TASK=%s", excursion->task);
	for (size_t i = 0; i < VARIABLES; i++) /* the first of two has effect */
		variables[i] = text[i];
	memcpy(variables + VARIABLES, environ, n * sizeof(*variables));

	int rc = spawn(command, variables, &armed->pid);

	return rc ? err_set(err, -rc, "cannot run sh: %s", strerror(-rc)) : 0;
}

/* ---- other counts for a while ---- */

/* Load what the present actions count. */
static int armed_load(struct armed *armed, struct err *err)
{
	struct sampler *sampler = armed->setup->sampler;
	struct set next = armed->preset_until_ns ? *armed->preset : armed->before;
	int rc;

	next.by_task = armed->before.by_task || armed->tasks_until_ns;
	if (armed->adds_activity)
		set_add_activity(armed->setup->events, &next);
	rc = sampler_load(sampler, &next, err);
	armed->loaded = sampler_set(sampler)->number;
	return rc;
}

static int count_for_a_while(struct armed *armed, const struct rule *rule, uint64_t now_ns,
			     struct err *err)
{
	bool is_first = !armed->preset_until_ns && !armed->tasks_until_ns;
	int rc;

	if (is_first || sampler_set(armed->setup->sampler)->number != armed->loaded)
		armed->before = *sampler_set(armed->setup->sampler);
	if (rule->preset) {
		armed->preset = rule->preset;
		armed->preset_until_ns = now_ns + rule->preset_ns;
	}
	if (rule->tasks_ns)
		armed->tasks_until_ns = now_ns + rule->tasks_ns;
	rc = armed_load(armed, err);
	if (rc && is_first)
		armed->preset_until_ns = armed->tasks_until_ns = 0;
	return rc;
}

static bool is_passed(uint64_t *until_ns, uint64_t now_ns)
{
	bool is_passed = *until_ns && now_ns >= *until_ns;

	if (is_passed)
		*until_ns = 0;
	return is_passed;
}

/* Count the old set again, unless the user has changed it since. */
static void end_counting(struct armed *armed, uint64_t now_ns)
{
	struct err err;
	bool is_over = is_passed(&armed->preset_until_ns, now_ns);

	is_over |= is_passed(&armed->tasks_until_ns, now_ns);
	if (is_over && sampler_set(armed->setup->sampler)->number == armed->loaded &&
	    armed_load(armed, &err))
		messages_add(&armed->setup->messages, MESSAGE_ERROR, "--on: %s", err.text);
}

/* ---- frames ---- */

static void warn(struct armed *armed, const struct rule *rule, int rc, const struct err *err)
{
	if (rc)
		messages_add(&armed->setup->messages, MESSAGE_WARNING, "--on %s: %s",
			     rule->condition, err->text);
}

static void act(struct armed *armed, const struct rule *rule, const struct excursion *excursion,
		uint64_t t_ns)
{
	char note[160], what[96];
	struct err err;

	snprintf(note, sizeof(note), "%s %s%s%s", excursion->row,
		 excursion_text(armed->excursions, excursion, what, sizeof(what)),
		 *excursion->task ? "  " : "", excursion->task);
	messages_add(&armed->setup->messages, MESSAGE_INFO, "%s", note);
	if (rule->marks)
		warn(armed, rule, armed->mark(armed->log, t_ns, note, &err), &err);
	if (rule->path)
		warn(armed, rule, begin_writing(armed, rule, t_ns, &err), &err);
	if (rule->command)
		warn(armed, rule, run_command(armed, rule->command, excursion, &err), &err);
	if (rule->preset || rule->tasks_ns)
		warn(armed, rule, count_for_a_while(armed, rule, t_ns, &err), &err);
}

void armed_frame(void *data, const struct frame *frame)
{
	struct armed *armed = data;

	if (armed->history)
		history_add(armed->history, frame);
	excursions_frame(armed->excursions, frame);
	for (; armed->n_seen < excursions_n(armed->excursions); armed->n_seen++) {
		const struct excursion *excursion = excursions_at(armed->excursions, armed->n_seen);

		if (excursion && excursion->condition < armed->n)
			act(armed, &armed->rule[excursion->condition], excursion, frame->t_ns);
	}
}

bool armed_turn(void *data)
{
	struct armed *armed = data;

	if (armed->pid && waitpid(armed->pid, NULL, WNOHANG) != 0)
		armed->pid = 0;
	end_counting(armed, sampler_now_ns(armed->setup->sampler));
	return armed->file && write_on(armed);
}
