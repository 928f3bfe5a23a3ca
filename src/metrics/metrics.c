/* metrics.c: the metrics of a session: those of all core types in one numbering, the user's own, and the
 * choice among them */
#include "metrics/metrics.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "pmu/catalog.h"
#include "pmu/event.h"

/* ---- the machine, as expressions see it */

/* The machine, for the expressions of one core type. */
struct metrics_machine {
	const struct machine *machine;
	const struct literals *literals;
	unsigned type;
	struct event_table *events;    /* for has_event() */
	const struct metrics *metrics; /* with the user's own expressions; NULL: none */
	struct metric_context context;
};

static int literal(void *data, const char *name, double *ret)
{
	const struct metrics_machine *m = data;

	return literals_get(m->literals, m->type, name, ret);
}

static int machine_resolve(const struct metrics_machine *m, const char *name, struct err *err)
{
	AUTO_FREE struct event_spec *unit = NULL;
	const struct event *event;
	struct event_spec spec;
	size_t n;
	int rc = event_spec_parse(name, &spec, err);

	spec.is_data = true;
	if (!rc)
		rc = event_specs_expand(m->events, &spec, 1, &unit, &n, err);
	if (!rc) /* any device represents the others */
		rc = event_resolve(m->events, m->type, unit, PRIVILEGE_BOTH, &event, err);
	if (rc == -ENOENT && unit) { /* try again, for the error message with similar names */
		unit->is_data = false;
		if (!event_resolve(m->events, m->type, unit, PRIVILEGE_BOTH, &event, err))
			err_set(err, ENOENT, "%s is not counted: %s", name, event->refused);
	}
	/* a session does not record how to program the event, and the catalogue has it */
	if (rc == -EINVAL && m->machine->recorded)
		return 0;
	if (!rc && event->refused[0])
		rc = err_set(err, ENOENT, "%s: %s", name, event->refused);
	return rc;
}

/* Whether an event exists. The encoding of a recorded PMU's events is unknown, so names in the catalogue of its cores
 * suffice. */
static bool has_event(void *data, const char *name)
{
	const struct metrics_machine *m = data;
	const struct catalog_event *known[1];

	if (m->machine->recorded && !strchr(name, '/') &&
	    catalog_lookup(m->machine->type[m->type].catalog, name, known, 1) > 0)
		return true;
	return machine_resolve(m, name, NULL) == 0;
}

/* Whether the MIDR has no part number: such a row of mapfile.csv matches no CPU. */
static bool is_midr_of_none(const char *id)
{
	char *end;
	unsigned long long midr = strtoull(id, &end, 0);

	return !*end && !(midr & 0xfff0);
}

static bool is_cpu(void *data, const char *id)
{
	const struct metrics_machine *m = data;
	struct map_row row = { .kind = MAPFILE_CORE };
	char cpuid[64];

	if (strlen(id) >= sizeof(row.cpuid) || is_midr_of_none(id))
		return false;
	memcpy(row.cpuid, id, strlen(id) + 1);
	machine_cpuid(m->machine, m->type, cpuid, sizeof(cpuid));
	return catalog_map_matches(&row, cpuid) || strcmp(id, cpuid) == 0;
}

static const char *own_expr(const struct metrics *metrics, const char *name)
{
	for (unsigned i = 0; i < metrics->n; i++)
		if (metrics->metric[i].own && strcmp(metrics->metric[i].name, name) == 0)
			return metrics->metric[i].expr;
	return NULL;
}

/* Find the expression of a metric, case-sensitive: `slots` is an event where SLOTS is a metric. */
static const char *metric(void *data, const char *name)
{
	const struct metrics_machine *m = data;
	const struct catalog_metric *known =
		catalog_metric_exact(m->machine->type[m->type].catalog, name);

	if (known)
		return known->expr;
	return m->metrics ? own_expr(m->metrics, name) : NULL;
}

