/* metrics_select.c: what -M asks for: names, groups and expressions of the user's own */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "metrics/metrics.h"
#include "metrics/metrics_machine.h"
#include "pmu/event_name.h"

static int choose(struct metrics *metrics, struct metrics_selection *selection, unsigned number)
{
	metrics->metric[number].is_selected = true;
	for (size_t i = 0; i < selection->n; i++) {
		if (selection->number[i] == number)
			return 0;
	}
	if (array_reserve((void **)&selection->number, &selection->cap, selection->n,
			  sizeof(*selection->number)))
		return -ENOMEM;
	selection->number[selection->n++] = (uint16_t)number;
	return 0;
}

/* "Branch;Summary" */
static bool is_in_group(const struct metric *metric, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = metric->group; *at;) {
		size_t length = strcspn(at, ";");

		if (length == n && strncasecmp(at, name, n) == 0)
			return true;
		at += length + (at[length] == ';');
	}
	return false;
}

static int find_events(struct metrics_machine *machine, const struct metric_program *program,
		       struct err *err)
{
	const char *input;
	int rc = 0;

	for (unsigned i = 0; !rc && (input = metric_input(program, i)); i++)
		rc = metrics_machine_find_event(machine, input, err);
	return rc;
}

/* Does some type of core have its events? @return as find_events, of the last type */
static int find_somewhere(struct metrics_machine *machine, const struct metric *metric,
			  struct err *err)
{
	int missing = -ENOENT;

	for (unsigned t = 0; t < machine->machine->n_types && missing; t++) {
		if (!metric->program[t])
			continue;
		metrics_machine_of_type(machine, t);
		missing = find_events(machine, metric->program[t], err);
	}
	return missing;
}

/* Those of a group that this machine has the events for; it may be one for many processors.
 * @return 0; -ENOENT, with a text when there is such a group */
static int choose_group(struct metrics *metrics, const char *name,
			struct metrics_selection *selection, struct err *err)
{
	struct metrics_machine m;
	struct err why = { "" };
	int found = -ENOENT, rc = metrics_machine_init(&m, metrics->machine, &metrics->literals);

	for (unsigned i = 0; i < metrics->n && !rc; i++) {
		if (!is_in_group(&metrics->metric[i], name))
			continue;
		if (find_somewhere(&m, &metrics->metric[i], *why.text ? NULL : &why))
			continue;
		found = 0;
		rc = choose(metrics, selection, i);
	}
	metrics_machine_fini(&m);
	if (rc)
		return err_set(err, -rc, "out of memory");
	if (found && *why.text)
		err_set(err, ENOENT, "nothing of group %s can be counted here: %s", name, why.text);
	return found;
}

static int unknown(const struct metrics *metrics, const char *name, struct err *err)
{
	struct near_names near = { .wanted = name };
	struct text text = { 0 };

	for (size_t i = 0; i < metrics->n_refused; i++) {
		if (strcasecmp(metrics->refused[i].name, name) == 0)
			return err_set(err, EINVAL, "metric %s cannot be used: %s", name,
				       metrics->refused[i].why);
	}
	for (unsigned i = 0; i < metrics->n; i++)
		near_names_offer(&near, metrics->metric[i].name);
	near_names_text(&near, &text);
	err_set(err, ENOENT, "there is no metric \"%s\" here%s", name, text.n ? text.bytes : "");
	text_fini(&text);
	return -ENOENT;
}

static int choose_named(struct metrics *metrics, const char *name,
			struct metrics_selection *selection, struct err *err)
{
	int number = metrics_find(metrics, name);
	struct err why = { "" };

	if (number >= 0)
		return choose(metrics, selection, (unsigned)number)
			       ? err_set(err, ENOMEM, "out of memory")
			       : 0;

	int rc = choose_group(metrics, name, selection, &why);

	if (rc == -ENOENT && !*why.text)
		return unknown(metrics, name, err);
	return rc ? err_set(err, -rc, "%s", why.text) : 0;
}

/* "active-time" is active less time, though people mean the event. */
static const char *hyphen_hint(const char *expr)
{
	for (const char *at = expr; (at = strchr(at, '-')); at++)
		if (at > expr && isalnum((unsigned char)at[-1]) && isalpha((unsigned char)at[1]))
			return "; a - within a name is written \\-";
	return "";
}

