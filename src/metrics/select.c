/* select.c: what -M asks for: names, groups and expressions of the user's own */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "metrics/metrics.h"
#include "metrics/own.h"
#include "event/name.h"

static int choose(struct metrics_selection *selection, unsigned number)
{
	uint16_t chosen = (uint16_t)number;

	for (size_t i = 0; i < selection->n; i++) {
		if (selection->number[i] == number)
			return 0;
	}
	return array_append((void **)&selection->number, &selection->cap, &selection->n, &chosen,
			    sizeof(chosen));
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

/* Does some type of core have its events? @return as metrics_own_find_events, of the last type */
static int find_somewhere(struct metrics_machine *machine, const struct metric *metric,
			  struct err *err)
{
	int missing = -ENOENT;

	for (unsigned t = 0; t < machine->machine->n_types && missing; t++) {
		if (!metric->program[t])
			continue;
		metrics_machine_of_type(machine, t);
		missing = metrics_own_find_events(machine, metric->program[t], err);
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
		rc = choose(selection, i);
	}
	metrics_machine_fini(&m);
	if (rc)
		return err_set(err, -rc, "out of memory");
	if (found && *why.text)
		err_set(err, ENOENT, "no metric of group %s can be counted here: %s", name,
			why.text);
	return found;
}

/* Most metrics are of one model of processor: its files may be what is missing. */
static bool may_lack_files(const struct machine *machine)
{
	for (unsigned t = 0; t < machine->n_types; t++)
		if (machine->type[t].pmu && machine_lacks_files(machine, t))
			return true;
	return false;
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
	text_printf(&text, "no metric is named \"%s\" here (m1top list metrics)", name);
	near_names_text(&near, &text);
	if (may_lack_files(metrics->machine))
		text_printf(&text, "; this processor's event files are missing: m1top doctor "
				   "says how to get them");
	return text_to_err(&text, ENOENT, err);
}

static int choose_named(struct metrics *metrics, const char *name,
			struct metrics_selection *selection, struct err *err)
{
	int number = metrics_find(metrics, name);
	struct err why = { "" };

	if (number >= 0)
		return choose(selection, (unsigned)number) ? err_set(err, ENOMEM, "out of memory")
							   : 0;

	int rc = choose_group(metrics, name, selection, &why);

	if (rc == -ENOENT && !*why.text)
		return unknown(metrics, name, err);
	return rc ? err_set(err, -rc, "%s", why.text) : 0;
}

/* "x=…": what stands before the sign is a name and nothing else. @return the sign, NULL */
static char *equals_of(char *item)
{
	char *at = item;

	while (isalnum((unsigned char)*at) || (*at && strchr("_.-", *at)))
		at++;

	char *end = at + strspn(at, " ");

	return at > item && *end == '=' ? end : NULL;
}

/* "x" of "x = …" */
static void cut_name(char *item, char *equals)
{
	*equals = '\0';
	item[strcspn(item, " ")] = '\0';
}

static int define(struct metrics *metrics, char *item, struct metrics_selection *selection,
		  struct err *err)
{
	char *equals = equals_of(item);

	(void)selection;
	if (!equals)
		return 0;
	cut_name(item, equals);
	return metrics_own_add(metrics, item, equals + 1 + strspn(equals + 1, " "), err);
}

static int take(struct metrics *metrics, char *item, struct metrics_selection *selection,
		struct err *err)
{
	char *equals = equals_of(item);

	if (!*item)
		return err_set(err, EINVAL, "a metric is missing between two commas");
	if (equals)
		cut_name(item, equals);
	else if (item[strcspn(item, "()*/+<>|^&")] && metrics_find(metrics, item) < 0)
		return err_set(err, EINVAL, "\"%s\": give the expression a name: x=%s", item, item);
	return choose_named(metrics, item, selection, err);
}

/* @return a copy, to be freed, without the blanks around it; NULL: out of memory */
static char *copy_item(const char *item, size_t n)
{
	size_t blanks = strspn(item, " ");

	if (blanks > n)
		blanks = n;
	while (n > blanks && item[n - 1] == ' ')
		n--;
	return strndup(item + blanks, n - blanks);
}

typedef int item_fn(struct metrics *metrics, char *item, struct metrics_selection *selection,
		    struct err *err);

static int for_each(const char *list, item_fn *fn, struct metrics *metrics,
		    struct metrics_selection *selection, struct err *err)
{
	int rc = 0;

	while (!rc && *list) {
		size_t n = text_item_length(list, '(', ')');
		AUTO_FREE char *item = copy_item(list, n);

		rc = item ? fn(metrics, item, selection, err)
			  : err_set(err, ENOMEM, "out of memory");
		list += n + (list[n] == ',');
	}
	return rc;
}

int metrics_select(struct metrics *metrics, const char *list, struct metrics_selection *ret,
		   struct err *err)
{
	struct metrics_selection selection = { .number = NULL };
	unsigned n = metrics->n;

	/* all of them first: each may use any other */
	int rc = for_each(list, define, metrics, &selection, err);

	if (!rc)
		rc = metrics_own_compile(metrics, n, err);
	if (!rc)
		rc = for_each(list, take, metrics, &selection, err);
	if (rc) {
		metrics_selection_fini(&selection);
		metrics_forget(metrics, n);
		return rc;
	}
	for (size_t i = 0; i < selection.n; i++)
		metrics->metric[selection.number[i]].is_selected = true;
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