/* Whether a metric uses counts in their columns' unit: the user's own do, which are compiled with `metrics` set. */
static bool machine_is_shown(void *data, const char *name)
{
	const struct metrics_machine *m = data;

	return m->metrics &&
	       !(name && catalog_metric_exact(m->machine->type[m->type].catalog, name));
}

static int metrics_machine_init(struct metrics_machine *ret, const struct machine *machine,
				const struct literals *literals)
{
	*ret = (struct metrics_machine){
		.machine = machine,
		.literals = literals,
		.context = { .runtime = 1, /* as in perf, except on POWER */
			     .literal = literal,
			     .has_event = has_event,
			     .is_cpu = is_cpu,
			     .metric = metric,
			     .is_shown = machine_is_shown },
	};
	return event_table_new(machine, &ret->events);
}

/* Set the core type of the expressions to compile. @return the context for metric_compile */
static const struct metric_context *metrics_machine_of_type(struct metrics_machine *machine,
							    unsigned type)
{
	machine->type = type;
	machine->context.data = machine;
	return &machine->context;
}

/* ---- metrics of the catalogues */

bool metric_is_share(const struct metric *metric)
{
	return strcmp(metric->unit, "%") == 0;
}

bool metric_label_has_unit(const struct metric *metric)
{
	return metric_is_share(metric) && strchr(metric->short_name, '%');
}

static bool is_name(const struct metric *metric, const char *name)
{
	return ascii_casecmp(metric->name, name) == 0;
}

static bool has_alias(const struct metric *metric, const char *name)
{
	for (const char *const *alias = metric->alias; alias && *alias; alias++)
		if (ascii_casecmp(*alias, name) == 0)
			return true;
	return false;
}

const char *metric_label(const struct metric *metric)
{
	return *metric->short_name ? metric->short_name : metric->name;
}

static bool is_short_name(const struct metric *metric, const char *name)
{
	return *name && ascii_casecmp(metric->short_name, name) == 0;
}

/* Whether the metric is in the group NAME and an ending; its groups are listed as "Branch;Summary". @type  -1: on any
 * core type */
static bool is_in_group(const struct metric *metric, const char *name, const char *ending, int type)
{
	size_t n = strlen(name), n_ending = strlen(ending);

	for (int t = 0; t < TYPES_MAX; t++) {
		const char *at = type < 0 || t == type ? metric->groups[t] : NULL;

		while (at && *at) {
			size_t length = strcspn(at, ";");

			if (length == n + n_ending && ascii_ncasecmp(at, name, n) == 0 &&
			    ascii_ncasecmp(at + n, ending, n_ending) == 0)
				return true;
			at += length + (at[length] == ';');
		}
	}
	return false;
}

bool metric_divides(const struct metric *part, const struct metric *whole, int type)
{
	return part != whole && is_in_group(part, whole->name, "_group", type);
}

const char *metric_first_level(const struct metric *metric)
{
	static const char *const names[] = { "TopdownL1", "PipelineL1" }; /* the latter: AMD's */

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (is_in_group(metric, names[i], "", -1))
			return names[i];
	return NULL;
}

static int metrics_find_by(const struct metrics *metrics, const char *name,
			   bool (*goes_by)(const struct metric *, const char *))
{
	for (unsigned i = 0; i < metrics->n; i++)
		if (goes_by(&metrics->metric[i], name))
			return (int)i;
	return -1;
}

int metrics_find(const struct metrics *metrics, const char *name)
{
	int number = metrics_find_by(metrics, name, is_name);

	if (number < 0)
		number = metrics_find_by(metrics, name, has_alias);
	return number < 0 ? metrics_find_by(metrics, name, is_short_name) : number;
}

static int metrics_refuse(struct metrics *metrics, const char *name, const struct err *why)
{
	if (array_reserve((void **)&metrics->refused, &metrics->cap_refused, metrics->n_refused,
			  sizeof(*metrics->refused)))
		return -ENOMEM;

	char *text = strdup(why->text);

	if (!text)
		return -ENOMEM;
	metrics->refused[metrics->n_refused++] =
		(struct metric_refused){ .name = name, .why = text };
	return 0;
}