/* On every core type that has its events; on none is an error. */
static int compile_free(const struct metrics *metrics, struct metric *metric, struct err *err)
{
	struct metrics_machine m;
	struct err why = { "there is no core to count on" };
	int rc = metrics_machine_init(&m, metrics->machine, &metrics->literals), missing = -ENOENT;

	if (rc)
		return err_set(err, -rc, "out of memory");
	for (unsigned t = 0; !rc && t < metrics->machine->n_types; t++) {
		struct metric_program *program = NULL;

		rc = metric_compile(metric->expr, metrics_machine_of_type(&m, t), &program, err);
		if (rc)
			break;

		int lacks = find_events(&m, program, &why);

		if (!lacks)
			metric->program[t] = program;
		else
			metric_program_free(program);
		missing = missing ? lacks : 0;
	}
	metrics_machine_fini(&m);
	if (rc || !missing)
		return rc;
	return err_set(err, -missing, "%s: %s%s", metric->name, why.text,
		       hyphen_hint(metric->expr));
}

/* A copy of the item, which ends where the expression begins. */
static int take_apart(const char *item, const char *equals, struct metric *ret)
{
	size_t n = (size_t)(equals - item);
	char *own = strdup(item);

	if (!own)
		return -ENOMEM;
	own[n] = '\0';
	*ret = (struct metric){ .name = own,
				.short_name = own,
				.unit = "",
				.brief = "",
				.what = "",
				.group = "",
				.expr = own + n + 1,
				.threshold = "",
				.scale = 1,
				.own = own };
	return 0;
}

static int add_free(struct metrics *metrics, const char *item, const char *equals,
		    struct metrics_selection *selection, struct err *err)
{
	struct metric metric;

	if (take_apart(item, equals, &metric))
		return err_set(err, ENOMEM, "out of memory");

	int rc = compile_free(metrics, &metric, err);

	if (!rc && metrics_find(metrics, metric.name) >= 0)
		rc = err_set(err, EINVAL, "there is a metric \"%s\" already: give another name",
			     metric.name);
	if (!rc &&
	    (metrics->n == UINT16_MAX || array_reserve((void **)&metrics->metric, &metrics->cap,
						       metrics->n, sizeof(*metrics->metric))))
		rc = err_set(err, ENOMEM, "out of memory");
	if (rc)
		goto fail;
	metrics->metric[metrics->n] = metric;
	rc = choose(metrics, selection, metrics->n++);
	return rc ? err_set(err, ENOMEM, "out of memory") : 0;
fail:
	for (unsigned t = 0; t < TYPES_MAX; t++)
		metric_program_free(metric.program[t]);
	free(metric.own);
	return rc;
}

/* "x=…": what stands before the sign is a name and nothing else. */
static const char *equals_of(const char *item)
{
	const char *at = item;

	while (isalnum((unsigned char)*at) || (*at && strchr("_.-", *at)))
		at++;
	return at > item && *at == '=' ? at : NULL;
}

static int take_item(struct metrics *metrics, const char *item, struct metrics_selection *selection,
		     struct err *err)
{
	const char *equals = equals_of(item);

	if (equals)
		return add_free(metrics, item, equals, selection, err);
	if (item[strcspn(item, "()*/+<>|^&")])
		return err_set(err, EINVAL, "\"%s\": give the expression a name: x=%s", item, item);
	return choose_named(metrics, item, selection, err);
}

/* Up to the comma that ends it. */
static size_t item_length(const char *list)
{
	size_t n = 0;
	int depth = 0;

	for (; list[n] && (list[n] != ',' || depth > 0); n++) {
		depth += (list[n] == '(') - (list[n] == ')');
		n += list[n] == '\\' && list[n + 1];
	}
	return n;
}

int metrics_select(struct metrics *metrics, const char *list, struct metrics_selection *ret,
		   struct err *err)
{
	struct metrics_selection selection = { .number = NULL };
	int rc = 0;

	while (!rc && *list) {
		size_t n = item_length(list);
		AUTO_FREE char *item = strndup(list, n);

		rc = item ? take_item(metrics, item, &selection, err)
			  : err_set(err, ENOMEM, "out of memory");
		list += n + (list[n] == ',');
	}
	if (rc) {
		metrics_selection_fini(&selection);
		return rc;
	}
	*ret = selection;
	return 0;
}

void metrics_selection_fini(struct metrics_selection *selection)
{
	if (!selection)
		return;
	free(selection->number);
	*selection = (struct metrics_selection){ 0 };
}
