/* Any text as an expression: compiled, bound, evaluated; as -M's list too. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "metrics/metrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first line may use the others by name: a, b, c … */
static struct {
	char *line[8];
	unsigned n;
} text;

static int literal(void *data, const char *name, double *ret)
{
	(void)data;
	*ret = (double)strlen(name);
	return strcmp(name, "#smt_on") == 0 || strcmp(name, "#slots") == 0 ? 0 : -ENOENT;
}

static bool is_short(void *data, const char *name)
{
	(void)data;
	return strlen(name) < 4;
}

static const char *metric(void *data, const char *name)
{
	const char *letters = "abcdefg", *at = name[0] ? strchr(letters, name[0]) : NULL;
	size_t i = at ? (size_t)(at - letters) + 1 : 0;

	(void)data;
	return at && !name[1] && i < text.n ? text.line[i] : NULL;
}

static void evaluate(const struct metric_program *program)
{
	static const struct event known = { .name = "cycles" };
	static const struct set set = { .n_slots = 1, .type = { { .event = { &known } } } };
	struct count count[METRIC_INPUTS_MAX];
	struct metric_binding binding = { 0 };
	struct reading reading;

	for (unsigned i = 0; i < METRIC_INPUTS_MAX; i++)
		count[i] = (struct count){ .value = i * i,
					   .enabled_ns = NS_PER_S,
					   .running_ns = NS_PER_S,
					   .quality = QUALITY_OK };
	if (metric_bind_set(program, &set, 0, &binding))
		metric_eval(program, &binding, count);
	metric_bind_alarm(program, &set, 0, &binding, &binding);
	metric_judge(program, &binding, count);
	reading = metric_eval_inputs(program, count, NULL);
	if (quality_has_value(reading.quality) && reading.value - reading.value != 0)
		abort(); /* a figure that is shown is finite */
}

static void select_by(const char *list)
{
	static struct catalog catalog;
	static struct machine machine = { .n_types = 1, .type = { { .catalog = &catalog } } };
	struct metrics metrics;
	struct metrics_selection selection;

	if (metrics_make(&machine, &metrics, NULL))
		return;
	if (metrics_select(&metrics, list, &selection, NULL) == 0)
		metrics_selection_fini(&selection);
	metrics_fini(&metrics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct metric_context context = { .runtime = 3,
						.literal = literal,
						.has_event = is_short,
						.is_cpu = is_short,
						.metric = metric };
	struct metric_program *program;
	struct err err = { "" };
	char *copy = strndup((const char *)data, size), *rest = copy;

	if (!copy)
		return 0;
	select_by(copy);
	for (text.n = 0; rest && text.n < 8;)
		text.line[text.n++] = strsep(&rest, "\n");
	if (metric_compile(text.line[0], &context, &program, &err) == 0) {
		evaluate(program);
		metric_program_free(program);
	} else if (!err.text[0]) {
		abort(); /* a refusal gives its reason */
	}
	free(copy);
	return 0;
}