static struct metric *find_or_add(struct metrics *metrics, const struct catalog_metric *known)
{
	int number = metrics_find_by(metrics, known->name, is_name);

	if (number >= 0)
		return &metrics->metric[number];
	if (metrics->n == UINT16_MAX || array_reserve((void **)&metrics->metric, &metrics->cap,
						      metrics->n, sizeof(*metrics->metric)))
		return NULL;
	metrics->metric[metrics->n] = (struct metric){ .name = known->name,
						       .short_name = known->short_name,
						       .alias = known->alias,
						       .unit = known->unit,
						       .brief = known->brief,
						       .what = known->what,
						       .group = known->group,
						       .expr = known->expr,
						       .threshold = known->threshold,
						       .scale = known->scale,
						       .is_approximate = known->is_approximate };
	return &metrics->metric[metrics->n++];
}

static int add_alarm(struct metrics *metrics, struct metrics_machine *machine,
		     struct metric *metric, const struct catalog_metric *known)
{
	struct err why = { "" };
	int rc = 0;

	if (known->threshold[0])
		rc = metric_compile(known->threshold, &machine->context,
				    &metric->alarm[machine->type], &why);
	if (!rc || rc == -ENOMEM)
		return rc;
	err_prefix(&why, -rc, "threshold: ");
	return metrics_refuse(metrics, known->name, &why);
}

static bool metrics_has(const struct metrics *metrics, const char *name, unsigned type)
{
	int number = metrics->metric ? metrics_find_by(metrics, name, is_name) : -1;

	return number >= 0 && metrics->metric[number].program[type];
}

static int metrics_add(struct metrics *metrics, struct metrics_machine *machine,
		       const struct catalog_metric *known)
{
	struct metric_program *program;
	struct err why = { "" };

	if (metrics_has(metrics, known->name, machine->type))
		return 0;

	int rc = metric_compile(known->expr, &machine->context, &program, &why);

	if (rc)
		return rc == -ENOMEM ? rc : metrics_refuse(metrics, known->name, &why);

	struct metric *metric = find_or_add(metrics, known);

	if (!metric) {
		metric_program_free(program);
		return -ENOMEM;
	}
	metric->program[machine->type] = program;
	metric->groups[machine->type] = known->group;
	return add_alarm(metrics, machine, metric, known);
}

/* Metrics with the lowest numbers, which the screen shows first. */
static const char *const leading[] = { "IPC", "CPI" };

static int add_leading(struct metrics *metrics, struct metrics_machine *m)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(leading) / sizeof(leading[0]); i++) {
		for (unsigned t = 0; !rc && t < m->machine->n_types; t++) {
			const struct catalog_metric *known =
				catalog_metric_find(m->machine->type[t].catalog, leading[i]);

			metrics_machine_of_type(m, t);
			if (known)
				rc = metrics_add(metrics, m, known);
		}
	}
	return rc;
}

static int add_all(struct metrics *metrics, struct metrics_machine *m)
{
	int rc = add_leading(metrics, m);

	for (unsigned t = 0; !rc && t < m->machine->n_types; t++) {
		const struct catalog *catalog = m->machine->type[t].catalog;

		metrics_machine_of_type(m, t);
		for (size_t i = 0; !rc && i < catalog->n_metrics; i++)
			rc = metrics_add(metrics, m, &catalog->metric[i]);
	}
	return rc;
}

/* Whether the expression has a value when all inputs are counted. It has none without a literal that the machine does
 * not report. */
static bool is_defined(const struct metric_program *program)
{
	struct count any[METRIC_INPUTS_MAX];

	for (unsigned i = 0; program && i < METRIC_INPUTS_MAX; i++)
		any[i] = (struct count){
			.value = 1000, .enabled_ns = 1000, .running_ns = 1000, .quality = QUALITY_OK
		};
	return program && quality_has_value(metric_eval_inputs(program, any, NULL).quality);
}

/* Get the first of a part's metrics that some type can evaluate. */
static int number_of_part(const struct metrics *metrics, const struct catalog_part *part)
{
	for (const char *const *name = part->metric; *name; name++) {
		int number = metrics_find(metrics, *name);

		for (unsigned t = 0; number >= 0 && t < metrics->machine->n_types; t++)
			if (is_defined(metrics->metric[number].program[t]))
				return number;
	}
	return -1;
}

/* Add the parts of the first type that has any: types differ in metrics, but rarely in parts. */
static void add_parts(struct metrics *metrics)
{
	const struct machine *machine = metrics->machine;

	for (unsigned t = 0; t < machine->n_types && !metrics->n_parts; t++) {
		const struct catalog *catalog = machine->type[t].catalog;

		for (size_t i = 0; i < catalog->n_parts && i < METRIC_PARTS_MAX; i++)
			metrics->part[metrics->n_parts++] = (struct metric_part){
				.known = &catalog->part[i],
				.number = number_of_part(metrics, &catalog->part[i]),
			};
	}
}

bool metrics_is_part(const struct metrics *metrics, unsigned number)
{
	for (unsigned i = 0; i < metrics->n_parts; i++)
		if (metrics->part[i].number == (int)number)
			return true;
	return false;
}

double metrics_share_of(const struct metrics *metrics, unsigned part, double figure)
{
	/* units are "%", or "percent of slots" in Linux's event files */
	const char *unit = metrics->metric[metrics->part[part].number].unit;
	bool is_percent = unit[0] == '%' || strncmp(unit, "percent", 7) == 0;

	return fmax(0, is_percent ? figure / 100 : figure);
}

int metrics_make(const struct machine *machine, struct metrics *ret, struct err *err)
{
	struct literals literals;

	literals_read("", machine, &literals);
	return metrics_make_with_literals(machine, &literals, ret, err);
}

int metrics_make_with_literals(const struct machine *machine, const struct literals *literals,
			       struct metrics *ret, struct err *err)
{
	struct metrics metrics = { .machine = machine, .literals = *literals };
	struct metrics_machine m;
	int rc = metrics_machine_init(&m, machine, literals);

	if (!rc)
		rc = add_all(&metrics, &m);
	/* memory for the user's own expressions */
	metrics.n_max =
		metrics.n + METRICS_OWN_MAX < UINT16_MAX ? metrics.n + METRICS_OWN_MAX : UINT16_MAX;
	if (!rc)
		rc = array_reserve((void **)&metrics.metric, &metrics.cap, metrics.n_max,
				   sizeof(*metrics.metric));
	if (!rc)
		add_parts(&metrics);
	event_table_free(m.events);
	if (rc) {
		metrics_fini(&metrics);
		return err_set(err, ENOMEM, "out of memory");
	}
	*ret = metrics;
	return 0;
}

static void free_metric(struct metric *metric)
{
	for (unsigned t = 0; t < TYPES_MAX; t++) {
		metric_program_free(metric->program[t]);
		metric_program_free(metric->alarm[t]);
	}
	free(metric->own);
}

void metrics_forget(struct metrics *metrics, unsigned n)
{
	while (metrics->n > n)
		free_metric(&metrics->metric[--metrics->n]);
}

void metrics_fini(struct metrics *metrics)
{
	if (!metrics)
		return;
	metrics_forget(metrics, 0);
	for (size_t i = 0; i < metrics->n_refused; i++)
		free(metrics->refused[i].why);
	free(metrics->refused);
	free(metrics->metric);
	*metrics = (struct metrics){ 0 };
}

/* ---- expressions of the user's own */

/* Make a metric; both texts share an allocation. */
static int own_make(const char *name, const char *expr, struct metric *ret)
{
	size_t n_name = strlen(name) + 1, n_expr = strlen(expr) + 1;
	char *own = malloc(n_name + n_expr);

	if (!own)
		return -ENOMEM;
	memcpy(own, name, n_name);
	memcpy(own + n_name, expr, n_expr);
	*ret = (struct metric){ .name = own,
				.short_name = own,
				.unit = "",
				.brief = "",
				.what = "",
				.group = "",
				.expr = own + n_name,
				.threshold = "",
				.scale = 1,
				.own = own };
	return 0;
}

/* Append a metric without compiling it, unless it exists with the same expression. @return 0, -ENOMEM;
 * -EINVAL: the name is in use, or there are METRICS_OWN_MAX */
static int metrics_own_add(struct metrics *metrics, const char *name, const char *expr,
			   struct err *err)
{
	int number = metrics_find(metrics, name);
	const struct metric *known = number < 0 ? NULL : &metrics->metric[number];

	if (known && ascii_casecmp(known->name, name) != 0)
		known = NULL; /* a name takes precedence over aliases and short names */
	if (known && known->own && strcmp(known->expr, expr) == 0)
		return 0;
	if (known)
		return err_set(err, EINVAL, "a metric is already named \"%s\": choose another name",
			       name);
	if (metrics->n == metrics->n_max) /* the metrics cannot move: see struct metrics */
		return err_set(err, EINVAL, "at most %d expressions can be given", METRICS_OWN_MAX);
	assert(metrics->metric); /* metrics_make reserved memory */
	if (own_make(name, expr, &metrics->metric[metrics->n]))
		return err_set(err, ENOMEM, "out of memory");
	metrics->n++;
	return 0;
}

/* Check that the present core type has all events of a program; a recorded machine may have had any.
 * @return 0, or as event_resolve */
static int metrics_own_find_events(const struct metrics_machine *machine,
				   const struct metric_program *program, struct err *err)
{
	const char *input;
	int rc = 0;

	if (machine->machine->recorded)
		return 0;
	for (unsigned i = 0; !rc && (input = metric_input(program, i)); i++)
		rc = machine_resolve(machine, input, err);
	return rc;
}

/* Suggest an escape: "active-time" subtracts time from active, but the event may be meant. */
static const char *hyphen_hint(const char *expr)
{
	for (const char *at = expr; (at = strchr(at, '-')); at++)
		if (at > expr && ascii_isalnum(at[-1]) && ascii_isalpha(at[1]))
			return "; write a - in a name as \\-";
	return "";
}

/* Compile a metric on one type. @missing  -ENOENT until a type has the events */
static int own_compile_type(struct metrics_machine *m, unsigned type, struct metric *metric,
			    int *missing, struct err *why)
{
	struct metric_program *program = NULL;
	int rc = metric_compile(metric->expr, metrics_machine_of_type(m, type), &program, why);

	if (rc)
		return rc;

	int lacks = metrics_own_find_events(m, program, why);

	if (!lacks)
		metric->program[type] = program;
	else
		metric_program_free(program);
	*missing = *missing ? lacks : 0;
	return 0;
}

static int own_compile(struct metrics_machine *m, struct metric *metric, struct err *err)
{
	struct err why = { "no core to count on" };
	int rc = 0, missing = -ENOENT;

	for (unsigned t = 0; !rc && t < m->machine->n_types; t++)
		rc = own_compile_type(m, t, metric, &missing, &why);
	if (rc)
		return err_set(err, -rc, "%s: %s", metric->name, why.text);
	if (missing)
		return err_set(err, -missing, "%s: %s%s", metric->name, why.text,
			       hyphen_hint(metric->expr));
	return 0;
}

/* Compile the metrics from number n on, each on every core type that has its events. They may use each other.
 * @return 0, -ENOMEM, as metric_compile; -ENOENT: no type has the events */
static int metrics_own_compile(struct metrics *metrics, unsigned n, struct err *err)
{
	struct metrics_machine m;

	if (n == metrics->n)
		return 0;

	int rc = metrics_machine_init(&m, metrics->machine, &metrics->literals);

	if (rc)
		return err_set(err, -rc, "out of memory");
	m.metrics = metrics;
	for (unsigned i = n; i < metrics->n && !rc; i++)
		rc = own_compile(&m, &metrics->metric[i], err);
	event_table_free(m.events);
	return rc;
}

/* ---- the argument of -M: names, groups and expressions */

static int select_choose(struct metrics_selection *selection, unsigned number)
{
	uint16_t chosen = (uint16_t)number;

	for (size_t i = 0; i < selection->n; i++) {
		if (selection->number[i] == number)
			return 0;
	}
	return array_append((void **)&selection->number, &selection->cap, &selection->n, &chosen,
			    sizeof(chosen));
}

/* Check that some core type has the metric's events. @return as metrics_own_find_events, for the last type */
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

/* Select those metrics of a group whose events the machine has; a group may be for many processors.
 * @return 0; -ENOENT, with a message if there is such a group */
static int choose_group(struct metrics *metrics, const char *name,
			struct metrics_selection *selection, struct err *err)
{
	struct metrics_machine m;
	struct err why = { "" };
	int found = -ENOENT, rc = metrics_machine_init(&m, metrics->machine, &metrics->literals);

	for (unsigned i = 0; i < metrics->n && !rc; i++) {
		if (!is_in_group(&metrics->metric[i], name, "", -1))
			continue;
		if (find_somewhere(&m, &metrics->metric[i], *why.text ? NULL : &why))
			continue;
		found = 0;
		rc = select_choose(selection, i);
	}
	event_table_free(m.events);
	if (rc)
		return err_set(err, -rc, "out of memory");
	if (found && *why.text)
		err_set(err, ENOENT, "no metric of group %s can be counted here: %s", name,
			why.text);
	return found;
}

/* Whether the processor's event files, which have most metrics, may be missing. */
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
		if (ascii_casecmp(metrics->refused[i].name, name) == 0)
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
		return select_choose(selection, (unsigned)number)
			       ? err_set(err, ENOMEM, "out of memory")
			       : 0;

	int rc = choose_group(metrics, name, selection, &why);

	if (rc == -ENOENT && !*why.text)
		return unknown(metrics, name, err);
	return rc ? err_set(err, -rc, "%s", why.text) : 0;
}

/* Find the sign of "x=…", before which there is only a name. @return the sign, NULL */
static char *equals_of(char *item)
{
	char *at = item;

	while (ascii_isalnum(*at) || (*at && strchr("_.-", *at)))
		at++;

	char *end = at + strspn(at, " ");

	return at > item && *end == '=' ? end : NULL;
}

/* Cut "x = …" to "x". */
static void cut_name(char *item, char *equals)
{
	*equals = '\0';
	item[strcspn(item, " ")] = '\0';
}

/* Add the expression of an item such as x=A/B; others are left for select_take. */
static int define(struct metrics *metrics, char *item, struct err *err)
{
	char *equals = equals_of(item);

	if (!equals)
		return 0;
	cut_name(item, equals);
	return metrics_own_add(metrics, item, equals + 1 + strspn(equals + 1, " "), err);
}

static int select_take(struct metrics *metrics, char *item, struct metrics_selection *selection,
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

/* Take each item of a list. @selection  NULL: only define what is to be selected later */
static int for_each(const char *list, struct metrics *metrics, struct metrics_selection *selection,
		    struct err *err)
{
	int rc = 0;

	while (!rc && *list) {
		size_t n = text_item_length(list, '(', ')');
		AUTO_FREE char *item = copy_item(list, n);

		if (!item)
			rc = err_set(err, ENOMEM, "out of memory");
		else
			rc = selection ? select_take(metrics, item, selection, err)
				       : define(metrics, item, err);
		list += n + (list[n] == ',');
	}
	return rc;
}

int metrics_select(struct metrics *metrics, const char *list, struct metrics_selection *ret,
		   struct err *err)
{
	struct metrics_selection selection = { .number = NULL };
	unsigned n = metrics->n;

	/* first add all expressions: they may use each other */
	int rc = for_each(list, metrics, NULL, err);

	if (!rc)
		rc = metrics_own_compile(metrics, n, err);
	if (!rc)
		rc = for_each(list, metrics, &selection, err);
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
